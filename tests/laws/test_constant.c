/* test_constant.c: tiles of one value, which come back exactly (law L1) and are the same bytes
 * everywhere (L3). (That they add like all others: test_homomorphism.c.) */
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

/* Ranges, boxes and slices read such tiles; the extrema are the value; and it takes few bytes. */
Test(constant, is_read_in_parts) {
  CONTEXT(ctx, NULL, 1);
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  for (size_t s = 0; s < COUNT(shapes); s++) {
    SCOPE;
    const size_t n = (size_t)ghz_shape_count(&shapes[s]);
    const ref_bytes stream =
        compress_shape(ctx, &l, GHZ_ORDER_BEST, one_value(&l, &shapes[s], (double)273.15f, 0), &shapes[s]);
    const ghz_statistics st = scanned(stream);
    double min, max;
    float y[2] = {0, 0}, *box = scratch(n * sizeof *box);
    cr_assert(st.constant + st.raw == info_of(stream).tiles && (st.raw == 0 || n < 64), "%s",
              shape_text(&shapes[s]));
    cr_assert(n < 1024 || stream.size < 200 + 20 * (size_t)st.constant, "%zu bytes", stream.size);
    succeeded(ghz_extrema(ctx, view(stream), &min, &max), ctx, "extrema");
    cr_assert(min == (double)273.15f && max == min, "%a to %a", min, max);
    if (shapes[s].dims == 1 && n > 1) {
      succeeded(ghz_decompress_range(ctx, view(stream), GHZ_F32, n - 2, 2, y), ctx, "range");
      cr_assert(y[0] == 273.15f && y[1] == 273.15f);
    }
    const uint64_t *e = shapes[s].extent, origin[3] = {e[0] / 2, e[1] / 3, e[2] / 3},
                   extent[3] = {e[0] - origin[0], e[1] - origin[1], e[2] - origin[2]};
    succeeded(ghz_decompress_box(ctx, view(stream), GHZ_F32, origin, extent, box), ctx, "box");
    for (size_t i = 0; i < extent[0] * extent[1] * extent[2]; i++)
      cr_assert_eq(box[i], 273.15f, "%s, value %zu of the box: %a", shape_text(&shapes[s]), i, (double)box[i]);
    const ghz_slice slice = slice_of(stream, 0, info_of(stream).tiles);
    box[n - 1] = 0;
    succeeded(ghz_slice_decompress_into(ctx, &slice, GHZ_F32, box), ctx, "slice");
    cr_assert_eq(box[n - 1], 273.15f);
  }
}

/* A tile that has another value anywhere is none of one value; zeros stay empty, values of the
 * lattice stay as they were, and what lies outside of it stays raw. */
Test(constant, where_there_is_none) {
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
  static const float others[] = {0, -0.0f, (float)(0.01 * 2 * 0.984375), 1e30f};
  for (size_t o = 0; o < COUNT(others); o++) {
    SCOPE;
    const ghz_lattice own = o == 2 ? lattice_abs(GHZ_F32, 0.5) : l;
    for (int i = 0; i < GHZ_TILE; i++)
      x[i] = o == 2 ? 1000 * 0.984375f : others[o];
    const ghz_statistics st = scanned(compress(ctx, &own, GHZ_ORDER_BEST, x, GHZ_TILE));
    cr_assert(st.constant == 0 && st.empty == (o < 2) && st.order[1] == (o == 2) && st.raw == (o == 3),
              "case %zu", o);
  }
  const ghz_shape flat = ghz_flat(GHZ_TILE);
  const ghz_lattice all[] = {l, lattice_abs(GHZ_F64, 0.01)};
  for (int t = 0; t < 2; t++) {
    void *nothing = scratch(8 * GHZ_TILE);
    for (size_t i = 0; i < GHZ_TILE; i++)
      put_value(all[t].type, nothing, i, i % 2 ? (double)NAN : INFINITY);
    cr_assert_eq(scanned(compress_shape(ctx, &all[t], GHZ_ORDER_BEST, nothing, &flat)).constant, 0);
  }
}

/* ---- Numbers ---- */
static const ghz_shape operand_shapes[] = {{1, {1, 1, 20 * GHZ_TILE + 3}}, {3, {16, 24, 50}}, {2, {2, 64, 70}}};

/* The value counts as it is, without an error. */
Test(constant, numbers) {
  CONTEXT(ctx, NULL, 2);
  for (size_t s = 0; s < COUNT(operand_shapes); s++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++) {
      SCOPE;
      const ghz_lattice l = lattice_abs((ghz_type)type, 0.01);
      const double value = type == GHZ_F32 ? (double)273.15f : 273.15;
      const ref_bytes a = compress_shape(ctx, &l, GHZ_ORDER_BEST, one_value(&l, &operand_shapes[s], value, 1),
                                         &operand_shapes[s]),
                      b = compress_shape(ctx, &l, GHZ_ORDER_BEST, one_value(&l, &operand_shapes[s], 270, 0),
                                         &operand_shapes[s]);
      ghz_summary m;
      ghz_comparison d;
      succeeded(ghz_moments(ctx, view(a), &m), ctx, "moments");
      cr_assert(m.mean.value == value && m.mean.low == value && m.mean.high == value, "mean %a", m.mean.value);
      cr_assert(m.variance.high == 0 && m.specials > 0 && m.count + m.specials == info_of(a).count);
      succeeded(ghz_difference(ctx, view(a), view(b), &d), ctx, "difference");
      cr_assert(d.largest.low == value - 270 && d.largest.high == d.largest.low, "largest %a", d.largest.value);
    }
}

Test(constant, sums_along_axes) {
  CONTEXT(ctx, NULL, 2);
  const uint64_t extents[3] = {9, 16, 50};
  const ghz_shape shape = {3, {9, 16, 50}};
  const ghz_lattice l = lattice_abs(GHZ_F64, 0.01);
  const ref_bytes s = compress_shape(ctx, &l, GHZ_ORDER_BEST, one_value(&l, &shape, 273.125, 0), &shape);
  double sums[9 * 16];
  cr_assert_gt(scanned(s).constant, 0);
  succeeded(ghz_sum_axes(ctx, view(s), 3, extents, 4, sums, NULL), ctx, "sums along x");
  for (int i = 0; i < 9 * 16; i++)
    cr_assert_eq(sums[i], 50 * 273.125, "sum %d: %a", i, sums[i]);
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
