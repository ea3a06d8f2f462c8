// combine.cu: the kernel that adds: reads the tiles of all operands, adds them on bit rows and writes the result's tiles, in
// one pass, without going back to integers.

#include "kernels.cuh"
#include "row_total.cuh"

// Rows of a sum of two that is formed in registers.
enum { PAIR_ROWS = 16 };

template <class Real> struct combine_shared {
  // A tile of each of two operands, or one of any size that is copied, and then the result's.
  static constexpr int BYTES = sizeof(Real) == 4 ? 4736 : 8448, HALF = BYTES / 2;
  uint32_t tile[WARPS][BYTES / 4];
  group_state group;
  expansion expand;
  // What the operands' heads say.
  ghz_lattice lattice;
  uint32_t terms[GHZ_CUDA_OPERANDS], terms_of_result, inexact;
  uint64_t payload[GHZ_CUDA_OPERANDS];
  unsigned counting; // operands whose coefficient is not 0
  int status;
};

// A tile of a result. Its bytes come from the place that its kind names.
enum result_kind { NOTHING, FROM_ROWS, FROM_BUFFER, FROM_TOTAL, FROM_SUMS };

// A result of a kind that is not common: in local memory.
template <class Real> struct uncommon_result {
  result_kind kind;
  uint32_t size;
  unsigned damaged; // an operand whose tile is damaged; GHZ_CUDA_OPERANDS if none is
  int inexact;
  tile_shape shape;
  union {
    row_total total;
    double sum[LANE_VALUES];
  };
};

// ---- The operands' heads ----------------------------------------------------------------------------------------

DEVICE uint64_t magnitude_of(int64_t c) {
  return c < 0 ? 0 - (uint64_t)c : (uint64_t)c;
}

// Notes the gravest fault for the block, and for the call.
template <class Real>
DEVICE void head_fault(const combine_call &c, combine_shared<Real> &s, unsigned i, int status) {
  note_fault(c.sink.shared, FAULT_HEAD, 0, i, status);
  s.status = status;
}

// The terms of the result, which decide alone whether it may be formed.
template <class Real> DEVICE void count_terms(const combine_call &c, combine_shared<Real> &s) {
  uint64_t terms = 0, limit = terms_limit(s.lattice.cap);
  s.counting = 0;
  for (unsigned i = 0; i < c.k; i++) {
    uint64_t times = magnitude_of(c.coefficient[i]);
    s.counting += times != 0;
    if (s.terms[i] && times > limit / s.terms[i])
      return head_fault(c, s, i, GHZ_ERANGE);
    terms += times * s.terms[i];
    if (terms > limit)
      return head_fault(c, s, i, GHZ_ERANGE);
  }
  s.terms_of_result = (uint32_t)terms;
}

// Reads and compares the heads, one per thread. Every block does so: they are few bytes, and each finds the same.
template <class Real> DEVICE void read_heads(const combine_call &c, combine_shared<Real> &s) {
  operand_head h = {};
  const unsigned i = threadIdx.x;
  int status = GHZ_OK;
  if (i == 0) {
    s.status = GHZ_OK;
    s.inexact = 0;
  }
  __syncthreads();
  if (i < c.k) {
    status = read_head(c.from[i], c.kind, h);
    s.terms[i] = h.terms;
    s.payload[i] = h.payload;
    if (i == 0)
      s.lattice = h.lattice;
    if (status == GHZ_OK && h.inexact && c.coefficient[i])
      atomicOr(&s.inexact, 1u);
  }
  __syncthreads();
  if (i < c.k && status == GHZ_OK && !same_lattice(h.lattice, s.lattice))
    status = GHZ_EMISMATCH;
  if (status != GHZ_OK)
    head_fault(c, s, i, status);
  __syncthreads();
  if (i == 0 && s.status == GHZ_OK) {
    ghz_lattice scaled = s.lattice;
    count_terms(c, s);
    if (c.scaled && !scale_lattice(&scaled, 1, c.divisor))
      head_fault(c, s, 255, GHZ_EINVAL);
  }
  __syncthreads();
}

// ---- Two lattice tiles: the common case -------------------------------------------------------------------------

// One operand of a pair.
struct pair_side {
  tile_shape t;
  row_reader<shared_bytes> reader;
  int negative;
};

