/* wide_sum.h: exact sums of lattice integers and of their products, in 384 bits, which any order of
 * additions gives alike; and what tiles add to them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_WIDE_SUM_H
#define GHZ_WIDE_SUM_H

#include "rules/rules.h"
#include "rules/transform.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/* Two's complement, the lowest limb first. Integers of a tile are below 2^97 in magnitude, whatever
 * its bytes, and an array has fewer than 2^64 values. */
enum { WIDE_SUM_LIMBS = 6 };

typedef struct wide_sum {
  uint64_t limb[WIDE_SUM_LIMBS];
} wide_sum;

/* *s += (high * 2^128 + low) * 2^shift, shift < 64. */
static inline void wide_sum_add_256(wide_sum *s, uint128 low, int128 high, unsigned shift) {
  const uint64_t sign = (uint64_t)(high >> 127);
  const uint64_t v[WIDE_SUM_LIMBS] = {
      (uint64_t)low, (uint64_t)(low >> 64), (uint64_t)high, (uint64_t)(high >> 64), sign, sign};
  uint64_t before = 0, carry = 0;
  for (int i = 0; i < WIDE_SUM_LIMBS; i++) {
    const uint64_t moved = shift ? v[i] << shift | before >> (64 - shift) : v[i];
    const uint128 sum = (uint128)s->limb[i] + moved + carry;
    s->limb[i] = (uint64_t)sum;
    carry = (uint64_t)(sum >> 64);
    before = v[i];
  }
}

/* *s += v * 2^shift, shift < 64. */
static inline void wide_sum_add(wide_sum *s, int128 v, unsigned shift) {
  wide_sum_add_256(s, (uint128)v, v >> 127, shift);
}

/* *s += a * b * 2^shift, for magnitudes of a and b below 2^98. */
static inline void wide_sum_add_product(wide_sum *s, int128 a, int128 b, unsigned shift) {
  /* Pieces of 49 bits: products of two stay below 2^98, and their signs are right. */
  const int128 base = (int128)1 << 49, a1 = a >> 49, b1 = b >> 49, a0 = a - a1 * base, b0 = b - b1 * base;
  wide_sum product = {{0}};
  wide_sum_add(&product, a0 * b0, 0);
  wide_sum_add(&product, a0 * b1 + a1 * b0, 49);
  const int128 high = a1 * b1; /* times 2^98, which is 2^64 and 2^34 */
  wide_sum shifted = {{0}};
  wide_sum_add(&shifted, high, 34);
  uint64_t carry = 0;
  for (int i = WIDE_SUM_LIMBS - 1; i > 0; i--)
    shifted.limb[i] = shifted.limb[i - 1];
  shifted.limb[0] = 0;
  for (int i = 0; i < WIDE_SUM_LIMBS; i++) {
    const uint128 sum = (uint128)product.limb[i] + shifted.limb[i] + carry;
    product.limb[i] = (uint64_t)sum;
    carry = (uint64_t)(sum >> 64);
  }
  wide_sum_add_256(s, (uint128)product.limb[1] << 64 | product.limb[0],
                   (int128)((uint128)product.limb[3] << 64 | product.limb[2]), shift);
}

/* Values of lattice tiles, of all tiles of a stream, are integers times step * 2^-lattice_bits. */
static inline unsigned lattice_bits(ghz_type type, int dims) {
  return dims > 1 ? transform_bits((unsigned)dims) : type == GHZ_F32;
}

/* The integer 1 of a tile without coefficients is 2^unit_shift of those. */
static inline unsigned unit_shift(ghz_type type, int dims, int mode) {
  return lattice_bits(type, dims) - mode_shift(type, mode);
}

/* Of lattice tiles: their finite values, their specials, and sums over the finite ones. */
typedef struct lattice_moments {
  uint64_t finite, specials;
  wide_sum sum, squares;
} lattice_moments;

/* Of pairs of lattice tiles, a and b: the pairs of finite values, other pairs, those of them where
 * the specials differ; sums over the finite pairs; and the largest |a - b|, the first index where
 * it is, and whether there is any. */
typedef struct lattice_comparison {
  uint64_t finite, specials, mismatches;
  wide_sum product, difference, squares; /* a b, a - b, (a - b)^2 */
  wide_sum magnitude[2];                 /* |a|, |b| */
  uint128 largest;
  uint64_t at;
  int any;
} lattice_comparison;

#endif
