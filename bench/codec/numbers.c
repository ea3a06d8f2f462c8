/* numbers.c: owns the speed of numbers from streams, beside decompression and a loop over the
 * values: one thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/numbers.h>

#include "codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_OPS = 5 };

static const char *const number_operations[NUMBER_OPS] = {"decompress", "and a loop", "moments", "both, loop",
                                                          "difference"};

/* Two arrays as streams, and room for their values. */
typedef struct number_arrays {
  size_t n;
  ghz_bytes packed[2];
  float *y[2];
} number_arrays;

static volatile double kept; /* so that no loop is left out */

static void must(ghz_status status, const char *what) {
  if (status != GHZ_OK)
    die(what, ghz_status_text(status));
}

static number_arrays make_arrays(ghz_context *ctx, const pair *p, const ghz_shape *shape, double bound) {
  number_arrays a = {.n = p->a.n};
  const size_t room = ghz_shape_bound(shape, GHZ_F32, 1);
  const float *x[2] = {p->a.x, p->b.x};
  double min[2], max[2];
  ghz_lattice lattice;
  for (int i = 0; i < 2; i++)
    must(ghz_range(ctx, GHZ_F32, x[i], a.n, &min[i], &max[i]), "ghz_range");
  must(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_REL, bound}, fmin(min[0], min[1]), fmax(max[0], max[1]),
                        &lattice),
       "ghz_lattice_make");
  for (int i = 0; i < 2; i++) {
    void *stream = touched(room);
    must(ghz_compress_shape(ctx, &lattice, GHZ_ORDER_BEST, x[i], shape, stream, room, &a.packed[i].size),
         "ghz_compress_shape");
    a.packed[i].data = stream;
    a.y[i] = touched(a.n * sizeof *a.y[i]);
  }
  return a;
}

static void free_arrays(number_arrays *a) {
  for (int i = 0; i < 2; i++) {
    free((void *)(uintptr_t)a->packed[i].data);
    free(a->y[i]);
  }
}

/* Sums as a program would write them, in as many lanes as a compiler needs to use registers. */
static void loop_over_one(const number_arrays *a) {
  enum { LANES = 16 };
  double sum[LANES] = {0}, squares[LANES] = {0};
  for (size_t i = 0; i + LANES <= a->n; i += LANES)
    for (size_t k = 0; k < LANES; k++) {
      const double y = (double)a->y[0][i + k];
      sum[k] += y;
      squares[k] += y * y;
    }
  for (int k = 0; k < LANES; k++)
    kept += sum[k] + squares[k];
}

static void loop_over_both(const number_arrays *a) {
  enum { LANES = 16 };
  double product[LANES] = {0}, squares[LANES] = {0}, largest[LANES] = {0};
  for (size_t i = 0; i + LANES <= a->n; i += LANES)
    for (size_t k = 0; k < LANES; k++) {
      const double x = (double)a->y[0][i + k], y = (double)a->y[1][i + k], d = fabs(x - y);
      product[k] += x * y;
      squares[k] += d * d;
      largest[k] = d > largest[k] ? d : largest[k];
    }
  for (int k = 0; k < LANES; k++)
    kept += product[k] + squares[k] + largest[k];
}

static void call(ghz_context *ctx, const number_arrays *a, int operation) {
  ghz_summary s;
  ghz_comparison c;
  for (int i = 0; i < 1 + (operation == 3) && operation != 2 && operation != 4; i++)
    must(ghz_decompress(ctx, a->packed[i], GHZ_F32, a->y[i], a->n), "ghz_decompress");
  if (operation == 1)
    loop_over_one(a);
  else if (operation == 2)
    must(ghz_moments(ctx, a->packed[0], &s), "ghz_moments");
  else if (operation == 3)
    loop_over_both(a);
  else if (operation == 4)
    must(ghz_difference(ctx, a->packed[0], a->packed[1], &c), "ghz_difference");
}

/* GB/s of original values, of one array or of both. */
static double timed(ghz_context *ctx, const number_arrays *a, int operation) {
  const double start = clock_seconds();
  call(ctx, a, operation);
  return 1e-9 * (double)(a->n * sizeof(float)) * (operation < 3 ? 1 : 2) / (clock_seconds() - start);
}

static void measure(const options *o, const pair *p, ghz_context *ctx, const ghz_shape *shape, double bound) {
  static double speed[NUMBER_OPS][MAX_RUNS];
  number_arrays a = make_arrays(ctx, p, shape, bound);
  for (int round = -1; round < o->runs; round++) /* the first one warms up */
    for (int op = 0; op < NUMBER_OPS; op++)
      speed[op][round < 0 ? 0 : round] = timed(ctx, &a, op);
  printf("%-32s %-6s %6.0e %-7s", p->name, shape->dims == 1 ? "flat" : "shaped", bound, ghz_context_isa(ctx));
  for (int op = 0; op < NUMBER_OPS; op++)
    printf(" %10.2f", median(speed[op], o->runs));
  printf("\n");
  free_arrays(&a);
}

static void measure_pair(const options *o, const pair *p, const char *isa) {
  const ghz_shape shapes[2] = {ghz_flat(p->a.n), field_shape(&p->a)};
  ghz_context *ctx = isa_context(isa, 1);
  if (!ctx)
    return;
  for (int i = 0; i < 1 + (shapes[1].dims > 1); i++)
    for (int b = 0; b < o->bounds.n; b++)
      measure(o, p, ctx, &shapes[i], o->bounds.x[b]);
  ghz_context_free(ctx);
}

void numbers_run(const options *o, pair *pairs, int n_pairs) {
  printf("libghz %s: GB/s of original values, one thread, medians of %d rounds.\n%-55s", ghz_version(), o->runs,
         "");
  for (int op = 0; op < NUMBER_OPS; op++)
    printf(" %10s", number_operations[op]);
  printf("\n");
  for (int i = 0; i < n_pairs; i++) {
    pair_load(&pairs[i]);
    for (int k = 0; k < o->isas.n; k++)
      measure_pair(o, &pairs[i], o->isas.word[k]);
    pair_free(&pairs[i]);
  }
}
