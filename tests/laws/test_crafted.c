/* test_crafted.c: law L2 of streams that no encoder writes: their sums are the reference's on every
 * instruction set, and widths that are too large or bits in ignored columns change no value. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "crafted.h"
#include "fields.h"
#include "support.h"

enum { OPERANDS = 3 };

static const ghz_shape shapes[] = {
    {1, {1, 1, 1024}}, {1, {1, 1, 1500}}, {1, {1, 1, 3}}, {2, {1, 32, 32}}, {2, {1, 40, 21}},
    {3, {8, 8, 16}},   {3, {7, 8, 25}},   {3, {2, 3, 5}}, {3, {8, 1, 16}},  {1, {1, 1, 1}},
};

/* Operands of one round. */
typedef struct crafted {
  ref_bytes least[OPERANDS], loose[OPERANDS];
  int64_t c[OPERANDS];
  int transform;
} crafted;

static crafted craft(const ghz_shape *shape, uint64_t *state) {
  ghz_lattice l = lattice_with_fill(state);
  ref_header h = header_shaped(&l, shape);
  crafted made = {.transform = shape->dims > 1 && input_below(state, 3) > 0};
  uint32_t most = h.cap == 44 ? 16383 / 20 : 8388607 / 20;
  for (int i = 0; i < OPERANDS; i++) {
    h.transform = made.transform && input_below(state, 4) > 0;
    h.terms = input_below(state, 2) ? 1 : 1 + (uint32_t)(input_below(state, most) >> input_below(state, 20));
    crafted_pair pair = crafted_streams(&h, state);
    made.least[i] = pair.least;
    made.loose[i] = pair.loose;
    made.c[i] = (int64_t)input_below(state, 13) - 6;
    cr_assert_eq(ref_check(pair.least.data, pair.least.size), REF_GOOD);
    cr_assert_neq(ref_check(pair.loose.data, pair.loose.size), REF_BAD);
  }
  return made;
}

/* That a stream has the values of another. */
static void check_values(ghz_context *ctx, ref_bytes got, ref_bytes want, const char *what) {
  ghz_info info = info_of(want);
  void *values = scratch((size_t)info.count * 8);
  cr_assert_neq(ref_check(got.data, got.size), REF_BAD, "%s", what);
  for (ghz_type out = info.lattice.type; out <= GHZ_F64; out++) {
    ref_decode(want.data, (int)out, values);
    same_values(decompress(ctx, got, out), values, (size_t)info.count, out,
                say("%s, as type %d", what, (int)out));
  }
}

static void check_round(const context_pool *pool, const crafted *o, const char *what) {
  static const int64_t minus[] = {1, -1};
  ref_bytes total = ref_sum(3, o->least), all = ref_combine(3, o->least, o->c, REF_PLAIN, 1),
            both = ref_sum(2, o->least), less = ref_combine(2, o->least + 1, minus, REF_PLAIN, 1);
  for (size_t i = 0; i < pool->count; i++) {
    SCOPE;
    ghz_context *ctx = pool->ctx[i];
    const char *which = say("%s, %s", what, ghz_context_isa(ctx));
    for (int k = 0; k < OPERANDS; k++)
      check_values(ctx, o->loose[k], o->least[k], say("%s: operand %d", which, k));
    same_bytes(add(ctx, o->least[0], o->least[1]), both, say("%s: a + b", which));
    same_bytes(add(ctx, o->least[1], o->least[0]), both, say("%s: b + a", which));
    same_bytes(subtract(ctx, o->least[1], o->least[2]), less, say("%s: b - c", which));
    same_bytes(sum(ctx, 3, o->least), total, say("%s: a + b + c", which));
    same_bytes(combine(ctx, 3, o->least, o->c), all, say("%s: combination", which));
    ref_bytes loose[] = {sum(ctx, 3, o->loose), add(ctx, o->loose[0], o->loose[1]),
                         combine(ctx, 3, o->loose, o->c)};
    check_values(ctx, loose[0], total, say("%s: loose a + b + c", which));
    check_values(ctx, loose[1], both, say("%s: loose a + b", which));
    check_values(ctx, loose[2], all, say("%s: loose combination", which));
  }
}

static void check_others(ghz_context *ctx, const crafted *o, const char *what) {
  same_bytes(scale(ctx, o->least[0], -1.0 / 3), ref_scale(o->least[0], -1.0 / 3), say("%s: scale", what));
  static const int64_t first[] = {1, 0};
  same_bytes(combine(ctx, 2, o->least, first), ref_combine(2, o->least, first, REF_PLAIN, 1),
             say("%s: a", what));
  same_bytes(mean(ctx, 3, o->least), ref_mean(3, o->least), say("%s: mean", what));
  for (int larger = 0; larger < 2 && !o->transform; larger++)
    same_bytes(extremum(ctx, o->least[0], o->least[1], larger), ref_extremum(o->least[0], o->least[1], larger),
               say("%s: extremum", what));
}

Test(crafted, sums, .timeout = 300) {
  POOL(pool);
  uint64_t state = 12;
  for (int round = 0; round < effort(100); round++)
    for (size_t s = 0; s < COUNT(shapes); s++) {
      SCOPE;
      const char *what =
          say("round %d, %s, state %llx", round, shape_text(&shapes[s]), (unsigned long long)state);
      crafted o = craft(&shapes[s], &state);
      check_round(&pool, &o, what);
      check_others(context_any(&pool, &state), &o, what);
    }
}
