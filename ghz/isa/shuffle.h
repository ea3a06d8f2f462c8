/* shuffle.h: the shuffles of primitives.h for any port, from the compiler's shuffles of vectors.
 *
 * Parameter, the port's:
 *   VEC   bytes of a vector register
 *
 * Eight registers of N lanes hold N blocks of 8 neighbouring values. Three rounds bring the values
 * of each position in a block to a register of their own: a round sends the even-numbered values of
 * a group of registers to the group's first half, the odd-numbered ones to its second half, and
 * halves the groups. The positions that each register then holds:
 *
 *   register      0         1         2         3         4         5         6         7
 *   before     01234567  01234567  01234567  01234567  01234567  01234567  01234567  01234567
 *   round 1    0 2 4 6   0 2 4 6   0 2 4 6   0 2 4 6  |1 3 5 7   1 3 5 7   1 3 5 7   1 3 5 7
 *   round 2    0   4     0   4    |2   6     2   6    |1   5     1   5    |3   7     3   7
 *   round 3    0        |4        |2        |6        |1        |5        |3        |7
 *
 * So register t ends with position t, its three bits reversed. Merging does the rounds
 * backwards. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_SHUFFLE_H
#define GHZ_SHUFFLE_H

#include "isa/primitives.h"
#include "rules/rules.h"

/* Lanes by number, as the compiler's shuffle wants them: those of two registers count on from one
 * to the other. */
#define EVEN_2 0, 2
#define EVEN_4 EVEN_2, 4, 6
#define EVEN_8 EVEN_4, 8, 10, 12, 14
#define EVEN_16 EVEN_8, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_2 1, 3
#define ODD_4 ODD_2, 5, 7
#define ODD_8 ODD_4, 9, 11, 13, 15
#define ODD_16 ODD_8, 17, 19, 21, 23, 25, 27, 29, 31
/* The two registers' lanes in turn: the lower half of them, the upper half. */
#define LOW_2 0, 2
#define HIGH_2 1, 3
#define LOW_4 0, 4, 1, 5
#define HIGH_4 2, 6, 3, 7
#define LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8 4, 12, 5, 13, 6, 14, 7, 15
#define LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
/* n lanes from lane i on. */
#define RUN_2(i) (i), (i) + 1
#define RUN_4(i) RUN_2(i), RUN_2((i) + 2)
#define RUN_8(i) RUN_4(i), RUN_4((i) + 4)
#define RUN_16(i) RUN_8(i), RUN_8((i) + 8)
#define RUN_32(i) RUN_16(i), RUN_16((i) + 16)
#define DOWN_2 1, 0
#define DOWN_4 3, 2, DOWN_2
#define DOWN_8 7, 6, 5, 4, DOWN_4

/* Four lanes of two registers of n in turn, from lane i on; in each piece of 8 lanes the lower
 * ones, the upper ones. */
#define IN_TURN(i, n) (i), (i) + (n), (i) + 1, (i) + (n) + 1, (i) + 2, (i) + (n) + 2, (i) + 3, (i) + (n) + 3
#define INTERLEAVED_LOW_8 IN_TURN(0, 8)
#define INTERLEAVED_HIGH_8 IN_TURN(4, 8)
#define INTERLEAVED_LOW_16 IN_TURN(0, 16), IN_TURN(8, 16)
#define INTERLEAVED_HIGH_16 IN_TURN(4, 16), IN_TURN(12, 16)
#define INTERLEAVED_LOW_32 IN_TURN(0, 32), IN_TURN(8, 32), IN_TURN(16, 32), IN_TURN(24, 32)
#define INTERLEAVED_HIGH_32 IN_TURN(4, 32), IN_TURN(12, 32), IN_TURN(20, 32), IN_TURN(28, 32)

/* In each piece of 16 bytes: 32-bit lanes of two registers in turn, the lower ones, the upper ones;
 * and the lower, the upper 64 bits of both. */
