// decompress.cu: the kernel that decompresses: tiles to values, or a range of them.
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/kernels/kernels.cuh"
#include "cuda/primitives/constant.cuh"
#include "cuda/primitives/decode.cuh"

enum { WARPS = 4, THREADS = 32 * WARPS }; // a tile to a warp

// Blocks that a multiprocessor holds.
template <class Out> static constexpr int RESIDENT = sizeof(Out) == 4 ? 5 : 4;

// What is the same for all tiles of a mode, and takes long to find.
struct mode_rules {
  scale by;
  unsigned bits; // of the integers
};

// A tile's bytes, and later its values.
template <class Out> struct decompress_shared {
  static constexpr int BYTES = (int)(TILE * sizeof(Out)) + 512;
  uint32_t tile[WARPS][BYTES / 4];
  expansion expand;
  operand_header header;
  mode_rules rules[RAW];
  int status;
};

// The values of a tile that a call asks for.
struct value_part {
  unsigned first, end;
};

template <class In, class Out>
DEVICE void write_raw(const ghz_lattice &l, const uint8_t *data, Out *y, const value_part &w, int lane) {
  const raw_values<In> values = raw_values_at<In>(data + 1, l);
  const In missing = missing_value<In>(l);
  ROLLED for (unsigned i = w.first + (unsigned)lane; i < w.end; i += 32) y[i - w.first] =
      (Out)restored(values((int)i), missing);
}

// By a block, behind its header.
template <class Out> DEVICE void find_rules(decompress_shared<Out> &s) {
  const ghz_lattice &l = s.header.lattice;
  const int mode = (int)threadIdx.x;
  if (mode < RAW)
    s.rules[mode] = {scale_of(l, mode, s.header.terms), integer_bits(&l, mode)};
  __syncthreads();
}

template <class Out, class Bytes>
DEVICE int parse(const decompress_shared<Out> &s, const Bytes &b, uint32_t size, unsigned n, tile_shape &t,
                 int lane) {
  return parse_tile(
      s.header.lattice, s.header.terms, [&](int mode) { return s.rules[mode].bits; }, b, size, n, t, lane);
}

// Decodes a lattice tile to shared memory. Returns 0 if it is damaged.
template <class Out>
DEVICE int decode_lattice_tile(decompress_shared<Out> &s, uint32_t *buffer, const stored_tile &place,
                               const uint8_t *low, const uint8_t *high, unsigned n, int lane) {
  const ghz_lattice &l = s.header.lattice;
  tile_shape t;
  if (place.size + 32 <= (uint32_t)decompress_shared<Out>::BYTES) {
    shared_bytes bytes = {buffer, stage_bytes(buffer, place.data, place.size, low, high, lane)};
    copies_arrived();
    __syncwarp();
    if (!parse(s, bytes, place.size, n, t, lane))
      return 0;
    const scale &by = s.rules[t.lead.mode].by;
    if (by.in_32_bits) {
      decode_tile<int32_t, uint32_t, Out>(buffer, l, bytes, t, by, &s.expand, lane);
      return 1;
    }
    __syncwarp();
  }
  global_bytes bytes = {place.data};
  if (!parse(s, bytes, place.size, n, t, lane))
    return 0;
  decode_tile<int64_t, uint64_t, Out>(buffer, l, bytes, t, s.rules[t.lead.mode].by, &s.expand, lane);
  return 1;
}

// Decodes a tile of one value to shared memory. Returns 0 if it is damaged.
template <class Out>
SELDOM int decode_constant(decompress_shared<Out> &s, uint32_t *buffer, const stored_tile place, unsigned n,
                           int lane) {
  const ghz_lattice &l = s.header.lattice;
  tile_shape t = {};
  uint64_t bits;
  const auto parse_rest = [&](const global_bytes &b, uint32_t size) { return parse(s, b, size, n, t, lane); };
  if (!open_constant_tile(l, s.header.terms, place.data, place.size, bits, parse_rest))
    return 0;
  put_constant<Out>(buffer, l, bits, t, lane);
  return 1;
}

// Decodes a part of a tile to y. Returns 0 if the tile is damaged.
template <class In, class Out>
DEVICE int decompress_tile(decompress_shared<Out> &s, uint32_t *buffer, const operand &from,
                           const stored_tile &place, unsigned n, Out *y, const value_part &w, int lane) {
  if (place.size == 0) {
    put_zeros(y, w.end - w.first, lane);
    return 1;
  }
  if (first_says_constant(place.data[0])) {
    if (!decode_constant(s, buffer, place, n, lane))
      return 0;
    unstage_values(y, buffer, w.first, w.end, lane);
    return 1;
  }
  if (first_says_raw(place.data[0])) {
    if (!raw_tile_valid(real_type<In>::type, s.header.terms, place.data[0], place.size, n))
      return 0;
    write_raw<In>(s.header.lattice, place.data, y, w, lane);
    return 1;
  }
  if (!decode_lattice_tile(s, buffer, place, from.header, from.payload + s.header.payload, n, lane))
    return 0;
  unstage_values(y, buffer, w.first, w.end, lane);
  return 1;
}

// Decompresses the part of tile t that the call asks for.
template <class In, class Out>
DEVICE void decompress_part(const decompress_call &c, decompress_shared<Out> &s, int warp, uint64_t t,
                            int lane) {
  const unsigned n = values_in_tile(c.kind.shape.extent[2], c.kind.first + t);
  const uint64_t first = c.origin[2], end = first + c.extent[2] - t * TILE;
  const value_part w = {t == first / TILE ? (unsigned)(first % TILE) : 0u, end < n ? (unsigned)end : n};
  Out *y = static_cast<Out *>(c.y) + (t * TILE + w.first - first);
  stored_tile place;
  if (place_tile(c.from, c.kind, s.header.payload, t, place, lane) &&
      decompress_tile<In, Out>(s, s.tile[warp], c.from, place, n, y, w, lane))
    return;
  if (lane == 0)
    note_fault(c.shared, FAULT_TILE, c.kind.first + t, 0, GHZ_ECORRUPT);
}

template <class In, class Out>
__global__ void __launch_bounds__(THREADS, RESIDENT<Out>) decompress_tiles(ARGUMENT(decompress_call) c) {
  GHZ_SHARED(decompress_shared<Out>, s);
  const int lane = lane_of_thread(), warp = (int)threadIdx.x / 32;
  const uint64_t step = (uint64_t)gridDim.x * WARPS;
  make_expansion(s.expand);
  if (open_operand(c, s) == GHZ_OK && c.tiles) {
    find_rules(s);
    ROLLED for (uint64_t t = c.low[2] + (uint64_t)blockIdx.x * WARPS + (uint64_t)warp; t < c.low[2] + c.tiles;
                t += step) {
      decompress_part<In>(c, s, warp, t, lane);
      __syncwarp();
    }
  }
  finish_values(c, s.header, c.values * sizeof(Out));
}

template <class In, class Out> static constexpr kernel<decompress_call> kernel_of() {
  return {decompress_tiles<In, Out>, THREADS, WARPS, sizeof(decompress_shared<Out>), RESIDENT<Out>};
}

const kernel<decompress_call> ghz_decompress_kernels[] = {kernel_of<float, float>(), kernel_of<float, double>(),
                                                          kernel_of<double, double>()};
