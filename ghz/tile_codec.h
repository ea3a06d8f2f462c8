/* tile_codec.h: the tile codec, written once. Each cpu_*.c includes it after the primitives of its instruction set
 * (rows_*.h) and gets one table of functions, GHZ_TILES. FORMAT.md, "Tile", is the text that it implements. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "bytes.h"
#include "rules.h"
#include "tile.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define GHZ_UNROLL_8 _Pragma("GCC unroll 8")
#define ALIGNED _Alignas(64)

typedef uint8_t row_bytes[ROW_BYTES];

/* Two bit rows: where +Inf entered and where -Inf entered; both: NaN. */
typedef struct specials {
  row_bytes plus, minus;
} specials;

/* A lattice tile, taken apart. Its rows are still squeezed. */
typedef struct tile_head {
  int order, mode;
  unsigned height; /* rows: the largest width */
  int64_t anchor, slope;
  const uint8_t *specials; /* NULL: none */
  const uint8_t *rows;
  ALIGNED uint8_t width[BLOCKS];
} tile_head;

/* Transposes the 8 x 8 bits at each position of eight rows: bit t of row p becomes bit p of row t. */
static inline void transpose_bits(row_bytes rows[8]) {
  static const uint64_t mask[3] = {UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x3333333333333333),
                                   UINT64_C(0x5555555555555555)};
  for (size_t w = 0; w < ROW_BYTES / 8; w++) {
    uint64_t a[8];
    GHZ_UNROLL_8 for (int i = 0; i < 8; i++)
      memcpy(&a[i], rows[i] + 8 * w, 8);
#define EXCHANGE(i, j, s, m)                                                                                 \
  {                                                                                                          \
    uint64_t d = ((a[i] >> s) ^ a[j]) & m;                                                                   \
    a[j] ^= d;                                                                                               \
    a[i] ^= d << s;                                                                                          \
  }
    EXCHANGE(0, 4, 4, mask[0]) EXCHANGE(1, 5, 4, mask[0]) EXCHANGE(2, 6, 4, mask[0]) EXCHANGE(3, 7, 4, mask[0])
    EXCHANGE(0, 2, 2, mask[1]) EXCHANGE(1, 3, 2, mask[1]) EXCHANGE(4, 6, 2, mask[1]) EXCHANGE(5, 7, 2, mask[1])
    EXCHANGE(0, 1, 1, mask[2]) EXCHANGE(2, 3, 1, mask[2]) EXCHANGE(4, 5, 1, mask[2]) EXCHANGE(6, 7, 1, mask[2])
#undef EXCHANGE
    GHZ_UNROLL_8 for (int i = 0; i < 8; i++)
      memcpy(rows[i] + 8 * w, &a[i], 8);
  }
}

#define BITS 16
#include "lanes.h"
#define BITS 32
#include "lanes.h"
#define BITS 64
#include "lanes.h"

#define REAL float
#define BITS_TYPE uint32_t
#define SIGNED_TYPE int32_t
#define SIGNED_VEC vec_32
#define EXPONENT UINT32_C(0x7f800000)
#define CANONICAL_NAN UINT32_C(0x7fc00000)
#define SUFFIX f32
#include "reals.h"
#define REAL double
#define BITS_TYPE uint64_t
#define SIGNED_TYPE int64_t
#define SIGNED_VEC vec_64
#define EXPONENT UINT64_C(0x7ff0000000000000)
#define CANONICAL_NAN UINT64_C(0x7ff8000000000000)
#define SUFFIX f64
#include "reals.h"
#include "quantise.h"

/* ---- Header ------------------------------------------------------------------------------------------ */

/* Bytes of the shortest two's complement of v: 0 for 0, never 7. */
static inline unsigned anchor_size(int64_t v) {
  unsigned bytes = v ? (bit_length((uint64_t)(v ^ (v >> 63))) + 8) / 8 : 0;
  return bytes == 7 ? 8 : bytes;
}

static inline unsigned anchor_code(unsigned bytes) {
  return bytes == 8 ? 7 : bytes;
}

static inline int64_t anchor_load(const uint8_t *p, unsigned bytes) {
  uint64_t v = 0;
  memcpy(&v, p, bytes);
  unsigned shift = 64 - 8 * bytes;
  return bytes ? (int64_t)(v << shift) >> shift : 0;
}

static unsigned squeezed_size(const row_bytes row) {
  unsigned count = 16;
  for (int b = 0; b < ROW_BYTES; b++)
    count += row[b] != 0;
  return count;
}

/* A row as the map of its non-zero bytes, then those bytes. */
static uint8_t *put_special_row(const row_bytes row, uint8_t *dst) {
  uint8_t *map = dst;
  memset(map, 0, 16);
  dst += 16;
  for (int b = 0; b < ROW_BYTES; b++)
    if (row[b]) {
      map[b / 8] = (uint8_t)(map[b / 8] | 1 << b % 8);
      *dst++ = row[b];
    }
  return dst;
}

/* The inverse, of at most `room` bytes; NULL if they are not such a row. */
static const uint8_t *take_special_row(const uint8_t *src, size_t room, row_bytes row) {
  if (room < 16)
    return NULL;
  const uint8_t *map = src, *end = src + room;
  src += 16;
  memset(row, 0, ROW_BYTES);
  for (int b = 0; b < ROW_BYTES; b++)
    if (map[b / 8] >> b % 8 & 1) {
      if (src == end || *src == 0)
        return NULL;
      row[b] = *src++;
    }
  return src;
}

static inline int has_specials(const specials *s) {
  uint8_t any = 0;
  for (int b = 0; b < ROW_BYTES; b++)
    any |= (uint8_t)(s->plus[b] | s->minus[b]);
  return any != 0;
}

/* Everything of a tile but its rows. s is NULL where there are no specials. */
static uint8_t *put_head(int mode, int order, int64_t anchor, int64_t slope, unsigned height, const uint8_t *width,
                         const specials *s, uint8_t *dst) {
  unsigned la = order ? anchor_size(anchor) : 0, ls = order == 2 ? anchor_size(slope) : 0;
  unsigned extra = anchor_code(la) | anchor_code(ls) << 3 | (unsigned)(s != NULL) << 6;
  unsigned width_rows = bit_length(height);
  *dst++ = (uint8_t)((unsigned)order | (unsigned)(extra != 0) << 2 | (unsigned)mode << 3 | width_rows << 5);
  if (extra)
    *dst++ = (uint8_t)extra;
  memcpy(dst, &anchor, 8);
  dst += la;
  memcpy(dst, &slope, 8);
  dst += ls;
  widths_pack(width, width_rows, dst);
  dst += 16 * width_rows;
  if (s)
    dst = put_special_row(s->minus, put_special_row(s->plus, dst));
  return dst;
}