#define TURN_LOW_4 0, 4, 1, 5
#define TURN_HIGH_4 2, 6, 3, 7
#define TURN_LOW_8 0, 8, 1, 9, 4, 12, 5, 13
#define TURN_HIGH_8 2, 10, 3, 11, 6, 14, 7, 15
#define TURN_LOW_16 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define TURN_HIGH_16 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define BOTH_LOW_2 0, 2
#define BOTH_HIGH_2 1, 3
#define BOTH_LOW_4 0, 4, 2, 6
#define BOTH_HIGH_4 1, 5, 3, 7
#define BOTH_LOW_8 0, 8, 2, 10, 4, 12, 6, 14
#define BOTH_HIGH_8 1, 9, 3, 11, 5, 13, 7, 15

#if VEC == 64
#define LANES_OF_16 32
#define LANES_OF_32 16
#define LANES_OF_64 8
#elif VEC == 32
#define LANES_OF_16 16
#define LANES_OF_32 8
#define LANES_OF_64 4
#else
#define LANES_OF_16 8
#define LANES_OF_32 4
#define LANES_OF_64 2
#endif

typedef uint16_t uvec_16 __attribute__((vector_size(VEC), aligned(2), may_alias));
typedef uint32_t uvec_32 __attribute__((vector_size(VEC), aligned(4), may_alias));
typedef uint64_t uvec_64 __attribute__((vector_size(VEC), aligned(8), may_alias));

GHZ_INLINE part moved_up(part before, part v, unsigned bytes) {
#define MOVED(lanes)                                                                                           \
  (part) __builtin_shufflevector((vec_16)before, (vec_16)v, PASTE(RUN_, LANES_OF_16)(LANES_OF_16 - (lanes)))
  return bytes == 2 ? MOVED(1) : bytes == 4 ? MOVED(2) : bytes == 8 ? MOVED(4) : MOVED(8);
#undef MOVED
}

GHZ_INLINE void plane_back(const part x[PARTS], unsigned bytes, part y[PARTS]) {
  for (int i = 0; i < PARTS; i++)
    y[i] = moved_up(i ? x[i - 1] : part_zero(), x[i], bytes);
}

GHZ_INLINE void plane_shift(const part x[PARTS], part y[PARTS]) {
  plane_back(x, 8, y);
  for (int i = 0; i < PARTS; i++)
    y[i] = (part)((uvec_64)x[i] << 1 | (uvec_64)y[i] >> 63);
}

/* The register that ends with each position, and the position that each register ends with. */
static const int reversed_bits[8] = {0, 4, 2, 6, 1, 5, 3, 7};

typedef int16_t piece_16 __attribute__((vector_size(16)));

GHZ_INLINE piece_16 block_of_16(const char *p) {
  piece_16 v;
  memcpy(&v, p, sizeof v);
  return v;
}

/* The block of 16-bit values there, and those 8, 16 and 24 blocks behind it that a register has
 * room for. */
GHZ_INLINE vec_16 blocks_of_16(const char *p) {
#if VEC == 16
  return (vec_16)block_of_16(p);
#elif VEC == 32
  return (vec_16)__builtin_shufflevector(block_of_16(p), block_of_16(p + 128), RUN_16(0));
#else
  typedef int16_t pieces_16 __attribute__((vector_size(32)));
  const pieces_16 low = __builtin_shufflevector(block_of_16(p), block_of_16(p + 128), RUN_16(0)),
                  high = __builtin_shufflevector(block_of_16(p + 256), block_of_16(p + 384), RUN_16(0));
  return (vec_16)__builtin_shufflevector(low, high, RUN_16(0), RUN_16(16));
#endif
}

/* Four lanes of each of VEC / 16 rows, from lane x on: of rows 0, 4, 8, 12. */
GHZ_INLINE vec_32 pieces_of_rows(const void *const rows[], int x) {
#define ROW(i) block_of_16((const char *)rows[i] + 4 * x)
#if VEC == 16
  return (vec_32)ROW(0);
#elif VEC == 32
  return (vec_32)__builtin_shufflevector(ROW(0), ROW(4), RUN_16(0));
#else
  typedef int16_t pieces_16 __attribute__((vector_size(32)));
  const pieces_16 low = __builtin_shufflevector(ROW(0), ROW(4), RUN_16(0)),
                  high = __builtin_shufflevector(ROW(8), ROW(12), RUN_16(0));
  return (vec_32)__builtin_shufflevector(low, high, RUN_16(0), RUN_16(16));
#endif
#undef ROW
}

