// add_pair.cuh: the sum or difference of two common tiles, by a team: on bit planes, in shared
// memory.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_ADD_PAIR_CUH
#define GHZ_ADD_PAIR_CUH

#include "cuda/kernels/operand_headers.cuh"
#include "cuda/primitives/stage.cuh"
#include "cuda/primitives/team.cuh"
#include "rules/op.h"

// A team forms at most this many planes of a sum in shared memory.
enum { TEAM_PLANES = 16 };

// Before the planes stand windows of the operands' bytes, or all of a tile that is copied. They are
// longer than the header of a sum. So when squeezed bytes take their place, these never reach
// planes that are still to be read.
struct alignas(16) team_room {
  uint32_t window[2][(team::WINDOW + team::WINDOW_BEHIND) / 4];
  uint32_t planes[TEAM_PLANES][PLANE_BYTES / 4];
  uint32_t slack[8]; // sets the rooms of a warp's teams apart by 8 banks

  METHOD uint8_t *bytes() {
    return reinterpret_cast<uint8_t *>(this);
  }
};

// Bytes of a tile that is copied, with those that stand before it in 16.
constexpr uint32_t COPIED_MOST = (uint32_t)(sizeof(team_room) - sizeof(team_room::slack));

// ---- Operands -----------------------------------------------------------------------------------

// Finds the tiles that a warp's teams work on, of both operands: half of the warp looks at the
// chunk of each. Returns 0 if one is damaged.
DEVICE int place_tiles(const combine_call &c, const operand_headers &s, uint64_t chunk, int in_chunk,
                       team::tile_bytes bytes[2], int lane) {
  static_assert(TILES_PER_CHUNK == 16, "half of a warp has a lane for each tile");
  const int side = lane / TILES_PER_CHUNK, tile = lane % TILES_PER_CHUNK;
  const operand &o = c.from[side];
  const uint64_t first = chunk * TILES_PER_CHUNK;
  const uint32_t size = (uint64_t)tile < c.kind.tiles - first ? o.sizes[first + (uint64_t)tile] : 0u;
  uint32_t sum = size;
  UNROLLED for (int d = 1; d < TILES_PER_CHUNK; d *= 2) {
    const uint32_t other = __shfl_up_sync(ALL, sum, (unsigned)d, TILES_PER_CHUNK);
    sum += tile >= d ? other : 0;
  }
  chunk_place place;
  place.find(o, c.kind, chunk);
  const uint8_t *data = o.payload + (place.offset + (sum - size));
  const uint32_t all = __shfl_sync(ALL, sum, TILES_PER_CHUNK - 1, TILES_PER_CHUNK);
  UNROLLED for (int i = 0; i < 2; i++) {
    const int from = TILES_PER_CHUNK * i + in_chunk;
    bytes[i].size = __shfl_sync(ALL, size, from);
    bytes[i].data =
        reinterpret_cast<const uint8_t *>(__shfl_sync(ALL, (u64) reinterpret_cast<uintptr_t>(data), from));
  }
  return __all_sync(ALL, place.right(s.payload[side], all, size));
}

// One operand's tile.
struct team_side {
  team::plane_reader reader;
  int order, mode, height;
  int32_t anchor, slope;
  uint32_t negative; // 0, or all ones
};

// A tile of an operand: its bytes, and whose they are. Size 0 is an empty tile.
struct side_place {
  team::tile_bytes bytes;
  unsigned operand;
};

DEVICE shared_address window_of(const team_room &room, unsigned operand) {
  return address_in_shared(&room) + operand * (uint32_t)sizeof room.window[0];
}

// Opens a tile. Returns 0 if it is not common.
DEVICE int open_side(const combine_call &c, const operand_headers &s, const side_place &p,
                     const team_room &room, team_side &x) {
  team::team_shape t;
  const int opened = team::parse_tile(s.lattice, s.integer_bits, s.terms[p.operand], p.bytes, t);
  UNROLLED for (int w = 0; w < team::WORDS; w++) t.widths[w] = opened ? t.widths[w] : 0;
  x.reader.begin(p.bytes, window_of(room, p.operand), t.widths, opened ? t.planes_at : 0);
  x.negative = c.coefficient[p.operand] < 0 ? ALL : 0;
  x.order = opened ? t.lead.order : 0;
  x.mode = opened ? t.lead.mode : (int)COARSE;
  x.height = opened ? (int)t.height : 0;
  x.anchor = opened ? (int32_t)t.lead.anchor : 0;
  x.slope = opened ? (int32_t)t.lead.slope : 0;
  return opened || p.bytes.size == 0;
}

