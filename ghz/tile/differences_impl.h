/* differences_impl.h: integers of a brick, 16 bits, to residuals at every order, in registers
 * (FORMAT.md, "Residuals"): what lorenzo_impl.h does in memory for any integers. Part of codec.h.
 *
 * Integers stand position-major. A register has one position of LANES_OF_16 blocks: of cubes
 * half a layer, one or two, of planes two lines and more. A step along x is to the register of
 * the position before; along y it is so many lanes as a line has blocks, along z so many as a
 * layer has. */
/* SPDX-License-Identifier: BSD-3-Clause */

enum { N16 = LANES_OF_16, LINE_3 = 2, LINE_2 = 4 };

/* Lanes with blocks that are not in the first line of a layer, of each register. */
#define NEXT_LINES(z) [16 * (z) + LINE_3... 16 * (z) + 15] = -1
static const ALIGNED int16_t next_lines_3[BLOCKS] = {NEXT_LINES(0), NEXT_LINES(1), NEXT_LINES(2),
                                                     NEXT_LINES(3), NEXT_LINES(4), NEXT_LINES(5),
                                                     NEXT_LINES(6), NEXT_LINES(7)};
static const ALIGNED int16_t next_lines_2[BLOCKS] = {[LINE_2... BLOCKS - 1] = -1};
#undef NEXT_LINES

GHZ_INLINE vec_16 load_16(const int16_t *p) {
  vec_16 v;
  memcpy(&v, p, sizeof v);
  return v;
}

/* v, but 0 in its first lane. The mask is no table: gcc 12 folds what a range of an array's
 * initialiser says to zeros. */
GHZ_INLINE vec_16 without_first(vec_16 v) {
  return v & ((vec_16){1} - 1);
}

GHZ_INLINE vec_16 choose_16(vec_16 mask, vec_16 a, vec_16 b) {
  return (a & mask) | (b & ~mask);
}

/* Lanes that begin a line. */
GHZ_INLINE vec_16 line_starts(int dims) {
  const uvec_64 pairs = (uvec_64){0} + UINT64_C(0x0000ffff0000ffff), fours = (uvec_64){0} + 0xffff;
  return dims == 3 ? (vec_16)pairs : (vec_16)fours;
}

/* The last values of the blocks before, and 0 where a line begins. */
GHZ_INLINE vec_16 lasts_before(int dims, vec_16 last) {
  return dims == 3 ? (vec_16)((uvec_32)last << 16) : (vec_16)((uvec_64)last << 16);
}

/* What is behind the registers of a position: differences along x, and along x and y, of one or two
 * registers before. */
typedef struct lines_behind {
  vec_16 x, xy, earlier;
} lines_behind;

/* The lines before, in each layer. */
GHZ_INLINE vec_16 line_before(int dims, vec_16 behind, vec_16 d, vec_16 next_lines) {
  if (dims == 2)
    return (vec_16)moved_up((part)behind, (part)d, 2 * LINE_2) & next_lines;
  if ((int)N16 == (int)BRICK_LAYER_BLOCKS)
    return (vec_16)moved_up(part_zero(), (part)d, 2 * LINE_3);
  return (vec_16)moved_up((part)behind, (part)d, 2 * LINE_3) & next_lines;
}

/* The layer before. */
GHZ_INLINE vec_16 layer_before(const lines_behind *b, vec_16 e) {
#if VEC == 64
  return __builtin_shufflevector(b->xy, e, RUN_16(16), RUN_16(32));
#else
  (void)e;
  return VEC == 32 ? b->xy : b->earlier;
#endif
}

/* Residuals of a position's integers at orders 1 to 3; `behind` moves on. */
GHZ_INLINE void residuals_of(int dims, int t, vec_16 q, vec_16 before, vec_16 next_lines, lines_behind *behind,
                             vec_16 r[ORDERS_MAX]) {
  const vec_16 d = q - before, e = d - line_before(dims, behind->x, d, next_lines);
  vec_16 f = e, firsts = e;
  if (dims == 3) {
    f = e - layer_before(behind, e);
    firsts = choose_16(next_lines, e, f); /* first lines have a layer before them alone */
  }
  if (dims == 2 || (int)N16 != (int)BRICK_LAYER_BLOCKS)
    behind->x = d;
  if (VEC == 16)
    behind->earlier = behind->xy;
  behind->xy = e;
  r[0] = q;
  r[1] = t == 0 ? choose_16(line_starts(dims), firsts, d) : d;
  r[2] = firsts;
  r[3] = f;
}

/* Clears lanes outside. */
GHZ_INLINE vec_16 inside_16(const uint8_t *outside, vec_16 r) {
  typedef int8_t lane_bytes __attribute__((vector_size(N16)));
  lane_bytes bytes;
  memcpy(&bytes, outside, sizeof bytes);
  return r & (__builtin_convertvector(bytes, vec_16) - 1);
}

/* Clears integers outside, where a brick is cut. */
static void clear_outside_16(int16_t *r, const uint8_t *outside) {
  for (int i = 0; outside && i < TILE; i += N16) {
    const vec_16 v = inside_16(outside + i, load_16(r + i));
    vec_store(r + i, v);
  }
}

/* The largest and the least of the residuals of each block. */
typedef struct extremes_16 {
  vec_16 low, high;
} extremes_16;

