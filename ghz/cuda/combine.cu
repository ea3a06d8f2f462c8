// combine.cu: the kernel that adds: reads the tiles of all operands, adds them on bit rows and writes the result's tiles, in
// one pass, without going back to integers.

#include "kernels.cuh"
#include "row_total.cuh"
#include "team.cuh"

enum {
  WARPS = 4,
  THREADS = 32 * WARPS,
  TILES = WARPS * team::TEAMS, // of a group: a chunk
  RESIDENT = 3                 // that a multiprocessor holds
};

// Rows of a sum that a team forms in shared memory, behind room for the longest head that such a tile has. Squeezed bytes, from
// the front on, then never reach rows that are still to be read.
enum { TEAM_ROWS = 16, TEAM_HEAD = 112 };

struct team_room {
  uint32_t head[TEAM_HEAD / 4];
  uint32_t rows[TEAM_ROWS][ROW_BYTES / 4];
  uint32_t slack[12]; // sets the rooms of a warp's teams apart by 8 banks
};

struct combine_shared {
  team_room room[TILES];
  group_state<TILES> group;
  expansion expand;
  team::expansion team_expand;
  // What the operands' heads say.
  ghz_lattice lattice;
  uint32_t terms[GHZ_CUDA_OPERANDS], terms_of_result, inexact;
  uint64_t payload[GHZ_CUDA_OPERANDS];
  unsigned counting; // operands whose coefficient is not 0
  int status, late;  // late: some tile of the group is formed when its place is known
};

// A tile of a result. Its bytes come from the place that its kind names.
enum result_kind { NOTHING, FROM_TOTAL, FROM_BITS, FROM_TILE };

// A result that a whole warp formed, in local memory.
struct warp_result {
  result_kind kind;
  uint32_t size;
  unsigned damaged; // an operand whose tile is damaged; GHZ_CUDA_OPERANDS if none is
  int inexact;
  tile_shape shape;
  tile_place copied;
  union {
    row_total total;
    double sum[LANE_VALUES];    // while values are added
    uint64_t bits[LANE_VALUES]; // of a raw tile's values
  };
};

// ---- The operands' heads ----------------------------------------------------------------------------------------

DEVICE uint64_t magnitude_of(int64_t c) {
  return c < 0 ? 0 - (uint64_t)c : (uint64_t)c;
}

// Notes the gravest fault for the block, and for the call.
DEVICE void head_fault(const combine_call &c, combine_shared &s, unsigned i, int status) {
  note_fault(c.target.shared, FAULT_HEAD, 0, i, status);
  atomicMin(&s.status, status); // statuses are negative
}

