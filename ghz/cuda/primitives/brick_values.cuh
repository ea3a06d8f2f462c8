// brick_values.cuh: bricks back to values, by a warp (FORMAT.md, "Coefficients").
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_BRICK_VALUES_CUH
#define GHZ_BRICK_VALUES_CUH

#include <type_traits>

#include "cuda/primitives/brick_header.cuh"
#include "cuda/primitives/decode.cuh"
#include "cuda/primitives/transform.cuh"

#ifdef __CUDACC__
typedef __int128 wide_integer;
typedef unsigned __int128 wide_unsigned;
#else
__extension__ typedef __int128 wide_integer;
__extension__ typedef unsigned __int128 wide_unsigned;
#endif

// What decoding a brick needs to know and to use.
struct brick_context {
  const ghz_lattice &lattice;
  uint32_t terms;
  int transform; // the stream's bricks may have coefficients
  const tile_extent &extent;
  const expansion *expand;
  double *transformed; // room for TILE numbers, at a multiple of ROOM_ALIGNMENT
  int lane;
};

// ---- Integers -----------------------------------------------------------------------------------

template <class Int, class Bytes>
DEVICE void layer_of_planes(const brick_context &k, const Bytes &bytes, const tile_shape &t,
                            Int r[LANE_VALUES]) {
  plane_reader<Bytes> reader;
  reader.begin(bytes, k.expand, t.widths, t.least, t.height, t.planes_at, k.lane);
  residuals_of_planes(reader, t.height, r);
}

// The integers of the lattice.
template <int DIMS, class Int, class Unsigned, class Bytes>
DEVICE void lattice_of_brick(const brick_context &k, const Bytes &bytes, const tile_shape &t,
                             Int q[LANE_VALUES]) {
  layer_of_planes(k, bytes, t, q);
  integrate_brick<DIMS>(reinterpret_cast<Unsigned *>(q), t.lead, k.lane);
}

// Whether float64 adds up coefficients without rounding.
DEVICE bool inverse_is_exact(const tile_shape &c) {
  uint64_t sum = 0;
  if (c.height <= EXACT_WIDTH || !first_is_exact(c.lead.anchor))
    return first_is_exact(c.lead.anchor);
  UNROLLED for (int b = 0; b < LANE_BLOCKS; b++) sum += most_of_block(c.widths >> 8 * b & 255);
  UNROLLED for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(ALL, sum, d);
  return others_are_exact(sum);
}

// ---- Values with coefficients -------------------------------------------------------------------

// Puts H(C) 2^-bits into shared memory: coefficients of at most 31 bits.
template <int DIMS, class Bytes>
DEVICE void transform_brick(const brick_context &k, const Bytes &bytes, const tile_shape &t) {
  int32_t c[LANE_VALUES];
  layer_of_planes(k, bytes, t, c);
  if (k.lane == 0)
    c[0] = (int32_t)t.lead.anchor;
  const shared_address room = address_in_shared(k.transformed);
  __syncwarp(); // the room's last use is over
  put_coefficients<DIMS>(room, c, k.lane);
  inverse_transform<DIMS>(room, k.lane);
}

template <class Out> DEVICE void put_value(uint32_t *buffer, int lane, int i, Out y) {
  reinterpret_cast<Out *>(buffer)[value_rows<Out>::place_of_value(LANE_VALUES * lane + i)] = y;
}

// Puts all of the lane's values, a piece at a time.
template <class Out> DEVICE void put_lane(uint32_t *buffer, const Out y[LANE_VALUES], int lane) {
  typedef value_rows<Out> rows;
  typename rows::piece *s = reinterpret_cast<typename rows::piece *>(buffer);
  UNROLLED for (int p = 0; p < rows::PIECES; p++) {
    typename rows::piece x;
    UNROLLED for (int i = 0; i < rows::PIECE; i++) x.value[i] = y[rows::PIECE * p + i];
    s[rows::place(lane, p)] = x;
  }
}

