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
  brick_part part;
  int coefficients, in_float; // the brick may have them; how values are quantised
  double factor;

  METHOD int64_t quantise(Real x) const {
    return in_float ? (int64_t)round_f32((float)x * (float)factor) : round_f64((double)x * factor);
  }
  METHOD void integers(int32_t q[LANE_VALUES]) const {
    if (sizeof(Real) == 4 && in_float)
      each_staged(values, part.lane, [&](int i, Real x) { q[i] = round_f32((float)x * (float)factor); });
    else
      each_staged(values, part.lane, [&](int i, Real x) { q[i] = (int32_t)quantise(x); });
  }
  METHOD void integers(int64_t q[LANE_VALUES]) const {
    ROLLED for (int i = 0; i < LANE_VALUES; i++) q[i] =
        quantise(values[value_rows<Real>::place_of_value(LANE_VALUES * part.lane + i)]);
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

// Puts the scaled values to rows of floats; columns outside continue those inside.
template <int DIMS, class Real> DEVICE void scale_values(const value_brick<Real> &v, float *w) {
  typedef value_rows<float> rows;
  const double scale = forward_scale(v.lattice.step);
  const int lane = v.part.lane;
  if (v.part.extent.n == TILE) {
    float y[LANE_VALUES];
    each_staged(v.values, lane, [&](int i, Real x) { y[i] = scaled_value(x, scale); });
    UNROLLED for (int p = 0; p < rows::PIECES; p++) reinterpret_cast<float4 *>(w)[rows::place(lane, p)] = {
        y[4 * p], y[4 * p + 1], y[4 * p + 2], y[4 * p + 3]};
  } else {
    ROLLED for (int i = lane; i < TILE; i += 32) w[rows::place_of_value(i)] = scaled_value(
        v.values[value_rows<Real>::place_of_value(continued_column<DIMS>(v.part.extent, i))], scale);
  }
}

// Sets the lane's blocks to 0 that are not worth their bits: their coefficients, which are e
// rounded, and their widths. The first coefficient is not one of its block.
DEVICE void drop_blocks(const float e[LANE_VALUES], int32_t c[LANE_VALUES], uint32_t &widths, int lane) {
  UNROLLED for (int i = 0; i < LANE_VALUES; i += BLOCK) {
    const uint32_t width = widths >> i & 255;
    int energy = 0;
    if (width - 1 > 1)
      continue;
    UNROLLED for (int t = i; t < i + BLOCK; t++) energy +=
        t || lane ? c[t] * (2 * round_f32(64 * e[t]) - 64 * c[t]) : 0;
    if (!block_is_dropped(width, energy))
      continue;
    widths &= ~(255u << i);
    UNROLLED for (int t = i; t < i + BLOCK; t++) c[t] = t || lane ? 0 : c[t];
  }
}

// The lane's coefficients, in the order in which they are coded, and their widths.
template <int DIMS, class Real>
DEVICE void coefficients_of(const value_brick<Real> &v, int32_t c[LANE_VALUES], uint32_t &widths) {
  const int lane = v.part.lane;
  const shared_address room = address_in_shared(v.numbers), coded = room + TILE * sizeof(float),
                       mine = coded + lines<DIMS>::coefficient_offset(LANE_VALUES * lane);
  float e[LANE_VALUES];
  scale_values<DIMS>(v, reinterpret_cast<float *>(v.numbers));
  forward_transform<DIMS>(room, coded, lane);
  UNROLLED for (int i = 0; i < LANE_VALUES; i += 4) {
    const float4 four = in_memory<float4>(further(mine, lines<DIMS>::coefficient_offset(i)));
    e[i] = four.x;
    e[i + 1] = four.y;
    e[i + 2] = four.z;
    e[i + 3] = four.w;
  }
  UNROLLED for (int i = 0; i < LANE_VALUES; i++) c[i] = __float2int_rn(e[i]);
  widths = widths_of(c, lane ? ALL : ALL << 1);
  drop_blocks(e, c, widths, lane);
}

// What the coefficients leave to the lattice: x / step - transformed, to the nearest integer.
template <int DIMS, class Real>
DEVICE void remainder_of(const value_brick<Real> &v, const int32_t c[LANE_VALUES], int32_t r[LANE_VALUES]) {
  const double inverse = 1 / v.lattice.step, scale = transform_unit<DIMS>;
  put_coefficients<DIMS>(address_in_shared(v.numbers), c, v.part.lane);
  inverse_transform<DIMS>(address_in_shared(v.numbers), v.part.lane);
  each_staged_pair(v.values, v.numbers, v.part.lane, [&](int i, Real x, double h) {
    const double residual = __dsub_rn(__dmul_rn((double)x, inverse), h * scale);
    r[i] = v.part.inside >> i & 1 ? (int16_t)round_f64(residual) : 0;
  });
}

// ---- Bytes --------------------------------------------------------------------------------------

// Writes a brick over its values in shared memory; `c` is NULL without coefficients.
template <class Real, class Int>
DEVICE void put_layers(const value_brick<Real> &v, const brick_shape &t, const Int r[LANE_VALUES],
                       const int32_t *c) {
  uint8_t *out = reinterpret_cast<uint8_t *>(v.values);
  __syncwarp(); // all lanes have read the values
  put_brick_header(out, t, v.part.lane);
  put_layer(out, t.lattice, r, v.part.lane);
  if (c)
    put_layer(out, t.coefficients, c, v.part.lane);
  __syncwarp();
}

// Encodes a brick with coefficients, and writes it over its values if it has less than `limit`
// bytes; returns its size. Returns 0, and writes nothing, if they do not save enough of the bytes
// that it takes `alone`, which is known early where they are many.
template <int DIMS, class Real>
DEVICE uint32_t transform_values(const value_brick<Real> &v, uint32_t alone, uint32_t limit, brick_shape &t) {
  const int lane = v.part.lane;
  int32_t c[LANE_VALUES], r[LANE_VALUES];
  tile_lead &lead = t.coefficients.lead;
  coefficients_of<DIMS>(v, c, t.coefficients.widths);
  lead = {};
  lead.anchor = __shfl_sync(ALL, c[0], 0);
  t.coefficients.plus = t.coefficients.minus = 0;
  if (lead.anchor == 0 && !__any_sync(ALL, t.coefficients.widths != 0))
    return 0;
  const uint32_t header = finish_coefficients(t.coefficients, lane),
                 blocks = __reduce_add_sync(
                     ALL, (uint32_t)__popc((t.coefficients.widths + 0x7f7f7f7f) & 0x80808080));
  if (guess_with_coefficients(header + t.coefficients.sum, blocks) > most_with_coefficients(alone))
    return 0;
  remainder_of<DIMS>(v, c, r);
  if (lane == 0) // the anchor stands for it
    c[0] = 0;
  t.lattice.lead.order = t.lattice.lead.turned = 0;
  t.lattice.lead.anchor = 0;
  t.lattice.lead.coefficients = 1;
  t.lattice.widths = widths_of(r, v.part.inside);
  const uint32_t size = finish_brick(t, lane);
  if (size > most_with_coefficients(alone))
    return 0;
  if (size < limit)
    put_layers(v, t, r, c);
  return size;
}

// ---- The brick ----------------------------------------------------------------------------------

// `alone`: what it takes without coefficients, of the order in its lead.
template <class Real>
DEVICE bool may_transform(const value_brick<Real> &v, int order, const brick_shape &best, uint32_t alone,
                          int rough) {
  return order == GHZ_ORDER_BEST && v.coefficients && v.part.extent.n >= COEFFICIENT_VALUES &&
         best.lattice.height > 0 &&
         !(may_be_noise(v.part.extent.dims, best.lattice.lead.order, alone) && rough);
}

// Encodes a brick of these integers, which it changes, and writes it over its values if it has less
// than `limit` bytes; returns its size, or the limit.
template <int DIMS, class Int, class Real>
DEVICE uint32_t encode_brick(const value_brick<Real> &v, Int r[LANE_VALUES], int order, uint32_t limit,
                             brick_shape &t) {
  const int lane = v.part.lane;
  const brick_widths w = measure_brick<DIMS>(r, v.part);
  const uint32_t size = choose_brick_shape<DIMS>(w, order, t, lane);
  if (size == 0)
    return 0;
  if (sizeof(Int) == 4 && may_transform(v, order, t, size, w.rough)) {
    // All that it takes to finish the brick without coefficients again: so less is kept.
    const int chosen = t.lattice.lead.order | t.lattice.lead.turned << 2;
    const Int anchor = (Int)t.lattice.lead.anchor;
    const uint32_t widths = t.lattice.widths;
    const uint32_t smaller = transform_values<DIMS>(v, size, limit, t);
    if (smaller)
      return min(smaller, limit);
    t.lattice.lead.order = chosen & 3;
    t.lattice.lead.turned = chosen >> 2;
    t.lattice.lead.anchor = anchor;
    t.lattice.lead.coefficients = 0;
    t.lattice.widths = widths;
    finish_brick(t, lane);
  }
  if (size >= limit)
    return limit;
  v.integers(r);
  residuals_of<DIMS>(r, v.part, t.lattice.lead.order);
  put_layers(v, t, r, NULL);
  return size;
}

#endif
