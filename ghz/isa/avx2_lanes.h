/* avx2_lanes.h: primitives (primitives.h) for AVX2 and what is above: of vectors, by intrinsics
 * that have one name for each size of register, and the eight lanes: compilers make several
 * instructions of what is one here.
 *
 * Parameters, the port's:
 *   MM(name)        the intrinsic of that name for its registers
 *   STREAM          the one that stores past the caches
 *   half_register   the type of half of one */
/* SPDX-License-Identifier: BSD-3-Clause */

typedef half_register half_in_memory __attribute__((aligned(1), may_alias));

GHZ_INLINE vec_16 widen_bytes(const uint8_t *p) {
  return (vec_16)MM(cvtepu8_epi16)(*(const half_in_memory *)(const void *)p);
}

GHZ_INLINE vec_16 widen_signed_bytes(const uint8_t *p) {
  return (vec_16)MM(cvtepi8_epi16)(*(const half_in_memory *)(const void *)p);
}

GHZ_INLINE vec_32 widen_16(half_16 v) {
  return (vec_32)MM(cvtepi16_epi32)((half_register)v);
}

GHZ_INLINE vec_f64 widen_32(half_32 v) {
  return MM(cvtepi32_pd)((half_register)v);
}

GHZ_INLINE half_f32 narrow_f64(vec_f64 v) {
  return MM(cvtpd_ps)(v);
}

GHZ_INLINE vec_f64 fma_f64(vec_f64 a, vec_f64 b, vec_f64 c) {
  return MM(fmadd_pd)(a, b, c);
}

GHZ_INLINE vec_f32 fma_f32(vec_f32 a, vec_f32 b, vec_f32 c) {
  return MM(fmadd_ps)(a, b, c);
}

GHZ_INLINE vec_32 round_lanes(vec_f32 v) {
  return (vec_32)MM(cvtps_epi32)(v);
}

GHZ_INLINE vec_16 min_16(vec_16 a, vec_16 b) {
  return (vec_16)MM(min_epi16)((part)a, (part)b);
}

GHZ_INLINE vec_16 max_16(vec_16 a, vec_16 b) {
  return (vec_16)MM(max_epi16)((part)a, (part)b);
}

GHZ_INLINE vec_32 max_32(vec_32 a, vec_32 b) {
  return (vec_32)MM(max_epi32)((part)a, (part)b);
}

GHZ_INLINE vec_64 multiply_halves(vec_64 a, vec_64 b) {
  return (vec_64)MM(mul_epi32)((part)a, (part)b);
}

GHZ_INLINE void vec_stream(void *to, const void *v) {
  STREAM((part *)to, part_load((const uint8_t *)v));
}

GHZ_INLINE void stream_fence(void) {
  _mm_sfence();
}

/* Entries of the table are -1 where a lane takes `before`. The last value is read: from the copy it
 * would come late. */
GHZ_INLINE uint32_t repeat_32(const void *from, unsigned hidden, uint32_t before, void *to) {
  const __m256i place = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)repeat_table[hidden]));
  const __m256i v = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(from), place);
  const int last = repeat_table[hidden][7];
  _mm256_storeu_si256(to, _mm256_blendv_epi8(v, _mm256_set1_epi32((int)before), place));
  return last < 0 ? before : load_u32((const uint8_t *)from + 4 * last);
}

/* The largest byte. The least of eight 16-bit numbers is one instruction: here each of
 * these is the lesser complement of two. */
GHZ_INLINE unsigned largest_of_bytes(__m256i w) {
  __m128i v = _mm_max_epu8(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
  v = _mm_xor_si128(v, _mm_set1_epi8(-1));
  v = _mm_minpos_epu16(_mm_min_epu8(v, _mm_srli_epi16(v, 8)));
  return 0xff ^ (unsigned)(_mm_cvtsi128_si32(v) & 0xff);
}

GHZ_INLINE lanes_16 eight_of(const uint8_t *p) {
  return (lanes_16)_mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)p));
}

GHZ_INLINE lanes_16 signed_eight_of(const int8_t *p) {
  return (lanes_16)_mm_cvtepi8_epi16(_mm_loadl_epi64((const __m128i *)p));
}

GHZ_INLINE void store_narrowed(uint8_t *p, lanes_16 v) {
  _mm_storel_epi64((__m128i *)p, _mm_packus_epi16((__m128i)v, (__m128i)v));
}

GHZ_INLINE void store_signed_narrowed(int8_t *p, lanes_16 v) {
  _mm_storel_epi64((__m128i *)p, _mm_packs_epi16((__m128i)v, (__m128i)v));
}

GHZ_INLINE lanes_32 lanes_wider(lanes_16 v) {
  return (lanes_32)_mm256_cvtepu16_epi32((__m128i)v);
}

