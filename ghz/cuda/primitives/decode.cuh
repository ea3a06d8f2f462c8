// decode.cuh: tiles back to values, by a warp.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_DECODE_CUH
#define GHZ_DECODE_CUH

#include "cuda/primitives/integers.cuh"

// ---- Planes to integers -------------------------------------------------------------------------

// Residuals of 32 bits from planes: byte k of each from planes 8 k .. 8 k + 7, extended by its
// sign.
template <class Bytes>
DEVICE void residuals_of_planes(plane_reader<Bytes> &reader, int height, int32_t r[LANE_VALUES]) {
  UNROLLED for (int i = 0; i < LANE_VALUES; i++) r[i] = 0;
  ROLLED for (int k = 0; 8 * k < height && k < 4; k++) {
    uint32_t planes[8];
    reader.take(planes);
    reader.take(planes + 4);
    transpose_bits(planes);
    // Nibbles that keep the bytes below k, take byte 0 of the second word for k, and its sign
    // above.
    const uint32_t keep = k == 0 ? 0xccc4u : k == 1 ? 0xcc40u : k == 2 ? 0xc410u : 0x4210u;
    const uint32_t next = k == 0 ? 0x1111u : k == 1 ? 0x1110u : k == 2 ? 0x1100u : 0x1000u;
    UNROLLED for (int b = 0; b < LANE_BLOCKS; b++) UNROLLED for (int t = 0; t < BLOCK; t++) r[BLOCK * b + t] =
        (int32_t)bytes_of((uint32_t)r[BLOCK * b + t], planes[t], keep + (uint32_t)b * next);
  }
}

// The same, of 64 bits.
template <class Bytes>
DEVICE void residuals_of_planes(plane_reader<Bytes> &reader, int height, int64_t r[LANE_VALUES]) {
  ROLLED for (int i = 0; i < LANE_VALUES; i++) r[i] = 0;
  ROLLED for (int k = 0; 8 * k < height; k++) {
    uint32_t planes[8];
    reader.take(planes);
    reader.take(planes + 4);
    transpose_bits(planes);
    ROLLED for (int b = 0; b < LANE_BLOCKS; b++) UNROLLED for (int t = 0; t < BLOCK; t++) {
      uint64_t below = (uint64_t)r[BLOCK * b + t] & ~(~UINT64_C(0) << 8 * k);
      int64_t byte = (int8_t)(planes[t] >> 8 * b);
      r[BLOCK * b + t] = (int64_t)(below | (uint64_t)byte << 8 * k);
    }
  }
}

// Integers from residuals, in place. Sums wrap, by design.
template <class Int, class Unsigned>
DEVICE void integrate(Int r[LANE_VALUES], const tile_lead &lead, int lane) {
  Unsigned sum = 0, twice = 0;
  if (lead.order == 0)
    return;
  if (lane == 0) { // the anchors stand for these
    r[0] = 0;
    r[1] = lead.order == 2 ? 0 : r[1];
  }
  UNROLLED_FOR(Int) for (int i = 0; i < LANE_VALUES; i++) {
    sum += (Unsigned)r[i];
    twice += sum;
  }
  Unsigned slope = (Unsigned)lead.slope + sum_before(sum, lane), value = (Unsigned)lead.anchor;
  if (lead.order == 1) {
    value += sum_before(sum, lane);
    UNROLLED_FOR(Int) for (int i = 0; i < LANE_VALUES; i++) {
      value += (Unsigned)r[i];
      r[i] = (Int)value;
    }
  } else {
    value += sum_before(LANE_VALUES * slope + twice, lane) - (Unsigned)lead.slope;
    UNROLLED_FOR(Int) for (int i = 0; i < LANE_VALUES; i++) {
      slope += (Unsigned)r[i];
      value += slope;
      r[i] = (Int)value;
    }
  }
}

// ---- Integers to values -------------------------------------------------------------------------

template <class Real> DEVICE Real canonical(Real x) {
  typedef real_type<Real> type;
  return (bits_of(x) & ~type::SIGN) > type::EXPONENT ? real_of((typename type::bits)type::NOT_A_NUMBER) : x;
}

