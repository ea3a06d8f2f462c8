// combine.cu: the kernel that adds. It reads the tiles of all operands, adds them on bit planes and
// writes the tiles of the result, in one pass; nothing is decoded to integers.
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/add_any.cuh"
#include "cuda/add_pair.cuh"

enum {
  WARPS = 4,
  THREADS = 32 * WARPS,
  TILES = WARPS * team::TEAMS, // of a group: a chunk
  RESIDENT = 3                 // that a multiprocessor holds
};

struct combine_shared {
  team_room room[TILES];
  group_state<TILES> group;
  operand_headers headers;
};

// ---- Forming tiles ------------------------------------------------------------------------------

// Where a tile that does not fit in shared memory waits until its place is known.
DEVICE uint8_t *spill(const combine_call &c, int tile) {
  return c.spill + ((size_t)blockIdx.x * TILES + (size_t)tile) * SPILL_TILE;
}

// Reports a damaged tile, or one that is not exact.
DEVICE void note_result(const combine_call &c, uint64_t t, warp_result &r, int lane) {
  if (r.damaged != GHZ_CUDA_OPERANDS) {
    r.size = 0;
    if (lane == 0)
      note_fault(c.target.shared, FAULT_TILE, c.target.first + t, r.damaged, GHZ_ECORRUPT);
  }
  if (r.inexact && lane == 0)
    atomicOr(&c.target.shared->flags, (unsigned)FLAG_INEXACT);
}

// Forms a tile that is not common, by a warp. Returns its size.
template <class Real>
SELDOM uint32_t form_uncommon(const combine_call &c, combine_shared &s, int tile, int lane) {
  const uint64_t t = s.group.index * TILES + (uint64_t)tile;
  const unsigned n = values_in_tile(c.target.shape.extent[2], c.target.first + t);
  warp_result r;
  combine_any<Real>({c, s.headers, t, n, lane}, r);
  note_result(c, t, r, lane);
  if (r.size)
    write_result<Real>(
        r, n, r.size <= sizeof(team_room) ? reinterpret_cast<uint8_t *>(&s.room[tile]) : spill(c, tile), lane);
  return r.size;
}

// Forms the tile of each team if it is the sum of two common tiles, or a copy. Returns 0 if it is
// neither.
DEVICE int form_common(const combine_call &c, combine_shared &s, int mine, uint64_t t, uint32_t &result_size,
                       int lane) {
  const bool whole = t < c.target.tiles && c.target.shape.extent[2] - (c.target.first + t) * TILE >= TILE;
  uint64_t offset[2];
  uint32_t size[2];
  int placed = 1;
  UNROLLED for (int i = 0; i < 2; i++) placed &=
      place_tiles(c, s.headers, (unsigned)i, s.group.index, mine, offset[i], size[i], lane);
  if (!placed) // told by combine_any
    return 0;
  team_room &room = s.room[mine];
  team::team_shape shape;
  result_size = 0;
  const int alone = whole && copy_alone(c, offset, size, room, result_size);
  UNROLLED for (int i = 0; i < 2; i++) size[i] = whole && !alone ? size[i] : 0;
  // Nothing to add in all four: so it is for three of four tiles in sparse fields.
  if (!__any_sync(ALL, (size[0] | size[1]) != 0))
    return whole;
  uint32_t sum_size;
  const int added = add_pair(c, s.headers, offset, size, room, shape, sum_size);
  sum_size = added && whole && !alone ? sum_size : 0;
  squeeze_sum(shape, sum_size, room);
  result_size |= sum_size; // one of them is 0
  return whole && (alone || added);
}

