/* avx512.h: the primitives (primitives.h) for AVX-512 with VBMI2 and GFNI (Ice Lake, Zen 4 on): a
 * plane is two registers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_ISA_AVX512_H
#define GHZ_ISA_AVX512_H

#include <immintrin.h>

#define VEC 64
typedef __m512i part;
#define LARGE_INLINE GHZ_INLINE
#define MANY_REGISTERS 1
#include "isa/primitives.h"
#include "isa/shuffle.h"

GHZ_INLINE int part_equal(part a, part b) {
  return _mm512_cmpneq_epi64_mask(a, b) == 0;
}

GHZ_INLINE part part_sum(part a, part b, part carry) {
  return _mm512_ternarylogic_epi64(a, b, carry, 0x96);
}

/* The carry comes first: that register may take the result. */
GHZ_INLINE part part_carry(part a, part b, part carry) {
  return _mm512_ternarylogic_epi64(carry, a, b, 0xE8);
}

/* Bytes from memory to the places of k; the others stay. Loaded first: expanding straight from
 * memory takes an AMD processor five times as long, and compilers would merge the two. */
GHZ_INLINE __m512i expand_bytes(__m512i v, __mmask64 k, const uint8_t *src) {
  __m512i bytes = _mm512_loadu_si512(src);
  __asm__("" : "+v"(bytes));
  return _mm512_mask_expand_epi8(v, k, bytes);
}

GHZ_INLINE part part_expand(part plane, const uint8_t **src, part width, int p) {
  __mmask64 k = _mm512_cmpgt_epi8_mask(width, _mm512_set1_epi8((char)p));
  plane = expand_bytes(plane, k, *src);
  *src += (unsigned)_mm_popcnt_u64(k);
  return plane;
}

GHZ_INLINE void part_squeeze(part plane, uint8_t **dst, part width, int p) {
  __mmask64 k = _mm512_cmpgt_epi8_mask(width, _mm512_set1_epi8((char)p));
  _mm512_storeu_si512(*dst, _mm512_maskz_compress_epi8(k, plane));
  *dst += (unsigned)_mm_popcnt_u64(k);
}

GHZ_INLINE part part_widen(part width, part plane, part below, unsigned p, uint64_t *changes) {
  __mmask64 k = _mm512_cmpneq_epi8_mask(plane, below);
  *changes |= (uint64_t)(k != 0) << p;
  return _mm512_mask_mov_epi8(width, k, _mm512_set1_epi8((char)(p + 1)));
}

GHZ_INLINE vec_16 narrow_lanes(vec_32 a, vec_32 b) {
  const __m512i order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
  return (vec_16)_mm512_permutexvar_epi64(order, _mm512_packs_epi32((__m512i)a, (__m512i)b));
}

GHZ_INLINE vec_64 max_64(vec_64 a, vec_64 b) {
  return (vec_64)_mm512_max_epi64((__m512i)a, (__m512i)b);
}

GHZ_INLINE unsigned top_bits_32(vec_32 v) {
  return _mm512_movepi32_mask((__m512i)v);
}

GHZ_INLINE unsigned top_bits_64(vec_64 v) {
  return _mm512_movepi64_mask((__m512i)v);
}

GHZ_INLINE uint64_t repeat_64(const void *from, unsigned hidden, uint64_t before, void *to) {
  const __m512i place = _mm512_cvtepi8_epi64(_mm_loadl_epi64((const __m128i *)repeat_table[hidden]));
  const __m512i v = _mm512_permutexvar_epi64(place, _mm512_loadu_si512(from));
  const int last = repeat_table[hidden][7];
  const uint64_t next = last < 0 ? before : load_u64((const uint8_t *)from + 8 * last);
  _mm512_storeu_si512(to, _mm512_mask_set1_epi64(v, _mm512_movepi64_mask(place), (long long)before));
  return next;
}

/* Bit lengths of 64 values of 32 bits. In one register, as what reads the widths next wants
 * registers: it would wait for stores of less. */
