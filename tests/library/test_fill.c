/* test_fill.c: what is said where nobody named a fill value, or where a bound takes the values; a
 * fill of 0 is no extreme. (That fills come back, at the cost of NaN: test_codec.c.) */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"
#include <math.h>
#include <string.h>

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

/* ---- What a bound takes ---------------------------------------------------------------------- */

/* Value i of n, of a kind of data. */
typedef double maker(size_t i, size_t n, uint64_t *state);

#define MAKER(name, value)                                                                                     \
  static double name(size_t i, size_t n, uint64_t *state) {                                                    \
    (void)i, (void)n, (void)state;                                                                             \
    return value;                                                                                              \
  }
MAKER(kelvin, 280 + 20 * sin((double)i / 300))
MAKER(outlier, i ? kelvin(i, n, state) : 1e9)
MAKER(constant, 280)
MAKER(one_in_constants, i ? 280 : 1e9)
MAKER(some_in_constants, i % 100 ? 280 : 1e9)
MAKER(scalars_behind, i + 1 == n ? 1 : i + 2 == n ? 262144 : 1e-3 * sin((double)i / 100))

static double normal(size_t i, size_t n, uint64_t *state) {
  double sum = 0;
  (void)i, (void)n;
  for (int k = 0; k < 12; k++)
    sum += input_uniform(state) / 2;
  return sum;
}

MAKER(two_fields, normal(i, n, state) + (i < n / 3 ? 0 : 1e5))
MAKER(complex_residue, normal(i, n, state) * (i % 2 ? 1e-16 : 1))
MAKER(no_fill, i % 7 ? kelvin(i, n, state) : 1e20)
MAKER(two_fills, i % 9 ? no_fill(i, n, state) : -9999)
MAKER(double_fill, i % 7 ? kelvin(i, n, state) : 9.969209968386869e36)
MAKER(whole, i % 7 ? floor(kelvin(i, n, state)) : -9999)
MAKER(rain, input_below(state, 20) ? 0 : fabs(normal(i, n, state)))
MAKER(before_a_wave, normal(i, n, state) * (i < n / 4 ? 1 : exp(-60.0 * (double)i / (double)n)))
MAKER(outlier_before_a_wave, i == 5 ? 1e9 : before_a_wave(i, n, state))
MAKER(ramp, -9999 + 2.0 * 9999 * (double)i / (double)(n - 1))
MAKER(nothing, NAN)
MAKER(zeros, 0)

/* said: the parts of the sentence; NULL: nothing is said. */
static const struct {
  maker *make;
  ghz_bound bound;
  const char *said, *fill;
} losses[] = {
    {outlier,
     {GHZ_REL, 1e-4},
     "% of the values other than 0, which come back as 0: their median magnitude is 2",
     NULL},
    {outlier, {GHZ_PSNR, 60}, "the bound 1e+06 is larger", NULL},
    {kelvin, {GHZ_ABS, 500}, "the bound 500 is larger", NULL},
    {some_in_constants, {GHZ_REL, 1e-4}, "the bound 1e+05 is larger than 9", NULL},
    {scalars_behind, {GHZ_REL, 1e-4}, "the bound 26.2 is larger", NULL},
    {two_fields, {GHZ_REL, 1e-4}, "the bound 10 is larger than 3", NULL},
    {outlier_before_a_wave, {GHZ_REL, 1e-4}, "the bound 1e+05 is larger", NULL},
    {no_fill,
     {GHZ_REL, 1e-4},
     "the bound 1e+16 is larger",
     "14.3 % of the values are 1e+20, a usual fill value"},
    {no_fill, {GHZ_ABS, 1e-2}, "", "Use --fill 1e+20"},
    {two_fills, {GHZ_ABS, 1e-2}, "", "Use --fill 1e+20"},
    {double_fill, {GHZ_ABS, 1e-2}, "", "Use --fill 9.9692"},
    {whole, {GHZ_STEP, 1}, "", "Use --fill -9999"},
    {kelvin, {GHZ_REL, 1e-2}, NULL, NULL},
    {constant, {GHZ_ABS, 500}, NULL, NULL},
    {complex_residue, {GHZ_REL, 1e-4}, NULL, NULL},
    {rain, {GHZ_REL, 1e-3}, NULL, NULL},
    {normal, {GHZ_REL, 1e-2}, NULL, NULL},
    {before_a_wave, {GHZ_REL, 1e-4}, NULL, NULL},
    {ramp, {GHZ_ABS, 1e-2}, NULL, NULL},
    {nothing, {GHZ_ABS, 1}, NULL, NULL},
    {zeros, {GHZ_REL, 1e-4}, NULL, NULL},
};

