/* quantise.h: the two conversions between floating-point values and integers of the lattice
 * (FORMAT.md, "Lattice"). They keep law L1 (docs/LAWS.md). In the common subset of C and CUDA C++.
 *
 * Rounding to nearest-even is done by adding 1.5 * 2^23 (or 2^52): the sum's last bits are then the
 * integer. That is exact for the ranges that the modes admit, and the same single operation on
 * every machine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_QUANTISE_H
#define GHZ_QUANTISE_H

#include <string.h>

#include "rules/rules.h"

#define ROUND_F32 0x1.8p23f
#define ROUND_F64 0x1.8p52

/* v = x * inverse to the nearest integer, |v| < 2^22. */
GHZ_RULE int32_t round_f32(float v) {
  float sum = v + ROUND_F32, zero = ROUND_F32;
  int32_t b, z;
  memcpy(&b, &sum, sizeof b);
  memcpy(&z, &zero, sizeof z);
  return (int32_t)((uint32_t)b - (uint32_t)z);
}

/* The same, |v| < 2^51. */
GHZ_RULE int64_t round_f64(double v) {
  double sum = v + ROUND_F64, zero = ROUND_F64;
  int64_t b, z;
  memcpy(&b, &sum, sizeof b);
  memcpy(&z, &zero, sizeof z);
  return (int64_t)((uint64_t)b - (uint64_t)z);
}

/* Any v < 2^31 in magnitude. */
GHZ_RULE int32_t rint_32(float v) {
  return (int32_t)round_f64((double)v);
}

/* What values are multiplied by. */
GHZ_RULE double quantising_factor(ghz_type type, double step, int mode) {
  return (mode_shift(type, mode) ? 2 : 1) / step;
}

/* The values that lie on a grid, in a tile whose largest magnitude is known (FORMAT.md,
 * "Grids"). */
typedef struct grid_test {
  double step, inverse;
  double share; /* that rounding takes of a value, in sums */
  double eb;
} grid_test;

GHZ_RULE grid_test grid_test_of(const ghz_lattice *l, double m) {
  const double narrow = m <= 0x1p22 * l->step ? 0x1.1p-24 : 0x1.1p-28;
  const grid_test g = {l->step, 1 / l->step, l->type == GHZ_F32 ? narrow : 0x1p-51, l->eb};
  return g;
}

/* Whether v comes back as `back` from its multiple of the step, and that is within the bound. */
GHZ_RULE int comes_back(grid_test g, double v, double multiple, double back) {
  const double off = multiple - v, far = off < 0 ? -off : off, size = v < 0 ? -v : v;
  return (back == v) & (far + size * g.share <= g.eb);
}

GHZ_RULE int on_grid_f32(grid_test g, float v) {
  const double multiple = ((double)v * g.inverse + ROUND_F64 - ROUND_F64) * g.step;
  return comes_back(g, (double)v, multiple, (double)(float)multiple);
}

GHZ_RULE int on_grid_f64(grid_test g, double v) {
  const double multiple = (v * g.inverse + ROUND_F64 - ROUND_F64) * g.step;
  return comes_back(g, v, multiple, multiple);
}

/* Whether a tile whose largest magnitude is m may have coefficients: it is coarse, and float32 has
 * room for them. */
GHZ_RULE int may_have_coefficients(const ghz_lattice *l, double m) {
  return m <= 0x1p18 * l->step && mode_for(l, m) == COARSE && !is_grid(l);
}

/* Whether coefficients of a block of so many bits cost more than they save in error: `energy` is
 * the sum of c (2 e - c), in units of 1/64, over its coefficients c, which are e rounded. Such
 * blocks become 0 (FORMAT.md, "Transforming values"). */
GHZ_RULE int block_is_dropped(unsigned width, int energy) {
  return (width == 1 && energy < DROPPED_1) || (width == 2 && energy < DROPPED_2);
}

/* Whether integers are found in float arithmetic: where the largest magnitude m lets it keep the
 * bound. */
GHZ_RULE int quantises_in_float(const ghz_lattice *l, double m) {
  return l->type == GHZ_F32 && m <= 0x1p15 * l->step;
}

/* Whether (float)q * (float)unit has the bits of (float)((double)q * unit): one rounding either
 * way. */
GHZ_RULE int decodes_in_float(const ghz_lattice *l, int mode, uint32_t terms) {
  double unit = mode_unit(l->type, l->step, mode);
  return integer_bits(l, mode) + bit_length(terms) <= 24 && (double)(float)unit == unit;
}

#endif
