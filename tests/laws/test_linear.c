/* test_linear.c: linear combinations of streams whose lattices are multiples of each other: the
 * laws that they keep, and what is refused. (Bytes and bounds: test_homomorphism.c.) */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "support.h"
#include <math.h>

enum { OPERANDS = 4 };

static const ghz_shape shapes[] = {{1, {1, 1, 0}},   {1, {1, 1, 7}},   {1, {1, 1, 1024}}, {1, {1, 1, 3000}},
                                   {2, {1, 40, 70}}, {2, {2, 33, 32}}, {3, {8, 8, 16}},   {3, {9, 17, 20}}};

/* ---- Operands -------------------------------------------------------------------------------- */

/* Of as many streams as divide the lattice so: some of them the same. */
static ref_bytes mean_of(ghz_context *ctx, const ghz_lattice *l, const ghz_shape *shape, size_t count,
                         uint64_t *state) {
  ref_bytes *all = scratch(count * sizeof *all);
  for (size_t i = 0; i < count; i++)
    all[i] = i < 2 ? stream_any(ctx, l, shape, state) : all[i % 2];
  return mean(ctx, count, all);
}

/* ---- Laws ------------------------------------------------------------------------------------ */

static int exact(ref_bytes stream) { return !info_of(stream).inexact; }

/* By the call for slices, which divides one. */
static ref_bytes divided(ghz_context *ctx, ref_bytes stream, uint64_t by) {
  const ghz_info info = info_of(stream);
  const ghz_slice whole = slice_of(stream, 0, info.tiles);
  const uint32_t terms = info.terms ? info.terms : 1;
  ghz_slice result;
  ref_bytes room = bytes_new(ghz_slice_bound(&info.shape, info.tiles, info.lattice.type, terms)),
            joined = bytes_new(ghz_shape_bound(&info.shape, info.lattice.type, terms));
  succeeded(ghz_slice_mean(ctx, &whole, by, room.data, room.size, &result), ctx, "slice_mean");
  succeeded(ghz_slice_join(ctx, 1, &result, joined.data, joined.size, &joined.size), ctx, "join");
  return joined;
}

/* x - m is what the mean of as many copies of x less m is. */
Test(linear, of_a_coarser_operand_is_that_of_a_mean_of_its_copies, .timeout = 300) {
  POOL(pool);
  uint64_t state = 73;
  static const int64_t minus[2] = {1, -1};
  for (int round = 0; round < effort(120); round++) {
    SCOPE;
    const ghz_shape *shape = &shapes[input_below(&state, COUNT(shapes))];
    const ghz_lattice l = lattice_with_fill(&state);
    ghz_context *ctx = context_any(&pool, &state);
    const size_t k = 2 + (size_t)input_below(&state, 20);
    const ref_bytes m = mean_of(ctx, &l, shape, k, &state), x = stream_any(ctx, &l, shape, &state);
    ref_bytes *copies = scratch(k * sizeof *copies);
    for (size_t i = 0; i < k; i++)
      copies[i] = x;
    const ref_bytes same = subtract(ctx, mean(ctx, k, copies), m),
                    got = linear(ctx, 2, (ref_bytes[]){x, m}, minus, 1);
    if (exact(same) && exact(got))
      same_bytes(got, same, say("round %d, %zu copies, state %llx", round, k, (unsigned long long)state));
  }
}

/* What was divided several times is what as many copies of x, so divided, are. */
Test(linear, of_what_was_divided_in_turn) {
  static const int chains[][4] = {{10, 10}, {12, 30}, {30, 12}, {11, 11, 3}, {10, 10, 10}, {7, 7, 7, 7}};
  POOL(pool);
  uint64_t state = 74;
  for (size_t round = 0; round < 2 * COUNT(chains); round++) {
    SCOPE;
    const ghz_shape *shape = &shapes[1 + round % 7];
    const ghz_lattice l = lattice_abs(round % 2 ? GHZ_F32 : GHZ_F64, 0.01 * (double)(1 + round));
    ghz_context *ctx = context_any(&pool, &state);
    const ref_bytes x = stream_any(ctx, &l, shape, &state);
    ref_bytes part = x, copies = x;
    int64_t f = 1;
    for (int i = 0; i < 4 && chains[round / 2][i]; i++)
      f *= chains[round / 2][i];
    copies = combine(ctx, 1, &x, &f);
    for (int i = 0; i < 4 && chains[round / 2][i]; i++) {
      part = divided(ctx, part, (uint64_t)chains[round / 2][i]);
      copies = divided(ctx, copies, (uint64_t)chains[round / 2][i]);
    }
    const ref_bytes both[2] = {part, x};
    const ref_bytes got = linear(ctx, 2, both, (int64_t[]){1, -1}, 1);
    same_bytes(got, ref_linear(2, both, (int64_t[]){1, -1}, 1), say("round %zu: the reference", round));
    if (exact(got))
      same_bytes(got, subtract(ctx, part, copies), say("round %zu: copies", round));
  }
}

/* Anomalies of all sum up to nothing; their bound is that of two values, and of roundings. */
Test(linear, anomalies_sum_up_to_zero) {
  enum { K = 13, N = 5000 };
  CONTEXT(ctx, NULL, 1);
  static const int64_t minus[2] = {1, -1};
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    const ghz_lattice l = lattice_abs((ghz_type)type, 0.01);
    ref_bytes s[K], a[K];
    for (uint64_t i = 0; i < K; i++)
      s[i] = stream_of(ctx, &l, GHZ_ORDER_BEST, "walk", N, i);
    const ref_bytes m = mean(ctx, K, s);
    for (int i = 0; i < K; i++) {
      a[i] = linear(ctx, 2, (ref_bytes[]){s[i], m}, minus, 1);
      const ghz_info info = info_of(a[i]);
      cr_assert(info.terms == 2 * K && info.bound >= 2 * l.eb &&
                    info.bound <= 2 * l.eb * (1 + 1e-9) + 2 * K * 0x1p-8 * l.step / K,
                "bound %g of two of %g", info.bound, l.eb);
    }
    const double *y = decompress(ctx, sum(ctx, K, a), GHZ_F64);
    for (int i = 0; i < N; i++)
      cr_assert_eq(y[i], 0, "value %d", i);
  }
}

