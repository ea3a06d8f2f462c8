/* brick_decode_impl.h: bricks to values (FORMAT.md, "Residuals" and "Coefficients"). Part of
 * codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* ---- Integers -------------------------------------------------------------------------------- */

/* The integers of the lattice, in brick order. */
static void brick_integers(const layer_header *h, const brick_layout *g, int wide, int64_t *q) {
  ALIGNED int64_t r[TILE];
  layer_by_position(h, wide, r);
  if (wide) {
    r[0] = h->order ? h->anchor : r[0];
    if (h->order)
      integrate_x_64(r, g, h->order);
    merge_64(r, q, 0);
    integrate_yz_64(q, g, h->order);
  } else {
    int32_t *narrow = (int32_t *)r;
    narrow[0] = h->order ? (int32_t)h->anchor : narrow[0];
    if (h->order)
      integrate_x_32(narrow, g, h->order);
    merge_32(r, q, 0);
    integrate_yz_32((int32_t *)q, g, h->order);
  }
}

/* The coefficients, in the order in which they are coded, of 32 bits. */
static void narrow_coefficients(const layer_header *h, const live_coefficients *live, int32_t *c) {
  ALIGNED bit_plane planes[PLANES_MAX];
  expand_planes(h, planes);
  coefficients_of_planes(planes, h->height, h->anchor, live->blocks, c);
}

