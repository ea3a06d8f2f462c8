// sums.cu: the calls of cuda.h that compute: arguments checked, kernels started.
// SPDX-License-Identifier: BSD-3-Clause

#include <cstring>

#include "cuda/context.cuh"

// ---- Computing ----------------------------------------------------------------------------------

static bool is_pair(const combine_call &c) {
  return c.k == 2 && (c.coefficient[0] == 1 || c.coefficient[0] == -1) &&
         (c.coefficient[1] == 1 || c.coefficient[1] == -1) && c.coefficient[0] + c.coefficient[1] != -2;
}

// Everything of a combination but its target.
static ghz_status place_operands(ghz_cuda *g, const stream_kind &k, size_t count, const ghz_bytes *streams,
                                 const int64_t *weights, uint64_t divisor, combine_call *c,
                                 cudaStream_t stream) {
  ghz_status status = GHZ_OK;
  if (!streams || count == 0 || divisor == 0)
    status = ghz_cuda_fail(g->message, GHZ_EINVAL, "%s",
                           streams && count ? "the divisor is 0" : "there are no operands");
  if (status == GHZ_OK && count > g->operands)
    status = ghz_cuda_fail(g->message, GHZ_ECAPACITY, "%zu operands, and the context is for %zu", count,
                           g->operands);
  memset(c, 0, sizeof *c);
  for (size_t i = 0; i < count && status == GHZ_OK; i++) {
    status = ghz_cuda_place_operand(g, k, i, streams[i], &c->from[i], stream);
    c->coefficient[i] = weights ? weights[i] : 1;
  }
  c->k = (unsigned)count;
  c->pair = is_pair(*c);
  c->scaled = divisor > 1;
  c->divisor = (double)divisor;
  c->kind = k;
  c->spill = g->scratch + g->spill.at;
  return status;
}

static cudaError_t launch(ghz_cuda *g, const combine_call &c, cudaStream_t stream) {
  return c.kind.shape.dims == 1 ? ghz_launch_combine(c, g->on, stream)
                                : ghz_launch_combine_bricks(c, g->on, stream);
}

static ghz_status combine(ghz_cuda *g, const stream_kind &k, size_t count, const ghz_bytes *streams,
                          const int64_t *weights, uint64_t divisor, void *dst, size_t capacity,
                          ghz_cuda_outcome *outcome, cudaStream_t stream) {
  combine_call c;
  tile_target target;
  ghz_status status = ghz_cuda_check_outcome(g, outcome);
  if (status == GHZ_OK)
    status = ghz_cuda_check_kind(g, k);
  if (status == GHZ_OK)
    status = ghz_cuda_place_target(g, k, dst, capacity, outcome, &target);
  if (status == GHZ_OK)
    status = place_operands(g, k, count, streams, weights, divisor, &c, stream);
  if (status != GHZ_OK)
    return status;
  c.target = target;
  cudaError_t error = ghz_cuda_clear_progress(g, k.tiles, stream);
  if (error == cudaSuccess)
    error = launch(g, c, stream);
  return ghz_cuda_launched(g, error, "combine");
}

extern "C" ghz_status ghz_cuda_linear(ghz_cuda *gpu, ghz_type type, ghz_shape shape, size_t k,
                                      const ghz_bytes *streams, const int64_t *weights, uint64_t divisor,
                                      void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                      ghz_cuda_stream stream) {
  return gpu ? combine(gpu, ghz_cuda_whole(type, shape), k, streams, weights, divisor, dst, capacity, outcome,
                       stream)
             : GHZ_EINVAL;
}

extern "C" ghz_status ghz_cuda_slice_sum(ghz_cuda *gpu, ghz_cuda_slice slice, size_t k,
                                         const ghz_bytes *messages, uint64_t divisor, void *dst,
                                         size_t capacity, ghz_cuda_outcome *outcome, ghz_cuda_stream stream) {
  if (!gpu)
    return GHZ_EINVAL;
  ghz_status status = ghz_cuda_check_tiles(gpu, &slice.shape, slice.first, slice.tiles);
  return status == GHZ_OK ? combine(gpu, ghz_cuda_message_of(slice), k, messages, NULL, divisor, dst, capacity,
                                    outcome, stream)
                          : status;
}

// ---- In place -----------------------------------------------------------------------------------

static ghz_status move_to_front(ghz_cuda *g, const tile_target &sum, const tile_target &acc,
                                cudaStream_t stream) {
  move_call c = {sum, acc.ends, acc.sizes, reinterpret_cast<unsigned *>(g->scratch + g->taken.at)};
  return ghz_cuda_launched(g, ghz_launch_move(c, g->on, stream), "accumulate");
}

extern "C" ghz_status ghz_cuda_accumulate(ghz_cuda *gpu, ghz_type type, ghz_shape shape, void *acc,
                                          size_t capacity, ghz_bytes x, ghz_cuda_outcome *outcome,
                                          ghz_cuda_stream stream) {
  if (!gpu)
    return GHZ_EINVAL;
  const stream_kind k = ghz_cuda_whole(type, shape);
  const ghz_bytes operands[2] = {{acc, capacity}, x};
  combine_call c;
  tile_target to_acc;
  ghz_status status = ghz_cuda_check_outcome(gpu, outcome);
  if (status == GHZ_OK && gpu->operands < 2)
    status = ghz_cuda_fail(gpu->message, GHZ_ECAPACITY, "two operands, and the context is for one");
  if (status == GHZ_OK)
    status = ghz_cuda_check_kind(gpu, k);
  if (status == GHZ_OK)
    status = ghz_cuda_place_target(gpu, k, acc, capacity, outcome, &to_acc);
  if (status == GHZ_OK)
    status = place_operands(gpu, k, 2, operands, NULL, 1, &c, stream);
  if (status != GHZ_OK)
    return status;
  c.target = to_acc;
  c.target.ends = reinterpret_cast<uint64_t *>(gpu->scratch + gpu->ends.at);
  c.target.sizes = reinterpret_cast<uint16_t *>(gpu->scratch + gpu->sizes.at);
  c.target.backwards = 1;
  cudaError_t error = ghz_cuda_clear_progress(gpu, k.tiles, stream);
  if (error == cudaSuccess)
    error = cudaMemsetAsync(gpu->scratch + gpu->taken.at, 0, gpu->taken.size, stream);
  if (error == cudaSuccess)
    error = launch(gpu, c, stream);
  return error == cudaSuccess ? move_to_front(gpu, c.target, to_acc, stream)
                              : ghz_cuda_failed(gpu->message, error, "accumulate");
}
