/* test_fill.c: fill values: they cost what NaN costs, come back as they were, and make missing what
 * is added to them. (That their bytes are those of the reference codec, the other suites test.) */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "support.h"
#include <math.h>
#include <string.h>

enum { HEADER = 72, MASKS = 4 };

static const double fills[] = {(double)1e20f, -999, 0, -0.0};
static const ghz_shape shapes[] = {{1, {1, 1, 70001}}, {3, {24, 50, 61}}, {2, {3, 150, 170}}};

/* Land in one piece, 30 % here and there, all but a few, everything. */
static int masked(int mask, size_t i, uint64_t *state) {
  if (mask == 0)
    return i / 3000 % 3 == 0;
  return mask == 1 ? input_below(state, 10) < 3 : mask == 2 ? i % 5000 != 17 : 1;
}

/* A smooth field, never 0, with something else where it is masked. */
static void *masked_field(const ghz_lattice *l, const ghz_shape *s, int mask, double missing) {
  size_t n = (size_t)ghz_shape_count(s);
  ghz_lattice plain = *l;
  uint64_t state = 5;
  plain.has_fill = 0;
  void *x = field_make(WAVES, &plain, s, 300, 3);
  for (size_t i = 0; i < n; i++)
    put_value(l->type, x, i, masked(mask, i, &state) ? missing : value_at(l->type, x, i) + 1000);
  return x;
}

static void check_mask(ghz_context *ctx, ghz_type type, const ghz_shape *s, int mask, double fill) {
  SCOPE;
  const char *what = say("%s, type %d, mask %d, fill %g", shape_text(s), (int)type, mask, fill);
  ghz_lattice without = lattice_abs(type, 0.1), with = without;
  succeeded(ghz_lattice_set_fill(&with, fill), NULL, "fill");
  const void *x = masked_field(&with, s, mask, fill), *as_nan = masked_field(&with, s, mask, NAN);
  ref_bytes got = compress_shape(ctx, &with, GHZ_ORDER_BEST, x, s),
            nan = compress_shape(ctx, &without, GHZ_ORDER_BEST, as_nan, s);
  cr_assert_eq(got.size, nan.size, "%s: %zu bytes, NaN takes %zu", what, got.size, nan.size);
  cr_assert_arr_eq(got.data + HEADER, nan.data + HEADER, got.size - HEADER, "%s: other tiles", what);
  same_bytes(compress_shape(ctx, &with, GHZ_ORDER_BEST, as_nan, s), got, "NaN is missing, too");
  size_t n = (size_t)ghz_shape_count(s);
  for (int out = (int)type; out <= GHZ_F64; out++) {
    const void *y = decompress(ctx, got, (ghz_type)out);
    for (size_t i = 0; i < n; i++)
      cr_assert(kept_on(&with, x, (ghz_type)out, y, i), "%s: value %zu, %g came back as %g", what, i,
                value_at(type, x, i), value_at((ghz_type)out, y, i));
  }
}

Test(fill, costs_what_nan_costs, .timeout = 120) {
  CONTEXT(ctx, NULL, 2);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t s = 0; s < COUNT(shapes); s++)
      for (int mask = 0; mask < MASKS; mask++)
        check_mask(ctx, (ghz_type)type, &shapes[s], mask, fills[((size_t)mask + s) % COUNT(fills)]);
}

/* One fill for all of a sum; values far out, so that some tiles are added in floating point. */
static void check_propagation(ghz_context *ctx, ghz_type type, double fill) {
  enum { N = 5000 };
  SCOPE;
  ghz_lattice l = lattice_abs(type, 0.1);
  succeeded(ghz_lattice_set_fill(&l, fill), NULL, "fill");
  void *x[2];
  ref_bytes s[2];
  for (int i = 0; i < 2; i++) {
    x[i] = masked_field(&l, &(ghz_shape){1, {1, 1, N}}, i, fill);
    put_value(type, x[i], 3000, type == GHZ_F32 ? 1e30 : 1e300);
    s[i] = compress(ctx, &l, GHZ_ORDER_BEST, x[i], N);
  }
  const ref_bytes results[4] = {add(ctx, s[0], s[1]), mean(ctx, 2, s), extremum(ctx, s[0], s[1], 1),
                                subtract(ctx, s[0], s[1])};
  for (int r = 0; r < 4; r++) {
    const void *y = decompress(ctx, results[r], type);
    for (size_t i = 0; i < N; i++) {
      int missing = value_at(type, x[0], i) == fill || value_at(type, x[1], i) == fill;
      double got = value_at(type, y, i);
      cr_assert(!missing || (got == fill && signbit(got) == signbit(fill)), "result %d, value %zu: %g", r, i,
                got);
      cr_assert(missing || fill == 0 || got != fill, "result %d, value %zu is missing", r, i);
    }
  }
}

