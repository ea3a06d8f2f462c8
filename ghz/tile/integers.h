/* integers.h: the integers that the values of a lattice tile are, in a unit that all tiles of a
 * stream share: for sums and comparisons without floating point. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* How integers are held. SPLIT: as high * 2^split + low, low of at most 2^26 in magnitude and high
 * of at most 2^24: then 1024 products of such, or of differences of such, sum up to less than
 * 2^63. */
enum integer_form { PLAIN_32, SPLIT, PLAIN_64, PLAIN_128 };

enum { LOW_BITS = 26, HIGH_BITS = 24 };

/* Integers in units of 2^shift lattice units (tile.h). Those of columns outside, and of specials,
 * are 0. */
typedef struct tile_integers {
  enum integer_form form;
  int linear;     /* they are in brick order, not position-major */
  unsigned shift; /* below 64 */
  unsigned split;
  int hides; /* some column is hidden: */
  ALIGNED bit_plane hidden;
  specials specials; /* set where `special` */
  int special;
  ALIGNED int32_t q32[TILE]; /* PLAIN_32, and high of SPLIT */
  ALIGNED int32_t low[TILE];
  union {
    ALIGNED int64_t q64[TILE];
    ALIGNED int128 q128[TILE];
  };
} tile_integers;

static inline unsigned place_of_column(const tile_integers *t, unsigned column) {
  return t->linear ? column : column % BLOCK * BLOCKS + column / BLOCK;
}

/* The integer at a place of the arrays. */
static inline int128 integer_in(const tile_integers *t, unsigned i) {
  switch (t->form) {
  case PLAIN_32:
    return t->q32[i];
  case SPLIT:
    return (int64_t)t->q32[i] * (INT64_C(1) << t->split) + t->low[i];
  case PLAIN_64:
    return t->q64[i];
  default:
    return t->q128[i];
  }
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
  if (t->form == PLAIN_128)
    t->q128[i] = 0;
  else if (t->form == PLAIN_64)
    t->q64[i] = 0;
  else
    t->q32[i] = 0;
  if (t->form == SPLIT)
    t->low[i] = 0;
}