/* Four registers of pieces of 4 x 4 lanes, each turned. */
GHZ_INLINE void turn_pieces(vec_32 v[4]) {
  vec_64 low[2], high[2];
  for (int i = 0; i < 2; i++) {
    low[i] = (vec_64)__builtin_shufflevector(v[2 * i], v[2 * i + 1], PASTE(TURN_LOW_, LANES_OF_32));
    high[i] = (vec_64)__builtin_shufflevector(v[2 * i], v[2 * i + 1], PASTE(TURN_HIGH_, LANES_OF_32));
  }
  v[0] = (vec_32)__builtin_shufflevector(low[0], low[1], PASTE(BOTH_LOW_, LANES_OF_64));
  v[1] = (vec_32)__builtin_shufflevector(low[0], low[1], PASTE(BOTH_HIGH_, LANES_OF_64));
  v[2] = (vec_32)__builtin_shufflevector(high[0], high[1], PASTE(BOTH_LOW_, LANES_OF_64));
  v[3] = (vec_32)__builtin_shufflevector(high[0], high[1], PASTE(BOTH_HIGH_, LANES_OF_64));
}

/* No shuffle crosses pieces of 16 bytes: loads put these in place. */
GHZ_INLINE void transpose_32(const void *const rows[16], void *columns) {
  for (int l = 0; l < 16; l += LANES_OF_32)
    for (int x = 0; x < 16; x += 4) {
      vec_32 v[4];
      GHZ_UNROLL_8 for (int i = 0; i < 4; i++) v[i] = pieces_of_rows(rows + l + i, x);
      turn_pieces(v);
      GHZ_UNROLL_8 for (int i = 0; i < 4; i++)
          vec_store((char *)columns + 4 * (16 * (x + i) + l), (vec_16)v[i]);
    }
}

#define BITS 16
#include "isa/shuffle_lanes.h"
#define BITS 32
#include "isa/shuffle_lanes.h"
#define BITS 64
#include "isa/shuffle_lanes.h"

/* Of registers as turn_blocks_16 leaves them: the k-th of sixteen registers of 32 bits that have
 * their values in linear order. */
GHZ_INLINE vec_32 widen_blocks(const vec_16 v[8], int k) {
#if VEC == 16
  return widen_16(k % 2 ? __builtin_shufflevector(v[k / 2], v[k / 2], RUN_4(4))
                        : __builtin_shufflevector(v[k / 2], v[k / 2], RUN_4(0)));
#elif VEC == 32
  return widen_16(k < 8 ? __builtin_shufflevector(v[k % 8], v[k % 8], RUN_8(0))
                        : __builtin_shufflevector(v[k % 8], v[k % 8], RUN_8(8)));
#else
  const vec_16 a = v[2 * k % 8], b = v[2 * k % 8 + 1];
  return widen_16(k < 4    ? __builtin_shufflevector(a, b, RUN_8(0), RUN_8(32))
                  : k < 8  ? __builtin_shufflevector(a, b, RUN_8(8), RUN_8(40))
                  : k < 12 ? __builtin_shufflevector(a, b, RUN_8(16), RUN_8(48))
                           : __builtin_shufflevector(a, b, RUN_8(24), RUN_8(56)));
#endif
}

/* Halves of a register, and of both one. */
GHZ_INLINE half_32 half_of_32(vec_32 v, int high) {
  return high ? __builtin_shufflevector(v, v, PASTE(RUN_, LANES_OF_64)(LANES_OF_64))
              : __builtin_shufflevector(v, v, PASTE(RUN_, LANES_OF_64)(0));
}

GHZ_INLINE vec_f32 joined_f32(half_f32 low, half_f32 high) {
  return __builtin_shufflevector(low, high, PASTE(RUN_, LANES_OF_32)(0));
}

#endif
