/* calls.c: owns the time of calls by one thread: on small arrays, and of numbers from streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/numbers.h>

#include "codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 12, LEAST_BYTES = 32, MOST_OPERATIONS = 5 }; /* small arrays: 32 bytes to 64 KiB */

/* Values of both fields of a pair, from a third on, their streams, and room for results. */
typedef struct arrays {
  ghz_shape shape;
  ghz_lattice lattice; /* of the joint range */
  size_t n, room;
  const float *x[2];
  ghz_bytes packed[2];
  unsigned char *out;
  float *y[2];
} arrays;

typedef struct operation {
  const char *name;
  int operands; /* whose bytes a speed counts */
  void (*run)(ghz_context *ctx, const arrays *a);
} operation;

typedef struct suite {
  const char *unit;
  bool small;
  int n;
  operation operations[MOST_OPERATIONS];
} suite;

/* ---- Operations ------------------------------------------------------------------------------ */

static volatile double kept; /* so that no loop is left out */

static size_t pack(ghz_context *ctx, const arrays *a, int i) {
  size_t size;
  must(ghz_compress_shape(ctx, &a->lattice, GHZ_ORDER_BEST, a->x[i], &a->shape, a->out, a->room, &size),
       "ghz_compress_shape", ctx);
  return size;
}

static void unpack(ghz_context *ctx, const arrays *a, int i) {
  must(ghz_decompress(ctx, a->packed[i], GHZ_F32, a->y[i], a->n), "ghz_decompress", ctx);
}

static void compress(ghz_context *ctx, const arrays *a) {
  pack(ctx, a, 0);
}

static void decompress(ghz_context *ctx, const arrays *a) {
  unpack(ctx, a, 0);
}

static void add(ghz_context *ctx, const arrays *a) {
  size_t size;
  must(ghz_add(ctx, a->packed[0], a->packed[1], a->out, a->room, &size), "ghz_add", ctx);
}

static void moments(ghz_context *ctx, const arrays *a) {
  ghz_summary s;
  must(ghz_moments(ctx, a->packed[0], &s), "ghz_moments", ctx);
}

static void difference(ghz_context *ctx, const arrays *a) {
  ghz_comparison c;
  must(ghz_difference(ctx, a->packed[0], a->packed[1], &c), "ghz_difference", ctx);
}

/* Sums as a program would write them, in as many lanes as a compiler needs to use registers. */
static void loop_over_one(ghz_context *ctx, const arrays *a) {
  enum { LANES = 16 };
  double sum[LANES] = {0}, squares[LANES] = {0};
  unpack(ctx, a, 0);
  for (size_t i = 0; i + LANES <= a->n; i += LANES)
    for (size_t k = 0; k < LANES; k++) {
      const double y = (double)a->y[0][i + k];
      sum[k] += y;
      squares[k] += y * y;
    }
  for (int k = 0; k < LANES; k++)
    kept += sum[k] + squares[k];
}

static void loop_over_both(ghz_context *ctx, const arrays *a) {
  enum { LANES = 16 };
  double product[LANES] = {0}, squares[LANES] = {0}, largest[LANES] = {0};
  unpack(ctx, a, 0);
  unpack(ctx, a, 1);
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

static const suite small = {"microseconds a call",
                            true,
                            3,
                            {{"compress", 1, compress}, {"decompress", 1, decompress}, {"add", 1, add}}};
static const suite numbers = {"GB/s of original values",
                              false,
                              5,
                              {{"decompress", 1, decompress},
                               {"and a loop", 1, loop_over_one},
                               {"moments", 1, moments},
                               {"both, loop", 2, loop_over_both},
                               {"difference", 2, difference}}};

/* ---- Arrays ---------------------------------------------------------------------------------- */

static arrays make_arrays(ghz_context *ctx, const pair *p, ghz_shape shape, double bound) {
  arrays a = {
      .shape = shape, .n = (size_t)ghz_shape_count(&shape), .room = ghz_shape_bound(&shape, GHZ_F32, 2)};
  const size_t from = (p->a.n - a.n) / 3;
  double min[2], max[2];
  a.x[0] = p->a.x + from;
  a.x[1] = p->b.x + from;
  a.out = touched(a.room);
  for (int i = 0; i < 2; i++)
    must(ghz_range(ctx, GHZ_F32, a.x[i], a.n, &min[i], &max[i]), "ghz_range", ctx);
  must(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_REL, bound}, fmin(min[0], min[1]), fmax(max[0], max[1]),
                        &a.lattice),
       "ghz_lattice_make", ctx);
  for (int i = 0; i < 2; i++) {
    const size_t size = pack(ctx, &a, i);
    a.packed[i] = (ghz_bytes){memcpy(touched(size), a.out, size), size};
    a.y[i] = touched(a.n * sizeof *a.y[i]);
  }
  return a;
}

