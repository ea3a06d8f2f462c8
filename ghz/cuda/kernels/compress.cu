// compress.cu: the kernel that compresses: values to tiles, read once and written once.
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/kernels/kernels.cuh"
#include "cuda/primitives/constant.cuh"
#include "cuda/primitives/integers.cuh"
#include "cuda/primitives/quantise.cuh"

enum { WARPS = 4, THREADS = 32 * WARPS }; // a tile to a warp

// Blocks that a multiprocessor holds.
template <class Real> static constexpr int RESIDENT = sizeof(Real) == 4 ? 5 : 4;

// A tile's values, and later its bytes.
template <class Real> struct compress_shared {
  uint32_t tile[WARPS][(TILE * sizeof(Real) + SLACK) / 4];
  group_state<WARPS> group;
};

// Where the bytes of a tile come from.
enum tile_kind { NOTHING, FROM_REGISTERS, FROM_VALUES, ALREADY_THERE, RAW_VALUES };

// ---- The common tile: full, without specials, integers of 32 bits -------------------------------

// The bits of the largest magnitude, NaN and infinities included.
template <class Real> DEVICE typename real_type<Real>::bits largest_magnitude(const Real *values, int lane) {
  typename real_type<Real>::bits largest = 0;
  ROLLED for (int i = 0; i < LANE_VALUES; i++) {
    typename real_type<Real>::bits b = bits_of(values[LANE_VALUES * i + lane]) & ~real_type<Real>::SIGN;
    largest = b > largest ? b : largest;
  }
  return largest_of_lanes(largest);
}

// Replaces the values of a full tile by its integers and returns its mode. Returns -1, and changes
// nothing, if integers may need more than 32 bits or some values are special.
template <class Real> SELDOM int quantise_in_place(const ghz_lattice l, uint32_t *buffer, int lane) {
  typedef typename real_type<Real>::bits bits;
  Real *values = reinterpret_cast<Real *>(buffer);
  bits largest = largest_magnitude(values, lane);
  double m = (double)real_of(largest);
  int mode = largest < real_type<Real>::EXPONENT ? mode_for(&l, m) : RAW;
  if (mode != COARSE && mode != FINE)
    return -1;
  __syncwarp(); // all lanes have read the values
  const double factor = quantising_factor(l.type, l.step, mode);
  const int in_float = quantises_in_float(&l, m);
  ROLLED for (int i = lane; i < TILE; i += 32) {
    int64_t q = in_float ? round_f32((float)values[i] * (float)factor) : round_f64((double)values[i] * factor);
    values[i] = real_of((bits)q);
  }
  __syncwarp();
  return mode;
}

// Fills q, mode and zero (all integers are 0). Returns 0 if the tile is not common.
template <class Real>
DEVICE int quantise_tile(const compress_call &c, uint32_t *buffer, int32_t q[LANE_VALUES], int &mode, int &zero,
                         int lane) {
  typedef value_rows<Real> rows;
  mode = COARSE;
  if (quantise_coarse<Real>(buffer, (Real)c.factor, q, zero, lane))
    return 1;
  mode = quantise_in_place<Real>(c.lattice, buffer, lane);
  if (mode < 0)
    return 0;
  const typename rows::piece *s = reinterpret_cast<const typename rows::piece *>(buffer);
  UNROLLED for (int p = 0; p < rows::PIECES; p++) {
    typename rows::piece x = s[rows::place(lane, p)];
    UNROLLED for (int i = 0; i < rows::PIECE; i++) q[rows::PIECE * p + i] = (int32_t)bits_of(x.value[i]);
  }
  return 1;
}

// ---- Any tile -----------------------------------------------------------------------------------

template <class Real> using any_integers = value_integers<Real, first_columns<staged_values<Real>>>;

template <class Real> DEVICE first_columns<staged_values<Real>> staged(const uint32_t *buffer, unsigned n) {
  return {{reinterpret_cast<const Real *>(buffer)}, n};
}

template <class Real> DEVICE uint32_t raw_size(unsigned n) {
  return 1 + n * (uint32_t)sizeof(Real);
}

