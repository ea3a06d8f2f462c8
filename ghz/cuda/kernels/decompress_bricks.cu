// decompress_bricks.cu: the kernel that decompresses bricks: to values, or to a box of them.
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/kernels/kernels.cuh"
#include "cuda/primitives/brick_values.cuh"
#include "cuda/primitives/constant.cuh"

enum { WARPS = 4, THREADS = 32 * WARPS }; // a brick to a warp

// Blocks that a multiprocessor holds.
template <int DIMS, class Out> static constexpr int RESIDENT = DIMS == 3 && sizeof(Out) == 4 ? 4 : 3;

// Where the values of a brick go: the columns of a box.
template <class Out> struct brick_target {
  tile_extent extent;
  unsigned low[3], high[3]; // columns that are asked for, along z, y and x
  uint64_t row, plane;
  Out *y;
  uint64_t first; // place of column 0 in y; modulo 2^64 where the brick begins before the box

  METHOD void begin(const decompress_call &c, uint64_t tile) {
    uint64_t origin[3];
    tile_origin(&c.kind.shape, tile, origin);
    extent = tile_extent_at(&c.kind.shape, origin);
    const unsigned inside[3] = {extent.z, extent.y, extent.x};
    UNROLLED for (int i = 0; i < 3; i++) {
      const uint64_t end = c.origin[i] + c.extent[i];
      low[i] = columns_to(c.origin[i], origin[i], inside[i]);
      high[i] = columns_to(end, origin[i], inside[i]);
    }
    row = c.row;
    plane = c.plane;
    y = static_cast<Out *>(c.y);
    first = (origin[0] - c.origin[0]) * plane + (origin[1] - c.origin[1]) * row + (origin[2] - c.origin[2]);
  }
  // Columns from `origin` to `end`, of at most `most`.
  METHOD static unsigned columns_to(uint64_t end, uint64_t origin, unsigned most) {
    return end <= origin ? 0 : end - origin < most ? (unsigned)(end - origin) : most;
  }
  METHOD bool has(const column_place &p) const {
    return p.z >= low[0] && p.z < high[0] && p.y >= low[1] && p.y < high[1] && p.x >= low[2] && p.x < high[2];
  }
  METHOD Out *at(const column_place &p) const {
    return y + (first + p.z * plane + p.y * row + p.x);
  }
  // Whether all of a whole brick is asked for, and its lines begin at multiples of 16 bytes.
  METHOD bool whole_and_aligned() const {
    const unsigned asked = (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
    return asked == TILE && ((reinterpret_cast<uintptr_t>(y) | (first | row | plane) * sizeof(Out)) & 15) == 0;
  }
};

// A brick's bytes, and later its values; and the transform's numbers.
template <class Out> struct decompress_shared {
  static constexpr int BYTES = (int)(TILE * sizeof(Out)) + 512;
  alignas(ROOM_ALIGNMENT) double transformed[WARPS][TILE];
  uint32_t tile[WARPS][BYTES / 4];
  expansion expand;
  operand_header header;
  int status;
  // Not in registers, of which the common case has none to spare.
  brick_target<Out> to[WARPS];
  uint64_t next[WARPS]; // brick of each warp
};

// Calls value(i, place) for each column i of the brick that is asked for, and stores what it
// returns.
template <int DIMS, class Out, class Value>
DEVICE void write_columns(const brick_target<Out> &to, Value value, int lane) {
  ROLLED for (unsigned i = (unsigned)lane; i < TILE; i += 32) {
    const column_place p = place_of_column<DIMS>(i);
    if (to.has(p))
      *to.at(p) = value(i, p);
  }
}

// Stores the brick's values.
template <int DIMS, class Out>
DEVICE void write_values(const brick_target<Out> &to, const uint32_t *buffer, int lane) {
  typedef value_rows<Out> rows;
  if (!to.whole_and_aligned()) {
    const Out *values = reinterpret_cast<const Out *>(buffer);
    write_columns<DIMS>(
        to, [=](unsigned i, const column_place &) { return values[rows::place_of_value((int)i)]; }, lane);
    return;
  }
  const uint4 *s = reinterpret_cast<const uint4 *>(buffer);
  Out *y = to.at(place_of_column<DIMS>((unsigned)lane * rows::PIECE));
  UNROLLED for (int k = 0; k < rows::PIECES; k++) {
    const int i = 32 * k + lane;
    *reinterpret_cast<uint4 *>(y + lines_further<DIMS, Out>(k, to.row, to.plane)) =
        s[rows::place(i / rows::PIECES, i % rows::PIECES)];
  }
}

// Decodes a lattice brick to shared memory. Returns 0 if it is damaged.
template <int DIMS, class Out>
DEVICE int decode_lattice_brick(decompress_shared<Out> &s, int warp, const operand &from,
                                const stored_tile &place, const tile_extent &e, int lane) {
  uint32_t *buffer = s.tile[warp];
  const brick_context k = {s.header.lattice,
                           s.header.terms,
                           (int)(s.header.flags & FLAG_TRANSFORM),
                           e,
                           &s.expand,
                           s.transformed[warp],
                           lane};
  if (place.size + 32 <= (uint32_t)decompress_shared<Out>::BYTES) {
    const shared_bytes bytes = {buffer, stage_bytes(buffer, place.data, place.size, from.header,
                                                    from.payload + s.header.payload, lane)};
    copies_arrived();
    __syncwarp();
    return decode_brick<DIMS, Out>(k, buffer, bytes, place.size);
  }
  return decode_brick<DIMS, Out>(k, buffer, global_bytes{place.data}, place.size);
}

// The same of a brick of one value.
template <class Out>
SELDOM int decode_constant(decompress_shared<Out> &s, int warp, const stored_tile place, const tile_extent e,
                           int lane) {
  const ghz_lattice &l = s.header.lattice;
  brick_shape t = {};
  uint64_t bits;
  const auto parse = [&](const global_bytes &b, uint32_t size) {
    return parse_brick(l, s.header.terms, (int)(s.header.flags & FLAG_TRANSFORM), b, size, e,
                       columns_inside(e, lane), t, lane);
  };
  if (!open_constant_tile(l, s.header.terms, place.data, place.size, bits, parse))
    return 0;
  put_constant<Out>(s.tile[warp], l, bits, t.lattice, lane);
  return 1;
}

template <int DIMS, class In, class Out>
DEVICE void write_raw(const ghz_lattice &l, const brick_target<Out> &to, const uint8_t *data, int lane) {
  const raw_values<In> values = raw_values_at<In>(data, l);
  const In missing = missing_value<In>(l);
  write_columns<DIMS>(
      to,
      [&](unsigned, const column_place &p) {
        return (Out)restored(values((int)place_among(to.extent, p)), missing);
      },
      lane);
}

// Decodes a brick. Returns 0 if it is damaged.
template <int DIMS, class Out>
DEVICE int decompress_brick(decompress_shared<Out> &s, int warp, const operand &from, const stored_tile &place,
                            const brick_target<Out> &to, int lane) {
  const tile_extent &e = to.extent;
  if (place.size == 0) {
    write_columns<DIMS>(
        to, [](unsigned, const column_place &) { return (Out)0; }, lane);
    return 1;
  }
  if (first_says_raw(place.data[0]) && !first_says_constant(place.data[0])) {
    if (!raw_tile_valid(s.header.lattice.type, s.header.terms, place.data[0], place.size, e.n))
      return 0;
    if (s.header.lattice.type == GHZ_F32)
      write_raw<DIMS, float>(s.header.lattice, to, place.data + 1, lane);
    else
      write_raw<DIMS, double>(s.header.lattice, to, place.data + 1, lane);
    return 1;
  }
  if (!(first_says_constant(place.data[0]) ? decode_constant(s, warp, place, e, lane)
                                           : decode_lattice_brick<DIMS>(s, warp, from, place, e, lane)))
    return 0;
  write_values<DIMS>(to, s.tile[warp], lane);
  return 1;
}

// The number of the i-th brick that holds some of what is asked for.
DEVICE uint64_t brick_of(const decompress_call &c, uint64_t i) {
  uint64_t grid[3];
  if (c.kind.message)
    return c.kind.first + i;
  bricks_along(&c.kind.shape, grid);
  const uint64_t x = i % c.count[2], line = i / c.count[2], y = line % c.count[1], z = line / c.count[1];
  return ((c.low[0] + z) * grid[1] + c.low[1] + y) * grid[2] + c.low[2] + x;
}

// Each warp takes the first one, then every so-manieth.
template <class Out> DEVICE void next_brick(decompress_shared<Out> &s, int warp, int lane, bool first) {
  __syncwarp(); // all lanes have done with the one before
  if (lane == 0)
    s.next[warp] =
        first ? (uint64_t)blockIdx.x * WARPS + (uint64_t)warp : s.next[warp] + (uint64_t)gridDim.x * WARPS;
  __syncwarp();
}

template <int DIMS, class Out>
__global__ void __launch_bounds__(THREADS, RESIDENT<DIMS, Out>) decompress_bricks(ARGUMENT(decompress_call) c) {
  GHZ_SHARED(decompress_shared<Out>, s);
  const int lane = lane_of_thread(), warp = (int)threadIdx.x / 32;
  make_expansion(s.expand);
  if (open_operand(c, s) == GHZ_OK)
    ROLLED for (next_brick(s, warp, lane, true); s.next[warp] < c.tiles; next_brick(s, warp, lane, false)) {
      const uint64_t tile = brick_of(c, s.next[warp]);
      brick_target<Out> &to = s.to[warp];
      if (lane == 0)
        to.begin(c, tile);
      __syncwarp();
      stored_tile place;
      if (!(place_tile(c.from, c.kind, s.header.payload, tile - c.kind.first, place, lane) &&
            decompress_brick<DIMS>(s, warp, c.from, place, to, lane)) &&
          lane == 0)
        note_fault(c.shared, FAULT_TILE, tile, 0, GHZ_ECORRUPT);
    }
  finish_values(c, s.header, c.values * sizeof(Out));
}

template <int DIMS, class Out> static constexpr kernel<decompress_call> kernel_of() {
  return {decompress_bricks<DIMS, Out>, THREADS, WARPS, sizeof(decompress_shared<Out>), RESIDENT<DIMS, Out>};
}

const kernel<decompress_call> ghz_decompress_bricks_kernels[] = {kernel_of<2, float>(), kernel_of<2, double>(),
                                                                 kernel_of<3, float>(), kernel_of<3, double>()};