/* By halves, which is how they were gathered. */
GHZ_INLINE lanes_16 low_bytes_of(const lanes_32 *v) {
  const __m128i low = _mm_setr_epi8(0, -1, 4, -1, 8, -1, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  return (lanes_16)_mm_unpacklo_epi64(_mm_shuffle_epi8(_mm256_castsi256_si128((__m256i)*v), low),
                                      _mm_shuffle_epi8(_mm256_extracti128_si256((__m256i)*v, 1), low));
}

GHZ_INLINE uint8_t byte_plane(uint64_t bytes, unsigned j) {
  return (uint8_t)_mm_movemask_epi8(_mm_slli_epi16(_mm_cvtsi64_si128((long long)bytes), (int)(7 - j)));
}

/* Two entries, whose indices a register has one behind the other. */
GHZ_INLINE __m128i two_gathered(const uint32_t *table, uint64_t index) {
  return _mm_insert_epi32(_mm_cvtsi32_si128((int)table[(uint32_t)index]), (int)table[index >> 32], 1);
}

/* Faster than the instruction for it, on a Zen 3 by a third. */
GHZ_INLINE lanes_32 gathered(const uint32_t *table, const lanes_32 *index) {
  const __m128i low = _mm256_castsi256_si128((__m256i)*index),
                high = _mm256_extracti128_si256((__m256i)*index, 1);
  const __m128i a = two_gathered(table, (uint64_t)_mm_cvtsi128_si64(low)),
                b = two_gathered(table, (uint64_t)_mm_extract_epi64(low, 1)),
                c = two_gathered(table, (uint64_t)_mm_cvtsi128_si64(high)),
                d = two_gathered(table, (uint64_t)_mm_extract_epi64(high, 1));
  return (lanes_32)_mm256_set_m128i(_mm_unpacklo_epi64(c, d), _mm_unpacklo_epi64(a, b));
}

GHZ_INLINE void read_words(lanes_32 *state, int32_t least, const uint16_t **word) {
  const __m256i x = (__m256i)*state, low = _mm256_cmpgt_epi32(_mm256_set1_epi32(least), x);
  const unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(low));
  const __m256i words = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)*word)),
                at = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)expand_table[mask]));
  const __m256i more = _mm256_or_si256(_mm256_slli_epi32(x, 16), _mm256_permutevar8x32_epi32(words, at));
  *state = (lanes_32)_mm256_blendv_epi8(x, more, low);
  *word += _mm_popcnt_u32(mask);
}

GHZ_INLINE void give_words(lanes_32 *state, const lanes_32 *limit, uint16_t **word) {
  const __m256i x = (__m256i)*state, high = _mm256_cmpgt_epi32(x, (__m256i)*limit);
  const unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(high)),
                 given = (unsigned)_mm_popcnt_u32(mask), up = (64 - 8 * given) & 63;
  const uint64_t packed = load_u64(squeeze_table[mask]);
  const __m256i at = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)(packed << up | packed >> (-up & 63))));
  const __m256i words = _mm256_permutevar8x32_epi32(_mm256_and_si256(x, _mm256_set1_epi32(0xffff)), at);
  _mm_storeu_si128((__m128i *)(*word - 8),
                   _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
  *word -= given;
  *state = (lanes_32)_mm256_blendv_epi8(x, _mm256_srli_epi32(x, 16), high);
}

/* Bits of 32 columns, to all ones or zeros in a byte each. */
GHZ_INLINE __m256i columns_to_bytes(const uint8_t *bits) {
  const __m256i byte = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303),
                bit = _mm256_set1_epi64x((long long)0x8040201008040201);
  const __m256i v = _mm256_shuffle_epi8(_mm256_set1_epi32((int)load_u32(bits)), byte);
  return _mm256_cmpeq_epi8(_mm256_and_si256(v, bit), bit);
}

GHZ_INLINE void values_of_planes(const bit_plane *planes, unsigned height, int8_t values[TILE]) {
  for (unsigned b = 0; b < BLOCKS; b += 4) {
    __m256i v = columns_to_bytes(planes[height - 1] + b);
    for (unsigned j = height - 1; j-- > 0;)
      v = _mm256_sub_epi8(_mm256_add_epi8(v, v), columns_to_bytes(planes[j] + b));
    _mm256_storeu_si256((__m256i *)(values + 8 * b), v);
  }
}

GHZ_INLINE void planes_of_values(const int8_t values[TILE], unsigned height, bit_plane *planes) {
  for (unsigned j = 0; j < height; j++)
    for (unsigned b = 0; b < BLOCKS; b += 4) {
      const __m256i v = _mm256_loadu_si256((const __m256i *)(values + 8 * b));
      store_u32(planes[j] + b, (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(v, (int)(7 - j))));
    }
}