static void free_arrays(arrays *a) {
  for (int i = 0; i < 2; i++) {
    free((void *)(uintptr_t)a->packed[i].data);
    free(a->y[i]);
  }
  free(a->out);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* Seconds of a call; short ones are repeated for some 200 us. */
static double timed(const options *o, ghz_context *ctx, const arrays *a, const operation *op) {
  const int most = (int)(400000 / (a->n + 600)), calls = o->quick || most < 1 ? 1 : most;
  const double start = clock_seconds();
  for (int i = 0; i < calls; i++)
    op->run(ctx, a);
  return (clock_seconds() - start) / calls;
}

static void print_row(const options *o, const suite *s, const arrays *a, double seconds[][MAX_RUNS]) {
  printf(" %9zu", a->n * sizeof(float));
  for (int op = 0; op < s->n; op++) {
    const double middle = median(seconds[op], o->runs), bytes = (double)(a->n * sizeof(float));
    printf(" %10.3f", s->small ? 1e6 * middle : 1e-9 * bytes * s->operations[op].operands / middle);
  }
  printf("\n");
}

/* In each round all operations run on all arrays, in turn. */
static void measure(const options *o, const suite *s, const pair *p, ghz_context *ctx, double bound, arrays *a,
                    int count) {
  static double seconds[SIZES][MOST_OPERATIONS][MAX_RUNS];
  for (int round = -1; round < o->runs; round++) /* the first one warms up */
    for (int i = 0; i < count; i++)
      for (int op = 0; op < s->n; op++)
        seconds[i][op][round < 0 ? 0 : round] = timed(o, ctx, &a[i], &s->operations[op]);
  for (int i = 0; i < count; i++) {
    printf("%-32s %-6s %6.0e %-7s", p->name, a[i].shape.dims == 1 ? "flat" : "shaped", bound,
           ghz_context_isa(ctx));
    print_row(o, s, &a[i], seconds[i]);
    free_arrays(&a[i]);
  }
}

static void measure_pair(const options *o, const suite *s, const pair *p, ghz_context *ctx, double bound) {
  const ghz_shape shapes[2] = {ghz_flat(p->a.n), field_shape(&p->a)};
  arrays a[SIZES];
  int count = 0;
  if (s->small) {
    for (size_t n = LEAST_BYTES / sizeof(float); count < SIZES && n <= p->a.n; n *= 2)
      a[count++] = make_arrays(ctx, p, ghz_flat(n), bound);
    measure(o, s, p, ctx, bound, a, count);
    return;
  }
  for (int i = 0; i < 1 + (shapes[1].dims > 1); i++) {
    a[0] = make_arrays(ctx, p, shapes[i], bound);
    measure(o, s, p, ctx, bound, a, 1);
  }
}

void calls_run(const options *o, pair *pairs, int n_pairs) {
  const suite *s = o->small ? &small : &numbers;
  printf("libghz %s: %s, one thread, a warm context; medians of %d rounds.\n%-55s %9s", ghz_version(), s->unit,
         o->runs, "", "bytes");
  for (int op = 0; op < s->n; op++)
    printf(" %10s", s->operations[op].name);
  printf("\n");
  for (int i = 0; i < n_pairs; i++) {
    pair_load(&pairs[i]);
    for (int k = 0; k < o->isas.n; k++) {
      ghz_context *ctx = isa_context(o->isas.word[k], 1);
      for (int b = 0; ctx && b < o->bounds.n; b++)
        measure_pair(o, s, &pairs[i], ctx, o->bounds.x[b]);
      ghz_context_free(ctx);
    }
    pair_free(&pairs[i]);
  }
}
