// brick_encode.cuh: values of a brick in shared memory to its bytes, by a warp (FORMAT.md,
// "Transforming values").
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_BRICK_ENCODE_CUH
#define GHZ_BRICK_ENCODE_CUH

#include "cuda/primitives/brick_integers.cuh"
#include "cuda/primitives/transform.cuh"
#include "rules/quantise.h"

// A brick on its way. Its values are in rows, as stage_values leaves them, without NaN and
// infinities; columns outside are 0.
template <class Real> struct value_brick {
  const ghz_lattice &lattice;
  Real *values;
  double *numbers; // room for TILE of them
  const line_order *order;
  brick_part part;
  int coefficients, in_float; // the brick may have them; how values are quantised
  double factor;

  METHOD Real value(int column) const {
    return values[value_rows<Real>::place_of_value(column)];
  }
  METHOD int64_t quantise(Real x) const {
    return in_float ? (int64_t)round_f32((float)x * (float)factor) : round_f64((double)x * factor);
  }
  template <class Int> METHOD void integers(Int q[LANE_VALUES]) const {
    UNROLLED_FOR(Int)
    for (int i = 0; i < LANE_VALUES; i++)
      q[i] = (Int)quantise(value(LANE_VALUES * part.lane + i));
  }
};

// ---- Coefficients -------------------------------------------------------------------------------

// The column that a column outside continues: the nearest one inside.
template <int DIMS> DEVICE int continued_column(const tile_extent &e, int column) {
  const column_place p = place_of_column<DIMS>((unsigned)column);
  const unsigned z = min(p.z, e.z - 1), y = min(p.y, e.y - 1), x = min(p.x, e.x - 1);
  return (int)(DIMS == 3 ? (z * 8 + y) * 16 + x : y * 32 + x);
}

// What the forward transform gets: x / step, by a power of two, in float.
DEVICE float scaled_value(float x, double scale) {
  return __fmul_rn(x, (float)scale);
}
DEVICE float scaled_value(double x, double scale) {
  return (float)__dmul_rn(x, scale);
}

// Sets the lane's blocks to 0 that are not worth their bits: their coefficients, which are those of
// w rounded, and their widths. The first coefficient is not one of its block.
template <int DIMS>
DEVICE void drop_blocks(const float *w, int32_t c[LANE_VALUES], uint32_t &widths, int lane) {
  UNROLLED for (int i = 0; i < LANE_VALUES; i += BLOCK) {
    const uint32_t width = widths >> i & 255;
    int energy = 0;
    if (width - 1 > 1)
      continue;
    UNROLLED for (int t = i; t < i + BLOCK; t++) {
      const float e = w[slots<DIMS>::of_coefficient(LANE_VALUES * lane + t)];
      energy += t || lane ? c[t] * (2 * round_f32(64 * e) - 64 * c[t]) : 0;
    }
    if (!block_is_dropped(width, energy))
      continue;
    widths &= ~(255u << i);
    UNROLLED for (int t = i; t < i + BLOCK; t++) c[t] = t || lane ? 0 : c[t];
  }
}

// The lane's coefficients, in the order in which they are coded, and their widths.
template <int DIMS, class Real>
DEVICE void coefficients_of(const value_brick<Real> &v, int32_t c[LANE_VALUES], uint32_t &widths) {
  float *w = reinterpret_cast<float *>(v.numbers);
  const double scale = forward_scale(v.lattice.step);
  ROLLED for (int i = v.part.lane; i < TILE; i += 32) w[slots<DIMS>::of_column(*v.order, i)] =
      scaled_value(v.value(continued_column<DIMS>(v.part.extent, i)), scale);
  forward_transform<DIMS>(w, *v.order, v.part.lane);
  UNROLLED for (int i = 0; i < LANE_VALUES; i++) c[i] =
      __float2int_rn(w[slots<DIMS>::of_coefficient(LANE_VALUES * v.part.lane + i)]);
  widths = widths_of(c, v.part.lane ? ALL : ALL << 1);
  drop_blocks<DIMS>(w, c, widths, v.part.lane);
  __syncwarp();
}

