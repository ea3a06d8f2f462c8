/* test_lattice.c: which bounds, ranges and fill values make a lattice, and what it is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"
#include <float.h>
#include <math.h>

SUITE_WITH_CONTEXT(lattice);

Test(lattice, bounds_that_are_no_bounds) {
  static const double bad[] = {0, -0.0, -1, -1e-300, -5e-324, INFINITY, -INFINITY, NAN};
  ghz_lattice l;
  for (int kind = GHZ_ABS; kind <= GHZ_STEP; kind++)
    for (size_t i = 0; i < COUNT(bad); i++) {
      ghz_bound bound = {(ghz_bound_kind)kind, bad[i]};
      cr_assert_eq(ghz_lattice_make(GHZ_F32, bound, 0, 1, &l), GHZ_EINVAL, "kind %d, bound %g", kind, bad[i]);
    }
  cr_assert_eq(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_OF_FLOAT, 1}, 0, 1, &l), GHZ_EINVAL);
  for (int sign = -1; sign < 2; sign += 2) { /* grids that are too fine, or too coarse */
    cr_assert_eq(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_STEP, ldexp(1, 121 * sign)}, 0, 1, &l), GHZ_EINVAL);
    cr_assert_eq(ghz_lattice_make(GHZ_F64, (ghz_bound){GHZ_STEP, ldexp(1, 1001 * sign)}, 0, 1, &l), GHZ_EINVAL);
    cr_assert(strstr(ghz_context_message(NULL), "step"));
  }
}

Test(lattice, steps_of_absolute_bounds) {
  uint64_t state = 3;
  for (int round = 0; round < 20000; round++) {
    ghz_type type = (ghz_type)(round % 2);
    double eb = ldexp(1.5 + input_uniform(&state) / 2, (int)input_below(&state, 2098) - 1074);
    if (round < 4200)
      eb = ldexp(1, round / 2 - 1074);
    if (!(eb > 0 && isfinite(eb)))
      continue;
    ghz_lattice l = lattice_abs(type, eb);
    cr_assert_eq(l.step, ref_step((int)type, eb), "type %d, eb %a: step %a", (int)type, eb, l.step);
    cr_assert_eq(l.eb, eb);
    cr_assert_eq(l.cap, type == GHZ_F32 ? 35 : 44);
    cr_assert_eq(l.type, type);
  }
}

Test(lattice, psnr_bounds) {
  uint64_t bits = 0;
  for (int tenth = 1; tenth < 3000; tenth += 7)
    for (int type = GHZ_F32; type <= GHZ_F64; type++) {
      ghz_lattice l;
      ghz_bound bound = {GHZ_PSNR, tenth / 10.0};
      succeeded(ghz_lattice_make((ghz_type)type, bound, -1, 3, &l), NULL, "lattice");
      long double want = 4 * powl(10, -(long double)bound.value / 20);
      cr_assert_float_eq((double)((long double)l.eb / want), 1, 1e-14, "%g dB: eb %a", bound.value, l.eb);
      bits = bits * 0x100000001b3u + ref_bits(REF_F64, l.eb);
    }
  cr_assert_eq(bits, UINT64_C(0xa97df821d21bc388), "other bits than on other machines: 0x%llx",
               (unsigned long long)bits);
}

/* As far from 0 as they are apart is far enough for a smaller step (FORMAT.md, "Bounds"). */
Test(lattice, least_offset) {
  ghz_lattice l, other;
  need(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_REL, 2e-6}, 0.5, 1.5, &l), "as far");
  need(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_REL, 2e-6}, 0.49, 1.5, &other), "nearer");
  cr_assert(l.step < 1.95 * l.eb && other.step > 1.95 * other.eb, "%a of %a, %a of %a", l.step, l.eb,
            other.step, other.eb);
}

