/* scalar_widths.h: widths and their planes, in plain C. Part of scalar.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

enum { WORDS = BLOCKS / 8 };

/* The sum of eight bytes of 16 words, each at most 64. */
GHZ_INLINE unsigned widths_sum(const uint8_t width[BLOCKS]) {
  const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);
  uint64_t sum = 0;
  for (unsigned i = 0; i < WORDS; i++) {
    uint64_t w = load_u64(width + 8 * i);
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
  uint64_t w = load_u64(width);
  for (unsigned i = 1; i < WORDS; i++)
    w = larger_bytes(w, load_u64(width + 8 * i));
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
  uint64_t any[WORDS];
  for (unsigned i = 0; i < WORDS; i++)
    any[i] = load_u64(width + 8 * i);
  for (unsigned i = 0; i < 8; i++)
    any[i] = or_parts(any[2 * i], any[2 * i + 1], 32, UINT64_C(0x00000000ffffffff));
  for (unsigned i = 0; i < 4; i++)
    any[i] = or_parts(any[2 * i], any[2 * i + 1], 16, UINT64_C(0x0000ffff0000ffff));
  for (unsigned i = 0; i < 2; i++)
    any[i] = or_parts(any[2 * i], any[2 * i + 1], 8, UINT64_C(0x00ff00ff00ff00ff));
  return count_bits(any[0]) + count_bits(any[1]);
}

/* Plane k. */
static inline part width_plane(const uint8_t width[BLOCKS], unsigned k) {
  uint64_t half[2] = {0, 0};
  for (unsigned i = 0; i < PARTS; i++)
    half[i / 4] |= (uint64_t)map_of(part_load(width + PART_BYTES * i) << (7 - k)) << 16 * (i % 4);
  return (part){half[0], half[1]};
}

GHZ_INLINE uint8_t *widths_store(const uint8_t width[BLOCKS], unsigned planes, int squeezed, uint8_t *dst) {
  uint8_t *bytes = dst + 2 * planes;
  for (unsigned k = 0; k < planes; k++) {
    const part v = width_plane(width, k);
    if (squeezed) {
      const unsigned map = map_of(~zero_bytes(v));
      store_u16(dst + 2 * k, (uint16_t)map);
      pack_to(&bytes, v, map);
    } else {
      part_store(dst + 16 * k, v);
    }
  }
  return squeezed ? bytes : dst + 16 * planes;
}

/* Sixteen bytes spread to where `map` has bits; the others become 0. *missing is set where a byte
 * that was to be spread is 0. */
static inline part spread(const uint8_t **src, unsigned map, uint64_t *missing) {
  const part taken = (part){CHOSEN(map & 255), CHOSEN(map >> 8)} * 255, v = load_spread(src, map) & taken,
             absent = zero_bytes(v) & taken;
  *missing |= absent[0] | absent[1];
  return v;
}

/* Exchanges bit k of byte i and bit i of byte k of each word. */
static inline part turn_bits(part v) {
  part d = (v ^ v >> 7) & UINT64_C(0x00aa00aa00aa00aa);
  v ^= d ^ d << 7;
  d = (v ^ v >> 14) & UINT64_C(0x0000cccc0000cccc);
  v ^= d ^ d << 14;
  d = (v ^ v >> 28) & UINT64_C(0x00000000f0f0f0f0);
  return v ^ d ^ d << 28;
}

/* The largest width, from the topmost plane down: the blocks that may have it become fewer. */
static inline unsigned largest_width(const part plane[8], unsigned planes) {
  part left = ~part_zero();
  unsigned largest = 0;
  for (unsigned k = planes; k-- > 0;) {
    const part v = plane[k] & left;
    if (v[0] | v[1]) {
      left = v;
      largest |= 1u << k;
    }
  }
  return largest;
}

/* Bytes, pairs of bytes and fours of bytes of two parts in turn: of their lower halves and of their
 * upper ones. */
typedef int16_t part_of_pairs __attribute__((vector_size(16)));
typedef int32_t part_of_fours __attribute__((vector_size(16)));
#define IN_TURN_OF(type, a, b, which) (part) __builtin_shufflevector((type)(a), (type)(b), which)

/* Eight planes of 16 bytes to 16 words of a byte from each: word i has theirs at i. */
static inline void turn_bytes(const part v[8], part words[8]) {
  part pairs[8], fours[8];
  for (int i = 0; i < 4; i++) {
    pairs[i] = IN_TURN_OF(part_of_bytes, v[2 * i], v[2 * i + 1], LOW_16);
    pairs[4 + i] = IN_TURN_OF(part_of_bytes, v[2 * i], v[2 * i + 1], HIGH_16);
  }
  for (int i = 0; i < 4; i++) {
    fours[i] = IN_TURN_OF(part_of_pairs, pairs[2 * i], pairs[2 * i + 1], LOW_8);
    fours[4 + i] = IN_TURN_OF(part_of_pairs, pairs[2 * i], pairs[2 * i + 1], HIGH_8);
  }
  for (int i = 0; i < 8; i += 4) {
    const int j = i / 2;
    words[i] = IN_TURN_OF(part_of_fours, fours[j], fours[j + 1], LOW_4);
    words[i + 1] = IN_TURN_OF(part_of_fours, fours[j], fours[j + 1], HIGH_4);
    words[i + 2] = IN_TURN_OF(part_of_fours, fours[4 + j], fours[4 + j + 1], LOW_4);
    words[i + 3] = IN_TURN_OF(part_of_fours, fours[4 + j], fours[4 + j + 1], HIGH_4);
  }
}

GHZ_INLINE loaded_widths widths_load(const uint8_t *src, unsigned planes, int squeezed, uint8_t width[BLOCKS]) {
  const uint8_t *first = src + 2 * planes, *bytes = first;
  uint64_t missing = 0;
  part plane[8], words[8];
  for (unsigned k = 0; k < 8; k++)
    plane[k] = k >= planes ? part_zero()
               : squeezed  ? spread(&bytes, load_u16(src + 2 * k), &missing)
                           : part_load(src + 16 * k);
  turn_bytes(plane, words);
  for (unsigned i = 0; i < PARTS; i++)
    part_store(width + PART_BYTES * i, turn_bits(words[i]));
  return (loaded_widths){widths_sum(width), largest_width(plane, planes),
                         missing ? (unsigned)DAMAGED_WIDTHS : (unsigned)(bytes - first)};
}
