/* test_quick_bricks.c: the fast routines for bricks, in 16 bits and certified float32, write the
 * bytes of the general ones and of the reference: on fields of all kinds, and at the limits of
 * their proofs (tile/residual_impl.h, tile/inverse_impl.h, tile/narrow_layer_impl.h). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "reference_parts.h"
#include "support.h"
#include "tile/tile.h"
#include <math.h>

static ref_bytes compress_way(ghz_context *ctx, int quick, const ghz_lattice *l, int order, const void *x,
                              const ghz_shape *shape) {
  ghz_quick_bricks = quick;
  ref_bytes s = compress_shape(ctx, l, order, x, shape);
  ghz_quick_bricks = 1;
  return s;
}

/* That every context writes `want` in both ways; without bytes it stands for what the first one
 * writes in general. */
static ref_bytes same_either_way(const context_pool *pool, const ghz_lattice *l, const ghz_shape *shape,
                                 int order, const void *x, ref_bytes want, const char *what) {
  for (size_t c = 0; c < pool->count; c++)
    for (int quick = 0; quick < 2; quick++) {
      ref_bytes got = compress_way(pool->ctx[c], quick, l, order, x, shape);
      if (!want.data)
        want = got;
      same_bytes(got, want,
                 say("%s, %s, %s", what, ghz_context_isa(pool->ctx[c]), quick ? "quick" : "general"));
    }
  return want;
}

static uint64_t coefficients_in(ghz_context *ctx, ref_bytes s) {
  ghz_statistics statistics;
  succeeded(ghz_scan(ctx, view(s), &statistics), ctx, "scan");
  return statistics.coefficients;
}

/* ---- Fields of all kinds ---- */
/* Beside those of fields.h. */
enum { RAMP = FIELD_KINDS, SPIKES, NOISE, ALL_KINDS };

static void *any_field(int kind, const ghz_lattice *l, const ghz_shape *shape, double amount, uint64_t seed) {
  if (kind < FIELD_KINDS)
    return field_make((field_kind)kind, l, shape, amount, seed);
  uint64_t state = seed, n = ghz_shape_count(shape);
  void *x = scratch((size_t)n * ghz_type_size(l->type));
  double slope = amount / (double)(shape->extent[1] + shape->extent[2]);
  for (uint64_t i = 0; i < n; i++) {
    double v = slope * (double)(i % shape->extent[2] + i / shape->extent[2]);
    if (kind == SPIKES)
      v = input_below(&state, 40) ? v / 100 : amount * input_uniform(&state);
    else if (kind == NOISE)
      v = amount * input_uniform(&state);
    put_value(l->type, x, (size_t)i, v * l->step);
  }
  plant_fill(l, x, (size_t)n, seed);
  return x;
}

/* At most some bricks. */
static ghz_shape any_shape(uint64_t *state) {
  ghz_shape s = {.dims = 2 + (int)input_below(state, 2), .extent = {1, 0, 0}};
  int whole = input_below(state, 3) == 0;
  s.extent[0] = s.dims == 3 ? whole ? 8 * (1 + input_below(state, 2)) : 1 + input_below(state, 20) : 1;
  s.extent[1] = (whole || s.dims == 2 ? 32 : 8) + (whole ? 0 : input_below(state, 9));
  s.extent[2] = 32 * (1 + input_below(state, 2)) - (whole ? 0 : input_below(state, 31));
  return s;
}

/* A lattice, and the magnitude that `offset` steps may have on it: 2^18 at most, where coefficients
 * end. */
static ghz_lattice any_lattice(uint64_t *state, double *offset) {
  static const double fractions[] = {0.25, 0.37, 0.4999, 1e-3};
  double eb = fractions[input_below(state, COUNT(fractions))];
  ghz_type type = (ghz_type)input_below(state, 2);
  int far = type == GHZ_F32 && input_below(state, 2);
  ghz_lattice l = far ? lattice_offset(eb, 0x1p19) : lattice_abs(type, eb);
  *offset = far ? 0x1p18 : 0x1p16;
  return filled(l, input_below(state, 8));
}

