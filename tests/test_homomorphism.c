/* test_homomorphism.c: law L2: computing on streams is exact, byte for byte, in any order and grouping. */
#include "support.h"
#include <math.h>

/* Compresses one random array and holds the bytes against the reference codec. */
static ref_bytes random_stream(ghz_context *ctx, const ghz_lattice *l, size_t n, uint64_t *state) {
  const input *in = &inputs[input_below(state, input_count)];
  uint64_t seed = input_random(state);
  int order = (int)input_below(state, 5) - 1;
  order = order > 2 ? GHZ_ORDER_BEST : order;
  void *x = input_make(in, l->type, n, l->step, seed);
  ref_bytes got = compress(ctx, l, order, x, n);
  ref_header header = header_for(l, n);
  ref_bytes want = ref_compress(&header, order, x);
  same_bytes(got, want,
             say("compress %s, type %d, n %zu, order %d, step %a, seed %llx", in->name, (int)l->type, n, order,
                 l->step, (unsigned long long)seed));
  ref_free(&want);
  free(x);
  return got;
}

static size_t random_length(uint64_t *state) {
  static const size_t lengths[] = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 1000, 1023, 1024, 1025, 2049, 5000};
  return lengths[input_below(state, sizeof lengths / sizeof *lengths)];
}

static ghz_lattice random_lattice(uint64_t *state) {
  ghz_lattice l = lattice_abs((ghz_type)input_below(state, 2),
                              ldexp(1.5 + 0.5 * input_uniform(state), (int)input_below(state, 30) - 15));
  if (l.type == GHZ_F64 && input_below(state, 3) == 0)
    l.cap = 35;
  return l;
}

static void drop(ref_bytes *streams, size_t k) {
  for (size_t i = 0; i < k; i++)
    ref_free(&streams[i]);
}

/* Three operands, the third sometimes the negative of the first. */
static void random_triple(const context_pool *pool, uint64_t *state, ref_bytes *s) {
  ghz_lattice l = random_lattice(state);
  size_t n = random_length(state);
  for (int j = 0; j < 3; j++)
    s[j] = random_stream(context_any(pool, state), &l, n, state);
  if (input_below(state, 3) == 0) {
    ref_free(&s[2]);
    s[2] = negate(context_any(pool, state), s[0]);
  }
}

static int exempt(ref_bytes stream) {
  return info_of(stream).inexact;
}

static void check_add(const context_pool *pool, uint64_t *state, const ref_bytes *s, const char *what) {
  ref_bytes ab = add(context_any(pool, state), s[0], s[1]), ba = add(context_any(pool, state), s[1], s[0]);
  ref_bytes bc = add(context_any(pool, state), s[1], s[2]);
  ref_bytes left = add(context_any(pool, state), ab, s[2]), right = add(context_any(pool, state), s[0], bc);
  ref_bytes all = sum(context_any(pool, state), 3, s);
  ref_bytes want = ref_sum(2, s), want3 = ref_sum(3, s);
  same_bytes(ab, want, say("%s: a + b", what));
  same_bytes(all, want3, say("%s: sum of three", what));
  if (!exempt(left) && !exempt(right)) {
    same_bytes(ba, ab, say("%s: b + a", what));
    same_bytes(right, left, say("%s: a + (b + c)", what));
    same_bytes(all, left, say("%s: sum", what));
  }
  ref_bytes made[8] = {ab, ba, bc, left, right, all, want, want3};
  drop(made, 8);
}

Test(homomorphism, addition_associates_and_commutes, .timeout = 300) {
  context_pool pool = contexts_all();
  uint64_t state = 101;
  for (int round = 0; round < 2500 * effort(); round++) {
    uint64_t start = state;
    ref_bytes s[3];
    random_triple(&pool, &state, s);
    check_add(&pool, &state, s, say("round %d, state %llx", round, (unsigned long long)start));
    drop(s, 3);
  }
  contexts_free(&pool);
}

