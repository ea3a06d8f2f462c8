/* turn_impl.h: turned planes: the residuals x < 8 of eight lines stand as a square of 8 x 8 that is
 * transposed (FORMAT.md, "Residuals"): so the first column of the lines, which has the largest
 * ones, widens four blocks instead of 32. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* The bits of a square are the bytes 0 and 4 of four words of a plane, which have two lines each.
 * Bits change places between the lines of a word, then between a word and the next one, then
 * between two words and the next two: by 1, by 2, and by 4 bits. */
#define LINES_APART 31 /* less one bit */
#define ODD UINT64_C(0xaa)
#define OF_TWO_LINES(byte) (UINT64_C(0x0000000100000001) * (byte))

#if VEC >= 32
/* `others` has the word that each word of w changes bits with; those of ones in `first` get bits
 * from below, the others from above. */
GHZ_INLINE uvec_64 exchange_words(uvec_64 w, uvec_64 others, uvec_64 first, unsigned bits, uint64_t mask) {
  const uvec_64 moved = (first & others << bits) | (~first & others >> bits),
                taken = (first & mask) | (~first & mask >> bits);
  return w ^ ((w ^ moved) & taken);
}

GHZ_INLINE part turn_part(part x) {
  static const ALIGNED uint64_t of_pairs[8] = {~UINT64_C(0), 0, ~UINT64_C(0), 0, ~UINT64_C(0), 0, ~UINT64_C(0)},
                                of_fours[8] = {~UINT64_C(0), ~UINT64_C(0), 0, 0, ~UINT64_C(0), ~UINT64_C(0)};
  uvec_64 w, first, others;
  memcpy(&w, &x, sizeof w);
  const uvec_64 d = (w ^ w >> LINES_APART) & ODD;
  w ^= d ^ d << LINES_APART;
#if VEC == 64
  others = __builtin_shufflevector(w, w, 1, 0, 3, 2, 5, 4, 7, 6);
#else
  others = __builtin_shufflevector(w, w, 1, 0, 3, 2);
#endif
  memcpy(&first, of_pairs, sizeof first);
  w = exchange_words(w, others, first, 2, OF_TWO_LINES(0xcc));
#if VEC == 64
  others = __builtin_shufflevector(w, w, 2, 3, 0, 1, 6, 7, 4, 5);
#else
  others = __builtin_shufflevector(w, w, 2, 3, 0, 1);
#endif
  memcpy(&first, of_fours, sizeof first);
  w = exchange_words(w, others, first, 4, OF_TWO_LINES(0xf0));
  memcpy(&x, &w, sizeof x);
  return x;
}

/* Turns a plane, or turns it back. */
GHZ_INLINE void turn_parts(part x[PARTS]) {
  for (int i = 0; i < PARTS; i++)
    x[i] = turn_part(x[i]);
}

static inline void turn_plane(bit_plane plane) {
  for (int i = 0; i < PARTS; i++)
    part_store(plane + i * PART_BYTES, turn_part(part_load(plane + i * PART_BYTES)));
}
#else
static inline void exchange(uint64_t *a, uint64_t *b, unsigned bits, uint64_t mask) {
  const uint64_t d = (*a ^ *b << bits) & mask;
  *a ^= d;
  *b ^= d >> bits;
}

static inline void turn_plane(bit_plane plane) {
  uint64_t words[PLANE_BYTES / 8];
  memcpy(words, plane, PLANE_BYTES);
  for (uint64_t *w = words; w < words + PLANE_BYTES / 8; w += 4) {
    exchange(&w[0], &w[2], 4, OF_TWO_LINES(0xf0));
    exchange(&w[1], &w[3], 4, OF_TWO_LINES(0xf0));
    exchange(&w[0], &w[1], 2, OF_TWO_LINES(0xcc));
    exchange(&w[2], &w[3], 2, OF_TWO_LINES(0xcc));
    for (int k = 0; k < 4; k++) {
      const uint64_t d = (w[k] ^ w[k] >> LINES_APART) & ODD;
      w[k] ^= d ^ d << LINES_APART;
    }
  }
  memcpy(plane, words, PLANE_BYTES);
}

static inline void turn_parts(part x[PARTS]) {
  ALIGNED bit_plane plane;
  for (int i = 0; i < PARTS; i++)
    part_store(plane + i * PART_BYTES, x[i]);
  turn_plane(plane);
  for (int i = 0; i < PARTS; i++)
    x[i] = part_load(plane + i * PART_BYTES);
}
#endif

#undef LINES_APART
#undef ODD
#undef OF_TWO_LINES

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