// The sum of two tiles whose orders differ by `raises`; a has the higher. Rows to `sum`, and the shape of the result.
DEVICE void add_pair(pair_side &a, pair_side &b, unsigned rows_needed, uint32_t sum[PAIR_ROWS], tile_shape &t,
                     int lane) {
  const int raises = a.t.lead.order - b.t.lead.order;
  const uint32_t keep_one = lane ? ALL : ALL << 1, keep_two = lane ? ALL : ALL << 2;
  part carry[PARTS] = {a.negative | b.negative ? ALL : 0}, once[PARTS] = {0}, twice[PARTS] = {0};
  part widths[PARTS] = {0}, below[PARTS] = {0};
  uint32_t column0 = 0, column1 = 0;
  unsigned height = 0;
  UNROLLED for (int p = 0; p < PAIR_ROWS; p += 4) if (p < (int)rows_needed) {
    uint32_t x[4], y[4];
    a.reader.take(x);
    b.reader.take(y);
    UNROLLED for (int i = 0; i < 4; i++) {
      uint32_t z = y[i];
      if (raises) {
        if (b.t.lead.order == 1) // readers ignore this column, where the anchor stands for it
          z &= keep_one;
        raise_row(&z, once);
        if (b.t.lead.order == 0)
          column0 |= (z & 1) << (p + i);
        else
          column1 |= (z >> 1 & 1) << (p + i);
        z &= b.t.lead.order == 0 ? keep_one : keep_two;
      }
      if (raises == 2) {
        raise_row(&z, twice);
        column1 |= (z >> 1 & 1) << (p + i);
        z &= keep_two;
      }
      part xs[PARTS] = {a.negative ? ~x[i] : x[i]}, zs[PARTS] = {b.negative ? ~z : z};
      if (p + i < (int)rows_needed) {
        add_row(xs, zs, carry, &sum[p + i]);
        widen(widths, &sum[p + i], below, (unsigned)(p + i), &height);
      }
    }
  }
  uint64_t anchor = (uint64_t)b.t.lead.anchor, slope = (uint64_t)b.t.lead.slope;
  const unsigned above = 32 - rows_needed;
  if (raises) {
    column0 = __shfl_sync(ALL, column0, 0);
    column1 = __shfl_sync(ALL, column1, 0);
    if (b.t.lead.order == 0)
      anchor = rows_needed ? (uint64_t)(int64_t)((int32_t)(column0 << above) >> above) : 0;
    if (a.t.lead.order == 2)
      slope = rows_needed ? (uint64_t)(int64_t)((int32_t)(column1 << above) >> above) : 0;
  }
  const uint64_t a_anchor = (uint64_t)a.t.lead.anchor, a_slope = (uint64_t)a.t.lead.slope;
  t.lead.order = a.t.lead.order;
  t.lead.mode = a.t.lead.mode;
  t.lead.special = 0;
  t.lead.anchor = (int64_t)((a.negative ? 0 - a_anchor : a_anchor) + (b.negative ? 0 - anchor : anchor));
  t.lead.slope = (int64_t)((a.negative ? 0 - a_slope : a_slope) + (b.negative ? 0 - slope : slope));
  t.widths = widths[0];
}

// Adds or subtracts two tiles if they are both of the common kind: full, on the lattice, of one mode, without specials, and
// of few rows. Returns 0 if they are not; damage is left to be found elsewhere.
template <class Real>
DEVICE int combine_pair(const combine_call &c, const combine_shared<Real> &s, uint32_t *buffer,
                        const tile_place place[2], uint32_t sum[PAIR_ROWS], tile_shape &t, uint32_t &size,
                        int lane) {
  constexpr uint32_t HALF = combine_shared<Real>::HALF;
  uint32_t *half[2] = {buffer, buffer + HALF / 4};
  pair_side side[2];
  int fits = 1;
  UNROLLED for (int i = 0; i < 2; i++) fits &= place[i].size && place[i].size + 32 <= HALF;
  if (!fits)
    return 0;
  UNROLLED for (int i = 0; i < 2; i++) {
    const operand &o = c.from[i];
    shared_bytes bytes = {half[i],
                          stage_bytes(half[i], place[i].data, place[i].size, o.head, o.head + o.size, lane)};
    side[i].reader.bytes = bytes;
    side[i].negative = c.coefficient[i] < 0;
  }
  copies_arrived();
  __syncwarp();
  UNROLLED for (int i = 0; i < 2; i++) {
    const shared_bytes bytes = side[i].reader.bytes;
    if ((bytes.byte(0) & 3) == 3 ||
        !take_tile(s.lattice, s.terms[i], bytes, place[i].size, TILE, side[i].t, lane) ||
        side[i].t.lead.special)
      return 0;
    side[i].reader.begin(bytes, &s.expand, side[i].t.widths, side[i].t.least, side[i].t.height,
                         side[i].t.rows_at, lane);
  }
  if (side[0].t.lead.mode != side[1].t.lead.mode)
    return 0;
  if (side[0].t.lead.order < side[1].t.lead.order) {
    pair_side other = side[0];
    side[0] = side[1];
    side[1] = other;
  }
  const int order = side[0].t.lead.order, raised = side[1].t.height + order - side[1].t.lead.order;
  const int top = max(side[0].t.height, raised);
  const unsigned limit =
      width_limit(s.lattice.type, s.lattice.cap, side[0].t.lead.mode, order, s.terms_of_result);
  const unsigned rows_needed = min((unsigned)(top + (top > 0)), limit);
  if (rows_needed > PAIR_ROWS)
    return 0;
  add_pair(side[0], side[1], rows_needed, sum, t, lane);
  size = finish_shape(t);
  return 1;
}

