/* test_tally.c: numbers of many streams, gathered in a tally, which may be any bytes; and what the
 * calls for numbers refuse. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/numbers.h>

#include "damage.h"
#include "fields.h"
#include "support.h"
#include <math.h>
#include <string.h>

/* ---- Tallies ---- */
/* The pieces of an array, in any order of additions and merges, give what the whole array gives. */
Test(tally, pieces_give_what_the_whole_gives) {
  uint64_t state = 81;
  POOL(pool);
  for (int i = 0; i < effort(100); i++) {
    SCOPE;
    enum { PIECES = 4, N = 1700 };
    const test_input *in = &inputs[input_below(&state, input_count)];
    ghz_lattice l = lattice_any(&state);
    uint64_t seed = input_random(&state);
    size_t value = ghz_type_size(l.type);
    uint8_t *x = input_make(in, l.type, PIECES * N, l.step, seed), *y = scratch(PIECES * N * value);
    for (size_t v = 0; v < PIECES * N; v++)
      memcpy(y + v * value, x + (v * 7 + 3) % (PIECES * N) * value, value);
    ref_bytes whole[2] = {compress(pool.ctx[0], &l, 0, x, PIECES * N),
                          compress(pool.ctx[0], &l, 0, y, PIECES * N)};
    ghz_tally one[3] = {0}, pairs[3] = {0};
    for (int p = 0; p < PIECES; p++) {
      ghz_context *ctx = context_any(&pool, &state);
      ref_bytes a = compress(ctx, &l, 1, x + (size_t)p * N * value, N),
                b = compress(ctx, &l, 1, y + (size_t)p * N * value, N);
      succeeded(ghz_tally_add(ctx, &one[p / 2], view(a)), ctx, "tally");
      succeeded(ghz_tally_add_pair(ctx, &pairs[p / 2], view(a), view(b)), ctx, "tally of pairs");
    }
    succeeded(ghz_tally_merge(&one[2], &one[1]), NULL, "merge into nothing");
    succeeded(ghz_tally_merge(&one[2], &one[0]), NULL, "merge");
    succeeded(ghz_tally_merge(&pairs[0], &pairs[1]), NULL, "merge pairs");
    ghz_summary s, want;
    ghz_comparison c, want_c;
    succeeded(ghz_tally_summary(&one[2], &s), NULL, "summary");
    succeeded(ghz_tally_comparison(&pairs[0], NULL, &c), NULL, "comparison");
    succeeded(ghz_moments(pool.ctx[0], view(whole[0]), &want), pool.ctx[0], "whole");
    succeeded(ghz_difference(pool.ctx[0], view(whole[0]), view(whole[1]), &want_c), pool.ctx[0], "whole pair");
    const char *what = say("round %d, %s", i, in->name);
    cr_assert_eq(s.count, want.count, "%s", what);
    cr_assert_eq(c.count, want_c.count, "%s", what);
    ghz_statistics statistics;
    ghz_scan(pool.ctx[0], view(whole[0]), &statistics);
    if (in->plain && statistics.raw == 0 && statistics.mode[0] == ref_tiles(PIECES * N)) {
      cr_assert_eq(memcmp(&s, &want, sizeof s), 0, "%s: summary", what);
      cr_assert_eq(memcmp(&c, &want_c, sizeof c), 0, "%s: comparison", what);
    }
  }
}

Test(tally, streams_of_any_lattice_in_a_tally) {
  CONTEXT(ctx, NULL, 1);
  ghz_tally t = {0};
  ghz_summary s;
  static const float x[3] = {1, 2, 3};
  static const double y[2] = {-0.5, 10};
  ghz_lattice coarse = lattice_abs(GHZ_F32, 0.25), fine = lattice_abs(GHZ_F64, 1e-9);
  succeeded(ghz_tally_add(ctx, &t, view(compress(ctx, &coarse, -1, x, 3))), ctx, "coarse");
  succeeded(ghz_tally_add(ctx, &t, view(compress(ctx, &fine, -1, y, 2))), ctx, "fine");
  succeeded(ghz_tally_summary(&t, &s), ctx, "summary");
  cr_assert_eq(s.count, 5);
  cr_assert(s.sum.low <= 15.5 && 15.5 <= s.sum.high && s.sum.high - s.sum.low < 2 * 3 * 0.25 + 1e-6);
  cr_assert(s.sum.high - s.sum.low > 2 * 3 * 0.25 - 1e-6);
}

/* ---- Arguments ---- */
Test(tally, arguments) {
  CONTEXT(ctx, NULL, 1);
  ghz_lattice l = lattice_abs(GHZ_F32, 0.25);
  static const float x[4] = {1, 2, 3, 4};
  ghz_bytes a = view(compress(ctx, &l, -1, x, 4));
  ghz_summary s;
  ghz_comparison d;
  ghz_tally t = {0}, before, pairs = {0};
  cr_assert_eq(ghz_moments(ctx, a, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_difference(ctx, a, a, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_tally_add(ctx, NULL, a), GHZ_EINVAL);
  cr_assert_eq(ghz_tally_merge(NULL, &t), GHZ_EINVAL);
  cr_assert_eq(ghz_tally_merge(&t, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_tally_summary(NULL, &s), GHZ_EINVAL);
  cr_assert_eq(ghz_tally_summary(&t, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_tally_comparison(&t, NULL, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_moments(ctx, (ghz_bytes){NULL, 0}, &s), GHZ_EINVAL);
  cr_assert_eq(ghz_moments(ctx, (ghz_bytes){a.data, a.size - 1}, &s), GHZ_ECORRUPT);
  succeeded(ghz_tally_add(ctx, &t, a), ctx, "tally");
  succeeded(ghz_tally_add_pair(ctx, &pairs, a, a), ctx, "pairs");
  before = t;
  cr_assert_eq(ghz_tally_add_pair(ctx, &t, a, a), GHZ_EINVAL);
  cr_assert_eq(ghz_tally_add(ctx, &pairs, a), GHZ_EINVAL);
  cr_assert_eq(ghz_tally_merge(&t, &pairs), GHZ_EINVAL);
  cr_assert_eq(ghz_tally_comparison(&t, NULL, &d), GHZ_EINVAL);
  cr_assert_eq(ghz_tally_summary(&pairs, &s), GHZ_EINVAL);
  cr_assert_eq(ghz_tally_add(ctx, &t, (ghz_bytes){a.data, a.size - 1}), GHZ_ECORRUPT);
  cr_assert_eq(memcmp(&t, &before, sizeof t), 0, "a tally changed in a call that failed");
  t.opaque[1] = UINT64_MAX - 2; /* its positions */
  cr_assert_eq(ghz_tally_add(ctx, &t, a), GHZ_ERANGE);
}

/* Any bytes as a tally, as of a rank that is not trusted: numbers, and no crash. */
Test(tally, any_bytes_are_a_tally) {
  uint64_t state = 82;
  for (int i = 0; i < effort(3000); i++) {
    ghz_tally t, other;
    uint8_t *bytes = (uint8_t *)&t;
    for (size_t k = 0; k < sizeof t; k++)
      bytes[k] = input_below(&state, 3) ? (uint8_t)input_random(&state) : (uint8_t)(0 - input_below(&state, 2));
    t.opaque[0] = input_below(&state, 4); /* its kind */
    ghz_summary s;
    ghz_comparison c;
    ghz_tally_summary(&t, &s);
    ghz_tally_comparison(&t, &(ghz_shape){3, {0, input_below(&state, 3), input_below(&state, 3)}}, &c);
    other = t;
    ghz_tally_merge(&other, &t);
  }
}
