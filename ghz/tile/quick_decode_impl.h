/* quick_decode_impl.h: bricks that registers hold: of 32 bits, and with coefficients that float64
 * holds. All others are brick_decode_impl.h's. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Integers of 32 bits: whose sums along x are of 16, or beside sums of products that are exact. */
static int is_quick(const ghz_lattice *l, const tile_header *b, uint32_t terms, unsigned dims) {
  const layer_header *h = &b->lattice;
  const unsigned summed = dims == 3 ? SUMMED_PLANES_3 : SUMMED_PLANES_2;
  if (!ghz_quick_bricks || !fits_32_bits(l, h->mode, terms))
    return 0;
  if (b->transformed)
    return inverse_is_exact(&b->coefficients);
  return h->height <= (h->order ? summed : NARROW_PLANES);
}

/* The integers of the lattice alone, as dequantise has them. */
static void put_untransformed(const ghz_lattice *l, const layer_header *h, uint32_t terms, unsigned dims,
                              ghz_type out, const brick_target *t) {
  if (out == GHZ_F64)
    (dims == 3 ? put_lattice_3_TO_DOUBLE : put_lattice_2_TO_DOUBLE)(t, h);
  else if (decodes_in_float(l, h->mode, terms))
    (dims == 3 ? put_lattice_3_IN_FLOAT : put_lattice_2_IN_FLOAT)(t, h);
  else
    (dims == 3 ? put_lattice_3_TO_FLOAT : put_lattice_2_TO_FLOAT)(t, h);
}

static void decode_whole_quickly(const ghz_lattice *l, const tile_header *b, uint32_t terms, ghz_type out,
                                 const tile_place *place, int streaming, void *dst) {
  const unsigned dims = place->extent.dims;
  const double unit = mode_unit(l->type, l->step, b->lattice.mode);
  const brick_target t = target_of(place, ghz_type_size(out), streaming, unit, dst);
  if (b->transformed)
    put_transformed(l, (int)dims, b, out == GHZ_F32 ? TO_FLOAT : TO_DOUBLE, &t);
  else
    put_untransformed(l, &b->lattice, terms, dims, out, &t);
}

/* One that the border cuts by way of a whole one. Returns 0 if there is no quick way. */
static int decode_brick_quickly(const ghz_lattice *l, const tile_header *b, uint32_t terms, ghz_type out,
                                const tile_place *place, int streaming, void *dst) {
  ALIGNED double room[TILE];
  const tile_place whole = packed_place(whole_tile((int)place->extent.dims));
  if (!is_quick(l, b, terms, place->extent.dims))
    return 0;
  if (place->extent.n == TILE) {
    decode_whole_quickly(l, b, terms, out, place, streaming, dst);
    return 1;
  }
  decode_whole_quickly(l, b, terms, out, &whole, 0, room);
  scatter_brick(place, room, ghz_type_size(out), streaming, dst);
  return 1;
}
