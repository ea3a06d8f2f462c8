/* compute_impl.h: linear combinations of tiles, with operands that are raw, empty or special
 * (FORMAT.md, "Computing"), and the statistics of a tile. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Takes a tile apart; a raw one is first encoded on the lattice, at its best order, without
 * coefficients. */
static enum opened_tile open_tile(const ghz_lattice *l, tile_source src, const tile_extent *e,
                                  encoded_tile *room, tile_header *t) {
  if (is_raw(src)) {
    const tile_place place = packed_place(*e);
    ALIGNED double values[TILE];
    if (!raw_valid(l, src, e->n))
      return DAMAGED;
    memcpy(values, src.data + 1, src.size - 1);
    if (!encode_on_lattice(l, COARSE, GHZ_ORDER_LORENZO, &place, values, SIZE_MAX, room->bytes, &src.size))
      return OUTSIDE;
    src.data = room->bytes;
    src.short_tail = 0;
  }
  return parse(l, padded_copy(src, room), e, t) == GHZ_OK ? ON_LATTICE : DAMAGED;
}

static inline int64_t coefficient(const tile_op *c, size_t i) {
  return c->coefficients ? c->coefficients[i] : 1;
}

static inline int64_t weight(const tile_op *c, size_t i) {
  return c->own ? c->own[i].weight : coefficient(c, i);
}

static inline const ghz_lattice *lattice_of(const tile_job *j, const tile_op *c, size_t i) {
  return c->own ? &c->own[i].lattice : j->lattice;
}

/* ---- Combinations ---------------------------------------------------------------------------- */

/* The values of an operand, decoded to the stream's type; what is missing is NaN. */
static ghz_status operand_values(const tile_job *j, const ghz_lattice *l, size_t i, double y[TILE]) {
  const ghz_lattice plain = without_fill(l);
  const unsigned n = j->extent.n;
  ALIGNED float narrow[TILE];
  const tile_place place = packed_place(j->extent);
  void *values = l->type == GHZ_F32 ? (void *)narrow : y;
  ghz_status status = decode(&plain, &j->src[i], l->type, &place, 0, values);
  if (status != GHZ_OK)
    return status;
  if (l->has_fill && is_raw(j->src[i]) && l->type == GHZ_F32)
    take_out_fill_f32(narrow, n, fill_test_of(l));
  else if (l->has_fill && is_raw(j->src[i]))
    take_out_fill_f64(y, n, fill_test_of(l));
  for (unsigned v = 0; l->type == GHZ_F32 && v < n; v++)
    y[v] = (double)narrow[v];
  return GHZ_OK;
}

/* A raw tile of values, rounded to the stream's type. */
static void put_raw(const tile_job *j, const double y[TILE]) {
  const ghz_type type = j->lattice->type;
  const unsigned n = j->extent.n; /* which no store of the loops can change */
  uint8_t *const values = j->dst + 1;
  j->dst[0] = RAW_TILE;
  for (unsigned v = 0; type == GHZ_F32 && v < n; v++)
    store_u32(values + 4 * v, canonical_f32(bits_f32((float)y[v])));
  for (unsigned v = 0; type == GHZ_F64 && v < n; v++)
    store_u64(values + 8 * v, canonical_f64(bits_f64(y[v])));
  *j->size = 1 + j->extent.n * ghz_type_size(type);
}

/* The combination in floating point, where an operand lies outside the lattice. */
static ghz_status combine_values(const tile_job *j, const tile_op *c) {
  ALIGNED double sum[TILE] = {0}, y[TILE];
  for (size_t i = 0; i < c->k; i++) {
    const double factor = (double)weight(c, i);
    if (factor == 0 || j->src[i].size == 0)
      continue;
    ghz_status status = operand_values(j, lattice_of(j, c, i), i, y);
    if (status != GHZ_OK)
      return status;
    for (unsigned v = 0; v < j->extent.n; v++)
      sum[v] += factor * y[v];
  }
  for (unsigned v = 0; v < j->extent.n; v++)
    sum[v] = sum[v] * c->factor / c->divisor;
  put_raw(j, sum);
  return GHZ_OK;
}

/* Asks for a whole tile at once: its planes are found one after the other, and each would be waited
 * for. */
static inline void prefetch_tile(tile_source src) {
  for (size_t i = 0; i < src.size; i += 64)
    __builtin_prefetch(src.data + i);
}

static int same_kind(const layer_header *a, const layer_header *b) {
  return a->mode == b->mode && !a->specials && !b->specials;
}

static unsigned limit_of_sum(const tile_job *j, const tile_op *c, const layer_header *a,
                             const layer_header *b) {
  const int order = a->order > b->order ? a->order : b->order;
  return width_limit(j->lattice, a->mode, order, c->terms);
}

static int combine_two_any(const tile_job *j, const tile_source src[2], const tile_op *c, ghz_status *status) {
  tile_header t[2];
  *status = parse_two_any(j->lattice, src, &j->extent, t);
  if (*status != GHZ_OK)
    return 1;
  const layer_header *a = &t[0].lattice, *b = &t[1].lattice;
  if (!same_kind(a, b))
    return 0;
  *j->size =
      add_two(&j->extent, &t[0], &t[1], limit_of_sum(j, c, a, b), coefficient_width_limit(c->terms), j->dst);
  return 1;
}

/* The same of full flat tiles. */
static int combine_two_full(const tile_job *j, const tile_op *c, ghz_status *status) {
  layer_header h[2];
  *status = parse_two(j->lattice, j->src, h) ? GHZ_OK : GHZ_ECORRUPT;
  if (*status != GHZ_OK)
    return 1;
  if (!same_kind(&h[0], &h[1]))
    return 0;
  *j->size = add_two_full(h, limit_of_sum(j, c, &h[0], &h[1]), j->dst);
  return 1;
}