// A raw value from its bits.
DEVICE float restored(uint32_t b, float missing) {
  return b == real_type<float>::NOT_A_NUMBER ? missing : real_of(b);
}
DEVICE double restored(uint64_t b, double missing) {
  return b == real_type<double>::NOT_A_NUMBER ? missing : real_of(b);
}

// How integers of a tile become values.
struct scale {
  double unit;
  int in_float, in_32_bits; // the integers are taken modulo 2^32
};

DEVICE scale scale_of(const ghz_lattice &l, int mode, uint32_t terms) {
  return {mode_unit(l.type, l.step, mode), l.type == GHZ_F32 && decodes_in_float(&l, mode, terms),
          fits_32_bits(&l, mode, terms)};
}

template <class Out> DEVICE Out special_value(uint32_t plus, uint32_t minus, Out missing) {
  typedef real_type<Out> type;
  return plus & minus ? missing : real_of(plus ? type::EXPONENT : type::EXPONENT | type::SIGN);
}

template <class Out> DEVICE Out not_a_number() {
  return real_of((typename real_type<Out>::bits)real_type<Out>::NOT_A_NUMBER);
}

template <bool InFloat, class Out, class Int> DEVICE Out scaled(Int q, const scale &by) {
  return InFloat ? (Out)((float)q * (float)by.unit) : (Out)((double)q * by.unit);
}

template <class Out, class Int> DEVICE Out value_of(Int q, const scale &by) {
  if (sizeof(Int) == 8 && by.in_32_bits)
    q = (Int)(int32_t)q;
  return sizeof(Out) == 4 && by.in_float ? scaled<true, Out>(q, by) : scaled<false, Out>(q, by);
}

// The values of a lane, to their place in shared memory.
template <bool InFloat, class Int, class Out>
DEVICE void put_scaled(uint32_t *buffer, const Int q[LANE_VALUES], const scale &by, int lane) {
  typedef value_rows<Out> rows;
  typename rows::piece *s = reinterpret_cast<typename rows::piece *>(buffer);
  UNROLLED_FOR(Int) for (int p = 0; p < rows::PIECES; p++) {
    typename rows::piece y;
    UNROLLED for (int i = 0; i < rows::PIECE; i++) {
      Int v = q[rows::PIECE * p + i];
      if (sizeof(Int) == 8 && by.in_32_bits)
        v = (Int)(int32_t)v;
      y.value[i] = scaled<InFloat, Out>(v, by);
    }
    s[rows::place(lane, p)] = y;
  }
}

// NaN, or the fill, and infinities over the values of a lane.
template <class Out>
DEVICE void put_specials(uint32_t *buffer, const ghz_lattice &l, const tile_shape &t, int lane) {
  if (!t.lead.special)
    return;
  const Out missing = missing_value<Out>(l);
  ROLLED for (int i = 0; i < LANE_VALUES; i++) {
    const uint32_t plus = t.plus >> i & 1, minus = t.minus >> i & 1;
    if (plus | minus)
      reinterpret_cast<Out *>(buffer)[value_rows<Out>::place_of_value(LANE_VALUES * lane + i)] =
          special_value<Out>(plus, minus, missing);
  }
}

template <class Int, class Out>
DEVICE void put_values(uint32_t *buffer, const Int q[LANE_VALUES], const scale &by, int lane) {
  // One branch for all values, since the compiler would compute both products of each.
  if (sizeof(Out) == 4 && by.in_float)
    put_scaled<true, Int, Out>(buffer, q, by, lane);
  else
    put_scaled<false, Int, Out>(buffer, q, by, lane);
}

// Decodes a lattice tile to values in shared memory. Its integers must fit in Int.
template <class Int, class Unsigned, class Out, class Bytes>
DEVICE void decode_tile(uint32_t *buffer, const ghz_lattice &l, const Bytes &bytes, const tile_shape &t,
                        const scale &by, const expansion *expand, int lane) {
  Int q[LANE_VALUES];
  plane_reader<Bytes> reader;
  reader.begin(bytes, expand, t.widths, t.least, t.height, t.planes_at, lane);
  residuals_of_planes(reader, t.height, q);
  integrate<Int, Unsigned>(q, t.lead, lane);
  __syncwarp(); // all lanes have read the bytes that the values may take the place of
  put_values<Int, Out>(buffer, q, by, lane);
  put_specials<Out>(buffer, l, t, lane);
  __syncwarp();
}

#endif
