/* test_coefficients.c: the second layer of bricks: which bricks have coefficients, what becomes of
 * cheap ones, and integers of any size in both layers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "choices.h"
#include "reference_parts.h"
#include "support.h"
#include <math.h>

/* Bytes of its only tile. */
static size_t tile_size(ref_bytes stream) {
  size_t size;
  ref_tile_at(stream.data, 0, &size);
  return size;
}

/* The coefficients of the only tile of a stream, in columns. */
static void read_columns(ref_bytes stream, int64_t column[REF_TILE]) {
  const ref_tile *t = ref_tile_of(stream);
  cr_assert(t->coefficients, "%zu bytes", stream.size);
  for (int u = 0; u < REF_TILE; u++)
    column[ref_column_of(t->dims, u)] = t->c[u];
}

/* ---- Where coefficients end ---- */
static const ghz_shape one_brick[] = {{2, {1, 32, 32}}, {3, {8, 8, 16}}};

/* Coefficients are taken if they save an eighth to the byte. */
Test(coefficients, that_just_pay) {
  static const struct {
    int dims;
    double amount, noise;
    uint64_t seed;
  } equal[] = {{2, 23, 0.6875, 190}, {2, 5, 0.625, 38}, {3, 37, 0.75, 68}, {3, 5, 0.8125, 165}};
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
      ref_bytes with = same_codec(&pool, &l, shape, GHZ_ORDER_BEST, x, "an eighth"),
                without = compress_shape(pool.ctx[0], &l, GHZ_ORDER_LORENZO, x, shape);
      cr_assert_eq(8 * tile_size(with), 7 * tile_size(without), "%zu and %zu bytes: another brick is needed",
                   tile_size(with), tile_size(without));
    }
}

/* What looks like noise is not tried, what takes too many bytes is given up, small lines are 0. */
Test(coefficients, at_the_edges_of_rules) {
  POOL(pool);
  for (int i = 0; i < CHOICES; i++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++) {
      SCOPE;
      choice_brick *b = scratch(sizeof *b);
      choice_brick_make(i, b);
      ghz_lattice l = choice_lattice((ghz_type)type);
      void *x = scratch(sizeof b->x);
      for (size_t k = 0; k < COUNT(b->x); k++)
        put_value(l.type, x, k, b->x[k]);
      ref_bytes stream = same_codec(&pool, &l, &b->shape, GHZ_ORDER_BEST, x, b->name);
      cr_assert_eq(scanned(stream).coefficients, (uint64_t)b->coefficients, "%s, type %d, %s", b->name, type,
                   shape_text(&b->shape));
      if (b->small_lines) {
        int64_t c[REF_TILE];
        read_columns(stream, c);
        cr_assert_eq(c[b->column], b->first, "%s, type %d: %lld", b->name, type, (long long)c[b->column]);
      }
    }
}

/* ---- Which magnitudes they are for ---- */
/* The largest magnitude of a coarse tile. */
static double coarse_end(const ghz_lattice *l) {
  double room = (l->eb - l->step / 2) * 16252928;
  return l->type == GHZ_F64 ? 65536 * l->step : room;
}

/* Arches whose top, column 485, is just that, and by less than any bound more if it is beyond. */
static void *arch_below(ghz_type type, int dims, double end, int beyond) {
  void *x = scratch(REF_TILE * ghz_type_size(type));
  const int line = dims == 3 ? 16 : 32;
  for (int i = 0; i < REF_TILE; i++)
    put_value(type, x, (size_t)i,
              end * cos((i % line - 485 % line) / 16.) * cos((i / line - 485 / line) / 16.));
  if (beyond)
    put_value(type, x, 485, type == GHZ_F32 ? nextafterf((float)end, INFINITY) : nextafter(end, INFINITY));
  return x;
}

