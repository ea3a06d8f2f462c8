/* test_codec.c: laws L1 and L3 of one array: the bytes and values of the reference codec from every
 * instruction set and thread count, within the bound. Every input meets every bound in each type,
 * and every shape, order and fill. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "support.h"
#include <math.h>

/* Usual ones, and those at the ends of what there is. */
static const double bounds[] = {1e-45, 1e-38,  1e-37,    4e-37,  1e-30,  1e-7,  1e-3,  0.02,
                                0.1,   0.37,   1,        700,    3e5,    1e30,  5e35,  1e36,
                                1e38,  1e-310, 4.9e-324, 1e-301, 1e-300, 1e300, 1e301, 1.7e308};
static const double amounts[] = {40, 1000, 60000, 1e6, 1e10};
static const uint64_t lengths[] = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 1000, 1023, 1024, 1025};
enum { FIELDS = FIELD_KINDS * COUNT(amounts), BOUNDS = COUNT(bounds) + 1 };

/* The last is that of a constant, which has no coefficients. */
static ghz_lattice lattice_of(ghz_type type, size_t bound) {
  ghz_lattice l;
  if (bound < COUNT(bounds))
    return lattice_abs(type, bounds[bound]);
  need(ghz_lattice_make(type, (ghz_bound){GHZ_REL, 1e-3}, 2.5, 2.5, &l), "constant");
  return l;
}

static ghz_shape shape_of(size_t i, int field) {
  i %= field_shape_count + (field ? 0 : COUNT(lengths));
  return i < field_shape_count ? field_shapes[i] : ghz_flat(lengths[i - field_shape_count]);
}

/* Fields first; then what has ties, thresholds of modes, specials and random bits. */
static void *values_of(size_t in, const ghz_lattice *l, const ghz_shape *s, uint64_t seed) {
  const size_t n = (size_t)ghz_shape_count(s);
  if (in < FIELDS)
    return field_make((field_kind)(in % FIELD_KINDS), l, s, amounts[in / FIELD_KINDS], seed);
  void *x = input_make(&inputs[in - FIELDS], l->type, n, l->step, seed);
  plant_fill(l, x, n, seed);
  return x;
}

static const char *name_of(size_t in) {
  return in < FIELDS ? say("field %zu, %g steps", in % FIELD_KINDS, amounts[in / FIELD_KINDS])
                     : inputs[in - FIELDS].name;
}

/* Tiles with coefficients, and turned ones. */
static void count_kinds(ghz_context *ctx, ref_bytes s, uint64_t kinds[2]) {
  ghz_statistics st;
  succeeded(ghz_scan(ctx, view(s), &st), ctx, "scan");
  kinds[0] += st.coefficients;
  kinds[1] += st.turned;
}

Test(codec, every_input, .timeout = 600) {
  POOL(pool);
  uint64_t kinds[2] = {0};
  uint64_t state = 7;
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t in = 0; in < FIELDS + input_count; in++)
      for (size_t b = 0; b < BOUNDS; b++) {
        const int field = in < FIELDS;
        if ((field && (in + b) % 2) || input_below(&state, one_in())) /* fields take longer */
          continue;
        SCOPE;
        const ghz_shape s = shape_of((in + b) / (field ? 2 : 1) + (size_t)type * BOUNDS, field);
        const ghz_lattice l = filled(
            field && b % 4 ? lattice_abs((ghz_type)type, 0.37) : lattice_of((ghz_type)type, b), in / 7 + b);
        const int orders = order_most(&s) + 3, choice = (int)(in / 5 + b) % (4 * orders),
                  order = choice < orders || !field ? choice % orders - 2 : GHZ_ORDER_BEST;
        void *x = values_of(in, &l, &s, in + b);
        same_codec(&pool, &l, &s, order, x, say("%s, bound %zu", name_of(in), b));
        count_kinds(pool.ctx[0], compress_shape(pool.ctx[0], &l, order, x, &s), kinds);
      }
  cr_assert(kinds[0] > 100 / one_in() && kinds[1] > 10 / one_in(), "%d with coefficients, %d turned",
            (int)kinds[0], (int)kinds[1]);
}

/* A chunk has 16 tiles. */
Test(codec, ends_of_chunks) {
  POOL(pool);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (int order = GHZ_ORDER_LORENZO; order <= 2; order++)
      for (uint64_t n = GHZ_CHUNK - 1; n <= GHZ_CHUNK + 1; n++) {
        SCOPE;
        const ghz_lattice l = lattice_abs((ghz_type)type, 1e-3);
        const ghz_shape s = ghz_flat(n);
        same_codec(&pool, &l, &s, order, input_make(&inputs[0], l.type, (size_t)n, l.step, n),
                   "the end of a chunk");
      }
}

/* One special a tile: each byte of the planes has a tile in which it alone says which. */
Test(codec, specials_alone) {
  static const double specials[] = {INFINITY, -INFINITY, (double)NAN};
  POOL(pool);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t k = 0; k < COUNT(specials); k++) {
      SCOPE;
      const ghz_lattice l = lattice_abs((ghz_type)type, 1e-3);
      const ghz_shape s = ghz_flat(128 * 1024);
      void *x = field_make(WAVES, &l, &s, 1000, k);
      for (size_t t = 0; t < 128; t++)
        put_value(l.type, x, 1024 * t + 8 * t + t % 8, specials[k]);
      same_codec(&pool, &l, &s, GHZ_ORDER_BEST, x, say("a special %g alone", specials[k]));
    }
}
