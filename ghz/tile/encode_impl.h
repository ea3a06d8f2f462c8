/* encode_impl.h: values to tiles: integers of the lattice, the three orders measured, the smallest
 * written. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* q[i] = round(x[i] * inverse), in the arithmetic of ARITH. */
#define DEFINE_QUANTISE(name, REAL, ARITH, ROUND, INT)                                                         \
  static void name(const REAL *x, ARITH inverse, INT *q) {                                                     \
    for (int i = 0; i < TILE; i++)                                                                             \
      q[i] = (INT)ROUND((ARITH)x[i] * inverse);                                                                \
  }

DEFINE_QUANTISE(quantise_f32_32, float, float, round_f32, int32_t)
DEFINE_QUANTISE(quantise_f32_via_f64_32, float, double, round_f64, int32_t)
DEFINE_QUANTISE(quantise_f32_via_f64_64, float, double, round_f64, int64_t)
DEFINE_QUANTISE(quantise_f64_16, double, double, round_f64, int16_t)
DEFINE_QUANTISE(quantise_f64_32, double, double, round_f64, int32_t)
DEFINE_QUANTISE(quantise_f64_64, double, double, round_f64, int64_t)

#ifdef ROUNDS_ONE_BY_ONE
DEFINE_QUANTISE(quantise_f32_16, float, float, round_f32, int16_t)
#else
static void quantise_f32_16(const float *x, float inverse, int16_t *q) {
  for (int i = 0; i < TILE; i += N16) {
    const vec_16 narrow =
        narrow_lanes(round_lanes(load_f32(x + i) * inverse), round_lanes(load_f32(x + i + FLOATS) * inverse));
    vec_store(q + i, narrow);
  }
}
#endif
#undef DEFINE_QUANTISE

/* The sizes of integers. */
enum integer_size { BITS_16, BITS_32, BITS_64 };

