/* integers_impl.h: the integers that the values of a lattice tile are, in a unit that all tiles
 * of a stream share: for sums and comparisons without floating point. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* How integers are held: in 32, 64 or 128 bits. */
enum integer_form { IN_32, IN_64, IN_128 };

/* Integers of 32 bits below 2^25 in magnitude, and of 64 below 2^50, can be multiplied: 1024
 * products of differences of such sum up to less than 2^63, and in parts (sum_of_products). */
enum { NARROW_BITS = 25, PART_BITS = 26, WIDE_BITS = 50 };

/* Integers in units of 2^shift lattice units (tile.h). Those of columns outside, and of specials,
 * are 0. */
typedef struct tile_integers {
  enum integer_form form;
  int linear;     /* they are in brick order, not position-major */
  unsigned shift; /* below 32 */
  int hides;      /* some column is hidden: */
  ALIGNED bit_plane hidden;
  specials specials; /* set where `special` */
  int special;
  union {
    ALIGNED int32_t q32[TILE];
    ALIGNED int64_t q64[TILE];
    ALIGNED int128 q128[TILE];
  };
} tile_integers;

static inline unsigned place_of_column(const tile_integers *t, unsigned column) {
  return t->linear ? column : column % BLOCK * BLOCKS + column / BLOCK;
}

/* The integer at a place of the arrays. */
static inline int128 integer_in(const tile_integers *t, unsigned i) {
  return t->form == IN_32 ? t->q32[i] : t->form == IN_64 ? t->q64[i] : t->q128[i];
}

static inline int128 exact_integer(const tile_integers *t, unsigned column) {
  return integer_in(t, place_of_column(t, column));
}

static unsigned count_columns(const bit_plane plane) {
  unsigned count = 0;
  for (unsigned i = 0; i < PLANE_BYTES; i += 8)
    count += (unsigned)__builtin_popcountll(load_u64(plane + i));
  return count;
}

static void hide_column(tile_integers *t, unsigned column) {
  const unsigned i = place_of_column(t, column);
  if (t->form == IN_128)
    t->q128[i] = 0;
  else if (t->form == IN_64)
    t->q64[i] = 0;
  else
    t->q32[i] = 0;
}

/* Sets the integers of a plane's columns to 0. */
static void hide_columns(tile_integers *t, const bit_plane plane) {
  for (unsigned b = 0; b < BLOCKS; b++)
    for (unsigned rest = plane[b]; rest; rest &= rest - 1)
      hide_column(t, b * BLOCK + (unsigned)__builtin_ctz(rest));
}

/* Hides columns outside and specials. */
static void hide(tile_integers *t, const layer_header *h, const tile_extent *e) {
  t->special = h->specials != NULL;
  t->hides = t->special || e->n < TILE;
  if (!t->hides)
    return;
  columns_inside(e, t->hidden);
  if (t->special)
    parse_specials(h, &t->specials);
  for (int b = 0; b < PLANE_BYTES; b++)
    t->hidden[b] = (uint8_t)(~t->hidden[b] | (t->special ? t->specials.plus[b] | t->specials.minus[b] : 0));
  hide_columns(t, t->hidden);
}

/* ---- From tiles ------------------------------------------------------------------------------ */

/* Whole numbers times 2^-bits to integers. Returns 0 if one reaches 2^50. */
static int to_integers_64(const double *v, unsigned bits, int64_t *q) {
  const double unit = (double)(UINT64_C(1) << bits), zero = ROUND_F64;
  uint64_t beyond = 0, zero_bits;
  memcpy(&zero_bits, &zero, sizeof zero_bits);
  for (int i = 0; i < TILE; i++) {
    const double sum = v[i] * unit + zero;
    uint64_t sum_bits;
    memcpy(&sum_bits, &sum, sizeof sum_bits);
    q[i] = (int64_t)(sum_bits - zero_bits);
    beyond |= (sum_bits - zero_bits + (UINT64_C(1) << WIDE_BITS)) >> (WIDE_BITS + 1);
  }
  return beyond == 0;
}

static void transformed_integers(const ghz_lattice *l, const tile_header *b, const brick_layout *g,
                                 uint32_t terms, tile_integers *t) {
  const unsigned dims = (unsigned)g->dims;
  t->shift = lattice_bits(l->type, g->dims) - transform_bits(dims);
  t->form = IN_64;
  if (is_quick(l, b, terms, dims)) {
    ALIGNED double composed[TILE];
    const tile_place whole = packed_place(whole_tile(g->dims));
    const brick_target to = target_of(&whole, sizeof *composed, 0, 1, composed);
    put_transformed(l, g->dims, b, GHZ_F64, to);
    if (to_integers_64(composed, transform_bits(dims), t->q64))
      return;
  }
  t->form = IN_128;
  compose_integers(l, b, g, t->q128);
}