Test(lattice, extreme_ranges) {
  ghz_lattice l;
  ghz_bound rel = {GHZ_REL, 1e-3}, tiny = {GHZ_REL, 1e-300}, huge = {GHZ_REL, 1e300}, psnr = {GHZ_PSNR, 1e300};
  succeeded(ghz_lattice_make(GHZ_F64, rel, -DBL_MAX, DBL_MAX, &l), NULL, "widest range");
  cr_assert(isfinite(l.eb) && l.eb > 0 && l.step <= 0x1p1000);
  succeeded(ghz_lattice_make(GHZ_F64, tiny, 0, 5e-324, &l), NULL, "narrowest range");
  cr_assert(l.eb > 0 && l.step == 0);
  succeeded(ghz_lattice_make(GHZ_F64, huge, -DBL_MAX, DBL_MAX, &l), NULL, "overflow");
  cr_assert_eq(l.eb, DBL_MAX);
  succeeded(ghz_lattice_make(GHZ_F64, psnr, 0, 1, &l), NULL, "psnr of 1e300");
  cr_assert(l.eb > 0 && isfinite(l.eb) && l.step == 0);
}

Test(lattice, constant_ranges) {
  static const double inside[] = {1, -2.5, 0x1p120, 0x1p-120, -0x1.8p-119},
                      outside[] = {0x1.1p120, 0x1p-121, -3e38};
  ghz_bound rel = {GHZ_REL, 0.5}, psnr = {GHZ_PSNR, 60};
  ghz_lattice l;
  for (size_t i = 0; i < COUNT(inside); i++) {
    succeeded(ghz_lattice_make(GHZ_F32, i % 2 ? rel : psnr, inside[i], inside[i], &l), NULL, "constant");
    cr_assert_eq(l.step, fabs(inside[i]));
    cr_assert_eq(l.eb, fabs(inside[i]) * 0x1p-16);
  }
  for (size_t i = 0; i < COUNT(outside); i++) {
    succeeded(ghz_lattice_make(GHZ_F32, rel, outside[i], outside[i], &l), NULL, "constant");
    cr_assert_eq(l.step, 0);
    cr_assert_eq(l.eb, fabs(outside[i]) * 0x1p-16);
  }
  succeeded(ghz_lattice_make(GHZ_F64, rel, 5e-324, 5e-324, &l), NULL, "denormal constant");
  cr_assert(l.step == 0 && l.eb > 0);
  succeeded(ghz_lattice_make(GHZ_F32, rel, INFINITY, -INFINITY, &l), NULL, "nothing finite");
  cr_assert(l.step == 1 && l.eb == 0x1p-16);
}

/* A range that is the wrong way round is no range; one that nothing finite gave is. */
Test(lattice, ranges_that_are_none) {
  ghz_lattice l;
  static const double bad[][2] = {{10, -10}, {0, INFINITY}, {-INFINITY, 0}, {NAN, 1}, {-INFINITY, INFINITY}};
  for (size_t i = 0; i < COUNT(bad); i++)
    cr_assert_eq(ghz_lattice_make(GHZ_F64, (ghz_bound){GHZ_REL, 1e-3}, bad[i][0], bad[i][1], &l), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_make(GHZ_F64, (ghz_bound){GHZ_REL, 1e-3}, INFINITY, -INFINITY, &l), GHZ_OK);
}

/* A range that nobody measured, and one that zeros gave. */
Test(lattice, range_of_zeros) {
  static const ghz_bound relative[] = {{GHZ_REL, 1e-3}, {GHZ_PSNR, 60}};
  ghz_lattice l;
  const float zeros[3] = {0, -0.0f, NAN};
  for (size_t i = 0; i < COUNT(relative); i++) {
    cr_assert_eq(ghz_lattice_make(GHZ_F32, relative[i], 0, 0, &l), GHZ_EINVAL);
    cr_assert_eq(ghz_lattice_make(GHZ_F64, relative[i], -0.0, 0, &l), GHZ_EINVAL);
    succeeded(ghz_lattice_for(ctx, GHZ_F32, relative[i], NULL, 1, (const void *[]){zeros}, 3, &l), ctx,
              "zeros");
    cr_assert(l.step == 1 && l.eb == 0x1p-16 && !l.has_fill);
  }
  succeeded(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 1e-3}, 0, 0, &l), NULL, "absolute");
}

