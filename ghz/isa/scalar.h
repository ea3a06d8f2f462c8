/* scalar.h: the primitives (primitives.h) in plain C: a plane is eight parts of sixteen blocks. A
 * part is a vector of two words, as compilers know it: machines without such registers take two. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_ISA_SCALAR_H
#define GHZ_ISA_SCALAR_H

#include <stdint.h>

#define VEC 16
#define ROUNDS_ONE_BY_ONE 1 /* compilers make better loops of round_f32 than of round_lanes */
typedef uint64_t part __attribute__((vector_size(16)));
#define LARGE_INLINE static
#define MANY_REGISTERS 0
#include "isa/primitives.h"
#include "isa/shuffle.h"

#define TOP_BITS (EACH_BYTE << 7)

typedef int8_t part_of_bytes __attribute__((vector_size(16)));

GHZ_INLINE int part_equal(part a, part b) {
  return a[0] == b[0] && a[1] == b[1];
}

/* All ones in the bytes that are 0. */
GHZ_INLINE part zero_bytes(part v) {
  return (part)((part_of_bytes)v == (part_of_bytes){0});
}

/* Bit i of the result is the top bit of byte i. */
GHZ_INLINE unsigned gather_top_bits(uint64_t top) {
  return (unsigned)((top >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

/* All ones in the bytes whose width is greater than p. */
GHZ_INLINE part wider(part width, int p) {
  return (part)((part_of_bytes)width > (part_of_bytes){0} + (int8_t)p);
}

/* Bit i of the result is the top bit of byte i. */
#if defined(__SSE2__)
#include <emmintrin.h>

GHZ_INLINE unsigned map_of(part taken) {
  return (unsigned)_mm_movemask_epi8((__m128i)taken);
}
#else
GHZ_INLINE unsigned map_of(part taken) {
  return gather_top_bits(taken[0] & TOP_BITS) | gather_top_bits(taken[1] & TOP_BITS) << 8;
}
#endif

/* Row k of the table for both words. */
GHZ_INLINE part moves_of(unsigned map, int k) {
  return (part){move_table[map & 255][k], move_table[map >> 8][k]};
}

/* The first bytes of each word to where `map` has bits; the others are anything. */
GHZ_INLINE part spread_bytes(part v, unsigned map) {
  v ^= (v ^ v << 32) & moves_of(map, 2);
  v ^= (v ^ v << 16) & moves_of(map, 1);
  return v ^ ((v ^ v << 8) & moves_of(map, 0));
}

/* The inverse; the others of v are 0. */
GHZ_INLINE part pack_bytes(part v, unsigned map) {
  part t = v & moves_of(map, 0);
  v = (v ^ t) | t >> 8;
  t = v & moves_of(map, 1);
  v = (v ^ t) | t >> 16;
  t = v & moves_of(map, 2);
  return (v ^ t) | t >> 32;
}

/* Both words, the second one behind the bytes that the first one has. */
GHZ_INLINE void pack_to(uint8_t **dst, part v, unsigned map) {
  uint8_t *second = *dst + byte_count[map & 255];
  v = pack_bytes(v, map);
  store_u64(*dst, v[0]);
  store_u64(second, v[1]);
  *dst = second + byte_count[map >> 8];
}

/* Two words, the second one behind the bytes that the first one has. */
GHZ_INLINE part load_spread(const uint8_t **src, unsigned map) {
  const uint8_t *second = *src + byte_count[map & 255];
  const part v = {load_u64(*src), load_u64(second)};
  *src = second + byte_count[map >> 8];
  return spread_bytes(v, map);
}

GHZ_INLINE part part_expand(part plane, const uint8_t **src, part width, int p) {
  const part taken = wider(width, p);
  const unsigned map = map_of(taken);
  if (map == 0)
    return plane;
  if (map == 0xffff) {
    plane = part_load(*src);
    *src += 16;
    return plane;
  }
  return plane ^ ((plane ^ load_spread(src, map)) & taken);
}

GHZ_INLINE void part_squeeze(part plane, uint8_t **dst, part width, int p) {
  const part taken = wider(width, p);
  const unsigned map = map_of(taken);
  if (map == 0)
    return;
  if (map == 0xffff) {
    part_store(*dst, plane);
    *dst += 16;
    return;
  }
  pack_to(dst, plane & taken, map);
}

GHZ_INLINE part part_widen(part width, part plane, part below, unsigned p, uint64_t *changes) {
  const part d = plane ^ below, same = zero_bytes(d);
  *changes |= (uint64_t)((d[0] | d[1]) != 0) << p;
  return (width & same) | ((part){EACH_BYTE, EACH_BYTE} * (p + 1) & ~same);
}

GHZ_INLINE vec_f64 fma_f64(vec_f64 a, vec_f64 b, vec_f64 c) {
  return a * b + c;
}

/* What cutting leaves off is exact. */
GHZ_INLINE vec_32 round_lanes(vec_f32 v) {
  const vec_32 cut = __builtin_convertvector(v, vec_32);
  const vec_f32 rest = v - __builtin_convertvector(cut, vec_f32);
  const vec_32 odd = -(cut & 1);
  return cut - ((rest > 0.5F) | ((rest == 0.5F) & odd)) + ((rest < -0.5F) | ((rest == -0.5F) & odd));
}

GHZ_INLINE vec_f32 fma_f32(vec_f32 a, vec_f32 b, vec_f32 c) {
  return a * b + c;
}

GHZ_INLINE vec_32 within_16(vec_32 v) {
  const vec_32 most = (vec_32){0} + 32767, above = v > most, below = v < ~most;
  return (most & above) | (~most & below) | (v & ~(above | below));
}

GHZ_INLINE vec_16 narrow_lanes(vec_32 a, vec_32 b) {
  const vec_16 low = (vec_16)within_16(a), high = (vec_16)within_16(b);
  return __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14); /* the lower halves: little endian */
}

GHZ_INLINE vec_16 min_16(vec_16 a, vec_16 b) {
  const vec_16 less = a < b;
  return (a & less) | (b & ~less);
}

GHZ_INLINE vec_16 max_16(vec_16 a, vec_16 b) {
  const vec_16 greater = a > b;
  return (a & greater) | (b & ~greater);
}

/* Compilers compare 64 bits lane by lane where the machine has no instruction for it. */
#if defined(__SSE2__)
GHZ_INLINE vec_64 negative_64(vec_64 v) {
  return (vec_64)_mm_shuffle_epi32(_mm_srai_epi32((__m128i)v, 31), 0xf5);
}

GHZ_INLINE unsigned top_bits_32(vec_32 v) {
  return (unsigned)_mm_movemask_ps((__m128)v);
}

GHZ_INLINE unsigned top_bits_64(vec_64 v) {
  return (unsigned)_mm_movemask_pd((__m128d)v);
}
#else
GHZ_INLINE vec_64 negative_64(vec_64 v) {
  return v < 0;
}

GHZ_INLINE unsigned top_bits_32(vec_32 v) {
  return (v[0] < 0 ? 1U : 0) | (v[1] < 0 ? 2U : 0) | (v[2] < 0 ? 4U : 0) | (v[3] < 0 ? 8U : 0);
}

GHZ_INLINE unsigned top_bits_64(vec_64 v) {
  return (v[0] < 0 ? 1U : 0) | (v[1] < 0 ? 2U : 0);
}
#endif

GHZ_INLINE vec_32 max_32(vec_32 a, vec_32 b) {
  vec_32 greater = a > b;
  return (a & greater) | (b & ~greater);
}

/* The sign of b - a says which one is larger. */
GHZ_INLINE vec_64 max_64(vec_64 a, vec_64 b) {
  const vec_64 more = b - a;
  return a + (more & ~negative_64(more));
}

#include "isa/bit_lengths.h"

#include "isa/plain_lanes.h"

/* ---- Widths and their planes ----------------------------------------------------------------- */

enum { WORDS = BLOCKS / 8 };

/* The sum of eight bytes of 16 words, each at most 64. */
GHZ_INLINE unsigned widths_sum(const uint8_t width[BLOCKS]) {
  const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);
  uint64_t sum = 0;
  for (unsigned i = 0; i < WORDS; i++) {
    uint64_t w = load_u64(width + 8 * i);
    sum += (w & even) + (w >> 8 & even);
  }
  return (unsigned)(sum * UINT64_C(0x0001000100010001) >> 48);
}

/* The larger of each two bytes, which are below 128. */
GHZ_INLINE part larger_bytes(part a, part b) {
  const part taken = (part)((part_of_bytes)a > (part_of_bytes)b);
  return (a & taken) | (b & ~taken);
}

GHZ_INLINE unsigned widths_largest(const uint8_t width[BLOCKS]) {
  part w = part_load(width);
  for (int i = 1; i < PARTS; i++)
    w = larger_bytes(w, part_load(width + PART_BYTES * i));
  w = larger_bytes(w, __builtin_shufflevector(w, w, 1, 0));
  for (unsigned shift = 32; shift >= 8; shift /= 2)
    w = larger_bytes(w, w >> shift);
  return (unsigned)(w[0] & 255);
}

GHZ_INLINE unsigned count_bits(uint64_t v) {
  v -= v >> 1 & UINT64_C(0x5555555555555555);
  v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
  return (unsigned)(((v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * EACH_BYTE >> 56);
}

/* Of a the bits that `mask` has, ORed with those `shift` above them, beside the others of b, ORed
 * with those below them. */
GHZ_INLINE uint64_t or_parts(uint64_t a, uint64_t b, unsigned shift, uint64_t mask) {
  return ((a | a >> shift) & mask) | ((b | b << shift) & ~mask);
}

/* A byte of plane k is not 0 where the OR of its eight widths has bit k. */
GHZ_INLINE unsigned widths_nonzero(const uint8_t width[BLOCKS]) {
  uint64_t any[WORDS];
  for (unsigned i = 0; i < WORDS; i++)
    any[i] = load_u64(width + 8 * i);
  for (unsigned i = 0; i < 8; i++)
    any[i] = or_parts(any[2 * i], any[2 * i + 1], 32, UINT64_C(0x00000000ffffffff));
  for (unsigned i = 0; i < 4; i++)
    any[i] = or_parts(any[2 * i], any[2 * i + 1], 16, UINT64_C(0x0000ffff0000ffff));
  for (unsigned i = 0; i < 2; i++)
    any[i] = or_parts(any[2 * i], any[2 * i + 1], 8, UINT64_C(0x00ff00ff00ff00ff));
  return count_bits(any[0]) + count_bits(any[1]);
}

/* Plane k. */
GHZ_INLINE part width_plane(const uint8_t width[BLOCKS], unsigned k) {
  uint64_t half[2] = {0, 0};
  for (unsigned i = 0; i < PARTS; i++)
    half[i / 4] |= (uint64_t)map_of(part_load(width + PART_BYTES * i) << (7 - k)) << 16 * (i % 4);
  return (part){half[0], half[1]};
}

GHZ_INLINE uint8_t *widths_store(const uint8_t width[BLOCKS], unsigned planes, int squeezed, uint8_t *dst) {
  uint8_t *bytes = dst + 2 * planes;
  for (unsigned k = 0; k < planes; k++) {
    const part v = width_plane(width, k);
    if (squeezed) {
      const unsigned map = map_of(~zero_bytes(v));
      store_u16(dst + 2 * k, (uint16_t)map);
      pack_to(&bytes, v, map);
    } else {
      part_store(dst + 16 * k, v);
    }
  }
  return squeezed ? bytes : dst + 16 * planes;
}

/* Sixteen bytes spread to where `map` has bits; the others become 0. *missing is set where a byte
 * that was to be spread is 0. */
GHZ_INLINE part spread(const uint8_t **src, unsigned map, uint64_t *missing) {
  const part taken = (part){CHOSEN(map & 255), CHOSEN(map >> 8)} * 255, v = load_spread(src, map) & taken,
             absent = zero_bytes(v) & taken;
  *missing |= absent[0] | absent[1];
  return v;
}

/* Exchanges bit k of byte i and bit i of byte k of each word. */
GHZ_INLINE part turn_bits(part v) {
  part d = (v ^ v >> 7) & UINT64_C(0x00aa00aa00aa00aa);
  v ^= d ^ d << 7;
  d = (v ^ v >> 14) & UINT64_C(0x0000cccc0000cccc);
  v ^= d ^ d << 14;
  d = (v ^ v >> 28) & UINT64_C(0x00000000f0f0f0f0);
  return v ^ d ^ d << 28;
}

/* Bytes, pairs of bytes and fours of bytes of two parts in turn: of their lower halves and of their
 * upper ones. */
typedef int16_t part_of_pairs __attribute__((vector_size(16)));
typedef int32_t part_of_fours __attribute__((vector_size(16)));
#define IN_TURN_OF(type, a, b, which) (part) __builtin_shufflevector((type)(a), (type)(b), which)

/* Eight planes of 16 bytes to 16 words of a byte from each: word i has theirs at i. */
GHZ_INLINE void turn_bytes(const part v[8], part words[8]) {
  part pairs[8], fours[8];
  for (int i = 0; i < 4; i++) {
    pairs[i] = IN_TURN_OF(part_of_bytes, v[2 * i], v[2 * i + 1], LOW_16);
    pairs[4 + i] = IN_TURN_OF(part_of_bytes, v[2 * i], v[2 * i + 1], HIGH_16);
  }
  for (int i = 0; i < 4; i++) {
    fours[i] = IN_TURN_OF(part_of_pairs, pairs[2 * i], pairs[2 * i + 1], LOW_8);
    fours[4 + i] = IN_TURN_OF(part_of_pairs, pairs[2 * i], pairs[2 * i + 1], HIGH_8);
  }
  for (int i = 0; i < 8; i += 4) {
    const int j = i / 2;
    words[i] = IN_TURN_OF(part_of_fours, fours[j], fours[j + 1], LOW_4);
    words[i + 1] = IN_TURN_OF(part_of_fours, fours[j], fours[j + 1], HIGH_4);
    words[i + 2] = IN_TURN_OF(part_of_fours, fours[4 + j], fours[4 + j + 1], LOW_4);
    words[i + 3] = IN_TURN_OF(part_of_fours, fours[4 + j], fours[4 + j + 1], HIGH_4);
  }
}

GHZ_INLINE loaded_widths widths_load(const uint8_t *src, unsigned planes, int squeezed, uint8_t width[BLOCKS]) {
  const uint8_t *first = src + 2 * planes, *bytes = first;
  uint64_t missing = 0;
  part plane[8], words[8];
  for (unsigned k = 0; k < 8; k++)
    plane[k] = k >= planes ? part_zero()
               : squeezed  ? spread(&bytes, load_u16(src + 2 * k), &missing)
                           : part_load(src + 16 * k);
  turn_bytes(plane, words);
  for (unsigned i = 0; i < PARTS; i++)
    part_store(width + PART_BYTES * i, turn_bits(words[i]));
  return (loaded_widths){widths_sum(width), widths_largest(width),
                         missing ? (unsigned)DAMAGED_WIDTHS : (unsigned)(bytes - first)};
}

#endif
