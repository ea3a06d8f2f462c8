/* avx2.h: the primitives (primitives.h) for AVX2: a plane is four registers, squeezed eight bytes
 * at a time by byte shuffles whose patterns come from a table of 256. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_ISA_AVX2_H
#define GHZ_ISA_AVX2_H

#include <immintrin.h>

#define VEC 32
enum { PARTS = 4, PART_BYTES = 32 };
typedef __m256i part;
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

static inline void vec_stream(void *to, const void *v) {
  _mm256_stream_si256((__m256i *)to, _mm256_loadu_si256((const __m256i *)v));
}

static inline void stream_fence(void) {
  _mm_sfence();
}

GHZ_INLINE unsigned widths_sum(const uint8_t width[BLOCKS]) {
  __m256i w = _mm256_add_epi8(_mm256_add_epi8(part_load(width), part_load(width + 32)),
                              _mm256_add_epi8(part_load(width + 64), part_load(width + 96)));
  w = _mm256_sad_epu8(w, part_zero());
  __m128i half = _mm_add_epi64(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
  return (unsigned)_mm_cvtsi128_si32(half) + (unsigned)_mm_extract_epi32(half, 2);
}

/* The least of eight 16-bit numbers is one instruction: here each is the lesser complement of two. */
GHZ_INLINE unsigned widths_largest(const uint8_t width[BLOCKS]) {
  __m256i w = _mm256_max_epu8(_mm256_max_epu8(part_load(width), part_load(width + 32)),
                              _mm256_max_epu8(part_load(width + 64), part_load(width + 96)));
  __m128i v = _mm_max_epu8(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
  v = _mm_xor_si128(v, _mm_set1_epi8(-1));
  v = _mm_minpos_epu16(_mm_min_epu8(v, _mm_srli_epi16(v, 8)));
  return 0xff ^ (unsigned)(_mm_cvtsi128_si32(v) & 0xff);
}

GHZ_INLINE void widths_unpack(const width_planes plain, unsigned planes, uint8_t width[BLOCKS]) {
  const __m256i byte = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2,
                                        3, 3, 3, 3, 3, 3, 3, 3);
  const __m256i bits = _mm256_set1_epi64x((long long)0x8040201008040201ull);
  for (unsigned i = 0; i < PARTS; i++) {
    __m256i w = part_zero();
    for (unsigned k = 0; k < planes; k++) {
      int32_t m;
      memcpy(&m, plain + 16 * k + 4 * i, 4);
      __m256i set = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32(m), byte), bits);
      w |= _mm256_and_si256(_mm256_cmpeq_epi8(set, bits), _mm256_set1_epi8((char)(1 << k)));
    }
    part_store(width + 32 * i, w);
  }
}

GHZ_INLINE void widths_pack(const uint8_t width[BLOCKS], unsigned planes, width_planes plain) {
  memset(plain, 0, 64);
  for (unsigned i = 0; i < PARTS; i++) {
    __m256i w = part_load(width + 32 * i);
    for (unsigned k = 0; k < planes; k++) {
      int32_t m = _mm256_movemask_epi8(_mm256_sll_epi16(w, _mm_cvtsi32_si128((int)(7 - k))));
      memcpy(plain + 16 * k + 4 * i, &m, 4);
    }
  }
}

/* A map of the bytes that are not 0. */
static inline unsigned nonzero_bytes(__m128i v) {
  return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128())) ^ 0xffff;
}

static inline __m128i width_plane(const width_planes plain, unsigned k) {
  return _mm_load_si128((const __m128i *)(plain + 16 * k));
}

GHZ_INLINE unsigned width_planes_nonzero(const width_planes plain, unsigned planes) {
  unsigned count = 0;
  for (unsigned k = 0; k < planes; k++)
    count += (unsigned)_mm_popcnt_u32(nonzero_bytes(width_plane(plain, k)));
  return count;
}

/* Squeezed or not, it is a choice of bytes: those that are not 0, or all. */
GHZ_INLINE uint8_t *width_planes_store(const width_planes plain, unsigned planes, int squeezed, uint8_t *dst) {
  uint8_t *out = dst + (squeezed ? 2 * planes : 0);
  for (unsigned k = 0; k < planes; k++) {
    __m128i v = width_plane(plain, k);
    const unsigned map = squeezed ? nonzero_bytes(v) : 0xffff;
    if (squeezed)
      store_u16(dst + 2 * k, (uint16_t)map);
    gather_8(v, &out, map & 255);
    gather_8(_mm_unpackhi_epi64(v, v), &out, map >> 8);
  }
  return out;
}

GHZ_INLINE unsigned width_planes_load(const uint8_t *src, unsigned planes, int squeezed, width_planes plain) {
  const uint8_t *first = src + (squeezed ? 2 * planes : 0), *bytes = first;
  unsigned missing = 0;
  memset(plain, 0, 64);
  for (unsigned k = 0; k < planes; k++) {
    const unsigned map = squeezed ? load_u16(src + 2 * k) : 0xffff;
    __m128i a = spread_8(&bytes, map & 255), b = spread_8(&bytes, map >> 8), v = _mm_unpacklo_epi64(a, b);
    _mm_store_si128((__m128i *)(plain + 16 * k), v);
    missing |= map & ~nonzero_bytes(v);
  }
  return squeezed && missing ? DAMAGED_WIDTHS : (unsigned)(bytes - first);
}

#endif
