/* test_homomorphism.c: law L2: computing on streams is exact, in any order and grouping. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"
#include <math.h>

/* ---- Laws of three random operands ---- */
/* Compresses one random array and holds the bytes against the reference codec. */
static ref_bytes random_stream(ghz_context *ctx, const ghz_lattice *l, size_t n, uint64_t *state) {
  const test_input *in = &inputs[input_below(state, input_count)];
  uint64_t seed = input_random(state);
  int order = (int)input_below(state, 5) - 1;
  order = order > 2 ? GHZ_ORDER_BEST : order;
  void *x = input_make(in, l->type, n, l->step, seed);
  plant_fill(l, x, n, seed);
  ref_bytes got = compress(ctx, l, order, x, n);
  ref_header header = header_for(l, n);
  same_bytes(got, ref_compress(&header, order, x),
             say("compress %s, type %d, n %zu, order %d, step %a, seed %llx", in->name, (int)l->type, n, order,
                 l->step, (unsigned long long)seed));
  return got;
}

/* A round of a law: its operands, and contexts of any kind to compute with. */
typedef struct round_of {
  const context_pool *pool;
  uint64_t *state;
  ref_bytes s[3]; /* the third is sometimes the negative of the first */
  int number;
  const char *what;
} round_of;

static ghz_context *any(const round_of *r) { return context_any(r->pool, r->state); }

static void check_law(void (*law)(const round_of *r), uint64_t state, int rounds) {
  static const size_t lengths[] = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 1000, 1023, 1024, 1025, 2049, 5000};
  POOL(pool);
  for (int i = 0; i < effort(rounds); i++) {
    SCOPE;
    round_of r = {.pool = &pool, .state = &state, .number = i};
    const char *what = say("round %d, state %llx", i, (unsigned long long)state);
    ghz_lattice l = lattice_with_fill(&state);
    size_t n = lengths[input_below(&state, COUNT(lengths))];
    for (int j = 0; j < 3; j++)
      r.s[j] = random_stream(any(&r), &l, n, &state);
    if (input_below(&state, 3) == 0)
      r.s[2] = negate(any(&r), r.s[0]);
    r.what = what;
    law(&r);
  }
}

static int exempt(ref_bytes stream) { return info_of(stream).inexact; }

/* Two operands and three: empty tiles, raw ones, any order and mode; and rule 3, as the reference
 * says of each sum whether it is inexact. */
static void addition(const round_of *r) {
  const ref_bytes *s = r->s;
  ref_bytes ab = add(any(r), s[0], s[1]), bc = add(any(r), s[1], s[2]), all = sum(any(r), 3, s);
  ref_bytes left = add(any(r), ab, s[2]), right = add(any(r), s[0], bc);
  same_bytes(ab, ref_sum(2, s), say("%s: a + b", r->what));
  same_bytes(all, ref_sum(3, s), say("%s: sum of three", r->what));
  if (exempt(left) || exempt(right))
    return;
  same_bytes(add(any(r), s[1], s[0]), ab, say("%s: b + a", r->what));
  same_bytes(right, left, say("%s: a + (b + c)", r->what));
  same_bytes(all, left, say("%s: sum", r->what));
}

static void difference(const round_of *r) {
  static const int64_t minus[2] = {1, -1}, one[1] = {-1};
  const ref_bytes *s = r->s;
  ref_bytes d = subtract(any(r), s[0], s[1]), nb = negate(any(r), s[1]), through = add(any(r), s[0], nb);
  same_bytes(d, ref_combine(2, s, minus, REF_PLAIN, 1), say("%s: a - b", r->what));
  same_bytes(nb, ref_combine(1, &s[1], one, REF_PLAIN, 1), say("%s: -b", r->what));
  if (!exempt(d) && !exempt(through))
    same_bytes(through, d, say("%s: a + -b", r->what));
}

static void combination(const round_of *r) {
  int64_t c[3];
  for (int j = 0; j < 3; j++)
    c[j] = (int64_t)input_below(r->state, 2 + 2 * (*r->state % 700)) - (int64_t)(*r->state % 700);
  if (r->number % 5 == 0) /* rule 1 */
    c[r->number % 3] = 0;
  for (int j = 0; j < 3 && info_of(r->s[0]).lattice.cap == 44; j++)
    c[j] %= 1000;
  same_bytes(
      combine(any(r), 3, r->s, c), ref_combine(3, r->s, c, REF_PLAIN, 1),
      say("%s, coefficients %lld %lld %lld", r->what, (long long)c[0], (long long)c[1], (long long)c[2]));
}