/* Of 4 to 8 million steps, as relative bounds of 1e-1 to 1e-7 have; with an offset or without. */
Test(quick_bricks, fields, .timeout = 300) {
  SINGLE_POOL(pool);
  uint64_t state = 1, with_c = 0;
  int rounds = effort(10000);
  for (int round = 0; round < rounds; round++) {
    SCOPE;
    double offset, amount = ldexp(1.5 + input_uniform(&state) / 2, 2 + (int)input_below(&state, 21));
    ghz_shape shape = any_shape(&state);
    ghz_lattice l = any_lattice(&state, &offset);
    int kind = (int)input_below(&state, ALL_KINDS);
    int order = input_below(&state, 4) ? GHZ_ORDER_BEST : (int)input_below(&state, 3);
    void *x = any_field(kind, &l, &shape, amount, input_random(&state));
    offset *= input_below(&state, 2) ? input_uniform(&state) * l.step : 0;
    for (size_t i = 0; offset != 0 && i < ghz_shape_count(&shape); i++)
      if (!l.has_fill || value_at(l.type, x, i) != l.fill)
        put_value(l.type, x, i, value_at(l.type, x, i) + offset);
    const char *what = say("round %d, %s, field %d of %g steps, offset %g, order %d", round, shape_text(&shape),
                           kind, amount, offset, order);
    ref_bytes none = {NULL, 0}, s = same_either_way(&pool, &l, &shape, order, x, none, what);
    with_c += coefficients_in(pool.ctx[0], s);
  }
  cr_assert_gt(with_c, (uint64_t)rounds / 2, "%llu tiles with coefficients", (unsigned long long)with_c);
}

/* ---- Bricks of given coefficients ---- */
typedef struct one_brick {
  ghz_lattice l;
  ghz_shape shape;
  int64_t c[REF_TILE]; /* by frequency */
} one_brick;

static const ghz_shape whole_brick[] = {{2, {1, 32, 32}}, {3, {8, 8, 16}}};

static int frequency(const one_brick *b, int z, int y, int x) {
  ref_brick whole = ref_brick_of(b->shape.dims);
  return (z * whole.y + y) * whole.x + x;
}

static size_t count_of(const one_brick *b) { return (size_t)ghz_shape_count(&b->shape); }

/* The column of value i of the array. */
static int column_at(const one_brick *b, size_t i) {
  ref_brick whole = ref_brick_of(b->shape.dims);
  size_t x = i % b->shape.extent[2], line = i / b->shape.extent[2];
  return (int)((line / b->shape.extent[1] * (size_t)whole.y + line % b->shape.extent[1]) * (size_t)whole.x + x);
}

/* The values that the coefficients say. */
static void set_values(const one_brick *b, void *x) {
  ref_wide k[REF_TILE];
  ref_inverse(b->shape.dims, b->c, k);
  for (size_t i = 0; i < count_of(b); i++)
    put_value(b->l.type, x, i,
              ldexp((double)k[column_at(b, i)], -ref_transform_shift(b->shape.dims)) * b->l.step);
}

/* Takes the coefficients of a stream's only tile; returns 0 if it has none. */
static int take_coefficients(ref_bytes stream, one_brick *b) {
  size_t size;
  ref_header h = ref_header_read(stream.data);
  ref_tile *t = scratch(sizeof *t);
  const uint8_t *tile = ref_tile_at(stream.data, 0, &size);
  cr_assert_eq(ref_tile_parse(&h, 0, tile, size, t), REF_GOOD);
  memcpy(b->c, t->c, sizeof b->c);
  return t->coefficients;
}

/* The same value but so many units in the last place. */
static double beside(ghz_type type, double v, int ulps) {
  double to = ulps > 0 ? INFINITY : -INFINITY;
  for (v = type == GHZ_F32 ? (float)v : v; ulps; ulps += ulps > 0 ? -1 : 1)
    v = type == GHZ_F32 ? nextafterf((float)v, (float)to) : nextafter(v, to);
  return v;
}

/* Moves value i so that the coefficients leave `left` of it, but for units in its last place. */
static void move_to(const one_brick *b, size_t i, double left, int ulps, void *x) {
  ref_wide k[REF_TILE];
  ref_inverse(b->shape.dims, b->c, k);
  double p = ldexp((double)k[column_at(b, i)], -ref_transform_shift(b->shape.dims));
  put_value(b->l.type, x, i, beside(b->l.type, (p + left) * b->l.step, ulps));
}

