// brick_header.cuh: how a warp takes apart and checks the header of a brick, with its two layers,
// and writes it (FORMAT.md, "Tile").
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_BRICK_HEADER_CUH
#define GHZ_BRICK_HEADER_CUH

#include "cuda/primitives/brick.cuh"

// A lattice brick. The coefficients, where lattice.lead says that there are some, are like
// residuals of order 0 with an anchor, the first one.
struct brick_shape {
  tile_shape lattice, coefficients;
};

// ---- Taking apart -------------------------------------------------------------------------------

// The coefficients up to their planes, from `at` on, which it moves past them.
template <class Bytes>
DEVICE int parse_coefficients(uint32_t terms, const Bytes &b, uint32_t &at, uint32_t size, tile_shape &c,
                              int lane) {
  unsigned anchor;
  c.lead = {};
  c.plus = c.minus = 0;
  if (at >= size || !open_coefficients(b.byte(at), size - at, &c.lead, &anchor))
    return 0;
  c.lead.anchor = low_bytes(anchor_bytes(b, at + 1, anchor), anchor);
  at += 1 + anchor;
  if (anchor_size(c.lead.anchor) != anchor || !parse_widths(b, at, size, c.lead, c.widths, lane))
    return 0;
  measure_widths(c);
  return coefficient_height_valid(terms, &c.lead, (unsigned)c.height);
}

// Takes apart a brick that is neither empty nor raw, and checks all of it but the planes' bytes,
// which may be anything. Returns 0 if it is damaged.
template <class Bytes>
DEVICE int parse_brick(const ghz_lattice &l, uint32_t terms, int transform, const Bytes &b, uint32_t size,
                       const tile_extent &e, uint32_t inside, brick_shape &t, int lane) {
  anchor_place at;
  tile_shape &r = t.lattice, &c = t.coefficients;
  r.plus = r.minus = 0;
  c = {};
  if (!open_lead(&l, terms, e.dims, b.byte(0), size > 1 ? b.byte(1) : 0, size, &r.lead, &at) ||
      !open_anchors(&r.lead, &at, anchor_bytes(b, at.at, at.anchor), 0))
    return 0;
  uint32_t p = widths_at(&at);
  if (!parse_widths(b, p, size, r.lead, r.widths, lane))
    return 0;
  measure_widths(r);
  if (!height_valid(&l, terms, &r.lead, (unsigned)r.height) ||
      (e.n < TILE && blocks_outside(r.widths, inside)) || !turning_allowed(&r.lead, e.n))
    return 0;
  if (r.lead.special && !parse_specials(b, p, size, ~inside, r, lane))
    return 0;
  if (r.lead.coefficients &&
      (!coefficients_allowed(transform, e.n) || !parse_coefficients(terms, b, p, size, c, lane)))
    return 0;
  r.planes_at = p;
  c.planes_at = p + r.sum;
  return planes_fit(size, p, r.sum + c.sum);
}

// ---- Putting together ---------------------------------------------------------------------------

// Completes coefficients whose widths and first one are known; returns the bytes of their header.
DEVICE uint32_t finish_coefficients(tile_shape &c, int lane) {
  const uint32_t used = width_bytes_in_use(c.widths, lane);
  measure_widths(c);
  c.lead.width_planes = bit_length((uint64_t)c.height);
  c.lead.squeezed = squeezing_pays(c.lead.width_planes, used);
  return 1 + anchor_size(c.lead.anchor) + width_planes_size(c.lead.width_planes, used, c.lead.squeezed);
}

// Completes a brick of which orders, modes, anchors, widths and specials are known; returns its
// size. The residuals' header is that of a flat tile, without a slope.
DEVICE uint32_t finish_brick(brick_shape &t, int lane) {
  tile_shape &r = t.lattice, &c = t.coefficients;
  const uint32_t used = width_bytes_in_use(r.widths, lane);
  uint32_t header = r.lead.coefficients ? finish_coefficients(c, lane) : 0;
  measure_widths(r);
  r.lead.width_planes = bit_length((uint64_t)r.height);
  r.lead.anchor = r.lead.order ? r.lead.anchor : 0;
  r.lead.slope = 0;
  header += choose_squeezing(&r.lead, used);
  if (lead_says_empty(&r.lead))
    return 0;
  if (r.lead.special)
    header += special_plane_size(r.plus) + special_plane_size(r.minus);
  r.planes_at = header;
  c.planes_at = header + r.sum;
  return r.lead.coefficients ? c.planes_at + c.sum : c.planes_at;
}

DEVICE void put_coefficients_header(uint8_t *out, const tile_shape &c, int lane) {
  const unsigned bytes = anchor_size(c.lead.anchor);
  if (lane == 0)
    out[0] = coefficients_head(&c.lead);
  else if ((unsigned)lane <= bytes)
    out[lane] = (uint8_t)((uint64_t)c.lead.anchor >> 8 * (lane - 1));
  put_widths(out + 1 + bytes, c.widths, c.lead, lane);
}

// Writes everything of a brick but its planes.
DEVICE void put_brick_header(uint8_t *out, const brick_shape &t, int lane) {
  out = put_header(out, t.lattice, lane);
  if (t.lattice.lead.coefficients)
    put_coefficients_header(out, t.coefficients, lane);
}

#endif
