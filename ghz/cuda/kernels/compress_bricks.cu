// compress_bricks.cu: the kernel that compresses arrays of two and three dimensions: values to
// bricks.
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/kernels/kernels.cuh"
#include "cuda/primitives/brick_encode.cuh"
#include "cuda/primitives/constant.cuh"
#include "cuda/primitives/quantise.cuh"

enum { WARPS = 4, THREADS = 32 * WARPS }; // a brick to a warp

// Blocks that a multiprocessor holds, as registers suffice for in code for an architecture: before
// sm_90 three of planes would spill.
template <int DIMS> static constexpr int resident(int architecture) {
  return DIMS == 2 && architecture < 90 ? 2 : 3;
}

#ifdef __CUDA_ARCH__
enum { ARCHITECTURE = __CUDA_ARCH__ / 10 };
#else
enum { ARCHITECTURE = 90 }; // the host's compiler asks, too
#endif

// A brick's values, and later its bytes; and the transform's numbers.
template <class Real> struct compress_shared {
  alignas(ROOM_ALIGNMENT) double numbers[WARPS][TILE];
  uint32_t tile[WARPS][(TILE * sizeof(Real) + SLACK) / 4];
  tile_extent extent[WARPS]; // not in registers, of which the common case has none to spare
  group_state<WARPS> group;
};

// A brick in the array: its first value, and values from line to line and from plane to plane.
template <class Real> struct brick_source {
  const Real *first;
  uint64_t row, plane;
  tile_extent extent;

  METHOD brick_source(const compress_call &c, uint64_t tile) {
    const ghz_shape &shape = c.target.shape;
    uint64_t origin[3];
    tile_origin(&shape, tile, origin);
    extent = tile_extent_at(&shape, origin);
    row = shape.extent[2];
    plane = shape.extent[1] * row;
    first = static_cast<const Real *>(c.x) + origin[0] * plane + origin[1] * row + origin[2];
  }
  METHOD const Real *at(const column_place &p) const {
    return first + p.z * plane + p.y * row + p.x;
  }
  // Whether all lines begin at multiples of 16 bytes.
  METHOD bool aligned() const {
    return ((reinterpret_cast<uintptr_t>(first) | (row | plane) * sizeof(Real)) & 15) == 0;
  }
};

// Copies values to rows in shared memory. Columns outside are 0.
template <int DIMS, class Real>
DEVICE void stage_brick(Real *values, const brick_source<Real> &from, int lane) {
  if (from.extent.n == TILE && from.aligned()) {
    typedef value_rows<Real> rows;
    const Real *x = from.at(place_of_column<DIMS>((unsigned)lane * rows::PIECE));
    typename rows::piece *s = reinterpret_cast<typename rows::piece *>(values);
    UNROLLED for (int k = 0; k < rows::PIECES; k++) {
      const int i = 32 * k + lane;
      copy_16(s + rows::place(i / rows::PIECES, i % rows::PIECES),
              x + lines_further<DIMS, Real>(k, from.row, from.plane));
    }
    copies_arrived();
    __syncwarp();
    return;
  }
  ROLLED for (int i = lane; i < TILE; i += 32) {
    const column_place p = place_of_column<DIMS>((unsigned)i);
    values[value_rows<Real>::place_of_value(i)] = is_inside(from.extent, p) ? *from.at(p) : (Real)0;
  }
  __syncwarp();
}

template <int DIMS, class Real>
SELDOM void write_raw_brick(const compress_call &c, uint64_t tile, uint8_t *out, int lane) {
  const brick_source<Real> from(c, tile);
  if (lane == 0)
    out[0] = RAW_TILE;
  ROLLED for (int i = lane; i < TILE; i += 32) {
    const column_place p = place_of_column<DIMS>((unsigned)i);
    if (!is_inside(from.extent, p))
      continue;
    const typename real_type<Real>::bits b = bits_of(*from.at(p));
    UNROLLED for (unsigned k = 0; k < sizeof(Real); k++)
        out[1 + place_among(from.extent, p) * sizeof(Real) + k] = (uint8_t)(b >> 8 * k);
  }
}

template <int DIMS, class Int, class Real>
DEVICE uint32_t encode_values(const value_brick<Real> &v, int order, uint32_t limit, brick_shape &t) {
  Int r[LANE_VALUES];
  v.integers(r);
  return encode_brick<DIMS>(v, r, order, limit, t);
}

DEVICE brick_shape plain_shape() {
  brick_shape t;
  t.lattice.lead = {};
  t.lattice.plus = t.lattice.minus = 0;
  return t;
}

