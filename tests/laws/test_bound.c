/* test_bound.c: law L1, the strict bound: |x - y| <= eb in exact arithmetic, values and sums. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "quad.h"
#include "reference_parts.h"
#include "support.h"
#include <float.h>
#include <math.h>

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

Test(bound, within_is_exact) {
  cr_assert(within(1, 1 + 0x1p-52, 0x1p-52));
  cr_assert_not(within(1, 1 + 0x1p-52, nextafter(0x1p-52, 0)));
  cr_assert(within(1, 0x1p-80, 1));
  cr_assert_not(within(1, -0x1p-80, 1));
  cr_assert_not(within(-1, 0x1p-80, 1));
}

/* Documents promise it of all that has no coefficients. */
Test(bound, zeros_and_signs_stay) {
  static const ghz_shape shapes[] = {{1, {1, 1, 5000}}, {2, {2, 40, 70}}, {3, {9, 17, 20}}};
  CONTEXT(ctx, NULL, 1);
  for (uint64_t turn = 0; turn < 36; turn++) {
    SCOPE;
    const ghz_type type = turn % 2 ? GHZ_F64 : GHZ_F32;
    const ghz_shape *shape = &shapes[turn % 3];
    const ghz_lattice l = lattice_abs(type, 0.01);
    void *x =
        field_make((field_kind)(WAVES + turn % (FIELD_KINDS - WAVES)), &l, shape, turn % 4 ? 60 : 3e5, turn);
    for (uint64_t i = 0; i < ghz_shape_count(shape); i += 1 + i % 7)
      put_value(type, x, i, i % 2 ? 0 : 0.004 * ((double)(i % 5) - 2));
    const void *y = decompress(ctx, compress_shape(ctx, &l, GHZ_ORDER_LORENZO, x, shape), type);
    for (uint64_t i = 0; i < ghz_shape_count(shape); i++) {
      const double given = value_at(type, x, i), got = value_at(type, y, i);
      cr_assert(given == 0 ? got == 0 : !(got * given < 0), "turn %d: %g comes back as %g", (int)turn, given,
                got);
    }
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

/* ---- Coarse tiles of float32 ---- */
/* Lattices of every room that there may be; the first one is ordinary. */
static const double magnitudes_in_bounds[] = {0,      0x1p18, 0x1.3p18, 0x1p19,   0x1.6p19,
                                              0x1p20, 0x1p21, 0x1p22,   0x1.2p22, 0x1.5p22};
enum { ROOMS = COUNT(magnitudes_in_bounds) };

static ghz_lattice lattice_with_room(int i, double eb) {
  return i == 0 ? lattice_abs(GHZ_F32, eb) : lattice_offset(eb, magnitudes_in_bounds[i]);
}

/* What a coarse tile's largest magnitude may be. */
static double coarse_end(const ghz_lattice *l) {
  const ref_header h = header_for(l, 0);
  return ref_coarse_limit(&h);
}

/* A number as float32, not above it. */
static float float_below(double v) {
  float f = (float)v;
  return (double)f > v ? nextafterf(f, 0) : f;
}

static int mode_of(ghz_context *ctx, const ghz_lattice *l, const float *x, size_t n) {
  SCOPE;
  const ghz_statistics s = scanned(compress(ctx, l, GHZ_ORDER_BEST, x, n));
  return s.mode[REF_COARSE] ? REF_COARSE : s.mode[REF_FINE] ? REF_FINE : s.mode[REF_WIDE] ? REF_WIDE : -1;
}

/* Of a lattice whose coarse values reach farther than 2^16 steps: the largest is coarse, the next
 * is not, and both are kept. */
Test(bound, largest_coarse_value) {
  CONTEXT(ctx, NULL, 1);
  uint64_t state = 8;
  for (int i = 0; i < ROOMS; i++)
    for (int round = 0; round < effort(50); round++) {
      SCOPE;
      double fraction = round % 2 ? 1 : 1.5 + 0.5 * input_uniform(&state); /* of 1 the end is a float32 */
      ghz_lattice l = lattice_with_room(i, ldexp(fraction, (int)input_below(&state, 40) - 20));
      double end = coarse_end(&l);
      cr_assert(i > 0 || fraction > 1 || end == 253952 * l.eb);
      cr_assert_gt(end, 65536 * 1.9 * l.step, "%a bounds", magnitudes_in_bounds[i]);
      float x[2] = {float_below(end)}, beyond[2] = {nextafterf(x[0], INFINITY)};
      cr_assert_eq(mode_of(ctx, &l, x, 2), REF_COARSE, "%a of step %a, bound %a", (double)x[0], l.step, l.eb);
      cr_assert_eq(mode_of(ctx, &l, beyond, 2), end < 4194304 * l.step ? REF_FINE : REF_WIDE,
                   "%a of step %a, bound %a", (double)beyond[0], l.step, l.eb);
      round_trip(ctx, &l, GHZ_ORDER_BEST, x, 2, "the largest coarse value");
      round_trip(ctx, &l, GHZ_ORDER_BEST, beyond, 2, "the value after it");
    }
}

/* Values just beside the middle between two coarse ones, up to the end. */
Test(bound, ties_to_the_last_coarse_value) {
  enum { N = 4 * GHZ_TILE };
  CONTEXT(ctx, NULL, 1);
  uint64_t state = 9;
  float *x = scratch(N * sizeof *x);
  for (int i = 0; i < ROOMS; i++)
    for (int round = 0; round < effort(40); round++) {
      SCOPE;
      ghz_lattice l =
          lattice_with_room(i, ldexp(1.5 + 0.5 * input_uniform(&state), (int)input_below(&state, 40) - 20));
      double last = floor(coarse_end(&l) / l.step) - 1;
      for (int k = 0; k < N; k++) {
        double q = last - floor(ldexp(last, -(int)input_below(&state, 12)) * fabs(input_uniform(&state)) * 0.9);
        float tie = (float)((q + 0.5) * l.step);
        x[k] = input_below(&state, 2) ? tie : nextafterf(tie, input_below(&state, 2) ? 0 : INFINITY);
        x[k] = input_below(&state, 2) ? x[k] : -x[k];
      }
      cr_assert_eq(mode_of(ctx, &l, x, N), REF_COARSE);
      round_trip(ctx, &l, GHZ_ORDER_BEST, x, N, say("%a bounds, eb %a", magnitudes_in_bounds[i], l.eb));
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

/* The error of k times x, decoded to float32, in bounds of the sum; q is x as a coarse integer. */
static double error_of_sum(const ghz_lattice *l, float x, double q, int64_t k) {
  quad exact = (quad)x * k, error = exact - (quad)(float)(q * (double)k * l->step);
  return (double)((error < 0 ? -error : error) / ((quad)k * (quad)l->eb));
}

/* Coarse values far out, whose error and whose sum's last rounding are large, in one direction:
 * the worst of many k and x is found first, and then done. */
static double worst_sum(ghz_context *ctx, const ghz_lattice *l, uint64_t *state) {
  SCOPE;
  double last = floor(coarse_end(l) / l->step) - 1, worst = 0;
  float x = 0;
  int64_t k = 2;
  for (int i = 0; i < 20000; i++) {
    double q = last - (double)input_below(state, 100000);
    float v = nextafterf((float)((q + (i % 2 ? 0.5 : -0.5)) * l->step), i % 2 ? 0 : INFINITY);
    int64_t times = 2 + (int64_t)(input_below(state, 8388606) >> input_below(state, 22));
    if (rint((double)v / l->step) == q && error_of_sum(l, v, q, times) > worst) {
      worst = error_of_sum(l, v, q, times);
      x = v;
      k = times;
    }
  }
  ref_bytes one = compress(ctx, l, 0, &x, 1);
  quad exact = (quad)x * k;
  check_sum(ctx, combine(ctx, 1, &one, &k), &exact, 1,
            say("%a, %lld times, step %a, eb %a", (double)x, (long long)k, l->step, l->eb));
  return worst;
}

/* The errors found are larger than those of quantisation alone. */
Test(bound, sums_of_the_last_coarse_values) {
  CONTEXT(ctx, NULL, 1);
  uint64_t state = 10;
  for (int i = 0; i < ROOMS; i++) {
    double worst = 0, most = 0;
    for (int round = 0; round < effort(10); round++) {
      ghz_lattice l = lattice_with_room(i, 1.5 + 0.5 * input_uniform(&state));
      worst = fmax(worst, worst_sum(ctx, &l, &state));
      most = fmax(most, l.step / 2 / l.eb);
    }
    cr_assert(worst > most && worst <= 1, "%a bounds: %g, %g without rounding", magnitudes_in_bounds[i], worst,
              most);
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
  for (int round = 0; round < effort(500); round++)
    scale_worst(ctx, &state, round);
}

/* The largest integers of lattices on which their limit changes, scaled again and again so that the
 * quotient of bound and step moves in one direction: their tiles stay sound. */
Test(bound, scaled_at_the_limits_of_coarse_integers) {
  enum { N = 40 };
  CONTEXT(ctx, NULL, 1);
  uint64_t state = 92;
  for (int bits = 17; bits <= 22; bits++)
    for (int by = -2; by <= 2; by++) {
      SCOPE;
      ghz_lattice l = {.type = GHZ_F32, .cap = 35, .step = 0x1.234568p-3, .eb = 0};
      float x[N];
      int64_t k = 8388607;
      l.eb = l.step / 2 + ldexp(l.step, bits - 24) * (128.0 / 125) + by * 0x1p-55;
      for (int i = 0; i < N; i++)
        x[i] = float_below(coarse_end(&l)) * (i / 2 % 2 ? -1.f : 1.f);
      ref_bytes s = compress(ctx, &l, 2, x, N);
      s = combine(ctx, 1, &s, &k);
      for (int t = 0; t < 300; t++)
        s = scale(ctx, s, worst_factor(ref_header_read(s.data).step, by < 0, &state));
      double *y = decompress(ctx, s, GHZ_F64), bound = info_of(s).bound;
      cr_assert_eq(ref_check(s.data, s.size), REF_GOOD);
      for (int i = 1; i < N; i++)
        cr_assert(fabs(fabs(y[i]) - fabs(y[0])) <= 0x1p-50 * fabs(y[0]) && bound > 0);
    }
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

/* ---- Data with an offset ---- */
static ghz_lattice lattice_for_range(ghz_type type, ghz_bound_kind kind, double v, double min, double max) {
  ghz_lattice l;
  succeeded(ghz_lattice_make(type, (ghz_bound){kind, v}, min, max, &l), NULL, "lattice");
  return l;
}

/* The step that a bound has where nothing is known of the values. */
static int ordinary(const ghz_lattice *l) { return l->step == ref_step((int)l->type, l->eb); }

/* The step is smaller for float32 data that lie far from 0, and for no others; the bound stays. */
Test(bound, offsets_change_the_step) {
  static const struct {
    double rel, min, max;
    int changes;
  } ranges[] = {
      {1e-5, 220, 320, 1}, {1e-5, -320, -220, 1},       {1e-6, 220, 320, 1},       {6e-7, 220, 320, 1},
      {1e-4, 220, 320, 0}, /* coarse tiles reach them */
      {1e-7, 220, 320, 0}, /* 2^22 steps do not */
      {1e-5, 40, 140, 0},  {1e-6, 40, 140, 0},          {1e-7, -1, 1, 0},          {1e-6, 0, 1, 0},
      {1e-5, 300, 300, 0}, {1e-5, 1e-41, 1.001e-41, 0}, {1e-4, 100000, 100900, 1}, {1e-5, 1e30, 1.1e30, 1},
  };
  for (size_t i = 0; i < COUNT(ranges); i++) {
    double rel = ranges[i].rel, min = ranges[i].min, max = ranges[i].max;
    ghz_lattice l = lattice_for_range(GHZ_F32, GHZ_REL, rel, min, max);
    if (min < max) {
      cr_assert_eq(l.eb, 2 * (rel * (max / 2 - min / 2)));
      cr_assert_eq(!ordinary(&l), ranges[i].changes, "rel %g of %g to %g: step %a, eb %a", rel, min, max,
                   l.step, l.eb);
      cr_assert(l.step <= ref_step(GHZ_F32, l.eb));
    }
    if (ranges[i].changes) {
      double most = fmax(fabs(min), fabs(max));
      cr_assert(most <= coarse_end(&l) && most >= coarse_end(&l) * 0.99, "%g of %g", most, coarse_end(&l));
      ghz_lattice psnr = lattice_for_range(GHZ_F32, GHZ_PSNR, -20 * log10(rel), min, max);
      cr_assert(!ordinary(&psnr));
    }
    l = lattice_for_range(GHZ_F64, GHZ_REL, rel, min, max);
    cr_assert(min == max || ordinary(&l));
    l = lattice_for_range(GHZ_F32, GHZ_ABS, rel, min, max);
    cr_assert(ordinary(&l));
  }
}

/* Whatever the range, values are quantised on the lattice, and coarse where the step was made
 * smaller for it. */
Test(bound, every_range_has_a_lattice) {
  CONTEXT(ctx, NULL, 1);
  uint64_t state = 77;
  for (int i = 0; i < effort(3000); i++) {
    SCOPE;
    double max = ldexp(1 + fabs(input_uniform(&state)), (int)input_below(&state, 250) - 125),
           min = max * (1 - ldexp(fabs(input_uniform(&state)), -(int)input_below(&state, 23))),
           rel = ldexp(1, -(int)input_below(&state, 24));
    float x[2] = {(float)min, (float)max};
    if (!(x[0] < x[1]) || isinf(x[1]))
      continue;
    ghz_lattice l = lattice_for_range(GHZ_F32, GHZ_REL, rel, (double)x[0], (double)x[1]);
    round_trip(ctx, &l, GHZ_ORDER_BEST, x, 2, say("rel %g of %a to %a", rel, min, max));
    if (!ordinary(&l))
      cr_assert_eq(mode_of(ctx, &l, x, 2), REF_COARSE, "rel %g of %a to %a", rel, min, max);
  }
}

/* Temperatures in kelvin: a bit a value less than on the ordinary lattice. */
Test(bound, offsets_cost_little) {
  enum { N = 100 * GHZ_TILE };
  CONTEXT(ctx, NULL, 1);
  uint64_t state = 78;
  float *x = scratch(N * sizeof *x);
  double min, max;
  for (int i = 0; i < N; i++)
    x[i] = (float)(270 + 49 * sin(i * 1e-3) + 0.02 * input_uniform(&state));
  succeeded(ghz_range(ctx, GHZ_F32, x, N, &min, &max), ctx, "range");
  ghz_lattice l = lattice_for_range(GHZ_F32, GHZ_REL, 1e-5, min, max), plain = lattice_abs(GHZ_F32, l.eb);
  cr_assert(mode_of(ctx, &plain, x, N) == REF_COARSE && !ordinary(&l));
  size_t less = compress(ctx, &l, GHZ_ORDER_BEST, x, N).size,
         more = compress(ctx, &plain, GHZ_ORDER_BEST, x, N).size;
  ghz_lattice old = {.type = GHZ_F32, .cap = 35, .step = plain.step / 2, .eb = plain.eb};
  size_t fine = compress(ctx, &old, GHZ_ORDER_BEST, x, N).size;
  cr_assert(less < more && 8.0 * (double)(fine - less) / N > 0.9, "%zu, %zu, %zu bytes", less, more, fine);
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
      ghz_lattice l;
      ghz_bound bound = {GHZ_REL, 1e-4};
      succeeded(ghz_lattice_for(ctx, (ghz_type)type, bound, NULL, 1, (const void *[]){x}, 1500, &l), ctx,
                "lattice of a constant");
      ref_bytes stream = compress(ctx, &l, GHZ_ORDER_BEST, x, 1500);
      void *y = decompress(ctx, stream, (ghz_type)type);
      same_values(y, x, 1500, (ghz_type)type, say("constant %g, type %d", constants[c], type));
    }
}
