/* compute.h: the operations on tiles: combinations and extrema, with operands that are raw, empty or
 * special (FORMAT.md, "Computing"). Part of codec.h. */

enum outcome { ON_LATTICE, OUTSIDE, DAMAGED };

/* Parses a tile; a raw one is first encoded on the lattice, at its best order. */
static enum outcome open_tile(const ghz_lattice *l, tile_source src, unsigned n, encoded_tile *room,
                              tile_header *h) {
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
    src.short_tail = 0;
  }
  src = padded_copy(src, room);
  return parse(l, src, n, h) == GHZ_OK ? ON_LATTICE : DAMAGED;
}

static inline int64_t coefficient(const combination *c, size_t i) {
  return c->coefficients ? c->coefficients[i] : 1;
}

/* The combination in floating point, where an operand lies outside the lattice: a raw tile, the stream inexact.
 */
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

/* Asks for a whole tile at once: its planes are found one after the other, and would be waited for so. */
static inline void prefetch_tile(tile_source src) {
  for (size_t i = 0; i < src.size; i += 64)
    __builtin_prefetch(src.data + i);
}

/* Sums of two full lattice tiles, the common case. Returns 0 if the tiles are not of that kind. */
static int combine_two(const ghz_lattice *l, const combination *c, const tile_source *src, unsigned n,
                       uint8_t *dst, size_t *size, ghz_status *status) {
  tile_header a, b;
  if (c->k != 2 || c->coefficients || n != TILE || !src[0].size || !src[1].size || src[0].short_tail ||
      src[1].short_tail || is_raw(src[0]) || is_raw(src[1]))
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
  *size = add_two(&a, &b, width_limit(l->type, l->cap, a.mode, order, c->terms), dst);
  return 1;
}

static ghz_status combine_many(const ghz_lattice *l, const combination *c, const tile_source *src, size_t first,
                               unsigned n, uint8_t *dst, size_t *size, int *inexact) {
  plane_sum s;
  s.order = s.mode = s.special = 0;
  s.height = 0;
  s.anchor = s.slope = 0;
  for (size_t i = first; i < c->k; i++) {
    encoded_tile room;
    tile_header h;
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

/* The only operand that is not zero: its bytes. But a raw tile that the lattice can hold goes there, as it
 * would beside any other operand: R + (R - R) must be (R + R) - R. And one outside makes a sum inexact even
 * where all else is zero, since what cancelled to zero here may not have done so in another order. */
static ghz_status copy_tile(const ghz_lattice *l, const combination *c, const tile_source *src, size_t i,
                            unsigned n, uint8_t *dst, size_t *size, int *inexact) {
  encoded_tile room;
  tile_header h;
  /* A full tile is copied unread: it is no larger than the bound below. A short one has a smaller bound of its
   * own. */
  if (is_raw(src[i]) || n < TILE) {
    enum outcome outcome = open_tile(l, src[i], n, &room, &h);
    if (outcome == DAMAGED)
      return GHZ_ECORRUPT;
    if (outcome == ON_LATTICE && is_raw(src[i]))
      return combine_many(l, c, src, i, n, dst, size, inexact);
    *inexact |= outcome == OUTSIDE && c->beside_others;
  }
  if (src[i].size > c->tile_bound)
    return GHZ_ECORRUPT;
  *size = src[i].size;
  memcpy(dst, src[i].data, src[i].size);
  return GHZ_OK;
}

static ghz_status combine(const ghz_lattice *l, const combination *c, const tile_source *src, unsigned n,
                          uint8_t *dst, size_t *size, int *inexact) {
  size_t first = 0;
  ghz_status status;
  if (combine_two(l, c, src, n, dst, size, &status))
    return status;
  unsigned count = operands(c, src, &first);
  *size = 0;
  if (count == 0)
    return GHZ_OK;
  if (count == 1 && coefficient(c, first) == 1 && !(c->scaled && is_raw(src[first])))
    return copy_tile(l, c, src, first, n, dst, size, inexact);
  return combine_many(l, c, src, first, n, dst, size, inexact);
}

/* An operand of a comparison, on integers. */
typedef struct comparand {
  tile_header header;
  specials specials;
  encoded_tile room;
  unsigned shift; /* to the mode of the result */
  ALIGNED int64_t q[TILE];
} comparand;

/* -1, 0, 1 for -Inf, finite, +Inf; NaN is beyond both ends, so that it wins. */
static int class_at(const comparand *c, unsigned i, int larger) {
  if (!c->header.specials)
    return 0;
  int plus = c->specials.plus[i / 8] >> i % 8 & 1, minus = c->specials.minus[i / 8] >> i % 8 & 1;
  return plus & minus ? (larger ? 2 : -2) : plus - minus;
}

/* Value i of the smaller or larger operand, special or not. */
static void choose_value(const comparand c[2], unsigned i, int larger, integers *v) {
  unsigned at = i % BLOCK * BLOCKS + i / BLOCK;
  int64_t a = (int64_t)((uint64_t)c[0].q[at] << c[0].shift), b = (int64_t)((uint64_t)c[1].q[at] << c[1].shift);
  int class_a = class_at(&c[0], i, larger), class_b = class_at(&c[1], i, larger);
  int greater = class_a != class_b ? class_b > class_a : b > a,
      less = class_a != class_b ? class_b < class_a : b < a;
  int second = larger ? greater : less, class = second ? class_b : class_a;
  uint8_t bit = (uint8_t)(1 << i % 8);
  v->q64[at] = second ? b : a;
  if (class == 1 || class == 2 || class == -2)
    v->specials.plus[i / 8] |= bit;
  if (class == -1 || class == 2 || class == -2)
    v->specials.minus[i / 8] |= bit;
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
  comparand c[2];
  for (int i = 0; i < 2; i++) {
    enum outcome outcome = open_tile(l, src[i], n, &c[i].room, &c[i].header);
    if (outcome == DAMAGED)
      return GHZ_ECORRUPT;
    if (outcome == OUTSIDE) {
      *inexact = 1;
      return extremum_values(l, src, larger, n, dst, size);
    }
    decode_integers(&c[i].header, 1, c[i].q);
    if (c[i].header.specials)
      take_specials(&c[i].header, &c[i].specials);
  }
  const tile_header *a = &c[0].header, *b = &c[1].header;
  int mode = a->mode > b->mode ? a->mode : b->mode, order = a->order > b->order ? a->order : b->order;
  uint32_t terms = src[0].terms > src[1].terms ? src[0].terms : src[1].terms;
  for (int i = 0; i < 2; i++)
    c[i].shift = mode_shift(l->type, mode) - mode_shift(l->type, c[i].header.mode);
  integers v = {.bits = 64, .mode = mode, .n = n};
  for (unsigned i = 0; i < n; i++)
    choose_value(c, i, larger, &v);
  v.special = has_specials(&v.specials);
  plan plans[3];
  measure(&v, plans);
  if (plans[order].height > width_limit(l->type, l->cap, mode, order, terms))
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
  tile_header h;
  encoded_tile room;
  ghz_status status = parse(l, padded_copy(src, &room), n, &h);
  if (status != GHZ_OK)
    return status;
  st->specials += h.specials != NULL;
  st->order[h.order]++;
  st->mode[h.mode]++;
  for (unsigned b = 0; b < (n + BLOCK - 1) / BLOCK; b++)
    st->widths[h.width[b]]++;
  return GHZ_OK;
}