/* Moves some values to halves, or to any small distance from one. */
static void move_to_halves(const one_brick *b, int count, uint64_t *state, void *x) {
  while (count-- > 0) {
    double half = (input_below(state, 2) ? 0.5 : -0.5) * (input_below(state, 8) ? 1 : 3);
    double off = input_below(state, 2) ? ldexp(input_uniform(state), -(int)input_below(state, 32)) : 0;
    move_to(b, (size_t)input_below(state, count_of(b)), half + off / 8, (int)input_below(state, 7) - 3, x);
  }
}

/* Holds a brick against the reference; returns 1 if it has just these coefficients. */
static int check_brick(const context_pool *pool, const one_brick *b, const void *x, const char *name) {
  const char *what = say("%s, %s, type %d, step %g", name, shape_text(&b->shape), (int)b->l.type, b->l.step);
  ref_header h = header_shaped(&b->l, &b->shape);
  ref_bytes want = ref_compress(&h, REF_BEST, x);
  same_either_way(pool, &b->l, &b->shape, GHZ_ORDER_BEST, x, want, what);
  one_brick found;
  return take_coefficients(want, &found) && memcmp(found.c, b->c, sizeof b->c) == 0;
}

/* The same with values at halves. b gets the coefficients that are found at first; returns 1 if
 * moving values leaves them. */
static int check_halves(const context_pool *pool, one_brick *b, uint64_t *state, const char *name) {
  SCOPE;
  void *x = scratch(count_of(b) * ghz_type_size(b->l.type));
  set_values(b, x);
  if (!take_coefficients(compress_shape(pool->ctx[0], &b->l, GHZ_ORDER_BEST, x, &b->shape), b))
    return 0;
  move_to_halves(b, count_of(b) == REF_TILE ? 20 : 4, state, x);
  return check_brick(pool, b, x, name);
}

/* A full brick, or one that lacks a part, and a lattice for values of up to *most steps. */
static void any_brick(uint64_t *state, one_brick *b, double *most) {
  static const ghz_shape cut[] = {{2, {1, 21, 27}}, {3, {7, 8, 13}}};
  b->shape = (input_below(state, 3) ? whole_brick : cut)[input_below(state, 2)];
  double eb = input_below(state, 2) ? 0.25 : 0.37;
  int kind = (int)input_below(state, 3);
  b->l = kind == 2 ? lattice_offset(eb, 0x1p19) : lattice_abs((ghz_type)kind, eb);
  *most = kind == 2 ? 0x1p18 : 0x1p16;
  memset(b->c, 0, sizeof b->c);
}

/* Waves around a mean: few or many, of any height, of low frequencies or all. */
static void any_waves(uint64_t *state, one_brick *b, double most) {
  ref_brick whole = ref_brick_of(b->shape.dims);
  int shift = (int)input_below(state, 3);
  uint64_t count = 2 + input_below(state, (uint64_t)2 << input_below(state, 8));
  while (count--) {
    int z = (int)input_below(state, (uint64_t)(whole.z >> shift) + 1) % whole.z,
        y = (int)input_below(state, (uint64_t)(whole.y >> shift)),
        w = (int)input_below(state, (uint64_t)(whole.x >> shift));
    double c = ldexp(1.5 + input_uniform(state) / 2, 7 + (int)input_below(state, 7));
    b->c[frequency(b, z, y, w)] = (int64_t)(input_below(state, 2) ? c : -c);
  }
  b->c[0] = (int64_t)(32 * 0.9 * most * input_uniform(state) * (double)input_below(state, 2));
}

/* Values whose float32 may be off, further from P or less than float_error says. */
Test(quick_bricks, values_at_halves, .timeout = 300) {
  SINGLE_POOL(pool);
  uint64_t state = 2;
  int rounds = effort(4000), held = 0;
  for (int round = 0; round < rounds; round++) {
    SCOPE;
    one_brick *b = scratch(sizeof *b);
    double most;
    any_brick(&state, b, &most);
    any_waves(&state, b, most);
    held += check_halves(&pool, b, &state, say("round %d", round));
  }
  cr_assert_gt(held, rounds / 4, "%d of %d bricks kept their coefficients", held, rounds);
}

