// combine.cu: the kernels that add tiles and bricks. They read those of all operands, add them on
// bit planes and write those of the result, in one pass; nothing is decoded to integers. Groups of
// tiles are formed in shared memory or, where they are large, in scratch memory, and written to
// their places.
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/kernels/add_any.cuh"
#include "cuda/kernels/add_bricks.cuh"

enum {
  WARPS = 4,
  THREADS = 32 * WARPS,
  TILES = WARPS * team::TEAMS // of a group: a chunk
};

struct combine_shared {
  team_room room[TILES];
  group_state<TILES> group;
  operand_headers headers;
};

// Where a tile that does not fit in shared memory waits until its place is known.
DEVICE uint8_t *spill(const combine_call &c, int tile) {
  return c.spill + ((size_t)blockIdx.x * TILES + (size_t)tile) * SPILL_TILE;
}

// Reports a damaged tile, or one that is not exact.
DEVICE void note_result(const combine_call &c, uint64_t t, tile_result &r, int lane) {
  if (r.damaged != GHZ_CUDA_OPERANDS) {
    r.size = 0;
    if (lane == 0)
      note_fault(c.target.shared, FAULT_TILE, c.target.first + t, r.damaged, GHZ_ECORRUPT);
  }
  if (r.inexact && lane == 0)
    atomicOr(&c.target.shared->flags, (unsigned)FLAG_INEXACT);
}

// Forms any tile, by a warp. Returns its size.
template <class Kind, class Real>
SELDOM uint32_t form_any(const combine_call &c, combine_shared &s, int tile, int lane) {
  const uint64_t t = s.group.index * TILES + (uint64_t)tile;
  const tile_extent e = tile_extent_of(&c.target.shape, c.target.first + t);
  double *numbers = reinterpret_cast<double *>(spill(c, tile));
  typename Kind::result r;
  combine_any<Kind, Real>({c, s.headers, t, e, numbers, lane}, r);
  note_result(c, t, r, lane);
  if (r.size)
    write_result<Kind, Real>(r, e, r.size <= sizeof(team_room) ? s.room[tile].bytes() : spill(c, tile), lane);
  return r.size;
}

// The tile that a warp's team has formed: its size, and where it begins in the room.
struct formed_tile {
  uint32_t size, start;
};

// Forms the tile of each team if it is a copy, or the sum of two common tiles. Returns 0 if it is
// neither.
template <class Kind>
DEVICE int form_common(const combine_call &c, combine_shared &s, int mine, uint64_t t, formed_tile &formed,
                       int lane) {
  const bool whole = t < c.target.tiles && Kind::is_whole(c.target.shape, c.target.first + t);
  team::tile_bytes from[2];
  if (!place_tiles(c, s.headers, s.group.index, mine, from, lane)) // told by combine_any
    return 0;
  UNROLLED for (int i = 0; i < 2; i++) from[i].size = whole ? from[i].size : 0;
  // Nothing to add in all four: so it is for three of four tiles in sparse fields.
  if (!__any_sync(ALL, (from[0].size | from[1].size) != 0))
    return whole;
  team_room &room = s.room[mine];
  bring_tiles(from, room);
  const uint32_t copied = copy_alone(c, from, room, formed.start);
  UNROLLED for (int i = 0; i < 2; i++) from[i].size = copied ? 0 : from[i].size;
  uint32_t sum_size = 0;
  int added = 1;
  if (__any_sync(ALL, (from[0].size | from[1].size) != 0))
    added = Kind::add_pair(c, s.headers, from, room, whole && !copied, sum_size);
  formed.size = copied | sum_size; // one of them is 0
  return whole && (copied || added);
}

