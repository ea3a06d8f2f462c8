/* avx2.h: the primitives (primitives.h) for AVX2: a plane is four registers, squeezed eight bytes
 * at a time by byte shuffles whose patterns come from a table of 256. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_ISA_AVX2_H
#define GHZ_ISA_AVX2_H

#include <immintrin.h>

#define VEC 32
typedef __m256i part;
#define LARGE_INLINE GHZ_INLINE
#define MANY_REGISTERS 0
#include "isa/primitives.h"
#include "isa/shuffle.h"

GHZ_INLINE int part_equal(part a, part b) {
  return _mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b)) == -1;
}

/* Eight bytes of a register spread to where `mask` has bits; the others become zero. */
GHZ_INLINE __m128i spread_8(const uint8_t **src, unsigned mask) {
  __m128i v = _mm_loadl_epi64((const __m128i *)*src);
  *src += (unsigned)_mm_popcnt_u32(mask);
  return _mm_shuffle_epi8(v, _mm_loadl_epi64((const __m128i *)expand_table[mask]));
}

/* The number of bytes up to each one, itself included, that are to be taken, in each half. */
GHZ_INLINE __m256i ranks(__m256i taken) {
  const __m256i first = _mm256_setr_epi64x(-1, 0x0707070707070707, -1, 0x0707070707070707);
  __m256i r = _mm256_sub_epi8(part_zero(), taken);
  r = _mm256_add_epi8(r, _mm256_slli_epi64(r, 8));
  r = _mm256_add_epi8(r, _mm256_slli_epi64(r, 16));
  r = _mm256_add_epi8(r, _mm256_slli_epi64(r, 32));
  return _mm256_add_epi8(r, _mm256_shuffle_epi8(r, first));
}

/* No branch for parts that take no byte: it is guessed wrong too often (3 % of an addition). */
GHZ_INLINE part part_expand(part plane, const uint8_t **src, part width, int p) {
  const __m256i wide = _mm256_cmpgt_epi8(width, _mm256_set1_epi8((char)p));
  const unsigned mask = (unsigned)_mm256_movemask_epi8(wide);
  if (mask == UINT32_MAX) {
    plane = part_load(*src);
    *src += 32;
    return plane;
  }
  const uint8_t *second = *src + _mm_popcnt_u32(mask & 0xffff);
  const __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)*src)),
                                                _mm_loadu_si128((const __m128i *)second), 1);
  *src = second + _mm_popcnt_u32(mask >> 16);
  return _mm256_blendv_epi8(plane, _mm256_shuffle_epi8(bytes, _mm256_add_epi8(ranks(wide), wide)), wide);
}

GHZ_INLINE void gather_8(__m128i v, uint8_t **dst, unsigned mask) {
  v = _mm_shuffle_epi8(v, _mm_loadl_epi64((const __m128i *)squeeze_table[mask]));
  _mm_storel_epi64((__m128i *)*dst, v);
  *dst += (unsigned)_mm_popcnt_u32(mask);
}

/* The patterns that pack the taken bytes of each eight of sixteen. */
GHZ_INLINE __m128i packing(unsigned mask) {
  const __m128i low = _mm_loadl_epi64((const __m128i *)squeeze_table[mask & 255]);
  const __m128d both =
      _mm_loadh_pd(_mm_castsi128_pd(low), (const double *)(const void *)squeeze_table[mask >> 8 & 255]);
  return _mm_add_epi8(_mm_castpd_si128(both), _mm_setr_epi32(0, 0, 0x08080808, 0x08080808));
}

