/* symbols_impl.h: the symbols of a layer of a tile, their order and their contexts (FILE_FORMAT.md,
 * "Symbols"). Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* ---- The order of coding --------------------------------------------------------------------- */

/* The block that is number k = 8 t + lane, of coefficients, and of residuals of flat tiles, planes
 * and cubes. The lanes of a step are far from each other in the tile, so that what tells most of a
 * block was coded a step before. */
#define FREQUENCY_AT(k) (32 * ((k) % 8 / 2) + 2 * ((k) / 8) + (k) % 2)
#define FLAT_AT(k) (16 * ((k) % 8) + (k) / 8)
#define PLANE_AT(k) (64 * ((k) % 8 / 4) + 4 * ((k) / 8) + (k) % 4)
#define CUBE_AT(k) (16 * ((k) / 16) + 4 * ((k) % 8 / 2) + 2 * ((k) / 8 % 2) + (k) % 2)
#define STEP_AT(f, k) f(k), f((k) + 1), f((k) + 2), f((k) + 3), f((k) + 4), f((k) + 5), f((k) + 6), f((k) + 7)
#define STEPS_AT(f, k) STEP_AT(f, k), STEP_AT(f, (k) + 8), STEP_AT(f, (k) + 16), STEP_AT(f, (k) + 24)
#define ORDER_BY(f)                                                                                            \
  { STEPS_AT(f, 0), STEPS_AT(f, 32), STEPS_AT(f, 64), STEPS_AT(f, 96) }

enum { BY_FREQUENCY = 0 }; /* otherwise the dims of the array */

static const uint8_t coding_order[4][BLOCKS] = {ORDER_BY(FREQUENCY_AT), ORDER_BY(FLAT_AT), ORDER_BY(PLANE_AT),
                                                ORDER_BY(CUBE_AT)};

/* Turns tables of so many rows and columns, one behind the other, or back. */
#define TURN_TABLES(type, tables, rows, columns)                                                               \
  do {                                                                                                         \
    type a[BLOCKS / sizeof(type)], turned[BLOCKS / sizeof(type)];                                              \
    memcpy(a, from, sizeof a);                                                                                 \
    for (int t = 0; t < (tables) * (rows) * (columns); t += (rows) * (columns))                                \
      for (int c = 0; c < (columns); c++)                                                                      \
        for (int r = 0; r < (rows); r++)                                                                       \
          turned[t + (forth ? c * (rows) + r : r * (columns) + c)] =                                           \
              a[t + (forth ? r * (columns) + c : c * (rows) + r)];                                             \
    memcpy(to, turned, sizeof turned);                                                                         \
  } while (0)

/* Widths to the order of coding, or back: blocks that stay together are turned as one. */
GHZ_INLINE void order_widths(int by, const uint8_t from[BLOCKS], uint8_t to[BLOCKS], int forth) {
  if (by == BY_FREQUENCY)
    TURN_TABLES(uint16_t, 1, 4, 16);
  else if (by == 1)
    TURN_TABLES(uint8_t, 1, 8, 16);
  else if (by == 2)
    TURN_TABLES(uint32_t, 1, 2, 16);
  else
    TURN_TABLES(uint16_t, 8, 4, 2);
}

/* Calls f(by, ...) with a constant. */
#define WITH_ORDER(by, f, ...)                                                                                 \
  ((by) == 0   ? f(0, __VA_ARGS__)                                                                             \
   : (by) == 1 ? f(1, __VA_ARGS__)                                                                             \
   : (by) == 2 ? f(2, __VA_ARGS__)                                                                             \
               : f(3, __VA_ARGS__))

/* The blocks in the order of coding that are not 0, and how many they are. */
static inline unsigned live_blocks(const uint8_t width[BLOCKS], uint8_t live[BLOCKS]) {
  unsigned n = 0;
  for (unsigned k = 0; k < BLOCKS; k += 64) {
    uint64_t any = 0;
    for (unsigned i = 0; i < 8; i++)
      any |= (uint64_t)byte_plane(load_u64(width + k + 8 * i) + 127 * EACH_BYTE, 7) << 8 * i;
    for (; any; any &= any - 1)
      live[n++] = (uint8_t)(k + (unsigned)__builtin_ctzll(any));
  }
  return n;
}

/* ---- Contexts -------------------------------------------------------------------------------- */

/* A layer of a tile, and what the tiles before it along x, y and z have: of their blocks in the
 * same order the widths, and of coefficients the magnitudes. Zeros where there is no such tile. */
typedef struct coded_layer {
  int by, layer, first_value; /* the last: its first context of values */
  const uint8_t *width[3], *sizes[3];
} coded_layer;

static const uint8_t no_sizes[TILE];

#define LANES_OF(v, ...) __builtin_shufflevector(v, (lanes_16){0}, __VA_ARGS__)

/* Widths near those of step t: `last` were coded a step before, `before` two. */
GHZ_INLINE lanes_16 near_widths(int by, int t, lanes_16 last, lanes_16 before) {
  if (by == BY_FREQUENCY)
    return 2 * last + before + LANES_OF(last, 8, 8, 0, 1, 2, 3, 4, 5);
  if (by == 1)
    return 3 * last + before;
  if (by == 2)
    return 2 * last + before + LANES_OF(last, 1, 2, 3, 2, 5, 6, 7, 6);
  return last + 2 * before +
         (t % 2 ? LANES_OF(last, 2, 3, 4, 5, 6, 7, 6, 7) : LANES_OF(last, 0, 1, 0, 1, 2, 3, 4, 5));
}

/* The classes of such sums: 0, and 1 more for each limit below. Added up in pairs, as decoding
 * waits for them. */
