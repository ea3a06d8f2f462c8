/* fill.h: the fill value of a lattice, which stands for "missing" among values (FORMAT.md,
 * "Integers"). In the common subset of C and CUDA C++, and on bits: zeros of either sign are one
 * value, and no environment takes a denormal number for 0. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILL_H
#define GHZ_FILL_H

#include <string.h>

#include "rules/types.h"

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

#endif
