/* scalar_widths.h: widths and their planes, in plain C. Part of scalar.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* The sum of eight bytes of 16 words, each at most 64. */
GHZ_INLINE unsigned widths_sum(const uint8_t width[BLOCKS]) {
  const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);
  uint64_t sum = 0;
  for (unsigned i = 0; i < PARTS; i++) {
    uint64_t w = part_load(width + 8 * i);
    sum += (w & even) + (w >> 8 & even);
  }
  return (unsigned)(sum * UINT64_C(0x0001000100010001) >> 48);
}

static inline unsigned count_bits(uint64_t v) {
  v -= v >> 1 & UINT64_C(0x5555555555555555);
  v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
  return (unsigned)(((v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * EACH_BYTE >> 56);
}

/* A byte of plane k is not 0 where the OR of its eight widths has bit k. */
GHZ_INLINE unsigned widths_nonzero(const uint8_t width[BLOCKS]) {
  uint64_t any[2] = {0, 0};
  for (unsigned i = 0; i < PARTS; i++) {
    uint64_t w = part_load(width + 8 * i);
    w |= w >> 32;
    w |= w >> 16;
    w |= w >> 8;
    any[i / 8] |= (w & 255) << i % 8 * 8;
  }
  return count_bits(any[0]) + count_bits(any[1]);
}

/* Half of plane k: its bits of eight words of widths. */
static inline uint64_t half_plane(const uint8_t *width, unsigned k) {
  uint64_t half = 0;
  for (unsigned i = 0; i < 8; i++)
    half |= (uint64_t)gather_top_bits((part_load(width + 8 * i) >> k & EACH_BYTE) << 7) << 8 * i;
  return half;
}

GHZ_INLINE uint8_t *widths_store(const uint8_t width[BLOCKS], unsigned planes, int squeezed, uint8_t *dst) {
  uint8_t *bytes = dst + (squeezed ? 2 * planes : 0);
  for (unsigned i = 0; i < 2 * planes; i++) {
    const uint64_t half = half_plane(width + i % 2 * 64, i / 2);
    const unsigned map = squeezed ? gather_top_bits(nonzero_bytes(half)) : 255;
    if (squeezed)
      dst[i] = (uint8_t)map;
    part_store(bytes, map == 255 ? half : pick(half, squeeze_table[map]));
    bytes += squeeze_count[map];
  }
  return bytes;
}

/* Eight bytes spread to where `map` has bits; the others become 0. */
static inline uint64_t spread(const uint8_t **src, unsigned map) {
  const uint64_t taken = nonzero_bytes(map * EACH_BYTE & UINT64_C(0x8040201008040201)) >> 7;
  const uint64_t v = part_load(*src);
  *src += squeeze_count[map];
  return map == 255 ? v : pick(v, expand_table[map]) & taken * 255;
}

/* Adds half of plane k to the eight words of widths; the largest width among them so far keeps those
 * that may have it. */
static inline void add_half_plane(uint64_t half, unsigned k, uint8_t *width) {
  for (unsigned i = 0; i < 8; i++) {
    const uint64_t bits = (half >> 8 * i & 255) * EACH_BYTE & UINT64_C(0x8040201008040201);
    part_store(width + 8 * i, part_load(width + 8 * i) | nonzero_bytes(bits) >> 7 << k);
  }
}

/* The largest width, from the topmost plane down: the blocks that may have it become fewer. */
static inline unsigned largest_width(uint64_t halves[12], unsigned planes) {
  uint64_t low = UINT64_MAX, high = UINT64_MAX;
  unsigned largest = 0;
  for (unsigned k = planes; k-- > 0;) {
    const uint64_t a = halves[2 * k] & low, b = halves[2 * k + 1] & high;
    if (a | b) {
      low = a, high = b;
      largest |= 1u << k;
    }
  }
  return largest;
}

GHZ_INLINE loaded_widths widths_load(const uint8_t *src, unsigned planes, int squeezed, uint8_t width[BLOCKS]) {
  const uint8_t *first = src + (squeezed ? 2 * planes : 0), *bytes = first;
  uint64_t halves[12];
  unsigned missing = 0;
  memset(width, 0, BLOCKS);
  for (unsigned i = 0; i < 2 * planes; i++) {
    const unsigned map = squeezed ? src[i] : 255;
    halves[i] = spread(&bytes, map);
    missing |= map & ~gather_top_bits(nonzero_bytes(halves[i]));
    add_half_plane(halves[i], i / 2, width + i % 2 * 64);
  }
  return (loaded_widths){widths_sum(width), largest_width(halves, planes),
                         squeezed && missing ? (unsigned)DAMAGED_WIDTHS : (unsigned)(bytes - first)};
}
