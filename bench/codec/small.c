/* small.c: owns the time of a call on small arrays: one thread, a context that is warm. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_SIZES = 12, SMALL_OPS = 3, LEAST_BYTES = 32 }; /* 32 bytes to 64 KiB */

static const char *const small_operations[SMALL_OPS] = {"compress", "decompress", "add"};

/* Values of a field, from its first third on, and their streams. The bound is relative to their
 * joint range. */
typedef struct small_array {
  const float *x;
  size_t n, room, size[2];
  unsigned char *packed[2], *out;
  float *y;
  ghz_lattice lattice;
} small_array;

static void must(ghz_status status, const char *what) {
  if (status != GHZ_OK)
    die(what, ghz_status_text(status));
}

static void pack(ghz_context *ctx, const small_array *a, const float *x, unsigned char *dst, size_t *size) {
  must(ghz_compress(ctx, &a->lattice, GHZ_ORDER_BEST, x, a->n, dst, a->room, size), "ghz_compress");
}

static small_array make_array(ghz_context *ctx, const pair *p, size_t n, double bound) {
  small_array a = {.n = n, .room = ghz_size_bound(n, GHZ_F32, 2)};
  const size_t from = (p->a.n - n) / 3;
  double min[2], max[2];
  for (int i = 0; i < 2; i++)
    must(ghz_range(ctx, GHZ_F32, (i ? p->b.x : p->a.x) + from, n, &min[i], &max[i]), "ghz_range");
  must(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_REL, bound}, fmin(min[0], min[1]), fmax(max[0], max[1]),
                        &a.lattice),
       "ghz_lattice_make");
  a.x = p->a.x + from;
  a.y = touched(n * sizeof *a.y);
  a.out = touched(a.room);
  for (int i = 0; i < 2; i++) {
    unsigned char *stream = touched(a.room);
    pack(ctx, &a, (i ? p->b.x : p->a.x) + from, stream, &a.size[i]);
    a.packed[i] = touched(a.size[i]); /* no room behind it, as where a program has just a stream */
    memcpy(a.packed[i], stream, a.size[i]);
    free(stream);
  }
  return a;
}

static void free_array(small_array *a) {
  free(a->packed[0]);
  free(a->packed[1]);
  free(a->out);
  free(a->y);
}

static void call(ghz_context *ctx, const small_array *a, int operation) {
  const ghz_bytes first = {a->packed[0], a->size[0]}, second = {a->packed[1], a->size[1]};
  size_t size;
  if (operation == 0)
    pack(ctx, a, a->x, a->out, &size);
  else if (operation == 1)
    must(ghz_decompress(ctx, first, GHZ_F32, a->y, a->n), "ghz_decompress");
  else
    must(ghz_add(ctx, first, second, a->out, a->room, &size), "ghz_add");
}

/* Microseconds a call, of some 200 us of calls. */
static double timed(ghz_context *ctx, const small_array *a, int operation, bool quick) {
  const int calls = quick ? 10 : (int)(400000 / (a->n + 600));
  const double start = clock_seconds();
  for (int i = 0; i < calls; i++)
    call(ctx, a, operation);
  return 1e6 * (clock_seconds() - start) / calls;
}

static void measure_arrays(const options *o, const pair *p, ghz_context *ctx, double bound, int sizes) {
  static double us[SMALL_SIZES][SMALL_OPS][MAX_RUNS];
  small_array arrays[SMALL_SIZES];
  for (int s = 0; s < sizes; s++)
    arrays[s] = make_array(ctx, p, (size_t)LEAST_BYTES / sizeof(float) << s, bound);
  for (int round = -1; round < o->runs; round++) /* the first one warms up */
    for (int s = 0; s < sizes; s++)
      for (int op = 0; op < SMALL_OPS; op++)
        us[s][op][round < 0 ? 0 : round] = timed(ctx, &arrays[s], op, o->quick);
  for (int s = 0; s < sizes; s++) {
    printf("  %8zu", arrays[s].n * sizeof(float));
    for (int op = 0; op < SMALL_OPS; op++)
      printf(" %11.3f", median(us[s][op], o->runs));
    printf("\n");
    free_array(&arrays[s]);
  }
}

/* All sizes up to that of the field, with one instruction set, if the machine has it. */
static void measure_pair(const options *o, const pair *p, const char *isa, double bound) {
  int sizes = 0;
  ghz_context *ctx = isa_context(isa, 1);
  if (!ctx)
    return;
  while (sizes < SMALL_SIZES && (size_t)LEAST_BYTES / sizeof(float) << sizes <= p->a.n)
    sizes++;
  printf("\n%s, bound %.0e of the range, %s\n  %8s", p->name, bound, isa, "bytes");
  for (int op = 0; op < SMALL_OPS; op++)
    printf(" %11s", small_operations[op]);
  printf("\n");
  measure_arrays(o, p, ctx, bound, sizes);
  ghz_context_free(ctx);
}

void small_run(const options *o, pair *pairs, int n_pairs) {
  printf("libghz %s: microseconds a call, one thread, a warm context; medians of %d rounds.\n", ghz_version(),
         o->runs);
  for (int i = 0; i < n_pairs; i++) {
    pair_load(&pairs[i]);
    for (int k = 0; k < o->isas.n; k++)
      for (int b = 0; b < o->bounds.n; b++)
        measure_pair(o, &pairs[i], o->isas.word[k], o->bounds.x[b]);
    pair_free(&pairs[i]);
  }
}
