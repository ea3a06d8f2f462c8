/* test_life.c: law L4 over a long life: arrays added to one stream, one after the other, scaled on
 * the way, or outside the lattice. (test_long.c adds a million.) */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "long_life.h"
#include <math.h>

Test(life, every_instruction_set, .timeout = 600) {
  for (size_t isa = 0; isa < isa_count(); isa++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++)
      live((ghz_type)type, isa_name(isa), 33000);
}

/* One by one is all at once, for numbers of operands that need one pass or more. */
Test(life, one_sum_of_many) {
  enum { MANY = 1000 };
  CONTEXT(ctx, NULL, 2);
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    pool *p = pool_new(ctx, (ghz_type)type);
    life l = life_begin(p, ctx, MANY);
    ref_bytes added[MANY] = {p->stream[0]};
    for (int a = 0; l.past.terms < MANY;) {
      SCOPE;
      uint32_t k = l.past.terms;
      a = life_add(&l, a);
      added[k] = p->stream[a];
      if (k + 1 > 70 && k + 1 < MANY)
        continue;
      ref_bytes at_once = sum(ctx, k + 1, added);
      same_bytes(at_once, l.sum, say("a sum of %u, type %d", k + 1, type));
    }
  }
}

/* ---- Scaled on the way ---- */
static void scale_in_place(life *l, double factor) {
  SCOPE;
  ref_bytes now = {l->sum.data, l->sum.size}, next = scale(l->ctx, now, factor);
  cr_assert_leq(next.size, l->capacity);
  memcpy(l->sum.data, next.data, next.size);
  l->sum.size = next.size;
}

/* A sum that is scaled now and then, and goes on with arrays scaled alike, is the scaled sum. */
static void live_scaled(ghz_type type) {
  SCOPE;
  static const double factors[] = {1.25, 0x1.55554p-2, -0x1.62e42p-1, 0x1.921fcp+1, -0x1.99998p-4, 0x1.2p0};
  CONTEXT(ctx, NULL, 1);
  pool *p = pool_new(ctx, type);
  ref_bytes fresh[POOL];
  quad factor = 1;
  for (int a = 0; a < POOL; a++)
    fresh[a] = bytes_copy(p->stream[a].data, p->stream[a].size);
  life l = life_begin(p, ctx, 60000);
  for (size_t f = 0; f < COUNT(factors); f++) {
    for (int a = 0, k = 0; k < 9000 || l.past.terms % 2; k++)
      a = life_add(&l, a);
    scale_in_place(&l, factors[f]);
    factor *= (quad)factors[f];
    ref_bytes want = combine(ctx, POOL, fresh, l.past.count);
    for (size_t g = 0; g <= f; g++)
      want = scale(ctx, want, factors[g]);
    for (int a = 0; a < POOL; a++)
      p->stream[a] = scale(ctx, p->stream[a], factors[f]);
    const char *what = say("type %d, scaled %zu times, %u terms", (int)type, f + 1, l.past.terms);
    same_bytes(l.sum, want, what);
    check_values(ctx, p, &l.past, l.sum, factor, what);
  }
}

Test(life, scaled_on_the_way, .timeout = 600) {
  live_scaled(GHZ_F32);
  live_scaled(GHZ_F64);
}

/* ---- Values outside the lattice ---- */
/* From the first of them on the stream is inexact; its other tiles stay exact, and terms go on. */
Test(life, outside_the_lattice) {
  enum { ARRAYS = 3, TWO = 2 * GHZ_TILE, TERMS = 16383 };
  CONTEXT(ctx, NULL, 1);
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    ghz_lattice lattice = lattice_abs((ghz_type)type, 0.1);
    double x[TWO];
    uint64_t state = 3;
    ref_bytes s[ARRAYS];
    for (int a = 0; a < ARRAYS; a++) {
      for (int i = 0; i < TWO; i++)
        x[i] = i < GHZ_TILE ? 100 * input_uniform(&state) : a == 2 ? 1e30 : 5.0 * a;
      s[a] = make_stream(ctx, &lattice, GHZ_ORDER_BEST, x, TWO);
    }
    ref_bytes sum = bytes_new(ghz_size_bound(TWO, lattice.type, TERMS));
    size_t capacity = sum.size, size[2];
    memcpy(sum.data, s[0].data, sum.size = s[0].size);
    int64_t count[ARRAYS] = {1, 0, 0};
    for (int k = 1; k < TERMS; k++) {
      int a = k % 500 == 499 ? 2 : k % 2;
      accumulate(ctx, &sum, capacity, s[a]);
      count[a]++;
      cr_assert_eq(info_of(sum).inexact, k >= 499, "%d terms", k + 1);
    }
    cr_assert_eq(info_of(sum).bound, INFINITY);
    ref_bytes at_once = combine(ctx, ARRAYS, s, count);
    const uint8_t *got = ref_tile_at(sum.data, 0, &size[0]), *want = ref_tile_at(at_once.data, 0, &size[1]);
    cr_assert(size[0] == size[1] && memcmp(got, want, size[0]) == 0, "the tile on the lattice");
    cr_assert_eq(info_of(sum).terms, info_of(at_once).terms);
  }
}

Test(life, to_the_limit_of_44_bits) { live_to_the_limit(GHZ_F64, 44); }