GHZ_INLINE void bit_lengths(const __m512i v[4], uint8_t width[64]) {
  __m512i zeros[4];
  for (int i = 0; i < 4; i++)
    zeros[i] = _mm512_lzcnt_epi32(v[i]);
  const __m512i low = _mm512_packs_epi32(zeros[0], zeros[1]), high = _mm512_packs_epi32(zeros[2], zeros[3]);
  const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
  const __m512i all = _mm512_permutexvar_epi32(order, _mm512_packs_epi16(low, high));
  part_store(width, _mm512_sub_epi8(_mm512_set1_epi8(32), all));
}

GHZ_INLINE void bit_lengths_16(const uint16_t *m, uint8_t width[BLOCKS]) {
  for (int b = 0; b < BLOCKS; b += 64) {
    __m512i v[4];
    for (int i = 0; i < 4; i++)
      v[i] = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(m + b + 16 * i)));
    bit_lengths(v, width + b);
  }
}

GHZ_INLINE void bit_lengths_32(const uint32_t *m, uint8_t width[BLOCKS]) {
  for (int b = 0; b < BLOCKS; b += 64) {
    __m512i v[4];
    memcpy(v, m + b, sizeof v);
    bit_lengths(v, width + b);
  }
}

#define MM(name) _mm512_##name
#define STREAM _mm512_stream_si512
typedef __m256i half_register;
#include "isa/avx2_lanes.h"

/* ---- Widths and their planes ----------------------------------------------------------------- */

/* Four planes are in one register, present or not; the rare others in another one. */

#define EACH_LANE(v) _mm512_set1_epi64((long long)UINT64_C(v))
/* Lane j: first + j * step. */
#define LANES(first, step)                                                                                     \
  _mm512_add_epi64(EACH_LANE(first), _mm512_set_epi64(7 * INT64_C(step), 6 * INT64_C(step), 5 * INT64_C(step), \
                                                      4 * INT64_C(step), 3 * INT64_C(step), 2 * INT64_C(step), \
                                                      INT64_C(step), 0))

/* Turns the 8 x 8 bits of each lane of 64: bit k of byte i becomes bit 7 - i of byte k. */
GHZ_INLINE __m512i turn_bits(__m512i v) {
  return _mm512_gf2p8affine_epi64_epi8(EACH_LANE(0x8040201008040201), v, 0);
}

/* Exchanges bits i and 7 - i of each byte. */
GHZ_INLINE __m512i reverse_bits(__m512i v) {
  return _mm512_gf2p8affine_epi64_epi8(v, EACH_LANE(0x8040201008040201), 0);
}

/* The lowest n bits. */
GHZ_INLINE uint64_t low_bits(unsigned n) {
  return _bzhi_u64(UINT64_MAX, n);
}

GHZ_INLINE uint64_t nonzero_bytes(__m512i v) {
  return _cvtmask64_u64(_mm512_test_epi8_mask(v, v));
}

GHZ_INLINE unsigned count_bits(uint64_t v) {
  return (unsigned)_mm_popcnt_u64(v);
}

GHZ_INLINE unsigned sum_of_bytes(__m512i v) {
  return (unsigned)_mm512_reduce_add_epi64(_mm512_sad_epu8(v, part_zero()));
}

GHZ_INLINE unsigned widths_sum(const uint8_t width[BLOCKS]) {
  return sum_of_bytes(_mm512_add_epi8(part_load(width), part_load(width + 64)));
}

GHZ_INLINE unsigned largest_byte(__m512i v) {
  return largest_of_bytes(_mm256_max_epu8(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1)));
}

GHZ_INLINE unsigned widths_largest(const uint8_t width[BLOCKS]) {
  return largest_byte(_mm512_max_epu8(part_load(width), part_load(width + 64)));
}

/* Turned, they are the bytes of the planes, in another order. */
GHZ_INLINE unsigned widths_nonzero(const uint8_t width[BLOCKS]) {
  return count_bits(nonzero_bytes(turn_bits(part_load(width)))) +
         count_bits(nonzero_bytes(turn_bits(part_load(width + 64))));
}

/* Squeezed or not, it is a choice of bytes: those that are not 0, or all of the planes there
 * are. */