/* At most 2^18 steps, if those are coarse, and no more: of float64 2^16, of float32 0.98 * 2^17,
 * and more if there is an offset. */
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
        void *x = arch_below(l->type, one_brick[s].dims, end, beyond);
        const char *what = say("lattice %zu, %s", k, beyond ? "beyond" : "at the end");
        ref_bytes stream = same_codec(&pool, l, &one_brick[s], GHZ_ORDER_BEST, x, what);
        cr_assert_eq(scanned(stream).coefficients, !beyond, "%s", what);
      }
}

/* The bound where a value has 2^18 steps, and its coefficients more bits than float32: waves of
 * such amplitude, and small ones around such a value. */
Test(coefficients, bound_of_large_values) {
  static const ghz_shape shapes[] = {{3, {16, 9, 34}}, {2, {1, 64, 50}}};
  POOL(pool);
  uint64_t with = 0;
  for (size_t s = 0; s < COUNT(shapes); s++)
    for (int round = 0; round < 12; round++) {
      SCOPE;
      ghz_lattice l = lattice_offset(0.37, ldexp(1, 19 + round % 3));
      double amount = round < 6 ? 2.9e5 * (round + 1) / 6 : 100 * round;
      float *x = field_make(WAVES, &l, &shapes[s], amount, (uint64_t)round);
      for (uint64_t i = 0; i < ghz_shape_count(&shapes[s]) && round >= 6; i++)
        x[i] += (float)(0x1.fep17 * l.step);
      const char *what = say("round %d, %g steps", round, amount);
      with += scanned(same_codec(&pool, &l, &shapes[s], GHZ_ORDER_BEST, x, what)).coefficients;
    }
  cr_assert_gt(with, 30, "%llu tiles with coefficients", (unsigned long long)with);
}

/* ---- Cheap blocks ---- */
/* What coefficients of one block are before they are rounded, in 64ths, and whether they stay. What
 * a block saves is always even. */
static const struct {
  const char *name;
  int kept;
  int e[7];
} blocks[] = {
    {"width 1, one coefficient saves 52", 0, {-58}},
    {"width 1, one coefficient saves 54", 1, {-59}},
    {"width 1, two save 52", 0, {-45, 31, -45}},
    {"width 1, two save 54", 1, {-46, -31, -45}},
    {"width 1, seven save 52", 0, {-36, -36, -36, -36, -36, -36, -34}},
    {"width 1, seven save 54", 1, {-36, -35, -36, -36, -36, -36, -36}},
    {"width 1, one saves 62", 1, {0, 0, -63}},
    {"width 2, one saves 2", 0, {33}},
    {"width 2, one saves 98", 0, {0, 81}},
    {"width 2, one saves 100", 1, {0, 82}},
    {"width 2, two save 98", 0, {60, 0, 0, -53}},
    {"width 2, two save 100", 1, {60, 0, 0, -54}},
    {"width 2, seven save 98", 0, {39, 39, -39, 39, 39, -39, 39}},
    {"width 2, seven save 100", 1, {39, 39, -39, 39, 39, -39, 40}},
    {"width 2, -2", 1, {-97}},
    {"width 3, 2", 1, {0, 0, 0, 97}},
};

/* In columns: waves that no order of differences makes small, in blocks of their own, and the
 * seven in a block; of the first block not the first, which is the mean. */
static void set_columns(int dims, int block, const int e[7], double column[REF_TILE]) {
  memset(column, 0, REF_TILE * sizeof *column);
  column[0] = 9000;
  column[16 + 1] = 3000;
  column[32 + 2] = -2500;
  column[48 + 4] = 2000;
  int group = dims == 3 ? 256 : 512, begin = 8 * block / group * group;
  if (begin > 0) /* or the lines become 0 before */
    column[begin + 35] = 64;
  for (int i = 0; i < 7; i++)
    column[8 * block + 1 + i] = e[i] / 64.0;
}

