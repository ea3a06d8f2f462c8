// brick_planes.cuh: sums of bricks on bit planes, by a warp, in local memory: operands, and the
// brick of a sum.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_BRICK_PLANES_CUH
#define GHZ_BRICK_PLANES_CUH

#include "cuda/primitives/brick_integers.cuh"
#include "cuda/primitives/brick_values.cuh"
#include "cuda/primitives/plane_sum.cuh"

// The shape of the brick that a sum becomes, and its size. Returns 0 if only damaged bricks give
// such a sum.
DEVICE int shape_of_brick_sum(const tile_sum &s, brick_shape &t, uint32_t &size, int lane) {
  shape_of_planes(s.lattice, t.lattice);
  t.lattice.lead.coefficients = s.transformed;
  t.coefficients.height = 0;
  if (s.transformed)
    shape_of_planes(s.coefficients, t.coefficients);
  size = finish_brick(t, lane);
  return t.lattice.height <= WIDTH_MAX && t.coefficients.height <= WIDTH_MAX;
}

// ---- Operands -----------------------------------------------------------------------------------

// Values of a raw brick, by their columns.
template <class Real, int DIMS> struct raw_brick_values {
  raw_values<Real> values;
  tile_extent extent;
  METHOD typename real_type<Real>::bits operator()(int i) const {
    return values((int)place_among(extent, place_of_column<DIMS>((unsigned)i)));
  }
};

// Encodes a raw brick on the lattice, at its best order, without coefficients. Returns 0 if it lies
// outside.
template <class Real, int DIMS>
SELDOM int open_raw_brick(const brick_context &k, const uint8_t *data, plane_tile &x) {
  const brick_part b = {k.extent, columns_inside(k.extent, k.lane), k.lane};
  value_integers<Real, columns_of_lane<raw_brick_values<Real, DIMS>>> values;
  brick_shape t;
  int64_t r[LANE_VALUES];
  uint32_t planes[8];
  if (values.begin(k.lattice, {{raw_values_at<Real>(data + 1, k.lattice), k.extent}, b.inside}, k.lane) == RAW)
    return 0;
  t.lattice.lead = {};
  t.lattice.lead.mode = values.mode;
  t.lattice.lead.special = values.special;
  t.lattice.plus = values.plus;
  t.lattice.minus = values.minus;
  values.all(r);
  choose_brick_shape<DIMS>(measure_brick<DIMS>(r, b), GHZ_ORDER_LORENZO, t, k.lane);
  values.all(r);
  residuals_of<DIMS>(r, b, t.lattice.lead.order);
  open_planes(t.lattice, x);
  for (int p = 0; 8 * p < t.lattice.height; p++) {
    stored_planes(r, t.lattice.lead, p, planes, k.lane);
    for (int i = 0; i < 8; i++)
      x.planes[8 * p + i][0] = planes[i];
  }
  return 1;
}

// sum += c * the brick, if it lies on the lattice and is not damaged. It is not empty.
template <class Real, int DIMS>
DEVICE enum opened_tile add_operand_brick(const brick_context &k, uint32_t terms, const uint8_t *data,
                                          uint32_t size, int64_t c, plane_tile &x, tile_sum &sum) {
  tile_extent e = k.extent;
  brick_shape t;
  e.dims = DIMS; // a constant
  if (is_raw(data, size)) {
    if (!raw_tile_valid(real_type<Real>::type, k.terms, data[0], size, k.extent.n))
      return DAMAGED;
    if (!open_raw_brick<Real, DIMS>(k, data, x))
      return OUTSIDE;
    add_tile(&k.lattice, terms, &e, &sum.lattice, &x, c);
    return ON_LATTICE;
  }
  if (!parse_brick(k.lattice, k.terms, k.transform, global_bytes{data}, size, k.extent,
                   columns_inside(k.extent, k.lane), t, k.lane))
    return DAMAGED;
  expand_planes(data, k.expand, t.lattice, x, k.lane);
  add_tile(&k.lattice, terms, &e, &sum.lattice, &x, c);
  if (!t.lattice.lead.coefficients)
    return ON_LATTICE;
  if (!sum.transformed)
    clear_tile(&sum.coefficients);
  sum.transformed = 1;
  expand_planes(data, k.expand, t.coefficients, x, k.lane);
  add_coefficients(terms, &sum.coefficients, &x, c);
  return ON_LATTICE;
}

#endif
