/* constant.h: tiles of one value that the lattice does not have: the value stands before the tile
 * of its integers (FORMAT.md, "One value"). In the common subset of C and CUDA C++. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CONSTANT_H
#define GHZ_CONSTANT_H

#include "rules/fill.h"
#include "rules/parse.h"
#include "rules/quantise.h"

/* Of a tile that is not empty. To be asked before first_says_raw. */
GHZ_RULE int first_says_constant(unsigned first) {
  return first == CONSTANT_TILE;
}

/* Bytes before the tile of the integers. */
GHZ_RULE unsigned constant_head(ghz_type type) {
  return 1 + value_bytes(type);
}

/* A value of the type, which every double holds. */
GHZ_RULE double number_of_bits(ghz_type type, uint64_t bits) {
  const uint32_t low = (uint32_t)bits;
  double wide;
  float narrow;
  memcpy(&narrow, &low, sizeof narrow);
  memcpy(&wide, &bits, sizeof wide);
  return type == GHZ_F64 ? wide : (double)narrow;
}

/* Whether bits are those of a value that is neither special nor missing. */
GHZ_RULE int bits_are_finite(ghz_type type, fill_test fill, uint64_t bits) {
  const uint64_t exponent = type == GHZ_F64 ? UINT64_C(0x7ff) << 52 : UINT64_C(0xff) << 23;
  return (bits & exponent) != exponent && !is_fill(fill, bits);
}

/* ---- Encoding -------------------------------------------------------------------------------- */

/* Whether a tile of this value alone lies on the lattice and comes back as another one. */
GHZ_RULE int lattice_misses(const ghz_lattice *l, double x) {
  const double size = x < 0 ? -x : x;
  const int mode = mode_for(l, size);
  if (mode == RAW || is_grid(l)) /* those that lie on a grid come back */
    return 0;
  const double factor = quantising_factor(l->type, l->step, mode);
  const int64_t q = quantises_in_float(l, size) ? round_f32((float)x * (float)factor) : round_f64(x * factor);
  const double y = (double)q * mode_unit(l->type, l->step, mode);
  return (l->type == GHZ_F32 ? (double)(float)y : y) != x;
}

/* ---- Reading --------------------------------------------------------------------------------- */

GHZ_RULE uint64_t little_endian(const uint8_t *p, unsigned bytes) {
  uint64_t v = 0;
  for (unsigned i = 0; i < bytes; i++)
    v |= (uint64_t)p[i] << 8 * i;
  return v;
}

/* The integer of a tile without widths and slope that is not raw. Returns 0 if it is no such tile;
 * what else is wrong with it parsing finds. */
GHZ_RULE int only_integer(const uint8_t *data, size_t size, int *mode, int64_t *q) {
  *mode = COARSE;
  *q = 0;
  if (size == 0)
    return 1;
  const unsigned first = data[0], at = 1 + (first >> 2 & 1), extra = at == 2 && size > 1 ? data[1] : 0;
  const unsigned bytes = anchor_bytes_of(extra & 7);
  *mode = (int)(first >> 3 & 3);
  if (first_says_raw(first) || first >> 5 || extra >> 3 & 7 || size < at + bytes)
    return 0;
  *q = low_bytes(little_endian(data + at, bytes), bytes);
  return 1;
}

/* Check 9, of a tile that begins as one of one value: the bits of the value, which is finite and as
 * near to its integer as the lattice promises. The tile of the integers, from constant_head on, is
 * still to be parsed. Returns 0 for damage. */
GHZ_RULE int open_constant(const ghz_lattice *l, uint32_t terms, const uint8_t *data, size_t size,
                           uint64_t *bits) {
  const unsigned head = constant_head(l->type);
  int mode;
  int64_t q;
  if (terms != 1 || l->step == 0 || is_grid(l) || size < head ||
      !only_integer(data + head, size - head, &mode, &q))
    return 0;
  *bits = little_endian(data + 1, head - 1);
  const double difference = number_of_bits(l->type, *bits) - (double)q * mode_unit(l->type, l->step, mode);
  return bits_are_finite(l->type, fill_test_of(l), *bits) &&
         (difference < 0 ? -difference : difference) <= l->eb;
}

#endif
