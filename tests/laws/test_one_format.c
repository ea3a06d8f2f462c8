/* test_one_format.c: law L3: the same bytes and values in every floating-point environment of a
 * caller. (From every instruction set: test_codec.c; from any number of threads: contexts.c; from
 * every version: test_golden.c.) */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"
#include "support.h"
#include <fenv.h>
#include <ghz/numbers.h>
#include <math.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* ---- The caller's floating-point environment ---- */
#if defined(__x86_64__)
static unsigned control_word(void) { return _mm_getcsr() & 0xffc0u; }

static void set_hostile(int rounding, int flush) {
  fesetround(rounding);
  if (flush)
    _mm_setcsr(_mm_getcsr() | 0x8040u);
}

static void set_default(void) { fesetenv(FE_DFL_ENV); }

/* Lattices of every kind of bound, and a scaled stream's bound: numbers that rounding makes. */
static ref_bytes rounded_numbers(ghz_context *ctx, ghz_type type, ref_bytes stream) {
  static const ghz_bound bounds[3] = {{GHZ_ABS, 1e-3 / 3}, {GHZ_REL, 1e-3 / 7}, {GHZ_PSNR, 77}};
  double *numbers = scratch(7 * sizeof *numbers);
  for (int i = 0; i < 3; i++) {
    ghz_lattice l;
    ghz_lattice_make(type, bounds[i], -0.1, 1.0 / 3, &l);
    numbers[2 * i] = l.step;
    numbers[2 * i + 1] = l.eb;
  }
  numbers[6] = info_of(scale(ctx, stream, 1.0 / 3)).bound;
  return (ref_bytes){(uint8_t *)numbers, 7 * sizeof *numbers};
}

/* All calls in the caller's environment, against what they answered in the usual one. */
static void call_all(ghz_context *ctx, const operands *o, const answer *want, ref_bytes numbers,
                     const char *what) {
  answer got = answer_make(o, 0);
  for (size_t c = 0; c < call_count; c++) {
    got.size = 0;
    ghz_status status = calls[c].run(ctx, o, &got);
    if (status != GHZ_OK || bytes_differ(answered(&got), answered(&want[c])))
      cr_assert_fail("%s: %s, status %d", what, calls[c].name, (int)status);
  }
  same_bytes(rounded_numbers(ctx, o->lattice.type, o->a), numbers, what);
}

static void check_environment(size_t in, const operands *o, const answer *want, ref_bytes numbers, int e) {
  static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  SCOPE;
  set_hostile(roundings[e % 4], e / 4);
  unsigned before = control_word();
  ghz_context *ctx = context_on(isa_name(in % isa_count()), 3);
  call_all(ctx, o, want, numbers, say("%s, type %d, environment %d", inputs[in].name, (int)o->lattice.type, e));
  unsigned after = control_word();
  int rounding = fegetround();
  ghz_context_free(ctx);
  set_default();
  cr_assert_eq(before, after, "%s: control word %x became %x", inputs[in].name, before, after);
  cr_assert_eq(rounding, roundings[e % 4]);
}

Test(one_format, caller_environment, .timeout = 300) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t in = 0; in < input_count; in++) {
      SCOPE;
      CONTEXT(plain, NULL, 3);
      ghz_lattice l = lattice_abs((ghz_type)type, 1e-3 / 3);
      operands o = operands_make(&l, 3000, 3, inputs[in].name, inputs[in].name, in % 2 ? 1e-3 : 0x1p-118);
      answer *want = scratch(call_count * sizeof *want);
      for (size_t c = 0; c < call_count; c++) {
        want[c] = answer_make(&o, 0);
        succeeded(calls[c].run(plain, &o, &want[c]), plain, calls[c].name);
      }
      ref_bytes numbers = rounded_numbers(plain, l.type, o.a);
      for (int e = 0; e < 8; e++)
        if (in <= 6 || e % 4 == (int)in % 4)
          check_environment(in, &o, want, numbers, e);
    }
}

/* Bounds that are denormal are no zeros where the caller flushes such: neither in what two operands
 * must have in common, nor in tallies. */
Test(one_format, denormal_bounds) {
  static const double x[3] = {1, -7, 1e300};
  const ghz_lattice one = lattice_abs(GHZ_F64, 4.9e-324), two = lattice_abs(GHZ_F64, 9.9e-324);
  CONTEXT(ctx, NULL, 1);
  const ref_bytes a = compress(ctx, &one, 0, x, 3), b = compress(ctx, &two, 0, x, 3), sum = add(ctx, a, a);
  ghz_comparison refused, want, got;
  ghz_tally pairs = {0}, merged = {0};
  succeeded(ghz_difference(ctx, view(sum), view(sum), &want), ctx, "difference");
  set_hostile(FE_TONEAREST, 1);
  const ghz_status differ = ghz_difference(ctx, view(a), view(b), &refused),
                   added = ghz_tally_add_pair(ctx, &pairs, view(sum), view(sum)),
                   joined = ghz_tally_merge(&merged, &pairs), told = ghz_tally_comparison(&merged, NULL, &got);
  set_default();
  cr_assert_eq(differ, GHZ_EMISMATCH, "another bound: status %d", (int)differ);
  cr_assert(added == GHZ_OK && joined == GHZ_OK && told == GHZ_OK);
  cr_assert_eq(memcmp(&got, &want, sizeof got), 0, "largest difference up to %g, not %g", got.largest.high,
               want.largest.high);
}
#endif

/* Exceptions that calls raise are not the caller's, whose own stay. */
Test(one_format, caller_flags) {
  static const int flags[] = {0, FE_DIVBYZERO, FE_INEXACT | FE_UNDERFLOW};
  CONTEXT(ctx, NULL, 1);
  ghz_lattice l = lattice_abs(GHZ_F32, 1e-3 / 3);
  operands o = operands_make(&l, 3000, 3, "mixture", "walk", 1e-3);
  answer r = answer_make(&o, 0);
  for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
    for (size_t c = 0; c < call_count; c++) {
      feclearexcept(FE_ALL_EXCEPT);
      feraiseexcept(flags[f]);
      ghz_status status = calls[c].run(ctx, &o, &r);
      int after = fetestexcept(FE_ALL_EXCEPT);
      succeeded(status, ctx, calls[c].name);
      cr_assert_eq(after, flags[f], "%s: flags %x became %x", calls[c].name, flags[f], after);
    }
}