// The order that the first byte of a tile names.
DEVICE unsigned order_at(const side_place &p) {
  return p.bytes.size ? p.bytes.word(0) & 3 : 0;
}

// Raises a plane of the tile of lower order. All teams of the warp do the work; those that need
// none drop the result.
DEVICE void raise(team::raisers &r, part y[team::PARTS], int raises, bool any_twice, unsigned p) {
  part raised[team::PARTS];
  UNROLLED for (int w = 0; w < team::PARTS; w++) raised[w] = y[w];
  team::raiser_next(&r.once, raised, p);
  UNROLLED for (int w = 0; w < team::PARTS; w++) y[w] = raises > 0 ? raised[w] : y[w];
  if (!any_twice)
    return;
  UNROLLED for (int w = 0; w < team::PARTS; w++) raised[w] = y[w];
  team::raiser_next(&r.twice, raised, p);
  UNROLLED for (int w = 0; w < team::PARTS; w++) y[w] = raises > 1 ? raised[w] : y[w];
}

// The planes of a + b, a of the higher order, on `count` planes, which stand in the room from
// `first` on, and the widths of the result.
// Raises: in some team of the warp b has a lower order than a.
template <bool Raises>
DEVICE void add_planes(const expansion &e, team_side &a, team_side &b, int first, int count, team_room &room,
                       uint32_t widths[team::WORDS]) {
  team::adder sum;
  team::raisers r;
  const int planes = (int)__reduce_max_sync(ALL, (unsigned)count), raises = a.order - b.order;
  team::raisers_begin(&r, b.order);
  team::adder_begin(&sum);
  const bool any_twice = Raises && __any_sync(ALL, count && raises > 1);
  UNROLLED for (int w = 0; w < team::PARTS; w++) sum.carry[w] = a.negative | b.negative;
  ROLLED for (int p = 0; p < planes; p += 4) {
    team::locate_both(a.reader, b.reader);
    ROLLED for (int i = 0; i < 4 && p + i < planes; i++) {
      part x[team::PARTS], y[team::PARTS];
      a.reader.take(e);
      b.reader.take(e);
      UNROLLED for (int w = 0; w < team::PARTS; w++) y[w] = b.reader.plane[w];
      if (Raises)
        raise(r, y, raises, any_twice, (unsigned)(p + i));
      UNROLLED for (int w = 0; w < team::PARTS; w++) {
        x[w] = a.reader.plane[w] ^ a.negative;
        y[w] ^= b.negative;
      }
      if (p + i < count) {
        team::adder_next(&sum, x, y, (unsigned)(p + i));
        *reinterpret_cast<uint4 *>(&room.planes[first + p + i][team::WORDS * team::lane_of()]) = {x[0], x[1],
                                                                                                  x[2], x[3]};
      }
    }
  }
  UNROLLED for (int w = 0; w < team::WORDS; w++) widths[w] = sum.width[w];
  if (Raises)
    team::raisers_anchors(&r, raises, (unsigned)count, &b.anchor, &b.slope);
}

// Adds or subtracts the tiles of four teams. Returns 0 where a tile is not common: on the lattice,
// of the other's mode, without specials, of few planes. A damaged tile is not common: add_any.cuh
// reports it.
DEVICE int add_pair(const combine_call &c, const operand_headers &s, const team::tile_bytes from[2],
                    team_room &room, team::team_shape &t, uint32_t &result_size) {
  team_side a, b;
  side_place higher = {from[0], 0}, lower = {from[1], 1};
  if (order_at(higher) < order_at(lower)) {
    const side_place other = higher;
    higher = lower;
    lower = other;
  }
  int right = open_side(c, s, higher, room, a);
  one_after_the_other();
  right &= open_side(c, s, lower, room, b);
  const bool both = from[0].size && from[1].size; // a tile without bytes has every order and mode
  a.mode = both ? a.mode : max(a.mode, b.mode);
  right = right && (!both || a.mode == b.mode);
  b.order = both ? b.order : a.order;
  const int raises = a.order - b.order, top = max(a.height, b.height + raises);
  const unsigned limit = width_of_bits(s.integer_bits[a.mode], a.order, s.terms_of_result);
  int count = (int)min((unsigned)(top + (top > 0)), limit);
  right = right && count <= TEAM_PLANES;
  count = right ? count : 0;
  if (__any_sync(ALL, count && raises))
    add_planes<true>(s.expand, a, b, 0, count, room, t.widths);
  else
    add_planes<false>(s.expand, a, b, 0, count, room, t.widths);
  t.lead.order = a.order;
  t.lead.mode = a.mode;
  t.lead.anchor = (a.negative ? -(int64_t)a.anchor : a.anchor) + (b.negative ? -(int64_t)b.anchor : b.anchor);
  t.lead.slope = (a.negative ? -(int64_t)a.slope : a.slope) + (b.negative ? -(int64_t)b.slope : b.slope);
  result_size = team::finish_shape(t);
  return right;
}