/* The values that such coefficients say, in steps. */
static void *values_of(const ghz_lattice *l, int dims, const double column[REF_TILE]) {
  int64_t c[REF_TILE];
  ref_wide k[REF_TILE];
  void *x = scratch(REF_TILE * ghz_type_size(l->type));
  for (int u = 0; u < REF_TILE; u++)
    c[u] = (int64_t)(64 * column[ref_column_of(dims, u)]);
  ref_inverse(dims, c, k);
  for (int i = 0; i < REF_TILE; i++)
    put_value(l->type, x, (size_t)i, ldexp((double)k[i], -ref_transform_shift(dims) - 6) * l->step);
  return x;
}

static void check_block(const context_pool *pool, const ghz_lattice *l, const ghz_shape *shape, int block,
                        size_t which) {
  SCOPE;
  double column[REF_TILE];
  int64_t c[REF_TILE];
  set_columns(shape->dims, block, blocks[which].e, column);
  void *x = values_of(l, shape->dims, column);
  const char *what = say("%s, block %d, type %d", blocks[which].name, block, (int)l->type);
  read_columns(same_codec(pool, l, shape, GHZ_ORDER_BEST, x, what), c);
  for (int i = 0; i < REF_TILE; i++) {
    int own = i / 8 == block && i > 0;
    cr_assert_eq(c[i], own && !blocks[which].kept ? 0 : (int64_t)rint(column[i]), "%s: column %d is %lld", what,
                 i, (long long)c[i]);
  }
}

Test(coefficients, cheap_blocks) {
  static const int places[] = {0, 1, 9, 63, 64, 127};
  POOL(pool);
  for (size_t s = 0; s < COUNT(one_brick); s++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++)
      for (size_t p = 0; p < COUNT(places); p++)
        for (size_t k = 0; k < COUNT(blocks); k++) {
          ghz_lattice l = lattice_abs((ghz_type)type, 0.37);
          check_block(&pool, &l, &one_brick[s], places[p], k);
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
  ref_tile *t = ref_tile_new(h);
  int q_width = 1 + (int)input_below(state, 17);
  uint64_t every = (uint64_t)1 << input_below(state, 10);
  int64_t all = input_below(state, 2) ? 0 : ((int64_t)1 << (width - 1)) - 1;
  t->coefficients = 1;
  t->mode = (int)input_below(state, 6) % 4 % 3; /* mostly coarse */
  t->order = (int)input_below(state, h->dims == 3 ? 4 : 3);
  for (int i = 0; i < REF_TILE; i++) {
    t->c[i] = all ? all : input_below(state, every) == 0 ? integer_of(width, state) : 0;
    t->q[i] = ref_inside(t, i) && input_below(state, every) == 0 ? integer_of(q_width, state) : 0;
  }
  t->c[0] = anchor == 64 ? (int64_t)input_random(state) : integer_of(anchor, state);
  return ref_stream_of(h, t);
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
          same_decoded(&pool, two[0], what);
          for (size_t c = 0; c < pool.count; c++) {
            SCOPE;
            same_bytes(combine(pool.ctx[c], 2, two, (int64_t[]){1, -2}), both, what);
          }
        }
}

/* ---- The limits of float64 ---- */
/* Coefficients whose widths sum up to a limit: 2^25 - 2^15, the most of 16 bits; so many blocks
 * of a width, whose magnitudes are at most `count` * 8 * 2^(width - 1). */
static const struct {
  int width, count;
} layers[] = {{16, 128}, {17, 63}, {17, 64}, {21, 3}, {21, 4}, {22, 1},
              {22, 2},   {23, 1},  {24, 1},  {25, 1}, {26, 1}};

/* Every coefficient of a block as large as its width allows; of the signs that make one value as
 * large as it can be, or of random ones. */
