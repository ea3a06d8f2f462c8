/* test_shapes.c: the laws over arrays with a shape: exact sums of layers of every kind, and their
 * bound; random shapes. (Compression: test_codec.c.) */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "quad.h"
#include "support.h"
#include <math.h>

/* ---- Compression ---- */
/* Differences as large as they can be, of magnitudes around those that narrow integers hold. */
Test(shapes, largest_differences) {
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

/* ---- Random shapes ---- */
static ghz_shape random_shape(uint64_t *state) {
  int dims = 2 + (int)input_below(state, 2);
  ghz_shape s = {dims, {0, 0, 0}};
  for (int i = 0; i < 3; i++)
    s.extent[i] = input_below(state, 12) ? 1 + input_below(state, input_below(state, 3) ? 20 : 70)
                                         : input_below(state, 2);
  return s;
}

Test(shapes, random, .timeout = 600) {
  POOL(pool);
  uint64_t state = 11;
  for (int round = 0; round < effort(150); round++) {
    SCOPE;
    ghz_shape shape = random_shape(&state);
    ghz_lattice l = lattice_with_fill(&state);
    int order = (int)input_below(&state, 3 + (uint64_t)order_most(&shape)) - 2;
    double amount = ldexp(1 + input_uniform(&state) / 2, (int)input_below(&state, 18));
    void *x = field_make((field_kind)input_below(&state, FIELD_KINDS), &l, &shape, amount, state);
    same_codec(&pool, &l, &shape, input_below(&state, 3) ? order : GHZ_ORDER_BEST, x, say("round %d", round));
  }
}

/* ---- Sums ---- */
enum { OPERANDS = 8 };

/* Operands whose tiles have coefficients, any order, turned and not, any mode, specials, raw tiles
 * and none. */
static void make_operands(const ghz_lattice *l, const ghz_shape *shape, uint64_t seed, ref_bytes s[OPERANDS],
                          void *x[OPERANDS]) {
  static const struct {
    field_kind kind;
    double amount;
    int order;
  } of[OPERANDS] = {
      {WAVES, 60, GHZ_ORDER_BEST},      {PATCHES, 900, GHZ_ORDER_BEST},   {WAVES, 3e6, 2},
      {LAND, 300, GHZ_ORDER_BEST},      {ROUGH, 3e9, GHZ_ORDER_BEST},     {SHOCK, 40000, GHZ_ORDER_LORENZO},
      {ROUGH, 1000, GHZ_ORDER_LORENZO}, {PATCHES, 0x1p60, GHZ_ORDER_BEST}};
  CONTEXT(ctx, NULL, 1);
  for (int i = 0; i < OPERANDS; i++) {
    x[i] = field_make(of[i].kind, l, shape, of[i].amount, seed + (uint64_t)i);
    s[i] = compress_shape(ctx, l, of[i].order, x[i], shape);
  }
}

static const ghz_shape sum_shapes[] = {
    {3, {8, 8, 16}}, {3, {9, 17, 40}}, {3, {2, 3, 5}}, {2, {1, 32, 32}}, {2, {2, 40, 45}}};

/* Every operation against the reference, on every instruction set. */
static void check_operations(const context_pool *pool, const ref_bytes s[OPERANDS], int k, const char *what) {
  static const int64_t factors[OPERANDS] = {3, -2, 1, 100, 0, -1, 2, 1};
  ref_bytes all = ref_combine((size_t)k, s, factors, REF_PLAIN, 1), total = ref_sum((size_t)k, s),
            average = ref_mean((size_t)k, s), less = ref_combine(1, &s[0], (int64_t[]){-1}, REF_PLAIN, 1);
  for (size_t c = 0; c < pool->count; c++) {
    SCOPE;
    ghz_context *ctx = pool->ctx[c];
    const char *which = say("%s, %s, %d threads", what, ghz_context_isa(ctx), ghz_context_threads(ctx));
    same_bytes(sum(ctx, (size_t)k, s), total, say("%s: sum", which));
    same_bytes(combine(ctx, (size_t)k, s, factors), all, say("%s: combination", which));
    same_bytes(mean(ctx, (size_t)k, s), average, say("%s: mean", which));
    same_bytes(negate(ctx, s[0]), less, say("%s: negation", which));
    same_bytes(scale(ctx, s[3], -1.0 / 3), ref_scale(s[3], -1.0 / 3), say("%s: scale", which));
  }
  same_decoded(pool, total, what);
  same_decoded(pool, all, what);
}

static void check_pairs(const context_pool *pool, const ref_bytes s[OPERANDS], const char *what) {
  for (int i = 0; i < OPERANDS; i++)
    for (int j = 0; j < OPERANDS; j++) {
      SCOPE;
      ref_bytes two[2] = {s[i], s[j]}, both = ref_sum(2, two),
                difference = ref_combine(2, two, (int64_t[]){1, -1}, REF_PLAIN, 1);
      for (size_t c = 0; c < pool->count; c++) {
        SCOPE;
        same_bytes(add(pool->ctx[c], s[i], s[j]), both, say("%s: %d + %d", what, i, j));
        same_bytes(subtract(pool->ctx[c], s[i], s[j]), difference, say("%s: %d - %d", what, i, j));
      }
    }
}

Test(shapes, operations, .timeout = 600) {
  POOL(pool);
  for (size_t i = 0; i < COUNT(sum_shapes); i++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++) {
      SCOPE;
      ghz_lattice l = lattice_filled((ghz_type)type, 0.02, i);
      ref_bytes s[OPERANDS];
      void *x[OPERANDS];
      make_operands(&l, &sum_shapes[i], i, s, x);
      check_operations(&pool, s, OPERANDS, say("%s, type %d", shape_text(&sum_shapes[i]), type));
      check_operations(&pool, s, OPERANDS - 1,
                       say("%s, type %d, on the lattice", shape_text(&sum_shapes[i]), type));
      check_pairs(&pool, s, say("%s, type %d", shape_text(&sum_shapes[i]), type));
    }
}

/* Any order of additions gives the same bytes. */
Test(shapes, sums_in_any_order, .timeout = 600) {
  POOL(pool);
  uint64_t state = 3;
  for (size_t i = 0; i < COUNT(sum_shapes); i++)
    for (int round = 0; round < effort(12); round++) {
      SCOPE;
      ghz_lattice l = lattice_with_fill(&state);
      ghz_context *ctx = context_any(&pool, &state);
      ref_bytes s[OPERANDS], total;
      void *x[OPERANDS];
      make_operands(&l, &sum_shapes[i], state, s, x);
      total = sum(ctx, OPERANDS - 1, s);
      for (size_t left = OPERANDS - 1; left > 1; left--) { /* any two become one */
        size_t a = (size_t)input_below(&state, left),
               b = (a + 1 + (size_t)input_below(&state, left - 1)) % left;
        ref_bytes both = add(context_any(&pool, &state), s[a], s[b]);
        s[a < b ? a : b] = both;
        s[a < b ? b : a] = s[left - 1];
      }
      same_bytes(s[0], total, say("%s, round %d", shape_text(&sum_shapes[i]), round));
    }
}

/* ---- The bound of sums ---- */
/* |y - z| <= terms * eb, in exact arithmetic. */
static void check_sum(ref_bytes total, ghz_type out, const ghz_lattice *l, const int64_t factors[OPERANDS],
                      void *const x[OPERANDS], const char *what) {
  SCOPE;
  CONTEXT(ctx, NULL, 1);
  ghz_info info = info_of(total);
  const void *y = decompress(ctx, total, out);
  for (size_t j = 0; j < info.count; j++) {
    quad z = 0, got = value_at(out, y, j);
    for (int k = 0; k < OPERANDS - 1; k++)
      z += factors[k] ? (quad)factors[k] * value_at(l->type, x[k], j) : 0;
    quad error = got > z ? got - z : z - got;
    cr_assert(!isfinite((double)z) || error <= (quad)l->eb * info.terms, "%s, value %zu: %g of %g", what, j,
              (double)error, l->eb * info.terms);
  }
}

/* Decoded to float32, without the operand that is wide. */
Test(shapes, bound_of_sums, .timeout = 600) {
  CONTEXT(ctx, NULL, 1);
  static const int64_t all[OPERANDS] = {3, -2, 1, 1000, 5, -1, 2, 0},
                       narrow[OPERANDS] = {3, -2, 1, 1000, 0, -1, 2, 0};
  for (size_t i = 0; i < COUNT(sum_shapes); i++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++)
      for (int out = type; out <= GHZ_F64; out++) {
        SCOPE;
        ghz_lattice l = lattice_abs((ghz_type)type, 0.37);
        const int64_t *factors = out == GHZ_F32 ? narrow : all;
        ref_bytes s[OPERANDS];
        void *x[OPERANDS];
        make_operands(&l, &sum_shapes[i], 2 * i, s, x);
        check_sum(combine(ctx, OPERANDS - 1, s, factors), (ghz_type)out, &l, factors, x,
                  say("%s, type %d as %d", shape_text(&sum_shapes[i]), type, out));
      }
}

/* 10^5 terms: with coefficients up to 2^17 times larger, decoded through any path. */
Test(shapes, many_terms, .timeout = 600) {
  POOL(pool);
  for (size_t i = 0; i < COUNT(sum_shapes); i++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++) {
      SCOPE;
      int64_t most = type == GHZ_F32 ? 100000 : 16383 / 2;
      ghz_lattice l = lattice_abs((ghz_type)type, 0.37);
      ref_bytes s[OPERANDS];
      void *x[OPERANDS];
      make_operands(&l, &sum_shapes[i], 2 * i, s, x);
      ref_bytes want = ref_combine(2, s, (int64_t[]){most, most - 1}, REF_PLAIN, 1), acc = s[0];
      for (size_t c = 0; c < pool.count; c++) {
        SCOPE;
        same_bytes(combine(pool.ctx[c], 2, s, (int64_t[]){most, most - 1}), want,
                   say("%s, type %d", shape_text(&sum_shapes[i]), type));
      }
      same_decoded(&pool, want, "many terms");
      for (int doubling = 0; doubling < 12; doubling++)
        acc = add(pool.ctx[doubling % (int)pool.count], acc, acc);
      same_bytes(acc, ref_combine(1, s, (int64_t[]){4096}, REF_PLAIN, 1), "doubled twelve times");
    }
}

/* A hundred thousand additions one by one. */
Test(shapes, accumulate, .timeout = 600) {
  CONTEXT(ctx, NULL, 1);
  ghz_lattice l = lattice_abs(GHZ_F32, 0.37);
  ghz_shape shape = {3, {8, 8, 20}};
  ref_bytes s[2] = {compress_shape(ctx, &l, GHZ_ORDER_BEST, field_make(WAVES, &l, &shape, 60, 1), &shape),
                    compress_shape(ctx, &l, GHZ_ORDER_BEST, field_make(SHOCK, &l, &shape, 900, 2), &shape)};
  ref_bytes acc = bytes_new(ghz_shape_bound(&shape, GHZ_F32, 100001));
  size_t size = s[0].size;
  memcpy(acc.data, s[0].data, size);
  for (int i = 0; i < 100000; i++)
    succeeded(ghz_accumulate(ctx, acc.data, acc.size, &size, view(s[i % 2])), ctx, "accumulate");
  acc.size = size;
  same_bytes(acc, ref_combine(2, s, (int64_t[]){50001, 50000}, REF_PLAIN, 1), "a hundred thousand additions");
}

/* ---- Textures ---- */
/* Integers that are small beside their differences: nothing but an anchor at one of the orders (the
 * first three), an anchor that takes a bit more when it is raised, a bit more at every order, one
 * step, one value. */
static int64_t texture(size_t kind, int z, int y, int x) {
  switch (kind) {
  case 0: return z == 0 && y == 0 ? 7 : 0;
  case 1: return z == 0 ? -8 : 0;
  case 2: return 1;
  case 3: return z ? 0 : (int64_t[]){7, -4, 0}[y < 2 ? y : 2];
  case 4: return (x + y + z) % 2 - 1;
  case 5: return x >= 5;
  default: return z + y + x == 0;
  }
}

enum { TEXTURES = 7 };

static ref_bytes textured(const ref_header *h, size_t kind, int order) {
  ref_tile *t = scratch(sizeof *t);
  uint8_t *tile = scratch(REF_TILE_ROOM);
  int wide = h->dims == 3 ? 16 : 32, lines = h->dims == 3 ? 8 : 32;
  memset(t, 0, sizeof *t);
  ref_tile_shape(h, 0, t);
  t->order = order;
  for (int i = 0; i < REF_TILE; i++)
    t->q[i] = ref_inside(t, i) ? texture(kind, i / wide / lines, i / wide % lines, i % wide) : 0;
  uint16_t size = (uint16_t)ref_tile_encode(h->type, t, tile);
  return ref_assemble(h, &size, tile);
}

/* All of them at all orders, two and three at a time. */
Test(shapes, sums_of_textures, .timeout = 600) {
  static const ghz_shape of[] = {{3, {8, 8, 16}}, {3, {3, 7, 13}}, {2, {1, 32, 32}}, {2, {1, 5, 30}}};
  POOL(pool);
  for (size_t i = 0; i < COUNT(of); i++) {
    ghz_lattice l = lattice_abs((ghz_type)(i % 2), 0.37);
    ref_header h = header_shaped(&l, &of[i]);
    ref_bytes s[4 * TEXTURES];
    size_t orders = (size_t)order_most(&of[i]) + 1, count = TEXTURES * orders;
    for (size_t k = 0; k < count; k++)
      s[k] = textured(&h, k / orders, (int)(k % orders));
    for (size_t k = 0; k < count * count; k++) {
      SCOPE;
      size_t a = k / count, b = k % count, c = (a + 3 * b) % count;
      ref_bytes of_two = ref_sum(2, (ref_bytes[]){s[a], s[b]}),
                of_three = ref_sum(3, (ref_bytes[]){s[a], s[b], s[c]});
      const char *what = say("%s, textures %zu, %zu and %zu", shape_text(&of[i]), a, b, c);
      for (size_t p = 0; p < pool.count; p += 2) {
        same_bytes(add(pool.ctx[p], s[a], s[b]), of_two, what);
        same_bytes(sum(pool.ctx[p], 3, (ref_bytes[]){s[a], s[b], s[c]}), of_three, what);
      }
    }
  }
}

/* ---- Minimum and maximum ---- */
Test(shapes, extrema) {
  POOL(pool);
  for (size_t i = 0; i < COUNT(sum_shapes); i++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++) {
      SCOPE;
      ghz_lattice l = lattice_abs((ghz_type)type, 0.37);
      const ghz_shape *shape = &sum_shapes[i];
      void *x = field_make(LAND, &l, shape, 300, 1), *y = field_make(SHOCK, &l, shape, 60000, 2);
      ref_bytes a = compress_shape(pool.ctx[0], &l, GHZ_ORDER_LORENZO, x, shape),
                b = compress_shape(pool.ctx[0], &l, 1, y, shape),
                c = compress_shape(pool.ctx[0], &l, GHZ_ORDER_BEST, x, shape), room = bytes_new(1 << 20);
      for (size_t p = 0; p < pool.count; p++)
        for (int larger = 0; larger < 2; larger++)
          same_bytes(extremum(pool.ctx[p], a, b, larger), ref_extremum(a, b, larger), shape_text(shape));
      size_t size = room.size;
      cr_assert_eq(ghz_maximum(pool.ctx[0], view(a), view(c), room.data, room.size, &size), GHZ_EINVAL);
      cr_assert_not_null(strstr(ghz_context_message(pool.ctx[0]), "GHZ_ORDER_LORENZO"), "%s",
                         ghz_context_message(pool.ctx[0]));
    }
}
