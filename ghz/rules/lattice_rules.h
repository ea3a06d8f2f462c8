/* lattice_rules.h: what is a lattice, and what becomes of it by scaling (FORMAT.md, "Lattice" and
 * "Computing"). In the common subset of C and CUDA C++; from multiply_up on to be called under
 * round-to-nearest without flushing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_LATTICE_RULES_H
#define GHZ_LATTICE_RULES_H

#include <float.h>
#include <math.h>

#include "rules/fill.h"

GHZ_RULE double smallest_step(ghz_type type) {
  return type == GHZ_F32 ? 0x1p-120 : 0x1p-1000;
}

GHZ_RULE double largest_step(ghz_type type) {
  return type == GHZ_F32 ? 0x1p120 : 0x1p1000;
}

GHZ_RULE int cap_valid(int cap) {
  return cap == 35 || cap == 44;
}

/* least <= v <= most, of numbers from 0 on: their bits are in the same order, even where denormals
 * are flushed. NaN and all that has a sign is beyond any number. */
GHZ_RULE int from_to(double v, double least, double most) {
  return double_bits(v) >= double_bits(least) && double_bits(v) <= double_bits(most);
}

/* Whether a type has the cap. */
GHZ_RULE int cap_fits(ghz_type type, int cap) {
  if (is_integer(type))
    return cap == cap_of_integers(type);
  return cap == 35 || (cap == 44 && type == GHZ_F64);
}

/* Whether a stream may have it. Integers always have a step. */
GHZ_RULE int lattice_valid(const ghz_lattice *l) {
  if (!type_known(l->type) || !cap_fits(l->type, l->cap))
    return 0;
  const ghz_type type = storage_type(l->type);
  const int step = (double_bits(l->step) == 0 && !is_integer(l->type)) ||
                   from_to(l->step, smallest_step(type), largest_step(type));
  return step && from_to(l->eb, 0, DBL_MAX) && fill_valid(l);
}

/* Bit for bit, so that no environment takes a denormal bound for 0. */
GHZ_RULE int lattices_equal(const ghz_lattice *a, const ghz_lattice *b) {
  return a->type == b->type && a->cap == b->cap && double_bits(a->step) == double_bits(b->step) &&
         double_bits(a->eb) == double_bits(b->eb) && fills_equal(a, b);
}

/* Below this the remainder of a product may underflow, and is not asked. */
#define EXACT_REMAINDER 0x1p-900

/* a * b and a / b of numbers from 0 on, rounded up. */
GHZ_RULE double multiply_up(double a, double b) {
  double p = a * b;
  if (a == 0 || b == 0)
    return 0;
  return p < EXACT_REMAINDER || fma(a, b, -p) > 0 ? nextafter(p, HUGE_VAL) : p;
}

GHZ_RULE double divide_up(double a, double b) {
  double q = a / b;
  if (a == 0)
    return 0;
  return q < EXACT_REMAINDER || fma(q, b, -a) < 0 ? nextafter(q, HUGE_VAL) : q;
}

/* Whether multiples of a step are numbers without rounding, below 2^53. */
GHZ_RULE int multiples_are_exact(double step) {
  return (double_bits(step) & ((UINT64_C(1) << 52) - 1)) == 0 ||
         (step < 0x1p53 && (double)(int64_t)step == step);
}

/* A rounded step moves every value: by at most 2^(cap - 53) steps per term. With cap 35 the slack
 * of the lattice covers that; with cap 44 the bound has to say it. Integers have no slack, and the
 * bound has to say what decoding rounds, too. */
GHZ_RULE void admit_rounding(ghz_lattice *l, double remainder) {
  if (is_integer(l->type) && (remainder != 0 || !multiples_are_exact(l->step)))
    l->eb = nextafter(l->eb + l->step * (l->cap == 44 ? 0x1p-8 : 0x1p-17), HUGE_VAL);
  else if (!is_integer(l->type) && l->cap == 44 && remainder != 0)
    l->eb = nextafter(l->eb + l->step * 0x1p-9, HUGE_VAL);
}

/* The lattice of a scaled stream: times the factor, or by the divisor if that is not 1. Returns 0
 * if it is none. */
GHZ_RULE int scale_lattice(ghz_lattice *l, double factor, double divisor) {
  ghz_lattice scaled = *l;
  if (divisor != 1) {
    scaled.step = l->step / divisor;
    scaled.eb = divide_up(l->eb, divisor);
    admit_rounding(&scaled, fma(scaled.step, divisor, -l->step));
  } else {
    scaled.step = l->step * factor;
    scaled.eb = multiply_up(l->eb, factor);
    admit_rounding(&scaled, fma(l->step, factor, -scaled.step));
  }
  if (!lattice_valid(&scaled) || (scaled.step == 0) != (l->step == 0))
    return 0;
  *l = scaled;
  return 1;
}

#endif
