/* turn_impl.h: turned planes: the residuals x < 8 of eight lines stand as a square of 8 x 8 that is
 * transposed (FORMAT.md, "Residuals"): so the first column of the lines, which has the largest
 * ones, widens four blocks instead of 32. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* The bits of a square are the bytes 0 and 4 of four words of a plane, which have two lines each.
 * Bits change places between the lines of a word, then between a word and the next one, then
 * between two words and the next two: by 1, by 2, and by 4 bits. */
#if VEC == 64
typedef uvec_64 square_words;
#define OWN 0, 1, 2, 3, 4, 5, 6, 7
#define OF_PAIR 1, 0, 3, 2, 5, 4, 7, 6
#define OF_FOUR 2, 3, 0, 1, 6, 7, 4, 5
#else
typedef uint64_t square_words __attribute__((vector_size(32)));
#define OWN 0, 1, 2, 3
#define OF_PAIR 1, 0, 3, 2
#define OF_FOUR 2, 3, 0, 1
#endif

/* `from` has the number of the word that each word of w changes bits with, and `others` that word:
 * the first of both gets bits from below, the second from above. */
GHZ_INLINE square_words exchange_words(square_words w, square_words others, square_words from, unsigned bits,
                                       uint64_t mask) {
  const square_words first = (square_words)(from > (square_words){OWN}),
                     moved = (first & others << bits) | (~first & others >> bits),
                     taken = (first & mask) | (~first & mask >> bits);
  return w ^ ((w ^ moved) & taken);
}

/* Turns a plane, or turns it back. */
GHZ_INLINE void turn_parts(part x[PARTS]) {
  const uint64_t two_lines = UINT64_C(0x0000000100000001);
  const unsigned lines_apart = 31; /* less one bit */
  for (size_t i = 0; i < PARTS; i += sizeof(square_words) / PART_BYTES) {
    square_words w;
    memcpy(&w, x + i, sizeof w);
    const square_words d = (w ^ w >> lines_apart) & UINT64_C(0xaa);
    w ^= d ^ d << lines_apart;
    w = exchange_words(w, __builtin_shufflevector(w, w, OF_PAIR), (square_words){OF_PAIR}, 2, two_lines * 0xcc);
    w = exchange_words(w, __builtin_shufflevector(w, w, OF_FOUR), (square_words){OF_FOUR}, 4, two_lines * 0xf0);
    memcpy(x + i, &w, sizeof w);
  }
}
#undef OWN
#undef OF_PAIR
#undef OF_FOUR

static inline void turn_plane(bit_plane plane) {
  part x[PARTS];
  load_plane(plane, x);
  turn_parts(x);
  store_plane(plane, x);
}

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
