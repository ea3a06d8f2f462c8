/* test_peers.c: cases on which public codecs were seen to crash, hang or lie. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"
#include <float.h>
#include <math.h>

static ghz_context *one, *two, *seven;

static void start(void) {
  one = context_on(NULL, 1);
  two = context_on(NULL, 2);
  seven = context_on(NULL, 7);
}

static void stop(void) {
  ghz_context_free(one);
  ghz_context_free(two);
  ghz_context_free(seven);
}

TestSuite(peers, .init = start, .fini = stop, .timeout = 120);

/* Compresses with two threads, decodes with one; every value within eb, specials as they were. */
static void round_trip(double eb, const float *x, size_t n, const char *what) {
  SCOPE;
  ghz_lattice l = lattice_abs(GHZ_F32, eb);
  ref_bytes s = compress(two, &l, GHZ_ORDER_BEST, x, n);
  float *y = decompress(one, s, GHZ_F32);
  for (size_t i = 0; i < n; i++)
    cr_assert(kept(GHZ_F32, x, GHZ_F32, y, i, eb), "%s: value %zu: %a came back as %a", what, i, (double)x[i],
              (double)y[i]);
  cr_assert_leq(s.size, ghz_size_bound(n, GHZ_F32, 1));
}

static void fill(float *x, size_t n, double amplitude) {
  uint64_t state = 1;
  for (size_t i = 0; i < n; i++)
    x[i] = (float)(amplitude * input_uniform(&state));
}

/* ---- Values ---- */
Test(peers, specials) {
  float x[1000];
  for (int infinite = 0; infinite < 2; infinite++) {
    fill(x, 1000, 1);
    for (int i = 0; i < 1000; i += 7)
      x[i] = !infinite ? NAN : i % 2 ? INFINITY : -INFINITY;
    round_trip(1e-3, x, 1000, infinite ? "infinities" : "NaN");
  }
}

Test(peers, beyond_32_bit_integers) {
  static const double quanta[] = {0x1p30, 0x1p31, 0x1p32, 0x1p33, 0x1p40, 0x1p60};
  float x[1000];
  for (size_t k = 0; k < 6; k++) {
    for (int i = 0; i < 1000; i++)
      x[i] = (float)((i % 2 ? 1 : 1e-6) * (1 + i * 1e-4) * quanta[k] * 2e-3);
    round_trip(1e-3, x, 1000, say("%g quanta", quanta[k]));
  }
  for (int i = 0; i < 1000; i++)
    x[i] = (float)((i % 2 ? 0x1p30 : -0x1p30) * 2e-3);
  round_trip(1e-3, x, 1000, "alternating");
}

Test(peers, lengths) {
  float x[1001];
  fill(x, 1001, 2);
  for (size_t n = 0; n <= 1001; n += n == 70 ? 930 : 1)
    round_trip(1e-3, x, n, say("n = %zu", n));
}

Test(peers, denormals_and_tiny_bounds) {
  static const struct {
    double amplitude, eb;
  } cases[] = {{1e-39, 1e-3}, {1e-39, 1e-40}, {2, 1e-9}, {1, 1e-41}};
  float x[1000];
  for (size_t k = 0; k < COUNT(cases); k++) {
    fill(x, 1000, cases[k].amplitude);
    round_trip(cases[k].eb, x, 1000, say("values of %g, bound %g", cases[k].amplitude, cases[k].eb));
  }
  uint32_t bits = 1;
  memcpy(&x[3], &bits, 4);
  round_trip(1e-45, x, 1000, "bound 1e-45");
}

Test(peers, random_float_bits) {
  enum { N = 100000 };
  float *x = input_make(input_named("random_bits"), GHZ_F32, N, 1, 3);
  round_trip(1e-3, x, N, "random bits");
}

/* ---- Streams ---- */
Test(peers, truncated_at_forty_lengths) {
  float x[1000], y[1000];
  fill(x, 1000, 2);
  ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  ref_bytes s = compress(two, &l, GHZ_ORDER_BEST, x, 1000);
  for (size_t i = 0; i < 40; i++) {
    SCOPE;
    ref_bytes part = bytes_copy(s.data, s.size * i / 40);
    cr_assert_eq(ghz_decompress(two, view(part), GHZ_F32, y, 1000), GHZ_ECORRUPT);
  }
}

Test(peers, flipped_bits) {
  float x[1000], y[1000];
  fill(x, 1000, 2);
  ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  ref_bytes s = compress(two, &l, GHZ_ORDER_BEST, x, 1000), dst = bytes_new(ghz_size_bound(1000, GHZ_F32, 2));
  uint64_t state = 60;
  for (int i = 0; i < 600; i++) {
    SCOPE;
    ref_bytes bad = bytes_copy(s.data, s.size);
    size_t bit = (size_t)input_below(&state, 8 * s.size), size;
    bad.data[bit / 8] = (uint8_t)(bad.data[bit / 8] ^ (1 << bit % 8));
    ghz_decompress(two, view(bad), GHZ_F32, y, 1000);
    ghz_add(two, view(bad), view(s), dst.data, dst.size, &size);
  }
}

