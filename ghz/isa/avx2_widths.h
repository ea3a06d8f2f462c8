/* avx2_widths.h: widths and their planes, for AVX2. Part of avx2.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

static inline unsigned sum_of_bytes(__m256i a, __m256i b, __m256i c, __m256i d) {
  __m256i w = _mm256_sad_epu8(_mm256_add_epi8(_mm256_add_epi8(a, b), _mm256_add_epi8(c, d)), part_zero());
  __m128i v = _mm_add_epi64(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
  return (unsigned)_mm_cvtsi128_si32(v) + (unsigned)_mm_extract_epi32(v, 2);
}

GHZ_INLINE unsigned widths_sum(const uint8_t width[BLOCKS]) {
  return sum_of_bytes(part_load(width), part_load(width + 32), part_load(width + 64), part_load(width + 96));
}

/* The largest byte. The least of eight 16-bit numbers is one instruction: here each of these is the
 * lesser complement of two. */
static inline unsigned largest_byte(__m256i a, __m256i b, __m256i c, __m256i d) {
  __m256i w = _mm256_max_epu8(_mm256_max_epu8(a, b), _mm256_max_epu8(c, d));
  __m128i v = _mm_max_epu8(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
  v = _mm_xor_si128(v, _mm_set1_epi8(-1));
  v = _mm_minpos_epu16(_mm_min_epu8(v, _mm_srli_epi16(v, 8)));
  return 0xff ^ (unsigned)(_mm_cvtsi128_si32(v) & 0xff);
}

GHZ_INLINE unsigned widths_largest(const uint8_t width[BLOCKS]) {
  return largest_byte(part_load(width), part_load(width + 32), part_load(width + 64), part_load(width + 96));
}

/* Halves of each 64 bits, ORed: those of a, then those of b, 128 bits at a time. */
static inline __m256i or_halves(__m256i a, __m256i b) {
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
static inline __m128i width_plane(const uint8_t width[BLOCKS], unsigned k) {
  const __m128i to_top = _mm_cvtsi32_si128((int)(7 - k));
  uint64_t m[PARTS];
  for (unsigned i = 0; i < PARTS; i++)
    m[i] = (uint32_t)_mm256_movemask_epi8(_mm256_sll_epi16(part_load(width + 32 * i), to_top));
  return _mm_set_epi64x((long long)(m[2] | m[3] << 32), (long long)(m[0] | m[1] << 32));
}

/* A map of the bytes that are not 0. */
static inline unsigned nonzero_bytes(__m128i v) {
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
static inline __m256i bits_to_bytes(__m256i plane_twice, unsigned i, unsigned k) {
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
