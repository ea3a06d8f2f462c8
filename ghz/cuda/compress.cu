// compress.cu: the kernel that compresses: values to tiles, read once and written once.

#include "integers.cuh"
#include "kernels.cuh"

// A tile's values, and later its bytes.
template <class Real> struct compress_shared {
  uint32_t tile[WARPS][(TILE * sizeof(Real) + SLACK) / 4];
  group_state group;
};

enum tile_kind { NOTHING, FROM_REGISTERS, FROM_VALUES, AS_IT_IS };

// What a warp knows of its tile once it is measured.
struct fresh_tile {
  tile_kind kind;
  uint32_t size;
  tile_shape shape;
};

// ---- The common tile: full, without specials, integers of 32 bits ----------------------------------------------------

// Integers so narrow that the tile is surely coarse, and surely within what float arithmetic may quantise: up to 2^14.
enum { SURELY_COARSE = 15 };

// Integers of a lane's values, of a tile that is taken to be coarse, in the arithmetic of its type. Returns 0 if that was
// wrong: values beyond the range, NaN and infinities show as wide integers.
template <class Real>
DEVICE int quantise_coarse(const uint32_t *buffer, double step, int32_t q[LANE_VALUES], int lane) {
  typedef value_rows<Real> rows;
  const typename rows::piece *s = reinterpret_cast<const typename rows::piece *>(buffer);
  const Real factor = (Real)quantising_factor(real_type<Real>::type, step, COARSE);
  uint32_t folded = 0;
  UNROLLED for (int p = 0; p < rows::PIECES; p++) {
    typename rows::piece x = s[rows::place(lane, p)];
    UNROLLED for (int i = 0; i < rows::PIECE; i++) {
      int32_t &v = q[rows::PIECE * p + i];
      if (sizeof(Real) == 4) {
        v = round_f32((float)(x.value[i] * factor));
      } else {
        int64_t wide = round_f64((double)(x.value[i] * factor));
        v = (int32_t)wide;
        folded |= v == wide ? 0 : ALL;
        keep_as_it_is(v);
      }
      folded |= fold(v);
    }
  }
  return !__any_sync(ALL, folded >> SURELY_COARSE != 0);
}

// The bits of the largest magnitude, NaN and infinities included.
template <class Real> DEVICE typename real_type<Real>::bits largest_magnitude(const Real *values, int lane) {
  typename real_type<Real>::bits largest = 0;
  ROLLED for (int i = 0; i < LANE_VALUES; i++) {
    typename real_type<Real>::bits b = bits_of(values[LANE_VALUES * i + lane]) & ~real_type<Real>::SIGN;
    largest = b > largest ? b : largest;
  }
  return largest_of_lanes(largest);
}

// Puts the integers of a full tile in the place of its values, and returns its mode; -1, having changed nothing, where they
// may need more than 32 bits, or some values are special.
template <class Real> SELDOM int quantise_in_place(const ghz_lattice l, uint32_t *buffer, int lane) {
  typedef typename real_type<Real>::bits bits;
  Real *values = reinterpret_cast<Real *>(buffer);
  bits largest = largest_magnitude(values, lane);
  double m = (double)real_of(largest);
  int mode = largest < real_type<Real>::EXPONENT ? mode_for(&l, m) : RAW;
  if (mode != COARSE && mode != FINE)
    return -1;
  const double factor = quantising_factor(l.type, l.step, mode);
  const int in_float = quantises_in_float(&l, m);
  ROLLED for (int i = lane; i < TILE; i += 32) {
    int64_t q = in_float ? round_f32((float)values[i] * (float)factor) : round_f64((double)values[i] * factor);
    values[i] = real_of((bits)q);
  }
  __syncwarp();
  return mode;
}

// Fills q and `mode`. Returns 0 where the tile is not of the common kind.
template <class Real>
DEVICE int quantise_tile(const ghz_lattice &l, uint32_t *buffer, int32_t q[LANE_VALUES], int &mode, int lane) {
  typedef value_rows<Real> rows;
  mode = COARSE;
  if (quantise_coarse<Real>(buffer, l.step, q, lane))
    return 1;
  mode = quantise_in_place<Real>(l, buffer, lane);
  if (mode < 0)
    return 0;
  const typename rows::piece *s = reinterpret_cast<const typename rows::piece *>(buffer);
  UNROLLED for (int p = 0; p < rows::PIECES; p++) {
    typename rows::piece x = s[rows::place(lane, p)];
    UNROLLED for (int i = 0; i < rows::PIECE; i++) q[rows::PIECE * p + i] = (int32_t)bits_of(x.value[i]);
  }
  return 1;
}

// ---- Any tile ---------------------------------------------------------------------------------------------------

template <class Real> DEVICE int all_bits_zero(const uint32_t *buffer, int lane) {
  uint32_t any = 0;
  for (unsigned i = (unsigned)lane; i < TILE * sizeof(Real) / 4; i += 32)
    any |= buffer[i];
  return !__any_sync(ALL, any != 0);
}

template <class Real> struct any_tile : value_integers<Real, staged_values<Real>> {
  METHOD int begin(const compress_call &c, const uint32_t *buffer, unsigned count, int &mode, int l) {
    double largest = this->look({reinterpret_cast<const Real *>(buffer)}, count, l);
    return this->open(c.lattice, largest, mode);
  }
};