GHZ_INLINE void part_squeeze(part plane, uint8_t **dst, part width, int p) {
  const unsigned mask = (unsigned)_mm256_movemask_epi8(_mm256_cmpgt_epi8(width, _mm256_set1_epi8((char)p)));
  if (mask == UINT32_MAX) {
    part_store(*dst, plane);
    *dst += 32;
    return;
  }
  if (mask == 0)
    return;
  const __m128i low = _mm_shuffle_epi8(_mm256_castsi256_si128(plane), packing(mask)),
                high = _mm_shuffle_epi8(_mm256_extracti128_si256(plane, 1), packing(mask >> 16));
  uint8_t *to = *dst;
  _mm_storel_epi64((__m128i *)to, low);
  _mm_storeh_pi((__m64 *)(void *)(to + _mm_popcnt_u32(mask & 0xff)), _mm_castsi128_ps(low));
  _mm_storel_epi64((__m128i *)(to + _mm_popcnt_u32(mask & 0xffff)), high);
  _mm_storeh_pi((__m64 *)(void *)(to + _mm_popcnt_u32(mask & 0xffffff)), _mm_castsi128_ps(high));
  *dst = to + _mm_popcnt_u32(mask);
}

GHZ_INLINE part part_widen(part width, part plane, part below, unsigned p, uint64_t *changes) {
  __m256i same = _mm256_cmpeq_epi8(plane, below);
  *changes |= (uint64_t)(_mm256_movemask_epi8(same) != -1) << p;
  return _mm256_max_epu8(width, _mm256_andnot_si256(same, _mm256_set1_epi8((char)(p + 1))));
}

GHZ_INLINE vec_16 narrow_lanes(vec_32 a, vec_32 b) {
  return (vec_16)_mm256_permute4x64_epi64(_mm256_packs_epi32((__m256i)a, (__m256i)b), 0xd8);
}

GHZ_INLINE vec_64 max_64(vec_64 a, vec_64 b) {
  return (vec_64)_mm256_blendv_epi8((__m256i)b, (__m256i)a, _mm256_cmpgt_epi64((__m256i)a, (__m256i)b));
}

GHZ_INLINE unsigned top_bits_32(vec_32 v) {
  return (unsigned)_mm256_movemask_ps((__m256)v);
}

GHZ_INLINE unsigned top_bits_64(vec_64 v) {
  return (unsigned)_mm256_movemask_pd((__m256d)v);
}

/* Four values, by a part of the table's entry. Halves of them move: numbers 2 i and 2 i + 1. */
GHZ_INLINE __m256i repeat_four(__m256i v, const int8_t places[4], __m256i before) {
  const __m256i place = _mm256_cvtepi8_epi64(_mm_cvtsi32_si128((int)load_u32((const uint8_t *)places)));
  const __m256i halves = _mm256_or_si256(_mm256_slli_epi64(place, 1), _mm256_slli_epi64(place, 33));
  v = _mm256_permutevar8x32_epi32(v, _mm256_add_epi32(halves, _mm256_set1_epi64x(INT64_C(1) << 32)));
  return _mm256_blendv_epi8(v, before, place);
}

GHZ_INLINE uint64_t repeat_64(const void *from, unsigned hidden, uint64_t before, void *to) {
  const __m256i *v = from, start = _mm256_set1_epi64x((long long)before);
  const __m256i low = repeat_four(_mm256_loadu_si256(v), repeat_table[hidden & 15], start);
  const __m256i high =
      repeat_four(_mm256_loadu_si256(v + 1), repeat_table[hidden >> 4], _mm256_permute4x64_epi64(low, 0xff));
  const int last = repeat_table[hidden][7];
  before = last < 0 ? before : load_u64((const uint8_t *)from + 8 * last);
  _mm256_storeu_si256((__m256i *)to, low);
  _mm256_storeu_si256((__m256i *)to + 1, high);
  return before;
}

#include "isa/bit_lengths.h"

/* Bit lengths of 32 numbers of 16 bits, given their low and high bytes: half a byte each from a
 * table, raised by its place. 0 stays 0. */