/* One array, or several that are to be added. */
Test(lattice, lattice_for_arrays) {
  const float a[4] = {1, 2, 1e20f, 3}, b[4] = {-7, 1e20f, 1e20f, 0}, c[2] = {4, 4};
  const double fill = (double)1e20f, none = 1e20;
  const void *const both[2] = {a, b}, *const constant[1] = {c};
  const ghz_bound rel = {GHZ_REL, 1e-3}, abs = {GHZ_ABS, 1e-3}, bad = {GHZ_REL, 0};
  ghz_lattice got, want;
  succeeded(ghz_lattice_for(ctx, GHZ_F32, rel, &fill, 2, both, 4, &got), ctx, "two arrays");
  succeeded(ghz_lattice_make(GHZ_F32, rel, -7, 3, &want), NULL, "their range");
  cr_assert(got.step == want.step && got.eb == want.eb && got.has_fill && got.fill == fill);
  succeeded(ghz_lattice_for(ctx, GHZ_F32, rel, NULL, 1, constant, 2, &got), ctx, "a constant");
  cr_assert(got.step == 4 && !got.has_fill);
  succeeded(ghz_lattice_for(ctx, GHZ_F32, abs, &fill, 2, both, 4, &got), ctx, "absolute");
  cr_assert(got.eb == 1e-3 && got.has_fill);
  succeeded(ghz_lattice_for(ctx, GHZ_F32, rel, NULL, 2, both, 0, &got), ctx, "no values");
  cr_assert_eq(ghz_lattice_for(ctx, GHZ_F32, rel, &none, 2, both, 4, &got), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_for(ctx, GHZ_F32, abs, &none, 2, both, 4, &got), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_for(ctx, GHZ_F32, bad, NULL, 2, both, 4, &got), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_for(ctx, GHZ_F32, rel, NULL, 0, both, 4, &got), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_for(ctx, GHZ_F32, rel, NULL, 2, NULL, 4, &got), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_for(ctx, GHZ_F32, rel, NULL, 2, both, 4, NULL), GHZ_EINVAL);
}

/* One value, on a lattice, times a weight and divided. */
static ghz_bytes combined(const ghz_bytes *streams, size_t k, const int64_t *weights, uint64_t divisor) {
  void *data;
  size_t size;
  succeeded(ghz_linear_alloc(ctx, k, streams, weights, divisor, &data, &size), ctx, "linear");
  return (ghz_bytes){data, size};
}

/* What is compressed on it adds to what was divided, and its bound is that of what that was. */
Test(lattice, what_was_divided) {
  static const ghz_type types[] = {GHZ_F32, GHZ_F64, GHZ_I16, GHZ_I32};
  static uint8_t room[2][4096];
  uint64_t state = 5;
  for (int round = 0; round < 400; round++) {
    const ghz_type type = types[round % 4];
    const int integer = type != GHZ_F32 && type != GHZ_F64;
    const uint64_t k = 1 + input_below(&state, round % 3 ? 40 : 16000), value = 0;
    const ghz_bound bound = {integer ? GHZ_STEP : GHZ_ABS, integer ? 1 : exp2(input_uniform(&state) * 40 - 20)};
    ghz_bytes s[2] = {{room[0], 0}, {room[1], 0}};
    ghz_lattice l, found;
    ghz_info info;
    need(ghz_lattice_make(type, bound, 0, 0, &l), "lattice");
    need(ghz_compress(ctx, &l, 0, &value, 1, room[0], sizeof room[0], &s[0].size), "compress");
    s[0] = combined(s, 1, (int64_t[]){1}, k);
    if (round % 5 == 0) { /* a mean of means */
      const ghz_bytes once = s[0];
      s[0] = combined(s, 1, (int64_t[]){1}, 1 + k % 30);
      free((void *)(uintptr_t)once.data);
    }
    need(ghz_info_read(s[0], &info), "info");
    need(ghz_lattice_undivided(&info.lattice, &found), "undivided");
    need(ghz_compress(ctx, &found, 0, &value, 1, room[1], sizeof room[1], &s[1].size), "compress on it");
    const ghz_bytes less = combined(s, 2, (int64_t[]){-1, 1}, 1);
    cr_assert(found.step <= l.step && found.eb <= nextafter(l.eb, INFINITY));
    cr_assert(integer || found.eb >= found.step / 2);
    free((void *)(uintptr_t)s[0].data), free((void *)(uintptr_t)less.data);
  }
  ghz_lattice l = lattice_abs(GHZ_F32, 1), bad = l;
  l.step = 1.0 / 3 + 1e-9, bad.cap = 3;
  cr_assert_eq(ghz_lattice_undivided(&l, &l), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_undivided(&bad, &l), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_undivided(NULL, &l), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_undivided(&l, NULL), GHZ_EINVAL);
}