// Forms the four tiles of a warp; returns the team's.
template <class Kind, class Real>
DEVICE formed_tile form_tiles(const combine_call &c, combine_shared &s, int warp, int lane) {
  const int mine = team::TEAMS * warp + lane / team::LANES;
  const uint64_t chunk = s.group.index;
  formed_tile mine_formed = {0, 0};
  int common = 0;
  if (c.pair)
    common = form_common<Kind>(c, s, mine, chunk * TILES + (uint64_t)mine, mine_formed, lane);
  ROLLED for (int i = 0; i < team::TEAMS; i++) {
    const int tile = team::TEAMS * warp + i, formed = __shfl_sync(ALL, common, team::LANES * i);
    if (formed || chunk * TILES + (uint64_t)tile >= c.target.tiles)
      continue;
    const uint32_t size = form_any<Kind, Real>(c, s, tile, lane);
    if (lane / team::LANES == i)
      mine_formed = {size, 0};
  }
  return mine_formed;
}

// Writes the tiles of a warp to their place. In an accumulator operands may lie there, but nothing
// of them is read any more.
DEVICE void write_tiles(const combine_call &c, const combine_shared &s, int warp, const formed_tile &formed,
                        int lane) {
  const int mine = team::TEAMS * warp + lane / team::LANES;
  const bool large = formed.size > sizeof(team_room);
  if (!large)
    unstage_bytes(s.group.place + s.group.before[mine], s.room[mine].window[0], formed.start, formed.size,
                  team::lane_of(), team::LANES);
  ROLLED for (uint32_t left = __ballot_sync(ALL, large && team::lane_of() == 0); left; left &= left - 1) {
    const int tile = team::TEAMS * warp + (__ffs((int)left) - 1) / team::LANES;
    unstage_bytes(s.group.place + s.group.before[tile], reinterpret_cast<const uint32_t *>(spill(c, tile)), 0,
                  s.group.size[tile], lane);
  }
}

// Completes the result. The header of an accumulator is left to move_sum, which moves the tiles to
// their place first.
DEVICE void finish(const combine_call &c, const operand_headers &s) {
  __threadfence();
  result_header h = {s.lattice, s.terms_of_result, s.flags | __ldcg(&c.target.shared->flags)};
  if (c.scaled)
    scale_lattice(&h.lattice, 1, c.divisor);
  if (c.target.backwards) {
    c.target.shared->terms = h.terms;
    c.target.shared->flags = h.flags;
    c.target.shared->finished = 0; // move_sum counts its own blocks
  } else {
    finish_result(c.target, h);
  }
}

// In an accumulator, operands and result lie in the same memory.
DEVICE void fence_in_place(const tile_target &target) {
  if (target.backwards)
    __threadfence();
}

template <class Kind, class Real>
__global__ void __launch_bounds__(THREADS, Kind::RESIDENT) combine_tiles(ARGUMENT(combine_call) c) {
  GHZ_SHARED(combine_shared, s);
  const int lane = lane_of_thread(), warp = (int)threadIdx.x / 32;
  group_queue queue;
  queue.ask(c.target.shared);
  read_headers(c, s.headers);
  while (queue.take(s.group, c.target) && s.headers.status == GHZ_OK) {
    const formed_tile formed = form_tiles<Kind, Real>(c, s, warp, lane);
    if (team::lane_of() == 0)
      s.group.size[team::TEAMS * warp + lane / team::LANES] = formed.size;
    __syncthreads();
    queue.ask(c.target.shared);
    if (warp == 0) {
      fence_in_place(c.target); // what was read was read before the groups that follow hear of it
      place_group(s.group, c.target,
                  c.target.backwards && s.group.index ? c.from[0].ends[s.group.index - 1] : 0, lane);
      fence_in_place(c.target); // and by the groups before, before this one writes
    }
    __syncthreads();
    if (s.group.fits)
      write_tiles(c, s, warp, formed, lane);
  }
  if (is_last_block(c.target.shared, gridDim.x))
    finish(c, s.headers);
}

template <class Kind, class Real> static constexpr kernel<combine_call> kernel_of() {
  return {combine_tiles<Kind, Real>, THREADS, TILES, sizeof(combine_shared), Kind::RESIDENT};
}

const kernel<combine_call> ghz_combine_kernels[] = {
    kernel_of<flat_tiles, float>(), kernel_of<flat_tiles, double>(), kernel_of<bricks<2>, float>(),
    kernel_of<bricks<2>, double>(), kernel_of<bricks<3>, float>(),   kernel_of<bricks<3>, double>()};
