/* encode.h: values to tiles: integers of the lattice, the three orders measured, the smallest
 * written. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* q[i] = round(x[i] * inverse), in the arithmetic of ARITH. */
#define DEFINE_QUANTISE(name, REAL, ARITH, ROUND, INT)                                                         \
  static void name(const REAL *x, ARITH inverse, INT *q) {                                                     \
    for (int i = 0; i < TILE; i++)                                                                             \
      q[i] = (INT)ROUND((ARITH)x[i] * inverse);                                                                \
  }

DEFINE_QUANTISE(quantise_f32_16, float, float, round_f32, int16_t)
DEFINE_QUANTISE(quantise_f32_32, float, float, round_f32, int32_t)
DEFINE_QUANTISE(quantise_f32_via_f64_32, float, double, round_f64, int32_t)
DEFINE_QUANTISE(quantise_f32_via_f64_64, float, double, round_f64, int64_t)
DEFINE_QUANTISE(quantise_f64_16, double, double, round_f64, int16_t)
DEFINE_QUANTISE(quantise_f64_32, double, double, round_f64, int32_t)
DEFINE_QUANTISE(quantise_f64_64, double, double, round_f64, int64_t)
#undef DEFINE_QUANTISE

/* Integers of a tile, position-major, in the narrowest size that holds the differences of
 * the highest order. */
typedef struct integers {
  int dims;
  int bits; /* 16, 32 or 64 */
  int mode;
  unsigned n;
  int special;
  int zero;         /* every integer is surely 0; they are not filled in */
  int coefficients; /* a brick may have them */
  specials specials;
  ALIGNED union {
    int16_t q16[TILE];
    int32_t q32[TILE];
    int64_t q64[TILE];
  };
} integers;

static inline int64_t integer_at(const integers *v, unsigned i) {
  unsigned at = i % BLOCK * BLOCKS + i / BLOCK;
  return v->bits == 16 ? v->q16[at] : v->bits == 32 ? v->q32[at] : v->q64[at];
}

#define FOR_BITS(v, CALL16, CALL32, CALL64)                                                                    \
  do {                                                                                                         \
    if ((v)->bits == 16) {                                                                                     \
      CALL16;                                                                                                  \
    } else if ((v)->bits == 32) {                                                                              \
      CALL32;                                                                                                  \
    } else {                                                                                                   \
      CALL64;                                                                                                  \
    }                                                                                                          \
  } while (0)

static int all_on_grid(const ghz_lattice *l, const void *x) {
  for (int i = 0; i < TILE; i++)
    if (!on_grid(l, l->type == GHZ_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i]))
      return 0;
  return 1;
}

/* Quantises a full tile whose largest magnitude is m, which proves how: the mode and the arithmetic
 * that keep the bound (FORMAT.md, "Lattice"), and integers so wide that differences fit: those of
 * order o are 2^o times as large at most. Padding may be any finite values. Returns 0 if the tile
 * lies outside the lattice. */
static int quantise_tile(const ghz_lattice *l, const void *x, double m, integers *v) {
  ALIGNED int64_t linear[TILE];
  v->mode = mode_for(l, m);
  if (v->mode == RAW || (coarser_than_bound(l) && !all_on_grid(l, x)))
    return 0;
  v->coefficients = may_have_coefficients(l, m);
  double inverse = quantising_factor(l->type, l->step, v->mode);
  v->bits = v->mode == WIDE ? 64 : m <= (v->dims == 3 ? 4095 : 8190) * l->step ? 16 : 32;
  if (l->type == GHZ_F32) {
    int in_float = quantises_in_float(l, m);
    FOR_BITS(v, quantise_f32_16(x, (float)inverse, (int16_t *)linear),
             if (in_float) quantise_f32_32(x, (float)inverse, (int32_t *)linear);
             else quantise_f32_via_f64_32(x, inverse, (int32_t *)linear),
             quantise_f32_via_f64_64(x, inverse, linear));
  } else {
    FOR_BITS(v, quantise_f64_16(x, inverse, (int16_t *)linear), quantise_f64_32(x, inverse, (int32_t *)linear),
             quantise_f64_64(x, inverse, linear));
  }
  FOR_BITS(v, split_16(linear, v->q16), split_32(linear, v->q32), split_64(linear, v->q64));
  return 1;
}

/* A full tile of a short one: zeros after the end. */
static const void *padded(const void *x, unsigned n, size_t value_size, void *buffer) {
  if (n == TILE)
    return x;
  memset(buffer, 0, TILE * value_size);
  memcpy(buffer, x, n * value_size);
  return buffer;
}

/* The fill becomes NaN, in a copy. */
static void hide_fill(const ghz_lattice *l, const void **x, unsigned n, const uint8_t *inside, void *copy) {
  const fill_test fill = fill_test_of(l);
  if (l->type == GHZ_F32)
    hide_fill_f32(x, n, inside, fill, copy);
  else
    hide_fill_f64(x, n, inside, fill, copy);
}

/* Integers of a full tile of values, of which n or those in the plane `inside` count. NaN,
 * infinities and the fill are taken out first; *x is then the copy without them. Returns 0 if the
 * tile lies outside the lattice. */