/* Coefficients with ux = 3, by uy or by 8 uz + uy. A search found that with them float32 is off, at
 * one place, by so many 2^-24 of the largest value: by more than values are. */
static const struct {
  int dims, z, y; /* the place, where x is 0 */
  int16_t c[64];
} rounded_most[] = {
    /* 12.8 */
    {2, 0, 30, {9991,   8878,  15110, 16264, 3610,  10530,  3017,  13690,  -9805, -6240, -14464,
                -11909, 12659, -8948, 11760, 12540, -5239,  -4351, -670,   13035, 15783, -13056,
                -1991,  -1121, -1280, 5632,  5840,  -11520, -9317, -11520, 16247, -2955}},
    /* 9.4 */
    {3, 0, 7, {10515,  12965,  -14608, -9361,  15954,  -4188,  12394,  13591,  -9226,  -14276, -13283,
               -15851, 12110,  9576,   -8260,  15067,  -15704, 11618,  -9723,  15049,  14141,  15654,
               10109,  -939,   12731,  -8430,  -12408, -16348, 9636,   -10546, -13102, -9393,  -7198,
               -14178, -10696, -13158, 7365,   -13332, 8767,   6804,   9798,   -15870, -10979, -8095,
               -12279, 8712,   10605,  -12669, -2604,  11912,  -13253, -11867, 206,    12270,  -14971,
               -8305,  11020,  3790,   4850,   9724,   -14279, 15567,  -13671, -12503}}};

Test(quick_bricks, sums_that_are_rounded_most) {
  SINGLE_POOL(pool);
  for (size_t k = 0; k < COUNT(rounded_most); k++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++)
      for (int half = -1; half <= 1; half += 2)
        for (int ulps = -2; ulps <= 2; ulps++) {
          SCOPE;
          one_brick *b = scratch(sizeof *b);
          int dims = rounded_most[k].dims;
          *b = (one_brick){.l = lattice_abs((ghz_type)type, 0.37), .shape = whole_brick[dims - 2]};
          for (int u = 0; u < (dims == 3 ? 64 : 32); u++)
            b->c[frequency(b, 0, u, 3)] = rounded_most[k].c[u]; /* planes of cubes follow each other */
          void *x = scratch(REF_TILE * ghz_type_size(b->l.type));
          set_values(b, x);
          move_to(b, (size_t)frequency(b, rounded_most[k].z, rounded_most[k].y, 0), 0.5 * half, ulps, x);
          cr_assert(check_brick(&pool, b, x, say("%d ulps", ulps)), "other coefficients");
        }
}

/* ---- Lines whose sums are exact, and others ---- */
/* What frequencies along x count at a place. */
static void line_factors(const one_brick *b, int place, int length, int64_t factor[]) {
  for (int w = 0; w < length; w++) {
    int64_t one[REF_TILE] = {0};
    ref_wide k[REF_TILE];
    one[w] = 1;
    ref_inverse(b->shape.dims, one, k);
    factor[w] = (int64_t)k[place];
  }
}

/* One line of frequencies along x whose magnitudes sum up to `sum`, of signs that make a place as
 * large as it can be: few, those that count most there, or all alike. */
static void set_line(uint64_t *state, one_brick *b, int64_t sum, int few) {
  int64_t factor[32] = {0};
  int length = ref_brick_of(b->shape.dims).x, depth = ref_brick_of(b->shape.dims).z / 2;
  int z = depth ? (int)input_below(state, (uint64_t)depth) : 0, y = (int)input_below(state, 4);
  line_factors(b, (int)input_below(state, (uint64_t)length / 2), length, factor);
  factor[0] = 0; /* c(0,0,0) is apart */
  for (int left = length - 1; sum > 0 && left > 0; left--) {
    int best = 1;
    for (int w = 1; w < length; w++)
      best = llabs(factor[w]) > llabs(factor[best]) ? w : best;
    int64_t share = few ? 16383 : sum / left;
    share = share < sum && share < 16383 ? share : sum < 16383 ? sum : 16383;
    b->c[frequency(b, z, y, best)] = factor[best] < 0 ? -share : share;
    factor[best] = 0;
    sum -= share;
  }
}