static ref_bytes brick_at_limit(const ref_header *h, int64_t first, size_t layer, int random, uint64_t *state) {
  int64_t one[REF_TILE] = {0}, most = ((int64_t)1 << (layers[layer].width - 1)) - 1;
  ref_tile *t = ref_tile_new(h);
  ref_wide k[REF_TILE];
  int last = !random; /* from block 30 of cubes on, which has the largest factors, where those are */
  int place = last ? (3 * 8 + 3) * 16 + 7 : (int)input_below(state, REF_TILE);
  int start = last ? REF_BLOCKS - 30 : (int)input_below(state, REF_BLOCKS);
  t->coefficients = 1;
  for (int u = 1; u < REF_TILE; u++) {
    if ((ref_column_of(h->dims, u) / 8 + start) % REF_BLOCKS >= layers[layer].count)
      continue;
    SCOPE;
    one[u] = 1;
    ref_inverse(h->dims, one, k);
    one[u] = 0;
    int up = random ? input_below(state, 2) > 0 : (k[place] > 0) == (first > 0);
    t->c[u] = up ? most : -most - (layers[layer].width > 16);
  }
  t->c[0] = first;
  for (int i = 0; i < REF_TILE; i++)
    t->q[i] = i % 3 ? 0 : (int64_t)input_below(state, 4001) - 2000;
  return ref_stream_of(h, t);
}

/* Up to |c(0,0,0)| = 2^28 and a sum of the others below 2^25 float64 is exact, and there may be two
 * ways to a value; beyond there is one. No value tells which it went. */
Test(coefficients, limits_of_float64, .timeout = 600) {
  static const int64_t firsts[] = {0x10000000 - 1, 0x10000000, 0x10000001, 0x20000001, 0x40000003, 0x100000007};
  POOL(pool);
  uint64_t state = 12;
  for (size_t s = 0; s < COUNT(one_brick); s++)
    for (size_t f = 0; f < 2 * COUNT(firsts); f++)
      for (size_t layer = 0; layer < COUNT(layers); layer++)
        for (int random = 0; random < 2; random++) {
          SCOPE;
          ghz_lattice l = lattice_abs((ghz_type)(layer % 2), 0.37);
          ref_header h = header_shaped(&l, &one_brick[s]);
          h.transform = 1;
          int64_t first = f % 2 ? -firsts[f / 2] : firsts[f / 2];
          ref_bytes stream = brick_at_limit(&h, first, layer, random, &state);
          const char *what = say("%s, c(0,0,0) = %lld, %d blocks of width %d", shape_text(&one_brick[s]),
                                 (long long)first, layers[layer].count, layers[layer].width);
          cr_assert_eq(ref_check(stream.data, stream.size), REF_GOOD, "%s", what);
          same_decoded(&pool, stream, what);
        }
}

/* The largest brick: widths at their limits in both layers, long anchors, NaN everywhere. */
static ref_bytes largest_brick(const ref_header *h) {
  ref_tile *t = ref_tile_new(h);
  t->coefficients = 1;
  t->mode = REF_WIDE;
  t->order = 3;
  for (int i = 0; i < REF_TILE; i++) {
    int sign = (i + i / 16 + i / 128) % 2 ? -1 : 1;
    t->q[i] = sign * (((int64_t)1 << 58) - 1 - i);
    t->c[i] = sign * (((int64_t)1 << 47) - ((int64_t)1 << 25) - i);
    t->plus[i] = t->minus[i] = 1;
  }
  t->c[0] = INT64_MIN / 3;
  const ref_bytes stream = ref_stream_of(h, t);
  cr_assert(tile_size(stream) > 14490 && tile_size(stream) <= 14579, "%zu bytes", tile_size(stream));
  return stream;
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
  same_decoded(&pool, s, "the largest brick");
  for (size_t c = 0; c < pool.count; c++) {
    SCOPE;
    same_bytes(negate(pool.ctx[c], s), less, "its negative");
    same_bytes(scale(pool.ctx[c], s, -3), ref_scale(s, -3), "scaled");
  }
}