static int integers_of(const ghz_lattice *l, const void **x, unsigned n, const uint8_t *inside, void *copy,
                       integers *v) {
  if (l->has_fill)
    hide_fill(l, x, n, inside, copy);
  const double m = l->type == GHZ_F32 ? extract_specials_f32(x, n, inside, copy, &v->specials, &v->special)
                                      : extract_specials_f64(x, n, inside, copy, &v->specials, &v->special);
  /* Less than half a step, by a margin that no rounding crosses. */
  v->zero = !v->special && m < 0.49 * l->step && !coarser_than_bound(l);
  return v->zero || quantise_tile(l, *x, m, v);
}

/* Integers of n values in a row. */
static int to_integers(const ghz_lattice *l, const void *x, unsigned n, integers *v) {
  ALIGNED uint8_t copy[TILE * 8];
  v->dims = 1;
  v->n = n;
  x = padded(x, n, ghz_type_size(l->type), copy);
  return integers_of(l, &x, n, NULL, copy, v);
}

/* One way to encode a tile, and its exact size but for specials, which every way has alike. */
typedef struct encoding {
  tile_widths widths;
  unsigned size;
} encoding;

static void fill_encoding(const integers *v, int order, encoding *p) {
  const int64_t first = integer_at(v, 0), slope = (int64_t)((uint64_t)integer_at(v, 1) - (uint64_t)first);
  p->widths.lead = (tile_prefix){.order = order,
                                 .mode = v->mode,
                                 .special = v->special,
                                 .anchor = order ? first : 0,
                                 .slope = order == 2 && v->n > 1 ? slope : 0};
  p->size = finish_widths(&p->widths) + widths_sum(p->widths.width);
}

/* Integers of a tile -> the widths of all three orders. */
static void measure(const integers *v, encoding encodings[3]) {
  ALIGNED union {
    uint16_t m16[3][BLOCKS];
    uint32_t m32[3][BLOCKS];
    uint64_t m64[3][BLOCKS];
    char bytes[3 * BLOCKS * 8];
  } u;
  FOR_BITS(v, magnitudes_16(v->q16, v->n, u.m16), magnitudes_32(v->q32, v->n, u.m32),
           magnitudes_64(v->q64, v->n, u.m64));
  for (int o = 0; o < 3; o++) {
    tile_widths *w = &encodings[o].widths;
    FOR_BITS(v, w->height = widths_16(u.m16[o], w->width), w->height = widths_32(u.m32[o], w->width),
             w->height = widths_64(u.m64[o], w->width));
    fill_encoding(v, o, &encodings[o]);
  }
}

/* Writes the tile that an encoding describes. */
static size_t write_encoding(const integers *v, const encoding *p, uint8_t *dst) {
  ALIGNED bit_plane planes[PLANES_MAX];
  const unsigned octets = (p->widths.height + 7) / 8;
  const int order = p->widths.lead.order;
  if (octets)
    FOR_BITS(v, to_planes_16(v->q16, v->n, order, octets > 2 ? 2 : octets, planes),
             to_planes_32(v->q32, v->n, order, octets, planes),
             to_planes_64(v->q64, v->n, order, octets, planes));
  return put_tile(&(plain_layer){&p->widths, planes}, v->special ? &v->specials : NULL, NULL, dst);
}

/* The encoding for an order; GHZ_ORDER_BEST: the smallest. Branches, not a select: the processor
 * predicts them well and writes planes before the sizes are added up (9 % of compression). */
static const encoding *choose_encoding(const encoding encodings[3], int order) {
  const unsigned size[3] = {encodings[0].size, encodings[1].size, encodings[2].size};
  int best = choose_order(size, orders_of(1), encodings[0].widths.height == 0, order);
  if (__builtin_expect(best == 2, 1))
    return &encodings[2];
  return __builtin_expect(best == 1, 1) ? &encodings[1] : &encodings[0];
}

/* Prefetches the tile after this one: its values come from memory, all else of encoding from
 * cache. */
static inline void prefetch_next(const void *x, size_t size) {
  for (size_t i = 0; i < size; i += 64)
    __builtin_prefetch((const char *)x + size + i, 0, 3);
}

static size_t specials_size(const integers *v) {
  return v->special ? squeezed_size(v->specials.plus) + squeezed_size(v->specials.minus) : 0;
}

/* Encodes n values in a row: *size is that of the tile, 0 for zeros, or `limit` if it would not be
 * below that, and nothing is written. Returns 0 if they lie outside the lattice. */
static int encode_flat(const ghz_lattice *l, int order, const void *x, unsigned n, size_t limit, uint8_t *dst,
                       size_t *size) {
  integers v;
  encoding encodings[3];
  *size = 0;
  if (!to_integers(l, x, n, &v))
    return 0;
  if (v.zero)
    return 1;
  prefetch_next(x, n * ghz_type_size(l->type));
  measure(&v, encodings);
  const encoding *p = choose_encoding(encodings, order);
  *size = p->size + specials_size(&v) < limit ? write_encoding(&v, p, dst) : limit;
  return 1;
}

/* Room for a copy of an operand's tile. */
typedef struct encoded_tile {
  uint8_t bytes[TILE_BYTES_MAX + SLACK];
} encoded_tile;

/* The tile, copied to the room if it is so near the end of its buffer that wide loads would read
 * past it. */
static tile_source padded_copy(tile_source src, encoded_tile *room) {
  if (src.short_tail) {
    memcpy(room->bytes, src.data, src.size);
    src.data = room->bytes;
    src.short_tail = 0;
  }
  return src;
}