GHZ_INLINE uint64_t taken_bytes(uint64_t map, int squeezed, unsigned planes) {
  return (map | ((uint64_t)squeezed - 1)) & low_bits(16 * planes);
}

/* Byte 16 k + j of the planes is byte k of lane j. */
GHZ_INLINE uint8_t *widths_store(const uint8_t width[BLOCKS], unsigned planes, int squeezed, uint8_t *dst) {
  const __m512i a = turn_bits(part_load(width)), b = turn_bits(part_load(width + 64));
  const __m512i at =
      _mm512_set_epi64(0x7b736b635b534b43, 0x3b332b231b130b03, 0x7a726a625a524a42, 0x3a322a221a120a02,
                       0x7971696159514941, 0x3931292119110901, 0x7870686058504840, 0x3830282018100800);
  const __m512i p = reverse_bits(_mm512_permutex2var_epi8(a, at, b));
  const uint64_t map = nonzero_bytes(p), taken = taken_bytes(map, squeezed, planes);
  uint8_t *bytes = dst + maps_size(planes, squeezed);
  memcpy(dst, &map, 8);
  if (planes <= 4) {
    part_store(bytes, _mm512_maskz_compress_epi8(taken, p));
    return bytes + count_bits(taken);
  }
  const __m512i rare = reverse_bits(_mm512_permutex2var_epi8(a, _mm512_add_epi8(at, _mm512_set1_epi8(4)), b));
  const uint64_t map_rare = nonzero_bytes(rare), taken_rare = taken_bytes(map_rare, squeezed, planes - 4);
  memcpy(dst + 8, &map_rare, 4);
  part_store(bytes, _mm512_maskz_compress_epi8(taken, p));
  bytes += count_bits(taken);
  part_store(bytes, _mm512_maskz_compress_epi8(taken_rare, rare));
  return bytes + count_bits(taken_rare);
}

/* Byte j of plane k goes to byte 7 - k of lane j of the first half, or j - 8 of the second. */
GHZ_INLINE loaded_widths widths_load(const uint8_t *src, unsigned planes, int squeezed, uint8_t width[BLOCKS]) {
  const uint8_t *bytes = src + maps_size(planes, squeezed);
  const __m512i at = LANES(0x0010203000000000, 0x0101010100000000), second = _mm512_set1_epi8(8);
  const __mmask64 upper = UINT64_C(0xf0f0f0f0f0f0f0f0), lower = UINT64_C(0x0c0c0c0c0c0c0c0c);
  uint64_t map;
  memcpy(&map, src, 8);
  const uint64_t taken = taken_bytes(map, squeezed, planes);
  const __m512i p = expand_bytes(part_zero(), taken, bytes);
  unsigned count = count_bits(taken);
  uint64_t missing = taken & ~nonzero_bytes(p);
  __m512i a = _mm512_maskz_permutexvar_epi8(upper, at, p);
  __m512i b = _mm512_maskz_permutexvar_epi8(upper, _mm512_add_epi8(at, second), p);
  if (planes > 4) {
    uint32_t map_rare;
    memcpy(&map_rare, src + 8, 4);
    const uint64_t taken_rare = taken_bytes(map_rare, squeezed, planes - 4);
    const __m256i from = _mm256_loadu_si256((const __m256i *)(bytes + count));
    const __m512i rare = _mm512_maskz_expand_epi8(taken_rare, _mm512_castsi256_si512(from));
    const __m512i at_rare = LANES(0x100000, 0x01010000);
    a = _mm512_mask_permutexvar_epi8(a, lower, at_rare, rare);
    b = _mm512_mask_permutexvar_epi8(b, lower, _mm512_add_epi8(at_rare, second), rare);
    count += count_bits(taken_rare);
    missing |= taken_rare & ~nonzero_bytes(rare);
  }
  a = turn_bits(a), b = turn_bits(b);
  part_store(width, a);
  part_store(width + 64, b);
  return (loaded_widths){sum_of_bytes(_mm512_add_epi8(a, b)), largest_byte(_mm512_max_epu8(a, b)),
                         missing & (0 - (uint64_t)squeezed) ? (unsigned)DAMAGED_WIDTHS : count};
}

#undef LANES
#undef EACH_LANE

#endif