/* Bits that the widest one needs. Doubles wrap, by design. */
GHZ_INLINE vec_16 fold_extremes(extremes_16 e) {
  const uvec_16 low = (uvec_16)e.low, high = (uvec_16)e.high;
  return (vec_16)((low ^ (low + low)) | (high ^ (high + high)));
}

/* The bits of eight numbers, joined. */
static inline uint16_t join_eight(const int16_t v[8]) {
  uint64_t w[2];
  memcpy(w, v, sizeof w);
  w[0] |= w[1];
  w[0] |= w[0] >> 32;
  return (uint16_t)(w[0] | w[0] >> 16);
}

/* Calls residuals_of for all integers, and notes the folded extremes of each block and order in
 * m; or, where `to` is given, stores the residuals of one order there. `outside` is NULL for
 * full bricks, or marks columns outside by position. dims and order are constants. */
GHZ_INLINE void differences_16(int dims, const int16_t *q, const uint8_t *outside, int order,
                               uint16_t m[ORDERS_MAX][BLOCKS], int16_t *to) {
  const int orders = to ? order + 1 : orders_of((unsigned)dims), from = to ? order : 0;
  lines_behind behind[BLOCK];
  GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) behind[t] = (lines_behind){{0}, {0}, {0}};
  for (int b = 0; b < BLOCKS; b += N16) {
    extremes_16 e[ORDERS_MAX];
    vec_16 before = lasts_before(dims, load_16(q + 7 * BLOCKS + b));
    const vec_16 next_lines = load_16((dims == 3 ? next_lines_3 : next_lines_2) + b);
    GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) {
      vec_16 r[ORDERS_MAX];
      const vec_16 v = load_16(q + t * BLOCKS + b);
      residuals_of(dims, t, v, before, next_lines, &behind[t], r);
      before = v;
      for (int o = from; o < orders; o++) {
        if (outside)
          r[o] = inside_16(outside + t * BLOCKS + b, r[o]);
        if (t == 0 && b == 0 && o > 0)
          r[o] = without_first(r[o]); /* the anchor stands for it */
        if (to)
          vec_store(to + t * BLOCKS + b, r[o]);
        else
          e[o] = t == 0 ? (extremes_16){r[o], r[o]}
                        : (extremes_16){min_16(e[o].low, r[o]), max_16(e[o].high, r[o])};
      }
    }
    for (int o = 0; m && o < orders; o++) {
      const vec_16 folded = fold_extremes(e[o]);
      vec_store(m[o] + b, folded);
    }
  }
}

/* Of integers of a whole plane, whose folded extremes at orders 1 and 2 are known: those of both
 * turned, in m[3] and m[4]. Only the blocks that begin lines differ: block t of a square has the
 * columns x = t of its eight lines. */
static void extremes_of_turned(const int16_t *q, uint16_t m[PREDICTORS_MAX][BLOCKS]) {
  enum { LINES = 32 };
  ALIGNED int16_t first[BLOCK][LINES], d[BLOCK][LINES], e[BLOCK][LINES];
  for (int t = 0; t < BLOCK; t++)
    for (int y = 0; y < LINES; y++)
      first[t][y] = q[t * BLOCKS + LINE_2 * y];
  d[0][0] = 0;
  for (int y = 1; y < LINES; y++)
    d[0][y] = (int16_t)(first[0][y] - first[0][y - 1]);
  for (int t = 1; t < BLOCK; t++)
    for (int y = 0; y < LINES; y++)
      d[t][y] = (int16_t)(first[t][y] - first[t - 1][y]);
  memcpy(e[0], d[0], sizeof e[0]);
  for (int t = 1; t < BLOCK; t++) {
    e[t][0] = d[t][0];
    for (int y = 1; y < LINES; y++)
      e[t][y] = (int16_t)(d[t][y] - d[t][y - 1]);
  }
  memcpy(m[3], m[1], sizeof m[3]);
  memcpy(m[4], m[2], sizeof m[4]);
  for (int t = 0; t < BLOCK; t++)
    for (int y = 0; y < LINES; y++) {
      d[t][y] = (int16_t)fold_16(d[t][y]);
      e[t][y] = (int16_t)fold_16(e[t][y]);
    }
  for (int y = 0; y < LINES; y += BLOCK)
    for (int t = 0; t < BLOCK; t++) {
      m[3][LINE_2 * (y + t)] = join_eight(d[t] + y);
      m[4][LINE_2 * (y + t)] = join_eight(e[t] + y);
    }
}

#define DEFINE_DIFFERENCES(dims)                                                                               \
  static void extremes_of_orders_##dims(const int16_t *q, const uint8_t *outside,                              \
                                        uint16_t m[ORDERS_MAX][BLOCKS]) {                                      \
    differences_16(dims, q, outside, 0, m, NULL);                                                              \
  }                                                                                                            \
  static void residuals_at_##dims(const int16_t *q, const uint8_t *outside, int order, int16_t *r) {           \
    if (order == 0)                                                                                            \
      differences_16(dims, q, outside, 0, NULL, r);                                                            \
    else if (order == 1)                                                                                       \
      differences_16(dims, q, outside, 1, NULL, r);                                                            \
    else if (order == 2)                                                                                       \
      differences_16(dims, q, outside, 2, NULL, r);                                                            \
    else                                                                                                       \
      differences_16(dims, q, outside, (dims), NULL, r);                                                       \
  }
DEFINE_DIFFERENCES(2)
DEFINE_DIFFERENCES(3)
#undef DEFINE_DIFFERENCES