static uint8_t *put_rows(const uint8_t width[BLOCKS], const row_bytes *rows, unsigned height, uint8_t *dst) {
  part w[PARTS];
  for (int i = 0; i < PARTS; i++)
    w[i] = part_load(width + i * PART_BYTES);
  for (unsigned p = 0; p < height; p++)
    for (int i = 0; i < PARTS; i++)
      part_squeeze(part_load(rows[p] + i * PART_BYTES), &dst, w[i], (int)p);
  return dst;
}

/* One bit row of widths, from the top: adds to the sum, and keeps track of the blocks that may hold the maximum. */
typedef struct width_sum {
  unsigned sum, largest;
  uint64_t low, high;
} width_sum;

static inline void add_width_row(width_sum *s, const uint8_t *row, unsigned k, int present) {
  uint64_t a = present ? load_u64(row) : 0, b = present ? load_u64(row + 8) : 0;
  uint64_t x = a & s->low, y = b & s->high;
  int any = (x | y) != 0;
  s->sum += (unsigned)(__builtin_popcountll(a) + __builtin_popcountll(b)) << k;
  s->largest |= (unsigned)any << k;
  s->low = any ? x : s->low;
  s->high = any ? y : s->high;
}

/* Sum and maximum of the widths, from their bit rows. Four rows at once, present or not: most tiles have two or three,
 * and guessing which costs more than looking. May read SLACK bytes. */
static unsigned sum_widths(const uint8_t *rows, unsigned count, unsigned *largest) {
  width_sum s = {0, 0, ~UINT64_C(0), ~UINT64_C(0)};
  for (unsigned k = count; k-- > 4;)
    add_width_row(&s, rows + 16 * k, k, 1);
  add_width_row(&s, rows + 48, 3, count > 3);
  add_width_row(&s, rows + 32, 2, count > 2);
  add_width_row(&s, rows + 16, 1, count > 1);
  add_width_row(&s, rows, 0, count > 0);
  *largest = s.largest;
  return s.sum;
}

static int blocks_beyond(const uint8_t width[BLOCKS], unsigned n) {
  for (unsigned b = (n + BLOCK - 1) / BLOCK; b < BLOCKS; b++)
    if (width[b])
      return 1;
  return 0;
}

static int specials_valid(const uint8_t *p, const uint8_t *end, unsigned n, const uint8_t **after) {
  specials s;
  const uint8_t *q = take_special_row(p, (size_t)(end - p), s.plus);
  q = q ? take_special_row(q, (size_t)(end - q), s.minus) : NULL;
  if (!q || !has_specials(&s))
    return 0;
  for (unsigned i = n; i < TILE; i++)
    if ((s.plus[i / 8] | s.minus[i / 8]) >> i % 8 & 1)
      return 0;
  *after = q;
  return 1;
}

/* Takes a lattice tile apart and checks all of it but the rows' bytes, which may be anything. */
static inline __attribute__((always_inline)) ghz_status parse(const ghz_lattice *l, tile_source src, unsigned n,
                                                              tile_head *h) {
  const uint8_t *p = src.data, *end = p + src.size;
  h->specials = NULL;
  if (src.size == 0) {
    h->order = h->mode = 0;
    h->height = 0;
    h->anchor = h->slope = 0;
    h->rows = p;
    memset(h->width, 0, sizeof h->width);
    return GHZ_OK;
  }
  if (src.terms == 0 || l->step == 0)
    return GHZ_ECORRUPT;
  unsigned first = *p++, width_rows = first >> 5, extra = 0;
  h->order = (int)(first & 3);
  h->mode = (int)(first >> 3 & 3);
  if (h->order == 3 || h->mode == 3 || width_rows == 7)
    return GHZ_ECORRUPT;
  if (first & 4) {
    extra = p < end ? *p++ : 0;
    if (extra == 0 || extra >> 7)
      return GHZ_ECORRUPT;
  }
  unsigned la = extra & 7, ls = extra >> 3 & 7;
  la += la == 7;
  ls += ls == 7;
  if ((h->order == 0 && la) || (h->order != 2 && ls) || (size_t)(end - p) < la + ls + 16 * width_rows)
    return GHZ_ECORRUPT;
  h->anchor = anchor_load(p, la);
  h->slope = anchor_load(p + la, ls);
  if (anchor_size(h->anchor) != la || anchor_size(h->slope) != ls)
    return GHZ_ECORRUPT;
  p += la + ls;
  unsigned sum = sum_widths(p, width_rows, &h->height);
  if (bit_length(h->height) != width_rows || h->height > width_limit(l->type, l->cap, h->mode, h->order, src.terms))
    return GHZ_ECORRUPT;
  widths_unpack(p, width_rows, h->width);
  p += 16 * width_rows;
  if (n < TILE && blocks_beyond(h->width, n))
    return GHZ_ECORRUPT;
  if (extra >> 6) {
    h->specials = p;
    if (!specials_valid(p, end, n, &p))
      return GHZ_ECORRUPT;
  }
  h->rows = p;
  int zero = first == 0 && extra == 0;
  return (size_t)(end - p) == sum && !zero ? GHZ_OK : GHZ_ECORRUPT;
}

static void take_specials(const tile_head *h, specials *s) {
  take_special_row(take_special_row(h->specials, TILE_BYTES_MAX, s->plus), TILE_BYTES_MAX, s->minus);
}

/* Un-squeezes all rows. */
static void expand_rows(const tile_head *h, row_bytes *rows) {
  part w[PARTS], row[PARTS];
  const uint8_t *src = h->rows;
  for (int i = 0; i < PARTS; i++) {
    w[i] = part_load(h->width + i * PART_BYTES);
    row[i] = part_zero();
  }
  for (unsigned p = 0; p < h->height; p++)
    for (int i = 0; i < PARTS; i++) {
      row[i] = part_expand(row[i], &src, w[i], (int)p);
      part_store(rows[p] + i * PART_BYTES, row[i]);
    }
}

/* ---- Encoding ---------------------------------------------------------------------------------------- */