// Forms the four tiles of a warp; returns the size of the team's.
template <class Real> DEVICE uint32_t form_tiles(const combine_call &c, combine_shared &s, int warp, int lane) {
  const int mine = team::TEAMS * warp + lane / team::LANES;
  const uint64_t chunk = s.group.index;
  uint32_t size = 0;
  int common = 0;
  if (c.pair)
    common = form_common(c, s, mine, chunk * TILES + (uint64_t)mine, size, lane);
  ROLLED for (int i = 0; i < team::TEAMS; i++) {
    const int tile = team::TEAMS * warp + i, formed = __shfl_sync(ALL, common, team::LANES * i);
    if (formed || chunk * TILES + (uint64_t)tile >= c.target.tiles)
      continue;
    const uint32_t formed_size = form_uncommon<Real>(c, s, tile, lane);
    size = lane / team::LANES == i ? formed_size : size;
  }
  return size;
}

// Writes the tiles of a warp to their place. In an accumulator operands may lie there, but nothing
// of them is read any more.
DEVICE void write_tiles(const combine_call &c, const combine_shared &s, int warp, uint32_t size, int lane) {
  const int mine = team::TEAMS * warp + lane / team::LANES;
  const bool large = size > sizeof(team_room);
  if (size && !large)
    unstage_bytes(s.group.place + s.group.before[mine], s.room[mine].header, 0, size, team::lane_of(),
                  team::LANES);
  ROLLED for (uint32_t left = __ballot_sync(ALL, large && team::lane_of() == 0); left; left &= left - 1) {
    const int tile = team::TEAMS * warp + (__ffs((int)left) - 1) / team::LANES;
    unstage_bytes(s.group.place + s.group.before[tile], reinterpret_cast<const uint32_t *>(spill(c, tile)), 0,
                  s.group.size[tile], lane);
  }
}

// ---- The kernel ---------------------------------------------------------------------------------

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

template <class Real>
__global__ void __launch_bounds__(THREADS, RESIDENT) combine_tiles(ARGUMENT(combine_call) c) {
  GHZ_SHARED(combine_shared, s);
  const int lane = lane_of_thread(), warp = (int)threadIdx.x / 32;
  group_queue queue;
  queue.ask(c.target.shared);
  read_headers(c, s.headers);
  while (queue.take(s.group, c.target) && s.headers.status == GHZ_OK) {
    const uint32_t size = form_tiles<Real>(c, s, warp, lane);
    if (team::lane_of() == 0)
      s.group.size[team::TEAMS * warp + lane / team::LANES] = size;
    __syncthreads();
    queue.ask(c.target.shared);
    if (warp == 0) {
      fence_in_place(c.target); // what was read was read before the groups that follow hear of it
      place_group(s.group, c.target, c.target.backwards ? c.from[0].offsets[s.group.index] : 0, lane);
      fence_in_place(c.target); // and by the groups before, before this one writes
    }
    __syncthreads();
    if (s.group.fits)
      write_tiles(c, s, warp, size, lane);
  }
  if (is_last_block(c.target.shared, gridDim.x))
    finish(c, s.headers);
}

static unsigned blocks_of(uint64_t tiles, unsigned multiprocessors) {
  return blocks_for(tiles, TILES, RESIDENT * multiprocessors);
}

size_t ghz_combine_spill(uint64_t tiles, unsigned multiprocessors) {
  return (size_t)blocks_of(tiles, multiprocessors) * TILES * SPILL_TILE;
}

template <class Real>
static cudaError_t launch(const combine_call &c, unsigned multiprocessors, cudaStream_t stream) {
  return ghz_start(combine_tiles<Real>, blocks_of(c.target.tiles, multiprocessors), THREADS,
                   sizeof(combine_shared), stream, c);
}

cudaError_t ghz_launch_combine(const combine_call &c, unsigned multiprocessors, cudaStream_t stream) {
  return c.kind.type == GHZ_F32 ? launch<float>(c, multiprocessors, stream)
                                : launch<double>(c, multiprocessors, stream);
}

cudaError_t ghz_prepare_combine() {
  cudaError_t error = ghz_prepare(combine_tiles<float>, sizeof(combine_shared));
  return error == cudaSuccess ? ghz_prepare(combine_tiles<double>, sizeof(combine_shared)) : error;
}
