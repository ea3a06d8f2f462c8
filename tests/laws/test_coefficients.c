/* test_coefficients.c: the second layer of bricks: which bricks have coefficients, what becomes of
 * cheap ones, and integers of any size in both layers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "support.h"
#include <math.h>

/* Bytes of its only tile. */
static size_t tile_size(ref_bytes stream) {
  size_t size;
  ref_tile_at(stream.data, 0, &size);
  return size;
}

static uint64_t coefficients_in(ghz_context *ctx, ref_bytes s) {
  ghz_statistics statistics;
  succeeded(ghz_scan(ctx, view(s), &statistics), ctx, "scan");
  return statistics.coefficients;
}

/* ---- Where coefficients end ---- */
static const ghz_shape one_brick[] = {{2, {1, 32, 32}}, {3, {8, 8, 16}}};

/* Coefficients are taken if they save an eighth to the byte. */
Test(coefficients, that_just_pay) {
  static const struct {
    int dims;
    double amount, noise;
    uint64_t seed;
  } equal[] = {{2, 9, 0.6875, 147}, {2, 5, 0.6875, 19}, {3, 37, 0.75, 68}, {3, 5, 0.8125, 165}};
  POOL(pool);
  for (size_t k = 0; k < COUNT(equal); k++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++) {
      SCOPE;
      const ghz_shape *shape = &one_brick[equal[k].dims - 2];
      ghz_lattice l = lattice_abs((ghz_type)type, 0.5);
      uint64_t state = equal[k].seed;
      void *x = scratch(REF_TILE * ghz_type_size(l.type));
      for (int i = 0; i < REF_TILE; i++) {
        int arch = (i % 32 - 13) * (i % 32 - 9) + 30 * (i / 32);
        put_value(l.type, x, (size_t)i, equal[k].amount * arch / 128 + equal[k].noise * input_uniform(&state));
      }
      same_codec(&pool, &l, shape, GHZ_ORDER_BEST, x, "an eighth");
      ref_bytes with = compress_shape(pool.ctx[0], &l, GHZ_ORDER_BEST, x, shape),
                without = compress_shape(pool.ctx[0], &l, GHZ_ORDER_LORENZO, x, shape);
      cr_assert_eq(8 * tile_size(with), 7 * tile_size(without), "%zu and %zu bytes: another brick is needed",
                   tile_size(with), tile_size(without));
    }
}

/* ---- Which magnitudes they are for ---- */
/* The largest magnitude of a coarse tile. */
static double coarse_end(const ghz_lattice *l) {
  double room = (l->eb - l->step / 2) * 16252928;
  return l->type == GHZ_F64 ? 65536 * l->step : room;
}

/* An arch whose top is just that, and by less than any bound more in one place if it is beyond. */
static void *arch_below(ghz_type type, double end, int beyond) {
  void *x = scratch(REF_TILE * ghz_type_size(type));
  for (int i = 0; i < REF_TILE; i++)
    put_value(type, x, (size_t)i,
              end * (1 - ((i % 16 - 5) * (i % 16 - 5) + (i / 16 - 30) * (i / 16 - 30)) * 0x1p-16));
  if (beyond)
    put_value(type, x, 30 * 16 + 5,
              type == GHZ_F32 ? nextafterf((float)end, INFINITY) : nextafter(end, INFINITY));
  return x;
}

/* At most 2^18 steps, if those are coarse, and no more: of float64 2^16, of float32 0.98 * 2^17, and
 * more if there is an offset. */
Test(coefficients, largest_value) {
  POOL(pool);
  const struct {
    ghz_lattice l;
    double end;
  } of[] = {{lattice_abs(GHZ_F64, 0.25), 0x1p16},
            {lattice_abs(GHZ_F32, 0.25), 0.98 * 0x1p17},
            {lattice_offset(0.25, 0x1p19), 0x1p18},
            {lattice_offset(0.25, 0x1p21), 0x1p18}};
  for (size_t s = 0; s < COUNT(one_brick); s++)
    for (size_t k = 0; k < COUNT(of); k++)
      for (int beyond = 0; beyond < 2; beyond++) {
        SCOPE;
        const ghz_lattice *l = &of[k].l;
        double end = fmin(coarse_end(l), 0x1p18 * l->step);
        end = l->type == GHZ_F32 && (float)end > end ? nextafterf((float)end, 0) : end;
        cr_assert(fabs(end / l->step / of[k].end - 1) < 0.01, "%zu: %g steps", k, end / l->step);
        void *x = arch_below(l->type, end, beyond);
        same_codec(&pool, l, &one_brick[s], GHZ_ORDER_BEST, x,
                   say("lattice %zu, %s", k, beyond ? "beyond" : "at the end"));
        ref_bytes stream = compress_shape(pool.ctx[0], l, GHZ_ORDER_BEST, x, &one_brick[s]);
        cr_assert_eq(coefficients_in(pool.ctx[0], stream), !beyond, "lattice %zu, %s", k,
                     beyond ? "beyond" : "at the end");
      }
}

/* ---- Integers of any size ---- */
/* A number of at most `width` bits; often the largest or the least. */
static int64_t integer_of(int width, uint64_t *state) {
  int64_t most = ((int64_t)1 << (width - 1)) - 1;
  switch (input_below(state, 4)) {
  case 0: return most;
  case 1: return -most - 1;
  default: return (int64_t)(input_random(state) & (uint64_t)most) * (input_below(state, 2) ? 1 : -1);
  }
}

