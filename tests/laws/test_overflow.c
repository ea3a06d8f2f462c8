/* test_overflow.c: law L4: terms decide before any write; nothing overflows below their limit. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"
#include <math.h>

static uint32_t limit_of(int cap) { return ((uint32_t)1 << (58 - cap)) - 1; }

static ghz_lattice lattice_with(ghz_type type, int cap) {
  ghz_lattice l = lattice_abs(type, 1);
  l.cap = cap;
  return l;
}

/* The three kinds of stream: float32, float64 with cap 35 and 44. */
static ghz_lattice kind(int i) {
  return i == 0 ? lattice_with(GHZ_F32, 35) : lattice_with(GHZ_F64, i == 1 ? 35 : 44);
}

/* Fails with ERANGE and leaves the destination alone. */
static void refused(ghz_context *ctx, size_t k, const ref_bytes *s, const int64_t *c, const char *what) {
  ghz_bytes all[4];
  uint8_t dst[65536];
  size_t size = 77;
  for (size_t i = 0; i < k; i++)
    all[i] = view(s[i]);
  memset(dst, 0xa5, sizeof dst);
  cr_assert_eq(ghz_linear(ctx, k, all, c, 1, dst, sizeof dst, &size), GHZ_ERANGE, "%s", what);
  for (size_t i = 0; i < sizeof dst; i++)
    cr_assert_eq(dst[i], 0xa5, "%s: byte %zu was written", what, i);
}

Test(overflow, limits_of_terms) {
  CONTEXT(ctx, NULL, 1);
  for (int i = 0; i < 3; i++) {
    SCOPE;
    ghz_lattice l = kind(i);
    int64_t limit = limit_of(l.cap), more = limit + 1, near_limit[2] = {limit - 1, 1}, beyond[2] = {limit, 1};
    double x[4] = {1, -2, 3, 0};
    float f[4] = {1, -2, 3, 0};
    ref_bytes one = compress(ctx, &l, -1, l.type == GHZ_F32 ? (void *)f : (void *)x, 4), two[2] = {one, one};
    ref_bytes most = combine(ctx, 1, &one, &limit), split = combine(ctx, 2, two, near_limit);
    cr_assert_eq(info_of(most).terms, limit);
    same_bytes(split, most, "limit - 1 and 1");
    refused(ctx, 1, &one, &more, "limit + 1");
    refused(ctx, 2, two, beyond, "limit and 1");
    ref_bytes full[2] = {most, one};
    static const int64_t ones[2] = {1, 1}, minus[2] = {1, -1};
    refused(ctx, 2, full, ones, "full + one");
    refused(ctx, 2, full, minus, "full - one");
    const ghz_slice slices[2] = {slice_of(most, 0, 1), slice_of(one, 0, 1)};
    uint8_t dst[4096];
    ghz_slice sum;
    (void)extremum(ctx, most, one, 0);
    cr_assert_eq(ghz_slice_sum(ctx, 2, slices, dst, sizeof dst, &sum), GHZ_ERANGE);
  }
}

Test(overflow, extreme_coefficients) {
  static const int64_t extremes[] = {
      INT64_MIN,           INT64_MAX,        INT64_MIN + 1, (int64_t)1 << 32, ((int64_t)1 << 32) + 1,
      -((int64_t)1 << 32), (int64_t)1 << 62, -8388608,      8388608};
  CONTEXT(ctx, NULL, 1);
  ghz_lattice l = kind(0);
  float f[4] = {1, -2, 3, 0};
  ref_bytes one = compress(ctx, &l, -1, f, 4), s[4] = {one, one, one, one};
  for (size_t i = 0; i < COUNT(extremes); i++)
    for (size_t k = 1; k <= 4; k++) {
      int64_t c[4] = {extremes[i], extremes[i], extremes[i], extremes[i]};
      refused(ctx, k, s, c, say("coefficient %lld, %zu times", (long long)extremes[i], k));
    }
}

/* Terms of 0 are legal and hold nothing but zeros. */
Test(overflow, no_terms_at_all) {
  CONTEXT(ctx, NULL, 1);
  ghz_lattice l = kind(0);
  float f[1500];
  for (int i = 0; i < 1500; i++)
    f[i] = (float)i;
  static const int64_t none[2] = {0, 0};
  ref_bytes one = compress(ctx, &l, -1, f, 1500), two[2] = {one, one};
  ref_bytes nothing = combine(ctx, 2, two, none), back = add(ctx, nothing, one);
  ghz_info info = info_of(nothing);
  cr_assert_eq(info.terms, 0);
  cr_assert_eq(info.bound, 0);
  cr_assert_eq(ref_check(nothing.data, nothing.size), REF_GOOD);
  float *y = decompress(ctx, nothing, GHZ_F32);
  for (int i = 0; i < 1500; i++)
    cr_assert_eq(y[i], 0);
  same_bytes(back, one, "0 a + 0 b + a");
}

/* ---- The largest integers there are ---- */
static void *extreme_array(const ghz_lattice *l, int pattern, size_t n) {
  static const char *const names[4] = {"alternating_wide", "random_signs", "wide_noise", "widest_noise"};
  return input_make(input_named(names[pattern]), l->type, n, l->step, 12);
}

