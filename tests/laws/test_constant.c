/* test_constant.c: tiles of one value, which come back exactly (law L1) and are the same bytes
 * everywhere (L3). (That they add like all others: test_homomorphism.c; their numbers:
 * test_numbers.c, test_axes.c; parts of them: test_boxes.c.) */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "support.h"
#include <ghz/numbers.h>
#include <math.h>

static const double values[] = {273.15, -1e5 / 3, 1e-7, 0.1, -3e9, 1e30, 5, 0};
static const double bounds[] = {1e-6, 1e-3, 0.01, 0.5, 1, 1000, 1e6};
static const ghz_shape shapes[] = {{1, {1, 1, 1}},    {1, {1, 1, 2}},   {1, {1, 1, 5}},   {1, {1, 1, 1024}},
                                   {1, {1, 1, 5000}}, {3, {1, 1, 1}},   {3, {8, 8, 16}},  {3, {9, 11, 40}},
                                   {3, {16, 16, 32}}, {2, {1, 32, 32}}, {2, {3, 40, 70}}, {2, {1, 1, 1000}}};

/* The value everywhere; or NaN, infinities and, if the lattice has one, the fill at places. */
static void *one_value(const ghz_lattice *l, const ghz_shape *s, double value, int masked) {
  const size_t n = (size_t)ghz_shape_count(s);
  void *x = scratch(n * ghz_type_size(l->type));
  for (size_t i = 0; i < n; i++) {
    const int special = masked && i % 7 == 3;
    put_value(l->type, x, i, !special ? value : i % 3 == 0 ? (double)NAN : i % 3 == 1 ? -INFINITY : value);
    if (special && l->has_fill)
      put_value(l->type, x, i, l->fill);
  }
  return x;
}

/* What it should decompress to, in a type. */
static void *exactly(const ghz_lattice *l, const void *x, size_t n, ghz_type out) {
  void *y = scratch(n * ghz_type_size(out));
  for (size_t i = 0; i < n; i++)
    put_value(out, y, i, value_at(l->type, x, i));
  return y;
}

static void comes_back(const context_pool *pool, const ghz_lattice *l, const ghz_shape *s, double value,
                       int masked, int order) {
  SCOPE;
  const size_t n = (size_t)ghz_shape_count(s);
  const void *x = one_value(l, s, value, masked);
  const char *what = say("%g%s within %g, type %d, %s", value, masked ? " and specials" : "", l->eb,
                         (int)l->type, shape_text(s));
  const ref_bytes stream = same_codec(pool, l, s, order, x, what);
  const ghz_statistics st = scanned(stream);
  same_values(decompress(pool->ctx[0], stream, l->type), exactly(l, x, n, l->type), n, l->type, what);
  if (st.constant + st.raw + st.empty == info_of(stream).tiles) /* else rounding to float gives it */
    same_values(decompress(pool->ctx[0], stream, GHZ_F64), exactly(l, x, n, GHZ_F64), n, GHZ_F64, what);
}

/* Every bound, value and shape, at some order, on every instruction set, byte for byte as the
 * reference. */
Test(constant, every_one_comes_back, .timeout = 300) {
  POOL(pool);
  int turn = 0;
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t b = 0; b < COUNT(bounds); b++)
      for (size_t v = 0; v < COUNT(values); v++)
        for (size_t s = (b + v) % 3; s < COUNT(shapes); s += 3) {
          SCOPE;
          const double value = type == GHZ_F32 ? (double)(float)values[v] : values[v];
          const int masked = ++turn / 3 % 2, order = turn % (order_most(&shapes[s]) + 3) - 2;
          ghz_lattice l = lattice_abs((ghz_type)type, bounds[b]);
          if (turn % 3 == 0)
            succeeded(ghz_lattice_set_fill(&l, -999), NULL, "fill");
          comes_back(&pool, &l, &shapes[s], value, masked, order);
        }
}

/* In bricks of few values order 0 takes no more bytes than order 1. */
Test(constant, few_values_come_back) {
  POOL(pool);
  for (int i = 0; i < 96; i++) {
    const ghz_lattice l = lattice_abs(i % 2 ? GHZ_F32 : GHZ_F64, 1);
    const ghz_shape s = {2 + i / 2 % 2, {1, (uint64_t)(1 + i / 4 % 3), (uint64_t)(1 + i / 12)}};
    for (int k = 9; k < 16; k++)
      comes_back(&pool, &l, &s, -k / 8.0, 0, GHZ_ORDER_BEST);
  }
}

/* A tile that has another value anywhere is none of one value. */
Test(constant, not_with_another_value) {
  CONTEXT(ctx, NULL, 1);
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  float x[GHZ_TILE];
  for (int other = 0; other < GHZ_TILE; other += 31) {
    SCOPE;
    for (int i = 0; i < GHZ_TILE; i++)
      x[i] = 273.15f;
    x[other] = nextafterf(273.15f, 0);
    const ref_bytes s = compress(ctx, &l, GHZ_ORDER_BEST, x, GHZ_TILE);
    cr_assert(scanned(s).constant == 0 && scanned(s).order[1] == 1, "another one in place %d", other);
  }
}

/* ---- Damage ---- */
/* A tile of one value belongs to one term and to no grid, and its value is not the fill; all else
 * that may be wrong is among the tiles of support/damage.c. */
Test(constant, only_where_it_belongs) {
  static const uint8_t tile[] = {0x38, 0x66, 0x66, 0x26, 0x40, 0x05, 0x01, 5}; /* 2.6, near 5 half steps */
  ref_header h = {.type = REF_F32, .cap = 35, .n = 1000, .step = 0.5, .eb = 0.26, .terms = 1};
  CONTEXT(ctx, NULL, 1);
  for (int wrong = 0; wrong < 4; wrong++) {
    SCOPE;
    const uint16_t size = sizeof tile;
    float y[1000];
    h.terms = wrong == 1 ? 2 : 1;
    h.eb = wrong == 2 ? 0.2499999 : 0.26;
    h.has_fill = wrong == 3;
    h.fill = wrong == 3 ? (double)2.6f : 0;
    const ref_bytes s = ref_assemble(&h, &size, tile), room = bytes_new(1 << 16);
    const ghz_status want = wrong ? GHZ_ECORRUPT : GHZ_OK;
    ghz_statistics st;
    ghz_summary m;
    double min, max;
    size_t got;
    cr_assert_eq(ref_check(s.data, s.size), wrong ? REF_BAD : REF_GOOD, "case %d", wrong);
    cr_assert_eq(ghz_decompress(ctx, view(s), GHZ_F32, y, 1000), want, "case %d", wrong);
    cr_assert_eq(ghz_scan(ctx, view(s), &st), want, "case %d", wrong);
    cr_assert_eq(ghz_extrema(ctx, view(s), &min, &max), want, "case %d", wrong);
    cr_assert_eq(ghz_moments(ctx, view(s), &m), want, "case %d", wrong);
    cr_assert_eq(ghz_add(ctx, view(s), view(s), room.data, room.size, &got), want, "case %d", wrong);
    cr_assert_eq(ghz_negate(ctx, view(s), room.data, room.size, &got), want, "case %d", wrong);
    cr_assert(wrong || (y[0] == 2.6f && y[999] == 2.6f));
  }
}
