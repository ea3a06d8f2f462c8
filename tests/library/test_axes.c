/* test_axes.c: sums along axes: the exact ones, rounded once, with their counts, on every
 * instruction set and with any number of threads. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/numbers.h>

#include "crafted.h"
#include "damage.h"
#include "fields.h"
#include "reference_numbers.h"
#include "support.h"
#include <math.h>

TestSuite(axes, .timeout = 300);

enum { RANK = 5 };

/* An array of a rank. */
typedef struct array {
  size_t rank;
  uint64_t extent[32];
} array;

/* ---- The reference: every value is added to its place ---------------------------------------- */

typedef struct place_sum {
  big sum;
  uint64_t count;
} place_sum;

static uint64_t kept_places(const array *a, uint32_t axes) {
  uint64_t kept = 1;
  for (size_t i = 0; i < a->rank; i++)
    kept *= axes >> i & 1 ? 1 : a->extent[i];
  return kept;
}

/* Of the value number `at` in C order. */
static uint64_t place_among_kept(const array *a, uint32_t axes, uint64_t at) {
  uint64_t place = 0, stride = 1;
  for (size_t i = a->rank; i-- > 0; at /= a->extent[i])
    if (!(axes >> i & 1)) {
      place += at % a->extent[i] * stride;
      stride *= a->extent[i];
    }
  return place;
}

static place_sum *sums_of(const ref_number *v, uint64_t n, const array *a, uint32_t axes) {
  place_sum *sums = scratch((size_t)kept_places(a, axes) * sizeof *sums + 1);
  memset(sums, 0, (size_t)kept_places(a, axes) * sizeof *sums);
  for (uint64_t i = 0; i < n; i++) {
    place_sum *to = &sums[place_among_kept(a, axes, i)];
    if (v[i].special)
      continue;
    to->count++;
    to->sum = big_sum(&to->sum, &v[i].value);
  }
  return sums;
}

