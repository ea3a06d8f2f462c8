// add_brick_pair.cuh: the sum or difference of two common bricks, by a team: layer after layer on
// bit planes, in shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_ADD_BRICK_PAIR_CUH
#define GHZ_ADD_BRICK_PAIR_CUH

#include "cuda/kernels/add_pair.cuh"

// Both layers of a brick.
struct team_brick {
  team::team_shape lattice, coefficients;
};

// Takes apart a brick. Returns 0 if it is not common.
DEVICE int open_brick(const combine_call &c, const operand_headers &s, const side_place &p, team_brick &x) {
  const team::tile_bytes &b = p.bytes;
  team::team_shape &r = x.lattice, &k = x.coefficients;
  r.lead = {};
  int right = team::parse_lead(s.lattice, s.integer_bits, s.terms[p.operand], (unsigned)c.kind.shape.dims, b,
                               b.size, r);
  right = right && (!r.lead.coefficients || s.transform[p.operand]);
  right = team::parse_coefficients(s.terms[p.operand], b, b.size, right, r, k);
  return right && planes_fit(b.size, r.planes_at, r.sum + k.sum);
}

// A layer to be read; empty unless `right`.
DEVICE void open_layer(const combine_call &c, const side_place &p, const team::team_shape &t, int right,
                       const team_room &room, team_side &x) {
  uint32_t widths[team::WORDS];
  UNROLLED for (int w = 0; w < team::WORDS; w++) widths[w] = right ? t.widths[w] : 0;
  x.reader.begin(p.bytes, window_of(room, p.operand), widths, right ? t.planes_at : 0);
  x.order = 0; // nothing is raised
  x.negative = c.coefficient[p.operand] < 0 ? ALL : 0;
}

// Planes that the sum of two layers takes.
DEVICE int planes_of_sum(const team::team_shape &a, const team::team_shape &b, unsigned limit) {
  const unsigned top = max(a.height, b.height);
  return (int)min(top + (top > 0), limit);
}

DEVICE int64_t signed_anchor(const team::team_shape &t, const team_side &x) {
  return x.negative ? -t.lead.anchor : t.lead.anchor;
}

// The sum of two layers, whose planes stand in the room from `first` on.
DEVICE void add_layers(const combine_call &c, const operand_headers &s, side_place p[2],
                       const team::team_shape &a, const team::team_shape &b, int right, int first, int count,
                       team_room &room, team::team_shape &sum) {
  team_side x, y;
  open_layer(c, p[0], a, right, room, x);
  open_layer(c, p[1], b, right, room, y);
  add_planes<false>(s.expand, x, y, first, count, room, sum.widths);
  p[0].bytes = x.reader.bytes; // as far as they are brought now
  p[1].bytes = y.reader.bytes;
  sum.lead = {};
  sum.lead.order = a.lead.order;
  sum.lead.mode = a.lead.mode;
  sum.lead.turned = a.lead.turned;
  sum.lead.anchor = signed_anchor(a, x) + signed_anchor(b, y);
}

// What is known of a sum before it is squeezed.
struct team_brick_sum {
  team_brick brick;
  int first; // plane of the coefficients in the room
  uint32_t coefficients_at, size;
};

// Completes a sum whose layers' widths and anchors are known.
DEVICE void finish_sum(team_brick_sum &t, int transformed) {
  team::team_shape &r = t.brick.lattice, &k = t.brick.coefficients;
  const uint32_t used = team::measure_widths(r, team::width_bytes_in_use(r)),
                 used_by_k = team::measure_widths(k, team::width_bytes_in_use(k));
  r.lead.width_planes = bit_length(r.height);
  k.lead.width_planes = bit_length(k.height);
  k.lead.squeezed = squeezing_pays(k.lead.width_planes, used_by_k);
  r.lead.coefficients = transformed;
  r.lead.anchor = r.lead.order ? r.lead.anchor : 0;
  t.coefficients_at = choose_squeezing(&r.lead, used);
  r.planes_at = t.coefficients_at;
  if (transformed)
    r.planes_at +=
        1 + anchor_size(k.lead.anchor) + width_planes_size(k.lead.width_planes, used_by_k, k.lead.squeezed);
  k.planes_at = r.planes_at + r.sum;
  t.size = lead_says_empty(&r.lead) ? 0 : k.planes_at + k.sum;
}

// Adds or subtracts the bricks of four teams. Returns 0 where they are not common: whole, on the
// lattice, of one mode and order, both turned or none, both with coefficients or both without,
// without specials, of few planes. A damaged brick is not common: add_bricks.cuh reports it.
DEVICE int add_brick_pair(const combine_call &c, const operand_headers &s, const team::tile_bytes from[2],
                          team_room &room, team_brick_sum &t) {
  side_place p[2] = {{from[0], 0}, {from[1], 1}};
  team_brick a, b;
  int right = open_brick(c, s, p[0], a);
  one_after_the_other();
  right &= open_brick(c, s, p[1], b);
  const tile_lead &lead = a.lattice.lead, &other = b.lattice.lead;
  const unsigned limit = width_of_bits(s.integer_bits[lead.mode], lead.order, s.terms_of_result);
  int planes = planes_of_sum(a.lattice, b.lattice, limit),
      more = planes_of_sum(a.coefficients, b.coefficients, coefficient_width_limit(s.terms_of_result));
  right = right && lead.mode == other.mode && lead.order == other.order && lead.turned == other.turned &&
          lead.coefficients == other.coefficients && planes + more <= TEAM_PLANES;
  planes = right ? planes : 0;
  more = right ? more : 0;
  t.first = planes;
  add_layers(c, s, p, a.lattice, b.lattice, right, 0, planes, room, t.brick.lattice);
  add_layers(c, s, p, a.coefficients, b.coefficients, right, planes, more, room, t.brick.coefficients);
  finish_sum(t, lead.coefficients);
  return right;
}

// Squeezes a sum in its place.
DEVICE void squeeze_brick_sum(const team_brick_sum &t, uint32_t size, team_room &room) {
  uint8_t *out = room.bytes();
  const bool transformed = t.brick.lattice.lead.coefficients;
  __syncwarp(); // the operands' bytes are read
  team::put_header(out, t.brick.lattice, size != 0);
  team::put_coefficients_header(out + t.coefficients_at, t.brick.coefficients, size && transformed);
  squeeze_planes(t.brick.lattice, 0, size, room);
  squeeze_planes(t.brick.coefficients, t.first, transformed ? size : 0, room);
}

#endif