static void check_loss(ghz_context *ctx, size_t row, ghz_type type, size_t n) {
  SCOPE;
  uint64_t state = row + 1;
  void *x = scratch(n * 8);
  char text[400], short_text[9];
  ghz_lattice l;
  ghz_loss loss;
  for (size_t i = 0; i < n; i++)
    put_value(type, x, i, losses[row].make(i, n, &state));
  succeeded(ghz_lattice_for(ctx, type, losses[row].bound, NULL, 1, (const void *[]){x}, n, &l), ctx, "lattice");
  for (int all = 0; all < 2; all++) {
    const char *want = losses[row].said, *fill = losses[row].fill;
    succeeded(ghz_lattice_loss(ctx, &l, x, n, all, &loss), ctx, "loss");
    const int says = ghz_loss_text(&loss, "--fill ", text, sizeof text);
    cr_assert(says == (want != NULL) && says == (*text != 0), "row %zu, type %d, %zu values, all %d: '%s'", row,
              (int)type, n, all, text);
    cr_assert(!want || (strstr(text, want) && (fill ? strstr(text, fill) != NULL : !strstr(text, "fill")) &&
                        (*want || !strstr(text, "bound"))),
              "row %zu, type %d, %zu values, all %d: '%s'", row, (int)type, n, all, text);
  }
  cr_assert(ghz_loss_text(&loss, "", short_text, sizeof short_text) == (*text != 0) && strlen(short_text) < 9);
}

Test(fill, losses_are_said) {
  CONTEXT(ctx, NULL, 2);
  for (size_t row = 0; row < COUNT(losses); row++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++) {
      if (type == GHZ_F32 && losses[row].make == complex_residue)
        continue; /* fields of such sizes stand beside each other in it */
      check_loss(ctx, row, (ghz_type)type, 6000);
      check_loss(NULL, row, (ghz_type)type, 300000);
    }
}

/* What is constant but for a tile comes back; of few values nothing is said; a fill that was named
 * hides no other; integers lose nothing; two of very many are found by who looks at all. */
Test(fill, losses_at_the_edge) {
  enum { N = 200000 };
  static float x[N];
  static int32_t k[N];
  uint64_t state = 1;
  ghz_lattice l = lattice_abs(GHZ_F32, 1e5);
  ghz_loss loss;
  CONTEXT(ctx, NULL, 1);
  for (size_t i = 0; i < N; i++)
    x[i] = (float)one_in_constants(i, N, &state);
  succeeded(ghz_lattice_loss(ctx, &l, x, N, 0, &loss), ctx, "constants");
  cr_assert(!loss.wipes);
  succeeded(ghz_lattice_loss(ctx, &l, x, 1000, 0, &loss), ctx, "one tile");
  cr_assert(loss.wipes && 100 * loss.lost >= 99 * loss.values);
  succeeded(ghz_lattice_loss(ctx, &l, x, 4, 0, &loss), ctx, "few");
  cr_assert(!loss.wipes);
  succeeded(ghz_lattice_loss(ctx, &l, NULL, 0, 0, &loss), ctx, "none");
  cr_assert(!loss.wipes && !loss.has_fill && loss.values == 0);
  for (size_t i = 0; i < N; i++) {
    x[i] = (float)two_fills(i, N, &state);
    k[i] = (int)(i % 7) - 3;
  }
  l = lattice_abs(GHZ_F32, 0.01);
  succeeded(ghz_lattice_set_fill(&l, (double)1e20f), NULL, "fill");
  succeeded(ghz_lattice_loss(ctx, &l, x, N, 0, &loss), ctx, "second");
  cr_assert(loss.has_fill && loss.fill == -9999 && !loss.wipes);
  succeeded(ghz_lattice_make(GHZ_I32, (ghz_bound){GHZ_STEP, 1}, 0, 0, &l), NULL, "integers");
  succeeded(ghz_lattice_loss(ctx, &l, k, N, 0, &loss), ctx, "integers");
  cr_assert(!loss.wipes && !loss.has_fill);
  for (size_t i = 0; i < N; i++)
    x[i] = i == 77 || i == 150001 ? -999 : (float)kelvin(i, N, &state);
  l = lattice_abs(GHZ_F32, 0.01);
  succeeded(ghz_lattice_loss(ctx, &l, x, N, 1, &loss), ctx, "all");
  cr_assert(loss.has_fill && loss.fill == -999 && loss.fills == 2 && loss.seen == N);
  cr_assert_eq(ghz_lattice_loss(ctx, NULL, x, N, 0, &loss), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_loss(ctx, &l, x, N, 0, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_loss(ctx, &l, NULL, N, 0, &loss), GHZ_EINVAL);
}
