// compress_bricks.cu: the kernel that compresses arrays of two and three dimensions: values to
// bricks.
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/kernels/kernels.cuh"
#include "cuda/primitives/brick_encode.cuh"
#include "cuda/primitives/constant.cuh"
#include "cuda/primitives/quantise.cuh"

enum { WARPS = 4, THREADS = 32 * WARPS, RESIDENT = 3 }; // a brick to a warp

// A brick's values, and later its bytes; and the transform's numbers.
template <class Real> struct compress_shared {
  uint32_t tile[WARPS][(TILE * sizeof(Real) + SLACK) / 4];
  double numbers[WARPS][TILE];
  line_order order;
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
};

// Copies values to rows in shared memory. Columns outside are 0.
template <int DIMS, class Real>
DEVICE void stage_brick(Real *values, const brick_source<Real> &from, int lane) {
  ROLLED for (int i = lane; i < TILE; i += 32) {
    const column_place p = place_of_column<DIMS>((unsigned)i);
    values[value_rows<Real>::place_of_value(i)] = is_inside(from.extent, p) ? *from.at(p) : (Real)0;
  }
  __syncwarp();
}

template <int DIMS, class Real>
DEVICE void write_raw_brick(const brick_source<Real> &from, uint8_t *out, int lane) {
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

// Forms any brick that is not surely coarse; returns its size.
template <int DIMS, class Real>
SELDOM uint32_t form_uncommon(const compress_call &c, value_brick<Real> &v, uint32_t limit, brick_shape &t) {
  const int lane = v.part.lane;
  value_integers<Real, columns_of_lane<staged_values<Real>>> integers;
  if (integers.begin(c.lattice, {{v.values}, v.part.inside}, lane) == RAW)
    return all_bits_zero<Real>(reinterpret_cast<const uint32_t *>(v.values), lane) ? 0 : limit;
  v.coefficients = integers.coefficients;
  v.in_float = integers.in_float;
  v.factor = integers.factor;
  t.lattice.lead.mode = integers.mode;
  t.lattice.lead.special = integers.special;
  t.lattice.plus = integers.plus;
  t.lattice.minus = integers.minus;
  __syncwarp(); // all lanes have read the values
  if (integers.special)
    integers.hide([&](int i, typename real_type<Real>::bits b) {
      v.values[value_rows<Real>::place_of_value(i)] = real_of(b);
    });
  __syncwarp();
  return integers.mode == WIDE ? encode_brick<DIMS, int64_t>(v, c.order, limit, t)
                               : encode_brick<DIMS, int32_t>(v, c.order, limit, t);
}

// Forms a brick in shared memory; returns its size, or the limit if it is raw.
template <int DIMS, class Real>
DEVICE uint32_t form_brick(const compress_call &c, compress_shared<Real> &s, int warp,
                           const brick_source<Real> &from, uint32_t limit, int lane) {
  Real *values = reinterpret_cast<Real *>(s.tile[warp]);
  value_brick<Real> v = {c.lattice,         values,  s.numbers[warp], &s.order, {from.extent, 0, lane}, 1,
                         sizeof(Real) == 4, c.factor};
  brick_shape t;
  int zero;
  v.part.inside = columns_inside(from.extent, lane);
  t.lattice.lead = {};
  t.lattice.plus = t.lattice.minus = 0;
  stage_brick<DIMS>(values, from, lane);
  if (c.lattice.has_fill)
    hide_fill(values, c.lattice, v.part.inside, lane);
  if (may_be_constant<Real>(s.tile[warp], __shfl_sync(ALL, v.part.inside, 0), lane)) {
    const columns_of_lane<staged_values<Real>> staged = {{values}, v.part.inside};
    const uint32_t size = form_constant<Real>(c.lattice, c.order, staged, s.tile[warp], limit, lane);
    if (size)
      return size;
  }
  if (!c.slow_path && surely_coarse(s.tile[warp], (Real)c.factor, zero, lane))
    return zero ? 0 : encode_brick<DIMS, int32_t>(v, c.order, limit, t);
  return form_uncommon<DIMS>(c, v, limit, t);
}

template <int DIMS, class Real>
__global__ void __launch_bounds__(THREADS, RESIDENT) compress_bricks(ARGUMENT(compress_call) c) {
  GHZ_SHARED(compress_shared<Real>, s);
  const int lane = lane_of_thread(), warp = (int)threadIdx.x / 32;
  group_queue queue;
  queue.ask(c.target.shared);
  make_line_order(s.order);
  while (queue.take(s.group, c.target)) {
    const uint64_t t = s.group.index * WARPS + (uint64_t)warp;
    const bool there = t < c.target.tiles;
    const brick_source<Real> from(c, c.target.first + (there ? t : 0));
    const uint32_t limit = 1 + from.extent.n * (uint32_t)sizeof(Real);
    const uint32_t size = there ? form_brick<DIMS>(c, s, warp, from, limit, lane) : 0;
    if (lane == 0)
      s.group.size[warp] = size;
    __syncthreads();
    queue.ask(c.target.shared);
    if (warp == 0)
      place_group(s.group, c.target, 0, lane);
    __syncthreads();
    if (s.group.fits && size) {
      uint8_t *out = s.group.place + s.group.before[warp];
      if (size == limit)
        write_raw_brick<DIMS>(from, out, lane);
      else
        unstage_bytes(out, s.tile[warp], 0, size, lane);
    }
  }
  if (is_last_block(c.target.shared, gridDim.x))
    finish_result(c.target, {c.lattice, 1, c.order == GHZ_ORDER_BEST ? (uint32_t)FLAG_TRANSFORM : 0});
}

template <int DIMS, class Real>
static cudaError_t launch(const compress_call &c, unsigned multiprocessors, cudaStream_t stream) {
  const unsigned blocks = blocks_for(c.target.tiles, WARPS, RESIDENT * multiprocessors);
  return ghz_start(compress_bricks<DIMS, Real>, blocks, THREADS, sizeof(compress_shared<Real>), stream, c);
}

cudaError_t ghz_launch_compress_bricks(const compress_call &c, unsigned multiprocessors, cudaStream_t stream) {
  if (c.target.shape.dims == 2)
    return c.lattice.type == GHZ_F32 ? launch<2, float>(c, multiprocessors, stream)
                                     : launch<2, double>(c, multiprocessors, stream);
  return c.lattice.type == GHZ_F32 ? launch<3, float>(c, multiprocessors, stream)
                                   : launch<3, double>(c, multiprocessors, stream);
}

template <int DIMS> static cudaError_t prepare() {
  cudaError_t error = ghz_prepare(compress_bricks<DIMS, float>, sizeof(compress_shared<float>));
  return error == cudaSuccess ? ghz_prepare(compress_bricks<DIMS, double>, sizeof(compress_shared<double>))
                              : error;
}

cudaError_t ghz_prepare_compress_bricks() {
  cudaError_t error = prepare<2>();
  return error == cudaSuccess ? prepare<3>() : error;
}
