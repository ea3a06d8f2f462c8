// calls.cu: the calls of cuda.h that find ranges and compress: arguments checked, kernels
// started.
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/context.cuh"
#include "rules/quantise.h"

extern "C" {
#include "context/floating.h"
#include "lattice.h"
}

// ---- Range --------------------------------------------------------------------------------------

extern "C" ghz_status ghz_cuda_range(ghz_cuda *gpu, ghz_type type, const void *x, size_t n, double *range,
                                     ghz_cuda_stream stream) {
  if (!gpu)
    return GHZ_EINVAL;
  ghz_status status = ghz_cuda_check_type(gpu, type);
  if (status == GHZ_OK)
    status = ghz_cuda_check_device(gpu);
  if (status == GHZ_OK && n)
    status = ghz_cuda_check_pointer(gpu, x, "x", ghz_type_size(type), DEVICE_ONLY);
  if (status == GHZ_OK)
    status = ghz_cuda_check_pointer(gpu, range, "range", alignof(double), DEVICE_OR_PINNED);
  if (status != GHZ_OK)
    return status;
  size_t room = gpu->room.size;
  return ghz_cuda_launched(gpu, ghz_launch_range(type, x, n, range, gpu->scratch + gpu->room.at, &room, stream),
                           "range");
}

// ---- Compression --------------------------------------------------------------------------------

// Whether narrow integers prove that a tile is coarse. They do not if the step is 0 or coarser than
// the bound, nor if a few steps already lie outside the lattice.
static bool is_common(const ghz_lattice *l) {
  return l->step != 0 && !is_grid(l) && l->step <= (l->type == GHZ_F32 ? 0x1p100 : 0x1p1000 / 0x1p20);
}

static ghz_status compress(ghz_cuda *g, const ghz_lattice *lattice, int order, const void *x,
                           const stream_kind &k, void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                           cudaStream_t stream) {
  compress_call c;
  ghz_status status = ghz_cuda_check_kind(g, k);
  if (status == GHZ_OK && (order < GHZ_ORDER_LORENZO || order >= orders_of((unsigned)k.shape.dims)))
    status = ghz_cuda_fail(g->message, GHZ_EINVAL, "order %d", order);
  if (status == GHZ_OK && !ghz_lattice_fresh(lattice))
    status = ghz_cuda_fail(g->message, GHZ_EINVAL, "step %g, bound %g, cap %d are no lattice to compress on",
                           lattice->step, lattice->eb, lattice->cap);
  if (status == GHZ_OK && k.tiles)
    status = ghz_cuda_check_pointer(g, x, "x", ghz_type_size(k.type), DEVICE_ONLY);
  if (status == GHZ_OK)
    status = ghz_cuda_check_outcome(g, outcome);
  if (status == GHZ_OK)
    status = ghz_cuda_place_target(g, k, dst, capacity, outcome, &c.target);
  if (status != GHZ_OK)
    return status;
  c.x = x;
  c.lattice = *lattice;
  floating_environment caller;
  floating_begin(&caller);
  c.factor = quantising_factor(lattice->type, lattice->step, COARSE);
  c.slow_path = !is_common(lattice);
  floating_end(&caller);
  c.order = order;
  cudaError_t error = ghz_cuda_clear_progress(g, k.tiles, stream);
  if (error == cudaSuccess)
    error = k.shape.dims == 1 ? ghz_launch_compress(c, g->on, stream)
                              : ghz_launch_compress_bricks(c, g->on, stream);
  return ghz_cuda_launched(g, error, "compress");
}

extern "C" ghz_status ghz_cuda_compress(ghz_cuda *gpu, const ghz_lattice *lattice, int order, const void *x,
                                        ghz_shape shape, void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                        ghz_cuda_stream stream) {
  if (!gpu || !lattice)
    return gpu ? ghz_cuda_fail(gpu->message, GHZ_EINVAL, "lattice is NULL") : GHZ_EINVAL;
  return compress(gpu, lattice, order, x, ghz_cuda_whole(lattice->type, shape), dst, capacity, outcome, stream);
}

extern "C" ghz_status ghz_cuda_slice_compress(ghz_cuda *gpu, const ghz_lattice *lattice, int order,
                                              const void *x, ghz_shape shape, uint64_t first, uint64_t tiles,
                                              void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                              ghz_cuda_stream stream) {
  if (!gpu || !lattice)
    return gpu ? ghz_cuda_fail(gpu->message, GHZ_EINVAL, "lattice is NULL") : GHZ_EINVAL;
  ghz_status status = ghz_cuda_check_tiles(gpu, &shape, first, tiles);
  return status == GHZ_OK
             ? compress(gpu, lattice, order, x, ghz_cuda_message_of({lattice->type, shape, first, tiles}), dst,
                        capacity, outcome, stream)
             : status;
}