static void check_difference(const context_pool *pool, uint64_t *state, const ref_bytes *s, const char *what) {
  static const int64_t minus[2] = {1, -1}, one[1] = {-1};
  ref_bytes d = subtract(context_any(pool, state), s[0], s[1]), nb = negate(context_any(pool, state), s[1]);
  ref_bytes want = ref_combine(2, s, minus, REF_PLAIN, 1), want_nb = ref_combine(1, &s[1], one, REF_PLAIN, 1);
  same_bytes(d, want, say("%s: a - b", what));
  same_bytes(nb, want_nb, say("%s: -b", what));
  ref_bytes through = add(context_any(pool, state), s[0], nb), back = negate(context_any(pool, state), nb);
  if (!exempt(d) && !exempt(through))
    same_bytes(through, d, say("%s: a + -b", what));
  ref_bytes made[6] = {d, nb, want, want_nb, through, back};
  drop(made, 6);
}

Test(homomorphism, subtraction_and_negation, .timeout = 300) {
  context_pool pool = contexts_all();
  uint64_t state = 202;
  for (int round = 0; round < 1200 * effort(); round++) {
    uint64_t start = state;
    ref_bytes s[3];
    random_triple(&pool, &state, s);
    check_difference(&pool, &state, s, say("round %d, state %llx", round, (unsigned long long)start));
    drop(s, 3);
  }
  contexts_free(&pool);
}

Test(homomorphism, combinations, .timeout = 300) {
  context_pool pool = contexts_all();
  uint64_t state = 303;
  for (int round = 0; round < 1200 * effort(); round++) {
    uint64_t start = state;
    ref_bytes s[3];
    int64_t c[3];
    random_triple(&pool, &state, s);
    for (int j = 0; j < 3; j++)
      c[j] = (int64_t)input_below(&state, 2 + 2 * (state % 700)) - (int64_t)(state % 700);
    if (round % 5 == 0)
      c[round % 3] = 0;
    if (info_of(s[0]).lattice.cap == 44)
      for (int j = 0; j < 3; j++)
        c[j] %= 1000;
    ref_bytes got = combine(context_any(&pool, &state), 3, s, c), want = ref_combine(3, s, c, REF_PLAIN, 1);
    same_bytes(got, want,
               say("round %d, state %llx, coefficients %lld %lld %lld", round, (unsigned long long)start,
                   (long long)c[0], (long long)c[1], (long long)c[2]));
    ref_free(&got);
    ref_free(&want);
    drop(s, 3);
  }
  contexts_free(&pool);
}

Test(homomorphism, scale_and_mean, .timeout = 300) {
  static const double factors[] = {1, -1, 2, 0.5, -0.1, 3.14159, -7, 1e3, 1.0 / 3};
  context_pool pool = contexts_all();
  uint64_t state = 404;
  for (int round = 0; round < 1000 * effort(); round++) {
    uint64_t start = state;
    ref_bytes s[3];
    random_triple(&pool, &state, s);
    double factor = factors[input_below(&state, sizeof factors / sizeof *factors)];
    ref_bytes scaled = scale(context_any(&pool, &state), s[0], factor), want = ref_scale(s[0], factor);
    same_bytes(scaled, want, say("round %d, state %llx, factor %g", round, (unsigned long long)start, factor));
    size_t k = 1 + (size_t)input_below(&state, 3);
    ref_bytes average = mean(context_any(&pool, &state), k, s), want_average = ref_mean(k, s);
    same_bytes(average, want_average,
               say("round %d, state %llx, mean of %zu", round, (unsigned long long)start, k));
    ref_bytes made[4] = {scaled, want, average, want_average};
    drop(made, 4);
    drop(s, 3);
  }
  contexts_free(&pool);
}

static void check_extremum(const context_pool *pool, uint64_t *state, const ref_bytes *s, int larger,
                           const char *what) {
  ref_bytes ab = extremum(context_any(pool, state), s[0], s[1], larger);
  ref_bytes ba = extremum(context_any(pool, state), s[1], s[0], larger);
  ref_bytes bc = extremum(context_any(pool, state), s[1], s[2], larger);
  ref_bytes left = extremum(context_any(pool, state), ab, s[2], larger);
  ref_bytes right = extremum(context_any(pool, state), s[0], bc, larger);
  ref_bytes want = ref_extremum(s[0], s[1], larger);
  if (!exempt(left) && !exempt(right)) {
    same_bytes(ab, want, say("%s: against the reference", what));
    same_bytes(ba, ab, say("%s: commutes", what));
    same_bytes(right, left, say("%s: associates", what));
  }
  ref_bytes made[6] = {ab, ba, bc, left, right, want};
  drop(made, 6);
}

