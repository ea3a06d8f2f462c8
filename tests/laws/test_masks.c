/* test_masks.c: laws L1 and L3 over masked arrays: NaN, fill values and infinities in pieces of
 * every form, byte for byte as the reference codec hides them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "support.h"
#include <math.h>

/* Land: SCATTERED 3 of 10; RUNS of up to 40 or 400 values; SQUARES in planes and cubes; LEADING,
 * all before some value; ALL; all BUT_ONE. */
typedef enum mask_kind { SCATTERED, RUNS, LONG_RUNS, SQUARES, LEADING, ALL, BUT_ONE, MASK_KINDS } mask_kind;

/* What stands there. */
typedef enum missing_kind { MISSING, MISSING_OR_INFINITE, INFINITE, MISSING_KINDS } missing_kind;

typedef struct mask {
  mask_kind kind;
  size_t n;
  size_t edge;         /* LEADING: where it ends; BUT_ONE: which */
  size_t left;         /* RUNS: of this one */
  int on;              /* RUNS: it is hidden */
  size_t row, in_side; /* SQUARES: the array's rows, and the squares' sides */
  uint64_t state;
} mask;

static mask mask_make(mask_kind kind, const ghz_shape *s, uint64_t seed) {
  mask m = {.kind = kind, .n = (size_t)ghz_shape_count(s), .row = (size_t)s->extent[2], .state = seed};
  m.edge = m.n ? input_below(&m.state, m.n) : 0;
  m.in_side = 3 + input_below(&m.state, 20);
  return m;
}

static int run_hides(mask *m, size_t longest) {
  if (m->left == 0) {
    m->left = 1 + input_below(&m->state, longest);
    m->on = !m->on;
  }
  m->left--;
  return m->on;
}

static int hides(mask *m, size_t i) {
  switch (m->kind) {
  case SCATTERED: return input_below(&m->state, 10) < 3;
  case RUNS: return run_hides(m, 40);
  case LONG_RUNS: return run_hides(m, 400);
  case SQUARES: return (i / m->row / m->in_side + i % m->row / m->in_side) % 3 == 1;
  case LEADING: return i < m->edge;
  case BUT_ONE: return i != m->edge;
  default: return 1;
  }
}

/* NaN of either sign and any payload. */
static void put_nan(ghz_type type, void *x, size_t i, uint64_t *state) {
  const uint64_t r = input_random(state), sign = r >> 63;
  if (type == GHZ_F32)
    put_little((uint8_t *)x + 4 * i, sign << 31 | 0x7f800000U | (r & 0x7fffff) | 1, 4);
  else
    put_little((uint8_t *)x + 8 * i, sign << 63 | UINT64_C(0x7ff0000000000000) | (r & 0xfffff) | 1, 8);
}

static void hide_value(const ghz_lattice *l, missing_kind missing, void *x, size_t i, uint64_t *state) {
  const uint64_t turn = input_below(state, 6);
  if (missing == INFINITE || (missing == MISSING_OR_INFINITE && turn < 2))
    put_value(l->type, x, i, turn % 2 ? INFINITY : -INFINITY);
  else if (l->has_fill && turn < 5)
    put_value(l->type, x, i, l->fill != 0 ? l->fill : turn % 2 ? 0.0 : -0.0);
  else
    put_nan(l->type, x, i, state);
}

static void *masked(const ghz_lattice *l, const ghz_shape *s, mask_kind kind, missing_kind missing,
                    uint64_t seed) {
  const double amounts[] = {3, 1000, 60000, 1e7};
  mask m = mask_make(kind, s, seed);
  void *x = field_make(seed % 3 ? WAVES : ROUGH, l, s, amounts[seed % COUNT(amounts)], seed);
  for (size_t i = 0; i < m.n; i++)
    if (hides(&m, i))
      hide_value(l, missing, x, i, &m.state);
  return x;
}

Test(masks, random, .timeout = 300) {
  POOL(pool);
  uint64_t state = 11;
  for (int round = effort(120); round > 0; round--)
    for (int kind = 0; kind < MASK_KINDS; kind++) {
      SCOPE;
      const ghz_lattice l = lattice_with_fill(&state);
      const ghz_shape s = shape_any(&state);
      const missing_kind missing = (missing_kind)input_below(&state, MISSING_KINDS);
      const void *x = masked(&l, &s, (mask_kind)kind, missing, input_random(&state));
      same_codec(&pool, &l, &s, input_below(&state, 4) ? GHZ_ORDER_BEST : (int)input_below(&state, 3), x,
                 say("mask %d of kind %d, %s, fill %g", kind, (int)missing, shape_text(&s),
                     l.has_fill ? l.fill : NAN));
    }
}

/* In the first block of a tile, behind a finite value and behind a hidden one. */
Test(masks, every_one_of_a_block, .timeout = 120) {
  enum { MASKS = 256, N = MASKS * REF_TILE };
  static const int blocks[] = {0, 2, 3, 5};
  const ghz_shape s = {1, {1, 1, N}};
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
            hide_value(&l, k % 2 ? MISSING_OR_INFINITE : MISSING, x, m * REF_TILE + 8 * (size_t)blocks[k] + t,
                       &state);
    same_codec(&pool, &l, &s, GHZ_ORDER_BEST, x, say("type %d", type));
  }
}

/* Denormal numbers are no zeros, and no fill that they differ from, even by the least. */
Test(masks, denormal_numbers) {
  enum { N = 1500 };
  POOL(pool);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (int fill = -1; fill < 3; fill++) {
      SCOPE;
      const double least = type == GHZ_F32 ? 0x1p-149 : 0x1p-1074;
      const ghz_shape s = {1, {1, 1, N}};
      ghz_lattice l = lattice_abs((ghz_type)type, 0.1);
      if (fill >= 0)
        succeeded(ghz_lattice_set_fill(&l, fill * least), NULL, "fill");
      void *x = scratch(N * ghz_type_size(l.type));
      for (size_t i = 0; i < N; i++)
        put_value(l.type, x, i, i % 50 == 3 ? NAN : (double)(i % 7) * (i % 2 ? least : -least));
      same_codec(&pool, &l, &s, GHZ_ORDER_BEST, x, say("type %d, fill %d", type, fill));
    }
}
