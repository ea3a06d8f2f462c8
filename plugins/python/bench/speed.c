/* speed.c: the C side of speed.py: for each letter that arrives does one operation, and answers
 * with the seconds of the processor that it took.
 *   usage: speed FILE.f32 Z Y X RELATIVE_BOUND
 * Letters: c compresses to new memory, d decompresses to new memory, o to the same as before. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <ghz/ghz.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void must(ghz_status status) {
  if (status == GHZ_OK)
    return;
  fprintf(stderr, "speed: %s\n", ghz_context_message(NULL));
  exit(1);
}

static float *load(const char *path, size_t count) {
  float *x = malloc(count * sizeof *x);
  FILE *f = fopen(path, "rb");
  if (!x || !f || fread(x, sizeof *x, count, f) != count)
    exit(1);
  fclose(f);
  return x;
}

typedef struct job {
  float *x, *back;
  ghz_shape shape;
  ghz_bound bound;
  void *stream;
  size_t size;
} job;

/* What the caller then frees is not part of the time, as in Python. */
static double run(job *j, int what) {
  void *made = NULL;
  size_t size = 0;
  const double begin = seconds();
  if (what == 'c')
    must(ghz_compress_alloc(NULL, GHZ_F32, j->bound, j->x, &j->shape, &made, &size));
  else if (what == 'd')
    must(ghz_decompress_alloc(NULL, (ghz_bytes){j->stream, j->size}, GHZ_F32, &made, &size));
  else
    must(ghz_decompress(NULL, (ghz_bytes){j->stream, j->size}, GHZ_F32, j->back,
                        (size_t)ghz_shape_count(&j->shape)));
  const double taken = seconds() - begin;
  free(made);
  return taken;
}

int main(int argc, char **argv) {
  job j = {.bound = {GHZ_REL, argc == 6 ? strtod(argv[5], NULL) : 0}};
  uint64_t extents[3] = {0};
  for (int i = 0; argc == 6 && i < 3; i++)
    extents[i] = strtoull(argv[2 + i], NULL, 10);
  must(ghz_shape_make(3, extents, &j.shape));
  j.x = load(argv[1], (size_t)ghz_shape_count(&j.shape));
  j.back = malloc((size_t)ghz_shape_count(&j.shape) * sizeof *j.back);
  must(ghz_compress_alloc(NULL, GHZ_F32, j.bound, j.x, &j.shape, &j.stream, &j.size));
  for (int what; (what = getchar()) != EOF;)
    if (what != '\n') {
      printf("%.9f\n", run(&j, what));
      fflush(stdout);
    }
  free(j.stream);
  free(j.back);
  free(j.x);
  return 0;
}
