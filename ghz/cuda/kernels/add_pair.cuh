// add_pair.cuh: the sum or difference of two common tiles, by a team: on bit planes, in shared
// memory.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_ADD_PAIR_CUH
#define GHZ_ADD_PAIR_CUH

#include "cuda/kernels/operand_headers.cuh"
#include "cuda/primitives/stage.cuh"
#include "cuda/primitives/team.cuh"
#include "rules/op.h"

// A team forms at most this many planes of a sum in shared memory. Room for the longest header of
// such a tile stands before them. So squeezed bytes, which are written from the front, never reach
// planes that are still to be read.
enum { TEAM_PLANES = 16, TEAM_HEADER = 176 };

struct team_room {
  uint32_t header[TEAM_HEADER / 4];
  uint32_t planes[TEAM_PLANES][PLANE_BYTES / 4];
  uint32_t slack[12]; // sets the rooms of a warp's teams apart by 8 banks
};

// ---- Operands -----------------------------------------------------------------------------------

// The tiles of an operand that a warp's teams work on: `offset` of each from the beginning of the
// payload. Returns 0 if the chunk is damaged.
DEVICE int place_tiles(const combine_call &c, const operand_headers &s, unsigned i, uint64_t chunk,
                       int in_chunk, uint64_t &offset, uint32_t &size, int lane) {
  stored_tile first;
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
  team::plane_reader reader;
  int order, mode, height;
  int32_t anchor, slope;
  uint32_t negative; // 0, or all ones
};

// Where a tile is, and of which operand. Size 0 means an empty tile, or with `right` = 0 one that a
// team cannot read. `data` can be read in every case.
struct side_place {
  const uint8_t *data;
  uint32_t size;
  unsigned operand;
  int right;
};

DEVICE side_place place_side(const combine_call &c, const operand_headers &s, unsigned i, uint64_t offset,
                             uint32_t size) {
  const operand &o = c.from[i];
  const uint64_t readable = o.size - (uint64_t)(o.payload - o.header);
  const bool short_tail = size && (offset > s.payload[i] || readable < offset + size + 8);
  const bool there = size && !short_tail;
  return {there ? o.payload + offset : o.header, there ? size : 0, i, !short_tail};
}

// Opens a tile. Returns 0 if it is not common.
DEVICE int open_side(const combine_call &c, const operand_headers &s, const side_place &p, team_side &x) {
  team::team_shape t;
  const int opened = team::parse_tile(s.lattice, s.terms[p.operand], p.data, p.size, t);
  UNROLLED for (int w = 0; w < team::WORDS; w++) t.widths[w] = opened ? t.widths[w] : 0;
  x.reader.begin(p.data, t.widths, opened ? t.planes_at : 0);
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

// Raises a plane of the tile of lower order. All teams of the warp do the work; those that need
// none drop the result.
DEVICE void raise(team::raisers &r, part y[team::PARTS], int raises, unsigned p) {
  part once[team::PARTS], twice[team::PARTS];
  UNROLLED for (int w = 0; w < team::PARTS; w++) once[w] = y[w];
  team::raiser_next(&r.once, once, p);
  UNROLLED for (int w = 0; w < team::PARTS; w++) y[w] = twice[w] = raises > 0 ? once[w] : y[w];
  team::raiser_next(&r.twice, twice, p);
  UNROLLED for (int w = 0; w < team::PARTS; w++) y[w] = raises > 1 ? twice[w] : y[w];
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
  UNROLLED for (int w = 0; w < team::PARTS; w++) sum.carry[w] = a.negative | b.negative;
  ROLLED for (int p = 0; p < planes; p += 4) {
    a.reader.locate();
    b.reader.locate();
    ROLLED for (int i = 0; i < 4; i++) {
      part x[team::PARTS], y[team::PARTS];
      a.reader.take(e);
      b.reader.take(e);
      UNROLLED for (int w = 0; w < team::PARTS; w++) y[w] = b.reader.plane[w];
      if (Raises)
        raise(r, y, raises, (unsigned)(p + i));
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
DEVICE int add_pair(const combine_call &c, const operand_headers &s, const uint64_t offset[2],
                    const uint32_t size[2], team_room &room, team::team_shape &t, uint32_t &result_size) {
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
  const unsigned limit = width_limit(&s.lattice, a.mode, a.order, s.terms_of_result);
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

// Where rule 4 makes the only tile that takes part the result, brings its bytes to its room,
// unread. Returns 0 where the rule says otherwise, or the tile is too large, or among the last
// bytes of the stream.
DEVICE int copy_alone(const combine_call &c, const uint64_t offset[2], const uint32_t size[2], team_room &room,
                      uint32_t &result_size) {
  const int i = size[0] == 0;
  const uint32_t bytes = i ? size[1] : size[0];
  const operand &o = c.from[i];
  const uint64_t at = i ? offset[1] : offset[0];
  const bool fits = bytes && (i ? size[0] : size[1]) == 0 && bytes <= sizeof(team_room) &&
                    at + bytes + 8 <= o.size - (uint64_t)(o.payload - o.header);
  team::tile_bytes from;
  from.begin(fits ? o.payload + at : o.header);
  int inexact = 0; // which rule 4 never is
  const participants alone = {1, i ? c.coefficient[1] : c.coefficient[0], first_says_raw(from.word(0)),
                              c.scaled, 0};
  if (!fits || result_of(&alone, 0, &inexact) != RESULT_COPIED)
    return 0;
  uint32_t *words = room.header;
  for (uint32_t w = (uint32_t)team::lane_of(); 4 * w < bytes; w += team::LANES)
    words[w] = from.word(4 * w);
  result_size = bytes;
  return 1;
}

// Squeezes planes of a sum, which stand in the room from `first` on, to their place. Those of a
// tile of no bytes are left.
DEVICE void squeeze_planes(const team::team_shape &t, int first, uint32_t size, team_room &room) {
  team::plane_writer writer;
  const int height = size ? (int)t.height : 0, planes = (int)__reduce_max_sync(ALL, (unsigned)height);
  uint32_t widths[team::WORDS];
  UNROLLED for (int w = 0; w < team::WORDS; w++) widths[w] = size ? t.widths[w] : 0;
  writer.out = reinterpret_cast<uint8_t *>(&room);
  writer.open(widths, t.planes_at);
  ROLLED for (int p = first; p < first + planes; p += 4) {
    uint4 four[4];
    UNROLLED for (int i = 0; i < 4; i++) four[i] = *reinterpret_cast<const uint4 *>(
        &room.planes[min(p + i, (int)TEAM_PLANES - 1)][team::WORDS * team::lane_of()]);
    writer.locate();
    __syncwarp(); // these planes are read
    UNROLLED for (int i = 0; i < 4; i++) {
      const uint32_t plane[team::WORDS] = {four[i].x, four[i].y, four[i].z, four[i].w};
      writer.put(plane);
    }
  }
  __syncwarp();
}

// Squeezes a sum in its place.
DEVICE void squeeze_sum(const team::team_shape &t, uint32_t size, team_room &room) {
  team::put_header(reinterpret_cast<uint8_t *>(&room), t, size != 0);
  squeeze_planes(t, 0, size, room);
}

#endif