// Returns the size of the tile: 0 if it is empty, raw_size(n) if it is raw; else `shape` is its
// shape.
template <class Real>
SELDOM uint32_t measure_any(const compress_call &c, const uint32_t *buffer, unsigned n, tile_shape &shape,
                            int lane) {
  any_integers<Real> integers;
  if (integers.begin(c.lattice, staged<Real>(buffer, n), lane) == RAW)
    return all_bits_zero<Real>(buffer, lane) ? 0 : raw_size<Real>(n);
  return min(integers.shape(c.order, shape), raw_size<Real>(n));
}

template <class Real>
SELDOM void write_any(const compress_call &c, const uint32_t *buffer, unsigned n, const tile_shape &shape,
                      uint8_t *out, int lane) {
  any_integers<Real> integers;
  plane_writer<false> writer;
  integers.begin(c.lattice, staged<Real>(buffer, n), lane);
  put_header(out, shape, lane);
  writer.begin(out, shape.widths, 0, shape.height, shape.planes_at, lane);
  ROLLED for (int k = 0; 8 * k < shape.height; k++) {
    uint32_t planes[8];
    integers.planes(shape.lead.order, k, planes);
    writer.put(planes);
    if (8 * k + 4 < shape.height)
      writer.put(planes + 4);
  }
}

DEVICE void write_raw(const uint8_t *x, uint32_t size, uint8_t *out, int lane) {
  if (lane == 0)
    out[0] = RAW_TILE;
  ROLLED for (uint32_t i = 1 + (uint32_t)lane; i < size; i += 32) out[i] = x[i - 1];
}

// ---- The kernel ---------------------------------------------------------------------------------

// Writes a tile's bytes over its values in shared memory; returns where they begin.
DEVICE uint32_t squeeze_registers(uint32_t *buffer, const tile_shape &t, anchor_sizes anchors,
                                  int32_t q[LANE_VALUES], int lane) {
  const uint32_t at = (0 - t.planes_at) & 3; // plane 0 begins at a word
  uint8_t *out = reinterpret_cast<uint8_t *>(buffer);
  plane_writer<true> writer;
  put_plain_header(out + at, t, anchors, lane);
  writer.begin(out, t.widths, t.least, t.height, at + t.planes_at, lane);
  ROLLED for (int k = 0; 8 * k < t.height; k++) {
    uint32_t planes[8];
    planes_of_registers(q, k, planes);
    writer.put(planes);
    if (8 * k + 4 < t.height)
      writer.put(planes + 4);
  }
  return at;
}

// The shape of a common tile, packed: it occupies registers while the block finds out where the
// tile goes.
struct short_shape {
  uint32_t widths, numbers;
  int32_t anchor, slope;

  METHOD void keep(const tile_shape &t, anchor_sizes anchors) {
    widths = t.widths;
    numbers = (uint32_t)t.lead.order | (uint32_t)t.lead.mode << 2 | (uint32_t)t.height << 4 |
              (uint32_t)t.least << 10 | t.planes_at << 16 | anchors.anchor << 24 | anchors.slope << 27 |
              (uint32_t)t.lead.squeezed << 31;
    anchor = (int32_t)t.lead.anchor;
    slope = (int32_t)t.lead.slope;
  }
  METHOD tile_shape whole() const {
    tile_shape t = {};
    t.widths = widths;
    t.lead.order = (int)(numbers & 3);
    t.lead.mode = (int)(numbers >> 2 & 3);
    t.height = (int)(numbers >> 4 & 63);
    t.least = (int)(numbers >> 10 & 63);
    t.planes_at = numbers >> 16 & 255;
    t.lead.squeezed = (int)(numbers >> 31);
    t.lead.width_planes = bit_length_32((uint32_t)t.height);
    t.lead.anchor = anchor;
    t.lead.slope = slope;
    return t;
  }
  METHOD anchor_sizes anchors() const {
    return {numbers >> 24 & 7, numbers >> 27 & 7};
  }
};