/* So many terms of a stream, from every context as from the reference. */
static void check_terms(const context_pool *pool, const ghz_lattice *l, int order, const void *x, size_t n,
                        int64_t terms, const char *what) {
  SCOPE;
  const ref_bytes one = compress(pool->ctx[0], l, order, x, n),
                  want = ref_combine(1, &one, &terms, REF_PLAIN, 1);
  cr_assert_eq(ref_check(want.data, want.size), REF_GOOD, "%s", what);
  for (size_t c = 0; c < pool->count; c++)
    same_bytes(combine(pool->ctx[c], 1, &one, &terms), want, what);
  same_decoded(pool, want, what);
  (void)scanned(want);
}

Test(overflow, widest_results, .timeout = 300) {
  enum { N = 2000 };
  POOL(pool);
  for (int i = 0; i < 3; i++)
    for (int order = 0; order <= 2; order++)
      for (int pattern = 0; pattern < 4; pattern++) {
        SCOPE;
        const ghz_lattice l = kind(i);
        ghz_lattice unit = l;
        if (pattern == 3 && l.cap == 35)
          continue;
        unit.step *= l.cap == 44 && pattern < 3 ? 0x1p9 : 1;
        check_terms(&pool, &l, order, extreme_array(&unit, pattern, N), N,
                    (pattern % 2 ? 1 : -1) * (int64_t)limit_of(l.cap),
                    say("cap %d, order %d, pattern %d", l.cap, order, pattern));
      }
}

/* Terms around the change from 32-bit to 64-bit integers: b + bitlength(terms) = 31. */
Test(overflow, around_32_bits, .timeout = 300) {
  static const int64_t terms[] = {127, 128, 255, 256, 511, 512, 16383, 16384, 32767, 32768, 65535};
  static const char *const names[] = {"alternating_coarse", "alternating_fine", "coarse_noise", "fine_noise"};
  POOL(pool);
  for (int i = 0; i < 3; i++)
    for (int order = 0; order <= 2; order++)
      for (size_t in = 0; in < 4; in++)
        for (size_t t = 0; t < COUNT(terms); t++) {
          SCOPE;
          const ghz_lattice l = kind(i);
          if (terms[t] <= limit_of(l.cap))
            check_terms(&pool, &l, order, input_make(input_named(names[in]), l.type, 1024, l.step, 5), 1024,
                        terms[t],
                        say("%s, cap %d, order %d, %lld terms", names[in], l.cap, order, (long long)terms[t]));
        }
}

/* ---- Size bounds ---- */
Test(overflow, size_bound_arguments) {
  cr_assert_eq(ghz_size_bound(10, (ghz_type)9, 1), 0);
  cr_assert_eq(ghz_size_bound(10, (ghz_type)-1, 1), 0);
  cr_assert_eq(ghz_size_bound(10, GHZ_F32, 0), 0);
  cr_assert_eq(ghz_size_bound(10, GHZ_F32, 8388608), 0);
  cr_assert_eq(ghz_size_bound(10, GHZ_F32, UINT32_MAX), 0);
  cr_assert_neq(ghz_size_bound(10, GHZ_F32, 8388607), 0);
  cr_assert_neq(ghz_size_bound(10, GHZ_F64, 8388607), 0);
  cr_assert_eq(ghz_size_bound(10, GHZ_F64, 8388608), 0);
  cr_assert_eq(ghz_size_bound(SIZE_MAX, GHZ_F32, 1), 0);
  cr_assert_eq(ghz_size_bound(SIZE_MAX / 4, GHZ_F32, 1), 0);
  cr_assert_eq(ghz_size_bound(SIZE_MAX / 8, GHZ_F64, 1), 0);
  cr_assert_eq(ghz_slice_bound(&(ghz_shape){.dims = 1}, UINT64_MAX, GHZ_F32, 1), 0);
  cr_assert_eq(ghz_slice_bound(&(ghz_shape){.dims = 1}, UINT64_MAX / 8000, GHZ_F64, 8388607), 0);
  cr_assert_eq(ghz_slice_bound(&(ghz_shape){.dims = 1}, 1, (ghz_type)9, 1), 0);
  cr_assert_eq(ghz_slice_bound(&(ghz_shape){.dims = 1}, 1, GHZ_F32, 0), 0);
  for (size_t n = 0; n < 40000; n += 37)
    cr_assert_geq(ghz_size_bound(n + 37, GHZ_F32, 5), ghz_size_bound(n, GHZ_F32, 5));
}

/* The largest tile, 8338 bytes: widths of 62 or near, both maps of specials full, long anchors. */
Test(overflow, largest_tile_fits) {
  CONTEXT(ctx, NULL, 1);
  ghz_lattice l = kind(2);
  enum { N = 1024 };
  double x[N];
  uint64_t state = 44;
  for (int i = 0; i < N; i++)
    x[i] = (input_below(&state, 2) ? 0x1p44 : -0x1p44) * l.step;
  double y[N];
  for (int i = 0; i < N; i++)
    y[i] = i % 8 == 3 ? NAN : x[i];
  int64_t limit = limit_of(44) - 1;
  ref_bytes s[2] = {compress(ctx, &l, 2, x, N), compress(ctx, &l, 2, y, N)};
  int64_t c[2] = {limit, 1};
  ref_bytes got = combine(ctx, 2, s, c), want = ref_combine(2, s, c, REF_PLAIN, 1);
  same_bytes(got, want, "the largest tile");
  size_t tile;
  ref_tile_at(got.data, 0, &tile);
  cr_assert(tile > 8000 && tile <= 8338, "%zu bytes", tile);
  cr_assert_leq(got.size, ghz_size_bound(N, GHZ_F64, limit_of(44)));
}
