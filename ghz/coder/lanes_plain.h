/* lanes_plain.h: what lanes.h asks of a port, in plain C. */
/* SPDX-License-Identifier: BSD-3-Clause */

GHZ_INLINE lanes_16 eight_of(const uint8_t *p) {
  bytes_8 b;
  memcpy(&b, p, sizeof b);
  return __builtin_convertvector(b, lanes_16);
}

GHZ_INLINE void store_narrowed(uint8_t *p, lanes_16 v) {
  const bytes_8 b = __builtin_convertvector(v, bytes_8);
  memcpy(p, &b, sizeof b);
}

GHZ_INLINE lanes_32 lanes_wider(lanes_16 v) {
  return __builtin_convertvector(v, lanes_32);
}

GHZ_INLINE lanes_16 low_bytes_of(lanes_32 v) {
  return __builtin_convertvector(v & 0xff, lanes_16);
}

GHZ_INLINE uint8_t byte_plane(uint64_t bytes, unsigned j) {
  return (uint8_t)((bytes >> j & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56);
}

GHZ_INLINE lanes_32 gathered(const uint32_t *table, const lanes_32 *index) {
  const lanes_32 i = *index;
  return (lanes_32){(int32_t)table[i[0]], (int32_t)table[i[1]], (int32_t)table[i[2]], (int32_t)table[i[3]],
                    (int32_t)table[i[4]], (int32_t)table[i[5]], (int32_t)table[i[6]], (int32_t)table[i[7]]};
}

GHZ_INLINE void take_words(lanes_32 *state, const uint16_t **word) {
  for (int i = 0; i < LANES; i++)
    if ((*state)[i] < STATE_LEAST)
      (*state)[i] = (int32_t)((uint32_t)(*state)[i] << 16 | *(*word)++);
}

GHZ_INLINE void give_words(lanes_32 *state, const lanes_32 *limit, uint16_t **word) {
  for (int i = LANES - 1; i >= 0; i--)
    if ((*state)[i] > (*limit)[i]) {
      *--*word = (uint16_t)(*state)[i];
      (*state)[i] >>= 16;
    }
}
