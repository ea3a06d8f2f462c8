/* avx512.h: the primitives (primitives.h) for AVX-512 with VBMI2 and GFNI (Ice Lake, Zen 4 on): a
 * plane is two registers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_ISA_AVX512_H
#define GHZ_ISA_AVX512_H

#include <immintrin.h>

#define VEC 64
enum { PARTS = 2, PART_BYTES = 64 };
typedef __m512i part;
#define LARGE_INLINE GHZ_INLINE
#define MANY_REGISTERS 1
#include "isa/primitives.h"

#include "isa/repeat_table.h"
#include "isa/shuffle.h"
#include "isa/squeeze_table.h"

static inline part part_load(const uint8_t *p) {
  return _mm512_loadu_si512(p);
}

static inline void part_store(uint8_t *p, part v) {
  _mm512_storeu_si512(p, v);
}

static inline part part_zero(void) {
  return _mm512_setzero_si512();
}

static inline int part_equal(part a, part b) {
  return _mm512_cmpneq_epi64_mask(a, b) == 0;
}

static inline part part_not(part a) {
  return _mm512_ternarylogic_epi64(a, a, a, 0x55);
}

static inline part part_sum(part a, part b, part carry) {
  return _mm512_ternarylogic_epi64(a, b, carry, 0x96);
}

/* The carry comes first: that register may take the result. */
static inline part part_carry(part a, part b, part carry) {
  return _mm512_ternarylogic_epi64(carry, a, b, 0xE8);
}

static inline part part_and(part a, part b) {
  return _mm512_and_si512(a, b);
}

static inline part part_or(part a, part b) {
  return _mm512_or_si512(a, b);
}

static inline uint64_t part_low(part a) {
  return (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(a));
}

/* Bytes from memory to the places of k; the others stay. Loaded first: expanding straight from
 * memory takes an AMD processor five times as long, and compilers would merge the two. */
static inline __m512i expand_bytes(__m512i v, __mmask64 k, const uint8_t *src) {
  __m512i bytes = _mm512_loadu_si512(src);
  __asm__("" : "+v"(bytes));
  return _mm512_mask_expand_epi8(v, k, bytes);
}

static inline part part_expand(part plane, const uint8_t **src, part width, int p) {
  __mmask64 k = _mm512_cmpgt_epi8_mask(width, _mm512_set1_epi8((char)p));
  plane = expand_bytes(plane, k, *src);
  *src += (unsigned)_mm_popcnt_u64(k);
  return plane;
}

static inline void part_squeeze(part plane, uint8_t **dst, part width, int p) {
  __mmask64 k = _mm512_cmpgt_epi8_mask(width, _mm512_set1_epi8((char)p));
  _mm512_storeu_si512(*dst, _mm512_maskz_compress_epi8(k, plane));
  *dst += (unsigned)_mm_popcnt_u64(k);
}

static inline part part_widen(part width, part plane, part below, unsigned p, uint64_t *changes) {
  __mmask64 k = _mm512_cmpneq_epi8_mask(plane, below);
  *changes |= (uint64_t)(k != 0) << p;
  return _mm512_mask_mov_epi8(width, k, _mm512_set1_epi8((char)(p + 1)));
}

static inline void plane_shift(const part x[PARTS], part y[PARTS]) {
  part before = _mm512_alignr_epi64(x[0], _mm512_setzero_si512(), 7),
       middle = _mm512_alignr_epi64(x[1], x[0], 7);
  y[0] = _mm512_or_si512(_mm512_slli_epi64(x[0], 1), _mm512_srli_epi64(before, 63));
  y[1] = _mm512_or_si512(_mm512_slli_epi64(x[1], 1), _mm512_srli_epi64(middle, 63));
}

static inline void plane_back(const part x[PARTS], unsigned bytes, part y[PARTS]) {
  /* Lanes 32 .. 63 of a pair of registers, less the distance. */
  const __m512i lanes = _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14,
                                         13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i from = _mm512_add_epi16(lanes, _mm512_set1_epi16((short)(32 - bytes / 2)));
  const __m512i low = x[0], high = x[1];
  y[0] = _mm512_permutex2var_epi16(_mm512_setzero_si512(), from, low);
  y[1] = _mm512_permutex2var_epi16(low, from, high);
}

static inline vec_16 widen_bytes(const uint8_t *p) {
  return (vec_16)_mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)p));
}

static inline vec_16 widen_signed_bytes(const uint8_t *p) {
  return (vec_16)_mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)p));
}

static inline vec_32 widen_16(half_16 v) {
  return (vec_32)_mm512_cvtepi16_epi32((__m256i)v);
}

static inline vec_f64 widen_32(half_32 v) {
  return (vec_f64)_mm512_cvtepi32_pd((__m256i)v);
}

static inline half_f32 narrow_f64(vec_f64 v) {
  return (half_f32)_mm512_cvtpd_ps((__m512d)v);
}