/* EXACT_LINE, and what is taken for it, as sums are rounded up by a thousandth; and more, up to
 * eight times that. */
Test(quick_bricks, lines_at_their_limit, .timeout = 300) {
  static const int limit[] = {26504, 32140};
  SINGLE_POOL(pool);
  uint64_t state = 3;
  int rounds = effort(50), held = 0, all = 0;
  for (int round = 0; round < rounds; round++)
    for (int quarters = 4; quarters <= 32; quarters += quarters / 4)
      for (int rounded = 0; rounded < 2; rounded++)
        for (int off = -1; off <= 1; off++) {
          SCOPE;
          one_brick *b = scratch(sizeof *b);
          double most;
          any_brick(&state, b, &most);
          int exact = limit[b->shape.dims - 2];
          int64_t sum = quarters * (int64_t)(rounded ? floor(exact / 1.001) : exact) / 4 + off;
          set_line(&state, b, sum, (int)input_below(&state, 2));
          held += check_halves(&pool, b, &state, say("a line of %lld", (long long)sum));
          all++;
        }
  cr_assert_gt(held, all / 4, "%d of %d bricks kept their coefficients", held, all);
}

/* ---- Integers around 16 bits ---- */
/* Coefficients around those that narrow integers hold, one or two, in any block. */
Test(quick_bricks, coefficients_around_16_bits, .timeout = 300) {
  static const int64_t ends[] = {1 << 14, 1 << 15, 1 << 16, 1 << 17, 3 << 15};
  SINGLE_POOL(pool);
  uint64_t state = 4;
  int rounds = effort(12), held = 0, all = 0;
  for (int round = 0; round < rounds; round++)
    for (size_t end = 0; end < COUNT(ends); end++)
      for (int off = -2; off <= 2; off++)
        for (int negative = 0; negative < 2; negative++) {
          SCOPE;
          one_brick *b = scratch(sizeof *b);
          double most;
          any_brick(&state, b, &most);
          b->c[0] = 1000;
          int64_t c = negative ? -ends[end] + off : ends[end] + off;
          b->c[1 + input_below(&state, REF_TILE - 1)] = c;
          b->c[1 + input_below(&state, REF_TILE - 1)] = input_below(&state, 2) ? -c / 2 : 0;
          held += check_halves(&pool, b, &state, say("a coefficient of %lld", (long long)c));
          all++;
        }
  cr_assert_gt(held, all / 4, "%d of %d bricks kept their coefficients", held, all);
}

/* Integers from `nearest` to `nearest` + range, of one sign: at the ends in turn, which makes the
 * largest differences, or anywhere between. */
static void set_offset(uint64_t *state, const one_brick *b, int64_t nearest, int64_t range, void *x) {
  ref_brick whole = ref_brick_of(b->shape.dims);
  int sign = input_below(state, 2) ? 1 : -1, turns = input_below(state, 3) < 2;
  for (int i = 0; i < REF_TILE; i++) {
    int64_t odd = (i + i / whole.x + i / whole.x / whole.y) & 1,
            q = turns ? odd * range : (int64_t)input_below(state, (uint64_t)range + 1);
    put_value(b->l.type, x, (size_t)i, (double)(sign * (nearest + q)) * b->l.step);
  }
  size_t at = (size_t)input_below(state, REF_TILE);
  if (input_below(state, 3) == 0)
    put_value(b->l.type, x, at, NAN);
  if (input_below(state, 3) == 0)
    put_value(b->l.type, x, at / 2, b->l.has_fill ? b->l.fill : INFINITY);
}

/* What may be less its middle (encode_impl.h, centre): ranges that 16 bits just hold, and
 * integers that are just above twice the range, at all orders. */
