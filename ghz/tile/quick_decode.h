/* quick_decode.h: which bricks have a quick way, that gives the values of brick_decode.h. Part of
 * codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

static int has_quick_sums(const layer_header *c) {
  return c->height <= NARROW_PLANES && inverse_is_exact(c);
}

/* Returns 0 without having stored anything if there is none for this one. */
static int decode_brick_quickly(const ghz_lattice *l, const tile_header *b, uint32_t terms, ghz_type out,
                                const tile_place *place, int streaming, void *dst) {
  const layer_header *h = &b->lattice;
  if (!ghz_quick_bricks || !fits_32_bits(l, h->mode, terms) || place->extent.n < TILE ||
      place->extent.dims != 3 || out != GHZ_F32)
    return 0;
  if (b->transformed) {
    const brick_target t = target_of(place, 4, streaming, l->step, dst);
    return h->order == 0 && h->height <= NARROW_PLANES && has_quick_sums(&b->coefficients) &&
           decode_transformed_quickly(l, b, &t);
  }
  if (!sums_fit_16(3, h) || !decodes_in_float(l, h->mode, terms))
    return 0;
  const brick_target t = target_of(place, 4, streaming, mode_unit(l->type, l->step, h->mode), dst);
  put_lattice_3_IN_FLOAT(&t, h);
  return 1;
}
