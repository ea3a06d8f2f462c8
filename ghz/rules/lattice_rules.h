/* lattice_rules.h: which types values have, and what stands for integer types among the tiles:
 * floating-point values on the grid of integers (FORMAT.md, "Integer types"); the fill value, which
 * stands for "missing" ("Integers"); what is a lattice, and what becomes of it by scaling
 * ("Lattice" and "Computing"). In the common subset of C and CUDA C++; on bits, so that zeros of
 * either sign are one fill and no environment takes a denormal number for 0; from multiply_up on to
 * be called under round-to-nearest without flushing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_LATTICE_RULES_H
#define GHZ_LATTICE_RULES_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "rules/rules.h"

/* ---- Types ----------------------------------------------------------------------------------- */

GHZ_RULE int type_known(ghz_type type) {
  return (int)type >= GHZ_F32 && (int)type <= GHZ_U32;
}

GHZ_RULE int is_integer(ghz_type type) {
  return type != GHZ_F32 && type != GHZ_F64;
}

/* The type of the values that tiles hold. */
GHZ_RULE ghz_type storage_type(ghz_type type) {
  if (!is_integer(type))
    return type;
  return type == GHZ_I32 || type == GHZ_I64 || type == GHZ_U32 ? GHZ_F64 : GHZ_F32;
}

/* Bytes of a value of any type; of a storage type value_bytes. */
GHZ_RULE unsigned type_bytes(ghz_type type) {
  if (type == GHZ_I8 || type == GHZ_U8)
    return 1;
  if (type == GHZ_I16 || type == GHZ_U16)
    return 2;
  return type == GHZ_F64 || type == GHZ_I64 ? 8 : 4;
}

/* The cap of an integer type: int64 has more bits than 35. */
GHZ_RULE int cap_of_integers(ghz_type type) {
  return type == GHZ_I64 ? 44 : 35;
}

/* The numbers from `least` up to below `beyond`. */
typedef struct integer_range {
  double least, beyond;
} integer_range;

GHZ_RULE integer_range range_of_type(ghz_type type) {
  const unsigned sign = type < GHZ_U8;
  const double beyond = (double)(UINT64_C(1) << (8 * type_bytes(type) - sign));
  const integer_range range = {sign ? -beyond : 0, beyond};
  return range;
}

/* The bound of the grid of a step, on which stored values lie too. */
GHZ_RULE double grid_bound(ghz_type storage, double step) {
  return step * (storage == GHZ_F32 ? 0x1.1p-2 : 0x1p-7);
}

/* The lattice that the tiles of a stream lie on: its own, or for integers a grid of the storage
 * type. */
GHZ_RULE ghz_lattice storage_lattice(const ghz_lattice *l) {
  ghz_lattice c = *l;
  c.type = storage_type(l->type);
  c.eb = is_integer(l->type) ? grid_bound(c.type, l->step) : l->eb;
  return c;
}

/* ---- Doubles that are floats ----------------------------------------------------------------- */

GHZ_RULE uint64_t double_bits(double v) {
  uint64_t b;
  memcpy(&b, &v, sizeof b);
  return b;
}

GHZ_RULE int double_exponent(uint64_t b) {
  return (int)(b >> 52 & 0x7ff) - 1023;
}

/* Low bits of a double's fraction that a float of its magnitude lacks: 29, below 2^-126 more. */
GHZ_RULE int bits_beyond_float(uint64_t b) {
  const int exponent = double_exponent(b);
  return exponent < -126 ? 29 + (-126 - exponent) : 29;
}

GHZ_RULE int is_float(uint64_t b) {
  const int exponent = double_exponent(b);
  if (b << 1 == 0)
    return 1;
  return exponent >= -149 && exponent <= 127 && (b & ((UINT64_C(1) << bits_beyond_float(b)) - 1)) == 0;
}

/* The bits of the float. */
GHZ_RULE uint32_t float_bits(uint64_t b) {
  const int exponent = double_exponent(b);
  const uint32_t sign = (uint32_t)(b >> 63) << 31;
  const uint64_t fraction = b & ((UINT64_C(1) << 52) - 1), whole = fraction | UINT64_C(1) << 52;
  if (b << 1 == 0)
    return sign;
  return sign | (exponent >= -126 ? (uint32_t)(exponent + 127) << 23 | (uint32_t)(fraction >> 29)
                                  : (uint32_t)(whole >> bits_beyond_float(b)));
}

/* ---- The fill -------------------------------------------------------------------------------- */

/* The fill's bit pattern in a type. */
GHZ_RULE uint64_t fill_bits(const ghz_lattice *l, ghz_type type) {
  return type == GHZ_F64 ? double_bits(l->fill) : float_bits(double_bits(l->fill));
}

/* A value is the fill if (its bits & mask) == key. */
typedef struct fill_test {
  uint64_t mask, key;
} fill_test;

/* Among values of the lattice's type. Without a fill, nothing is it. */
GHZ_RULE fill_test fill_test_of(const ghz_lattice *l) {
  const uint64_t all = l->type == GHZ_F64 ? ~UINT64_C(0) : UINT32_MAX;
  fill_test t = {0, 1};
  if (l->has_fill) {
    const uint64_t bits = fill_bits(l, l->type);
    t.mask = bits & all >> 1 ? all : all >> 1;
    t.key = bits & t.mask;
  }
  return t;
}

GHZ_RULE int is_fill(fill_test t, uint64_t bits) {
  return (bits & t.mask) == t.key;
}

/* What a missing value decodes to, in a type: the fill, or else the canonical NaN. */
GHZ_RULE uint64_t missing_bits(const ghz_lattice *l, ghz_type out) {
  if (l->has_fill)
    return fill_bits(l, out);
  return out == GHZ_F32 ? UINT32_C(0x7fc00000) : UINT64_C(0x7ff8000000000000);
}

/* The lattice as one without a fill: missing values decode to NaN, but for raw ones. */
GHZ_RULE ghz_lattice without_fill(const ghz_lattice *l) {
  ghz_lattice plain = *l;
  plain.has_fill = 0;
  return plain;
}

/* Whether the fill is zero, which tiles of no bytes are full of: they stand for values. */
GHZ_RULE int zero_is_fill(const ghz_lattice *l) {
  return l->has_fill && double_bits(l->fill) << 1 == 0;
}

/* A whole number that is a value of an integer type, and not -0. */
GHZ_RULE int is_integer_of(ghz_type type, double v) {
  const integer_range range = range_of_type(type);
  return v >= range.least && v < range.beyond && double_bits((double)(int64_t)v) == double_bits(v);
}

/* A fill is finite, and a value of the type. */
GHZ_RULE int fill_valid(const ghz_lattice *l) {
  const uint64_t b = double_bits(l->fill);
  if (!l->has_fill || is_integer(l->type))
    return !l->has_fill || is_integer_of(l->type, l->fill);
  return double_exponent(b) < 1024 && (l->type == GHZ_F64 || is_float(b));
}

/* Whether both have the same fill, or none: its sign counts, as it comes back. */
GHZ_RULE int fills_equal(const ghz_lattice *a, const ghz_lattice *b) {
  return !a->has_fill == !b->has_fill && (!a->has_fill || double_bits(a->fill) == double_bits(b->fill));
}

/* ---- Lattices -------------------------------------------------------------------------------- */

GHZ_RULE double smallest_step(ghz_type type) {
  return type == GHZ_F32 ? 0x1p-120 : 0x1p-1000;
}

GHZ_RULE double largest_step(ghz_type type) {
  return type == GHZ_F32 ? 0x1p120 : 0x1p1000;
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
