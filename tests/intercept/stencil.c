/* stencil.c: a program as users write them, that knows nothing of libghz: heat in a plate, and
 * averages over an ensemble. It uses each collective that can be intercepted, on fields, and some
 * on single values.
 *
 *   mpiexec -n R stencil float|double ROWS COLS STEPS FILE     (R divides ROWS)
 *
 * Rank 0 writes four arrays to FILE: the plate (ROWS x COLS), the sum and the maximum over the
 * ensemble (the same), and its block of the sum (ROWS / R x COLS). Fails if ranks have different
 * bits in what they should share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct plate {
  bool wide; /* double */
  MPI_Datatype type;
  size_t bytes; /* of a value */
  int rows, cols, steps;
  int rank, ranks, own; /* own: rows of this rank */
  int values, own_values;
} plate;

static void stop(const char *why) {
  fprintf(stderr, "stencil: %s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *field(const plate *p, int values) {
  void *f = calloc((size_t)values, p->bytes);
  if (!f)
    stop("out of memory");
  return f;
}

static double get(const plate *p, const void *f, int i) {
  return p->wide ? ((const double *)f)[i] : (double)((const float *)f)[i];
}

static void set(const plate *p, void *f, int i, double x) {
  if (p->wide)
    ((double *)f)[i] = x;
  else
    ((float *)f)[i] = (float)x;
}

static void *row(const plate *p, void *f, int i) { return (char *)f + (size_t)i * (size_t)p->cols * p->bytes; }

/* ---- The steps ---- */
static double start_at(double x, double y) {
  return sin(9 * x) * cos(7 * y) + exp(-40 * ((x - 0.3) * (x - 0.3) + (y - 0.6) * (y - 0.6)));
}

static double source_at(double x, double y) { return 0.5 * sin(4 * x + 3 * y); }

static void fill(const plate *p, void *f, double (*at)(double, double)) {
  for (int r = 0; r < p->rows; r++)
    for (int c = 0; c < p->cols; c++)
      set(p, f, r * p->cols + c, at((double)r / p->rows, (double)c / p->cols));
}

/* `slab` has a row more on either side. */
static void exchange(const plate *p, void *slab) {
  int up = p->rank > 0 ? p->rank - 1 : MPI_PROC_NULL,
      down = p->rank + 1 < p->ranks ? p->rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(row(p, slab, 1), p->cols, p->type, up, 0, row(p, slab, p->own + 1), p->cols, p->type, down, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(row(p, slab, p->own), p->cols, p->type, down, 1, row(p, slab, 0), p->cols, p->type, up, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The mean of a value and its neighbours, and source / 100. Returns the largest change. */
static double step(const plate *p, const void *from, void *to, const void *source) {
  double most = 0;
  for (int r = 1; r <= p->own; r++)
    for (int c = 0; c < p->cols; c++) {
      int i = r * p->cols + c, row_of_plate = p->rank * p->own + r - 1;
      double x = get(p, from, i);
      if (row_of_plate > 0 && row_of_plate < p->rows - 1 && c > 0 && c < p->cols - 1) {
        double around =
            get(p, from, i - 1) + get(p, from, i + 1) + get(p, from, i - p->cols) + get(p, from, i + p->cols);
        x = 0.2 * x + 0.2 * around + 0.01 * get(p, source, row_of_plate * p->cols + c);
      }
      set(p, to, i, x);
      most = fmax(most, fabs(x - get(p, from, i)));
    }
  return most;
}

/* The plate after all steps, on every rank. */
static void *diffuse(const plate *p) {
  void *start = field(p, p->values), *source = field(p, p->values);
  void *a = field(p, p->own_values + 2 * p->cols), *b = field(p, p->own_values + 2 * p->cols);
  if (p->rank == 0) {
    fill(p, start, start_at);
    fill(p, source, source_at);
  }
  MPI_Scatter(start, p->own_values, p->type, row(p, a, 1), p->own_values, p->type, 0, MPI_COMM_WORLD);
  MPI_Bcast(source, p->values, p->type, 0, MPI_COMM_WORLD);
  for (int s = 0; s < p->steps; s++) {
    double change, most;
    exchange(p, a);
    change = step(p, a, b, source);
    MPI_Allreduce(&change, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (!(most < 10))
      stop("diverged");
    void *swap = a;
    a = b;
    b = swap;
  }
  MPI_Allgather(row(p, a, 1), p->own_values, p->type, start, p->own_values, p->type, MPI_COMM_WORLD);
  free(source);
  free(a);
  free(b);
  return start;
}

/* ---- The ensemble: each rank has the plate times a weight of its own, of at most 1 ---- */
static void *member(const plate *p, const void *full) {
  void *own = field(p, p->values);
  for (int i = 0; i < p->values; i++)
    set(p, own, i, get(p, full, i) * (1 - 0.1 * p->rank) * (p->rank % 3 == 2 ? -1 : 1));
  return own;
}

static void check_shared(const plate *p, const void *f, const char *name) {
  uint64_t sum[2] = {0, 0}, other[2];
  const unsigned char *bytes = f;
  for (size_t i = 0; i < (size_t)p->values * p->bytes; i++)
    sum[0] = sum[0] * 1099511628211u + bytes[i];
  sum[1] = ~sum[0];
  MPI_Allreduce(sum, other, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (other[0] != sum[0] || other[1] != sum[1])
    stop(name);
}

static void save(const plate *p, FILE *f, const void *x, int values) {
  if (p->rank == 0 && fwrite(x, p->bytes, (size_t)values, f) != (size_t)values)
    stop("cannot write");
}

static void run(const plate *p, const char *name) {
  FILE *f = p->rank == 0 ? fopen(name, "wb") : NULL;
  if (p->rank == 0 && !f)
    stop("cannot open the output");
  void *full = diffuse(p), *own = member(p, full), *sum = field(p, p->values), *most = field(p, p->values);
  check_shared(p, full, "ranks have different plates");
  MPI_Allreduce(own, sum, p->values, p->type, MPI_SUM, MPI_COMM_WORLD);
  check_shared(p, sum, "ranks have different sums");
  MPI_Reduce(own, most, p->values, p->type, MPI_MAX, 0, MPI_COMM_WORLD);
  save(p, f, full, p->values);
  save(p, f, sum, p->values);
  save(p, f, most, p->values);
  MPI_Reduce_scatter_block(own, sum, p->own_values, p->type, MPI_SUM, MPI_COMM_WORLD);
  save(p, f, sum, p->own_values);
  if (f && fclose(f))
    stop("cannot write");
  free(full);
  free(own);
  free(sum);
  free(most);
}

static int number(const char *text) {
  char *end;
  long n = strtol(text, &end, 10);
  if (*end || end == text || n < 1 || n > 10000)
    stop("not a number from 1 to 10000");
  return (int)n;
}

int main(int argc, char **argv) {
  plate p = {0};
  setlocale(LC_ALL, ""); /* as programs with a window do */
  MPI_Init(&argc, &argv);
  if (argc != 6 || (strcmp(argv[1], "float") != 0 && strcmp(argv[1], "double") != 0))
    stop("usage: stencil float|double ROWS COLS STEPS FILE");
  p.wide = strcmp(argv[1], "double") == 0;
  p.type = p.wide ? MPI_DOUBLE : MPI_FLOAT;
  p.bytes = p.wide ? sizeof(double) : sizeof(float);
  p.rows = number(argv[2]);
  p.cols = number(argv[3]);
  p.steps = number(argv[4]);
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
  if (p.rows % p.ranks)
    stop("the ranks must divide the rows");
  p.own = p.rows / p.ranks;
  p.values = p.rows * p.cols;
  p.own_values = p.own * p.cols;
  run(&p, argv[5]);
  MPI_Finalize();
  return 0;
}