Test(homomorphism, minimum_and_maximum, .timeout = 300) {
  context_pool pool = contexts_all();
  uint64_t state = 505;
  for (int round = 0; round < 1200 * effort(); round++) {
    uint64_t start = state;
    ref_bytes s[3];
    random_triple(&pool, &state, s);
    for (int larger = 0; larger < 2; larger++)
      check_extremum(&pool, &state, s, larger,
                     say("round %d, state %llx, larger %d", round, (unsigned long long)start, larger));
    drop(s, 3);
  }
  contexts_free(&pool);
}

/* Many operands: one pass, a chain and a tree give the same bytes. */
static ref_bytes chain(const context_pool *pool, uint64_t *state, const ref_bytes *s, size_t k) {
  ref_bytes total = bytes_copy(s[0].data, s[0].size);
  for (size_t i = 1; i < k; i++) {
    ref_bytes next = add(context_any(pool, state), total, s[i]);
    ref_free(&total);
    total = next;
  }
  return total;
}

static ref_bytes tree(const context_pool *pool, uint64_t *state, const ref_bytes *s, size_t k) {
  if (k == 1)
    return bytes_copy(s[0].data, s[0].size);
  size_t cut = 1 + (size_t)input_below(state, k - 1);
  ref_bytes left = tree(pool, state, s, cut), right = tree(pool, state, s + cut, k - cut);
  ref_bytes both = add(context_any(pool, state), right, left);
  ref_free(&left);
  ref_free(&right);
  return both;
}

static ref_bytes accumulated(ghz_context *ctx, const ref_bytes *s, size_t k) {
  ghz_info info = info_of(s[0]);
  ref_bytes acc = bytes_new(ghz_size_bound(info.count, info.lattice.type, (uint32_t)k));
  size_t size = s[0].size;
  memcpy(acc.data, s[0].data, size);
  for (size_t i = 1; i < k; i++)
    succeeded(ghz_accumulate(ctx, acc.data, acc.size, &size, view(s[i])), ctx, "accumulate");
  ref_bytes exact = bytes_copy(acc.data, size);
  ref_free(&acc);
  return exact;
}

/* An input that stays on the lattice, so that no sum is inexact. */
static const input *lattice_input(uint64_t *state) {
  for (;;) {
    const input *in = &inputs[input_below(state, input_count)];
    if (in->plain || strcmp(in->name, "specials") == 0 || strcmp(in->name, "land_mask") == 0)
      return in;
  }
}

Test(homomorphism, many_operands, .timeout = 300) {
  enum { MOST = 40, N = 3000 };
  context_pool pool = contexts_all();
  uint64_t state = 606;
  for (int round = 0; round < 120 * effort(); round++) {
    ghz_lattice l = lattice_abs((ghz_type)input_below(&state, 2), 0.01);
    size_t k = 2 + (size_t)input_below(&state, MOST - 1);
    ref_bytes s[MOST];
    for (size_t j = 0; j < k; j++) {
      void *x = input_make(lattice_input(&state), l.type, N, l.step, input_random(&state));
      s[j] = compress(context_any(&pool, &state), &l, (int)input_below(&state, 4) - 1, x, N);
      free(x);
    }
    ref_bytes once = sum(context_any(&pool, &state), k, s), want = ref_sum(k, s);
    ref_bytes links = chain(&pool, &state, s, k), branches = tree(&pool, &state, s, k);
    ref_bytes acc = accumulated(context_any(&pool, &state), s, k);
    same_bytes(once, want, say("round %d, %zu operands", round, k));
    same_bytes(links, once, say("round %d, %zu operands, chain", round, k));
    same_bytes(branches, once, say("round %d, %zu operands, tree", round, k));
    same_bytes(acc, once, say("round %d, %zu operands, accumulate", round, k));
    ref_bytes made[5] = {once, want, links, branches, acc};
    drop(made, 5);
    drop(s, k);
  }
  contexts_free(&pool);
}

