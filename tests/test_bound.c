/* test_bound.c: law L1, the strict bound: |x - y| <= eb in exact arithmetic, values and sums. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"
#include <float.h>
#include <math.h>

typedef __float128 quad;

static void check_kept(ghz_type type, const void *x, ghz_type out, const void *y, size_t n, double eb,
                       const char *what) {
  for (size_t i = 0; i < n; i++)
    cr_assert(kept(type, x, out, y, i, eb), "%s: value %zu, %a came back as %a, bound %a", what, i,
              value_at(type, x, i), value_at(out, y, i), eb);
}

static void round_trip(ghz_context *ctx, const ghz_lattice *l, int order, const void *x, size_t n,
                       const char *what) {
  SCOPE;
  ref_bytes stream = compress(ctx, l, order, x, n);
  void *y = decompress(ctx, stream, l->type), *wide = decompress(ctx, stream, GHZ_F64);
  check_kept(l->type, x, l->type, y, n, l->eb, what);
  check_kept(l->type, x, GHZ_F64, wide, n, l->eb, say("%s, as float64", what));
}

static const double bounds[] = {1e-45, 1e-38, 1e-30, 1e-7, 1e-3,   0.1,    1,
                                3e5,   1e30,  1e36,  1e38, 1e-310, 1e-300, 1e300};
enum { BOUNDS = COUNT(bounds) };

Test(bound, within_is_exact) {
  cr_assert(within(1, 1 + 0x1p-52, 0x1p-52));
  cr_assert_not(within(1, 1 + 0x1p-52, nextafter(0x1p-52, 0)));
  cr_assert(within(1, 0x1p-80, 1));
  cr_assert_not(within(1, -0x1p-80, 1));
  cr_assert_not(within(-1, 0x1p-80, 1));
}

Test(bound, every_input_every_bound, .timeout = 300) {
  CONTEXT(ctx, NULL, 2);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (int b = 0; b < BOUNDS; b++) {
      ghz_lattice l = lattice_abs((ghz_type)type, bounds[b]);
      for (size_t in = 0; in < input_count; in++) {
        SCOPE;
        size_t n = 3000;
        void *x = input_make(&inputs[in], l.type, n, l.step, 7 * (uint64_t)b + in);
        round_trip(ctx, &l, GHZ_ORDER_BEST, x, n,
                   say("%s, type %d, bound %g", inputs[in].name, type, bounds[b]));
      }
    }
}

Test(bound, every_order_and_length, .timeout = 300) {
  static const size_t lengths[] = {0, 1, 2, 3, 31, 32, 33, 1000, 1023, 1024, 1025, 16383, 16384, 16385};
  CONTEXT(ctx, NULL, 2);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (int order = GHZ_ORDER_BEST; order <= 2; order++)
      for (size_t k = 0; k < COUNT(lengths); k++) {
        SCOPE;
        ghz_lattice l = lattice_abs((ghz_type)type, 1e-3);
        void *x = input_make(&inputs[0], l.type, lengths[k], l.step, k);
        round_trip(ctx, &l, order, x, lengths[k],
                   say("type %d, order %d, length %zu", type, order, lengths[k]));
      }
}

/* Steps of every mantissa against values just beside ties and thresholds. */
Test(bound, random_steps, .timeout = 300) {
  CONTEXT(ctx, NULL, 1);
  uint64_t state = 20;
  static const char *const names[] = {"near_ties",  "thresholds", "coarse_noise", "double_coarse_noise",
                                      "fine_noise", "wide_noise", "ties"};
  for (int round = 0; round < 1000 * effort(); round++) {
    SCOPE;
    ghz_type type = (ghz_type)input_below(&state, 2);
    double eb = ldexp(1 + fabs(input_uniform(&state)), (int)input_below(&state, 60) - 30);
    ghz_lattice l = lattice_abs(type, eb);
    size_t n = 9 * GHZ_TILE;
    const test_input *in = input_named(names[input_below(&state, 7)]);
    void *x = input_make(in, type, n, l.step, input_random(&state));
    round_trip(ctx, &l, GHZ_ORDER_BEST, x, n,
               say("round %d: %s, type %d, eb %a", round, in->name, (int)type, eb));
  }
}