Test(fill, makes_sums_missing) {
  CONTEXT(ctx, NULL, 1);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t f = 0; f < COUNT(fills); f++)
      check_propagation(ctx, (ghz_type)type, fills[f]);
}

/* A relative bound is one of the data, and not of 1e20. */
Test(fill, relative_bounds) {
  enum { N = 3000 };
  static float x[N];
  const double fill = (double)1e20f;
  CONTEXT(ctx, NULL, 1);
  ghz_lattice l;
  double min, max;
  for (int i = 0; i < N; i++)
    x[i] = i % 7 ? 280 + 20 * sinf((float)i * 0.01f) : 1e20f;
  succeeded(ghz_lattice_for(ctx, GHZ_F32, (ghz_bound){GHZ_REL, 1e-3}, &fill, 1, (const void *[]){x}, N, &l),
            ctx, "lattice");
  ref_bytes s = compress(ctx, &l, GHZ_ORDER_BEST, x, N);
  const float *y = decompress(ctx, s, GHZ_F32);
  cr_assert(l.eb < 0.041 && l.eb > 0.039, "bound %g", l.eb);
  for (int i = 0; i < N; i++)
    cr_assert(i % 7 ? fabsf(x[i] - y[i]) <= 0.041f : y[i] == 1e20f, "value %d: %g", i, (double)y[i]);
  succeeded(ghz_extrema(ctx, view(s), &min, &max), ctx, "extrema");
  cr_assert(min > 259 && max < 301, "%g to %g", min, max);
  cr_assert(info_of(s).lattice.has_fill && info_of(s).lattice.fill == fill);
}

/* A tile of no bytes is values near 0, which come back as the fill value where that is 0: they are
 * no extremes. */
Test(fill, of_zero_is_no_extreme) {
  CONTEXT(ctx, NULL, 1);
  float x[2000];
  for (int i = 0; i < 2000; i++)
    x[i] = i < 1024 ? 1e-9f * (float)(1 + i % 2) : 5;
  for (int fill = 0; fill < 2; fill++) {
    ghz_lattice l = lattice_abs(GHZ_F32, 1e-3);
    double min, max;
    if (fill)
      succeeded(ghz_lattice_set_fill(&l, 0), NULL, "fill");
    succeeded(ghz_extrema(ctx, view(compress(ctx, &l, GHZ_ORDER_BEST, x, 2000)), &min, &max), ctx, "extrema");
    cr_assert(max > 4.9 && (fill ? min > 4.9 : min == 0), "fill %d: %g to %g", fill, min, max);
  }
}

/* Zeros that are missing take no part in the rule that zeros are no bytes, whatever the step. */
Test(fill, zeros_without_a_lattice) {
  float x[2000] = {0}, *y;
  ghz_lattice l = lattice_abs(GHZ_F32, 1e-45);
  CONTEXT(ctx, NULL, 1);
  succeeded(ghz_lattice_set_fill(&l, -0.0), NULL, "fill");
  cr_assert_eq(l.step, 0);
  ref_bytes s = compress(ctx, &l, GHZ_ORDER_BEST, x, 2000), ones;
  for (int i = 0; i < 2000; i++)
    x[i] = 1;
  ones = compress(ctx, &l, GHZ_ORDER_BEST, x, 2000);
  y = decompress(ctx, add(ctx, s, ones), GHZ_F32);
  for (int i = 0; i < 2000; i++)
    cr_assert(y[i] == 0 && signbit(y[i]), "value %d: %g", i, (double)y[i]);
}