static void check_sums(ghz_context *ctx, ref_bytes stream, const array *a, uint32_t axes, const char *what) {
  SCOPE;
  const ghz_info info = info_of(stream);
  const size_t kept = (size_t)kept_places(a, axes);
  double *got = scratch(kept * sizeof *got), *again = scratch(kept * sizeof *got);
  uint64_t *counts = scratch(kept * sizeof *counts);
  const ref_number *held = scratch_held(ref_numbers(stream.data), free);
  const place_sum *want = sums_of(held, info.count, a, axes);
  succeeded(ghz_sum_axes(ctx, view(stream), a->rank, a->extent, axes, got, counts), ctx, what);
  for (size_t i = 0; i < kept; i++) {
    const exact_number exact = {want[i].sum, big_of_integer(1), 0, 0};
    cr_assert_eq(counts[i], want[i].count, "%s: %llu values at %zu, not %llu", what,
                 (unsigned long long)counts[i], i, (unsigned long long)want[i].count);
    cr_assert(is_nearest(&exact, got[i]), "%s: %a at %zu of %zu", what, got[i], i, kept);
  }
  succeeded(ghz_sum_axes(ctx, view(stream), a->rank, a->extent, axes, again, NULL), ctx, what);
  cr_assert_eq(memcmp(got, again, kept * sizeof *got), 0, "%s: without counts", what);
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

/* Extents that are joined in every way: to cubes, planes, and flat. */
static array array_any(uint64_t *state) {
  static const uint64_t sizes[] = {1, 2, 3, 5, 7, 8, 9, 16, 17, 20, 33, 40, 64, 100, 1100};
  array a = {.rank = 1 + (size_t)input_below(state, RANK)};
  uint64_t count = 1;
  for (size_t i = 0; i < a.rank; i++) {
    a.extent[i] = sizes[input_below(state, COUNT(sizes))];
    if (count * a.extent[i] > 12000)
      a.extent[i] = 1 + input_below(state, 3);
    count *= a.extent[i];
  }
  return a;
}

/* Fresh, of several terms, of as many as there may be, and scaled. */
static ref_bytes any_terms(ghz_context *ctx, const ghz_lattice *l, const ghz_shape *shape, uint64_t *state) {
  const ref_bytes a = stream_any(ctx, l, shape, state);
  const int64_t most = l->cap == 44 ? 16383 : 8388607;
  switch (input_below(state, 5)) {
  case 0: return combine(ctx, 1, &a, &most);
  case 1: return add(ctx, a, stream_any(ctx, l, shape, state));
  case 2: return mean(ctx, 3, (ref_bytes[]){a, stream_any(ctx, l, shape, state), a});
  default: return a;
  }
}

static void check_round(const context_pool *pool, uint64_t *state, int round) {
  SCOPE;
  const uint64_t before = *state;
  const array a = array_any(state);
  const ghz_lattice l = lattice_with_fill(state);
  ghz_shape shape;
  need(ghz_shape_make(a.rank, a.extent, &shape), "shape");
  const ref_bytes stream = any_terms(context_any(pool, state), &l, &shape, state);
  const uint32_t axes = (uint32_t)input_below(state, UINT64_C(1) << a.rank);
  check_sums(context_any(pool, state), stream, &a, axes,
             say("round %d, state %llx, rank %zu of %llu %llu %llu %llu %llu, axes %x, dims %d", round,
                 (unsigned long long)before, a.rank, (unsigned long long)a.extent[0],
                 (unsigned long long)a.extent[1], (unsigned long long)a.extent[2],
                 (unsigned long long)a.extent[3], (unsigned long long)a.extent[4], axes, shape.dims));
}

Test(axes, are_summed_exactly) {
  POOL(pool);
  uint64_t state = 5;
  for (int round = 0; round < effort(400); round++)
    check_round(&pool, &state, round);
}

/* Whole bricks with coefficients, along every set of axes, on every instruction set. */
Test(axes, of_whole_bricks) {
  POOL(pool);
  static const array arrays[] = {{3, {16, 16, 32}}, {2, {64, 64}}, {1, {3072}}, {3, {3, 32, 64}}};
  for (size_t i = 0; i < COUNT(arrays); i++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++)
      for (int kind = 0; kind < FIELD_KINDS; kind++) {
        SCOPE;
        const ghz_lattice l = lattice_abs((ghz_type)type, 0.01);
        ghz_shape shape;
        need(ghz_shape_make(arrays[i].rank, arrays[i].extent, &shape), "shape");
        const void *x = field_make((field_kind)kind, &l, &shape, kind == WAVES ? 3e4 : 200, i);
        const ref_bytes s = compress_shape(pool.ctx[0], &l, GHZ_ORDER_BEST, x, &shape),
                        many = combine(pool.ctx[0], 1, &s, (int64_t[]){-3000});
        for (uint32_t axes = 0; axes < 1U << arrays[i].rank; axes++) {
          ghz_context *ctx = pool.ctx[(axes + (unsigned)kind) % pool.count];
          check_sums(ctx, s, &arrays[i], axes, say("array %zu, kind %d, axes %x", i, kind, axes));
          check_sums(ctx, many, &arrays[i], axes, say("array %zu, kind %d, axes %x, many", i, kind, axes));
        }
      }
}

/* Integers of 2^44, as often as terms allow: 2^58 each, so that a few of them leave 64 bits, within
 * a tile, between tiles, and where an axis that is summed and one that is kept are joined. */
Test(axes, beyond_64_bits) {
  static const array arrays[] = {{1, {4096}},      {2, {64, 64}},       {2, {700, 3}},       {3, {64, 3, 5}},
                                 {3, {64, 8, 40}}, {4, {40, 8, 8, 16}}, {5, {3, 5, 4, 6, 7}}};
  POOL(pool);
  const int64_t most = 16383;
  ghz_lattice l;
  need(ghz_lattice_make(GHZ_I64, (ghz_bound){GHZ_STEP, 1}, 0, 0, &l), "lattice");
  for (size_t i = 0; i < COUNT(arrays); i++) {
    SCOPE;
    ghz_shape shape;
    need(ghz_shape_make(arrays[i].rank, arrays[i].extent, &shape), "shape");
    const size_t n = (size_t)ghz_shape_count(&shape);
    int64_t *x = scratch(n * sizeof *x);
    for (size_t k = 0; k < n; k++)
      x[k] = (INT64_C(1) << 44) - 1 - (int64_t)(k % 7);
    for (uint32_t k = 0; k < 2U << arrays[i].rank; k++) { /* with room for coefficients, and without */
      const int order = k % 2 ? GHZ_ORDER_BEST : GHZ_ORDER_LORENZO;
      const ref_bytes s = compress_shape(pool.ctx[0], &l, order, x, &shape),
                      many = combine(pool.ctx[0], 1, &s, &most);
      check_sums(pool.ctx[k % pool.count], many, &arrays[i], k / 2,
                 say("array %zu, order %d, axes %x", i, order, k / 2));
    }
  }
}

/* What no encoder writes: large coefficients, integers of 64 bits. */
Test(axes, of_crafted_streams) {
  POOL(pool);
  static const ghz_shape shapes[] = {
      {1, {1, 1, 1500}}, {2, {1, 40, 33}}, {2, {1, 32, 32}}, {3, {8, 8, 16}}, {3, {9, 8, 17}}};
  uint64_t state = 9;
  for (int round = 0; round < effort(60); round++)
    for (size_t i = 0; i < COUNT(shapes); i++) {
      SCOPE;
      const ghz_lattice l = lattice_with_fill(&state);
      ref_header h = header_shaped(&l, &shapes[i]);
      h.transform = shapes[i].dims > 1 && round % 2;
      h.terms = round % 3 ? 1 : 5000;
      const array a = {3, {shapes[i].extent[0], shapes[i].extent[1], shapes[i].extent[2]}};
      const ref_bytes s = crafted_streams(&h, &state).least;
      const uint32_t axes = (uint32_t)input_below(&state, 8);
      check_sums(context_any(&pool, &state), s, &a, axes, say("round %d, shape %zu, axes %x", round, i, axes));
    }
}

/* Several parts of one block, by several threads, and fast sums that are full. */
Test(axes, of_many_tiles) {
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  const array a = {2, {3, 200000}};
  enum { N = 600000 };
  CONTEXT(one, NULL, 1);
  CONTEXT(four, NULL, 4);
  const ref_bytes s = stream_of(one, &l, GHZ_ORDER_BEST, "wide_noise", N, 1),
                  many = combine(one, 1, &s, (int64_t[]){8388607});
  const ref_bytes each[] = {s, many};
  for (int k = 0; k < 2; k++)
    for (uint32_t axes = 0; axes < 4; axes++) {
      SCOPE;
      const size_t kept = (size_t)kept_places(&a, axes);
      const double *x = decompress(one, each[k], GHZ_F64);
      double *sums = scratch(2 * kept * sizeof *sums);
      long double *want = scratch(kept * sizeof *want);
      memset(want, 0, kept * sizeof *want);
      for (uint64_t i = 0; i < N; i++)
        want[place_among_kept(&a, axes, i)] += (long double)x[i];
      succeeded(ghz_sum_axes(one, view(each[k]), 2, a.extent, axes, sums, NULL), one, "one thread");
      succeeded(ghz_sum_axes(four, view(each[k]), 2, a.extent, axes, sums + kept, NULL), four, "four threads");
      cr_assert_eq(memcmp(sums, sums + kept, kept * sizeof *sums), 0, "axes %x: threads", axes);
      for (size_t i = 0; i < kept; i++)
        cr_assert(fabsl(sums[i] - want[i]) <= 1e-9L * (fabsl(want[i]) + 1e8L), "axes %x: %g, not %Lg", axes,
                  sums[i], want[i]);
    }
}

Test(axes, of_nothing) {
  CONTEXT(ctx, NULL, 1);
  const ghz_lattice l = lattice_abs(GHZ_F64, 0.01);
  const uint64_t extents[] = {5, 0, 7};
  ghz_shape shape;
  need(ghz_shape_make(3, extents, &shape), "shape");
  const ref_bytes none = compress_shape(ctx, &l, GHZ_ORDER_BEST, NULL, &shape);
  double sums[35];
  uint64_t counts[35];
  memset(sums, 1, sizeof sums);
  succeeded(ghz_sum_axes(ctx, view(none), 3, extents, 2, sums, counts), ctx, "along the axis of none");
  for (int i = 0; i < 35; i++)
    cr_assert(sums[i] == 0 && counts[i] == 0);
  succeeded(ghz_sum_axes(ctx, view(none), 3, extents, 1, sums, counts), ctx, "along another");
}

/* ---- What is refused ------------------------------------------------------------------------- */

Test(axes, refuse_what_is_wrong) {
  CONTEXT(ctx, NULL, 1);
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  const uint64_t extents[] = {20, 40, 50}, others[] = {40, 20, 50}, more[] = {20, 40, 50, 2};
  ghz_shape shape;
  static double sums[40000];
  need(ghz_shape_make(3, extents, &shape), "shape");
  const ref_bytes s = compress_shape(ctx, &l, GHZ_ORDER_BEST, field_make(WAVES, &l, &shape, 100, 1), &shape);
  ref_bytes cut = {s.data, s.size - 1};
#define REFUSED(status, words, stream, rank, extents, axes, to)                                                \
  says(ghz_sum_axes(ctx, view(stream), rank, extents, axes, to, NULL), status, ctx, words, words)
  REFUSED(GHZ_EINVAL, "axis 3 of 3", s, 3, extents, 9, sums);
  REFUSED(GHZ_EINVAL, "rank 0", s, 0, extents, 0, sums);
  REFUSED(GHZ_EINVAL, "rank 33", s, 33, extents, 0, sums);
  REFUSED(GHZ_EINVAL, "extents is NULL", s, 3, NULL, 1, sums);
  REFUSED(GHZ_EINVAL, "sums is NULL", s, 3, extents, 1, NULL);
  REFUSED(GHZ_EMISMATCH, "shape 20 x 40 x 50", s, 3, others, 1, sums);
  REFUSED(GHZ_EMISMATCH, "not those of the stream", s, 2, extents, 1, sums);
  REFUSED(GHZ_EMISMATCH, "not those of the stream", s, 4, more, 1, sums);
  REFUSED(GHZ_ECORRUPT, "header", cut, 3, extents, 1, sums);
  damage_tile(s, 11);
  damage_tile(s, 3);
  REFUSED(GHZ_ECORRUPT, "tile 3 is damaged", s, 3, extents, 1, sums);
  REFUSED(GHZ_ECORRUPT, "tile 3 is damaged", s, 3, extents, 6, sums);
}
