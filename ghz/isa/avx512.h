/* avx512.h: the primitives (primitives.h) for AVX-512 with VBMI2 and GFNI (Ice Lake, Zen 4 on): a
 * plane is two registers. */
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

static inline vec_f64 fma_f64(vec_f64 a, vec_f64 b, vec_f64 c) {
  return (vec_f64)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

static inline vec_32 max_32(vec_32 a, vec_32 b) {
  return (vec_32)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

static inline vec_64 max_64(vec_64 a, vec_64 b) {
  return (vec_64)_mm512_max_epi64((__m512i)a, (__m512i)b);
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

/* ---- Width planes: four in a register, present or not; the rare others in another ------------ */

#define EACH_LANE(v) _mm512_set1_epi64((long long)UINT64_C(v))
/* Lane j: first + j * step. */
#define LANES(first, step)                                                                                     \
  _mm512_add_epi64(_mm512_set1_epi64((long long)UINT64_C(first)),                                              \
                   _mm512_set_epi64(7 * INT64_C(step), 6 * INT64_C(step), 5 * INT64_C(step),                   \
                                    4 * INT64_C(step), 3 * INT64_C(step), 2 * INT64_C(step), INT64_C(step),    \
                                    0))

/* Turns the 8 x 8 bits of each lane of 64: bit k of byte i becomes bit 7 - i of byte k. */
static inline __m512i turn_bits(__m512i v) {
  return _mm512_gf2p8affine_epi64_epi8(EACH_LANE(0x8040201008040201), v, 0);
}

/* Exchanges bits i and 7 - i of each byte. */
static inline __m512i reverse_bits(__m512i v) {
  return _mm512_gf2p8affine_epi64_epi8(v, EACH_LANE(0x8040201008040201), 0);
}

/* The lowest n bits. */
static inline uint64_t low_bits(unsigned n) {
  return _bzhi_u64(UINT64_MAX, n);
}

/* The planes from the fifth on. */
static inline __m512i rare_width_planes(const width_planes plain, unsigned planes) {
  return _mm512_maskz_loadu_epi8(low_bits(16 * (planes - 4)), plain + 64);
}

GHZ_INLINE unsigned widths_sum(const uint8_t width[BLOCKS]) {
  const __m512i w = _mm512_add_epi8(part_load(width), part_load(width + 64));
  return (unsigned)_mm512_reduce_add_epi64(_mm512_sad_epu8(w, part_zero()));
}

/* The least of eight 16-bit numbers is one instruction: here each is the lesser complement of two. */
GHZ_INLINE unsigned widths_largest(const uint8_t width[BLOCKS]) {
  const __m512i all = _mm512_max_epu8(part_load(width), part_load(width + 64));
  const __m256i w = _mm256_max_epu8(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
  __m128i v = _mm_max_epu8(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
  v = _mm_xor_si128(v, _mm_set1_epi8(-1));
  v = _mm_minpos_epu16(_mm_min_epu8(v, _mm_srli_epi16(v, 8)));
  return 0xff ^ (unsigned)(_mm_cvtsi128_si32(v) & 0xff);
}

/* Byte j of plane k belongs to byte 7 - k of lane j, of the second half to that of lane j - 8. */
GHZ_INLINE void widths_unpack(const width_planes plain, unsigned planes, uint8_t width[BLOCKS]) {
  const __m512i p = part_load(plain), second = _mm512_set1_epi8(8);
  const __m512i at = LANES(0x0010203000000000, 0x0101010100000000);
  const __mmask64 upper = UINT64_C(0xf0f0f0f0f0f0f0f0);
  __m512i a = _mm512_maskz_permutexvar_epi8(upper, at, p);
  __m512i b = _mm512_maskz_permutexvar_epi8(upper, _mm512_add_epi8(at, second), p);
  if (planes > 4) {
    const __m512i rare = rare_width_planes(plain, planes), at_rare = LANES(0x100000, 0x01010000);
    const __mmask64 lower = UINT64_C(0x0c0c0c0c0c0c0c0c);
    a = _mm512_mask_permutexvar_epi8(a, lower, at_rare, rare);
    b = _mm512_mask_permutexvar_epi8(b, lower, _mm512_add_epi8(at_rare, second), rare);
  }
  part_store(width, turn_bits(a));
  part_store(width + 64, turn_bits(b));
}

/* Byte 16 k + j of the planes, from byte k of lane j. */
GHZ_INLINE void widths_pack(const uint8_t width[BLOCKS], unsigned planes, width_planes plain) {
  const __m512i a = turn_bits(part_load(width)), b = turn_bits(part_load(width + 64));
  const __m512i at =
      _mm512_set_epi64(0x7b736b635b534b43, 0x3b332b231b130b03, 0x7a726a625a524a42, 0x3a322a221a120a02,
                       0x7971696159514941, 0x3931292119110901, 0x7870686058504840, 0x3830282018100800);
  part_store(plain, reverse_bits(_mm512_permutex2var_epi8(a, at, b)));
  if (planes > 4) {
    __m512i rare = _mm512_permutex2var_epi8(a, _mm512_add_epi8(at, _mm512_set1_epi8(4)), b);
    _mm256_storeu_si256((__m256i *)(plain + 64), _mm512_castsi512_si256(reverse_bits(rare)));
  }
}

static inline __mmask64 nonzero_bytes(__m512i v) {
  return _mm512_test_epi8_mask(v, v);
}

GHZ_INLINE unsigned width_planes_nonzero(const width_planes plain, unsigned planes) {
  unsigned count = (unsigned)_mm_popcnt_u64(nonzero_bytes(part_load(plain)));
  if (planes > 4)
    count += (unsigned)_mm_popcnt_u64(nonzero_bytes(rare_width_planes(plain, planes)));
  return count;
}

/* Squeezed or not, it is a choice of bytes: those that are not 0, or all. */
GHZ_INLINE uint8_t *width_planes_store(const width_planes plain, unsigned planes, int squeezed, uint8_t *dst) {
  const __m512i p = part_load(plain);
  const uint64_t all = (uint64_t)squeezed - 1;
  const uint64_t map = nonzero_bytes(p), taken = (map | all) & low_bits(16 * planes);
  uint8_t *out = dst + (squeezed ? 2 * planes : 0);
  memcpy(dst, &map, 8);
  if (planes > 4) {
    const __m512i rare = rare_width_planes(plain, planes);
    const uint64_t map_rare = nonzero_bytes(rare), taken_rare = (map_rare | all) & low_bits(16 * (planes - 4));
    memcpy(dst + 8, &map_rare, 4);
    part_store(out, _mm512_maskz_compress_epi8(taken, p));
    out += _mm_popcnt_u64(taken);
    _mm256_storeu_si256((__m256i *)out, _mm512_castsi512_si256(_mm512_maskz_compress_epi8(taken_rare, rare)));
    return out + _mm_popcnt_u64(taken_rare);
  }
  part_store(out, _mm512_maskz_compress_epi8(taken, p));
  return out + _mm_popcnt_u64(taken);
}

GHZ_INLINE unsigned width_planes_load(const uint8_t *src, unsigned planes, int squeezed, width_planes plain) {
  const uint8_t *bytes = src + (squeezed ? 2 * planes : 0);
  const uint64_t all = (uint64_t)squeezed - 1;
  uint64_t map;
  memcpy(&map, src, 8);
  const uint64_t taken = (map | all) & low_bits(16 * planes);
  const __m512i p = expand_bytes(part_zero(), taken, bytes);
  unsigned count = (unsigned)_mm_popcnt_u64(taken);
  uint64_t missing = taken & ~nonzero_bytes(p);
  part_store(plain, p);
  if (planes > 4) {
    uint32_t map_rare;
    memcpy(&map_rare, src + 8, 4);
    const uint64_t taken_rare = (map_rare | all) & low_bits(16 * (planes - 4));
    const __m256i rare = _mm256_loadu_si256((const __m256i *)(bytes + count));
    const __m512i q = _mm512_maskz_expand_epi8(taken_rare, _mm512_castsi256_si512(rare));
    _mm256_storeu_si256((__m256i *)(plain + 64), _mm512_castsi512_si256(q));
    count += (unsigned)_mm_popcnt_u64(taken_rare);
    missing |= taken_rare & ~nonzero_bytes(q);
  }
  return squeezed && missing ? DAMAGED_WIDTHS : count;
}

#undef LANES
#undef EACH_LANE
#endif