static inline vec_f64 fma_f64(vec_f64 a, vec_f64 b, vec_f64 c) {
  return (vec_f64)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

static inline vec_32 round_lanes(vec_f32 v) {
  return (vec_32)_mm512_cvtps_epi32((__m512)v);
}

static inline vec_f32 fma_f32(vec_f32 a, vec_f32 b, vec_f32 c) {
  return (vec_f32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

static inline vec_16 narrow_lanes(vec_32 a, vec_32 b) {
  const __m512i order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
  return (vec_16)_mm512_permutexvar_epi64(order, _mm512_packs_epi32((__m512i)a, (__m512i)b));
}

static inline vec_16 min_16(vec_16 a, vec_16 b) {
  return (vec_16)_mm512_min_epi16((__m512i)a, (__m512i)b);
}

static inline vec_16 max_16(vec_16 a, vec_16 b) {
  return (vec_16)_mm512_max_epi16((__m512i)a, (__m512i)b);
}

GHZ_INLINE vec_16 lanes_back_16(vec_16 before, vec_16 v, int lanes) {
  return (vec_16)(lanes == 2 ? _mm512_alignr_epi32((__m512i)v, (__m512i)before, 15)
                             : _mm512_alignr_epi32((__m512i)v, (__m512i)before, 14));
}

static inline vec_32 max_32(vec_32 a, vec_32 b) {
  return (vec_32)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

static inline vec_64 max_64(vec_64 a, vec_64 b) {
  return (vec_64)_mm512_max_epi64((__m512i)a, (__m512i)b);
}

static inline vec_32 equal_f32(vec_f32 a, vec_f32 b) {
  return a == b;
}

static inline vec_64 equal_f64(vec_f64 a, vec_f64 b) {
  return a == b;
}

static inline unsigned top_bits_32(vec_32 v) {
  return _mm512_movepi32_mask((__m512i)v);
}

static inline unsigned top_bits_64(vec_64 v) {
  return _mm512_movepi64_mask((__m512i)v);
}

/* Entries of the table are -1 where a lane takes `before`. The last value is read: from the copy it
 * would come late. */
static inline uint32_t repeat_32(const void *from, unsigned hidden, uint32_t before, void *to) {
  const __m256i place = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)repeat_table[hidden]));
  const __m256i v = _mm256_permutexvar_epi32(place, _mm256_loadu_si256(from));
  const int last = repeat_table[hidden][7];
  _mm256_storeu_si256(to, _mm256_mask_set1_epi32(v, _mm256_movepi32_mask(place), (int)before));
  return last < 0 ? before : load_u32((const uint8_t *)from + 4 * last);
}

static inline uint64_t repeat_64(const void *from, unsigned hidden, uint64_t before, void *to) {
  const __m512i place = _mm512_cvtepi8_epi64(_mm_loadl_epi64((const __m128i *)repeat_table[hidden]));
  const __m512i v = _mm512_permutexvar_epi64(place, _mm512_loadu_si512(from));
  const int last = repeat_table[hidden][7];
  const uint64_t next = last < 0 ? before : load_u64((const uint8_t *)from + 8 * last);
  _mm512_storeu_si512(to, _mm512_mask_set1_epi64(v, _mm512_movepi64_mask(place), (long long)before));
  return next;
}

/* Bit lengths of 64 values of 32 bits. In one register, as what reads the widths next wants
 * registers: it would wait for stores of less. */
static inline void bit_lengths(const __m512i v[4], uint8_t width[64]) {
  __m512i zeros[4];
  for (int i = 0; i < 4; i++)
    zeros[i] = _mm512_lzcnt_epi32(v[i]);
  const __m512i low = _mm512_packs_epi32(zeros[0], zeros[1]), high = _mm512_packs_epi32(zeros[2], zeros[3]);
  const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
  const __m512i all = _mm512_permutexvar_epi32(order, _mm512_packs_epi16(low, high));
  part_store(width, _mm512_sub_epi8(_mm512_set1_epi8(32), all));
}

static inline void bit_lengths_16(const uint16_t *m, uint8_t width[BLOCKS]) {
  for (int b = 0; b < BLOCKS; b += 64) {
    __m512i v[4];
    for (int i = 0; i < 4; i++)
      v[i] = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(m + b + 16 * i)));
    bit_lengths(v, width + b);
  }
}

static inline void bit_lengths_32(const uint32_t *m, uint8_t width[BLOCKS]) {
  for (int b = 0; b < BLOCKS; b += 64) {
    __m512i v[4];
    memcpy(v, m + b, sizeof v);
    bit_lengths(v, width + b);
  }
}

static inline void vec_stream(void *to, const void *v) {
  _mm512_stream_si512((__m512i *)to, _mm512_loadu_si512(v));
}

static inline void stream_fence(void) {
  _mm_sfence();
}

#include "isa/avx2_lanes.h"
#include "isa/avx512_widths.h"

#endif
