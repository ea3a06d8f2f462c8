/* lattice.c: from a bound to the grid that values are quantised to (FORMAT.md, "Lattice" and
 * "Bounds"). */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "lattice.h"

#include "floating.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"

size_t ghz_type_size(ghz_type type) {
  return type == GHZ_F32 || type == GHZ_F64 ? value_bytes(type) : 0;
}

uint32_t ghz_terms_limit(int cap) {
  return cap_valid(cap) ? terms_limit(cap) : 0;
}

/* A double with its significand cut to 24 bits. */
static double cut_to_24_bits(double v) {
  uint64_t b = load_u64(&v) & ~UINT64_C(0x1fffffff);
  return load_f64(&b);
}

int ghz_lattice_valid(const ghz_lattice *l) {
  floating_environment env;
  floating_begin(&env); /* a denormal step is no step, and not 0 */
  int valid = lattice_valid(l);
  floating_end(&env);
  return valid;
}

int ghz_lattice_fresh(const ghz_lattice *l) {
  return ghz_lattice_valid(l) && (l->type == GHZ_F64 || cut_to_24_bits(l->step) == l->step);
}

/* 10^-x for 0 <= x, from multiplications alone: the same bits on every machine, which pow() does
 * not promise. */
static double power_of_tenth(double x) {
  double whole = floor(x), fraction = x - whole, result = 1, factor = 0.1;
  for (double n = whole > 400 ? 400 : whole; n >= 1; n -= 1)
    result *= factor;
  /* 10^-f by halving: the square roots of a tenth, which IEEE 754 rounds alike everywhere. */
  for (int i = 0; i < 53 && fraction > 0; i++) {
    factor = sqrt(factor);
    fraction *= 2;
    if (fraction >= 1) {
      result *= factor;
      fraction -= 1;
    }
  }
  return result;
}

static double clamp_bound(double eb) {
  return eb > DBL_MAX ? DBL_MAX : eb < 0x1p-1074 ? 0x1p-1074 : eb;
}

static void set_step(ghz_lattice *l, double step) {
  if (step > largest_step(l->type))
    step = largest_step(l->type);
  if (step < smallest_step(l->type))
    step = 0;
  l->step = l->type == GHZ_F32 ? cut_to_24_bits(step) : step;
}

/* On this lattice the constant c is the integer 1, and exact. */
static void constant_lattice(ghz_lattice *l, double c) {
  c = fabs(c);
  l->step = c >= smallest_step(l->type) && c <= largest_step(l->type) ? c : 0;
  if (l->type == GHZ_F32 && cut_to_24_bits(l->step) != l->step)
    l->step = 0;
  l->eb = clamp_bound(c * 0x1p-16);
}

static void make(ghz_bound bound, double min, double max, ghz_lattice *l) {
  double half = max / 2 - min / 2;
  if (bound.kind != GHZ_ABS && !(half > 0)) {
    constant_lattice(l, min <= max && max != 0 ? max : 1);
    return;
  }
  if (bound.kind == GHZ_ABS)
    l->eb = bound.value;
  else if (bound.kind == GHZ_REL)
    l->eb = clamp_bound(2 * (bound.value * half));
  else
    l->eb = clamp_bound(2 * (half * power_of_tenth(bound.value / 20)));
  set_step(l, 2 * l->eb * 0x1.f8p-1);
}

/* No range at all, or one that is finite and the right way round. */
static int range_valid(double min, double max) {
  return (min == INFINITY && max == -INFINITY) || (min <= max && min >= -DBL_MAX && max <= DBL_MAX);
}

static ghz_status make_checked(ghz_type type, ghz_bound bound, double min, double max, ghz_lattice *lattice) {
  if (bound.kind != GHZ_ABS && bound.kind != GHZ_REL && bound.kind != GHZ_PSNR)
    return GHZ_EINVAL;
  if (!(bound.value > 0 && bound.value <= DBL_MAX) || (bound.kind != GHZ_ABS && !range_valid(min, max)))
    return GHZ_EINVAL;
  *lattice = (ghz_lattice){.type = type, .cap = type == GHZ_F32 ? 35 : 44};
  make(bound, min, max, lattice);
  return GHZ_OK;
}

ghz_status ghz_lattice_make(ghz_type type, ghz_bound bound, double min, double max, ghz_lattice *lattice) {
  if (!lattice || !ghz_type_known(type))
    return GHZ_EINVAL;
  floating_environment env;
  floating_begin(&env);
  ghz_status status = make_checked(type, bound, min, max, lattice);
  floating_end(&env);
  return status;
}
