// decompressions.cu: the calls of cuda.h that decompress: arguments checked, kernels
// started.
// SPDX-License-Identifier: BSD-3-Clause

#include <cstring>

#include "cuda/context.cuh"

extern "C" {
#include "lattice.h"
}

// What a call writes, and says.
struct decompression {
  ghz_type out;
  void *dst;
  uint64_t values;
  ghz_cuda_outcome *outcome;
};

// Checks everything but the range, and finds the operand.
static ghz_status prepare(ghz_cuda *g, const stream_kind &k, ghz_bytes src, const decompression &d,
                          operand *from, cudaStream_t stream) {
  ghz_status status = ghz_cuda_check_kind(g, k);
  if (status == GHZ_OK && d.out != GHZ_F64 && d.out != k.type)
    status = ghz_cuda_fail(g->message, GHZ_EINVAL, "a stream of doubles does not decompress to floats");
  if (status == GHZ_OK && d.values)
    status = ghz_cuda_check_pointer(g, d.dst, "dst", ghz_type_size(d.out), DEVICE_ONLY);
  if (status == GHZ_OK)
    status = ghz_cuda_check_outcome(g, d.outcome);
  return status == GHZ_OK ? ghz_cuda_place_operand(g, k, 0, src, from, stream) : status;
}

static progress *shared_progress(ghz_cuda *g) {
  return reinterpret_cast<progress *>(g->scratch + g->shared.at);
}

// ---- Flat arrays --------------------------------------------------------------------------------

// The values from `first` on, counted from the first tile of the operand.
static ghz_status decompress_flat(ghz_cuda *g, const stream_kind &k, ghz_bytes src, uint64_t first,
                                  const decompression &d, cudaStream_t stream) {
  decompress_call c;
  ghz_status status = prepare(g, k, src, d, &c.from, stream);
  if (status != GHZ_OK)
    return status;
  c.kind = k;
  c.y = d.dst;
  c.first = first;
  c.count = d.values;
  c.shared = shared_progress(g);
  c.outcome = d.outcome;
  cudaError_t error = ghz_cuda_clear_progress(g, 0, stream);
  if (error == cudaSuccess)
    error = ghz_launch_decompress(c, d.out, g->on, stream);
  return ghz_cuda_launched(g, error, "decompress");
}

// ---- Bricks -------------------------------------------------------------------------------------

// A box of an array, and the array that it goes to, which begins with the box's first value.
struct array_box {
  uint64_t origin[3], extent[3];
  uint64_t row, plane;
};

// The whole array, or a box of it, without gaps.
static array_box box_of(const uint64_t origin[3], const uint64_t extent[3]) {
  return {
      {origin[0], origin[1], origin[2]}, {extent[0], extent[1], extent[2]}, extent[2], extent[1] * extent[2]};
}

// The bricks that the box meets.
static void find_bricks(decompress_bricks_call *c) {
  const tile_extent e = whole_tile(c->kind.shape.dims);
  const unsigned piece[3] = {e.z, e.y, e.x};
  c->bricks = 1;
  for (int i = 0; i < 3; i++) {
    c->low[i] = c->origin[i] / piece[i];
    c->count[i] = c->extent[i] ? (c->origin[i] + c->extent[i] - 1) / piece[i] - c->low[i] + 1 : 0;
    c->bricks *= c->count[i];
  }
}

// The bricks of a message go to their places in the array.
static ghz_status decompress_bricks(ghz_cuda *g, const stream_kind &k, ghz_bytes src, const array_box &box,
                                    const decompression &d, cudaStream_t stream) {
  decompress_bricks_call c;
  ghz_status status = prepare(g, k, src, d, &c.from, stream);
  if (status != GHZ_OK)
    return status;
  c.kind = k;
  c.y = d.dst;
  memcpy(c.origin, box.origin, sizeof c.origin);
  memcpy(c.extent, box.extent, sizeof c.extent);
  c.row = box.row;
  c.plane = box.plane;
  find_bricks(&c);
  c.bricks = k.message ? k.tiles : c.bricks;
  c.values = d.values;
  c.shared = shared_progress(g);
  c.outcome = d.outcome;
  cudaError_t error = ghz_cuda_clear_progress(g, 0, stream);
  if (error == cudaSuccess)
    error = ghz_launch_decompress_bricks(c, d.out, g->on, stream);
  return ghz_cuda_launched(g, error, "decompress");
}

