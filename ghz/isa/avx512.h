/* avx512.h: the primitives (primitives.h) for AVX-512 with VBMI2 (Ice Lake, Zen 4 on): a plane is
 * two registers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_ISA_AVX512_H
#define GHZ_ISA_AVX512_H

#include <immintrin.h>

#define VEC 64
enum { PARTS = 2, PART_BYTES = 64 };
typedef __m512i part;
#include "isa/primitives.h"
#include "isa/shuffle.h"

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

static inline part part_carry(part a, part b, part carry) {
  return _mm512_ternarylogic_epi64(a, b, carry, 0xE8);
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

static inline part part_expand(part plane, const uint8_t **src, part width, int p) {
  __mmask64 k = _mm512_cmpgt_epi8_mask(width, _mm512_set1_epi8((char)p));
  plane = _mm512_mask_expand_epi8(plane, k, _mm512_loadu_si512(*src));
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

static inline vec_32 max_32(vec_32 a, vec_32 b) {
  return (vec_32)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

static inline vec_64 max_64(vec_64 a, vec_64 b) {
  return (vec_64)_mm512_max_epi64((__m512i)a, (__m512i)b);
}

/* Bit lengths of 16 values of 32 bits. */
static inline __m128i bit_lengths(__m512i v) {
  return _mm512_cvtepi32_epi8(_mm512_sub_epi32(_mm512_set1_epi32(32), _mm512_lzcnt_epi32(v)));
}

static inline void bit_lengths_16(const uint16_t *m, uint8_t width[BLOCKS]) {
  for (int b = 0; b < BLOCKS; b += 16)
    _mm_storeu_si128((__m128i *)(width + b),
                     bit_lengths(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(m + b)))));
}

static inline void bit_lengths_32(const uint32_t *m, uint8_t width[BLOCKS]) {
  for (int b = 0; b < BLOCKS; b += 16)
    _mm_storeu_si128((__m128i *)(width + b), bit_lengths(_mm512_loadu_si512(m + b)));
}

static inline void vec_stream(void *to, const void *v) {
  _mm512_stream_si512((__m512i *)to, _mm512_loadu_si512(v));
}

static inline void stream_fence(void) {
  _mm_sfence();
}

/* Widths from and to their bit planes: plane k holds bit k of every block's width. Four planes at
 * once, present or not, then the rare others; up to 64 bytes more than the planes may be read, or
 * written. */
static inline __m512i width_bits(const uint8_t *plane, unsigned k, unsigned planes) {
  uint64_t m;
  memcpy(&m, plane, 8);
  return _mm512_maskz_mov_epi8(k < planes ? m : 0, _mm512_set1_epi8((char)(1 << k)));
}

static inline void widths_unpack(const uint8_t *src, unsigned planes, uint8_t width[BLOCKS]) {
  for (int half = 0; half < 2; half++, src += 8, width += 64) {
    __m512i w =
        _mm512_or_si512(_mm512_or_si512(width_bits(src, 0, planes), width_bits(src + 16, 1, planes)),
                        _mm512_or_si512(width_bits(src + 32, 2, planes), width_bits(src + 48, 3, planes)));
    for (unsigned k = 4; k < planes; k++)
      w = _mm512_or_si512(w, width_bits(src + 16 * k, k, planes));
    part_store(width, w);
  }
}

static inline void width_plane(const part w[2], unsigned k, uint8_t *dst) {
  __m512i bit = _mm512_set1_epi8((char)(1 << k));
  uint64_t m[2] = {_mm512_test_epi8_mask(w[0], bit), _mm512_test_epi8_mask(w[1], bit)};
  memcpy(dst + 16 * k, m, 16);
}

static inline void widths_pack(const uint8_t width[BLOCKS], unsigned planes, uint8_t *dst) {
  const part w[2] = {part_load(width), part_load(width + 64)};
  width_plane(w, 0, dst), width_plane(w, 1, dst), width_plane(w, 2, dst), width_plane(w, 3, dst);
  for (unsigned k = 4; k < planes; k++)
    width_plane(w, k, dst);
}

#endif