Test(peers, threads_do_not_matter) {
  enum { N = 100000 };
  float *x = input_make(input_named("walk"), GHZ_F32, N, 0.1, 3);
  ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  ref_bytes a = compress(one, &l, -1, x, N), b = compress(two, &l, -1, x, N), c = compress(seven, &l, -1, x, N);
  same_bytes(b, a, "two threads");
  same_bytes(c, a, "seven threads");
  float *y = decompress(seven, a, GHZ_F32), *z = decompress(one, c, GHZ_F32);
  same_values(y, z, N, GHZ_F32, "decoded with other threads");
}

/* Fewer values, blocks or tiles than threads. */
Test(peers, fewer_values_than_threads) {
  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  for (size_t n = 0; n <= 8; n++) {
    SCOPE;
    ref_bytes s = compress(seven, &l, -1, x, n), t = add(seven, s, s);
    float *y = decompress(seven, t, GHZ_F32);
    for (size_t i = 0; i < n; i++)
      cr_assert(within(2 * (double)x[i], (double)y[i], 2e-3));
  }
}

/* ---- Adding ---- */
static void check_sum(const float *a, const float *b, size_t n, double eb, const char *what) {
  SCOPE;
  ghz_lattice l = lattice_abs(GHZ_F32, eb);
  ref_bytes s = compress(one, &l, -1, a, n), t = compress(two, &l, -1, b, n), total = add(two, s, t);
  double *y = decompress(one, total, GHZ_F64);
  for (size_t i = 0; i < n; i++)
    cr_assert(within((double)a[i] + (double)b[i], y[i], 2 * eb), "%s: value %zu: %g", what, i, y[i]);
}

Test(peers, add) {
  float a[1001], b[1001];
  fill(a, 1001, 3);
  fill(b, 1001, 2);
  for (size_t n = 0; n <= 1001; n += n == 40 ? 960 : 1)
    check_sum(a, b, n, 1e-3, say("n = %zu", n));
}

Test(peers, add_beyond_31_bits) {
  enum { N = 100000 };
  float *a = scratch(N * sizeof *a);
  for (int i = 0; i < 1000; i++)
    a[i] = (float)((0x1p30 + i) * 2e-3);
  check_sum(a, a, 1000, 1e-3, "q + q > 2^31");
  for (int i = 0; i < N; i++)
    a[i] = (float)((i % 2 ? 0x1p29 : -0x1p29) * 2e-3);
  check_sum(a, a, N, 1e-3, "30-bit differences");
}

Test(peers, add_refuses_what_does_not_fit) {
  float x[1000];
  uint8_t dst[16384];
  size_t size;
  fill(x, 1000, 2);
  ghz_lattice l = lattice_abs(GHZ_F32, 1e-3), coarser = lattice_abs(GHZ_F32, 1e-2);
  ref_bytes a = compress(one, &l, -1, x, 1000), b = compress(one, &coarser, -1, x, 1000),
            c = compress(one, &l, -1, x, 500);
  cr_assert_eq(ghz_add(one, view(a), view(b), dst, sizeof dst, &size), GHZ_EMISMATCH);
  cr_assert_eq(ghz_add(one, view(a), view(c), dst, sizeof dst, &size), GHZ_EMISMATCH);
}

/* The size is set, not added to. */
Test(peers, size_is_overwritten) {
  float x[100];
  uint8_t dst[4096], again[4096];
  size_t size = 12345, size_again = 1;
  fill(x, 100, 2);
  ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  cr_assert_eq(ghz_compress(one, &l, -1, x, 100, dst, sizeof dst, &size), GHZ_OK);
  cr_assert_eq(ghz_compress(one, &l, -1, x, 100, again, sizeof again, &size_again), GHZ_OK);
  cr_assert_eq(size, size_again);
  ghz_bytes s = {dst, size};
  size_t sum_size = 999, sum_again = 0;
  cr_assert_eq(ghz_add(one, s, s, again, sizeof again, &sum_size), GHZ_OK);
  cr_assert_eq(ghz_add(one, s, s, again, sizeof again, &sum_again), GHZ_OK);
  cr_assert_eq(sum_size, sum_again);
}

/* ---- Quality ---- */
/* Rounding, not truncation: errors have no direction. */
Test(peers, no_bias) {
  enum { N = 200000 };
  float *x = scratch(N * sizeof *x);
  uint64_t state = 2;
  for (int i = 0; i < N; i++)
    x[i] = (float)(1 + fabs(input_uniform(&state)));
  ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
  ref_bytes s = compress(two, &l, -1, x, N);
  float *y = decompress(two, s, GHZ_F32);
  double bias = 0;
  for (int i = 0; i < N; i++)
    bias += (double)y[i] - (double)x[i];
  cr_assert_lt(fabs(bias / N), 0.02e-3, "mean error %g", bias / N);
}

/* Exact powers of two take no bit more than they need (a float logarithm would round up). */
Test(peers, widths_are_least) {
  ghz_lattice l = lattice_abs(GHZ_F32, 0.5);
  for (int power = 1; power < 35; power++) {
    SCOPE;
    float x[1024] = {0};
    for (int i = 0; i < 1024; i++)
      x[i] = (float)((i % 2 ? -1 : 1) * ldexp(l.step, power) * (1 - 0x1p-24));
    ref_bytes s = compress(one, &l, 0, x, 1024);
    ref_header h = header_for(&l, 1024);
    ref_bytes want = ref_compress(&h, 0, x);
    same_bytes(s, want, say("2^%d", power));
  }
}
