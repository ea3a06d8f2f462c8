/* transform.h: the integer cosine transform of bricks (FORMAT.md, "Coefficients"): its two tables,
 * and the order of coefficients. In the common subset of C and CUDA C++.
 *
 * Along an axis of n values, 8, 16 or 32, the decoder multiplies by the integers h(n, u, x), for
 * frequency u and place x; they are 128 sqrt(2) cos(pi (2x + 1) u / 2n), rounded. The encoder
 * multiplies by the inverse of that matrix, in float32. Odd frequencies of length n form a matrix
 * of n / 2 x n / 2, whose entries depend on (2j + 1) (2i + 1) alone, and so do those of its
 * inverse; even frequencies are the transform of length n / 2. So one table of 33 numbers serves
 * each way. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_TRANSFORM_H
#define GHZ_TRANSFORM_H

#include "rules/rules.h"

#if defined(__CUDACC__)
#define GHZ_TABLE static __device__ const
#define GHZ_TABLE_RULE static inline __device__
#else
#define GHZ_TABLE static const
#define GHZ_TABLE_RULE GHZ_RULE
#endif

/* 128 sqrt(2) cos(pi k / 64); the first entry is the factor of frequency 0. */
GHZ_TABLE int16_t inverse_table[33] = {128, 181, 180, 179, 178, 176, 173, 170, 167, 164, 160,
                                       155, 151, 145, 140, 134, 128, 122, 115, 108, 101, 93,
                                       85,  77,  69,  61,  53,  44,  35,  27,  18,  9,   0};

/* 64 n times the inverse of the matrix of odd frequencies of length n, for k = (2j + 1) (2i + 1) 32
 * / n; entries 0 and 32 are not used. */
GHZ_TABLE float forward_table[33] = {
    1.0F,         1.41510999F,  1.4057256F,   1.39946342F,  1.38224566F,  1.37138188F,  1.3523612F,
    1.32826912F,  1.3094027F,   1.27696967F,  1.24903834F,  1.21607494F,  1.17163086F,  1.13285768F,
    1.09392333F,  1.046682F,    1.0F,         0.950319469F, 0.898222804F, 0.842943132F, 0.786583722F,
    0.727115631F, 0.662314892F, 0.605463862F, 0.541010737F, 0.479168475F, 0.413165718F, 0.341347545F,
    0.274258584F, 0.211136535F, 0.140297055F, 0.065468587F, 0.0F};

/* The entry and the sign for an angle of k / 128 of a turn. */
GHZ_RULE unsigned table_entry(unsigned k, int *negative) {
  k %= 128;
  k = k > 64 ? 128 - k : k;
  *negative = k > 32;
  return k > 32 ? 64 - k : k;
}

GHZ_TABLE_RULE int inverse_factor(unsigned n, unsigned u, unsigned x) {
  int negative;
  const unsigned k = table_entry((2 * x + 1) * u * (32 / n), &negative);
  return negative ? -inverse_table[k] : inverse_table[k];
}

GHZ_TABLE_RULE float forward_factor(unsigned n, unsigned j, unsigned i) {
  int negative;
  const unsigned k = table_entry((2 * j + 1) * (2 * i + 1) * (32 / n), &negative);
  return negative ? -forward_table[k] : forward_table[k];
}

/* The integers of both layers are those of the lattice times 2^transform_bits. */
GHZ_RULE unsigned transform_bits(unsigned dims) {
  return dims == 3 ? 26 : 19;
}

/* What values are multiplied by before the forward transform; it takes 128 n from each axis, and
 * gives back 2^transform_bits. */
GHZ_RULE double forward_scale(double step) {
  return 0x1p-5 / step;
}

/* The frequencies (uz, uy) of cubes, as 8 uz + uy, in the order in which they are coded: by
 * (1 + uz) (1 + uy), as amplitudes of smooth fields fall. */
GHZ_TABLE uint8_t frequency_pairs[64] = {0,  1,  8,  2,  16, 3,  9,  24, 4,  32, 5,  10, 17, 40, 6,  48,
                                         7,  11, 25, 56, 18, 12, 33, 13, 19, 26, 41, 14, 49, 20, 34, 15,
                                         27, 57, 21, 42, 28, 35, 22, 50, 23, 29, 43, 58, 36, 30, 51, 37,
                                         44, 31, 59, 38, 52, 45, 39, 60, 46, 53, 47, 61, 54, 55, 62, 63};

#endif