// ---- The calls ----------------------------------------------------------------------------------

extern "C" ghz_status ghz_cuda_decompress_box(ghz_cuda *gpu, ghz_type type, ghz_shape shape, ghz_bytes src,
                                              ghz_type out, const uint64_t origin[3], const uint64_t extent[3],
                                              void *dst, ghz_cuda_outcome *outcome, ghz_cuda_stream stream) {
  if (!gpu || !origin || !extent)
    return gpu ? ghz_cuda_fail(gpu->message, GHZ_EINVAL, "the box is NULL") : GHZ_EINVAL;
  const ghz_status status = ghz_cuda_check_shape(gpu, &shape);
  if (status != GHZ_OK)
    return status;
  for (int i = 0; i < 3; i++)
    if (origin[i] > shape.extent[i] || extent[i] > shape.extent[i] - origin[i])
      return ghz_cuda_fail(gpu->message, GHZ_EINVAL, "a box from %llu to %llu of an extent of %llu",
                           (unsigned long long)origin[i], (unsigned long long)(origin[i] + extent[i]),
                           (unsigned long long)shape.extent[i]);
  const stream_kind k = ghz_cuda_whole(type, shape);
  const decompression d = {out, dst, extent[0] * extent[1] * extent[2], outcome};
  return shape.dims == 1 ? decompress_flat(gpu, k, src, origin[2], d, stream)
                         : decompress_bricks(gpu, k, src, box_of(origin, extent), d, stream);
}

// ---- Slices -------------------------------------------------------------------------------------

static uint64_t values_of_slice(const ghz_cuda_slice &s) {
  return values_before(&s.shape, s.first + s.tiles) - values_before(&s.shape, s.first);
}

extern "C" ghz_status ghz_cuda_slice_decompress(ghz_cuda *gpu, ghz_cuda_slice slice, ghz_bytes message,
                                                ghz_type out, void *dst, ghz_cuda_outcome *outcome,
                                                ghz_cuda_stream stream) {
  if (!gpu)
    return GHZ_EINVAL;
  ghz_status status = ghz_cuda_check_tiles(gpu, &slice.shape, slice.first, slice.tiles);
  if (status == GHZ_OK && slice.shape.dims != 1)
    status =
        ghz_cuda_fail(gpu->message, GHZ_EINVAL,
                      "the array has %d dimensions: take ghz_cuda_slice_decompress_into", slice.shape.dims);
  return status == GHZ_OK ? decompress_flat(gpu, ghz_cuda_message_of(slice), message, 0,
                                            {out, dst, values_of_slice(slice), outcome}, stream)
                          : status;
}

extern "C" ghz_status ghz_cuda_slice_decompress_into(ghz_cuda *gpu, ghz_cuda_slice slice, ghz_bytes message,
                                                     ghz_type out, void *array, ghz_cuda_outcome *outcome,
                                                     ghz_cuda_stream stream) {
  const uint64_t origin[3] = {0, 0, 0};
  if (!gpu)
    return GHZ_EINVAL;
  ghz_status status = ghz_cuda_check_tiles(gpu, &slice.shape, slice.first, slice.tiles);
  if (status == GHZ_OK && !array && slice.tiles)
    status = ghz_cuda_fail(gpu->message, GHZ_EINVAL, "array is NULL");
  if (status != GHZ_OK)
    return status;
  const stream_kind k = ghz_cuda_message_of(slice);
  const uint64_t values = values_of_slice(slice);
  if (slice.shape.dims != 1)
    return decompress_bricks(gpu, k, message, box_of(origin, slice.shape.extent), {out, array, values, outcome},
                             stream);
  char *first = static_cast<char *>(array) + slice.first * TILE * ghz_type_size(out);
  return decompress_flat(gpu, k, message, 0, {out, slice.tiles ? first : array, values, outcome}, stream);
}