// Writes its bytes over the operands'; returns where they begin.
DEVICE uint32_t squeeze_pair(uint32_t *buffer, const tile_shape &t, const uint32_t sum[PAIR_ROWS], int lane) {
  const uint32_t at = (0 - t.rows_at) & 3;
  uint8_t *out = reinterpret_cast<uint8_t *>(buffer);
  row_writer<true> writer;
  put_plain_head(out + at, t, lane);
  writer.begin(out, t.widths, t.least, t.height, at + t.rows_at, lane);
  UNROLLED for (int p = 0; p < PAIR_ROWS; p += 4) if (p < t.height) writer.put(sum + p);
  return at;
}

// ---- Any tiles --------------------------------------------------------------------------------------------------

// The combination in floating point, where an operand lies outside the lattice.
template <class Real>
SELDOM void combine_values(const combine_call &c, const combine_shared<Real> &s, uint64_t t, unsigned n,
                           uncommon_result<Real> &r, int lane) {
  for (int i = 0; i < LANE_VALUES; i++)
    r.sum[i] = 0;
  r.inexact = 1;
  for (unsigned i = 0; i < c.k; i++) {
    tile_place place;
    place_tile(c.from[i], c.kind, s.payload[i], t, place, lane);
    if (c.coefficient[i] && place.size &&
        !add_values<Real>(s.lattice, s.terms[i], place.data, place.size, n, &s.expand, (double)c.coefficient[i],
                          r.sum, lane))
      r.damaged = i;
  }
  if (c.scaled)
    for (int i = 0; i < LANE_VALUES; i++)
      r.sum[i] = r.sum[i] / c.divisor;
  r.kind = FROM_SUMS;
  r.size = 1 + n * (uint32_t)sizeof(Real);
}

// Any combination of tiles, of which at least one is not empty.
template <class Real>
SELDOM void combine_any(const combine_call &c, const combine_shared<Real> &s, uint64_t t, unsigned n,
                        uncommon_result<Real> &r, int lane) {
  row_total x;
  clear_total(r.total);
  for (unsigned i = 0; i < c.k; i++) {
    tile_place place;
    place_tile(c.from[i], c.kind, s.payload[i], t, place, lane);
    if (!place.size || !c.coefficient[i])
      continue;
    outcome_of_opening o =
        open_tile<Real>(s.lattice, s.terms[i], place.data, place.size, n, &s.expand, x, lane);
    if (o == DAMAGED) {
      r.damaged = i;
      return;
    }
    if (o == OUTSIDE) {
      combine_values(c, s, t, n, r, lane);
      return;
    }
    add_multiple(s.lattice, s.terms_of_result, r.total, x, c.coefficient[i], n, lane);
  }
  if (!shape_of_total(r.total, r.shape, r.size))
    r.damaged = c.k - 1;
  r.kind = r.size ? FROM_TOTAL : NOTHING;
}

// Whether the only tile that is not empty may be copied as it is, checked as far as that needs (FORMAT.md, "Computing",
// rules 2 to 4).
template <class Real>
SELDOM int may_copy(const combine_shared<Real> &s, unsigned i, const tile_place place, unsigned n,
                    uncommon_result<Real> &r, int lane) {
  row_total x;
  const bool raw = is_raw(place.data, place.size);
  outcome_of_opening o = open_tile<Real>(s.lattice, s.terms[i], place.data, place.size, n, &s.expand, x, lane);
  r.damaged = o == DAMAGED ? i : r.damaged;
  r.inexact = o == OUTSIDE && s.counting > 1;
  return o == OUTSIDE || (o == ON_LATTICE && !raw);
}