Test(quick_bricks, offsets_at_their_limit, .timeout = 300) {
  SINGLE_POOL(pool);
  uint64_t state = 5;
  int rounds = effort(200);
  for (int round = 0; round < rounds; round++)
    for (int off = -1; off <= 1; off++)
      for (int far = 0; far < 4; far++) {
        SCOPE;
        one_brick b = {.shape = whole_brick[round % 2]};
        b.l = filled(lattice_abs((ghz_type)(round / 2 % 2), 0.37), input_below(&state, 8));
        int64_t range = (b.shape.dims == 3 ? 8191 : 16383) + off, nearest = 2 * range + far;
        if (far == 0) /* on both sides of 0 */
          nearest = -range / 2;
        int order = (int)input_below(&state, (uint64_t)order_most(&b.shape) + 2);
        order = order > order_most(&b.shape) ? GHZ_ORDER_BEST : order;
        void *x = scratch(REF_TILE * ghz_type_size(b.l.type));
        set_offset(&state, &b, nearest, range, x);
        ref_header h = header_shaped(&b.l, &b.shape);
        same_either_way(&pool, &b.l, &b.shape, order, x, ref_compress(&h, order, x),
                        say("round %d, %s, from %lld on, range %lld, order %d", round, shape_text(&b.shape),
                            (long long)nearest, (long long)range, order));
      }
}

/* ---- Cut bricks ---- */
/* Of every extent at which there are coefficients. */
Test(quick_bricks, of_every_extent, .timeout = 300) {
  SINGLE_POOL(pool);
  uint64_t with_c = 0, all = 0;
  ghz_lattice l = lattice_abs(GHZ_F32, 0.37);
  for (int dims = 2; dims <= 3; dims++) {
    ref_brick whole = ref_brick_of(dims);
    for (int i = 0; i < whole.z * whole.y * whole.x; i += (int)one_in()) {
      SCOPE;
      ghz_shape s = {dims,
                     {(uint64_t)(i / whole.x / whole.y + 1), (uint64_t)(i / whole.x % whole.y + 1),
                      (uint64_t)(i % whole.x + 1)}};
      ghz_lattice lattice = i % 2 ? l : lattice_abs(GHZ_F64, 0.37);
      void *x = scratch((size_t)ghz_shape_count(&s) * ghz_type_size(lattice.type));
      for (uint64_t v = 0; v < ghz_shape_count(&s); v++)
        put_value(lattice.type, x, (size_t)v,
                  1500 * sin(0.35 * (double)(v % s.extent[2])) * cos(0.3 * (double)(v / s.extent[2])));
      ref_header h = header_shaped(&lattice, &s);
      ref_bytes want = ref_compress(&h, REF_BEST, x);
      same_either_way(&pool, &lattice, &s, GHZ_ORDER_BEST, x, want, shape_text(&s));
      with_c += coefficients_in(pool.ctx[0], want);
      all += ghz_shape_count(&s) >= 256;
    }
  }
  cr_assert_gt(8 * with_c, all, "%llu of %llu tiles with coefficients", (unsigned long long)with_c,
               (unsigned long long)all);
}

/* ---- One small coefficient ---- */
/* Beside a mean of 2^18 steps, which is 2^23, and waves of other places: -1 in each place, for one
 * of its frequencies along x. */
Test(quick_bricks, one_beside_the_first, .timeout = 300) {
  SINGLE_POOL(pool);
  uint64_t state = 6;
  int held = 0, all = 0;
  for (int k = 0; k < 2 * 64 * 2; k++) {
    SCOPE;
    one_brick *b = scratch(sizeof *b);
    *b = (one_brick){.l = lattice_offset(0.37, 0x1p19), .shape = whole_brick[k / 128]};
    int rows = ref_brick_of(b->shape.dims).y, place = k / 2 % (b->shape.dims == 3 ? 64 : 32), u = k % 2 * 3;
    b->c[frequency(b, 0, 0, 0)] = (k & 4 ? -1 : 1) * ((1 << 23) - 40000 - k);
    b->c[frequency(b, 0, 1, 5)] = 3000;
    b->c[frequency(b, 0, 3, 2)] = -7000;
    b->c[frequency(b, 0, 5, 1)] = 2500;
    b->c[frequency(b, place / rows, place % rows, u)] -= place || u;
    held += check_halves(&pool, b, &state, say("place %d, %d along x", place, u));
    all++;
  }
  cr_assert_gt(held, all / 8, "%d of %d bricks kept their coefficients", held, all);
}