static void scale_and_mean(const round_of *r) {
  static const double factors[] = {1, -1, 2, 0.5, -0.1, 3.14159, -7, 1e3, 1.0 / 3};
  double factor = factors[input_below(r->state, COUNT(factors))];
  size_t k = 1 + (size_t)input_below(r->state, 3);
  same_bytes(scale(any(r), r->s[0], factor), ref_scale(r->s[0], factor), say("%s, factor %g", r->what, factor));
  same_bytes(mean(any(r), k, r->s), ref_mean(k, r->s), say("%s, mean of %zu", r->what, k));
}

static void extrema(const round_of *r) {
  const ref_bytes *s = r->s;
  for (int larger = 0; larger < 2; larger++) {
    const char *what = say("%s, larger %d", r->what, larger);
    ref_bytes ab = extremum(any(r), s[0], s[1], larger), bc = extremum(any(r), s[1], s[2], larger);
    ref_bytes left = extremum(any(r), ab, s[2], larger), right = extremum(any(r), s[0], bc, larger);
    if (exempt(left) || exempt(right))
      continue;
    same_bytes(ab, ref_extremum(s[0], s[1], larger), say("%s: against the reference", what));
    same_bytes(extremum(any(r), s[1], s[0], larger), ab, say("%s: commutes", what));
    same_bytes(right, left, say("%s: associates", what));
  }
}

#define LAW(name, state, rounds)                                                                               \
  Test(homomorphism, name, .timeout = 300) { check_law(name, state, rounds); }

LAW(addition, 101, 2500)
LAW(difference, 202, 1200)
LAW(combination, 303, 1200)
LAW(scale_and_mean, 404, 1000)
LAW(extrema, 505, 1200)

/* ---- Many operands: one pass, a chain and a tree give the same bytes ---- */
static ref_bytes chain(const context_pool *pool, uint64_t *state, const ref_bytes *s, size_t k) {
  ref_bytes total = s[0];
  for (size_t i = 1; i < k; i++)
    total = add(context_any(pool, state), total, s[i]);
  return total;
}

static ref_bytes tree(const context_pool *pool, uint64_t *state, const ref_bytes *s, size_t k) {
  if (k == 1)
    return s[0];
  size_t cut = 1 + (size_t)input_below(state, k - 1);
  ref_bytes left = tree(pool, state, s, cut), right = tree(pool, state, s + cut, k - cut);
  return add(context_any(pool, state), right, left);
}

static ref_bytes accumulated(ghz_context *ctx, const ref_bytes *s, size_t k) {
  ghz_info info = info_of(s[0]);
  ref_bytes acc = bytes_new(ghz_size_bound(info.count, info.lattice.type, (uint32_t)k));
  size_t size = s[0].size;
  memcpy(acc.data, s[0].data, size);
  for (size_t i = 1; i < k; i++)
    succeeded(ghz_accumulate(ctx, acc.data, acc.size, &size, view(s[i])), ctx, "accumulate");
  return (ref_bytes){acc.data, size};
}

/* An input that stays on the lattice, so that no sum is inexact. */
static const test_input *lattice_input(uint64_t *state) {
  for (;;) {
    const test_input *in = &inputs[input_below(state, input_count)];
    if (in->plain || strcmp(in->name, "specials") == 0 || strcmp(in->name, "land_mask") == 0)
      return in;
  }
}

Test(homomorphism, many_operands, .timeout = 300) {
  enum { MOST = 40, N = 3000 };
  POOL(pool);
  uint64_t state = 606;
  for (int round = 0; round < effort(120); round++) {
    SCOPE;
    ghz_lattice l = lattice_abs((ghz_type)input_below(&state, 2), 0.01);
    size_t k = 2 + (size_t)input_below(&state, MOST - 1);
    ref_bytes s[MOST];
    for (size_t j = 0; j < k; j++) {
      void *x = input_make(lattice_input(&state), l.type, N, l.step, input_random(&state));
      s[j] = compress(context_any(&pool, &state), &l, (int)input_below(&state, 4) - 1, x, N);
    }
    ref_bytes once = sum(context_any(&pool, &state), k, s);
    same_bytes(once, ref_sum(k, s), say("round %d, %zu operands", round, k));
    same_bytes(chain(&pool, &state, s, k), once, say("round %d, %zu operands, chain", round, k));
    same_bytes(tree(&pool, &state, s, k), once, say("round %d, %zu operands, tree", round, k));
    same_bytes(accumulated(context_any(&pool, &state), s, k), once,
               say("round %d, %zu operands, accumulate", round, k));
  }
}