GHZ_INLINE __m256i bit_lengths_of_halves(__m256i low, __m256i high) {
  const __m256i at_0 = _mm256_setr_epi8(0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 0, 1, 2, 2, 3, 3, 3, 3,
                                        4, 4, 4, 4, 4, 4, 4, 4);
  const __m256i any = _mm256_cmpgt_epi8(at_0, part_zero()), half = _mm256_set1_epi8(15),
                four = _mm256_and_si256(any, _mm256_set1_epi8(4));
  const __m256i at_4 = _mm256_add_epi8(at_0, four), at_8 = _mm256_add_epi8(at_4, four),
                at_12 = _mm256_add_epi8(at_8, four);
  const __m256i low_top = _mm256_and_si256(_mm256_srli_epi16(low, 4), half),
                high_top = _mm256_and_si256(_mm256_srli_epi16(high, 4), half);
  return _mm256_max_epu8(_mm256_max_epu8(_mm256_shuffle_epi8(at_0, _mm256_and_si256(low, half)),
                                         _mm256_shuffle_epi8(at_4, low_top)),
                         _mm256_max_epu8(_mm256_shuffle_epi8(at_8, _mm256_and_si256(high, half)),
                                         _mm256_shuffle_epi8(at_12, high_top)));
}

GHZ_INLINE void bit_lengths_16(const uint16_t *m, uint8_t width[BLOCKS]) {
  const __m256i byte = _mm256_set1_epi16(255);
  for (int b = 0; b < BLOCKS; b += 32) {
    const __m256i x = part_load((const uint8_t *)(m + b)), y = part_load((const uint8_t *)(m + b + 16));
    const __m256i low = _mm256_packus_epi16(_mm256_and_si256(x, byte), _mm256_and_si256(y, byte)),
                  high = _mm256_packus_epi16(_mm256_srli_epi16(x, 8), _mm256_srli_epi16(y, 8));
    part_store(width + b, _mm256_permute4x64_epi64(bit_lengths_of_halves(low, high), 0xd8));
  }
}

#define MM(name) _mm256_##name
#define STREAM _mm256_stream_si256
typedef __m128i half_register;
#include "isa/avx2_lanes.h"

/* ---- Widths and their planes ----------------------------------------------------------------- */

GHZ_INLINE unsigned sum_of_bytes(__m256i a, __m256i b, __m256i c, __m256i d) {
  __m256i w = _mm256_sad_epu8(_mm256_add_epi8(_mm256_add_epi8(a, b), _mm256_add_epi8(c, d)), part_zero());
  __m128i v = _mm_add_epi64(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
  return (unsigned)_mm_cvtsi128_si32(v) + (unsigned)_mm_extract_epi32(v, 2);
}

GHZ_INLINE unsigned widths_sum(const uint8_t width[BLOCKS]) {
  return sum_of_bytes(part_load(width), part_load(width + 32), part_load(width + 64), part_load(width + 96));
}

GHZ_INLINE unsigned largest_byte(__m256i a, __m256i b, __m256i c, __m256i d) {
  return largest_of_bytes(_mm256_max_epu8(_mm256_max_epu8(a, b), _mm256_max_epu8(c, d)));
}

GHZ_INLINE unsigned widths_largest(const uint8_t width[BLOCKS]) {
  return largest_byte(part_load(width), part_load(width + 32), part_load(width + 64), part_load(width + 96));
}

/* Halves of each 64 bits, ORed: those of a, then those of b, 128 bits at a time. */
GHZ_INLINE __m256i or_halves(__m256i a, __m256i b) {
  const __m256 x = _mm256_castsi256_ps(a), y = _mm256_castsi256_ps(b);
  return _mm256_castps_si256(_mm256_or_ps(_mm256_shuffle_ps(x, y, 0x88), _mm256_shuffle_ps(x, y, 0xdd)));
}

/* A byte of plane k is not 0 where the OR of its eight widths has bit k. */
GHZ_INLINE unsigned widths_nonzero(const uint8_t width[BLOCKS]) {
  __m256i a = or_halves(part_load(width), part_load(width + 32)),
          b = or_halves(part_load(width + 64), part_load(width + 96));
  a = _mm256_or_si256(a, _mm256_srli_epi32(a, 16));
  b = _mm256_or_si256(b, _mm256_slli_epi32(b, 16));
  __m256i any = _mm256_blend_epi16(a, b, 0xaa);
  any = _mm256_and_si256(_mm256_or_si256(any, _mm256_srli_epi16(any, 8)), _mm256_set1_epi16(0xff));
  __m128i v = _mm_packus_epi16(_mm256_castsi256_si128(any), _mm256_extracti128_si256(any, 1));
  return (unsigned)(_mm_popcnt_u64((uint64_t)_mm_cvtsi128_si64(v)) +
                    _mm_popcnt_u64((uint64_t)_mm_extract_epi64(v, 1)));
}

/* Plane k. Put together in registers: what reads it would wait for four stores. */
GHZ_INLINE __m128i width_plane(const uint8_t width[BLOCKS], unsigned k) {
  const __m128i to_top = _mm_cvtsi32_si128((int)(7 - k));
  uint64_t m[PARTS];
  for (unsigned i = 0; i < PARTS; i++)
    m[i] = (uint32_t)_mm256_movemask_epi8(_mm256_sll_epi16(part_load(width + 32 * i), to_top));
  return _mm_set_epi64x((long long)(m[2] | m[3] << 32), (long long)(m[0] | m[1] << 32));
}

/* A map of the bytes that are not 0. */
GHZ_INLINE unsigned nonzero_bytes(__m128i v) {
  return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128())) ^ 0xffff;
}