GHZ_INLINE lanes_16 near_classes(lanes_16 v) {
  return -((((v > 0) + (v > 2)) + ((v > 4) + (v > 7))) + (((v > 11) + (v > 16)) + (v > 24)));
}

typedef int8_t vec_8 __attribute__((vector_size(VEC), aligned(1), may_alias));

/* The first context of each block's, by the widths of the same block in the tiles before. */
static void width_contexts(const coded_layer *l, uint8_t context[BLOCKS]) {
  for (int b = 0; b < BLOCKS; b += VEC) {
    const vec_8 v = *(const vec_8 *)(l->width[0] + b) + *(const vec_8 *)(l->width[1] + b) +
                    *(const vec_8 *)(l->width[2] + b),
                above = -(((v > 0) + (v > 2)) + ((v > 6) + (v > 12)));
    *(vec_8 *)(context + b) = (int8_t)(l->layer * (NEAR_CLASSES * AROUND_CLASSES)) + above * NEAR_CLASSES;
  }
}

/* Magnitudes near those of block k, whose own are to stand at m. */
GHZ_INLINE lanes_16 near_sizes(int by, const coded_layer *l, unsigned k, const uint8_t *m) {
  const lanes_16 last = eight_of(m - 64);
  if (by == BY_FREQUENCY)
    return 2 * last + eight_of(l->sizes[0] + 8 * k) + eight_of(l->sizes[1] + 8 * k) +
           eight_of(l->sizes[2] + 8 * k);
  if (by == 3)
    return last + eight_of(k & 8 ? m - 48 : m - 80) + 2 * eight_of(m - 128);
  return 2 * last + eight_of(m - 128) + eight_of(m - 63) + eight_of(m - 65);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* What a block of a width has: by how much symbols are above values; by how much magnitudes count
 * more for the planes below, up to 4; the class of its width; and the limits of classes of
 * magnitudes, so many sixteenths of 2^width, up to 2^8. */
typedef struct width_rule {
  uint8_t half, shift, group;
  int16_t limit[SIZE_CLASSES - 1];
} width_rule;

#define LOW_OF(w) ((uint8_t)((w) > TOP_PLANES ? (w)-TOP_PLANES : 0))
#define AT_MOST(v, most) ((v) < (most) ? (v) : (most))
#define LIMIT(w, sixteenths) (((sixteenths) << AT_MOST(w, 8)) / 16)
#define RULE(w)                                                                                                \
  {                                                                                                            \
    (1 << AT_MOST(w, TOP_PLANES)) / 2, AT_MOST(LOW_OF(w), 4),                                                  \
        (AT_MOST((w) + ((w) == 0), WIDTH_CLASSES) - 1) * SIZE_CLASSES, {                                       \
      LIMIT(w, 1), LIMIT(w, 4), LIMIT(w, 10), LIMIT(w, 22)                                                     \
    }                                                                                                          \
  }
#define FOUR_RULES(w) RULE(w), RULE((w) + 1), RULE((w) + 2), RULE((w) + 3)

static const width_rule width_rules[SYMBOLS] = {FOUR_RULES(0),  FOUR_RULES(4),  FOUR_RULES(8),  FOUR_RULES(12),
                                                FOUR_RULES(16), FOUR_RULES(20), FOUR_RULES(24), FOUR_RULES(28)};

/* The contexts of a block's values. */
GHZ_INLINE lanes_16 value_contexts(int by, const coded_layer *l, unsigned k, const width_rule *r,
                                   const uint8_t *m) {
  const lanes_16 n = near_sizes(by, l, k, m);
  return (int16_t)(l->first_value + r->group) -
         (((n > r->limit[0]) + (n > r->limit[1])) + ((n > r->limit[2]) + (n > r->limit[3])));
}

/* Notes the magnitudes of a block's values, of which the low planes do not count. */
GHZ_INLINE void store_sizes(lanes_16 values, const width_rule *r, uint8_t *m) {
  const lanes_16 sign = values >> 15, size = ((values ^ sign) - sign) << r->shift;
  store_narrowed(m, size + (size == 256)); /* 256 becomes 255 */
}

/* The values of block b by its topmost planes, of which there are TOP_PLANES. */
GHZ_INLINE void parse_top(const bit_plane *planes, unsigned b, unsigned low, int8_t value[LANES]) {
  uint64_t v = 255 * spread_bits[planes[low + TOP_PLANES - 1][b]];
  for (unsigned j = TOP_PLANES - 1; j-- > 0;)
    v = (v << 1 & ~EACH_BYTE) | spread_bits[planes[low + j][b]];
  memcpy(value, &v, sizeof v);
}

GHZ_INLINE void put_top(const int8_t value[LANES], unsigned low, bit_plane *planes, unsigned b) {
  for (unsigned j = 0; j < TOP_PLANES; j++)
    planes[low + j][b] = byte_plane(load_u64((const uint8_t *)value), j);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

enum { FEW = 4 }; /* planes that are copied without asking */

/* The lowest planes of a block, one byte each, to bytes that follow each other: so what repeats in
 * an array repeats in them. Writes FEW bytes at least. Returns their end. */
GHZ_INLINE uint8_t *put_low(const bit_plane *planes, unsigned b, unsigned low, uint8_t *to) {
  for (unsigned p = 0; p < FEW; p++)
    to[p] = planes[p][b];
  for (unsigned p = FEW; p < low; p++)
    to[p] = planes[p][b];
  return to + low;
}

/* And back; the first FEW planes are set in any case. */
GHZ_INLINE const uint8_t *parse_low(const uint8_t *from, unsigned low, bit_plane *planes, unsigned b) {
  for (unsigned p = 0; p < FEW; p++)
    planes[p][b] = from[p];
  for (unsigned p = FEW; p < low; p++)
    planes[p][b] = from[p];
  return from + low;
}
