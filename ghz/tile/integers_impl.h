/* integers_impl.h: the integers that the values of a lattice tile are, in a unit that all tiles
 * of a stream share: for sums and comparisons without floating point. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* How integers are held: in 32, 64 or 128 bits; IN_50: in 64 bits, and below 2^50 in magnitude. */
enum integer_form { IN_32, IN_50, IN_64, IN_128 };

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
  return t->form == IN_32 ? t->q32[i] : t->form == IN_128 ? t->q128[i] : t->q64[i];
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
  else if (t->form == IN_32)
    t->q32[i] = 0;
  else
    t->q64[i] = 0;
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

/* Whether no integer of a brick reaches 2^50, as its widths tell. */
static int stays_in_50(int dims, const tile_header *b) {
  const layer_header *c = &b->coefficients;
  const double first = fabs((double)c->anchor) * (dims == 3 ? 0x1p24 : 0x1p16),
               factor =
                   dims == 3 ? (double)LARGEST_8 * LARGEST_8 * LARGEST_16 : (double)LARGEST_32 * LARGEST_32,
               others = (double)(widths_present(c->width) * most_of_block(c->height)) * factor;
  return b->lattice.order == 0 && b->lattice.height <= NARROW_PLANES && first + others < 0x1p49;
}

/* Whether all are below 2^bits in magnitude. */
static int are_below(const int64_t *q, unsigned bits) {
  uint64_t first = 0, second = 0; /* halves: neither waits for the other */
  for (int i = 0; i < TILE / 2; i++) {
    first |= (uint64_t)q[i] + (UINT64_C(1) << bits);
    second |= (uint64_t)q[i + TILE / 2] + (UINT64_C(1) << bits);
  }
  return (first | second) >> (bits + 1) == 0;
}

/* Apart: its memory would part what flat tiles have side by side. */
static __attribute__((noinline)) void transformed_integers(const ghz_lattice *l, const tile_header *b,
                                                           const brick_layout *g, uint32_t terms,
                                                           tile_integers *t) {
  const unsigned dims = (unsigned)g->dims;
  t->shift = lattice_bits(l->type, g->dims) - transform_bits(dims);
  t->form = IN_50;
  if (is_quick(l, b, terms, dims)) {
    const tile_place whole = packed_place(whole_tile(g->dims));
    const double unit = part_of_step(l->type, b->lattice.mode) * (double)(UINT64_C(1) << transform_bits(dims));
    const brick_target to = target_of(&whole, sizeof *t->q64, 0, unit, t->q64);
    put_transformed(l, g->dims, b, TO_INTEGER, &to);
    if (stays_in_50(g->dims, b) || are_below(t->q64, WIDE_BITS))
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

/* To units of 2^shift: in 64 bits that can be multiplied, else in 128. */
static void widen_integers(tile_integers *t, unsigned shift) {
  const unsigned up = t->shift - shift;
  ALIGNED int64_t q[TILE];
  ALIGNED int128 wide[TILE];
  if (t->form == IN_50 && up == 0)
    return;
  for (int i = 0; t->form != IN_128 && i < TILE; i++)
    q[i] = t->form == IN_32 ? t->q32[i] : t->q64[i];
  if (t->form != IN_128 && up < WIDE_BITS && are_below(q, WIDE_BITS - up)) {
    for (int i = 0; i < TILE; i++)
      t->q64[i] = (int64_t)((uint64_t)q[i] << up);
    t->form = IN_50;
  } else {
    for (unsigned i = 0; i < TILE; i++)
      wide[i] = integer_in(t, i) * ((int128)1 << up);
    memcpy(t->q128, wide, sizeof wide);
    t->form = IN_128;
  }
  t->shift = shift;
}

/* Of integers below 2^51 in magnitude; *sum becomes that of a's. Registers take them as
 * high * 2^26 + low: what their lanes multiply is of 32 bits. */
GHZ_INLINE int128 sum_of_products(const int64_t *a, const int64_t *b, int64_t *sum) {
  int128 products = 0;
  *sum = 0;
#if VEC >= 32
  const uvec_64 ones = (uvec_64){0} + ((1 << PART_BITS) - 1);
  vec_64 all = {0}, high = {0}, mixed = {0}, low = {0};
  for (int i = 0; i < TILE; i += DOUBLES) {
    const uvec_64 x = *(const uvec_64 *)(const void *)(a + i), y = *(const uvec_64 *)(const void *)(b + i);
    const vec_64 h = (vec_64)(x >> PART_BITS), l = (vec_64)(x & ones), g = (vec_64)(y >> PART_BITS),
                 k = (vec_64)(y & ones);
    all += (vec_64)x;
    high += multiply_halves(h, g);
    mixed += multiply_halves(h, k) + multiply_halves(l, g);
    low += multiply_halves(l, k);
  }
  for (int i = 0; i < DOUBLES; i++) {
    *sum += all[i];
    products += ((int128)high[i] * (1 << PART_BITS) + mixed[i]) * (1 << PART_BITS) + low[i];
  }
#else
  int128 others = 0; /* of the second half, which need not wait */
  for (int i = 0; i < TILE / 2; i++) {
    *sum += a[i] + a[i + TILE / 2];
    products += (int128)a[i] * b[i];
    others += (int128)a[i + TILE / 2] * b[i + TILE / 2];
  }
  products += others;
#endif
  return products;
}