// What the coefficients leave to the lattice: x / step - transformed, to the nearest integer.
template <int DIMS, class Real>
DEVICE void remainder_of(const value_brick<Real> &v, const int32_t c[LANE_VALUES], int32_t r[LANE_VALUES]) {
  const double inverse = 1 / v.lattice.step, scale = transform_unit<DIMS>;
  UNROLLED for (int i = 0; i < LANE_VALUES; i++)
      v.numbers[slots<DIMS>::of_coefficient(LANE_VALUES * v.part.lane + i)] = (double)c[i];
  inverse_transform<DIMS>(v.numbers, *v.order, v.part.lane);
  UNROLLED for (int i = 0; i < LANE_VALUES; i++) {
    const int column = LANE_VALUES * v.part.lane + i;
    const double transformed = v.numbers[slots<DIMS>::of_column(*v.order, column)] * scale;
    const double left = __dsub_rn(__dmul_rn((double)v.value(column), inverse), transformed);
    r[i] = v.part.inside >> i & 1 ? (int16_t)round_f64(left) : 0;
  }
}

// Encodes with coefficients. Returns the size, or 0 if they do not pay, which is known early where
// there is much of them.
template <int DIMS, class Real>
CALLED uint32_t transform_values(const value_brick<Real> &v, uint32_t alone, brick_shape &t,
                                 int32_t c[LANE_VALUES], int32_t r[LANE_VALUES]) {
  const int lane = v.part.lane;
  tile_lead &lead = t.coefficients.lead;
  coefficients_of<DIMS>(v, c, t.coefficients.widths);
  lead = {};
  lead.anchor = __shfl_sync(ALL, c[0], 0);
  t.coefficients.plus = t.coefficients.minus = 0;
  if (lead.anchor == 0 && !__any_sync(ALL, t.coefficients.widths != 0))
    return 0;
  const uint32_t header = LEAD_LEAST + finish_coefficients(t.coefficients, lane);
  if (header + t.coefficients.sum > most_with_coefficients(alone))
    return 0;
  remainder_of<DIMS>(v, c, r);
  if (lane == 0) // the anchor stands for it
    c[0] = 0;
  t.lattice.lead.order = t.lattice.lead.turned = 0;
  t.lattice.lead.anchor = 0;
  t.lattice.lead.coefficients = 1;
  t.lattice.widths = widths_of(r, v.part.inside);
  const uint32_t size = finish_brick(t, lane);
  return size <= most_with_coefficients(alone) ? size : 0;
}

// ---- The brick ----------------------------------------------------------------------------------

template <class Real> DEVICE bool may_transform(const value_brick<Real> &v, int order, bool zeros) {
  return order == GHZ_ORDER_BEST && v.coefficients && v.part.extent.n >= COEFFICIENT_VALUES && !zeros;
}

// Writes a brick over its values in shared memory.
template <class Real, class Int>
DEVICE void put_layers(const value_brick<Real> &v, const brick_shape &t, const Int r[LANE_VALUES],
                       const int32_t *c) {
  uint8_t *out = reinterpret_cast<uint8_t *>(v.values);
  __syncwarp(); // all lanes have read the values
  put_brick_header(out, t, v.part.lane);
  put_layer(out, t.lattice, r, v.part.lane);
  if (t.lattice.lead.coefficients)
    put_layer(out, t.coefficients, c, v.part.lane);
  __syncwarp();
}

// Encodes a brick whose integers fit in Int, and writes it over its values if it has less than
// `limit` bytes; returns its size, or the limit.
template <int DIMS, class Int, class Real>
CALLED uint32_t encode_brick(const value_brick<Real> &v, int order, uint32_t limit, brick_shape &t) {
  Int r[LANE_VALUES];
  int32_t c[LANE_VALUES];
  const int lane = v.part.lane;
  v.integers(r);
  const brick_widths w = measure_brick<DIMS>(r, v.part);
  uint32_t size = choose_brick_shape<DIMS>(w, order, t, lane);
  if (size == 0)
    return 0;
  if constexpr (sizeof(Int) == 4) {
    brick_shape with = t;
    const bool zeros = !__any_sync(ALL, w.widths[0] != 0);
    const uint32_t smaller = may_transform(v, order, zeros) ? transform_values<DIMS>(v, size, with, c, r) : 0;
    if (smaller) {
      if (smaller < limit)
        put_layers(v, with, r, c);
      return min(smaller, limit);
    }
  }
  if (size >= limit)
    return limit;
  v.integers(r);
  residuals_of<DIMS>(r, v.part, t.lattice.lead.order);
  put_layers(v, t, r, c);
  return size;
}

#endif
