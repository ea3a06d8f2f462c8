/* brick_decode_impl.h: bricks to values (FORMAT.md, "Residuals" and "Coefficients"). Part of
 * codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* ---- The inverse transform in 128 bits ------------------------------------------------------- */

/* Of any coefficients: those of sums of very many terms, and hostile ones. Slow, and exact. */

/* n frequencies to n values, in place, for each line of an axis whose steps are `stride`. */
static void wide_axis(unsigned n, unsigned stride, int128 a[TILE]) {
  for (unsigned i = 0; i < TILE; i++) {
    int128 line[32];
    if (i / stride % n)
      continue;
    for (unsigned u = 0; u < n; u++)
      line[u] = a[i + u * stride];
    for (unsigned x = 0; x < n; x++) {
      int128 sum = 0;
      for (unsigned u = 0; u < n; u++)
        sum += line[u] * inverse_factor(n, u, x);
      a[i + x * stride] = sum;
    }
  }
}

/* H(C), in brick order. Magnitudes are below 2^63 * LARGEST_8^2 * LARGEST_16 * 2^10 < 2^100. */
static void wide_inverse(int dims, const int64_t c[TILE], int128 k[TILE]) {
  const unsigned n = dims == 3 ? 16 : 32;
  for (unsigned i = 0; i < TILE; i++) {
    const unsigned place = i / (PLACES * n) * PLACES + i % PLACES, ux = i / PLACES % n,
                   line = dims == 3 ? frequency_pairs[place] : place;
    k[line * n + ux] = c[i];
  }
  wide_axis(n, 1, k);
  if (dims == 3)
    wide_axis(8, 16, k), wide_axis(8, 128, k);
  else
    wide_axis(32, 32, k);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* The integers K of any brick with coefficients, in 128 bits. */
static void compose_integers(const ghz_lattice *l, const tile_header *b, const brick_layout *g,
                             int128 k[TILE]) {
  ALIGNED int64_t c[TILE], q[TILE];
  const unsigned shift = transform_bits((unsigned)g->dims) - mode_shift(l->type, b->lattice.mode);
  brick_integers(&b->coefficients, g, 1, c);
  c[0] = b->coefficients.anchor;
  brick_integers(&b->lattice, g, 1, q);
  wide_inverse(g->dims, c, k);
  for (int i = 0; i < TILE; i++)
    k[i] += (int128)q[i] * ((int128)1 << shift);
}

/* Beyond what float64 holds: one rounding of K, one of the product, one to the type. */
static void decode_transformed(const ghz_lattice *l, const tile_header *b, ghz_type out,
                               const tile_place *place, int streaming, void *dst) {
  int128 k[TILE];
  ALIGNED double y[TILE];
  const double one = (double)(UINT64_C(1) << transform_bits(place->extent.dims));
  compose_integers(l, b, &brick_layouts[place->extent.dims], k);
  for (int i = 0; i < TILE; i++) {
    const double value = (double)k[i] / one * l->step;
    if (out == GHZ_F32)
      ((float *)(void *)y)[i] = (float)value;
    else
      y[i] = value;
  }
  scatter_brick(place, y, ghz_type_size(out), streaming, dst);
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

/* Not inline: it takes 100 KiB of the stack, which compilers touch page by page in any case. */
static __attribute__((noinline)) void decode_any_brick(const ghz_lattice *l, const tile_header *t,
                                                       uint32_t terms, ghz_type out, const tile_place *place,
                                                       int streaming, void *dst) {
  if (t->transformed)
    decode_transformed(l, t, out, place, streaming, dst);
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
