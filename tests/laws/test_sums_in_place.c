/* test_sums_in_place.c: accumulators that several threads add to, of streams and of values; nothing
 * changed by a call that fails. (The bytes of every kind of sum: test_homomorphism.c.) */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "damage.h"
#include "support.h"

enum { TERMS = 5 };

/* ---- What they are held against ---- */
/* An accumulator, with room for TERMS terms. */
typedef struct sum {
  ref_bytes memory;
  size_t size;
} accumulator;

static accumulator accumulator_make(const ghz_shape *shape, ghz_type type) {
  return (accumulator){bytes_new(ghz_shape_bound(shape, type, TERMS)), 0};
}

static ref_bytes content(const accumulator *a) { return (ref_bytes){a->memory.data, a->size}; }

static void add_values(ghz_context *ctx, const ghz_lattice *l, int order, const void *x, const ghz_shape *shape,
                       accumulator *a) {
  succeeded(ghz_accumulate_values(ctx, l, order, x, shape, a->memory.data, a->memory.size, &a->size), ctx,
            "accumulate_values");
}

static void add_stream(ghz_context *ctx, ref_bytes x, accumulator *a) {
  succeeded(ghz_accumulate(ctx, a->memory.data, a->memory.size, &a->size, view(x)), ctx, "accumulate");
}

/* Both ways, term after term. */
static void check(ghz_context *ctx, const ghz_lattice *l, int order, void *const x[TERMS],
                  const ghz_shape *shape, const char *what) {
  SCOPE;
  accumulator fused = accumulator_make(shape, l->type), apart = accumulator_make(shape, l->type);
  for (int i = 0; i < TERMS; i++) {
    SCOPE;
    ref_bytes compressed = bytes_new(ghz_shape_bound(shape, l->type, 1));
    succeeded(
        ghz_compress_shape(ctx, l, order, x[i], shape, compressed.data, compressed.size, &compressed.size), ctx,
        "compress");
    add_values(ctx, l, order, x[i], shape, &fused);
    add_stream(ctx, compressed, &apart);
    same_bytes(content(&fused), content(&apart), say("%s, order %d, term %d", what, order, i));
  }
  cr_assert_eq(info_of(content(&fused)).terms, TERMS);
}

/* ---- The same bytes ---- */
/* Many groups of chunks: several threads, each with a tile of its own. */
Test(sums_in_place, several_threads, .timeout = 120) {
  enum { MANY_VALUES = 40 * GHZ_CHUNK + 77 };
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  const ghz_shape shape = ghz_flat(MANY_VALUES);
  void *x[TERMS];
  for (int i = 0; i < TERMS; i++)
    x[i] = input_make(input_named(i % 2 ? "mixture" : "walk"), GHZ_F32, MANY_VALUES, l.step, (uint64_t)i);
  for (int threads = 1; threads <= 4; threads++) {
    CONTEXT(ctx, NULL, threads);
    check(ctx, &l, GHZ_ORDER_BEST, x, &shape, say("%d threads", threads));
  }
}

/* ---- Errors ---- */
static void refused(ghz_context *ctx, accumulator *a, ghz_status got, ghz_status wanted, const char *words) {
  cr_expect_eq(got, wanted, "%s: %s", words, ghz_status_text(got));
  cr_expect(strstr(ghz_context_message(ctx), words), "'%s' is not in '%s'", words, ghz_context_message(ctx));
  (void)a;
}

Test(sums_in_place, errors) {
  CONTEXT(ctx, NULL, 1);
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01), other = lattice_abs(GHZ_F32, 0.02);
  const ghz_shape shape = ghz_flat(3000), shorter = ghz_flat(2999), none = {7, {1, 1, 3000}};
  void *x = input_make(input_named("random_bits"), GHZ_F32, 3000, 1, 1);
  accumulator a = accumulator_make(&shape, GHZ_F32);
  add_stream(ctx, stream_of(ctx, &l, GHZ_ORDER_BEST, "walk", 3000, 1), &a);
  const ref_bytes before = bytes_copy(a.memory.data, a.size), broken = bytes_copy(a.memory.data, a.size);
  void *acc = a.memory.data;
  const size_t room = a.memory.size;
#define REFUSED(status, words, lattice, order, x, shape, acc, room, size)                                      \
  refused(ctx, &a, ghz_accumulate_values(ctx, lattice, order, x, shape, acc, room, size), status, words)
  REFUSED(GHZ_EMISMATCH, "step", &other, -1, x, &shape, acc, room, &a.size);
  REFUSED(GHZ_EMISMATCH, "2999 values in operand 1", &l, -1, x, &shorter, acc, room, &a.size);
  REFUSED(GHZ_EINVAL, "no shape", &l, -1, x, &none, acc, room, &a.size);
  REFUSED(GHZ_EINVAL, "shape is NULL", &l, -1, x, NULL, acc, room, &a.size);
  REFUSED(GHZ_EINVAL, "lattice is NULL", NULL, -1, x, &shape, acc, room, &a.size);
  REFUSED(GHZ_EINVAL, "x is NULL", &l, -1, NULL, &shape, acc, room, &a.size);
  REFUSED(GHZ_EINVAL, "order 3", &l, 3, x, &shape, acc, room, &a.size);
  REFUSED(GHZ_EINVAL, "acc is NULL", &l, -1, x, &shape, NULL, room, &a.size);
  REFUSED(GHZ_EINVAL, "size is NULL", &l, -1, x, &shape, acc, room, NULL);
  REFUSED(GHZ_EINVAL, "exceeds capacity", &l, -1, x, &shape, acc, a.size - 1, &a.size);
  REFUSED(GHZ_ECAPACITY, "does not fit", &l, -1, x, &shape, acc, a.size, &a.size);
  refused(ctx, &a, ghz_accumulate(ctx, acc, room, &a.size, (ghz_bytes){before.data, before.size - 1}),
          GHZ_ECORRUPT, "header");
  damage_tile(broken, 1);
  refused(ctx, &a, ghz_accumulate(ctx, acc, room, &a.size, view(broken)), GHZ_ECORRUPT, "tile 1 is damaged");
  same_bytes(content(&a), before, "the accumulator after errors");
  a.memory.data[64 + 16] ^= 1; /* in the index */
  refused(ctx, &a, ghz_accumulate_values(ctx, &l, -1, x, &shape, acc, room, &a.size), GHZ_ECORRUPT, "chunk 0");
}

/* An empty accumulator that is too small stays empty. */
Test(sums_in_place, no_room_for_the_first) {
  CONTEXT(ctx, NULL, 1);
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  const ghz_shape shape = ghz_flat(3000);
  const ref_bytes x = stream_of(ctx, &l, GHZ_ORDER_BEST, "walk", 3000, 1);
  void *values = input_make(input_named("walk"), GHZ_F32, 3000, l.step, 1);
  uint8_t *acc = scratch(x.size - 1);
  size_t size = 0;
  cr_assert_eq(ghz_accumulate(ctx, acc, x.size - 1, &size, view(x)), GHZ_ECAPACITY);
  cr_assert_eq(size, 0);
  cr_assert_eq(ghz_accumulate_values(ctx, &l, -1, values, &shape, acc, x.size - 1, &size), GHZ_ECAPACITY);
  cr_assert_eq(size, 0);
  x.data[x.size / 2] ^= 0xff;
  uint8_t *more = scratch(2 * x.size);
  ghz_status status = ghz_accumulate(ctx, more, 2 * x.size, &size, (ghz_bytes){x.data, x.size - 1});
  cr_assert(status == GHZ_ECORRUPT && size == 0, "damage does not begin a sum");
}
