// combine.cu: the kernel that adds flat tiles. It reads the tiles of all operands, adds them on bit
// planes and writes the tiles of the result, in one pass; nothing is decoded to integers.
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/kernels/add_any.cuh"
#include "cuda/kernels/combine_groups.cuh"

// Adds the two tiles of each team, and squeezes the sum where it is wanted; returns 0 where it is
// not common.
DEVICE int add_flat(const combine_call &c, const operand_headers &s, const team::tile_bytes from[2],
                    team_room &room, bool wanted, uint32_t &sum_size) {
  team::team_shape shape;
  const int added = add_pair(c, s, from, room, shape, sum_size);
  sum_size = added && wanted ? sum_size : 0;
  squeeze_sum(shape, sum_size, room);
  return added;
}

template <class Real>
__global__ void __launch_bounds__(THREADS, RESIDENT) combine_tiles(ARGUMENT(combine_call) c) {
  GHZ_SHARED(combine_shared, s);
  combine_groups(c, s,
                 [&](int warp, int lane) { return form_tiles<flat_tiles, Real>(c, s, warp, lane, add_flat); });
}

static unsigned blocks_of(uint64_t tiles, const multiprocessors &m) {
  return blocks_for(tiles, TILES, m.blocks(RESIDENT, sizeof(combine_shared)));
}

size_t ghz_combine_spill(uint64_t tiles, const multiprocessors &m) {
  return (size_t)blocks_of(tiles, m) * TILES * SPILL_TILE;
}

template <class Real>
static cudaError_t launch(const combine_call &c, const multiprocessors &m, cudaStream_t stream) {
  return ghz_start(combine_tiles<Real>, blocks_of(c.target.tiles, m), THREADS, sizeof(combine_shared), stream,
                   c);
}

cudaError_t ghz_launch_combine(const combine_call &c, const multiprocessors &m, cudaStream_t stream) {
  return c.kind.type == GHZ_F32 ? launch<float>(c, m, stream) : launch<double>(c, m, stream);
}

cudaError_t ghz_prepare_combine() {
  cudaError_t error = ghz_prepare(combine_tiles<float>, sizeof(combine_shared));
  return error == cudaSuccess ? ghz_prepare(combine_tiles<double>, sizeof(combine_shared)) : error;
}
