/* transform.h: the integer transform of bricks (FORMAT.md, "Coefficients"): its matrices, and the
 * order of coefficients. In the common subset of C and CUDA C++.
 *
 * Along an axis of n values, 8, 16 or 32, the decoder multiplies by the integers h(n, u, x), for
 * frequency u and place x. Their rows lie between the Legendre polynomials and the cosines; even
 * frequencies are symmetric, odd ones antisymmetric, so half of each row is enough. The encoder
 * multiplies by the inverse of that matrix, in float32. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_TRANSFORM_H
#define GHZ_TRANSFORM_H

#include "rules/rules.h"
#include "rules/transform_tables.h"

#if defined(__CUDACC__)
#define GHZ_TABLE static __device__ const
#define GHZ_TABLE_RULE static inline __device__
#else
#define GHZ_TABLE static const
#define GHZ_TABLE_RULE GHZ_RULE
#endif

GHZ_TABLE int16_t inverse_8[8][4] = {INVERSE_8};
GHZ_TABLE int16_t inverse_16[16][8] = {INVERSE_16};
GHZ_TABLE int16_t inverse_32[32][16] = {INVERSE_32};
GHZ_TABLE float forward_8[8][4] = {FORWARD_8};
GHZ_TABLE float forward_16[16][8] = {FORWARD_16};
GHZ_TABLE float forward_32[32][16] = {FORWARD_32};

/* h(n, u, x). */
GHZ_TABLE_RULE int inverse_factor(unsigned n, unsigned u, unsigned x) {
  const unsigned i = x < n / 2 ? x : n - 1 - x;
  const int h = n == 8 ? inverse_8[u][i] : n == 16 ? inverse_16[u][i] : inverse_32[u][i];
  return x != i && u % 2 ? -h : h;
}

/* By what frequency u takes the sum (u even) or the difference (u odd) of values i and n - 1 - i.
 * Those of even frequencies but 0 sum up to 0: constants vanish. */
GHZ_TABLE_RULE float forward_factor(unsigned n, unsigned u, unsigned i) {
  return n == 8 ? forward_8[u][i] : n == 16 ? forward_16[u][i] : forward_32[u][i];
}

/* The integers of both layers are those of the lattice times 2^transform_bits. */
GHZ_RULE unsigned transform_bits(unsigned dims) {
  return dims == 3 ? 29 : 21;
}

/* Decoding in float64 is exact where sums of products of coefficients and these integers stay below
 * 2^53: the first coefficient is at most 2^28, and its factor is 2^24; the others' magnitudes sum
 * up to less than 2^25, and their factors are below LARGEST_8^2 * LARGEST_16. */
GHZ_RULE int first_is_exact(int64_t first) {
  return first <= INT64_C(1) << 28 && first >= -(INT64_C(1) << 28);
}

GHZ_RULE int others_are_exact(uint64_t magnitudes) {
  return magnitudes < UINT64_C(1) << 25;
}

/* No width above this: 1023 * 2^15 < 2^25. */
enum { EXACT_WIDTH = 16 };

/* The sum of magnitudes that the width of a block stands for. */
GHZ_RULE uint64_t most_of_block(unsigned width) {
  return width ? (uint64_t)BLOCK << (width - 1) : 0;
}

/* The most bytes of a brick with coefficients, which must save an eighth: sums of bricks with and
 * without carry both layers. */
GHZ_RULE size_t most_with_coefficients(size_t without) {
  return 7 * without / 8;
}

/* What it takes, as its coefficients tell: they leave half a byte for each of their blocks. */
GHZ_RULE size_t guess_with_coefficients(size_t bytes, unsigned blocks) {
  return bytes + blocks / 2;
}

/* Integers that differences along all axes do not make smallest, and that take three bits each: if
 * so many blocks inside are rough along x, too, no transform makes them small. Blocks are rough if
 * the largest second difference is above the largest first one, and that above 3, for rounding. */
enum { ROUGH_DIFFERENCE = 3, ROUGH_BLOCKS = BLOCKS / 2 };
GHZ_RULE int may_be_noise(unsigned dims, int order, size_t size) {
  return order < (int)dims && size >= 3 * TILE / 8;
}

/* Before the transform along x, the 16 lines of a group become 0 if no magnitude reaches this. */
#define LEAST_OF_LINES 0.125F

/* What values are multiplied by before the forward transform, which multiplies by 256 n along each
 * axis: 2^34 of cubes, 2^26 of planes. */
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