/* Squeezed or not, it is a choice of bytes: those that are not 0, or all. With branches: without
 * them an addition takes 3 % longer, unlike where planes are read. */
GHZ_INLINE uint8_t *widths_store(const uint8_t width[BLOCKS], unsigned planes, int squeezed, uint8_t *dst) {
  uint8_t *bytes = dst + (squeezed ? 2 * planes : 0);
  for (unsigned k = 0; k < planes; k++) {
    __m128i v = width_plane(width, k);
    const unsigned map = squeezed ? nonzero_bytes(v) : 0xffff;
    if (squeezed)
      store_u16(dst + 2 * k, (uint16_t)map);
    gather_8(v, &bytes, map & 255);
    gather_8(_mm_unpackhi_epi64(v, v), &bytes, map >> 8);
  }
  return bytes;
}

/* The bits of plane k that belong to part i: each becomes 1 << k in a byte, or 0. */
GHZ_INLINE __m256i bits_to_bytes(__m256i plane_twice, unsigned i, unsigned k) {
  const __m256i byte = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2,
                                        3, 3, 3, 3, 3, 3, 3, 3);
  const __m256i each = _mm256_set1_epi64x((long long)0x8040201008040201ull);
  __m256i at = _mm256_add_epi8(byte, _mm256_set1_epi8((char)(4 * i)));
  __m256i set = _mm256_and_si256(_mm256_shuffle_epi8(plane_twice, at), each);
  return _mm256_and_si256(_mm256_cmpeq_epi8(set, each), _mm256_set1_epi8((char)(1 << k)));
}

GHZ_INLINE loaded_widths widths_load(const uint8_t *src, unsigned planes, int squeezed, uint8_t width[BLOCKS]) {
  const uint8_t *first = src + maps_size(planes, squeezed), *bytes = first;
  const unsigned all = ((unsigned)squeezed - 1) & 0xffff;
  __m256i w[PARTS] = {part_zero(), part_zero(), part_zero(), part_zero()};
  unsigned missing = 0;
  for (unsigned k = 0; k < planes; k++) {
    const unsigned map = load_u16(src + 2 * k) | all;
    __m128i low = spread_8(&bytes, map & 255), plane = _mm_unpacklo_epi64(low, spread_8(&bytes, map >> 8));
    missing |= map & ~nonzero_bytes(plane);
    for (unsigned i = 0; i < PARTS; i++)
      w[i] |= bits_to_bytes(_mm256_broadcastsi128_si256(plane), i, k);
  }
  part_store(width, w[0]); /* not by a loop: compilers make it a copy of memory, which is waited for */
  part_store(width + 32, w[1]);
  part_store(width + 64, w[2]);
  part_store(width + 96, w[3]);
  return (loaded_widths){sum_of_bytes(w[0], w[1], w[2], w[3]), largest_byte(w[0], w[1], w[2], w[3]),
                         missing & (0u - (unsigned)squeezed) ? (unsigned)DAMAGED_WIDTHS
                                                             : (unsigned)(bytes - first)};
}

#endif