/* One brick whose layers have such widths; the first coefficient takes up to 64 bits. All of one
 * sign make the first value as large as it can be. */
static ref_bytes brick_of(const ref_header *h, int width, int anchor, uint64_t *state) {
  ref_tile *t = scratch(sizeof *t);
  uint8_t *tile = scratch(REF_TILE_ROOM);
  int q_width = 1 + (int)input_below(state, 17);
  uint64_t every = (uint64_t)1 << input_below(state, 10);
  int64_t all = input_below(state, 2) ? 0 : ((int64_t)1 << (width - 1)) - 1;
  memset(t, 0, sizeof *t);
  ref_tile_shape(h, 0, t);
  t->coefficients = 1;
  t->mode = (int)input_below(state, 6) % 4 % 3; /* mostly coarse */
  t->order = (int)input_below(state, h->dims == 3 ? 4 : 3);
  for (int i = 0; i < REF_TILE; i++) {
    t->c[i] = all ? all : input_below(state, every) == 0 ? integer_of(width, state) : 0;
    t->q[i] = ref_inside(t, i) && input_below(state, every) == 0 ? integer_of(q_width, state) : 0;
  }
  t->c[0] = anchor == 64 ? (int64_t)input_random(state) : integer_of(anchor, state);
  uint16_t size = (uint16_t)ref_tile_encode(h->type, t, tile);
  return ref_assemble(h, &size, tile);
}

/* Every second width, and all around 20: from there on the sum of the coefficients' magnitudes
 * passes 2^30, where float64 alone is not exact, and c0 of 64 bits wraps in sums. With few terms
 * float64 is tried. */
Test(coefficients, of_any_size, .timeout = 600) {
  static const int anchors[] = {1, 30, 31, 53, 64};
  static const ghz_shape shapes[] = {{3, {8, 8, 16}}, {2, {1, 32, 32}}, {3, {7, 8, 13}}};
  POOL(pool);
  uint64_t state = 9;
  for (size_t s = 0; s < COUNT(shapes); s++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++)
      for (int width = 1; width <= 44; width += 1 + (width > 2 && (width < 18 || width > 22)))
        for (size_t a = 0; a < COUNT(anchors); a++) {
          SCOPE;
          ghz_lattice l = lattice_abs((ghz_type)type, 0.37);
          l.cap = 35;
          ref_header h = header_shaped(&l, &shapes[s]);
          h.transform = 1;
          h.terms = (width + (int)a) % 2 && width <= 36 ? 8000 : 2000000; /* of few, integers fit 32 bits */
          ref_bytes two[2] = {brick_of(&h, width, anchors[a], &state), brick_of(&h, width, anchors[a], &state)};
          const char *what =
              say("%s, type %d, width %d, anchor of %d bits", shape_text(&shapes[s]), type, width, anchors[a]);
          cr_assert_eq(ref_check(two[0].data, two[0].size), REF_GOOD, "%s", what);
          ref_bytes both = ref_combine(2, two, (int64_t[]){1, -2}, REF_PLAIN, 1);
          for (size_t c = 0; c < pool.count; c++) {
            SCOPE;
            same_decoded(pool.ctx[c], two[0], what);
            same_bytes(combine(pool.ctx[c], 2, two, (int64_t[]){1, -2}), both, what);
          }
        }
}

/* The largest brick: widths at their limits in both layers, long anchors, NaN everywhere. */
static ref_bytes largest_brick(const ref_header *h) {
  ref_tile *t = scratch(sizeof *t);
  uint8_t *tile = scratch(REF_TILE_ROOM);
  memset(t, 0, sizeof *t);
  ref_tile_shape(h, 0, t);
  t->coefficients = 1;
  t->mode = REF_WIDE;
  t->order = 3;
  for (int i = 0; i < REF_TILE; i++) {
    int sign = (i + i / 16 + i / 128) % 2 ? -1 : 1;
    t->q[i] = sign * (((int64_t)1 << 58) - 1 - i);
    t->c[i] = sign * (((int64_t)1 << 45) - ((int64_t)1 << 23) - i);
    t->plus[i] = t->minus[i] = 1;
  }
  t->c[0] = INT64_MIN / 3;
  uint16_t size = (uint16_t)ref_tile_encode(h->type, t, tile);
  cr_assert(size > 14250 && size <= 14579, "%u bytes", size);
  return ref_assemble(h, &size, tile);
}

Test(coefficients, largest_brick_there_is) {
  POOL(pool);
  static const int64_t minus[] = {-1};
  ghz_shape shape = {3, {8, 8, 16}};
  ghz_lattice l = lattice_abs(GHZ_F32, 0.37);
  ref_header h = header_shaped(&l, &shape);
  h.transform = 1;
  h.terms = 8388607;
  ref_bytes s = largest_brick(&h), less = ref_combine(1, &s, minus, REF_PLAIN, 1);
  cr_assert_eq(ref_check(s.data, s.size), REF_GOOD);
  cr_assert_leq(s.size, ghz_shape_bound(&shape, GHZ_F32, h.terms));
  for (size_t c = 0; c < pool.count; c++) {
    SCOPE;
    same_decoded(pool.ctx[c], s, "the largest brick");
    same_bytes(negate(pool.ctx[c], s), less, "its negative");
    same_bytes(scale(pool.ctx[c], s, -3), ref_scale(s, -3), "scaled");
  }
}
