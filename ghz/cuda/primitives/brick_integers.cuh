// brick_integers.cuh: integers of a brick to the residuals of every order, and the choice of the
// order and whether they are turned, by a warp (FORMAT.md, "Residuals").
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_BRICK_INTEGERS_CUH
#define GHZ_BRICK_INTEGERS_CUH

#include "cuda/primitives/brick_header.cuh"
#include "rules/transform.h"

// What a brick holds of an array's values.
struct brick_part {
  const tile_extent &extent;
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

// The widths of all predictors, whether integers are rough (may_be_noise), and the anchor.
struct brick_widths {
  uint32_t widths[PREDICTORS_MAX];
  int predictors, rough;
  int64_t anchor;
};

// The widths of a plane's residuals of order 1 or 2 when they are turned, where `widths` are those
// as they stand.
template <class Int>
DEVICE uint32_t turned_widths(const Int r[LANE_VALUES], uint32_t widths, uint32_t columns, int lane) {
  decltype(fold((Int)0)) any[BLOCK];
  UNROLLED_FOR(Int) for (int t = 0; t < BLOCK; t++) any[t] = columns >> t & 1 ? fold(r[t]) : 0;
  return (widths & ~255u) | width_of(turned_bits(any, lane));
}

// Rough blocks. Residuals of order 1 are differences along x, but for the first of a block.
template <class Int> DEVICE int rough_blocks(const Int r[LANE_VALUES], uint32_t inside) {
  int rough = 0;
  UNROLLED_FOR(Int) for (int i = 0; i < LANE_VALUES; i += BLOCK) {
    Int first = 0, second = 0;
    UNROLLED for (int t = i + 1; t < i + BLOCK; t++) {
      first = max(first, abs(r[t]));
      second = t > i + 1 ? max(second, abs(r[t] - r[t - 1])) : second;
    }
    rough += inside >> (i + BLOCK - 1) & 1 && second > first && first > ROUGH_DIFFERENCE;
  }
  return rough;
}

// Integers become the residuals of the highest order.
template <int DIMS, class Int> DEVICE brick_widths measure_brick(Int r[LANE_VALUES], const brick_part &b) {
  brick_widths w = {};
  w.predictors = predictors_of(DIMS, b.extent.n);
  w.anchor = (int64_t)__shfl_sync(ALL, r[0], 0);
  w.widths[0] = widths_of(r, b.inside);
  UNROLLED for (int o = 1; o < orders_of(DIMS); o++) {
    raise<DIMS>(r, o - 1, b.lane);
    if (o == 1 && sizeof(Int) == 4)
      w.rough = __reduce_add_sync(ALL, rough_blocks(r, b.inside)) >= ROUGH_BLOCKS;
    w.widths[o] = widths_of(r, residual_columns(b, o));
    if (DIMS == 2)
      w.widths[predictor_of(o, 1)] = turned_widths(r, w.widths[o], residual_columns(b, o), b.lane);
  }
  return w;
}

// Chooses the predictor, completes the shape of the brick without coefficients, returns the size.
template <int DIMS>
DEVICE uint32_t choose_brick_shape(const brick_widths &w, int asked, brick_shape &t, int lane) {
  constexpr int PREDICTORS = DIMS == 2 ? (int)PREDICTORS_MAX : (int)BRICK_ORDERS;
  tile_lead &chosen = t.lattice.lead;
  unsigned sum[PREDICTORS];
  UNROLLED for (int i = 0; i < PREDICTORS; i++) {
    const unsigned all = __reduce_add_sync(ALL, __dp4a(w.widths[i], EACH_BYTE, 0u));
    sum[i] = i < w.predictors ? all + (i > 0) : ~0u;
  }
  const int predictor = choose_predictor(sum, PREDICTORS, sum[0] == 0, asked);
  chosen.order = order_of_predictor(DIMS, predictor);
  chosen.turned = predictor_is_turned(DIMS, predictor);
  chosen.anchor = w.anchor;
  chosen.coefficients = 0;
  t.lattice.widths = 0;
  UNROLLED for (int i = 0; i < PREDICTORS; i++) t.lattice.widths |= predictor == i ? w.widths[i] : 0;
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

// The same, as they are stored.
template <class Int>
DEVICE void stored_planes(const Int r[LANE_VALUES], const tile_lead &lead, int k, uint32_t planes[8],
                          int lane) {
  planes_of_layer(r, k, planes);
  if (lead.turned)
    UNROLLED for (int t = 0; t < BLOCK; t++) planes[t] = turn_word(planes[t], lane);
}

template <class Int>
DEVICE void put_layer(uint8_t *out, const tile_shape &t, const Int r[LANE_VALUES], int lane) {
  plane_writer<false> writer;
  writer.begin(out, t.widths, 0, t.height, t.planes_at, lane);
  ROLLED for (int k = 0; 8 * k < t.height; k++) {
    uint32_t planes[8];
    stored_planes(r, t.lead, k, planes, lane);
    writer.put(planes);
    if (8 * k + 4 < t.height)
      writer.put(planes + 4);
  }
}

#endif
