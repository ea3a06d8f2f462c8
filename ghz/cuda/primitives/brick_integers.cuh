// brick_integers.cuh: integers of a brick to the residuals of every order, and the choice of the
// order, by a warp (FORMAT.md, "Residuals").
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_BRICK_INTEGERS_CUH
#define GHZ_BRICK_INTEGERS_CUH

#include "cuda/primitives/brick_header.cuh"

// What a brick holds of an array's values.
struct brick_part {
  tile_extent extent;
  uint32_t inside; // the lane's columns
  int lane;
};

// ---- Residuals ----------------------------------------------------------------------------------

// The widths of a layer of which column 0 may have an anchor instead. Int is signed.
template <class Int> DEVICE uint32_t widths_of(const Int r[LANE_VALUES], uint32_t columns) {
  uint32_t widths = 0;
  UNROLLED_FOR(Int) for (int i = 0; i < LANE_VALUES; i += BLOCK) {
    auto folded = fold((Int)0);
    UNROLLED for (int t = 0; t < BLOCK; t++) folded |= columns >> (i + t) & 1 ? fold(r[i + t]) : 0;
    widths |= width_of(folded) << i;
  }
  return widths;
}

// The columns that have a residual at an order.
DEVICE uint32_t residual_columns(const brick_part &b, int order) {
  return order && b.lane == 0 ? b.inside & ~1u : b.inside;
}

template <int DIMS, class Int> DEVICE void raise(Int r[LANE_VALUES], int order, int lane) {
  if (sizeof(Int) == 4)
    raise_residuals<DIMS>(reinterpret_cast<uint32_t *>(r), order, lane);
  else
    raise_residuals<DIMS>(reinterpret_cast<uint64_t *>(r), order, lane);
}

// Integers to residuals, in place. Columns without one are 0.
template <int DIMS, class Int> DEVICE void residuals_of(Int r[LANE_VALUES], const brick_part &b, int order) {
  const uint32_t columns = residual_columns(b, order);
  ROLLED for (int o = 0; o < order; o++) raise<DIMS>(r, o, b.lane);
  UNROLLED_FOR(Int) for (int i = 0; i < LANE_VALUES; i++) r[i] = columns >> i & 1 ? r[i] : 0;
}

// ---- Choice of the order ------------------------------------------------------------------------

// The widths of all orders, and the anchor.
struct brick_widths {
  uint32_t widths[BRICK_ORDERS];
  int64_t anchor;
};

// Integers become the residuals of the highest order.
template <int DIMS, class Int> DEVICE brick_widths measure_brick(Int r[LANE_VALUES], const brick_part &b) {
  brick_widths w = {};
  w.anchor = (int64_t)__shfl_sync(ALL, r[0], 0);
  w.widths[0] = widths_of(r, b.inside);
  UNROLLED for (int o = 1; o < orders_of(DIMS); o++) {
    raise<DIMS>(r, o - 1, b.lane);
    w.widths[o] = widths_of(r, residual_columns(b, o));
  }
  return w;
}

// Chooses the order, and completes the shape of the brick without coefficients; returns the size.
template <int DIMS>
DEVICE uint32_t choose_brick_shape(const brick_widths &w, int asked, brick_shape &t, int lane) {
  uint32_t used = 0, bytes = 0; // of the orders, one in a byte: planes in use, and bytes of width planes
  tile_lead &chosen = t.lattice.lead;
  UNROLLED for (int o = 0; o < orders_of(DIMS); o++) used |= planes_in_use(w.widths[o]) << 8 * o;
  const uint32_t pair = used | __shfl_xor_sync(ALL, used, 1), planes = __reduce_or_sync(ALL, used);
  UNROLLED for (int o = 0; o < BRICK_ORDERS; o++) bytes |= (uint32_t)__popc(pair >> 8 * o & 255) << 8 * o;
  bytes = __reduce_add_sync(ALL, lane & 1 ? 0u : bytes);
  unsigned size[BRICK_ORDERS] = {};
  UNROLLED for (int o = 0; o < orders_of(DIMS); o++) {
    tile_lead lead = {};
    lead.order = o;
    lead.width_planes = bit_length(planes >> 8 * o & 255);
    lead.special = chosen.special;
    lead.anchor = o ? w.anchor : 0;
    size[o] = choose_squeezing(&lead, bytes >> 8 * o & 255) +
              __reduce_add_sync(ALL, __dp4a(w.widths[o], EACH_BYTE, 0u));
  }
  chosen.order = choose_order(size, orders_of(DIMS), (planes & 255) == 0, asked);
  chosen.anchor = w.anchor;
  chosen.coefficients = 0;
  t.lattice.widths = 0;
  UNROLLED for (int o = 0; o < orders_of(DIMS); o++) t.lattice.widths |= chosen.order == o ? w.widths[o] : 0;
  return finish_brick(t, lane);
}

// ---- Planes -------------------------------------------------------------------------------------

// Planes 8 k .. 8 k + 7.
DEVICE void planes_of_layer(const int32_t r[LANE_VALUES], int k, uint32_t planes[8]) {
  planes_of_registers(r, k, planes);
}

DEVICE void planes_of_layer(const int64_t r[LANE_VALUES], int k, uint32_t planes[8]) {
  UNROLLED for (int t = 0; t < BLOCK; t++) planes[t] = 0;
  ROLLED for (int b = 0; b < LANE_BLOCKS; b++) UNROLLED for (int t = 0; t < BLOCK; t++) planes[t] |=
      (uint32_t)((uint64_t)r[BLOCK * b + t] >> 8 * k & 255) << 8 * b;
  transpose_bits(planes);
}

template <class Int>
DEVICE void put_layer(uint8_t *out, const tile_shape &t, const Int r[LANE_VALUES], int lane) {
  plane_writer<false> writer;
  writer.begin(out, t.widths, 0, t.height, t.planes_at, lane);
  ROLLED for (int k = 0; 8 * k < t.height; k++) {
    uint32_t planes[8];
    planes_of_layer(r, k, planes);
    writer.put(planes);
    if (8 * k + 4 < t.height)
      writer.put(planes + 4);
  }
}

#endif