/* ---- Counterexamples that shaped the rules ---- */

static void check_pair(ghz_context *ctx, const ghz_lattice *l, const float *a, int order_a, const float *b,
                       int order_b, size_t n, size_t size, const char *what) {
  ref_bytes s[2] = {compress(ctx, l, order_a, a, n), compress(ctx, l, order_b, b, n)};
  ref_bytes got = add(ctx, s[0], s[1]), want = ref_sum(2, s);
  same_bytes(got, want, what);
  if (size)
    cr_assert_eq(ref_header_read(got.data).n, n);
  ref_bytes made[4] = {s[0], s[1], got, want};
  drop(made, 4);
}

/* Raising the order: column 0 must be cleared, the slope must not come from padding, padding must stay zero,
 * and a block of width 0 after a jump gets a width. */
Test(homomorphism, traps_of_raising_the_order) {
  context_pool pool = contexts_all();
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
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
      for (int pair = 0; pair < 25; pair++)
        for (int orders = 0; orders < 9; orders++)
          check_pair(pool.ctx[c], &l, fields[pair / 5], orders / 3, fields[pair % 5], orders % 3, lengths[k], 0,
                     say("fields %d, orders %d, n %zu, context %zu", pair, orders, lengths[k], c));
  contexts_free(&pool);
}

/* Tiles that cancel keep their order and mode and are one byte; adding a tile of zeros copies. */
Test(homomorphism, cancelling) {
  ghz_context *ctx = context_on(NULL, 1);
  static const char *const names[3] = {"coarse_noise", "fine_noise", "wide_noise"};
  for (int mode = 0; mode < 3; mode++)
    for (int order = 0; order < 3; order++) {
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
      ref_bytes made[3] = {a, d, back};
      drop(made, 3);
      free(x);
    }
  ghz_context_free(ctx);
}

/* The order is not chosen again: q and -q may have different best orders. */
Test(homomorphism, order_is_not_rechosen) {
  ghz_context *ctx = context_on(NULL, 1);
  ghz_lattice l = lattice_abs(GHZ_F32, 0.5);
  uint64_t state = 707;
  for (int round = 0; round < 400; round++) {
    float x[16];
    for (int i = 0; i < 16; i++)
      x[i] = (float)(((double)input_below(&state, 18) - 9) * l.step);
    ref_bytes a = compress(ctx, &l, GHZ_ORDER_BEST, x, 16), b = negate(ctx, a);
    static const int64_t minus = -1;
    ref_bytes want = ref_combine(1, &a, &minus, REF_PLAIN, 1);
    same_bytes(b, want, say("round %d", round));
    ref_bytes made[3] = {a, b, want};
    drop(made, 3);
  }
  ghz_context_free(ctx);
}

/* Sums of raw tiles that fit the lattice are exact too. */
Test(homomorphism, raw_operands_on_the_lattice) {
  context_pool pool = contexts_all();
  uint64_t state = 808;
  for (size_t c = 0; c < pool.count; c++) {
    ghz_lattice l = lattice_abs(GHZ_F32, 1);
    for (size_t n = 1; n < 40; n++) {
      void *x = input_make(input_named("wide_noise"), GHZ_F32, n, l.step, input_random(&state));
      void *y = input_make(input_named("specials"), GHZ_F32, n, l.step, input_random(&state));
      ref_bytes s[2] = {compress(pool.ctx[c], &l, GHZ_ORDER_BEST, x, n), compress(pool.ctx[c], &l, -1, y, n)};
      ref_bytes got = add(pool.ctx[c], s[0], s[1]), want = ref_sum(2, s);
      same_bytes(got, want, say("n %zu", n));
      cr_assert_not(info_of(got).inexact);
      ref_bytes made[4] = {s[0], s[1], got, want};
      drop(made, 4);
      free(x);
      free(y);
    }
  }
  contexts_free(&pool);
}
