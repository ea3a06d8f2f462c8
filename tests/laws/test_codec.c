/* test_codec.c: laws L1 and L3 of one array: the bytes and values of the reference codec from every
 * instruction set and thread count, within the bound. Every input meets every bound in each type,
 * and every shape, order and fill; NaN, fills and infinities lie in pieces of every form. */
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

Test(codec, every_input, .timeout = 600) {
  POOL(pool);
  uint64_t with_coefficients = 0, turned = 0;
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
        const ghz_statistics kinds =
            scanned(same_codec(&pool, &l, &s, order, x, say("%s, bound %zu", name_of(in), b)));
        with_coefficients += kinds.coefficients;
        turned += kinds.turned;
      }
  cr_assert(with_coefficients > 100 / one_in() && turned > 10 / one_in(), "%d with coefficients, %d turned",
            (int)with_coefficients, (int)turned);
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

/* Differences as large as they can be, of magnitudes around those that narrow integers hold. */
Test(codec, largest_differences) {
  static const ghz_shape of[] = {{3, {8, 8, 16}}, {2, {1, 32, 32}}, {1, {1, 1, 1024}}};
  static const double largest[] = {4095, 4096, 8190, 8192, 0x1.8p20};
  POOL(pool);
  for (size_t s = 0; s < COUNT(of); s++)
    for (size_t k = 0; k < COUNT(largest); k++)
      for (int order = 0; order <= order_most(&of[s]); order++) {
        SCOPE;
        ghz_lattice l = lattice_abs((ghz_type)(k % 2), 0.25);
        void *x = scratch(REF_TILE * ghz_type_size(l.type));
        for (int i = 0; i < REF_TILE; i++) {
          int line = s == 0 ? i / 16 % 8 + i / 128 : s == 1 ? i / 32 : 0;
          put_value(l.type, x, (size_t)i, ((i + line) % 2 ? largest[k] : -largest[k]) * l.step);
        }
        same_codec(&pool, &l, &of[s], order, x, say("up and down by %g steps", largest[k]));
      }
}

/* ---- Masks ---- */
/* Every one of a block: of the first of a tile, behind a finite value and behind a hidden one. */
Test(codec, masks_of_a_block) {
  enum { MASKS = 256, N = MASKS * REF_TILE };
  static const int blocks[] = {0, 2, 3, 5};
  const ghz_shape s = ghz_flat(N);
  POOL(pool);
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    const ghz_lattice l = lattice_abs((ghz_type)type, 0.1);
    void *x = field_make(WAVES, &l, &s, 500, 3);
    uint64_t state = 5;
    for (size_t m = 0; m < MASKS; m++)
      for (size_t k = 0; k < COUNT(blocks); k++)
        for (size_t t = 0; t < 8; t++)
          if (m >> t & 1)
            hide_value(&l, x, m * REF_TILE + 8 * (size_t)blocks[k] + t, k % 2 ? 2 : 0, &state);
    same_codec(&pool, &l, &s, GHZ_ORDER_BEST, x, say("type %d", type));
  }
}

/* Denormal numbers are no zeros, and no fill that they differ from, even by the least. */
Test(codec, denormal_numbers) {
  enum { N = 1500 };
  POOL(pool);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (int fill = -1; fill < 3; fill++) {
      SCOPE;
      const double least = type == GHZ_F32 ? 0x1p-149 : 0x1p-1074;
      const ghz_shape s = ghz_flat(N);
      ghz_lattice l = lattice_abs((ghz_type)type, 0.1);
      if (fill >= 0)
        succeeded(ghz_lattice_set_fill(&l, fill * least), NULL, "fill");
      void *x = scratch(N * ghz_type_size(l.type));
      for (size_t i = 0; i < N; i++)
        put_value(l.type, x, i, i % 50 == 3 ? NAN : (double)(i % 7) * (i % 2 ? least : -least));
      same_codec(&pool, &l, &s, GHZ_ORDER_BEST, x, say("type %d, fill %d", type, fill));
    }
}

/* ---- At random ---- */
static ghz_shape random_shape(uint64_t *state) {
  ghz_shape s = {1 + (int)input_below(state, 3), {0, 0, 0}};
  if (s.dims == 1)
    return ghz_flat(input_below(state, 9 * GHZ_TILE));
  for (int i = 0; i < 3; i++)
    s.extent[i] = input_below(state, 12) ? 1 + input_below(state, input_below(state, 3) ? 20 : 70)
                                         : input_below(state, 2);
  return s;
}

/* Steps of every mantissa, and values beside ties and thresholds; of up to 8 million steps, as
 * relative bounds of 1e-1 to 1e-7 have; with an offset or without; half of the arrays masked. */
Test(codec, at_random, .timeout = 600) {
  POOL(pool);
  uint64_t state = 11;
  for (int round = 0; round < effort(900); round++) {
    SCOPE;
    const ghz_shape s = random_shape(&state);
    const ghz_lattice l = lattice_with_fill(&state);
    const int order = input_below(&state, 3) ? GHZ_ORDER_BEST : (int)input_below(&state, 4) - 2;
    const double amount = ldexp(1.5 + input_uniform(&state) / 2, (int)input_below(&state, 23)),
                 offset = input_below(&state, 2) ? 0x1p17 * input_uniform(&state) * l.step : 0;
    void *x = s.dims > 1 && input_below(&state, 3)
                  ? field_make((field_kind)input_below(&state, FIELD_KINDS), &l, &s, amount, state)
                  : input_make(&inputs[input_below(&state, input_count)], l.type, (size_t)ghz_shape_count(&s),
                               l.step, state);
    for (size_t i = 0; offset != 0 && i < ghz_shape_count(&s); i++)
      if (!l.has_fill || value_at(l.type, x, i) != l.fill)
        put_value(l.type, x, i, value_at(l.type, x, i) + offset);
    if (round % 2)
      hide_any(&l, &s, x, &state);
    same_codec(&pool, &l, &s, order, x, say("round %d, %g steps, offset %g", round, amount, offset / l.step));
  }
}