/* ---- What is refused ------------------------------------------------------------------------- */

static ghz_status try(ghz_context *ctx, size_t k, const ref_bytes *s, const int64_t *weights,
                      uint64_t divisor) {
  ghz_bytes streams[OPERANDS];
  void *made = ctx;
  size_t size = 1;
  for (size_t i = 0; i < k; i++)
    streams[i] = view(s[i]);
  const ghz_status status = ghz_linear_alloc(ctx, k, streams, weights, divisor, &made, &size);
  if (status == GHZ_OK)
    free(made);
  else
    cr_assert(made == NULL && size == 0, "something is left");
  return status;
}

#define REFUSED(status, words, ...) says(try(ctx, __VA_ARGS__), status, ctx, words, #__VA_ARGS__)

Test(linear, says_which_lattices_do_not_combine) {
  enum { N = 2000 };
  CONTEXT(ctx, NULL, 1);
  const int64_t minus[3] = {1, -1, 1};
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01), other = lattice_abs(GHZ_F32, 0.007);
  const ref_bytes a = stream_of(ctx, &l, 1, "walk", N, 1), b = stream_of(ctx, &other, 1, "walk", N, 2),
                  third = mean(ctx, 3, (ref_bytes[]){a, a, a}), half = mean(ctx, 2, (ref_bytes[]){a, a});
  REFUSED(GHZ_EMISMATCH, say("step %.17g in operand 0, %.17g in operand 1: neither", l.step, other.step), 2,
          ((ref_bytes[]){a, b}), minus, 1);
  REFUSED(GHZ_EMISMATCH, "add and subtract before scaling, or ghz_linear with the streams that the mean is of",
          2, ((ref_bytes[]){third, half}), minus, 1);
  REFUSED(GHZ_EMISMATCH, "in operand 1, ", 3, ((ref_bytes[]){third, half, a}), minus, 1);
  REFUSED(GHZ_EMISMATCH, "step", 2, ((ref_bytes[]){a, half}), NULL, 1); /* a sum is of equal lattices */
}

Test(linear, checks_its_arguments) {
  CONTEXT(ctx, NULL, 1);
  const int64_t one[2] = {1, 1};
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  const ref_bytes a = stream_of(ctx, &l, 1, "walk", 2000, 1), cut = {a.data, a.size - 1};
  uint8_t dst[100];
  size_t size;
  REFUSED(GHZ_EINVAL, "divisor is 0", 1, &a, one, 0);
  REFUSED(GHZ_EINVAL, "no operands", 0, &a, one, 1);
  REFUSED(GHZ_ECORRUPT, "header", 2, ((ref_bytes[]){a, cut}), one, 1);
  cr_expect_eq(ghz_linear(ctx, 1, NULL, one, 1, dst, sizeof dst, &size), GHZ_EINVAL);
  cr_expect_eq(ghz_linear(ctx, 1, &(ghz_bytes){a.data, a.size}, one, 1, dst, sizeof dst, NULL), GHZ_EINVAL);
  cr_expect_eq(ghz_linear(ctx, 1, &(ghz_bytes){a.data, a.size}, one, 1, NULL, sizeof dst, &size), GHZ_EINVAL);
  cr_expect_eq(ghz_linear(ctx, 1, &(ghz_bytes){a.data, a.size}, one, 1, dst, sizeof dst, &size), GHZ_ECAPACITY);
  const ghz_lattice least = {GHZ_F32, 35, 0x1p-119, 0x1p-119, 0, 0};
  const ref_bytes tiny = stream_of(ctx, &least, 1, "walk", 2000, 1);
  REFUSED(GHZ_EINVAL, "leaves the range", 1, &tiny, one, 3);
}

Test(linear, counts_terms_before_it_refuses) {
  CONTEXT(ctx, NULL, 1);
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01), wide = lattice_abs(GHZ_F64, 0.01);
  const ref_bytes a = stream_of(ctx, &l, 1, "walk", 2000, 1), b = stream_of(ctx, &wide, 1, "walk", 2000, 1),
                  half = mean(ctx, 2, (ref_bytes[]){a, a}), none = combine(ctx, 1, &a, (int64_t[]){0});
  REFUSED(GHZ_ERANGE, "8388608 terms, more than 8388607", 2, ((ref_bytes[]){a, half}),
          ((int64_t[]){4194303, -1}), 1);
  cr_expect_eq(try(ctx, 2, (ref_bytes[]){a, half}, (int64_t[]){4194302, -1}, 1), GHZ_OK);
  REFUSED(GHZ_ERANGE, "16384 terms, more than 16383", 1, &b, ((int64_t[]){-16384}), 1);
  REFUSED(GHZ_ERANGE, "18446744073709551615 terms or more", 2, ((ref_bytes[]){a, half}),
          ((int64_t[]){INT64_MIN, 1}), 1);
  REFUSED(GHZ_ERANGE, "18446744073709551615 terms or more", 3, ((ref_bytes[]){a, a, a}),
          ((int64_t[]){INT64_MIN, INT64_MIN, INT64_MAX}), 7);
  /* Of what has no terms any number. */
  cr_expect_eq(try(ctx, 2, (ref_bytes[]){none, half}, (int64_t[]){INT64_MIN, 1}, 1), GHZ_OK);
}