// Values of a brick whose integers are small: no rounding but the last ones.
template <int DIMS, class Out, class Bytes>
DEVICE void compose(const brick_context &k, uint32_t *buffer, const Bytes &bytes, const brick_shape &t) {
  int32_t q[LANE_VALUES];
  Out y[LANE_VALUES];
  const double unit = part_of_step(k.lattice.type, t.lattice.lead.mode), scale = transform_unit<DIMS>;
  transform_brick<DIMS>(k, bytes, t.coefficients);
  lattice_of_brick<DIMS, int32_t, uint32_t>(k, bytes, t.lattice, q);
  __syncwarp(); // all lanes have read the bytes that the values may take the place of
  each_staged(k.transformed, k.lane, [&](int i, double transformed) {
    y[i] = (Out)((transformed * scale + (double)q[i] * unit) * k.lattice.step);
  });
  put_lane(buffer, y, k.lane);
}

// The nearest number.
DEVICE double real_of_wide(wide_integer v) {
  const wide_unsigned m = v < 0 ? 0 - (wide_unsigned)v : (wide_unsigned)v;
  const uint64_t high = (uint64_t)(m >> 64);
  const unsigned shift = bit_length(high);
  // What is cut off below leaves a bit: it is far below the last one of the result.
  const uint64_t top = (uint64_t)(m >> shift), rest = (m & (((wide_unsigned)1 << shift) - 1)) != 0;
  const double power = __longlong_as_double((long long)(1023 + shift) << 52);
  const double magnitude = (double)(top | rest) * power;
  return v < 0 ? -magnitude : magnitude;
}

// Integers of a lane's columns.
struct wide_room {
  wide_integer sum[LANE_VALUES];
  int64_t q[LANE_VALUES];
};

// Coefficients are transformed in pieces of so many bits. Their sums of products stay below
// 2^16 * 1926^2 * 3778 < 2^50: of each axis the magnitudes of the integers at one place sum up to
// 1926, 3778 or 7313.
enum { PIECE_BITS = 16, PIECES = 4 };

// H(C) of any coefficients.
template <int DIMS, class Bytes>
DEVICE void transform_wide(const brick_context &k, const Bytes &bytes, const tile_shape &t, wide_room &room) {
  const uintptr_t numbers = reinterpret_cast<uintptr_t>(k.transformed); // in shared memory or not
  int64_t *c = room.q;
  wide_integer *sum = room.sum;
  layer_of_planes(k, bytes, t, c);
  if (k.lane == 0)
    c[0] = t.lead.anchor;
  ROLLED for (int i = 0; i < LANE_VALUES; i++) sum[i] = 0;
  ROLLED for (int p = 0; p < PIECES; p++) {
    __syncwarp();
    ROLLED for (int i = 0; i < LANE_VALUES; i++) {
      const int64_t above = c[i] >> PIECE_BITS * p, piece = above & ((1 << PIECE_BITS) - 1);
      in_memory<int32_t>(numbers + lines<DIMS>::coefficient_offset(LANE_VALUES * k.lane + i)) =
          (int32_t)(p == PIECES - 1 ? above : piece);
    }
    inverse_transform<DIMS>(numbers, k.lane);
    ROLLED for (int i = 0; i < LANE_VALUES; i++) {
      const double h = k.transformed[value_rows<double>::place_of_value(LANE_VALUES * k.lane + i)];
      sum[i] += (wide_integer)(int64_t)h * ((wide_integer)1 << PIECE_BITS * p);
    }
  }
}

// Calls use(i, y) for the lane's values of any brick with coefficients, in 128 bits: sums of very
// many terms, and hostile ones. The lattice's integers are taken modulo 2^32 where `narrow`.
template <int DIMS, class Out, class Bytes, class Use>
DEVICE void each_wide_value(const brick_context &k, const Bytes &bytes, const brick_shape &t, int narrow,
                            wide_room &room, Use use) {
  const unsigned shift = transform_bits(DIMS) - mode_shift(k.lattice.type, t.lattice.lead.mode);
  transform_wide<DIMS>(k, bytes, t.coefficients, room);
  lattice_of_brick<DIMS, int64_t, uint64_t>(k, bytes, t.lattice, room.q);
  __syncwarp(); // all lanes have read the bytes that the values may take the place of
  ROLLED for (int i = 0; i < LANE_VALUES; i++) {
    const int64_t r = narrow ? (int32_t)room.q[i] : room.q[i];
    const double whole = real_of_wide(room.sum[i] + (wide_integer)r * ((wide_integer)1 << shift));
    use(i, (Out)(whole * transform_unit<DIMS> * k.lattice.step));
  }
}