/* Single values at every threshold, so that the value itself decides the mode. */
Test(bound, single_values_at_thresholds) {
  CONTEXT(ctx, NULL, 1);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (int power = -3; power < 47; power++)
      for (int by = -2; by <= 2; by++) {
        ghz_lattice l = lattice_abs((ghz_type)type, 0.0123);
        double v = ldexp(l.step, power);
        for (int k = 0; k < abs(by); k++)
          v = type == GHZ_F32 ? (double)nextafterf((float)v, by < 0 ? 0 : INFINITY)
                              : nextafter(v, by < 0 ? 0 : INFINITY);
        float f = (float)v;
        round_trip(ctx, &l, GHZ_ORDER_BEST, type == GHZ_F32 ? (void *)&f : (void *)&v, 1,
                   say("2^%d step %+d", power, by));
      }
}

/* ---- Sums ---- */
static double half_ulp(float y) { return ((double)nextafterf(fabsf(y), INFINITY) - (double)fabsf(y)) / 2; }

/* The bound of one value of a sum. Wide float32 tiles add the rounding of the result to float32;
 * there the integers are within terms * eb, or half of that if all operands were wide
 * (equal_modes), for those have half the step. */
static double bound_of_value(const ref_header *h, const ref_tile *tile, float y, int equal_modes) {
  double bound = h->terms * h->eb;
  if (!tile->raw && tile->mode == REF_WIDE && h->type == REF_F32 && h->terms > 1)
    bound = (equal_modes ? bound / 2 : bound) + half_ulp(y);
  return bound;
}

static int sum_kept(quad exact, double y, double bound) {
  quad error = exact > (quad)y ? exact - (quad)y : (quad)y - exact;
  return error <= (quad)bound;
}

static void check_sum(ghz_context *ctx, ref_bytes stream, const quad *exact, int equal_modes,
                      const char *what) {
  SCOPE;
  ref_header h = ref_header_read(stream.data);
  void *y = decompress(ctx, stream, (ghz_type)h.type);
  double *wide = decompress(ctx, stream, GHZ_F64);
  ref_tile *tile = scratch(sizeof *tile);
  for (size_t i = 0; i < h.n; i++) {
    size_t size;
    if (i % GHZ_TILE == 0) {
      const uint8_t *data = ref_tile_at(stream.data, i / GHZ_TILE, &size);
      cr_assert_neq(ref_tile_parse(&h, i / GHZ_TILE, data, size, tile), REF_BAD);
    }
    double v = value_at((ghz_type)h.type, y, i);
    cr_assert(sum_kept(exact[i], wide[i], h.terms * h.eb), "%s: value %zu as float64: %a for %a", what, i,
              wide[i], (double)exact[i]);
    cr_assert(sum_kept(exact[i], v, bound_of_value(&h, tile, (float)v, equal_modes)),
              "%s: value %zu: %a for %a, mode %d", what, i, v, (double)exact[i], tile->mode);
  }
}

static const test_input *plain_input(uint64_t *state) {
  for (;;) {
    const test_input *in = &inputs[input_below(state, input_count)];
    if (in->plain)
      return in;
  }
}

Test(bound, sums, .timeout = 300) {
  enum { N = 2100, MOST = 24 };
  CONTEXT(ctx, NULL, 2);
  uint64_t state = 31;
  quad *exact = scratch(N * sizeof *exact);
  for (int round = 0; round < 300 * effort(); round++) {
    SCOPE;
    ghz_type type = (ghz_type)input_below(&state, 2);
    ghz_lattice l =
        lattice_abs(type, ldexp(1.1 + 0.5 * input_uniform(&state), (int)input_below(&state, 20) - 10));
    size_t k = 2 + (size_t)input_below(&state, MOST - 1);
    ref_bytes streams[MOST];
    memset(exact, 0, N * sizeof *exact);
    for (size_t j = 0; j < k; j++) {
      void *x = input_make(plain_input(&state), type, N, l.step, input_random(&state));
      for (size_t i = 0; i < N; i++)
        exact[i] += (quad)value_at(type, x, i);
      streams[j] = compress(ctx, &l, (int)input_below(&state, 4) - 1, x, N);
    }
    ref_bytes total = sum(ctx, k, streams);
    check_sum(ctx, total, exact, 0, say("round %d, type %d, %zu terms, eb %a", round, (int)type, k, l.eb));
    cr_assert_geq(info_of(total).bound, (double)k * l.eb);
  }
}

