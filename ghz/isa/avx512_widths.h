/* avx512_widths.h: widths and their planes, for AVX-512. Part of avx512.h. Four planes are in one
 * register, present or not; the rare others in another one. */
/* SPDX-License-Identifier: BSD-3-Clause */

#define EACH_LANE(v) _mm512_set1_epi64((long long)UINT64_C(v))
/* Lane j: first + j * step. */
#define LANES(first, step)                                                                                     \
  _mm512_add_epi64(EACH_LANE(first), _mm512_set_epi64(7 * INT64_C(step), 6 * INT64_C(step), 5 * INT64_C(step), \
                                                      4 * INT64_C(step), 3 * INT64_C(step), 2 * INT64_C(step), \
                                                      INT64_C(step), 0))

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

static inline uint64_t nonzero_bytes(__m512i v) {
  return _cvtmask64_u64(_mm512_test_epi8_mask(v, v));
}

static inline unsigned count_bits(uint64_t v) {
  return (unsigned)_mm_popcnt_u64(v);
}

static inline unsigned sum_of_bytes(__m512i v) {
  return (unsigned)_mm512_reduce_add_epi64(_mm512_sad_epu8(v, part_zero()));
}

GHZ_INLINE unsigned widths_sum(const uint8_t width[BLOCKS]) {
  return sum_of_bytes(_mm512_add_epi8(part_load(width), part_load(width + 64)));
}

/* The largest byte. The least of eight 16-bit numbers is one instruction: here each of these is the
 * lesser complement of two. */
static inline unsigned largest_byte(__m512i all) {
  const __m256i w = _mm256_max_epu8(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
  __m128i v = _mm_max_epu8(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
  v = _mm_xor_si128(v, _mm_set1_epi8(-1));
  v = _mm_minpos_epu16(_mm_min_epu8(v, _mm_srli_epi16(v, 8)));
  return 0xff ^ (unsigned)(_mm_cvtsi128_si32(v) & 0xff);
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
static inline uint64_t taken_bytes(uint64_t map, int squeezed, unsigned planes) {
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
