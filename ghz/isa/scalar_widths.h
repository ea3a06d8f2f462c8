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

/* The larger of each two bytes, which are below 128. */
static inline uint64_t larger_bytes(uint64_t a, uint64_t b) {
  const uint64_t taken = ((((a | TOP_BITS) - b) & TOP_BITS) >> 7) * 255;
  return (a & taken) | (b & ~taken);
}

GHZ_INLINE unsigned widths_largest(const uint8_t width[BLOCKS]) {
  uint64_t w = part_load(width);
  for (unsigned i = 1; i < PARTS; i++)
    w = larger_bytes(w, part_load(width + 8 * i));
  for (unsigned shift = 32; shift >= 8; shift /= 2)
    w = larger_bytes(w, w >> shift);
  return (unsigned)(w & 255);
}

static inline unsigned count_bits(uint64_t v) {
  v -= v >> 1 & UINT64_C(0x5555555555555555);
  v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
  return (unsigned)(((v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * EACH_BYTE >> 56);
}

/* Of a the bits that `mask` has, ORed with those `shift` above them, beside the others of b, ORed
 * with those below them. */
static inline uint64_t or_parts(uint64_t a, uint64_t b, unsigned shift, uint64_t mask) {
  return ((a | a >> shift) & mask) | ((b | b << shift) & ~mask);
}

/* A byte of plane k is not 0 where the OR of its eight widths has bit k. */
GHZ_INLINE unsigned widths_nonzero(const uint8_t width[BLOCKS]) {
  uint64_t any[PARTS];
  for (unsigned i = 0; i < PARTS; i++)
    any[i] = part_load(width + 8 * i);
  for (unsigned i = 0; i < 8; i++)
    any[i] = or_parts(any[2 * i], any[2 * i + 1], 32, UINT64_C(0x00000000ffffffff));
  for (unsigned i = 0; i < 4; i++)
    any[i] = or_parts(any[2 * i], any[2 * i + 1], 16, UINT64_C(0x0000ffff0000ffff));
  for (unsigned i = 0; i < 2; i++)
    any[i] = or_parts(any[2 * i], any[2 * i + 1], 8, UINT64_C(0x00ff00ff00ff00ff));
  return count_bits(any[0]) + count_bits(any[1]);
}

/* Half of plane k: its bits of eight words of widths. */
static inline uint64_t half_plane(const uint8_t *width, unsigned k) {
  uint64_t half = 0;
  for (unsigned i = 0; i < 8; i++)
    half |= (uint64_t)gather_top_bits((part_load(width + 8 * i) >> k & EACH_BYTE) << 7) << 8 * i;
  return half;
}

/* The bytes of v that are not 0, without a branch; returns their end. */
static inline uint8_t *store_nonzero(uint64_t v, uint8_t *dst) {
  for (unsigned b = 0; b < 8; b++) {
    *dst = (uint8_t)(v >> 8 * b);
    dst += *dst != 0;
  }
  return dst;
}

GHZ_INLINE uint8_t *widths_store(const uint8_t width[BLOCKS], unsigned planes, int squeezed, uint8_t *dst) {
  uint8_t *bytes = dst + 2 * planes;
  for (unsigned i = 0; i < 2 * planes; i++) {
    const uint64_t half = half_plane(width + i % 2 * 64, i / 2);
    if (squeezed) {
      dst[i] = (uint8_t)gather_top_bits(nonzero_bytes(half));
      bytes = store_nonzero(half, bytes);
    } else {
      part_store(dst + 8 * i, half);
    }
  }
  return squeezed ? bytes : dst + 16 * planes;
}

/* Eight bytes spread to where `map` has bits; the others become 0. *missing is set where a byte
 * that was to be spread is 0. */
static inline uint64_t spread(const uint8_t **src, unsigned map, uint64_t *missing) {
  const uint64_t taken = nonzero_bytes(map * EACH_BYTE & UINT64_C(0x8040201008040201)) >> 7;
  const uint64_t v = pick(part_load(*src), expand_table[map]) & taken * 255;
  *src += squeeze_count[map];
  *missing |= taken ^ nonzero_bytes(v) >> 7;
  return v;
}

/* Exchanges bit k of byte i and bit i of byte k. */
static inline uint64_t turn_bits(uint64_t v) {
  uint64_t d = (v ^ v >> 7) & UINT64_C(0x00aa00aa00aa00aa);
  v ^= d ^ d << 7;
  d = (v ^ v >> 14) & UINT64_C(0x0000cccc0000cccc);
  v ^= d ^ d << 14;
  d = (v ^ v >> 28) & UINT64_C(0x00000000f0f0f0f0);
  return v ^ d ^ d << 28;
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
  const uint8_t *first = src + 2 * planes, *bytes = first;
  uint64_t halves[12], missing = 0;
  for (unsigned i = 0; i < 2 * planes; i++)
    halves[i] = squeezed ? spread(&bytes, src[i], &missing) : part_load(src + 8 * i);
  for (unsigned i = 0; i < PARTS; i++) {
    uint64_t turned = 0; /* byte k: of plane k */
    for (unsigned k = 0; k < planes; k++)
      turned |= (halves[2 * k + i / 8] >> 8 * (i % 8) & 255) << 8 * k;
    part_store(width + 8 * i, turn_bits(turned));
  }
  return (loaded_widths){widths_sum(width), largest_width(halves, planes),
                         missing ? (unsigned)DAMAGED_WIDTHS : (unsigned)(bytes - first)};
}