static void untransformed_integers(const ghz_lattice *l, const tile_header *h, const tile_extent *e,
                                   uint32_t terms, tile_integers *t) {
  const layer_header *layer = &h->lattice;
  const int wide = !fits_32_bits(l, layer->mode, terms);
  int64_t *q = wide ? t->q64 : (int64_t *)(void *)t->q32;
  t->form = wide ? IN_64 : IN_32;
  t->shift = unit_shift(l->type, (int)e->dims, layer->mode);
  if (e->dims == 1) {
    decode_integers(layer, wide, q);
  } else if (!wide && is_quick(l, h, terms, e->dims)) {
    const tile_place whole = packed_place(whole_tile((int)e->dims));
    const brick_target to = target_of(&whole, sizeof *t->q32, 0, 1, t->q32);
    (e->dims == 3 ? put_lattice_3_AS_THEY_ARE : put_lattice_2_AS_THEY_ARE)(&to, layer);
  } else {
    brick_integers(layer, &brick_layouts[e->dims], wide, q);
  }
}

static void tile_integers_of(const ghz_lattice *l, const tile_header *h, const tile_extent *e, uint32_t terms,
                             tile_integers *t) {
  t->linear = e->dims != 1;
  if (h->transformed)
    transformed_integers(l, h, &brick_layouts[e->dims], terms, t);
  else
    untransformed_integers(l, h, e, terms, t);
  hide(t, &h->lattice, e);
}

/* The integers of a tile that is not raw. An empty one has zeros, in any unit; one of one value has
 * those behind it. */
static ghz_status read_integers(const ghz_lattice *l, tile_source src, const tile_extent *e, tile_integers *t) {
  uint64_t bits;
  if (is_constant(&src) && !parse_value(l, &src, &bits))
    return GHZ_ECORRUPT;
  if (src.size == 0) {
    t->form = IN_32;
    t->linear = e->dims != 1;
    t->hides = t->special = 0;
    t->shift = unit_shift(l->type, (int)e->dims, COARSE);
    memset(t->q32, 0, sizeof t->q32);
    return GHZ_OK;
  }
  tile_header h;
  encoded_tile room;
  const ghz_status status = parse(l, padded_copy(src, &room), e, &h);
  if (status != GHZ_OK)
    return status;
  tile_integers_of(l, &h, e, src.terms, t);
  return GHZ_OK;
}

/* ---- From form to form ----------------------------------------------------------------------- */

static int is_narrow(const tile_integers *t) {
  uint32_t any = 0;
  for (int i = 0; t->form == IN_32 && i < TILE; i++)
    any |= fold_32(t->q32[i]);
  return t->form == IN_32 && bit_length(any) <= NARROW_BITS + 1; /* with the sign's */
}

/* q[] = the integers times 2^up. Returns 0 if one reaches 2^50. */
static int widened_to_64(const tile_integers *t, unsigned up, int64_t *q) {
  uint64_t beyond = 0;
  if (t->form == IN_128 || up >= WIDE_BITS)
    return 0;
  if (t->form == IN_32)
    for (int i = 0; i < TILE; i++)
      q[i] = t->q32[i];
  else
    memcpy(q, t->q64, TILE * sizeof *q);
  for (int i = 0; i < TILE; i++) {
    beyond |= ((uint64_t)q[i] + (UINT64_C(1) << (WIDE_BITS - up))) >> (WIDE_BITS + 1 - up);
    q[i] = (int64_t)((uint64_t)q[i] << up);
  }
  return beyond == 0;
}

/* To units of 2^shift: in 64 bits that can be multiplied, else in 128. */
static void widen_integers(tile_integers *t, unsigned shift) {
  const unsigned up = t->shift - shift;
  ALIGNED int64_t q[TILE];
  ALIGNED int128 wide[TILE];
  if (widened_to_64(t, up, q)) {
    memcpy(t->q64, q, sizeof q);
    t->form = IN_64;
  } else {
    for (unsigned i = 0; i < TILE; i++)
      wide[i] = integer_in(t, i) * ((int128)1 << up);
    memcpy(t->q128, wide, sizeof wide);
    t->form = IN_128;
  }
  t->shift = shift;
}

/* high * 2^26 + low: lanes of 32 bits are what processors multiply. */
typedef struct parted_integers {
  ALIGNED int32_t high[TILE], low[TILE];
} parted_integers;

/* Of integers below 2^51 in magnitude. */
static void part_integers(const int64_t *q, parted_integers *p) {
  for (int i = 0; i < TILE; i++) {
    const uint64_t up = (uint64_t)q[i] + (UINT64_C(1) << (WIDE_BITS + 1)); /* not negative: a plain shift */
    p->high[i] = (int32_t)((uint32_t)(up >> PART_BITS) - (1U << (WIDE_BITS + 1 - PART_BITS)));
    p->low[i] = (int32_t)(up & ((UINT64_C(1) << PART_BITS) - 1));
  }
}

static int128 sum_of_products(const parted_integers *a, const parted_integers *b) {
  int64_t high = 0, mixed = 0, low = 0;
  for (int i = 0; i < TILE; i++) {
    const int64_t h = a->high[i], l = a->low[i], g = b->high[i], k = b->low[i];
    high += h * g;
    mixed += h * k + l * g;
    low += l * k;
  }
  return ((int128)high * (1 << PART_BITS) + mixed) * (1 << PART_BITS) + low;
}
