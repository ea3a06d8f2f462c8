/* symbols.h: the symbols of a layer of a tile, their order and their contexts (FILE_FORMAT.md,
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

/* ---- Contexts -------------------------------------------------------------------------------- */

/* A layer of a tile, and what the tiles before it along x, y and z have: of their blocks in the
 * same order the widths, and of coefficients the magnitudes. Zeros where there is no such tile. */
typedef struct coded_layer {
  int by, layer;
  const uint8_t *width[3], *sizes[3];
} coded_layer;

static const uint8_t no_sizes[TILE];

/* 0, and 1 more for each limit below v. */
GHZ_INLINE lanes_16 classes(lanes_16 v, const int16_t *limit, int limits) {
  lanes_16 c = {0};
  for (int i = 0; i < limits; i++)
    c -= v > limit[i];
  return c;
}

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

GHZ_INLINE lanes_16 width_contexts(const coded_layer *l, int t, lanes_16 last, lanes_16 before) {
  static const int16_t near_limits[NEAR_CLASSES - 1] = {0, 2, 4, 7, 11, 16, 24};
  static const int16_t around_limits[AROUND_CLASSES - 1] = {0, 2, 6, 12};
  const lanes_16 around =
      eight_of(l->width[0] + 8 * t) + eight_of(l->width[1] + 8 * t) + eight_of(l->width[2] + 8 * t);
  return (int16_t)(l->layer * NEAR_CLASSES * AROUND_CLASSES) +
         AROUND_CLASSES * classes(near_widths(l->by, t, last, before), near_limits, NEAR_CLASSES - 1) +
         classes(around, around_limits, AROUND_CLASSES - 1);
}

/* Magnitudes near those of block k, whose own are to stand at m. */
GHZ_INLINE lanes_16 near_sizes(const coded_layer *l, unsigned k, const uint8_t *m) {
  const lanes_16 last = eight_of(m - 64);
  if (l->by == BY_FREQUENCY)
    return 2 * last + eight_of(l->sizes[0] + 8 * k) + eight_of(l->sizes[1] + 8 * k) +
           eight_of(l->sizes[2] + 8 * k);
  if (l->by == 3)
    return last + eight_of(k & 8 ? m - 48 : m - 80) + 2 * eight_of(m - 128);
  return 2 * last + eight_of(m - 128) + eight_of(m - 63) + eight_of(m - 65);
}