template <class Real>
DEVICE void write_sums(const uncommon_result<Real> &r, unsigned n, uint8_t *out, int lane) {
  typedef typename real_type<Real>::bits bits;
  if (lane == 0)
    out[0] = RAW_TILE;
  out += 1 + LANE_VALUES * sizeof(Real) * (unsigned)lane;
  for (int i = 0; i < LANE_VALUES && LANE_VALUES * lane + i < (int)n; i++) {
    bits b = bits_of(canonical((Real)r.sum[i]));
    for (unsigned k = 0; k < sizeof(Real); k++)
      *out++ = (uint8_t)(b >> 8 * k);
  }
}

template <class Real>
SELDOM void write_uncommon(const uncommon_result<Real> &r, unsigned n, uint8_t *out, int lane) {
  if (r.kind == FROM_SUMS) {
    write_sums(r, n, out, lane);
    return;
  }
  row_writer<false> writer;
  put_head(out, r.shape, lane);
  writer.begin(out, r.shape.widths, 0, r.shape.height, r.shape.rows_at, lane);
  for (int p = 0; p < r.shape.height; p += 4)
    writer.put(r.total.rows + p);
}

// ---- One tile ---------------------------------------------------------------------------------------------------

// What takes part in a tile.
struct participants {
  tile_place pair[2];    // of the first two operands
  unsigned count, first; // operands with a tile that counts, up to 2, and the first of them
  unsigned damaged;      // an operand whose index is damaged; GHZ_CUDA_OPERANDS if none is
};

template <class Real>
DEVICE void look_at(const combine_call &c, const combine_shared<Real> &s, unsigned i, uint64_t t,
                    tile_place &place, participants &p, int lane) {
  if (!place_tile(c.from[i], c.kind, s.payload[i], t, place, lane)) {
    p.damaged = i;
  } else if (place.size && c.coefficient[i]) {
    p.first = p.count ? p.first : i;
    p.count += p.count < 2;
  }
}

template <class Real>
DEVICE void find_participants(const combine_call &c, const combine_shared<Real> &s, uint64_t t, participants &p,
                              int lane) {
  p.count = p.first = 0;
  p.damaged = GHZ_CUDA_OPERANDS;
  look_at(c, s, 0, t, p.pair[0], p, lane);
  if (c.k > 1)
    look_at(c, s, 1, t, p.pair[1], p, lane);
  ROLLED for (unsigned i = 2; i < c.k; i++) {
    tile_place place;
    look_at(c, s, i, t, place, p, lane);
  }
}

// A tile of the result, before its place is known.
struct tile_result {
  result_kind kind;
  uint32_t size, at; // at: where its bytes begin in the buffer
  tile_shape shape;  // FROM_ROWS
  uint32_t sum[PAIR_ROWS];
};

// All that is not a pair of common tiles: copies, or adds in local memory.
template <class Real>
SELDOM uint32_t combine_uncommon(const combine_call &c, const combine_shared<Real> &s, uint32_t *buffer,
                                 const participants p, uint64_t t, unsigned n, uncommon_result<Real> &r,
                                 int lane) {
  tile_place place;
  place_tile(c.from[p.first], c.kind, s.payload[p.first], t, place, lane);
  const bool raw = is_raw(place.data, place.size);
  bool copy = p.count == 1 && c.coefficient[p.first] == 1 && !(c.scaled && raw) &&
              place.size + 32 <= (uint32_t)combine_shared<Real>::BYTES;
  r.damaged = GHZ_CUDA_OPERANDS;
  r.inexact = 0;
  if (copy && (raw || n < TILE)) {
    copy = may_copy(s, p.first, place, n, r, lane);
    if (r.damaged != GHZ_CUDA_OPERANDS)
      return 0;
  }
  if (!copy) {
    combine_any(c, s, t, n, r, lane);
    return 0;
  }
  const operand &o = c.from[p.first];
  const uint32_t at = stage_bytes(buffer, place.data, place.size, o.head, o.head + o.size, lane);
  copies_arrived();
  if (place.size > tile_bound(s.lattice.type, TILE, s.terms_of_result, 0))
    r.damaged = p.first;
  r.kind = FROM_BUFFER;
  r.size = place.size;
  return at;
}