/* The worst systematic case: every operand is off by the most there can be, in one direction. */
Test(bound, sums_of_equal_errors) {
  CONTEXT(ctx, NULL, 1);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (int power = 0; power < 34; power++) {
      SCOPE;
      ghz_lattice l = lattice_abs((ghz_type)type, 0.37);
      double v = (ldexp(1, power) + 0.5) * l.step * (1 - 0x1p-20);
      float f = (float)v;
      ref_bytes one = compress(ctx, &l, 0, type == GHZ_F32 ? (void *)&f : (void *)&v, 1);
      for (int64_t k = 2; k <= 8388607; k = k * 5 + 1) {
        SCOPE;
        if (type == GHZ_F64 && k > 16383)
          break;
        ref_bytes many = combine(ctx, 1, &one, &k);
        quad exact = (quad)(type == GHZ_F32 ? (double)f : v) * k;
        check_sum(ctx, many, &exact, 1,
                  say("type %d, %lld times (2^%d + 1/2) steps", type, (long long)k, power));
      }
    }
}

/* A bound for the result of k terms: eb / k each, rounded down, keeps the sum within eb. */
Test(bound, result_bound) {
  CONTEXT(ctx, NULL, 1);
  for (size_t k = 1; k <= 20; k++) {
    SCOPE;
    double eb = 1e-2;
    ghz_lattice l = lattice_abs(GHZ_F32, nextafter(eb / (double)k, 0));
    float x[100];
    quad exact[100] = {0};
    ref_bytes streams[20];
    for (size_t j = 0; j < k; j++) {
      for (size_t i = 0; i < 100; i++)
        exact[i] += (quad)(x[i] = (float)((double)(i * j) * 0.00937));
      streams[j] = compress(ctx, &l, GHZ_ORDER_BEST, x, 100);
    }
    ref_bytes total = sum(ctx, k, streams);
    float *y = decompress(ctx, total, GHZ_F32);
    for (size_t i = 0; i < 100; i++)
      cr_assert(sum_kept(exact[i], (double)y[i], eb), "%zu terms, value %zu", k, i);
  }
}

/* ---- Scaled streams ---- */
/* Scales again and again: values stay within the stream's own bound of the exact product. */
static void check_scaled(ghz_context *ctx, const ghz_lattice *l, const char *maker, uint64_t seed, int times) {
  SCOPE;
  enum { N = 1500 };
  void *x = input_make(input_named(maker), l->type, N, l->step, seed);
  quad factor = 1;
  ref_bytes s = compress(ctx, l, GHZ_ORDER_BEST, x, N);
  for (int t = 0; t < times; t++) {
    double r = 1 + input_uniform(&seed) / 3;
    s = scale(ctx, s, t % 2 ? -r : r);
    factor *= t % 2 ? -(quad)r : (quad)r;
    double bound = info_of(s).bound, *y = decompress(ctx, s, GHZ_F64);
    for (size_t i = 0; i < N && isfinite(bound); i++)
      cr_assert(sum_kept(factor * (quad)value_at(l->type, x, i), y[i], bound),
                "%s, type %d, cap %d, scaled %d times: value %zu, %a", maker, (int)l->type, l->cap, t + 1, i,
                y[i]);
  }
}

static void check_scaled_inputs(ghz_type type, int cap, int times) {
  CONTEXT(ctx, NULL, 1);
  ghz_lattice l = lattice_abs(type, 0.7531);
  l.cap = cap;
  for (size_t in = 0; in < input_count; in++)
    for (uint64_t seed = 0; inputs[in].plain && seed < 5; seed++)
      check_scaled(ctx, &l, inputs[in].name, seed, times);
  if (cap == 44)
    check_scaled(ctx, &l, "widest_noise", 3, times);
}

Test(bound, scaled_f32) { check_scaled_inputs(GHZ_F32, 35, 20); }
Test(bound, scaled_f64) { check_scaled_inputs(GHZ_F64, 35, 20); }
Test(bound, scaled_f64_of_44_bits) { check_scaled_inputs(GHZ_F64, 44, 6); }

/* Of some factors the one by which rounding moves the step farthest, up or down. */
static double worst_factor(double step, int up, uint64_t *state) {
  double worst = 1;
  quad most = 0;
  for (int i = 0; i < 200; i++) {
    double r = 1 + input_uniform(state) / 3;
    quad exact = (quad)step * (quad)r, moved = ((quad)(step * r) - exact) / exact;
    if ((up ? moved : -moved) > most) {
      most = up ? moved : -moved;
      worst = r;
    }
  }
  return worst;
}