// Brings the bytes of a team's tiles to its room: all of a tile that is alone, if it fits, of two
// the first ones.
DEVICE void bring_tiles(team::tile_bytes from[2], team_room &room) {
  const bool alone = (from[0].size != 0) != (from[1].size != 0);
  const uint32_t bytes = alone ? COPIED_MOST : (uint32_t)team::WINDOW;
  UNROLLED for (unsigned i = 0; i < 2; i++) from[i].bring(
      0, alone ? address_in_shared(&room) : window_of(room, i), bytes);
  team::bytes_arrived();
}

// Where rule 4 makes the only tile that takes part the result, its size, and where its bytes begin
// in the room; 0 where the rule says otherwise, or the tile is too large.
DEVICE uint32_t copy_alone(const combine_call &c, team::tile_bytes from[2], const team_room &room,
                           uint32_t &start) {
  const int i = from[0].size == 0;
  const uint32_t size = i ? from[1].size : from[0].size;
  const shared_address first = i ? from[1].first : from[0].first;
  const bool alone = size && (i ? from[0].size : from[1].size) == 0;
  int inexact = 0; // which rule 4 never is
  const participants takes_part = {1, i ? c.coefficient[1] : c.coefficient[0],
                                   first_says_raw(alone ? unaligned_word(first) : 0), c.scaled, 0};
  start = (uint32_t)(first - address_in_shared(&room));
  if (alone && start + size <= COPIED_MOST && result_of(&takes_part, 0, &inexact) == RESULT_COPIED)
    return size;
  // A sum's planes overwrite what is not in a window.
  UNROLLED for (unsigned k = 0; k < 2; k++) from[k].end = alone ? team::WINDOW - start : from[k].end;
  start = 0;
  return 0;
}

// Squeezes planes of a sum, which stand in the room from `first` on, to their place. Those of a
// tile of no bytes are left.
DEVICE void squeeze_planes(const team::team_shape &t, int first, uint32_t size, team_room &room) {
  team::plane_writer writer;
  const int height = size ? (int)t.height : 0, planes = (int)__reduce_max_sync(ALL, (unsigned)height);
  uint32_t widths[team::WORDS];
  UNROLLED for (int w = 0; w < team::WORDS; w++) widths[w] = size ? t.widths[w] : 0;
  writer.out = room.bytes();
  writer.open(widths, t.planes_at);
  ROLLED for (int p = first; p < first + planes; p += 4) {
    uint4 four[4];
    UNROLLED for (int i = 0; i < 4; i++) four[i] = *reinterpret_cast<const uint4 *>(
        &room.planes[min(p + i, (int)TEAM_PLANES - 1)][team::WORDS * team::lane_of()]);
    writer.locate();
    __syncwarp(); // these planes are read
    UNROLLED for (int i = 0; i < 4; i++) {
      const uint32_t plane[team::WORDS] = {four[i].x, four[i].y, four[i].z, four[i].w};
      if (p + i < first + planes)
        writer.put(plane);
    }
  }
  __syncwarp();
}

// Squeezes a sum in its place.
DEVICE void squeeze_sum(const team::team_shape &t, uint32_t size, team_room &room) {
  __syncwarp(); // the operands' bytes are read
  team::put_header(room.bytes(), t, size != 0);
  squeeze_planes(t, 0, size, room);
}

#endif