// A warp's tile while the block finds out where it goes. The shape of a tile FROM_VALUES is kept
// apart: functions that are called take its address, so that it cannot be in registers.
struct tile_state {
  tile_kind kind = NOTHING;
  uint32_t size = 0, at = 0; // at: where its bytes begin in shared memory
  short_shape shape;         // FROM_REGISTERS
  int32_t q[LANE_VALUES];
};

template <class Real>
DEVICE void measure(const compress_call &c, uint32_t *buffer, const Real *x, unsigned n, tile_state &w,
                    tile_shape &uncommon, int lane) {
  int mode, zero = 0;
  stage_values(buffer, x, n, lane);
  if (c.lattice.has_fill)
    hide_fill(reinterpret_cast<Real *>(buffer), c.lattice, ~columns_beyond(n, lane), lane);
  if (may_be_constant<Real>(buffer, n < 32 ? ~(ALL << n) : ALL, lane))
    w.size = form_constant<Real>(c.lattice, c.order, staged<Real>(buffer, n), buffer, raw_size<Real>(n), lane);
  if (w.size) {
    w.kind = ALREADY_THERE;
  } else if (n == TILE && !c.slow_path && quantise_tile<Real>(c, buffer, w.q, mode, zero, lane)) {
    if (zero)
      return; // an empty tile
    tile_shape t = {};
    anchor_sizes anchors;
    t.lead.mode = mode;
    w.size = min(choose_shape(measure_registers(w.q, lane), c.order, t, anchors, lane), raw_size<Real>(n));
    w.kind = FROM_REGISTERS;
    w.shape.keep(t, anchors);
  } else {
    w.size = measure_any<Real>(c, buffer, n, uncommon, lane);
    w.kind = FROM_VALUES;
  }
  w.kind = w.size == 0 ? NOTHING : w.size == raw_size<Real>(n) ? RAW_VALUES : w.kind;
}

template <class Real>
__global__ void __launch_bounds__(THREADS, RESIDENT<Real>) compress_tiles(ARGUMENT(compress_call) c) {
  GHZ_SHARED(compress_shared<Real>, s);
  const int lane = lane_of_thread(), warp = (int)threadIdx.x / 32;
  uint32_t *buffer = s.tile[warp];
  group_queue queue;
  queue.ask(c.target.shared);
  while (queue.take(s.group, c.target)) {
    const uint64_t t = s.group.index * WARPS + (uint64_t)warp, tile = c.target.first + t;
    const unsigned n = t < c.target.tiles ? values_in_tile(c.target.shape.extent[2], tile) : 0;
    const Real *x = static_cast<const Real *>(c.x) + tile * TILE;
    tile_state w;
    tile_shape uncommon;
    if (n)
      measure(c, buffer, x, n, w, uncommon, lane);
    if (lane == 0)
      s.group.size[warp] = w.size;
    __syncthreads();
    queue.ask(c.target.shared);
    if (warp == 0)
      place_group(s.group, c.target, 0, lane);
    if (w.kind == FROM_REGISTERS) {
      const tile_shape shape = w.shape.whole();
      difference_registers(w.q, shape.lead.order, lane);
      w.at = squeeze_registers(buffer, shape, w.shape.anchors(), w.q, lane);
    }
    __syncthreads();
    if (s.group.fits && w.size) {
      uint8_t *out = s.group.place + s.group.before[warp];
      if (w.kind == FROM_REGISTERS || w.kind == ALREADY_THERE)
        unstage_bytes(out, buffer, w.at, w.size, lane);
      else if (w.kind == FROM_VALUES)
        write_any<Real>(c, buffer, n, uncommon, out, lane);
      else
        write_raw(reinterpret_cast<const uint8_t *>(x), w.size, out, lane);
    }
  }
  if (is_last_block(c.target.shared, gridDim.x))
    finish_result(c.target, {c.lattice, 1, 0});
}

template <class Real> static constexpr kernel<compress_call> kernel_of() {
  return {compress_tiles<Real>, THREADS, WARPS, sizeof(compress_shared<Real>), RESIDENT<Real>};
}

const kernel<compress_call> ghz_compress_kernels[] = {kernel_of<float>(), kernel_of<double>()};
