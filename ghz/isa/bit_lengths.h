/* bit_lengths.h: bit lengths of the blocks of a tile where no instruction counts leading zeros:
 * through the exponent of a float, which loops can do in vector registers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_BIT_LENGTHS_H
#define GHZ_BIT_LENGTHS_H

#include "isa/primitives.h"

/* Exact below 2^24; the bit below the top one may be cleared first, so that rounding cannot
 * carry. */
GHZ_INLINE uint8_t bit_length_by_float(int32_t v) {
  float f = (float)v;
  int32_t bits;
  memcpy(&bits, &f, 4);
  int32_t w = (bits >> 23) - 126;
  return (uint8_t)(w > 0 ? w : 0);
}

#if VEC == 16 /* avx2.h has its own */
GHZ_INLINE void bit_lengths_16(const uint16_t *m, uint8_t width[BLOCKS]) {
  for (int b = 0; b < BLOCKS; b++)
    width[b] = bit_length_by_float(m[b]);
}
#endif

GHZ_INLINE void bit_lengths_32(const uint32_t *m, uint8_t width[BLOCKS]) {
  for (int b = 0; b < BLOCKS; b++) {
    uint32_t v = m[b] & ~(m[b] >> 1);
    uint8_t w = bit_length_by_float((int32_t)(v & 0x7fffffff));
    width[b] = v >> 31 ? 32 : w;
  }
}

#endif