template <class Real>
SELDOM void measure_any(const compress_call &c, const uint32_t *buffer, unsigned n, fresh_tile &f, int lane) {
  any_tile<Real> values;
  uint32_t raw = 1 + n * (uint32_t)sizeof(Real);
  int mode;
  if (values.begin(c, buffer, n, mode, lane)) {
    f.size = values.shape(mode, c.order, f.shape);
    f.kind = f.size ? FROM_VALUES : NOTHING;
  } else if (all_bits_zero<Real>(buffer, lane)) {
    f.kind = NOTHING;
    f.size = 0;
  } else {
    f.size = raw;
  }
  if (f.size >= raw) {
    f.kind = AS_IT_IS;
    f.size = raw;
  }
}

template <class Real>
SELDOM void write_any(const compress_call &c, const uint32_t *buffer, unsigned n, const fresh_tile &f,
                      uint8_t *out, int lane) {
  any_tile<Real> values;
  row_writer<false> writer;
  int mode;
  values.begin(c, buffer, n, mode, lane);
  put_head(out, f.shape, lane);
  writer.begin(out, f.shape.widths, 0, f.shape.height, f.shape.rows_at, lane);
  ROLLED for (int k = 0; 8 * k < f.shape.height; k++) {
    uint32_t rows[8];
    values.rows(f.shape.lead.order, k, rows);
    writer.put(rows);
    if (8 * k + 4 < f.shape.height)
      writer.put(rows + 4);
  }
}

DEVICE void write_raw(const uint8_t *x, uint32_t size, uint8_t *out, int lane) {
  if (lane == 0)
    out[0] = RAW_TILE;
  ROLLED for (uint32_t i = 1 + (uint32_t)lane; i < size; i += 32) out[i] = x[i - 1];
}

// ---- The kernel -------------------------------------------------------------------------------------------------

// Writes a tile's bytes over its values in shared memory; returns where they begin.
DEVICE uint32_t squeeze_registers(uint32_t *buffer, const tile_shape &t, int32_t q[LANE_VALUES], int lane) {
  const uint32_t at = (0 - t.rows_at) & 3; // row 0 begins at a word
  uint8_t *out = reinterpret_cast<uint8_t *>(buffer);
  row_writer<true> writer;
  put_plain_head(out + at, t, lane);
  writer.begin(out, t.widths, t.least, t.height, at + t.rows_at, lane);
  ROLLED for (int k = 0; 8 * k < t.height; k++) {
    uint32_t rows[8];
    rows_of_registers(q, k, rows);
    writer.put(rows);
    if (8 * k + 4 < t.height)
      writer.put(rows + 4);
  }
  return at;
}

template <class Real> __global__ void __launch_bounds__(THREADS, 3) compress_tiles(ARGUMENT(compress_call) c) {
  GHZ_SHARED(compress_shared<Real>, s);
  const int lane = lane_of_thread(), warp = (int)threadIdx.x / 32;
  take_group(s.group, c.sink);
  const uint64_t t = s.group.index * WARPS + (uint64_t)warp, tile = c.sink.first + t;
  const bool mine = t < c.sink.tiles;
  const unsigned n = mine ? values_in(c.sink.n, tile) : 0;
  const Real *x = static_cast<const Real *>(c.x) + tile * TILE;
  uint32_t *buffer = s.tile[warp], at = 0;
  int32_t q[LANE_VALUES];
  tile_shape shape;    // of a tile of the common kind
  fresh_tile uncommon; // any other
  tile_kind kind = NOTHING;
  uint32_t size = 0;
  if (mine) {
    stage_values(buffer, x, n, lane);
    shape.lead.special = 0;
    if (n == TILE && !c.careful && quantise_tile<Real>(c.lattice, buffer, q, shape.lead.mode, lane)) {
      size = choose_shape(measure_registers(q, lane), c.order, shape);
      kind = size == 0 ? NOTHING : size < 1 + TILE * sizeof(Real) ? FROM_REGISTERS : AS_IT_IS;
      size = kind == AS_IT_IS ? 1 + TILE * (uint32_t)sizeof(Real) : size;
    } else {
      measure_any<Real>(c, buffer, n, uncommon, lane);
      kind = uncommon.kind;
      size = uncommon.size;
    }
  }
  if (lane == 0)
    s.group.size[warp] = size;
  __syncthreads();
  if (warp == 0)
    place_group(s.group, c.sink, 0, lane);
  if (kind == FROM_REGISTERS) {
    __syncwarp(); // all lanes have their values
    difference_registers(q, shape.lead.order, lane);
    at = squeeze_registers(buffer, shape, q, lane);
  }
  __syncthreads();
  if (s.group.fits && size) {
    uint8_t *out = place_of_tile(s.group, c.sink, warp, lane);
    if (kind == FROM_REGISTERS)
      unstage_bytes(out, buffer, at, size, lane);
    else if (kind == FROM_VALUES)
      write_any<Real>(c, buffer, n, uncommon, out, lane);
    else
      write_raw(reinterpret_cast<const uint8_t *>(x), size, out, lane);
  }
  if (is_last_block(c.sink.shared, gridDim.x))
    finish_result(c.sink, {c.lattice, 1, 0});
}

template <class Real> static cudaError_t launch(const compress_call &c, uint64_t blocks, cudaStream_t stream) {
  GHZ_LAUNCH((compress_tiles<Real>), (unsigned)blocks, THREADS, sizeof(compress_shared<Real>), stream, c);
  return cudaPeekAtLastError();
}

cudaError_t ghz_launch_compress(const compress_call &c, uint64_t blocks, cudaStream_t stream) {
  return c.lattice.type == GHZ_F32 ? launch<float>(c, blocks, stream) : launch<double>(c, blocks, stream);
}

cudaError_t ghz_prepare_compress() {
  cudaError_t error = ghz_prepare(compress_tiles<float>, sizeof(compress_shared<float>));
  return error == cudaSuccess ? ghz_prepare(compress_tiles<double>, sizeof(compress_shared<double>)) : error;
}