/* ---- Counterexamples that shaped the rules ---- */
static void check_pair(ghz_context *ctx, const ghz_lattice *l, const float *a, int order_a, const float *b,
                       int order_b, size_t n, const char *what) {
  SCOPE;
  ref_bytes s[2] = {compress(ctx, l, order_a, a, n), compress(ctx, l, order_b, b, n)};
  same_bytes(add(ctx, s[0], s[1]), ref_sum(2, s), what);
}

/* Rule 5, raising the order: column 0 must be cleared, the slope must not come from padding,
 * padding must stay zero, and a block of width 0 after a jump gets a width. */
Test(homomorphism, traps_of_raising_the_order) {
  POOL(pool);
  ghz_lattice l = lattice_abs(GHZ_F32, 0.5);
  float slope[1024], zero[1024] = {0}, flat[1024], first[1024], parity[1024];
  for (int i = 0; i < 1024; i++) {
    slope[i] = (float)((5 + 3 * i) * l.step);
    flat[i] = (float)(30000 * l.step);
    first[i] = i < 8 ? (float)(1000 * l.step) : 0;
    parity[i] = (float)((i % 2 ? 3 : -3) * l.step);
  }
  static const size_t lengths[] = {1, 2, 3, 7, 8, 9, 1000, 1023, 1024};
  const float *const fields[5] = {slope, zero, flat, first, parity};
  for (size_t c = 0; c < pool.count; c++)
    for (size_t k = 0; k < COUNT(lengths); k++)
      for (int pair = 0; pair < 25; pair++)
        for (int orders = 0; orders < 9; orders++)
          check_pair(pool.ctx[c], &l, fields[pair / 5], orders / 3, fields[pair % 5], orders % 3, lengths[k],
                     say("fields %d, orders %d, n %zu, context %zu", pair, orders, lengths[k], c));
}

/* Tiles that cancel keep their order and mode and are one byte: rule 6. Adding a tile of zeros
 * copies. */
Test(homomorphism, cancelling) {
  CONTEXT(ctx, NULL, 1);
  static const char *const names[3] = {"coarse_noise", "fine_noise", "wide_noise"};
  for (int mode = 0; mode < 3; mode++)
    for (int order = 0; order < 3; order++) {
      SCOPE;
      ghz_lattice l = lattice_abs(GHZ_F64, 1);
      void *x = input_make(input_named(names[mode]), GHZ_F64, 1024, l.step, 3);
      ref_bytes a = compress(ctx, &l, order, x, 1024), d = subtract(ctx, a, a), back = add(ctx, d, a);
      size_t size;
      const uint8_t *tile = ref_tile_at(d.data, 0, &size);
      cr_assert_eq(size, (size_t)(mode || order), "mode %d, order %d: %zu bytes", mode, order, size);
      if (size)
        cr_assert_eq(tile[0], order | mode << 3);
      size_t size_a, size_b;
      const uint8_t *pa = ref_tile_at(a.data, 0, &size_a), *pb = ref_tile_at(back.data, 0, &size_b);
      cr_assert(size_a == size_b && memcmp(pa, pb, size_a) == 0, "mode %d, order %d", mode, order);
    }
}

/* Rule 2: sums of raw tiles that fit the lattice are exact too. */
Test(homomorphism, raw_operands_on_the_lattice) {
  POOL(pool);
  uint64_t state = 808;
  for (size_t c = 0; c < pool.count; c++) {
    ghz_lattice l = lattice_abs(GHZ_F32, 1);
    for (size_t n = 1; n < 40; n++) {
      SCOPE;
      void *x = input_make(input_named("wide_noise"), GHZ_F32, n, l.step, input_random(&state));
      void *y = input_make(input_named("specials"), GHZ_F32, n, l.step, input_random(&state));
      ref_bytes s[2] = {compress(pool.ctx[c], &l, GHZ_ORDER_BEST, x, n), compress(pool.ctx[c], &l, -1, y, n)};
      ref_bytes got = add(pool.ctx[c], s[0], s[1]), want = ref_sum(2, s);
      same_bytes(got, want, say("n %zu", n));
      cr_assert_not(info_of(got).inexact);
    }
  }
}
