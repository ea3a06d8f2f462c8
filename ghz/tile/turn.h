/* turn.h: turned planes: the residuals x < 8 of eight lines stand as a square of 8 x 8 that is
 * transposed (FORMAT.md, "Residuals"): so the first column of the lines, which has the largest ones,
 * widens four blocks instead of 32. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Exchanges bits of a and of b that are so many further up. */
#define EXCHANGE(a, b, bits, mask)                                                                             \
  do {                                                                                                         \
    const uint64_t d = ((a) ^ (b) << (bits)) & (mask);                                                         \
    (a) ^= d;                                                                                                  \
    (b) ^= d >> (bits);                                                                                        \
  } while (0)

/* Turns a bit plane, or turns it back: a word has two lines, whose first blocks are its bytes 0
 * and 4. */
static inline void turn_plane(bit_plane plane) {
  static const uint64_t odd = 0xaa, fours = UINT64_C(0xf0000000f0), pairs = UINT64_C(0xcc000000cc);
  uint64_t w[PLANE_BYTES / 8];
  memcpy(w, plane, PLANE_BYTES);
  for (int i = 0; i < PLANE_BYTES / 8; i += 4) {
    uint64_t *a = w + i;
    EXCHANGE(a[0], a[2], 4, fours);
    EXCHANGE(a[1], a[3], 4, fours);
    EXCHANGE(a[0], a[1], 2, pairs);
    EXCHANGE(a[2], a[3], 2, pairs);
    for (int k = 0; k < 4; k++) {
      const uint64_t d = (a[k] ^ a[k] >> 31) & odd;
      a[k] ^= d ^ d << 31;
    }
  }
  memcpy(plane, w, PLANE_BYTES);
}

#undef EXCHANGE

static void turn_planes(bit_plane *planes, unsigned count) {
  for (unsigned p = 0; p < count; p++)
    turn_plane(planes[p]);
}

/* Turns integers that stand position-major. */
#define DEFINE_TURN(name, INT)                                                                                 \
  static void name(void *residuals) {                                                                          \
    INT *r = residuals;                                                                                        \
    for (int line = 0; line < 32; line += 8)                                                                   \
      for (int y = 0; y < 8; y++)                                                                              \
        for (int x = 0; x < y; x++) {                                                                          \
          INT *a = r + x * BLOCKS + 4 * (line + y), *b = r + y * BLOCKS + 4 * (line + x);                      \
          const INT v = *a;                                                                                    \
          *a = *b;                                                                                             \
          *b = v;                                                                                              \
        }                                                                                                      \
  }

DEFINE_TURN(turn_16, int16_t)
DEFINE_TURN(turn_32, int32_t)
DEFINE_TURN(turn_64, int64_t)
#undef DEFINE_TURN
