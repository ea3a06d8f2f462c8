/* plain_lanes.h: primitives (primitives.h) as compilers have them: for registers of 16 bytes, and
 * where no instruction is for them. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "isa/primitives.h"

typedef uint8_t bytes_8 __attribute__((vector_size(8)));
typedef int8_t signed_bytes_8 __attribute__((vector_size(8)));

GHZ_INLINE lanes_16 eight_of(const uint8_t *p) {
  bytes_8 b;
  memcpy(&b, p, sizeof b);
  return __builtin_convertvector(b, lanes_16);
}

GHZ_INLINE lanes_16 signed_eight_of(const int8_t *p) {
  signed_bytes_8 b;
  memcpy(&b, p, sizeof b);
  return __builtin_convertvector(b, lanes_16);
}

GHZ_INLINE vec_16 widen_bytes(const uint8_t *p) {
  return (vec_16)eight_of(p);
}

GHZ_INLINE vec_16 widen_signed_bytes(const uint8_t *p) {
  return (vec_16)signed_eight_of((const int8_t *)p);
}

GHZ_INLINE vec_32 widen_16(half_16 v) {
  return __builtin_convertvector(v, vec_32);
}

GHZ_INLINE vec_f64 widen_32(half_32 v) {
  return __builtin_convertvector(v, vec_f64);
}

GHZ_INLINE half_f32 narrow_f64(vec_f64 v) {
  return __builtin_convertvector(v, half_f32);
}

/* Whole blocks are common; which values of others are hidden no processor guesses. */
#define DEFINE_REPEAT(name, type)                                                                              \
  GHZ_INLINE type name(const void *from, unsigned hidden, type before, void *to) {                             \
    for (size_t i = 0; hidden == 0xff && i < BLOCK; i++)                                                       \
      memcpy((char *)to + i * sizeof(type), &before, sizeof(type));                                            \
    for (size_t i = 0; hidden != 0xff && i < BLOCK; i++) {                                                     \
      type here;                                                                                               \
      memcpy(&here, (const char *)from + i * sizeof(type), sizeof(type));                                      \
      before = not_guessed((int)(hidden & 1U << i)) ? before : here;                                           \
      memcpy((char *)to + i * sizeof(type), &before, sizeof(type));                                            \
    }                                                                                                          \
    return before;                                                                                             \
  }

DEFINE_REPEAT(repeat_32, uint32_t)
DEFINE_REPEAT(repeat_64, uint64_t)
#undef DEFINE_REPEAT

/* Plain C has no stores that pass the caches by; those of NEON are of pairs of registers, which no
 * intrinsic gives. */
GHZ_INLINE void vec_stream(void *to, const void *v) {
  memcpy(to, v, VEC);
}

GHZ_INLINE void stream_fence(void) {}

GHZ_INLINE void store_narrowed(uint8_t *p, lanes_16 v) {
  const bytes_8 b = __builtin_convertvector(v, bytes_8);
  memcpy(p, &b, sizeof b);
}

GHZ_INLINE void store_signed_narrowed(int8_t *p, lanes_16 v) {
  store_narrowed((uint8_t *)p, v & 0xff);
}

GHZ_INLINE lanes_32 lanes_wider(lanes_16 v) {
  return __builtin_convertvector(v, lanes_32);
}

GHZ_INLINE lanes_16 low_bytes_of(const lanes_32 *v) {
  return __builtin_convertvector(*v & 0xff, lanes_16);
}

GHZ_INLINE uint8_t byte_plane(uint64_t bytes, unsigned j) {
  return (uint8_t)((bytes >> j & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56);
}

GHZ_INLINE lanes_32 gathered(const uint32_t *table, const lanes_32 *index) {
  const lanes_32 i = *index;
  return (lanes_32){(int32_t)table[i[0]], (int32_t)table[i[1]], (int32_t)table[i[2]], (int32_t)table[i[3]],
                    (int32_t)table[i[4]], (int32_t)table[i[5]], (int32_t)table[i[6]], (int32_t)table[i[7]]};
}

GHZ_INLINE void read_words(lanes_32 *state, int32_t least, const uint16_t **word) {
  for (int i = 0; i < 8; i++)
    if ((*state)[i] < least)
      (*state)[i] = (int32_t)((uint32_t)(*state)[i] << 16 | *(*word)++);
}

GHZ_INLINE void give_words(lanes_32 *state, const lanes_32 *limit, uint16_t **word) {
  for (int i = 7; i >= 0; i--)
    if ((*state)[i] > (*limit)[i]) {
      *--*word = (uint16_t)(*state)[i];
      (*state)[i] >>= 16;
    }
}

GHZ_INLINE void values_of_planes(const bit_plane *planes, unsigned height, int8_t values[TILE]) {
  for (unsigned b = 0; b < BLOCKS; b++) {
    uint64_t v = 255 * spread_bits[planes[height - 1][b]];
    for (unsigned j = height - 1; j-- > 0;)
      v = (v << 1 & ~EACH_BYTE) | spread_bits[planes[j][b]];
    store_u64((uint8_t *)values + 8 * b, v);
  }
}

GHZ_INLINE void planes_of_values(const int8_t values[TILE], unsigned height, bit_plane *planes) {
  for (unsigned b = 0; b < BLOCKS; b++)
    for (unsigned j = 0; j < height; j++)
      planes[j][b] = byte_plane(load_u64((const uint8_t *)values + 8 * b), j);
}