static void scale_worst(ghz_context *ctx, uint64_t *state, int round) {
  SCOPE;
  ghz_lattice l = lattice_abs(GHZ_F64, 1.5 + 0.5 * input_uniform(state));
  double k = rint(ldexp(1 - fabs(input_uniform(state)) / 64, 44)), x = (k - 0.5) * l.step;
  quad exact = (quad)x;
  ref_bytes s = compress(ctx, &l, GHZ_ORDER_BEST, &x, 1);
  for (int t = 0; t < 6; t++) {
    double *y = decompress(ctx, s, GHZ_F64);
    double r = worst_factor(ref_header_read(s.data).step, (quad)*y > exact, state);
    s = scale(ctx, s, r);
    exact *= (quad)r;
    y = decompress(ctx, s, GHZ_F64);
    cr_assert(sum_kept(exact, *y, info_of(s).bound), "round %d: %a scaled %d times: %a, bound %a", round, x,
              t + 1, *y, info_of(s).bound);
  }
}

/* The worst values of the widest lattice: ties near 2^44 steps, where rounding it costs most. */
Test(bound, scaled_near_44_bits) {
  CONTEXT(ctx, NULL, 1);
  uint64_t state = 91;
  for (int round = 0; round < 500 * effort(); round++)
    scale_worst(ctx, &state, round);
}

/* ---- Bounds relative to the range ---- */
Test(bound, relative_and_psnr) {
  CONTEXT(ctx, NULL, 1);
  enum { N = 5000 };
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    void *x = input_make(input_named("walk"), (ghz_type)type, N, 0.01, 5);
    double min, max;
    succeeded(ghz_range(ctx, (ghz_type)type, x, N, &min, &max), ctx, "range");
    for (int digits = 1; digits < 8; digits++) {
      ghz_lattice l;
      double rel = 1 / (double)(long long)ldexp(1, 3 * digits);
      ghz_bound bound = {GHZ_REL, rel};
      succeeded(ghz_lattice_make((ghz_type)type, bound, min, max, &l), NULL, "lattice");
      cr_assert_eq(l.eb, 2 * (rel * (max / 2 - min / 2)));
      round_trip(ctx, &l, GHZ_ORDER_BEST, x, N, "relative");
    }
    for (int decibel = 20; decibel <= 120; decibel += 20) {
      SCOPE;
      ghz_lattice l;
      ghz_bound bound = {GHZ_PSNR, decibel};
      succeeded(ghz_lattice_make((ghz_type)type, bound, min, max, &l), NULL, "lattice");
      ref_bytes stream = compress(ctx, &l, GHZ_ORDER_BEST, x, N);
      double *y = decompress(ctx, stream, GHZ_F64), square = 0;
      for (size_t i = 0; i < N; i++)
        square += (y[i] - value_at((ghz_type)type, x, i)) * (y[i] - value_at((ghz_type)type, x, i));
      double psnr = 20 * log10((max - min) / sqrt(square / N));
      cr_assert_geq(psnr, decibel, "asked for %d dB, got %g", decibel, psnr);
    }
  }
}

/* A range of width 0 comes back exactly. */
Test(bound, constants_are_exact) {
  static const double constants[] = {1, -3.14159, 1e-30, -1e30, 1e36, 65536.5, 0, 1e-37, 2e38};
  CONTEXT(ctx, NULL, 1);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t c = 0; c < COUNT(constants); c++) {
      SCOPE;
      float f[1500];
      double d[1500];
      for (int i = 0; i < 1500; i++)
        f[i] = (float)(d[i] = constants[c]);
      void *x = type == GHZ_F32 ? (void *)f : (void *)d;
      double min, max;
      ghz_lattice l;
      ghz_bound bound = {GHZ_REL, 1e-4};
      succeeded(ghz_range(ctx, (ghz_type)type, x, 1500, &min, &max), ctx, "range");
      succeeded(ghz_lattice_make((ghz_type)type, bound, min, max, &l), NULL, "lattice of a constant");
      ref_bytes stream = compress(ctx, &l, GHZ_ORDER_BEST, x, 1500);
      void *y = decompress(ctx, stream, (ghz_type)type);
      same_values(y, x, 1500, (ghz_type)type, say("constant %g, type %d", constants[c], type));
    }
}