GHZ_INLINE lanes_16 value_contexts(const coded_layer *l, unsigned k, unsigned width, const uint8_t *m) {
#define SIZE_LIMITS(w)                                                                                         \
  { (1 << (w)) / 16, (4 << (w)) / 16, (10 << (w)) / 16, (22 << (w)) / 16 }
  static const int16_t limits[9][SIZE_CLASSES - 1] = {SIZE_LIMITS(0), SIZE_LIMITS(1), SIZE_LIMITS(2),
                                                      SIZE_LIMITS(3), SIZE_LIMITS(4), SIZE_LIMITS(5),
                                                      SIZE_LIMITS(6), SIZE_LIMITS(7), SIZE_LIMITS(8)};
  const int of_width = (int)(width < WIDTH_CLASSES ? width : WIDTH_CLASSES) - 1;
  return (int16_t)(WIDTH_CONTEXTS + (l->layer * WIDTH_CLASSES + of_width) * SIZE_CLASSES) +
         classes(near_sizes(l, k, m), limits[width < 8 ? width : 8], SIZE_CLASSES - 1);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Planes of a width that are bytes, below those that are the symbol. */
GHZ_INLINE unsigned low_planes(unsigned width) {
  return width > TOP_PLANES ? width - TOP_PLANES : 0;
}

/* What symbols are above the least value. */
GHZ_INLINE unsigned half_of(unsigned width) {
  return 1U << (width - low_planes(width) - 1);
}

/* Notes the magnitudes of a block's values, of which the low planes do not count. */
GHZ_INLINE void store_sizes(lanes_16 symbols, unsigned width, uint8_t *m) {
  const unsigned low = low_planes(width);
  const lanes_16 value = symbols - (int16_t)half_of(width), sign = value >> 15,
                 size = ((value ^ sign) - sign) << (low < 4 ? low : 4);
  store_narrowed(m, size + (size == 256)); /* 256 becomes 255 */
}

#define EVERY_BYTE UINT64_C(0x0101010101010101)

/* Bit i of a byte to bit 0 of byte i, and back. */
GHZ_INLINE uint64_t spread_bits(uint8_t bits) {
  return ((bits * EVERY_BYTE & UINT64_C(0x8040201008040201)) + 127 * EVERY_BYTE) >> 7 & EVERY_BYTE;
}

GHZ_INLINE uint8_t gathered_bits(uint64_t bytes) {
  return (uint8_t)((bytes & EVERY_BYTE) * UINT64_C(0x0102040810204080) >> 56);
}

/* The symbols of block b, whose top planes are those. */
GHZ_INLINE uint64_t symbols_of(const bit_plane top[TOP_PLANES], unsigned b, unsigned width) {
  const unsigned planes = width - low_planes(width);
  uint64_t symbols = half_of(width) * EVERY_BYTE;
  for (unsigned j = 0; j < planes; j++)
    symbols ^= spread_bits(top[j][b]) << j;
  return symbols;
}

GHZ_INLINE void put_symbols(uint64_t symbols, unsigned width, bit_plane top[TOP_PLANES], unsigned b) {
  symbols ^= half_of(width) * EVERY_BYTE;
  for (unsigned j = 0; j < TOP_PLANES; j++)
    top[j][b] = gathered_bits(symbols >> j);
}

/* ---- Planes ---------------------------------------------------------------------------------- */

/* Where the widths are above p: each top plane becomes the one above it, the topmost one x. */
static void move_tops(const uint8_t width[BLOCKS], unsigned p, bit_plane top[TOP_PLANES], const bit_plane x) {
  for (unsigned j = 0; j < TOP_PLANES; j++)
    for (int b = 0; b < BLOCKS; b++)
      top[j][b] = width[b] > p ? (j + 1 < TOP_PLANES ? top[j + 1][b] : x[b]) : top[j][b];
}

/* The planes of a layer to top planes and bytes. Returns the end of the bytes. */
static uint8_t *split_layer(const layer_header *h, bit_plane top[TOP_PLANES], uint8_t *low) {
  squeezed_planes s;
  part x[PARTS];
  bit_plane plane;
  open_planes(&s, h);
  zero_plane(x);
  for (unsigned p = 0; p < h->height; p++) {
    expand_plane(&s, p, x);
    store_plane(p < TOP_PLANES ? top[p] : plane, x);
    if (p < TOP_PLANES)
      continue;
    for (int i = 0; i < PARTS; i++)
      part_squeeze(part_load(top[0] + i * PART_BYTES), &low, s.width[i], (int)p);
    move_tops(h->width, p, top, plane);
  }
  return low;
}

/* And back, squeezed to dst. Returns its end; *low moves past the bytes. */
static uint8_t *join_layer(const uint8_t width[BLOCKS], unsigned height, bit_plane top[TOP_PLANES],
                           const uint8_t **low, uint8_t *dst) {
  uint8_t fits[BLOCKS];
  part w[PARTS];
  load_plane(width, w);
  for (unsigned p = 0; p < height; p++) {
    const int lower = p + TOP_PLANES < height; /* some blocks have low planes yet */
    for (int i = 0; i < PARTS; i++) {
      part x = part_load(top[lower ? 0 : p + TOP_PLANES - (height > TOP_PLANES ? height : TOP_PLANES)] +
                         i * PART_BYTES);
      if (lower)
        x = part_expand(x, low, w[i], (int)p + TOP_PLANES);
      part_squeeze(x, &dst, w[i], (int)p);
    }
    for (int b = 0; lower && b < BLOCKS; b++)
      fits[b] = width[b] <= p + TOP_PLANES;
    if (lower)
      move_tops(fits, 0, top, top[TOP_PLANES - 1]);
  }
  return dst;
}
