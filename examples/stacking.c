/* stacking.c: image stacking: adds noisy or shifted images of the same scene, one or more from each
 * rank. Does it two ways, which take turns, and prints the median time of each: MPI_Allreduce, and
 * the ring of libghzmpi. Checks the error bound, and that all ranks have the same bits.
 *
 *   mpicc stacking.c $(pkg-config --cflags --libs ghzmpi) -lm -o stacking
 *   mpiexec -n 4 ./stacking REPEAT BOUND FOLDER IMAGE.f32...
 *
 * BOUND is a part of the images' range, such as 1e-4. An image is a file of float32; all have the
 * same size, and the extents that GHZ_MPI_EXTENTS=256x256x256 in the environment tells. Rank r
 * reads image r; where there are more ranks than images, images are used again, shifted. Rank 0
 * writes the exact stack to FOLDER/exact.f64 and the compressed one to FOLDER/stack.f32, for
 * `ghz compare --png`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/mpi.h>

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 2, COMPRESSED = 1, REPEAT_MAX = 1000 };

/* A way to stack, and what it cost. */
typedef struct way {
  const char *name;
  ghz_mpi_mode mode;
  double seconds[REPEAT_MAX]; /* of the slowest rank */
  double sent;                /* bytes, of all ranks; 0: unknown */
} way;

static int rank, ranks;

/* Ends the program on all ranks. */
__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fprintf(stderr, "stacking: ");
  vfprintf(stderr, format, list);
  fprintf(stderr, "\n");
  va_end(list);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static void *allocate(size_t size) {
  void *p = malloc(size > 0 ? size : 1);
  if (!p)
    die("out of memory (%zu bytes)", size);
  return p;
}

/* ---- Images ---------------------------------------------------------------------------------- */

static float *read_image(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  long bytes = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
  if (bytes <= 0 || bytes % (long)sizeof(float))
    die("%s: cannot be read, or is no file of float32", path);
  *n = (size_t)bytes / sizeof(float);
  float *x = allocate((size_t)bytes);
  if (fseek(f, 0, SEEK_SET) != 0 || fread(x, sizeof *x, *n, f) != *n)
    die("%s: cannot be read", path);
  fclose(f);
  return x;
}

/* The image of this rank. The k-th use of a file is shifted by k values, so that no two ranks hold
 * the same. */
static float *own_image(char **paths, int images, size_t *n) {
  float *x = read_image(paths[rank % images], n);
  size_t shift = (size_t)(rank / images) % *n;
  float *turned = allocate(*n * sizeof *turned);
  memcpy(turned, x + shift, (*n - shift) * sizeof *x);
  memcpy(turned + *n - shift, x, shift * sizeof *x);
  free(x);
  unsigned long size[2] = {*n, ~(unsigned long)*n}; /* the least of ~n is at the largest n */
  MPI_Allreduce(MPI_IN_PLACE, size, 2, MPI_UNSIGNED_LONG, MPI_MIN, MPI_COMM_WORLD);
  if (size[0] != ~size[1] || *n > INT32_MAX)
    die("the images differ in size, or have more than 2^31 - 1 values");
  return turned;
}

static void write_file(const char *folder, const char *name, const void *values, size_t bytes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(values, 1, bytes, f) != bytes || fclose(f) != 0)
    die("%s: cannot be written", path);
}

/* ---- Stacking -------------------------------------------------------------------------------- */

/* y = the sum of all ranks' x. */
static void stack(way *w, double bound, const float *x, float *y, size_t n, ghz_mpi_report *report) {
  *report = (ghz_mpi_report){0};
  if (w->mode == GHZ_MPI_MODE_AUTO) { /* stands for MPI itself */
    MPI_Allreduce(x, y, (int)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    return;
  }
  ghz_mpi_options options = GHZ_MPI_OPTIONS;
  options.bound = (ghz_bound){GHZ_REL, bound};
  options.algorithm = GHZ_MPI_RING;
  options.mode = w->mode;
  options.threads = 1;
  options.report = report;
  ghz_allreduce(x, y, (MPI_Count)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options);
}

static void time_once(way *w, int round, double bound, const float *x, float *y, size_t n,
                      ghz_mpi_report *report) {
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  stack(w, bound, x, y, n, report);
  double seconds = MPI_Wtime() - start, sent = (double)report->sent_bytes;
  MPI_Allreduce(&seconds, &w->seconds[round], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&sent, &w->sent, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int n) {
  qsort(values, (size_t)n, sizeof *values, ascending);
  return values[n / 2];
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* The largest error of a stack against the sum in double precision. */
static double largest_error(const double *exact, const float *y, size_t n) {
  double worst = 0;
  for (size_t i = 0; i < n; i++)
    worst = fmax(worst, fabs((double)y[i] - exact[i]));
  return worst;
}

/* Whether every rank has the bits of rank 0. */
static int same_on_all_ranks(const float *y, size_t n) {
  float *first = allocate(n * sizeof *first);
  memcpy(first, y, n * sizeof *first);
  MPI_Bcast(first, (int)n, MPI_FLOAT, 0, MPI_COMM_WORLD);
  int same = memcmp(first, y, n * sizeof *first) == 0;
  free(first);
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return same;
}

static void print_table(way *ways, int repeat, size_t n) {
  printf("%d ranks, %.1f MB of float32 each, medians of %d runs\n", ranks, (double)(n * sizeof(float)) / 1e6,
         repeat);
  double first = median(ways[0].seconds, repeat);
  for (int i = 0; i < WAYS; i++) {
    double seconds = median(ways[i].seconds, repeat);
    printf("%-28s %9.1f ms %6.1f x", ways[i].name, 1e3 * seconds, first / seconds);
    printf(ways[i].sent > 0 ? " %9.1f MB sent\n" : "\n", ways[i].sent / 1e6);
  }
}

int main(int argc, char **argv) {
  static way ways[WAYS] = {{.name = "MPI_Allreduce", .mode = GHZ_MPI_MODE_AUTO},
                           {.name = "ring, compressed", .mode = GHZ_MPI_HOMOMORPHIC}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int repeat = argc > 4 ? atoi(argv[1]) : 0;
  double bound = argc > 4 ? atof(argv[2]) : 0;
  if (repeat < 1 || repeat > REPEAT_MAX || !(bound > 0))
    die("usage: stacking REPEAT BOUND FOLDER IMAGE.f32...   (REPEAT up to %d, BOUND above 0)", REPEAT_MAX);

  size_t n;
  float *x = own_image(argv + 4, argc - 4, &n), *y = allocate(n * sizeof *y);
  double *exact = allocate(n * sizeof *exact);
  for (size_t i = 0; i < n; i++)
    exact[i] = (double)x[i];
  MPI_Allreduce(MPI_IN_PLACE, exact, (int)n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

  ghz_mpi_report report;
  for (int round = -1; round < repeat; round++) /* the first one warms up */
    for (int i = 0; i < WAYS; i++)
      time_once(&ways[i], round < 0 ? 0 : round, bound, x, y, n, &report);
  double error = largest_error(exact, y, n); /* y is the last way's: the compressed one's */
  int same = same_on_all_ranks(y, n);
  if (rank == 0) {
    print_table(ways, repeat, n);
    printf("largest error %.3g, bound %.6g; bits are %s on all ranks\n", error, report.bound,
           same ? "the same" : "NOT the same");
    write_file(argv[3], "exact.f64", exact, n * sizeof *exact);
    write_file(argv[3], "stack.f32", y, n * sizeof *y);
  }
  free(x);
  free(y);
  free(exact);
  MPI_Finalize();
  return same && error <= report.bound ? 0 : 1;
}