// Works on tile t; `unread` is then where operand 0's tile begins.
template <class Real>
DEVICE void combine_tile(const combine_call &c, const combine_shared<Real> &s, uint32_t *buffer, uint64_t t,
                         tile_result &r, uncommon_result<Real> &uncommon, uint64_t &unread, int lane) {
  const unsigned n = values_in(c.sink.n, c.sink.first + t);
  participants p;
  find_participants(c, s, t, p, lane);
  unread = (uint64_t)(p.pair[0].data - c.from[0].payload);
  unsigned damaged = p.damaged;
  if (damaged == GHZ_CUDA_OPERANDS && p.count) {
    if (p.count == 2 && c.pair && n == TILE &&
        combine_pair(c, s, buffer, p.pair, r.sum, r.shape, r.size, lane)) {
      r.kind = r.size ? FROM_ROWS : NOTHING;
      return;
    }
    r.at = combine_uncommon(c, s, buffer, p, t, n, uncommon, lane);
    r.kind = uncommon.kind;
    r.size = uncommon.size;
    damaged = uncommon.damaged;
    if (uncommon.inexact && lane == 0)
      atomicOr(&c.sink.shared->inexact, 1u);
  }
  if (damaged != GHZ_CUDA_OPERANDS) {
    r.kind = NOTHING;
    r.size = 0;
    if (lane == 0)
      note_fault(c.sink.shared, FAULT_TILE, c.sink.first + t, damaged, GHZ_ECORRUPT);
  }
}

// ---- The kernel -------------------------------------------------------------------------------------------------

// Completes the result; of an accumulator all but its head, which settle_sum writes when the tiles are in place.
template <class Real> DEVICE void finish(const combine_call &c, const combine_shared<Real> &s) {
  __threadfence();
  result_head h = {s.lattice, s.terms_of_result, s.inexact | __ldcg(&c.sink.shared->inexact)};
  if (c.scaled)
    scale_lattice(&h.lattice, 1, c.divisor);
  if (c.sink.backwards) {
    c.sink.shared->terms = h.terms;
    c.sink.shared->inexact = h.inexact;
    c.sink.shared->finished = 0; // settle_sum counts its own blocks
  } else {
    finish_result(c.sink, h);
  }
}

template <class Real> __global__ void __launch_bounds__(THREADS, 3) combine_tiles(ARGUMENT(combine_call) c) {
  GHZ_SHARED(combine_shared<Real>, s);
  const int lane = lane_of_thread(), warp = (int)threadIdx.x / 32;
  make_expansion(s.expand);
  take_group(s.group, c.sink);
  read_heads(c, s);
  const uint64_t t = s.group.index * WARPS + (uint64_t)warp;
  uint32_t *buffer = s.tile[warp];
  tile_result r;
  uncommon_result<Real> uncommon;
  uint64_t unread = 0;
  r.kind = NOTHING;
  r.size = 0;
  if (t < c.sink.tiles && s.status == GHZ_OK)
    combine_tile(c, s, buffer, t, r, uncommon, unread, lane);
  if (lane == 0)
    s.group.size[warp] = r.size;
  __syncthreads();
  if (warp == 0)
    place_group(s.group, c.sink, unread, lane);
  if (r.kind == FROM_ROWS)
    r.at = squeeze_pair(buffer, r.shape, r.sum, lane);
  __syncthreads();
  if (s.group.fits && r.size) {
    uint8_t *out = place_of_tile(s.group, c.sink, warp, lane);
    if (r.kind == FROM_ROWS || r.kind == FROM_BUFFER)
      unstage_bytes(out, buffer, r.at, r.size, lane);
    else
      write_uncommon(uncommon, values_in(c.sink.n, c.sink.first + t), out, lane);
  }
  if (is_last_block(c.sink.shared, gridDim.x))
    finish(c, s);
}

cudaError_t ghz_launch_combine(const combine_call &c, uint64_t blocks, cudaStream_t stream) {
  if (c.kind.type == GHZ_F32)
    GHZ_LAUNCH((combine_tiles<float>), (unsigned)blocks, THREADS, sizeof(combine_shared<float>), stream, c);
  else
    GHZ_LAUNCH((combine_tiles<double>), (unsigned)blocks, THREADS, sizeof(combine_shared<double>), stream, c);
  return cudaPeekAtLastError();
}

cudaError_t ghz_prepare_combine() {
  cudaError_t error = ghz_prepare(combine_tiles<float>, sizeof(combine_shared<float>));
  return error == cudaSuccess ? ghz_prepare(combine_tiles<double>, sizeof(combine_shared<double>)) : error;
}
