/* avx2.h: the primitives (primitives.h) for AVX2: a plane is four registers, squeezed eight bytes
 * at a time by byte shuffles whose patterns come from a table of 256. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_ISA_AVX2_H
#define GHZ_ISA_AVX2_H

#include <immintrin.h>

#define VEC 32
enum { PARTS = 4, PART_BYTES = 32 };
typedef __m256i part;
#define LARGE_INLINE GHZ_INLINE
#define MANY_REGISTERS 0
#include "isa/primitives.h"

/* AVX2 has no shuffle that picks 16-bit lanes out of two registers, but it narrows 32-bit ones. */
static inline vec_16 narrow_16(__m256i a, __m256i b) {
  return (vec_16)_mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8);
}

static inline vec_16 even_16(vec_16 a, vec_16 b) {
  return narrow_16(_mm256_srai_epi32(_mm256_slli_epi32((__m256i)a, 16), 16),
                   _mm256_srai_epi32(_mm256_slli_epi32((__m256i)b, 16), 16));
}

static inline vec_16 odd_16(vec_16 a, vec_16 b) {
  return narrow_16(_mm256_srai_epi32((__m256i)a, 16), _mm256_srai_epi32((__m256i)b, 16));
}

#define HAS_EVEN_16
#include "isa/shuffle.h"
#include "isa/squeeze_table.h"

static inline part part_load(const uint8_t *p) {
  return _mm256_loadu_si256((const __m256i *)p);
}

static inline void part_store(uint8_t *p, part v) {
  _mm256_storeu_si256((__m256i *)p, v);
}

static inline part part_zero(void) {
  return _mm256_setzero_si256();
}

static inline int part_equal(part a, part b) {
  return _mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b)) == -1;
}

static inline part part_not(part a) {
  return a ^ _mm256_set1_epi32(-1);
}

static inline part part_sum(part a, part b, part carry) {
  return a ^ b ^ carry;
}

static inline part part_carry(part a, part b, part carry) {
  return (a & b) | (carry & (a | b));
}

/* Eight bytes of a register spread to where `mask` has bits; the others become zero. */
static inline __m128i spread_8(const uint8_t **src, unsigned mask) {
  __m128i v = _mm_loadl_epi64((const __m128i *)*src);
  *src += (unsigned)_mm_popcnt_u32(mask);
  return _mm_shuffle_epi8(v, _mm_loadl_epi64((const __m128i *)expand_table[mask]));
}

static inline part part_and(part a, part b) {
  return a & b;
}

static inline part part_or(part a, part b) {
  return a | b;
}

static inline uint64_t part_low(part a) {
  return (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(a));
}

static inline part part_expand(part plane, const uint8_t **src, part width, int p) {
  __m256i wide = _mm256_cmpgt_epi8(width, _mm256_set1_epi8((char)p));
  unsigned mask = (unsigned)_mm256_movemask_epi8(wide);
  if (mask == 0)
    return plane;
  if (mask == UINT32_MAX) {
    plane = part_load(*src);
    *src += 32;
    return plane;
  }
  __m128i a = spread_8(src, mask & 255), b = spread_8(src, mask >> 8 & 255);
  __m128i c = spread_8(src, mask >> 16 & 255), d = spread_8(src, mask >> 24);
  __m256i next = _mm256_set_m128i(_mm_unpacklo_epi64(c, d), _mm_unpacklo_epi64(a, b));
  return _mm256_blendv_epi8(plane, next, wide);
}

static inline void gather_8(__m128i v, uint8_t **dst, unsigned mask) {
  v = _mm_shuffle_epi8(v, _mm_loadl_epi64((const __m128i *)squeeze_table[mask]));
  _mm_storel_epi64((__m128i *)*dst, v);
  *dst += (unsigned)_mm_popcnt_u32(mask);
}

static inline void part_squeeze(part plane, uint8_t **dst, part width, int p) {
  unsigned mask = (unsigned)_mm256_movemask_epi8(_mm256_cmpgt_epi8(width, _mm256_set1_epi8((char)p)));
  if (mask == 0)
    return;
  if (mask == UINT32_MAX) {
    part_store(*dst, plane);
    *dst += 32;
    return;
  }
  __m128i lo = _mm256_castsi256_si128(plane), hi = _mm256_extracti128_si256(plane, 1);
  gather_8(lo, dst, mask & 255);
  gather_8(_mm_unpackhi_epi64(lo, lo), dst, mask >> 8 & 255);
  gather_8(hi, dst, mask >> 16 & 255);
  gather_8(_mm_unpackhi_epi64(hi, hi), dst, mask >> 24);
}

static inline part part_widen(part width, part plane, part below, unsigned p, uint64_t *changes) {
  __m256i same = _mm256_cmpeq_epi8(plane, below);
  *changes |= (uint64_t)(_mm256_movemask_epi8(same) != -1) << p;
  return _mm256_blendv_epi8(_mm256_set1_epi8((char)(p + 1)), width, same);
}

static inline void plane_shift(const part x[PARTS], part y[PARTS]) {
  part last = part_zero();
  for (int i = 0; i < PARTS; i++) {
    __m256i straddle = _mm256_permute2x128_si256(last, x[i], 0x21);
    __m256i before = _mm256_alignr_epi8(x[i], straddle, 8);
    last = x[i];
    y[i] = _mm256_or_si256(_mm256_slli_epi64(x[i], 1), _mm256_srli_epi64(before, 63));
  }
}

static inline vec_f64 fma_f64(vec_f64 a, vec_f64 b, vec_f64 c) {
  return (vec_f64)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

static inline vec_32 max_32(vec_32 a, vec_32 b) {
  return (vec_32)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

static inline vec_64 max_64(vec_64 a, vec_64 b) {
  return (vec_64)_mm256_blendv_epi8((__m256i)b, (__m256i)a, _mm256_cmpgt_epi64((__m256i)a, (__m256i)b));
}

#include "isa/bit_lengths.h"
#include "isa/plane_back.h"

static inline void vec_stream(void *to, const void *v) {
  _mm256_stream_si256((__m256i *)to, _mm256_loadu_si256((const __m256i *)v));
}

static inline void stream_fence(void) {
  _mm_sfence();
}

#include "isa/avx2_widths.h"

#endif
