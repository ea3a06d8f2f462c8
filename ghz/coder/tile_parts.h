/* tile_parts.h: what the bytes of a tile are for. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

static ghz_status tile_parts(const ghz_lattice *l, tile_source src, const tile_extent *e, uint64_t *parts) {
  encoded_tile room;
  tile_header t;
  tile_opening o;
  if (src.size == 0)
    return GHZ_OK;
  if (first_says_raw(src.data[0]) || is_constant(&src)) {
    parts[IN_RAW] += src.size;
    return GHZ_OK;
  }
  src = padded_copy(src, &room);
  const ghz_status status = parse(l, src, e, &t);
  if (status != GHZ_OK)
    return status;
  parse_lead(l, src, e->dims, &o);
  const layer_header *r = &t.lattice, *c = &t.coefficients;
  const size_t before = (size_t)(r->planes - src.data), lead = widths_at(&o.at),
               widths = width_planes_size(o.lead.width_planes, widths_nonzero(r->width), o.lead.squeezed),
               special = r->specials ? special_planes_size(r->specials) : 0,
               head = t.transformed ? 1 + anchor_size(c->anchor) : 0;
  parts[IN_HEADS] += lead + head;
  parts[IN_WIDTHS_R] += widths;
  parts[IN_WIDTHS_C] += before - lead - widths - special - head;
  parts[IN_SPECIALS] += special;
  parts[IN_VALUES_R] += widths_sum(r->width);
  parts[IN_VALUES_C] += t.transformed ? widths_sum(c->width) : 0;
  return GHZ_OK;
}