/* Calls f of their size on integers. */
#define BY_SIZE(v, f, ...)                                                                                     \
  ((v)->size == BITS_16   ? f##_16((v)->q16, __VA_ARGS__)                                                      \
   : (v)->size == BITS_32 ? f##_32((v)->q32, __VA_ARGS__)                                                      \
                          : f##_64((v)->q64, __VA_ARGS__))

/* Integers of a tile, position-major, in the narrowest size that holds the differences of
 * the highest order. */
typedef struct integers {
  int dims;
  enum integer_size size;
  int mode, least; /* no mode below `least` is taken, but for zeros */
  unsigned n;
  int special;
  int zero;         /* every integer is surely 0; they are not filled in */
  int coefficients; /* a brick may have them */
  double largest;   /* magnitude of a finite value */
  int may_centre;   /* a whole brick that need not have order 0 */
  int32_t middle;   /* integers of 16 bits are less this; where it is not 0, no predictor has order 0 */
  specials specials;
  ALIGNED union {
    int16_t q16[TILE];
    int32_t q32[TILE];
    int64_t q64[TILE];
  };
} integers;

static inline int64_t integer_at(const integers *v, unsigned i) {
  unsigned at = i % BLOCK * BLOCKS + i / BLOCK;
  return v->size == BITS_16 ? v->q16[at] + v->middle : v->size == BITS_32 ? v->q32[at] : v->q64[at];
}

#define DEFINE_ALL_ON_GRID(name, REAL, ON_GRID)                                                                \
  static int name(grid_test g, const REAL *x) {                                                                \
    int on = 1;                                                                                                \
    for (int i = 0; i < TILE; i++)                                                                             \
      on &= ON_GRID(g, x[i]);                                                                                  \
    return on;                                                                                                 \
  }

DEFINE_ALL_ON_GRID(all_on_grid_f32, float, on_grid_f32)
DEFINE_ALL_ON_GRID(all_on_grid_f64, double, on_grid_f64)
#undef DEFINE_ALL_ON_GRID

/* Of a full tile whose largest magnitude is m. */
static int all_on_grid(const ghz_lattice *l, const void *x, double m) {
  const grid_test g = grid_test_of(l, m);
  return l->type == GHZ_F32 ? all_on_grid_f32(g, x) : all_on_grid_f64(g, x);
}

/* To integers in a row. Calls by name: those through pointers cost 2 % of a compression with
 * AVX-512. */
static inline void quantise_f32(const float *x, double inverse, int in_float, enum integer_size size,
                                int64_t *linear) {
  if (size == BITS_16)
    quantise_f32_16(x, (float)inverse, (int16_t *)linear);
  else if (size == BITS_64)
    quantise_f32_via_f64_64(x, inverse, linear);
  else if (in_float)
    quantise_f32_32(x, (float)inverse, (int32_t *)linear);
  else
    quantise_f32_via_f64_32(x, inverse, (int32_t *)linear);
}

static inline void quantise_f64(const double *x, double inverse, enum integer_size size, int64_t *linear) {
  if (size == BITS_16)
    quantise_f64_16(x, inverse, (int16_t *)linear);
  else if (size == BITS_32)
    quantise_f64_32(x, inverse, (int32_t *)linear);
  else
    quantise_f64_64(x, inverse, linear);
}

static inline void split(const int64_t *linear, integers *v) {
  if (v->size == BITS_16)
    split_16(linear, v->q16);
  else if (v->size == BITS_32)
    split_32(linear, v->q32);
  else
    split_64(linear, v->q64);
}

/* Of a whole brick with an offset: less their middle, integers fit 16 bits. All are above twice any
 * difference, so blocks are wider at order 0 than at order 1. Returns 0 if that is not so. */
static int centre(const int32_t *linear, integers *v) {
  ALIGNED int16_t centred[TILE];
  int32_t low = linear[0], high = linear[0];
  for (int i = 1; i < TILE; i++) {
    low = linear[i] < low ? linear[i] : low;
    high = linear[i] > high ? linear[i] : high;
  }
  const int64_t range = (int64_t)high - low;
  if (range > INT16_MAX >> (v->dims - 1) || (low <= 2 * range && -high <= 2 * range))
    return 0;
  v->middle = low + (int32_t)range / 2;
  for (int i = 0; i < TILE; i++)
    centred[i] = (int16_t)(linear[i] - v->middle);
  v->size = BITS_16;
  split_16(centred, v->q16);
  return 1;
}

/* Quantises a full tile whose largest magnitude is m, which proves how: the mode and the arithmetic
 * that keep the bound (FORMAT.md, "Lattice"), and integers so wide that differences fit: those of
 * order o are 2^o times as large at most. Padding may be any finite values. Returns 0 if the tile
 * lies outside the lattice. */
static int quantise_tile(const ghz_lattice *l, const void *x, double m, integers *v) {
  ALIGNED int64_t linear[TILE];
  v->mode = mode_for(l, m);
  if (m > 0 && v->mode < v->least)
    v->mode = v->least;
  v->largest = m;
  if (v->mode == RAW || (is_grid(l) && !all_on_grid(l, x, m)))
    return 0;
  v->coefficients = may_have_coefficients(l, m);
  const int narrow = v->mode == COARSE && m <= (v->dims == 3 ? 4095 : 8190) * l->step;
  v->size = v->mode == WIDE ? BITS_64 : narrow ? BITS_16 : BITS_32;
  if (v->dims != 1 && v->size == BITS_16 && !ghz_quick_bricks)
    v->size = BITS_32;
  v->middle = 0;
  const double inverse = quantising_factor(l->type, l->step, v->mode);
  if (l->type == GHZ_F32)
    quantise_f32(x, inverse, v->mode == COARSE && quantises_in_float(l, m), v->size, linear);
  else
    quantise_f64(x, inverse, v->size, linear);
  if (v->size != BITS_32 || !v->may_centre || !centre((const int32_t *)linear, v))
    split(linear, v);
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

/* Integers of a full tile of values, of which n or those in the plane `inside` count. NaN,
 * infinities and the fill are taken out first; *x is then the copy without them. Returns 0 if the
 * tile lies outside the lattice. */
static int integers_of(const ghz_lattice *l, const void **x, unsigned n, const uint8_t *inside, void *copy,
                       integers *v) {
  const fill_test fill = fill_test_of(l);
  const double m = l->type == GHZ_F32
                       ? extract_specials_f32(x, n, inside, fill, copy, &v->specials, &v->special)
                       : extract_specials_f64(x, n, inside, fill, copy, &v->specials, &v->special);
  /* Less than half a step, by a margin that no rounding crosses. */
  v->zero = !v->special && m < 0.49 * l->step && !is_grid(l) && (v->least == COARSE || m == 0);
  return v->zero || quantise_tile(l, *x, m, v);
}

/* Integers of n values in a row. */
static int to_integers(const ghz_lattice *l, const void *x, unsigned n, integers *v) {
  ALIGNED uint8_t copy[TILE * 8];
  v->dims = 1;
  v->n = n;
  v->may_centre = 0;
  x = padded(x, n, value_bytes(l->type), copy);
  return integers_of(l, &x, n, NULL, copy, v);
}

/* A tile by one predictor, and its exact size but for specials, which every one has alike. */
typedef struct encoding {
  tile_widths widths;
  unsigned size;
} encoding;

static void fill_encoding(const integers *v, int order, encoding *p) {
  const int64_t first = integer_at(v, 0), slope = (int64_t)((uint64_t)integer_at(v, 1) - (uint64_t)first);
  p->widths.lead = (tile_lead){.order = order,
                               .mode = v->mode,
                               .special = v->special,
                               .anchor = order ? first : 0,
                               .slope = order == 2 && v->n > 1 ? slope : 0};
  p->size = finish_widths(&p->widths) + widths_sum(p->widths.width);
}

/* Integers of a tile -> the widths of all three orders. */
static void measure(const integers *v, encoding encodings[3]) {
  unsigned height[3];
  uint8_t *const width[3] = {encodings[0].widths.width, encodings[1].widths.width, encodings[2].widths.width};
  BY_SIZE(v, measure_orders, v->n, width, height);
  for (int o = 0; o < 3; o++) {
    encodings[o].widths.height = height[o];
    fill_encoding(v, o, &encodings[o]);
  }
}

/* Writes the tile that an encoding describes. */
static size_t write_encoding(const integers *v, const encoding *p, uint8_t *dst) {
  ALIGNED bit_plane planes[PLANES_MAX];
  const unsigned octets = (p->widths.height + 7) / 8;
  if (octets)
    BY_SIZE(v, to_planes, v->n, p->widths.lead.order, octets, planes);
  return put_tile(&(plain_layer){&p->widths, planes}, v->special ? &v->specials : NULL, NULL, dst);
}

/* The encoding for an order; GHZ_ORDER_BEST: the smallest. Branches, not a select: the processor
 * predicts them well and writes planes before the sizes are added up (9 % of compression). */
static const encoding *choose_encoding(const encoding encodings[3], int order) {
  const unsigned size[3] = {encodings[0].size, encodings[1].size, encodings[2].size};
  int best = choose_predictor(size, orders_of(1), encodings[0].widths.height == 0, order);
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

/* Encodes n values in a row, in no mode below `least`: *size is that of the tile, 0 for zeros, or
 * `limit` if it would not be below that, and nothing is written. Returns 0 if they lie outside the
 * lattice. */
static int encode_flat(const ghz_lattice *l, int least, int order, const void *x, unsigned n, size_t limit,
                       uint8_t *dst, size_t *size) {
  integers v;
  encoding encodings[3];
  *size = 0;
  v.least = least;
  if (!to_integers(l, x, n, &v))
    return 0;
  if (v.zero)
    return 1;
  prefetch_next(x, n * value_bytes(l->type));
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
