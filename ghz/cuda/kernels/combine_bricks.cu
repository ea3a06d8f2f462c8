// combine_bricks.cu: the kernel that adds bricks, as combine.cu adds flat tiles.
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/kernels/add_brick_pair.cuh"
#include "cuda/kernels/add_bricks.cuh"
#include "cuda/kernels/combine_groups.cuh"

// Blocks that a multiprocessor holds: the transform of planes takes more registers.
template <int DIMS> static constexpr int BRICKS_RESIDENT = DIMS == 3 ? RESIDENT : 2;

// Adds the two bricks of each team, and squeezes the sum where it is wanted; returns 0 where it is
// not common.
DEVICE int add_bricks(const combine_call &c, const operand_headers &s, const team::tile_bytes from[2],
                      team_room &room, bool wanted, uint32_t &sum_size) {
  team_brick_sum sum;
  const int added = add_brick_pair(c, s, from, room, sum);
  sum_size = added && wanted ? sum.size : 0;
  squeeze_brick_sum(sum, sum_size, room);
  return added;
}

template <int DIMS, class Real>
__global__ void __launch_bounds__(THREADS, BRICKS_RESIDENT<DIMS>) combine_bricks(ARGUMENT(combine_call) c) {
  GHZ_SHARED(combine_shared, s);
  combine_groups(
      c, s, [&](int warp, int lane) { return form_tiles<bricks<DIMS>, Real>(c, s, warp, lane, add_bricks); });
}

template <int DIMS, class Real>
static cudaError_t launch(const combine_call &c, const multiprocessors &m, cudaStream_t stream) {
  return ghz_start(combine_bricks<DIMS, Real>,
                   blocks_for(c.target.tiles, TILES, m.blocks(BRICKS_RESIDENT<DIMS>, sizeof(combine_shared))),
                   THREADS, sizeof(combine_shared), stream, c);
}

cudaError_t ghz_launch_combine_bricks(const combine_call &c, const multiprocessors &m, cudaStream_t stream) {
  if (c.kind.shape.dims == 2)
    return c.kind.type == GHZ_F32 ? launch<2, float>(c, m, stream) : launch<2, double>(c, m, stream);
  return c.kind.type == GHZ_F32 ? launch<3, float>(c, m, stream) : launch<3, double>(c, m, stream);
}

template <int DIMS> static cudaError_t prepare() {
  cudaError_t error = ghz_prepare(combine_bricks<DIMS, float>, sizeof(combine_shared));
  return error == cudaSuccess ? ghz_prepare(combine_bricks<DIMS, double>, sizeof(combine_shared)) : error;
}

cudaError_t ghz_prepare_combine_bricks() {
  cudaError_t error = prepare<2>();
  return error == cudaSuccess ? prepare<3>() : error;
}