// Forms any brick that is not surely coarse; returns its size. The common case keeps nothing in
// memory for it.
template <int DIMS, class Real>
SELDOM uint32_t form_uncommon(const compress_call &c, Real *values, double *numbers, const brick_part b,
                              uint32_t limit) {
  value_integers<Real, columns_of_lane<staged_values<Real>>> integers;
  if (integers.begin(c.lattice, {{values}, b.inside}, b.lane) == RAW)
    return all_bits_zero<Real>(reinterpret_cast<const uint32_t *>(values), b.lane) ? 0 : limit;
  const value_brick<Real> v = {c.lattice,         values,         numbers, b, integers.coefficients,
                               integers.in_float, integers.factor};
  brick_shape t = plain_shape();
  t.lattice.lead.mode = integers.mode;
  t.lattice.lead.special = integers.special;
  t.lattice.plus = integers.plus;
  t.lattice.minus = integers.minus;
  __syncwarp(); // all lanes have read the values
  if (integers.special)
    integers.hide([&](int i, typename real_type<Real>::bits fill) {
      values[value_rows<Real>::place_of_value(i)] = real_of(fill);
    });
  __syncwarp();
  return integers.mode == WIDE ? encode_values<DIMS, int64_t>(v, c.order, limit, t)
                               : encode_values<DIMS, int32_t>(v, c.order, limit, t);
}

// Forms a brick in shared memory; returns its size, or the limit if it is raw.
template <int DIMS, class Real>
DEVICE uint32_t form_brick(const compress_call &c, compress_shared<Real> &s, int warp,
                           const brick_source<Real> &from, uint32_t limit, int lane) {
  Real *values = reinterpret_cast<Real *>(s.tile[warp]);
  const brick_part b = {s.extent[warp], columns_inside(from.extent, lane), lane};
  int32_t q[LANE_VALUES];
  int zero;
  if (lane == 0)
    s.extent[warp] = from.extent;
  stage_brick<DIMS>(values, from, lane); // with a barrier
  if (c.lattice.has_fill)
    hide_fill(values, c.lattice, b.inside, lane);
  if (may_be_constant<Real>(s.tile[warp], __shfl_sync(ALL, b.inside, 0), lane)) {
    const columns_of_lane<staged_values<Real>> staged = {{values}, b.inside};
    const uint32_t size = form_constant<Real>(c.lattice, c.order, staged, s.tile[warp], limit, lane);
    if (size)
      return size;
  }
  if (c.slow_path || !quantise_coarse(s.tile[warp], (Real)c.factor, q, zero, lane))
    return form_uncommon<DIMS>(c, values, s.numbers[warp], b, limit);
  if (zero)
    return 0;
  const value_brick<Real> v = {c.lattice, values, s.numbers[warp], b, 1, sizeof(Real) == 4, c.factor};
  brick_shape t = plain_shape();
  return encode_brick<DIMS>(v, q, c.order, limit, t);
}

template <int DIMS, class Real>
__global__ void __launch_bounds__(THREADS, resident<DIMS>(ARCHITECTURE))
    compress_bricks(ARGUMENT(compress_call) c) {
  GHZ_SHARED(compress_shared<Real>, s);
  const int lane = lane_of_thread(), warp = (int)threadIdx.x / 32;
  group_queue queue;
  queue.ask(c.target.shared);
  while (queue.take(s.group, c.target)) {
    const auto tile = [&]() { return c.target.first + s.group.index * WARPS + (uint64_t)warp; };
    bool raw = false;
    if (tile() < c.target.first + c.target.tiles) {
      const brick_source<Real> from(c, tile());
      const uint32_t limit = 1 + from.extent.n * (uint32_t)sizeof(Real),
                     size = form_brick<DIMS>(c, s, warp, from, limit, lane);
      raw = size == limit;
      if (lane == 0)
        s.group.size[warp] = size;
    } else if (lane == 0) {
      s.group.size[warp] = 0;
    }
    __syncthreads();
    queue.ask(c.target.shared);
    if (warp == 0)
      place_group(s.group, c.target, 0, lane);
    __syncthreads();
    uint8_t *out = s.group.place + s.group.before[warp];
    if (s.group.fits && raw)
      write_raw_brick<DIMS, Real>(c, tile(), out, lane);
    else if (s.group.fits)
      unstage_bytes(out, s.tile[warp], 0, s.group.size[warp], lane);
  }
  if (is_last_block(c.target.shared, gridDim.x))
    finish_result(c.target, {c.lattice, 1, c.order == GHZ_ORDER_BEST ? (uint32_t)FLAG_TRANSFORM : 0});
}

template <int DIMS, class Real> static constexpr kernel<compress_call> kernel_of() {
  return {compress_bricks<DIMS, Real>, THREADS,           WARPS, sizeof(compress_shared<Real>),
          resident<DIMS>(90),          resident<DIMS>(80)};
}

const kernel<compress_call> ghz_compress_bricks_kernels[] = {kernel_of<2, float>(), kernel_of<2, double>(),
                                                             kernel_of<3, float>(), kernel_of<3, double>()};
