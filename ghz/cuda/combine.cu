// combine.cu: the kernel that adds flat tiles. It reads the tiles of all operands, adds them on bit
// planes and writes the tiles of the result, in one pass; nothing is decoded to integers.
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/add_any.cuh"
#include "cuda/combine_groups.cuh"

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
    const uint32_t formed_size = form_any<flat_tiles, Real>(c, s, NULL, tile, lane);
    size = lane / team::LANES == i ? formed_size : size;
  }
  return size;
}

template <class Real>
__global__ void __launch_bounds__(THREADS, RESIDENT) combine_tiles(ARGUMENT(combine_call) c) {
  GHZ_SHARED(combine_shared, s);
  combine_groups(c, s, [&](int warp, int lane) { return form_tiles<Real>(c, s, warp, lane); });
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