/* The same, any. */
static void wide_coefficients(const layer_header *h, int64_t *c) {
  ALIGNED int64_t r[TILE];
  layer_by_position(h, 1, r);
  r[0] = h->anchor;
  merge_64(r, c, 0);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* y = transformed * step: one rounding of a product, one to the type. */
#define DEFINE_COMPOSE(name, REAL)                                                                             \
  static inline void name(const double *transformed, double step, unsigned n, REAL *y) {                       \
    for (unsigned i = 0; i < n; i++)                                                                           \
      y[i] = (REAL)(transformed[i] * step);                                                                    \
  }

DEFINE_COMPOSE(compose_f32, float)
DEFINE_COMPOSE(compose_f64, double)
#undef DEFINE_COMPOSE

/* transformed += q * unit, where unit is the lattice's integer 1 in steps: an exact sum, rounded
 * once. */
static void add_lattice(const int32_t *q, double unit, double *transformed) {
  for (int i = 0; i < TILE; i++)
    transformed[i] += (double)q[i] * unit;
}

/* Blocks of the lattice that are not 0 where coefficients are: few, mostly. */
enum { SPARSE_BLOCKS = 24 };

static unsigned count_blocks(const uint8_t width[BLOCKS]) {
  unsigned count = 0;
  for (int b = 0; b < BLOCKS; b++)
    count += width[b] != 0;
  return count;
}

/* Integer t of a block of so many planes. */
static inline int64_t integer_of_planes(const bit_plane *planes, unsigned width, unsigned b, unsigned t) {
  uint64_t q = (uint64_t) - (int64_t)(planes[width - 1][b] >> t & 1);
  for (unsigned p = width - 1; p-- > 0;)
    q = q << 1 | (planes[p][b] >> t & 1);
  return (int64_t)q;
}

/* The same as add_lattice, of order 0, block by block from the planes. */
static void add_sparse_lattice(const layer_header *h, double unit, double *transformed) {
  ALIGNED bit_plane planes[PLANES_MAX];
  expand_planes(h, planes);
  for (unsigned k = 0; k < BLOCKS; k += 8)
    for (unsigned b = k; load_u64(h->width + k) && b < k + 8; b++)
      for (unsigned t = 0; h->width[b] && t < BLOCK; t++)
        transformed[b * BLOCK + t] += (double)integer_of_planes(planes, h->width[b], b, t) * unit;
}

/* A brick with coefficients whose integers are small, in steps: in float64, without any rounding
 * but one. */
static void compose(const ghz_lattice *l, const tile_header *b, const brick_layout *g, double *transformed) {
  ALIGNED int64_t q[TILE];
  ALIGNED int32_t c[TILE];
  const double unit = part_of_step(l->type, b->lattice.mode);
  const live_coefficients live = live_of(b->coefficients.width, g->dims, b->coefficients.anchor);
  narrow_coefficients(&b->coefficients, &live, c);
  inverse_transform(g->dims, c, &live, transformed);
  if (b->lattice.height == 0 && b->lattice.order == 0)
    return;
  if (b->lattice.order == 0 && count_blocks(b->lattice.width) <= SPARSE_BLOCKS) {
    add_sparse_lattice(&b->lattice, unit, transformed);
  } else {
    brick_integers(&b->lattice, g, 0, q);
    add_lattice((const int32_t *)q, unit, transformed);
  }
}

/* Values in steps, to their places. */
static void place_composed(const tile_place *p, const double *transformed, double step, ghz_type out,
                           int streaming, void *dst) {
  const tile_extent *e = &p->extent;
  ALIGNED double room[32];
  const size_t size = ghz_type_size(out), line = e->x * size;
  for (line_walk w = first_line(p); more_lines(&w); next_line(&w)) {
    void *to = (char *)dst + w.at * size, *place = streaming && may_stream(to, line) ? room : to;
    if (out == GHZ_F32)
      compose_f32(transformed + w.column, step, e->x, place);
    else
      compose_f64(transformed + w.column, step, e->x, place);
    if (place != to)
      stream_line(to, place, line);
  }
}

/* The integers K of any brick with coefficients, in 128 bits. */
static void compose_integers(const ghz_lattice *l, const tile_header *b, const brick_layout *g,
                             wide_integer k[TILE]) {
  ALIGNED int64_t c[TILE], q[TILE];
  const unsigned shift = transform_bits((unsigned)g->dims) - mode_shift(l->type, b->lattice.mode);
  wide_coefficients(&b->coefficients, c);
  brick_integers(&b->lattice, g, 1, q);
  wide_inverse(g->dims, c, k);
  for (int i = 0; i < TILE; i++)
    k[i] += (wide_integer)q[i] * ((wide_integer)1 << shift);
}

static void compose_wide(const ghz_lattice *l, const tile_header *b, const brick_layout *g,
                         double *transformed) {
  wide_integer k[TILE];
  compose_integers(l, b, g, k);
  for (int i = 0; i < TILE; i++)
    transformed[i] = (double)k[i] / (double)(UINT64_C(1) << transform_bits((unsigned)g->dims));
}

static void decode_transformed(const ghz_lattice *l, const tile_header *b, uint32_t terms, ghz_type out,
                               const tile_place *place, int streaming, void *dst) {
  ALIGNED double transformed[TILE];
  const brick_layout *g = &brick_layouts[place->extent.dims];
  if (fits_32_bits(l, b->lattice.mode, terms) && inverse_is_exact(&b->coefficients))
    compose(l, b, g, transformed);
  else
    compose_wide(l, b, g, transformed);
  place_composed(place, transformed, l->step, out, streaming, dst);
}

static void decode_untransformed(const ghz_lattice *l, const layer_header *h, uint32_t terms, ghz_type out,
                                 const tile_place *place, int streaming, void *dst) {
  ALIGNED int64_t q[TILE];
  ALIGNED double y[TILE];
  const int wide = !fits_32_bits(l, h->mode, terms);
  brick_integers(h, &brick_layouts[place->extent.dims], wide, q);
  dequantise(l, h->mode, terms, out, wide, q, y);
  scatter_brick(place, y, ghz_type_size(out), streaming, dst);
}

static void decode_any_brick(const ghz_lattice *l, const tile_header *t, uint32_t terms, ghz_type out,
                             const tile_place *place, int streaming, void *dst) {
  if (t->transformed)
    decode_transformed(l, t, terms, out, place, streaming, dst);
  else
    decode_untransformed(l, &t->lattice, terms, out, place, streaming, dst);
}

/* ---- Any tile -------------------------------------------------------------------------------- */

/* Puts NaN, or the fill, and infinities in their places. */
static void place_specials(const ghz_lattice *l, const layer_header *h, ghz_type out, const tile_place *p,
                           void *dst) {
  specials s;
  const uint64_t missing = missing_bits(l, out);
  parse_specials(h, &s);
  for (line_walk w = first_line(p); more_lines(&w); next_line(&w))
    if (out == GHZ_F32)
      restore_specials_f32(&s, (unsigned)w.column, p->extent.x, (uint32_t)missing, (float *)dst + w.at);
    else
      restore_specials_f64(&s, (unsigned)w.column, p->extent.x, missing, (double *)dst + w.at);
}

static void decode_lattice_tile(const ghz_lattice *l, const tile_header *t, uint32_t terms, ghz_type out,
                                const tile_place *place, int streaming, void *dst) {
  const int past = streaming && !t->lattice.specials; /* these are put in their places afterwards */
  if (place->extent.dims == 1)
    decode_flat(l, &t->lattice, terms, out, place->extent.n, past, dst);
  else if (!decode_brick_quickly(l, t, terms, out, place, past, dst))
    decode_any_brick(l, t, terms, out, place, past, dst);
  if (t->lattice.specials)
    place_specials(l, &t->lattice, out, place, dst);
}

/* Raw values have the order of columns inside. */
static void decode_raw_tile(const ghz_lattice *l, const uint8_t *values, ghz_type out, const tile_place *place,
                            void *dst) {
  const tile_extent *e = &place->extent;
  for (line_walk w = first_line(place); more_lines(&w); next_line(&w)) {
    decode_raw(l, values, out, e->x, (char *)dst + w.at * ghz_type_size(out));
    values += e->x * ghz_type_size(l->type);
  }
}

static void zero_tile(const tile_place *place, size_t size, int streaming, void *dst) {
  for (line_walk w = first_line(place); more_lines(&w); next_line(&w)) {
    void *to = (char *)dst + w.at * size;
    const size_t line = place->extent.x * size;
    if (streaming && may_stream(to, line))
      zero_line(to, line);
    else
      memset(to, 0, line);
  }
}

/* `values` has one line. */
static void repeat_line(const tile_place *place, const void *values, size_t size, int streaming, void *dst) {
  const size_t line = place->extent.x * size;
  for (line_walk w = first_line(place); more_lines(&w); next_line(&w)) {
    void *to = (char *)dst + w.at * size;
    if (streaming && may_stream(to, line))
      stream_line(to, values, line);
    else
      memcpy(to, values, line);
  }
}

/* Of the tile behind the value, specials alone count. */
static ghz_status decode_constant(const ghz_lattice *l, tile_source src, ghz_type out, const tile_place *place,
                                  int streaming, void *dst) {
  ALIGNED double values[TILE];
  tile_header t;
  encoded_tile room;
  uint64_t bits;
  if (!parse_value(l, &src, &bits) || parse(l, padded_copy(src, &room), &place->extent, &t) != GHZ_OK)
    return GHZ_ECORRUPT;
  const double value = number_of_bits(l->type, bits);
  for (unsigned i = 0; i < place->extent.x; i++)
    if (out == GHZ_F64)
      values[i] = value;
    else
      ((float *)(void *)values)[i] = (float)value;
  repeat_line(place, values, ghz_type_size(out), streaming && !t.lattice.specials, dst);
  if (t.lattice.specials)
    place_specials(l, &t.lattice, out, place, dst);
  return GHZ_OK;
}

static ghz_status decode(const ghz_lattice *l, const tile_source *src, ghz_type out, const tile_place *place,
                         int streaming, void *dst) {
  tile_header t;
  encoded_tile room;
  if (src->size == 0) {
    zero_tile(place, ghz_type_size(out), streaming, dst);
    return GHZ_OK;
  }
  if (is_constant(src))
    return decode_constant(l, *src, out, place, streaming, dst);
  if (is_raw(*src)) {
    if (!raw_valid(l, *src, place->extent.n))
      return GHZ_ECORRUPT;
    decode_raw_tile(l, src->data + 1, out, place, dst);
    return GHZ_OK;
  }
  const ghz_status status = parse(l, padded_copy(*src, &room), &place->extent, &t);
  if (status == GHZ_OK)
    decode_lattice_tile(l, &t, src->terms, out, place, streaming, dst);
  return status;
}