Test(lattice, fill_values) {
  static const double of_both[] = {0, -0.0, -999, (double)1e20f, (double)9.96921e36f, FLT_MAX, FLT_TRUE_MIN},
                      of_doubles[] = {1e20, 0.1, 1e39, DBL_MAX, DBL_TRUE_MIN},
                      of_none[] = {NAN, INFINITY, -INFINITY};
  ghz_lattice narrow = lattice_abs(GHZ_F32, 1e-3), wide = lattice_abs(GHZ_F64, 1e-3);
  for (size_t i = 0; i < COUNT(of_both); i++) {
    succeeded(ghz_lattice_set_fill(&narrow, of_both[i]), NULL, "fill of floats");
    succeeded(ghz_lattice_set_fill(&wide, of_both[i]), NULL, "fill of doubles");
    cr_assert(narrow.has_fill == 1 && narrow.fill == of_both[i] && signbit(narrow.fill) == signbit(of_both[i]));
  }
  const ghz_lattice before = narrow;
  for (size_t i = 0; i < COUNT(of_doubles); i++) {
    cr_assert_eq(ghz_lattice_set_fill(&narrow, of_doubles[i]), GHZ_EINVAL, "%g", of_doubles[i]);
    succeeded(ghz_lattice_set_fill(&wide, of_doubles[i]), NULL, "fill of doubles");
  }
  for (size_t i = 0; i < COUNT(of_none); i++) {
    cr_assert_eq(ghz_lattice_set_fill(&narrow, of_none[i]), GHZ_EINVAL);
    cr_assert_eq(ghz_lattice_set_fill(&wide, of_none[i]), GHZ_EINVAL);
  }
  cr_assert(narrow.fill == before.fill && narrow.has_fill, "a fill that is refused changes nothing");
  cr_assert_eq(ghz_lattice_set_fill(NULL, 0), GHZ_EINVAL);
}

Test(lattice, lattices_and_shapes_are_equal_field_by_field) {
  const ghz_lattice l = {.type = GHZ_F64, .cap = 44, .step = 0x1p-1074, .eb = 1, .has_fill = 1, .fill = 5};
  ghz_lattice other[] = {l, l, l, l, l, l};
  other[0].type = GHZ_F32, other[1].cap = 35, other[2].step = 0, other[3].eb = 2, other[4].fill = 6;
  other[5].has_fill = 0;
  for (int i = 0; i < 6; i++)
    cr_assert_not(ghz_lattice_equal(&l, &other[i]), "field %d", i);
  cr_assert(ghz_lattice_equal(&l, &(ghz_lattice){GHZ_F64, 44, 0x1p-1074, 1, 1, 5}));
  cr_assert(ghz_lattice_equal(&other[5], &(ghz_lattice){GHZ_F64, 44, 0x1p-1074, 1, 0, NAN}), "no fill");
  other[0] = other[1] = l, other[0].fill = 0, other[1].fill = -0.0;
  cr_assert_not(ghz_lattice_equal(&other[0], &other[1]), "each zero comes back as itself");
  other[0].fill = other[1].fill = NAN;
  cr_assert(ghz_lattice_equal(&other[0], &other[1]), "the same bits");
  cr_assert_not(ghz_lattice_equal(&l, NULL) || ghz_lattice_equal(NULL, &l) || ghz_lattice_equal(NULL, NULL));
  const ghz_shape s = {3, {2, 3, 4}};
  cr_assert(ghz_shape_equal(&s, &(ghz_shape){3, {2, 3, 4}}));
  cr_assert_not(
      ghz_shape_equal(&s, &(ghz_shape){2, {2, 3, 4}}) || ghz_shape_equal(&s, &(ghz_shape){3, {1, 3, 4}}) ||
      ghz_shape_equal(&s, &(ghz_shape){3, {2, 1, 4}}) || ghz_shape_equal(&s, &(ghz_shape){3, {2, 3, 1}}) ||
      ghz_shape_equal(&s, NULL) || ghz_shape_equal(NULL, NULL));
}