/* Sets the integers of a plane's columns to 0. */
static void hide_columns(tile_integers *t, const bit_plane plane) {
  for (unsigned b = 0; b < BLOCKS; b++)
    for (unsigned left = plane[b]; left; left &= left - 1)
      hide_column(t, b * BLOCK + (unsigned)__builtin_ctz(left));
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

/* What `compose` gives, in multiples of 2^-bits of a step, in parts. A high part below 2^22
 * leaves no doubt that it was not rounded. Returns 0 beyond. */
static int split_composed(const double *transformed, unsigned bits, tile_integers *t) {
  const double up = (double)(1U << (bits - t->split)), scale = (double)(UINT64_C(1) << t->split);
  const double zero = ROUND_F64;
  uint64_t beyond = 0, zero_bits;
  memcpy(&zero_bits, &zero, sizeof zero_bits);
  for (int i = 0; i < TILE; i++) {
    const double k = transformed[i] * up, sum = k + zero, whole = sum - zero;
    uint64_t sum_bits;
    memcpy(&sum_bits, &sum, sizeof sum_bits);
    beyond |= (sum_bits - zero_bits + (UINT64_C(1) << 22)) >> 23;
    t->q32[i] = (int32_t)(uint32_t)(sum_bits - zero_bits);
    t->low[i] = (int32_t)((k - whole) * scale);
  }
  return beyond == 0;
}

static void transformed_integers(const ghz_lattice *l, const tile_header *b, const brick_grid *g,
                                 uint32_t terms, tile_integers *t) {
  const unsigned bits = transform_bits((unsigned)g->dims);
  t->shift = lattice_bits(l->type, g->dims) - bits;
  t->split = bits < LOW_BITS ? bits : LOW_BITS;
  if (fits_32_bits(l, b->lattice.mode, terms) && inverse_is_exact(&b->coefficients)) {
    ALIGNED double transformed[TILE];
    compose(l, b, g, transformed);
    t->form = SPLIT;
    if (split_composed(transformed, bits, t))
      return;
  }
  t->form = PLAIN_128;
  compose_integers(l, b, g, t->q128);
}

static void untransformed_integers(const ghz_lattice *l, const layer_header *h, const tile_extent *e,
                                   uint32_t terms, tile_integers *t) {
  const int wide = !fits_32_bits(l, h->mode, terms);
  int64_t *q = wide ? t->q64 : (int64_t *)(void *)t->q32;
  t->form = wide ? PLAIN_64 : PLAIN_32;
  t->shift = unit_shift(l->type, (int)e->dims, h->mode);
  if (t->linear)
    brick_integers(h, &brick_grids[e->dims], wide, q);
  else
    decode_integers(h, wide, q);
}

/* The integers of a tile that is not raw. An empty one has zeros, in any unit; one of one value has
 * those behind it. */
static ghz_status take_integers(const ghz_lattice *l, tile_source src, const tile_extent *e, tile_integers *t) {
  uint64_t bits;
  if (is_constant(&src) && !take_value(l, &src, &bits))
    return GHZ_ECORRUPT;
  if (src.size == 0) {
    t->form = PLAIN_32;
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
  t->linear = e->dims != 1;
  if (h.transformed)
    transformed_integers(l, &h, &brick_grids[e->dims], src.terms, t);
  else
    untransformed_integers(l, &h.lattice, e, src.terms, t);
  hide(t, &h.lattice, e);
  return GHZ_OK;
}

/* ---- From form to form ----------------------------------------------------------------------- */

/* Sums of 1024 products of two differences of such integers stay below 2^63. */
enum { NARROW_BITS = 25 };

static int is_narrow(const int32_t *q, unsigned bits) {
  uint32_t any = 0;
  for (int i = 0; i < TILE; i++)
    any |= fold_32(q[i]);
  return bit_length(any) <= bits + 1; /* with the sign's */
}

static void part_32(tile_integers *t) {
  t->split = 16;
  for (int i = 0; i < TILE; i++) {
    const uint32_t up = (uint32_t)t->q32[i] ^ UINT32_C(0x80000000); /* not negative: a plain shift */
    t->low[i] = (int32_t)(up & 0xffff);
    t->q32[i] = (int32_t)(up >> 16) - (1 << 15);
  }
  t->form = SPLIT;
}

/* Returns 0 if an integer reaches 2^50. */
static int part_64(tile_integers *t) {
  uint64_t beyond = 0;
  for (int i = 0; i < TILE; i++) {
    const uint64_t up = (uint64_t)t->q64[i] + (UINT64_C(1) << (LOW_BITS + HIGH_BITS));
    beyond |= up >> (LOW_BITS + HIGH_BITS + 1);
    t->q32[i] = (int32_t)((uint32_t)(up >> LOW_BITS) - (1U << HIGH_BITS)); /* wraps beyond */
    t->low[i] = (int32_t)(up & ((UINT64_C(1) << LOW_BITS) - 1));
  }
  t->split = LOW_BITS;
  t->form = beyond ? PLAIN_64 : SPLIT;
  return t->form == SPLIT;
}

/* To units of 2^shift, in 128 bits. */
static void widen_integers(tile_integers *t, unsigned shift) {
  const int128 unit = (int128)1 << (t->shift - shift);
  ALIGNED int128 wide[TILE];
  for (unsigned i = 0; i < TILE; i++)
    wide[i] = integer_in(t, i) * unit;
  memcpy(t->q128, wide, sizeof wide);
  t->form = PLAIN_128;
  t->shift = shift;
}

/* To a form that can be multiplied: PLAIN_32 of NARROW_BITS, SPLIT, or PLAIN_128. */
static void make_products_fit(tile_integers *t) {
  if (t->form == PLAIN_32 && !is_narrow(t->q32, NARROW_BITS))
    part_32(t);
  else if (t->form == PLAIN_64 && !part_64(t))
    widen_integers(t, t->shift);
}