// The terms of the result, which decide alone whether it may be formed.
DEVICE void count_terms(const combine_call &c, combine_shared &s) {
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
DEVICE void read_heads(const combine_call &c, combine_shared &s) {
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

// ---- Two common tiles, by a team ----------------------------------------------------------------------------------

// The tiles of an operand that a warp's teams work on: `offset` of each from the beginning of the payload. Returns 0 if the
// chunk is damaged.
DEVICE int place_tiles(const combine_call &c, const combine_shared &s, unsigned i, uint64_t chunk, int in_chunk,
                       uint64_t &offset, uint32_t &size, int lane) {
  tile_place first;
  const operand &o = c.from[i];
  const uint64_t left = c.kind.tiles - chunk * TILES_PER_CHUNK;
  const int right = place_tile(o, c.kind, s.payload[i], chunk * TILES_PER_CHUNK, first, lane);
  const uint32_t mine =
      lane < TILES_PER_CHUNK && (uint64_t)lane < left ? o.sizes[chunk * TILES_PER_CHUNK + (uint64_t)lane] : 0u;
  const uint32_t before = sum_before(mine, lane);
  size = __shfl_sync(ALL, mine, in_chunk);
  offset = (uint64_t)(first.data - o.payload) + __shfl_sync(ALL, before, in_chunk);
  return right;
}

// One operand's tile.
struct team_side {
  team::row_reader reader;
  int order, mode, height;
  int32_t anchor, slope;
  uint32_t negative; // 0, or all ones
};

// Where a tile is, and whose. With size 0 it is zero, or not for a team: `right` says which; `data` may be read all the same.
struct side_place {
  const uint8_t *data;
  uint32_t size;
  unsigned operand;
  int right;
};

DEVICE side_place place_side(const combine_call &c, const combine_shared &s, unsigned i, uint64_t offset,
                             uint32_t size) {
  const operand &o = c.from[i];
  const uint64_t readable = o.size - (uint64_t)(o.payload - o.head);
  const bool exposed = size && (offset > s.payload[i] || readable < offset + size + 8);
  const bool there = size && !exposed;
  return {there ? o.payload + offset : o.head, there ? size : 0, i, !exposed};
}

// Opens a tile. Returns 0 if it is not a common one.
DEVICE int open_side(const combine_call &c, const combine_shared &s, const side_place &p, team_side &x) {
  team::tile_shape t;
  const int opened = team::take_tile(s.lattice, s.terms[p.operand], p.data, p.size, t);
  UNROLLED for (int w = 0; w < team::WORDS; w++) t.widths[w] = opened ? t.widths[w] : 0;
  x.reader.begin(p.data, t.widths, opened ? t.rows_at : 0);
  x.negative = c.coefficient[p.operand] < 0 ? ALL : 0;
  x.order = opened ? t.lead.order : 0;
  x.mode = opened ? t.lead.mode : (int)COARSE;
  x.height = opened ? (int)t.height : 0;
  x.anchor = opened ? (int32_t)t.lead.anchor : 0;
  x.slope = opened ? (int32_t)t.lead.slope : 0;
  return p.right && (opened || p.size == 0);
}

// The order that the first byte of a tile names.
DEVICE unsigned order_at(const side_place &p) {
  team::tile_bytes bytes;
  bytes.begin(p.data);
  return p.size ? bytes.word(0) & 3 : 0;
}

// Raises rows of a tile by one order as they come, and notes the column that its new anchor is made of: 0 or 1, which the first
// lane has.
struct row_raiser {
  uint32_t number;        // of the column
  uint32_t column, clear; // its bits; columns that the anchors stand for, before and after
  part borrow[team::PARTS];

  METHOD void begin(int order) {
    number = (uint32_t)order;
    column = 0;
    clear = team::lane_of() ? 0 : order ? 3 : 1;
    UNROLLED for (int w = 0; w < team::PARTS; w++) borrow[w] = 0;
  }
  // Where `raises`; elsewhere the row stays as it is.
  METHOD void raise(uint32_t row[team::PARTS], bool raises, int p) {
    uint32_t r[team::PARTS];
    UNROLLED for (int w = 0; w < team::WORDS; w++) r[w] = row[w];
    r[0] &= ~(clear >> 1); // readers ignore this column, where the anchor stands for it
    team::raise_row(r, borrow);
    column |= (r[0] >> number & 1) << p;
    r[0] &= ~clear;
    UNROLLED for (int w = 0; w < team::WORDS; w++) row[w] = raises ? r[w] : row[w];
  }
  // The number in the column, of so many rows.
  METHOD int32_t anchor(int rows) const {
    const uint32_t bits = __shfl_sync(ALL, column, 0, team::LANES);
    return rows ? (int32_t)(bits << (32 - rows)) >> (32 - rows) : 0;
  }
};

// The rows of a + b, a of the higher order, on `count` rows, and the widths of the result. Raises: b's order is lower in some
// team of the warp.
template <bool Raises>
DEVICE void add_rows(const team::expansion &e, team_side &a, team_side &b, int count, team_room &room,
                     uint32_t widths[team::WORDS]) {
  part carry[team::PARTS], below[team::PARTS];
  row_raiser once, twice;
  unsigned height = 0;
  const int rows = (int)__reduce_max_sync(ALL, (unsigned)count), raises = a.order - b.order;
  once.begin(b.order);
  twice.begin(1);
  UNROLLED for (int w = 0; w < team::WORDS; w++) {
    carry[w] = a.negative | b.negative;
    below[w] = widths[w] = 0;
  }
  ROLLED for (int p = 0; p < rows; p += 4) {
    a.reader.locate();
    b.reader.locate();
    ROLLED for (int i = 0; i < 4; i++) {
      uint32_t x[team::PARTS], y[team::PARTS], r[team::PARTS];
      a.reader.take(e);
      b.reader.take(e);
      UNROLLED for (int w = 0; w < team::WORDS; w++) y[w] = b.reader.row[w];
      if (Raises) {
        once.raise(y, raises > 0, p + i);
        twice.raise(y, raises > 1, p + i);
      }
      UNROLLED for (int w = 0; w < team::WORDS; w++) {
        x[w] = a.reader.row[w] ^ a.negative;
        y[w] ^= b.negative;
      }
      team::add_row(x, y, carry, r);
      if (p + i < count) {
        team::widen(widths, r, below, (unsigned)(p + i), &height);
        *reinterpret_cast<uint4 *>(&room.rows[p + i][team::WORDS * team::lane_of()]) = {r[0], r[1], r[2], r[3]};
      }
    }
  }
  if (Raises) {
    const int32_t first = once.anchor(count), second = twice.anchor(count);
    b.anchor = raises > 0 && b.order == 0 ? first : b.anchor;
    b.slope = raises > 1 ? second : raises > 0 && b.order == 1 ? first : b.slope;
  }
}

// Adds or subtracts the tiles of four teams, where both are common: on the lattice, of one mode, without specials, and of few
// rows. Returns 0 for those that are not; damage is left to be found elsewhere.
DEVICE int add_pair(const combine_call &c, const combine_shared &s, const uint64_t offset[2],
                    const uint32_t size[2], team_room &room, team::tile_shape &t, uint32_t &result_size) {
  team_side a, b;
  side_place higher = place_side(c, s, 0, offset[0], size[0]), lower = place_side(c, s, 1, offset[1], size[1]);
  if (order_at(higher) < order_at(lower)) {
    const side_place other = higher;
    higher = lower;
    lower = other;
  }
  int right = open_side(c, s, higher, a);
  one_after_the_other();
  right &= open_side(c, s, lower, b);
  const bool both = size[0] && size[1]; // a tile without bytes has every order and mode
  a.mode = both ? a.mode : max(a.mode, b.mode);
  right = right && (!both || a.mode == b.mode);
  b.order = both ? b.order : a.order;
  const int raises = a.order - b.order, top = max(a.height, b.height + raises);
  const unsigned limit = width_limit(s.lattice.type, s.lattice.cap, a.mode, a.order, s.terms_of_result);
  int count = (int)min((unsigned)(top + (top > 0)), limit);
  right = right && count <= TEAM_ROWS;
  count = right ? count : 0;
  if (__any_sync(ALL, count && raises))
    add_rows<true>(s.team_expand, a, b, count, room, t.widths);
  else
    add_rows<false>(s.team_expand, a, b, count, room, t.widths);
  t.lead.order = a.order;
  t.lead.mode = a.mode;
  t.lead.anchor = (a.negative ? -(int64_t)a.anchor : a.anchor) + (b.negative ? -(int64_t)b.anchor : b.anchor);
  t.lead.slope = (a.negative ? -(int64_t)a.slope : a.slope) + (b.negative ? -(int64_t)b.slope : b.slope);
  result_size = team::finish_shape(t);
  return right;
}

// Where just one tile of a pair is not empty, and its coefficient is 1, it is the result, without having been looked at: brings
// it to its room. Returns 0 where that is not so: it is raw, too large, or among the last bytes of the stream.
DEVICE int copy_alone(const combine_call &c, const uint64_t offset[2], const uint32_t size[2], team_room &room,
                      uint32_t &result_size) {
  const int i = size[0] == 0;
  const uint32_t bytes = i ? size[1] : size[0];
  const operand &o = c.from[i];
  const uint64_t at = i ? offset[1] : offset[0];
  const bool fits = bytes && (i ? size[0] : size[1]) == 0 && (i ? c.coefficient[1] : c.coefficient[0]) == 1 &&
                    bytes <= sizeof(team_room) && at + bytes + 8 <= o.size - (uint64_t)(o.payload - o.head);
  team::tile_bytes from;
  from.begin(fits ? o.payload + at : o.head);
  if (!fits || (from.word(0) & 3) == 3)
    return 0;
  uint32_t *words = room.head;
  for (uint32_t w = (uint32_t)team::lane_of(); 4 * w < bytes; w += team::LANES)
    words[w] = from.word(4 * w);
  result_size = bytes;
  return 1;
}

// Squeezes a sum in its place.
DEVICE void squeeze_sum(const team::tile_shape &t, uint32_t size, team_room &room) {
  team::row_writer writer;
  const int height = size ? (int)t.height : 0, rows = (int)__reduce_max_sync(ALL, (unsigned)height);
  uint32_t widths[team::WORDS];
  UNROLLED for (int w = 0; w < team::WORDS; w++) widths[w] = size ? t.widths[w] : 0;
  writer.out = reinterpret_cast<uint8_t *>(&room);
  writer.open(widths, t.rows_at);
  if (size)
    team::put_head(writer.out, t);
  ROLLED for (int p = 0; p < rows; p += 4) {
    uint4 four[4];
    UNROLLED for (int i = 0; i < 4; i++) four[i] =
        *reinterpret_cast<const uint4 *>(&room.rows[p + i][team::WORDS * team::lane_of()]);
    writer.locate();
    __syncwarp(); // these rows are read
    UNROLLED for (int i = 0; i < 4; i++) {
      const uint32_t row[team::WORDS] = {four[i].x, four[i].y, four[i].z, four[i].w};
      writer.put(row);
    }
  }
  __syncwarp();
}

// ---- Any tiles, by a warp -----------------------------------------------------------------------------------------

// The combination in floating point, where an operand lies outside the lattice.
template <class Real>
SELDOM void combine_values(const combine_call &c, const combine_shared &s, uint64_t t, unsigned n,
                           warp_result &r, int lane) {
  ROLLED for (int i = 0; i < LANE_VALUES; i++) r.sum[i] = 0;
  r.inexact = 1;
  ROLLED for (unsigned i = 0; i < c.k; i++) {
    tile_place place;
    place_tile(c.from[i], c.kind, s.payload[i], t, place, lane);
    if (c.coefficient[i] && place.size &&
        !add_values<Real>(s.lattice, s.terms[i], place.data, place.size, n, &s.expand, (double)c.coefficient[i],
                          r.sum, lane))
      r.damaged = i;
  }
  ROLLED for (int i = 0; i < LANE_VALUES; i++) {
    const double v = c.scaled ? r.sum[i] / c.divisor : r.sum[i];
    r.bits[i] = bits_of(canonical((Real)v));
  }
  r.kind = FROM_BITS;
  r.size = 1 + n * (uint32_t)sizeof(Real);
}

// Any combination of tiles, of which at least one is not empty.
template <class Real>
SELDOM void combine_rows(const combine_call &c, const combine_shared &s, uint64_t t, unsigned n, warp_result &r,
                         int lane) {
  row_total x;
  clear_total(r.total);
  ROLLED for (unsigned i = 0; i < c.k; i++) {
    tile_place place;
    place_tile(c.from[i], c.kind, s.payload[i], t, place, lane);
    if (!place.size || !c.coefficient[i])
      continue;
    const outcome_of_opening o =
        open_tile<Real>(s.lattice, s.terms[i], place.data, place.size, n, &s.expand, x, lane);
    if (o == OUTSIDE) {
      combine_values<Real>(c, s, t, n, r, lane);
      return;
    }
    if (o == DAMAGED) {
      r.damaged = i;
      return;
    }
    add_multiple(s.lattice, s.terms_of_result, r.total, x, c.coefficient[i], n, lane);
  }
  if (!shape_of_total(r.total, r.shape, r.size))
    r.damaged = c.k - 1;
  r.kind = r.size ? FROM_TOTAL : NOTHING;
}

// Whether the only tile that is not empty may be copied as it is (FORMAT.md, "Computing", rules 2 to 4). It need not be looked
// at, unless it is raw, or short.
template <class Real>
SELDOM int may_copy(const combine_call &c, const combine_shared &s, unsigned i, unsigned n, warp_result &r,
                    int lane) {
  const bool raw = is_raw(r.copied.data, r.copied.size);
  row_total x;
  if (c.coefficient[i] != 1 || (c.scaled && raw))
    return 0;
  if (r.copied.size > tile_bound(s.lattice.type, TILE, s.terms_of_result, 0))
    r.damaged = i;
  if (!raw && n == TILE)
    return 1;
  const outcome_of_opening o =
      open_tile<Real>(s.lattice, s.terms[i], r.copied.data, r.copied.size, n, &s.expand, x, lane);
  r.damaged = o == DAMAGED ? i : r.damaged;
  r.inexact = o == OUTSIDE && s.counting > 1;
  return o != ON_LATTICE || !raw;
}

// Tile t of the result, any case.
template <class Real>
SELDOM void combine_any(const combine_call &c, const combine_shared &s, uint64_t t, unsigned n, warp_result &r,
                        int lane) {
  unsigned count = 0, first = 0;
  r.kind = NOTHING;
  r.size = 0;
  r.inexact = 0;
  r.damaged = GHZ_CUDA_OPERANDS;
  ROLLED for (unsigned i = 0; i < c.k; i++) {
    tile_place place;
    if (!place_tile(c.from[i], c.kind, s.payload[i], t, place, lane)) {
      r.damaged = i;
      return;
    }
    if (place.size && c.coefficient[i] && count++ == 0) {
      first = i;
      r.copied = place;
    }
  }
  if (count == 1 && may_copy<Real>(c, s, first, n, r, lane)) {
    r.kind = FROM_TILE;
    r.size = r.copied.size;
  } else if (count) {
    combine_rows<Real>(c, s, t, n, r, lane);
  }
}

template <class Real> SELDOM void write_result(const warp_result &r, unsigned n, uint8_t *out, int lane) {
  if (r.kind == FROM_TILE) {
    ROLLED for (uint32_t i = (uint32_t)lane; i < r.size; i += 32) out[i] = r.copied.data[i];
    return;
  }
  if (r.kind == FROM_BITS) {
    if (lane == 0)
      out[0] = RAW_TILE;
    out += 1 + LANE_VALUES * sizeof(Real) * (unsigned)lane;
    for (int i = 0; i < LANE_VALUES && LANE_VALUES * lane + i < (int)n; i++)
      for (unsigned k = 0; k < sizeof(Real); k++)
        *out++ = (uint8_t)(r.bits[i] >> 8 * k);
    return;
  }
  row_writer<false> writer;
  put_head(out, r.shape, lane);
  writer.begin(out, r.shape.widths, 0, r.shape.height, r.shape.rows_at, lane);
  ROLLED for (int p = 0; p < r.shape.height; p += 4) writer.put(r.total.rows + p);
}

// ---- The kernel ---------------------------------------------------------------------------------------------------

// What a warp knows of its four tiles, which are in their rooms, while the block finds out where they go.
struct tiles_at_work {
  uint32_t size; // of the team's tile
  uint32_t
      late; // tiles, one bit for each, that are too large for their room, and are formed again when their place is known
};

// Notes what went wrong with a tile, or that it is not exact.
DEVICE void note_result(const combine_call &c, uint64_t t, warp_result &r, int lane) {
  if (r.damaged != GHZ_CUDA_OPERANDS) {
    r.kind = NOTHING;
    r.size = 0;
    if (lane == 0)
      note_fault(c.target.shared, FAULT_TILE, c.target.first + t, r.damaged, GHZ_ECORRUPT);
  }
  if (r.inexact && lane == 0)
    atomicOr(&c.target.shared->inexact, 1u);
}

// Forms a tile that is not common, by a warp, and writes it: to `out`, or to its room where it fits there. Returns its size.
template <class Real>
SELDOM uint32_t form_uncommon(const combine_call &c, combine_shared &s, int tile, uint8_t *out, int lane) {
  const uint64_t t = s.group.index * TILES + (uint64_t)tile;
  const unsigned n = values_in(c.target.n, c.target.first + t);
  warp_result r;
  combine_any<Real>(c, s, t, n, r, lane);
  note_result(c, t, r, lane);
  if (!out && r.size <= sizeof(team_room))
    out = reinterpret_cast<uint8_t *>(&s.room[tile]);
  if (out && r.size)
    write_result<Real>(r, n, out, lane);
  return r.size;
}

// Forms the tile of each team where two common ones are added, or one is copied. Returns 0 where that is not so.
DEVICE int form_common(const combine_call &c, combine_shared &s, int mine, uint64_t t, uint32_t &result_size,
                       int lane) {
  const bool whole = t < c.target.tiles && c.target.n - (c.target.first + t) * TILE >= TILE;
  uint64_t offset[2];
  uint32_t size[2];
  int placed = 1;
  UNROLLED for (int i = 0; i < 2; i++) placed &=
      place_tiles(c, s, (unsigned)i, s.group.index, mine, offset[i], size[i], lane);
  if (!placed) // told by combine_any
    return 0;
  team_room &room = s.room[mine];
  team::tile_shape shape;
  result_size = 0;
  const int alone = whole && copy_alone(c, offset, size, room, result_size);
  UNROLLED for (int i = 0; i < 2; i++) size[i] = whole && !alone ? size[i] : 0;
  // Four tiles that are empty, or copied, need no more: so are three of four in sparse fields.
  if (!__any_sync(ALL, (size[0] | size[1]) != 0))
    return whole;
  uint32_t sum_size;
  const int added = add_pair(c, s, offset, size, room, shape, sum_size);
  sum_size = added && whole && !alone ? sum_size : 0;
  squeeze_sum(shape, sum_size, room);
  result_size |= sum_size; // one of them is 0
  return whole && (alone || added);
}

// Forms the four tiles of a warp.
template <class Real>
DEVICE void form_tiles(const combine_call &c, combine_shared &s, int warp, tiles_at_work &w, int lane) {
  const int mine = team::TEAMS * warp + lane / team::LANES;
  const uint64_t chunk = s.group.index;
  int common = 0;
  w.size = w.late = 0;
  if (c.pair)
    common = form_common(c, s, mine, chunk * TILES + (uint64_t)mine, w.size, lane);
  ROLLED for (int i = 0; i < team::TEAMS; i++) {
    const int tile = team::TEAMS * warp + i, formed = __shfl_sync(ALL, common, team::LANES * i);
    if (formed || chunk * TILES + (uint64_t)tile >= c.target.tiles)
      continue;
    const uint32_t size = form_uncommon<Real>(c, s, tile, NULL, lane);
    w.late |= (uint32_t)(size > sizeof(team_room)) << i;
    w.size = lane / team::LANES == i ? size : w.size;
  }
  if (w.late && lane == 0)
    s.late = 1;
}

// Brings them to their place.
template <class Real>
DEVICE void write_tiles(const combine_call &c, combine_shared &s, int warp, const tiles_at_work &w, int lane) {
  const int team_of_lane = lane / team::LANES, mine = team::TEAMS * warp + team_of_lane;
  if (w.size && !(w.late >> team_of_lane & 1))
    unstage_bytes(s.group.place + s.group.before[mine], s.room[mine].head, 0, w.size, team::lane_of(),
                  team::LANES);
  ROLLED for (int i = 0; i < team::TEAMS; i++) {
    const int tile = team::TEAMS * warp + i;
    if (w.late >> i & 1)
      form_uncommon<Real>(c, s, tile, s.group.place + s.group.before[tile], lane);
  }
}

// The same of a group that is late in an accumulator: its tiles lie where it writes. They are formed aside, in room that is
// its own, as the late groups before it have ended, and those after it wait.
template <class Real>
DEVICE void write_tiles_aside(const combine_call &c, combine_shared &s, int warp, tiles_at_work &w, int lane) {
  ROLLED for (int i = 0; i < team::TEAMS; i++) {
    const int tile = team::TEAMS * warp + i;
    if (w.late >> i & 1)
      form_uncommon<Real>(c, s, tile, c.aside + tile * ASIDE_TILE, lane);
  }
  __syncthreads(); // nothing of the operands is read after this
  ROLLED for (int i = 0; i < team::TEAMS; i++) {
    const int tile = team::TEAMS * warp + i;
    if (w.late >> i & 1)
      unstage_bytes(s.group.place + s.group.before[tile],
                    reinterpret_cast<const uint32_t *>(c.aside + tile * ASIDE_TILE), 0, s.group.size[tile],
                    lane);
  }
  if (w.size && !(w.late >> (lane / team::LANES) & 1)) {
    const int mine = team::TEAMS * warp + lane / team::LANES;
    unstage_bytes(s.group.place + s.group.before[mine], s.room[mine].head, 0, w.size, team::lane_of(),
                  team::LANES);
  }
}

// Completes the result; of an accumulator all but its head, which settle_sum writes when the tiles are in place.
DEVICE void finish(const combine_call &c, const combine_shared &s) {
  __threadfence();
  result_head h = {s.lattice, s.terms_of_result, s.inexact | __ldcg(&c.target.shared->inexact)};
  if (c.scaled)
    scale_lattice(&h.lattice, 1, c.divisor);
  if (c.target.backwards) {
    c.target.shared->terms = h.terms;
    c.target.shared->inexact = h.inexact;
    c.target.shared->finished = 0; // settle_sum counts its own blocks
  } else {
    finish_result(c.target, h);
  }
}

// In an accumulator, what is read and what is written lie in one place.
DEVICE void fence_in_place(const tile_target &target) {
  if (target.backwards)
    __threadfence();
}

template <class Real>
__global__ void __launch_bounds__(THREADS, RESIDENT) combine_tiles(ARGUMENT(combine_call) c) {
  GHZ_SHARED(combine_shared, s);
  const int lane = lane_of_thread(), warp = (int)threadIdx.x / 32;
  group_queue queue;
  queue.ask(c.target.shared);
  make_expansion(s.expand);
  team::make_expansion(s.team_expand);
  s.late = 0;
  read_heads(c, s);
  while (queue.take(s.group, c.target) && s.status == GHZ_OK) {
    tiles_at_work w;
    form_tiles<Real>(c, s, warp, w, lane);
    if (team::lane_of() == 0)
      s.group.size[team::TEAMS * warp + lane / team::LANES] = w.size;
    __syncthreads();
    queue.ask(c.target.shared);
    const bool late = c.target.backwards && s.late;
    if (warp == 0) {
      fence_in_place(c.target); // what was read was read before the groups that follow hear of it
      place_group(s.group, c.target, c.target.backwards ? c.from[0].offsets[s.group.index] : 0, late, lane);
      fence_in_place(c.target); // and by the groups before, before this one writes
    }
    __syncthreads();
    if (s.group.fits && !late)
      write_tiles<Real>(c, s, warp, w, lane);
    else if (s.group.fits)
      write_tiles_aside<Real>(c, s, warp, w, lane);
    if (late) {
      __syncthreads();
      if (threadIdx.x == 0)
        publish_late(s.group, c.target);
    }
    s.late = 0;
  }
  if (is_last_block(c.target.shared, gridDim.x))
    finish(c, s);
}

template <class Real>
static cudaError_t launch(const combine_call &c, unsigned multiprocessors, cudaStream_t stream) {
  const unsigned blocks = blocks_for(c.target.tiles, TILES, RESIDENT * multiprocessors);
  return ghz_start(combine_tiles<Real>, blocks, THREADS, sizeof(combine_shared), stream, c);
}

cudaError_t ghz_launch_combine(const combine_call &c, unsigned multiprocessors, cudaStream_t stream) {
  return c.kind.type == GHZ_F32 ? launch<float>(c, multiprocessors, stream)
                                : launch<double>(c, multiprocessors, stream);
}

cudaError_t ghz_prepare_combine() {
  cudaError_t error = ghz_prepare(combine_tiles<float>, sizeof(combine_shared));
  return error == cudaSuccess ? ghz_prepare(combine_tiles<double>, sizeof(combine_shared)) : error;
}