/* The same where wide loads need copies: at an array's end. */
__attribute__((noinline)) static int combine_last_two(const tile_job *j, const tile_op *c, ghz_status *status) {
  encoded_tile room[2];
  const tile_source src[2] = {padded_copy(j->src[0], &room[0]), padded_copy(j->src[1], &room[1])};
  return combine_two_any(j, src, c, status);
}

/* Rule 5 for two lattice tiles, the common case. Returns 0 if the tiles are not of that kind. */
static int combine_two(const tile_job *j, const tile_op *c, ghz_status *status) {
  const tile_source *src = j->src;
  if (c->k != 2 || c->coefficients || !src[0].size || !src[1].size || is_raw(src[0]) || is_raw(src[1]))
    return 0;
  if (src[0].short_tail || src[1].short_tail)
    return combine_last_two(j, c, status);
  prefetch_tile(src[0]);
  prefetch_tile(src[1]);
  if (j->extent.dims == 1 && j->extent.n == TILE)
    return combine_two_full(j, c, status);
  return combine_two_any(j, src, c, status);
}

/* The operands that take part, and the first of them. */
static participants participants_of(const tile_job *j, const tile_op *c, size_t *first) {
  participants p = {.scaled = c->scaled, .beside_others = c->beside_others};
  for (size_t i = c->k; i-- > 0;)
    if (j->src[i].size && coefficient(c, i)) {
      *first = i;
      p.count += p.count < 2;
      p.coefficient = coefficient(c, i);
      p.raw = is_raw(j->src[i]);
    }
  return p;
}

/* A short tile is looked at before it is copied: its bound is smaller than the one of full
 * tiles. */
static ghz_status copy_tile(const tile_job *j, const tile_op *c, size_t i) {
  const tile_source src = j->src[i];
  encoded_tile room;
  tile_header t;
  if (j->extent.n < TILE && open_tile(j->lattice, src, &j->extent, &room, &t) == DAMAGED)
    return GHZ_ECORRUPT;
  if (src.size > c->tile_bound)
    return GHZ_ECORRUPT;
  *j->size = src.size;
  memcpy(j->dst, src.data, src.size);
  return GHZ_OK;
}

/* Adds an operand to a running sum, if it lies on the lattice. */
static enum opened_tile add_operand(const tile_job *j, const tile_op *c, size_t i, tile_sum *sum) {
  encoded_tile room;
  tile_header t;
  plane_tile x;
  const enum opened_tile opened = open_tile(lattice_of(j, c, i), j->src[i], &j->extent, &room, &t);
  if (opened != ON_LATTICE)
    return opened;
  open_operand(&t.lattice, &x);
  add_tile(j->lattice, c->terms, &j->extent, &sum->lattice, &x, coefficient(c, i));
  if (!t.transformed)
    return ON_LATTICE;
  if (!sum->transformed)
    clear_tile(&sum->coefficients);
  sum->transformed = 1;
  open_operand(&t.coefficients, &x);
  add_coefficients(c->terms, &sum->coefficients, &x, coefficient(c, i));
  return ON_LATTICE;
}

/* The sum on bit planes. Where an operand turns out to lie outside the lattice, what rule 3
 * says. */
static ghz_status add_tiles(const tile_job *j, const tile_op *c, const participants *p, size_t first) {
  tile_sum sum;
  clear_tile(&sum.lattice);
  sum.transformed = 0;
  for (size_t i = first; i < c->k; i++) {
    if (j->src[i].size == 0 || coefficient(c, i) == 0)
      continue;
    enum opened_tile opened = add_operand(j, c, i, &sum);
    if (opened == DAMAGED)
      return GHZ_ECORRUPT;
    if (opened == OUTSIDE)
      return result_of(p, 1, j->inexact) == RESULT_COPIED ? copy_tile(j, c, first) : combine_values(j, c);
  }
  return write_sum(&sum, j->dst, j->size);
}

static ghz_status combine(const tile_job *j, const tile_op *c) {
  size_t first = 0;
  ghz_status status;
  if (combine_two(j, c, &status))
    return status;
  const participants p = participants_of(j, c, &first);
  switch (result_of(&p, 0, j->inexact)) {
  case RESULT_EMPTY:
    *j->size = 0;
    return GHZ_OK;
  case RESULT_COPIED:
    return copy_tile(j, c, first);
  default:
    return add_tiles(j, c, &p, first);
  }
}

static ghz_status scan(const ghz_lattice *l, tile_source src, const tile_extent *extent, ghz_statistics *st) {
  uint64_t bits;
  if (src.size == 0) {
    st->empty++;
    return GHZ_OK;
  }
  const int constant = is_constant(&src);
  if (constant && !parse_value(l, &src, &bits))
    return GHZ_ECORRUPT;
  if (!constant && is_raw(src)) {
    st->raw++;
    return raw_valid(l, src, extent->n) ? GHZ_OK : GHZ_ECORRUPT;
  }
  encoded_tile room;
  tile_header t;
  const layer_header *h = &t.lattice;
  const ghz_status status = parse(l, padded_copy(src, &room), extent, &t);
  if (status != GHZ_OK)
    return status;
  st->specials += h->specials != NULL;
  st->constant += constant != 0;
  if (constant)
    return GHZ_OK;
  st->order[h->order]++;
  st->mode[h->mode]++;
  st->coefficients += t.transformed != 0;
  st->turned += h->turned != 0;
  ALIGNED bit_plane inside;
  columns_inside(extent, inside);
  for (unsigned i = 0; i < BLOCKS; i++)
    st->widths[h->width[i]] += inside[i] != 0;
  return GHZ_OK;
}