/* Integers of a tile, position-major, in the narrowest size that holds their second differences. */
typedef struct integers {
  int bits; /* 16, 32 or 64 */
  int mode;
  unsigned n;
  int special;
  int zero; /* every integer is surely 0; they are not filled in */
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

#define FOR_BITS(v, CALL16, CALL32, CALL64)                                                                  \
  do {                                                                                                       \
    if ((v)->bits == 16) {                                                                                   \
      CALL16;                                                                                                \
    } else if ((v)->bits == 32) {                                                                            \
      CALL32;                                                                                                \
    } else {                                                                                                 \
      CALL64;                                                                                                \
    }                                                                                                        \
  } while (0)

/* Chooses the arithmetic by magnitude m (law L1, rule R1) and quantises. x is full: padding is any finite value. */
static int quantise_tile(const ghz_lattice *l, const void *x, double m, integers *v) {
  ALIGNED int64_t linear[TILE];
  v->mode = mode_for(l, m);
  if (v->mode == RAW)
    return 0;
  double inverse = 1 / l->step;
  if (mode_shift(l->type, v->mode))
    inverse = 2 / l->step;
  v->bits = v->mode == WIDE ? 64 : m <= 8190 * l->step ? 16 : 32;
  if (l->type == GHZ_F32) {
    int in_float = m <= 0x1p15 * l->step;
    FOR_BITS(
        v, quantise_f32_16(x, (float)inverse, (int16_t *)linear),
        if (in_float) quantise_f32_32(x, (float)inverse, (int32_t *)linear);
        else quantise_f32_via_f64_32(x, inverse, (int32_t *)linear), quantise_f32_via_f64_64(x, inverse, linear));
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

/* Integers of n values. Returns 0 if the tile lies outside the lattice. */
static int to_integers(const ghz_lattice *l, const void *x, unsigned n, integers *v) {
  ALIGNED uint8_t copy[TILE * 8];
  size_t value_size = ghz_type_size(l->type);
  v->n = n;
  v->special = 0;
  x = padded(x, n, value_size, copy);
  double m;
  if (l->type == GHZ_F32) {
    uint32_t b = largest_f32(x);
    if (b >= UINT32_C(0x7f800000)) {
      v->special = 1;
      memset(&v->specials, 0, sizeof v->specials);
      if (x != copy)
        x = memcpy(copy, x, TILE * 4);
      b = hide_specials_f32((float *)copy, n, &v->specials);
    }
    m = from_bits_f32(b);
  } else {
    uint64_t b = largest_f64(x);
    if (b >= UINT64_C(0x7ff0000000000000)) {
      v->special = 1;
      memset(&v->specials, 0, sizeof v->specials);
      if (x != copy)
        x = memcpy(copy, x, TILE * 8);
      b = hide_specials_f64((double *)copy, n, &v->specials);
    }
    m = from_bits_f64(b);
  }
  /* Less than half a step, by a margin that no rounding crosses. */
  v->zero = !v->special && m < 0.49 * l->step;
  return v->zero || quantise_tile(l, x, m, v);
}

/* One way to encode a tile: its order, widths and exact size. */
typedef struct plan {
  int order;
  unsigned height;
  unsigned size;
  int64_t anchor, slope;
  ALIGNED uint8_t width[BLOCKS];
} plan;

/* Sum of bytes that are at most 64. */
static unsigned sum_bytes(const uint8_t width[BLOCKS]) {
  const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);
  uint64_t sum = 0;
  for (size_t w = 0; w < BLOCKS / 8; w++) {
    uint64_t v;
    memcpy(&v, width + 8 * w, 8);
    sum += (v & even) + (v >> 8 & even);
  }
  return (unsigned)(sum * UINT64_C(0x0001000100010001) >> 48);
}

static void fill_plan(const integers *v, int order, unsigned height, plan *p) {
  p->order = order;
  p->height = height;
  p->anchor = order ? integer_at(v, 0) : 0;
  p->slope = order == 2 && v->n > 1 ? integer_at(v, 1) - integer_at(v, 0) : 0;
  unsigned anchors = anchor_size(p->anchor) + anchor_size(p->slope);
  p->size = 1u + (unsigned)(anchors || v->special) + anchors + 16 * bit_length(height) + sum_bytes(p->width);
}

/* Integers of a full tile -> the widths of all three orders; of a short one, order by order. */
static void measure(const integers *v, plan plans[3]) {
  ALIGNED union {
    uint16_t m16[3][BLOCKS];
    uint32_t m32[3][BLOCKS];
    uint64_t m64[3][BLOCKS];
    char bytes[3 * BLOCKS * 8];
  } u;
  ALIGNED int64_t r[TILE];
  if (v->n == TILE) {
    FOR_BITS(v, magnitudes_16(v->q16, u.m16), magnitudes_32(v->q32, u.m32), magnitudes_64(v->q64, u.m64));
  } else {
    for (int o = 0; o < 3; o++)
      FOR_BITS(
          v, residuals_16(v->q16, v->n, o, (int16_t *)r);
          magnitude_16((int16_t *)r, u.m16[o]), residuals_32(v->q32, v->n, o, (int32_t *)r);
          magnitude_32((int32_t *)r, u.m32[o]), residuals_64(v->q64, v->n, o, r); magnitude_64(r, u.m64[o]));
  }
  for (int o = 0; o < 3; o++) {
    unsigned height;
    FOR_BITS(v, height = widths_16(u.m16[o], plans[o].width), height = widths_32(u.m32[o], plans[o].width),
             height = widths_64(u.m64[o], plans[o].width));
    fill_plan(v, o, height, &plans[o]);
  }
}

/* Writes the tile that a plan describes. Canonical: a tile of zeros becomes no bytes. */
static size_t write_plan(const integers *v, const plan *p, uint8_t *dst) {
  ALIGNED int64_t r[TILE];
  ALIGNED row_bytes rows[ROWS_MAX];
  if (p->order == 0 && p->height == 0 && v->mode == COARSE && !v->special)
    return 0;
  unsigned planes = (p->height + 7) / 8;
  FOR_BITS(
      v, residuals_16(v->q16, v->n, p->order, (int16_t *)r);
      to_rows_16((int16_t *)r, planes > 2 ? 2 : planes, rows), residuals_32(v->q32, v->n, p->order, (int32_t *)r);
      to_rows_32((int32_t *)r, planes, rows), residuals_64(v->q64, v->n, p->order, r); to_rows_64(r, planes, rows));
  uint8_t *end = put_head(v->mode, p->order, p->anchor, p->slope, p->height, p->width,
                          v->special ? &v->specials : NULL, dst);
  return (size_t)(put_rows(p->width, rows, p->height, end) - dst);
}

/* The plan for an order; GHZ_ORDER_BEST: the smallest size, ties to the lower order. All zeros: order 0. */
static const plan *choose_plan(const plan plans[3], int order) {
  if (plans[0].height == 0)
    return &plans[0];
  if (order != GHZ_ORDER_BEST)
    return &plans[order];
  const plan *best = &plans[0];
  for (int o = 1; o < 3; o++)
    if (plans[o].size < best->size)
      best = &plans[o];
  return best;
}

/* Asks for the tile after this one while this one is worked on. */
static inline void prefetch_next(const void *x, size_t size) {
  for (size_t i = 0; i < size; i += 64)
    __builtin_prefetch((const char *)x + size + i, 0, 3);
}

static size_t encode(const ghz_lattice *l, int order, const void *x, unsigned n, uint8_t *dst) {
  integers v;
  plan plans[3];
  size_t raw = 1 + n * ghz_type_size(l->type);
  if (to_integers(l, x, n, &v)) {
    if (v.zero)
      return 0;
    prefetch_next(x, raw - 1);
    measure(&v, plans);
    const plan *p = choose_plan(plans, order);
    size_t extra = v.special ? squeezed_size(v.specials.plus) + squeezed_size(v.specials.minus) : 0;
    if (p->size + extra < raw)
      return write_plan(&v, p, dst);
  } else {
    const uint8_t *bytes = x;
    uint8_t any = 0;
    for (size_t i = 0; i < raw - 1; i++)
      any |= bytes[i];
    if (!any)
      return 0;
  }
  dst[0] = RAW_TILE;
  memcpy(dst + 1, x, raw - 1);
  return raw;
}

/* Room for a copy of an operand: one at the very end of its buffer, or one that was raw, put on the lattice. */
typedef struct encoded_tile {
  uint8_t bytes[TILE_BYTES_MAX + SLACK];
} encoded_tile;

static tile_source sheltered(tile_source src, encoded_tile *room) {
  if (src.exposed) {
    memcpy(room->bytes, src.data, src.size);
    src.data = room->bytes;
  }
  return src;
}

/* ---- Decoding ---------------------------------------------------------------------------------------- */

static int is_raw(tile_source src) {
  return src.size > 0 && (src.data[0] & 3) == 3;
}

static int raw_valid(const ghz_lattice *l, tile_source src, unsigned n) {
  return src.data[0] == RAW_TILE && src.size == 1 + n * ghz_type_size(l->type) && src.terms != 0;
}

/* The integers of a lattice tile, position-major, as int32_t or, with wide = 1, int64_t. */
static void decode_integers(const tile_head *h, int wide, int64_t *q) {
  ALIGNED row_bytes rows[ROWS_MAX];
  expand_rows(h, rows);
  if (wide) {
    from_rows_64(rows, h->height, q);
  } else {
    from_rows_32(rows, h->height, (int32_t *)q);
  }
  /* The anchors stand for the first residuals. */
  for (int t = 0; t < h->order; t++)
    if (wide)
      q[t * BLOCKS] = 0;
    else
      ((int32_t *)q)[t * BLOCKS] = 0;
  if (wide)
    integrate_64(q, h->order, h->anchor, h->slope);
  else
    integrate_32((int32_t *)q, h->order, h->anchor, h->slope);
}

static void finish_f32(const ghz_lattice *l, const tile_head *h, uint32_t terms, const int64_t *q, int wide,
                       int streaming, float *dst) {
  ALIGNED float y[TILE];
  double unit = mode_unit(l->type, l->step, h->mode);
  unsigned bits = integer_bits(l->type, l->cap, h->mode) + bit_length(terms);
  if (wide)
    dequantise_64_f32(q, unit, y);
  else if (bits <= 24 && (double)(float)unit == unit) /* one rounding either way: the same bits */
    dequantise_32_f32_exact((const int32_t *)q, (float)unit, y);
  else
    dequantise_32_f32((const int32_t *)q, unit, y);
  if (streaming)
    merge_32(y, dst, 1);
  else
    merge_32(y, dst, 0);
}

static void finish_f64(const ghz_lattice *l, const tile_head *h, const int64_t *q, int wide, int streaming,
                       double *dst) {
  ALIGNED double y[TILE];
  double unit = mode_unit(l->type, l->step, h->mode);
  if (wide)
    dequantise_64_f64(q, unit, y);
  else
    dequantise_32_f64((const int32_t *)q, unit, y);
  if (streaming)
    merge_64(y, dst, 1);
  else
    merge_64(y, dst, 0);
}

static void decode_raw(ghz_type type, const uint8_t *values, ghz_type out, unsigned n, void *dst) {
  for (unsigned i = 0; i < n; i++) {
    if (type == GHZ_F64)
      store_u64((uint8_t *)dst + 8 * i, canonical_f64(load_u64(values + 8 * i)));
    else if (out == GHZ_F32)
      store_u32((uint8_t *)dst + 4 * i, canonical_f32(load_u32(values + 4 * i)));
    else
      ((double *)dst)[i] = (double)from_bits_f32(canonical_f32(load_u32(values + 4 * i)));
  }
}

static void decode_head(const ghz_lattice *l, const tile_head *h, uint32_t terms, ghz_type out, unsigned n,
                        int streaming, void *dst) {
  ALIGNED int64_t q[TILE];
  ALIGNED double whole[TILE];
  int wide = !fits_32_bits(l->type, l->cap, h->mode, terms);
  void *y = n < TILE ? whole : dst;
  streaming = streaming && n == TILE && !h->specials && (uintptr_t)dst % VEC == 0;
  decode_integers(h, wide, q);
  if (out == GHZ_F32)
    finish_f32(l, h, terms, q, wide, streaming, y);
  else
    finish_f64(l, h, q, wide, streaming, y);
  if (h->specials) {
    specials s;
    take_specials(h, &s);
    if (out == GHZ_F32)
      restore_specials_f32(&s, n, y);
    else
      restore_specials_f64(&s, n, y);
  }
  if (n < TILE)
    memcpy(dst, whole, n * ghz_type_size(out));
}

static void zeros(void *dst, size_t size, int streaming) {
  static const ALIGNED uint8_t none[VEC];
  if (!streaming || (uintptr_t)dst % VEC || size % VEC) {
    memset(dst, 0, size);
    return;
  }
  for (size_t i = 0; i < size; i += VEC)
    vec_stream((char *)dst + i, none);
}

static ghz_status decode(const ghz_lattice *l, tile_source src, ghz_type out, unsigned n, int streaming, void *dst) {
  if (src.size == 0) {
    zeros(dst, n * ghz_type_size(out), streaming);
    return GHZ_OK;
  }
  if (is_raw(src)) {
    if (!raw_valid(l, src, n))
      return GHZ_ECORRUPT;
    decode_raw(l->type, src.data + 1, out, n, dst);
    return GHZ_OK;
  }
  tile_head h;
  encoded_tile room;
  src = sheltered(src, &room);
  ghz_status status = parse(l, src, n, &h);
  if (status == GHZ_OK)
    decode_head(l, &h, src.terms, out, n, streaming, dst);
  return status;
}

/* ---- Arithmetic on rows ------------------------------------------------------------------------------ */

/* A running sum: rows of a lattice tile, un-squeezed. */
typedef struct row_sum {
  int order, mode;
  unsigned height, limit; /* rows in use; rows that a result can need */
  int64_t anchor, slope;
  int special;
  specials specials;
  ALIGNED row_bytes rows[ROWS_MAX + 2];
} row_sum;

/* The value of column c. */
static int64_t column(const row_bytes *rows, unsigned height, unsigned c) {
  uint64_t v = 0;
  for (unsigned p = 0; p < height && p < 64; p++)
    v |= (uint64_t)(rows[p][c / 8] >> c % 8 & 1) << p;
  if (height && height < 64 && rows[height - 1][c / 8] >> c % 8 & 1)
    v |= ~UINT64_C(0) << height;
  return (int64_t)v;
}

static void clear_columns(row_bytes *rows, unsigned height, unsigned lead, unsigned n) {
  for (unsigned p = 0; p < height; p++) {
    rows[p][0] = (uint8_t)(rows[p][0] & (0xff << lead & 0xff));
    for (unsigned b = n / 8; b < ROW_BYTES; b++) {
      unsigned keep = b == n / 8 ? n % 8 : 0;
      rows[p][b] = (uint8_t)(rows[p][b] & ((1 << keep) - 1));
    }
  }
}

/* One row of a raise: the row minus the row moved up by one column, with the borrow from the row below. */
static inline void raise_row(part x[PARTS], part borrow[PARTS]) {
  part y[PARTS];
  row_shift(x, y);
  for (int i = 0; i < PARTS; i++) {
    part d = part_sum(x[i], y[i], borrow[i]);
    borrow[i] = part_carry(part_not(x[i]), y[i], borrow[i]);
    x[i] = d;
  }
}

static inline void load_row(const uint8_t *row, part x[PARTS]) {
  for (int i = 0; i < PARTS; i++)
    x[i] = part_load(row + i * PART_BYTES);
}

static inline void store_row(uint8_t *row, const part x[PARTS]) {
  for (int i = 0; i < PARTS; i++)
    part_store(row + i * PART_BYTES, x[i]);
}

static inline void zero_row(part x[PARTS]) {
  for (int i = 0; i < PARTS; i++)
    x[i] = part_zero();
}

/* Raises the order by one, on rows (FORMAT.md, "Raising the order"). */
static void raise_order(row_sum *s, unsigned n) {
  part x[PARTS], borrow[PARTS];
  unsigned height = s->height < ROWS_MAX ? s->height + (s->height > 0) : ROWS_MAX;
  if (height > s->height)
    memcpy(s->rows[s->height], s->rows[s->height - 1], ROW_BYTES);
  zero_row(borrow);
  for (unsigned p = 0; p < height; p++) {
    load_row(s->rows[p], x);
    raise_row(x, borrow);
    store_row(s->rows[p], x);
  }
  s->height = height;
  if (s->order == 0)
    s->anchor = column(s->rows, height, 0);
  else
    s->slope = n > 1 ? column(s->rows, height, 1) : 0;
  s->order++;
  clear_columns(s->rows, height, (unsigned)s->order, n);
}

/* Doubles the integers: from the coarse unit to the fine one. */
static void lift(row_sum *s, int mode, unsigned shift) {
  if (shift && s->height) {
    memmove(s->rows[1], s->rows[0], s->height * (size_t)ROW_BYTES);
    memset(s->rows[0], 0, ROW_BYTES);
    s->height++;
  }
  s->anchor = (int64_t)((uint64_t)s->anchor << shift);
  s->slope = (int64_t)((uint64_t)s->slope << shift);
  s->mode = mode;
}

static void raise_to(const ghz_lattice *l, row_sum *s, int mode, int order, unsigned n) {
  if (s->mode < mode)
    lift(s, mode, mode_shift(l->type, mode) - mode_shift(l->type, s->mode));
  while (s->order < order)
    raise_order(s, n);
}

/* Drops rows at the top that only repeat the sign. */
static void trim(row_sum *s) {
  while (s->height) {
    int same = 1;
    for (int i = 0; i < PARTS; i++) {
      part below = s->height > 1 ? part_load(s->rows[s->height - 2] + i * PART_BYTES) : part_zero();
      same &= part_equal(part_load(s->rows[s->height - 1] + i * PART_BYTES), below);
    }
    if (!same)
      return;
    s->height--;
  }
}

/* Where the rows of an operand come from: squeezed in a tile, or already raised in memory. */
typedef struct row_source {
  const tile_head *head;
  const row_bytes *rows;
  unsigned height;
} row_source;

/* sum += (-1)^negative * 2^shift * rows: a ripple-carry adder from row to row. Rows above an operand's last repeat its
 * sign. */
static void add_rows(row_sum *s, row_source src, int negative, unsigned shift) {
  part w[PARTS], x[PARTS], a[PARTS], carry[PARTS];
  const uint8_t *squeezed = src.head ? src.head->rows : NULL;
  for (int i = 0; i < PARTS; i++) {
    w[i] = src.head ? part_load(src.head->width + i * PART_BYTES) : part_zero();
    x[i] = a[i] = part_zero();
    carry[i] = negative ? part_ones() : part_zero();
  }
  unsigned top = s->height > src.height + shift ? s->height : src.height + shift;
  unsigned height = top + 1 < s->limit ? top + 1 : s->limit;
  for (unsigned p = 0; p < height; p++)
    for (int i = 0; i < PARTS; i++) {
      if (p < s->height)
        a[i] = part_load(s->rows[p] + i * PART_BYTES);
      if (p >= shift && p - shift < src.height)
        x[i] = src.head ? part_expand(x[i], &squeezed, w[i], (int)(p - shift))
                        : part_load(src.rows[p - shift] + i * PART_BYTES);
      part y = negative ? part_not(x[i]) : x[i];
      part_store(s->rows[p] + i * PART_BYTES, part_sum(a[i], y, carry[i]));
      carry[i] = part_carry(a[i], y, carry[i]);
    }
  s->height = height;
}

/* sum += c * operand, rows and anchors; both are at the same mode and order. */
static void add_multiple(row_sum *s, row_source src, int64_t anchor, int64_t slope, int64_t c) {
  uint64_t magnitude = c < 0 ? -(uint64_t)c : (uint64_t)c;
  s->anchor = (int64_t)((uint64_t)s->anchor + (uint64_t)c * (uint64_t)anchor);
  s->slope = (int64_t)((uint64_t)s->slope + (uint64_t)c * (uint64_t)slope);
  for (unsigned shift = 0; magnitude >> shift; shift++)
    if (magnitude >> shift & 1 && src.height)
      add_rows(s, src, c < 0, shift);
  trim(s);
}

static void add_specials(row_sum *s, const tile_head *h, int negative) {
  specials t;
  take_specials(h, &t);
  if (!s->special)
    memset(&s->specials, 0, sizeof s->specials);
  s->special = 1;
  for (int b = 0; b < ROW_BYTES; b++) {
    s->specials.plus[b] |= negative ? t.minus[b] : t.plus[b];
    s->specials.minus[b] |= negative ? t.plus[b] : t.minus[b];
  }
}

/* sum += c * tile. */
static void add_tile(const ghz_lattice *l, row_sum *s, const tile_head *h, int64_t c, unsigned n) {
  int mode = h->mode > s->mode ? h->mode : s->mode, order = h->order > s->order ? h->order : s->order;
  raise_to(l, s, mode, order, n);
  if (h->specials)
    add_specials(s, h, c < 0);
  if (h->mode == mode && h->order == order) {
    add_multiple(s, (row_source){h, NULL, h->height}, h->anchor, h->slope, c);
    return;
  }
  row_sum raised = {.order = h->order, .mode = h->mode, .height = h->height, .anchor = h->anchor, .slope = h->slope};
  expand_rows(h, raised.rows);
  raise_to(l, &raised, mode, order, n);
  add_multiple(s, (row_source){NULL, raised.rows, raised.height}, raised.anchor, raised.slope, c);
}

/* The tile of a sum: finds the widths and squeezes. */
static ghz_status write_sum(const row_sum *s, uint8_t *dst, size_t *size) {
  ALIGNED uint8_t width[BLOCKS];
  part w[PARTS], below[PARTS], row[PARTS];
  unsigned height = 0;
  zero_row(w);
  zero_row(below);
  for (unsigned p = 0; p < s->height; p++) {
    load_row(s->rows[p], row);
    for (int i = 0; i < PARTS; i++) {
      w[i] = part_widen(w[i], row[i], below[i], p, &height);
      below[i] = row[i];
    }
  }
  store_row(width, w);
  *size = 0;
  if (s->order == 0 && s->mode == COARSE && height == 0 && !s->special)
    return GHZ_OK;
  if (height > WIDTH_MAX)
    return GHZ_ECORRUPT;
  uint8_t *end = put_head(s->mode, s->order, s->anchor, s->slope, height, width, s->special ? &s->specials : NULL, dst);
  *size = (size_t)(put_rows(width, s->rows, height, end) - dst);
  return GHZ_OK;
}

/* Bit c of a row, at place p of an integer. */
static inline uint64_t row_bit(const part x[PARTS], unsigned c, unsigned p) {
  return (part_low(x[0]) >> c & 1) << p;
}

/* All ones but for the first columns: a mask for a row's first part. */
static inline part all_but(unsigned columns) {
  uint64_t words[PART_BYTES / 8];
  memset(words, 0xff, sizeof words);
  words[0] <<= columns;
  return part_load((const uint8_t *)words);
}

/* a + b in one pass over the rows, in registers: b is un-squeezed, raised `raises` times and added to a as it comes.
 * Full tiles of the same mode without specials; a's order is b's plus raises. */
static inline __attribute__((always_inline)) ghz_status add_pair(const tile_head *a, const tile_head *b, int raises,
                                                                 unsigned limit, uint8_t *dst, size_t *size) {
  ALIGNED row_bytes rows[ROWS_MAX];
  ALIGNED uint8_t width[BLOCKS];
  part wa[PARTS], wb[PARTS], x[PARTS], y[PARTS], carry[PARTS], first[PARTS], second[PARTS], w[PARTS], below[PARTS];
  const uint8_t *from_a = a->rows, *from_b = b->rows;
  const part keep = all_but((unsigned)b->order + 1), keep_two = all_but(2);
  uint64_t column0 = 0, column1 = 0;
  unsigned top = a->height > b->height + (unsigned)raises ? a->height : b->height + (unsigned)raises;
  unsigned rows_needed = top + (top > 0) < limit ? top + (top > 0) : limit, height = 0;
  load_row(a->width, wa);
  load_row(b->width, wb);
  zero_row(x), zero_row(y), zero_row(carry), zero_row(first), zero_row(second), zero_row(w), zero_row(below);
  for (unsigned p = 0; p < rows_needed; p++) {
    part z[PARTS];
    for (int i = 0; i < PARTS; i++) {
      x[i] = part_expand(x[i], &from_a, wa[i], (int)p);
      y[i] = part_expand(y[i], &from_b, wb[i], (int)p);
      z[i] = y[i];
    }
    if (raises) {
      raise_row(z, first);
      if (b->order == 0)
        column0 |= row_bit(z, 0, p);
      else
        column1 |= row_bit(z, 1, p);
      z[0] = part_and(z[0], keep);
    }
    if (raises == 2) {
      raise_row(z, second);
      column1 |= row_bit(z, 1, p);
      z[0] = part_and(z[0], keep_two);
    }
    for (int i = 0; i < PARTS; i++) {
      part s = part_sum(x[i], z[i], carry[i]);
      carry[i] = part_carry(x[i], z[i], carry[i]);
      part_store(rows[p] + i * PART_BYTES, s);
      w[i] = part_widen(w[i], s, below[i], p, &height);
      below[i] = s;
    }
  }
  store_row(width, w);
  uint64_t anchor = (uint64_t)b->anchor, slope = (uint64_t)b->slope;
  unsigned sign = 64 - rows_needed;
  if (raises && b->order == 0)
    anchor = rows_needed ? (uint64_t)((int64_t)(column0 << sign) >> sign) : 0;
  if (raises && a->order == 2)
    slope = rows_needed ? (uint64_t)((int64_t)(column1 << sign) >> sign) : 0;
  anchor += (uint64_t)a->anchor;
  slope += (uint64_t)a->slope;
  *size = 0;
  if (a->order == 0 && a->mode == COARSE && height == 0)
    return GHZ_OK;
  uint8_t *end = put_head(a->mode, a->order, (int64_t)anchor, (int64_t)slope, height, width, NULL, dst);
  *size = (size_t)(put_rows(width, rows, height, end) - dst);
  return GHZ_OK;
}

static ghz_status add_two(const tile_head *a, const tile_head *b, unsigned limit, uint8_t *dst, size_t *size) {
  if (a->order == b->order)
    return add_pair(a, b, 0, limit, dst, size);
  if (a->order < b->order) {
    const tile_head *t = a;
    a = b;
    b = t;
  }
  return a->order - b->order == 1 ? add_pair(a, b, 1, limit, dst, size) : add_pair(a, b, 2, limit, dst, size);
}

/* ---- Operations -------------------------------------------------------------------------------------- */

enum outcome { ON_LATTICE, OUTSIDE, DAMAGED };

/* Parses a tile; a raw one is first encoded on the lattice, at its best order. */
static enum outcome open_tile(const ghz_lattice *l, tile_source src, unsigned n, encoded_tile *room, tile_head *h) {
  if (is_raw(src)) {
    ALIGNED double values[TILE];
    integers v;
    plan plans[3];
      if (!raw_valid(l, src, n))
      return DAMAGED;
    memcpy(values, src.data + 1, src.size - 1);
    if (!to_integers(l, values, n, &v))
      return OUTSIDE;
    if (v.zero)
      return parse(l, (tile_source){NULL, 0, src.terms, 0}, n, h) == GHZ_OK ? ON_LATTICE : DAMAGED;
    measure(&v, plans);
    src.size = write_plan(&v, choose_plan(plans, GHZ_ORDER_BEST), room->bytes);
    src.data = room->bytes;
    src.exposed = 0;
  }
  src = sheltered(src, room);
  return parse(l, src, n, h) == GHZ_OK ? ON_LATTICE : DAMAGED;
}

static inline int64_t coefficient(const combination *c, size_t i) {
  return c->coefficients ? c->coefficients[i] : 1;
}

/* The combination in floating point, where an operand lies outside the lattice: a raw tile, the stream inexact. */
static ghz_status combine_values(const ghz_lattice *l, const combination *c, const tile_source *src, unsigned n,
                                 uint8_t *dst, size_t *size) {
  ALIGNED double sum[TILE], y[TILE];
  memset(sum, 0, sizeof sum);
  for (size_t i = 0; i < c->k; i++) {
    double factor = (double)coefficient(c, i);
    if (factor == 0 || src[i].size == 0)
      continue;
    ghz_status status = decode(l, src[i], l->type, n, 0, y);
    if (status != GHZ_OK)
      return status;
    for (unsigned j = 0; j < n; j++)
      sum[j] += factor * (l->type == GHZ_F32 ? (double)((const float *)y)[j] : y[j]);
  }
  dst[0] = RAW_TILE;
  for (unsigned j = 0; j < n; j++) {
    double v = sum[j] * c->factor / c->divisor;
    if (l->type == GHZ_F32)
      store_u32(dst + 1 + 4 * j, canonical_f32(bits_f32((float)v)));
    else
      store_u64(dst + 1 + 8 * j, canonical_f64(bits_f64(v)));
  }
  *size = 1 + n * ghz_type_size(l->type);
  return GHZ_OK;
}

/* The number of operands that count, up to 2, and the first of them. */
static unsigned operands(const combination *c, const tile_source *src, size_t *first) {
  unsigned count = 0;
  for (size_t i = c->k; i-- > 0;)
    if (src[i].size && coefficient(c, i)) {
      *first = i;
      count += count < 2;
    }
  return count;
}

/* Asks for a whole tile at once: its rows are found one after the other, and would be waited for so. */
static inline void prefetch_tile(tile_source src) {
  for (size_t i = 0; i < src.size; i += 64)
    __builtin_prefetch(src.data + i);
}

/* Sums of two full lattice tiles, the common case. Returns 0 if the tiles are not of that kind. */
static int combine_two(const ghz_lattice *l, const combination *c, const tile_source *src, unsigned n, uint8_t *dst,
                       size_t *size, ghz_status *status) {
  tile_head a, b;
  if (c->k != 2 || c->coefficients || n != TILE || !src[0].size || !src[1].size || src[0].exposed || src[1].exposed ||
      is_raw(src[0]) || is_raw(src[1]))
    return 0;
  prefetch_tile(src[0]);
  prefetch_tile(src[1]);
  *status = parse(l, src[0], n, &a);
  if (*status == GHZ_OK)
    *status = parse(l, src[1], n, &b);
  if (*status != GHZ_OK)
    return 1;
  if (a.mode != b.mode || a.specials || b.specials)
    return 0;
  int order = a.order > b.order ? a.order : b.order;
  *status = add_two(&a, &b, width_limit(l->type, l->cap, a.mode, order, c->terms), dst, size);
  return 1;
}

static ghz_status combine_many(const ghz_lattice *l, const combination *c, const tile_source *src, size_t first,
                               unsigned n, uint8_t *dst, size_t *size, int *inexact) {
  row_sum s;
  s.order = s.mode = s.special = 0;
  s.height = 0;
  s.anchor = s.slope = 0;
  for (size_t i = first; i < c->k; i++) {
    encoded_tile room;
    tile_head h;
    if (src[i].size == 0 || coefficient(c, i) == 0)
      continue;
    enum outcome outcome = open_tile(l, src[i], n, &room, &h);
    if (outcome == DAMAGED)
      return GHZ_ECORRUPT;
    if (outcome == OUTSIDE) {
      *inexact = 1;
      return combine_values(l, c, src, n, dst, size);
    }
    int mode = h.mode > s.mode ? h.mode : s.mode, order = h.order > s.order ? h.order : s.order;
    s.limit = width_limit(l->type, l->cap, mode, order, c->terms);
    add_tile(l, &s, &h, coefficient(c, i), n);
  }
  return write_sum(&s, dst, size);
}

/* The only operand that is not zero: its bytes. But a raw tile that the lattice can hold goes there, as it would beside
 * any other operand: R + (R - R) must be (R + R) - R. */
static ghz_status copy_tile(const ghz_lattice *l, const combination *c, tile_source src, unsigned n, uint8_t *dst,
                            size_t *size) {
  encoded_tile room;
  tile_head h;
  if (is_raw(src)) {
    enum outcome outcome = open_tile(l, src, n, &room, &h);
    if (outcome == DAMAGED)
      return GHZ_ECORRUPT;
    if (outcome == ON_LATTICE)
      return combine_many(l, c, &src, 0, n, dst, size, NULL);
  }
  if (src.size > c->tile_bound)
    return GHZ_ECORRUPT;
  *size = src.size;
  memcpy(dst, src.data, src.size);
  return GHZ_OK;
}

static ghz_status combine(const ghz_lattice *l, const combination *c, const tile_source *src, unsigned n,
                          uint8_t *dst, size_t *size, int *inexact) {
  static const combination alone = {.k = 1, .factor = 1, .divisor = 1};
  size_t first = 0;
  ghz_status status;
  if (combine_two(l, c, src, n, dst, size, &status))
    return status;
  unsigned count = operands(c, src, &first);
  *size = 0;
  if (count == 0)
    return GHZ_OK;
  if (count == 1 && coefficient(c, first) == 1 && !(c->scaled && is_raw(src[first]))) {
    combination one = alone;
    one.terms = c->terms;
    one.tile_bound = c->tile_bound;
    return copy_tile(l, &one, src[first], n, dst, size);
  }
  return combine_many(l, c, src, first, n, dst, size, inexact);
}

/* -1, 0, 1 for -Inf, finite, +Inf; NaN is beyond both ends, so that it wins. */
static int class_at(const tile_head *h, const specials *s, unsigned i, int larger) {
  if (!h->specials)
    return 0;
  int plus = s->plus[i / 8] >> i % 8 & 1, minus = s->minus[i / 8] >> i % 8 & 1;
  return plus & minus ? (larger ? 2 : -2) : plus - minus;
}

static ghz_status extremum_values(const ghz_lattice *l, const tile_source src[2], int larger, unsigned n,
                                  uint8_t *dst, size_t *size) {
  ALIGNED double y[2][TILE];
  for (int i = 0; i < 2; i++) {
    ghz_status status = decode(l, src[i], l->type, n, 0, y[i]);
    if (status != GHZ_OK)
      return status;
  }
  dst[0] = RAW_TILE;
  for (unsigned j = 0; j < n; j++) {
    double a = l->type == GHZ_F32 ? (double)((float *)y[0])[j] : y[0][j];
    double b = l->type == GHZ_F32 ? (double)((float *)y[1])[j] : y[1][j];
    double v = (larger ? a > b : a < b) ? a : b;
    int nan = a != a || b != b;
    if (l->type == GHZ_F32)
      store_u32(dst + 1 + 4 * j, nan ? UINT32_C(0x7fc00000) : bits_f32((float)v));
    else
      store_u64(dst + 1 + 8 * j, nan ? UINT64_C(0x7ff8000000000000) : bits_f64(v));
  }
  *size = 1 + n * ghz_type_size(l->type);
  return GHZ_OK;
}

static ghz_status extremum(const ghz_lattice *l, const tile_source src[2], int larger, unsigned n, uint8_t *dst,
                           size_t *size, int *inexact) {
  uint32_t terms = src[0].terms > src[1].terms ? src[0].terms : src[1].terms;
  tile_head h[2];
  specials s[2];
  encoded_tile room[2];
  ALIGNED int64_t q[2][TILE];
  for (int i = 0; i < 2; i++) {
    enum outcome outcome = open_tile(l, src[i], n, &room[i], &h[i]);
    if (outcome == DAMAGED)
      return GHZ_ECORRUPT;
    if (outcome == OUTSIDE) {
      *inexact = 1;
      return extremum_values(l, src, larger, n, dst, size);
    }
    decode_integers(&h[i], 1, q[i]);
    if (h[i].specials)
      take_specials(&h[i], &s[i]);
  }
  integers v;
  v.bits = 64;
  v.n = n;
  v.special = h[0].specials || h[1].specials;
  v.mode = h[0].mode > h[1].mode ? h[0].mode : h[1].mode;
  memset(&v.specials, 0, sizeof v.specials);
  unsigned shift[2];
  for (int i = 0; i < 2; i++)
    shift[i] = mode_shift(l->type, v.mode) - mode_shift(l->type, h[i].mode);
  memset(v.q64, 0, sizeof v.q64);
  for (unsigned j = 0; j < n; j++) {
    unsigned at = j % BLOCK * BLOCKS + j / BLOCK;
    int64_t a = (int64_t)((uint64_t)q[0][at] << shift[0]), b = (int64_t)((uint64_t)q[1][at] << shift[1]);
    int ca = class_at(&h[0], &s[0], j, larger), cb = class_at(&h[1], &s[1], j, larger);
    int second = ca != cb ? (larger ? cb > ca : cb < ca) : (larger ? b > a : b < a);
    int class = second ? cb : ca;
    v.q64[at] = second ? b : a;
    uint8_t bit = (uint8_t)(1 << j % 8);
    if (class == 1 || class == 2 || class == -2)
      v.specials.plus[j / 8] |= bit;
    if (class == -1 || class == 2 || class == -2)
      v.specials.minus[j / 8] |= bit;
  }
  v.special = v.special && has_specials(&v.specials);
  plan plans[3];
  measure(&v, plans);
  int order = h[0].order > h[1].order ? h[0].order : h[1].order;
  if (plans[order].height > width_limit(l->type, l->cap, v.mode, order, terms))
    return GHZ_ECORRUPT;
  *size = write_plan(&v, &plans[order], dst);
  return GHZ_OK;
}

static ghz_status scan(const ghz_lattice *l, tile_source src, unsigned n, ghz_statistics *st) {
  if (src.size == 0) {
    st->empty++;
    return GHZ_OK;
  }
  if (is_raw(src)) {
    st->raw++;
    return raw_valid(l, src, n) ? GHZ_OK : GHZ_ECORRUPT;
  }
  tile_head h;
  encoded_tile room;
  ghz_status status = parse(l, sheltered(src, &room), n, &h);
  if (status != GHZ_OK)
    return status;
  st->specials += h.specials != NULL;
  st->order[h.order]++;
  st->mode[h.mode]++;
  for (unsigned b = 0; b < (n + BLOCK - 1) / BLOCK; b++)
    st->widths[h.width[b]]++;
  return GHZ_OK;
}

static void range(ghz_type type, const void *x, size_t n, double *min, double *max) {
  if (type == GHZ_F32)
    finite_range_f32(x, n, min, max);
  else
    finite_range_f64(x, n, min, max);
}

const tile_codec GHZ_TILES = {GHZ_TILES_NAME, range, encode, decode, stream_end, combine, extremum, scan};