template <int DIMS, class Out, class Bytes>
SELDOM void compose_wide(const brick_context &k, uint32_t *buffer, const Bytes &bytes, const brick_shape &t,
                         int narrow) {
  wide_room room;
  each_wide_value<DIMS, Out>(k, bytes, t, narrow, room, [&](int i, Out y) { put_value(buffer, k.lane, i, y); });
}

// ---- Values -------------------------------------------------------------------------------------

template <int DIMS, class Int, class Unsigned, class Out, class Bytes>
DEVICE void decode_lattice(const brick_context &k, uint32_t *buffer, const Bytes &bytes, const tile_shape &t,
                           const scale &by) {
  Int q[LANE_VALUES];
  lattice_of_brick<DIMS, Int, Unsigned>(k, bytes, t, q);
  __syncwarp(); // all lanes have read the bytes that the values may take the place of
  put_values<Int, Out>(buffer, q, by, k.lane);
}

template <int DIMS, class Out, class Bytes>
SELDOM void decode_wide_lattice(const brick_context &k, uint32_t *buffer, const Bytes &bytes,
                                const tile_shape &t, const scale &by) {
  decode_lattice<DIMS, int64_t, uint64_t, Out>(k, buffer, bytes, t, by);
}

// Decodes a lattice brick to values in shared memory, in brick order. Returns 0 if it is damaged.
// What is not in shared memory is large, and takes the wide way.
template <int DIMS, class Out, class Bytes>
DEVICE int decode_brick(const brick_context &k, uint32_t *buffer, const Bytes &bytes, uint32_t size) {
  constexpr bool STAGED = std::is_same_v<Bytes, shared_bytes>;
  brick_shape t;
  const uint32_t inside = columns_inside(k.extent, k.lane);
  if (!parse_brick(k.lattice, k.terms, k.transform, bytes, size, k.extent, inside, t, k.lane))
    return 0;
  const scale by = scale_of(k.lattice, t.lattice.lead.mode, k.terms);
  const bool transformed = t.lattice.lead.coefficients,
             narrow = by.in_32_bits && (!transformed || inverse_is_exact(t.coefficients));
  if constexpr (STAGED) {
    if (narrow && transformed)
      compose<DIMS, Out>(k, buffer, bytes, t);
    else if (narrow)
      decode_lattice<DIMS, int32_t, uint32_t, Out>(k, buffer, bytes, t.lattice, by);
  }
  if (!(STAGED && narrow) && transformed)
    compose_wide<DIMS, Out>(k, buffer, bytes, t, narrow);
  else if (!(STAGED && narrow))
    decode_wide_lattice<DIMS, Out>(k, buffer, bytes, t.lattice, by);
  put_specials<Out>(buffer, k.lattice, t.lattice, k.lane);
  __syncwarp();
  return 1;
}

// Calls use(i, y) for the lane's values of any lattice brick, slowly; y is NaN where one is
// missing. Returns 0 if it is damaged.
template <int DIMS, class Out, class Bytes, class Use>
DEVICE int each_value(const brick_context &k, const Bytes &bytes, uint32_t size, wide_room &room, Use use) {
  brick_shape t;
  const uint32_t inside = columns_inside(k.extent, k.lane);
  if (!parse_brick(k.lattice, k.terms, k.transform, bytes, size, k.extent, inside, t, k.lane))
    return 0;
  const tile_shape &r = t.lattice;
  const scale by = scale_of(k.lattice, r.lead.mode, k.terms);
  const auto use_any = [&](int i, Out y) {
    const uint32_t plus = r.plus >> i & 1, minus = r.minus >> i & 1;
    use(i, plus | minus ? special_value(plus, minus, not_a_number<Out>()) : y);
  };
  if (r.lead.coefficients) {
    const int narrow = by.in_32_bits && inverse_is_exact(t.coefficients);
    each_wide_value<DIMS, Out>(k, bytes, t, narrow, room, use_any);
  } else {
    lattice_of_brick<DIMS, int64_t, uint64_t>(k, bytes, r, room.q);
    ROLLED for (int i = 0; i < LANE_VALUES; i++) use_any(i, value_of<Out>(room.q[i], by));
  }
  return 1;
}

#endif
