// arguments.cu: checks of the arguments of calls for a GPU, and where the parts of streams and
// messages lie.
// SPDX-License-Identifier: BSD-3-Clause

#include <cstring>

#include "cuda/context.cuh"

extern "C" {
#include "lattice.h"
}

// ---- Checks of arguments ------------------------------------------------------------------------

ghz_status ghz_cuda_check_pointer(ghz_cuda *g, const void *p, const char *name, size_t alignment, reach where) {
  cudaPointerAttributes a;
  if (!p)
    return ghz_cuda_fail(g->message, GHZ_EINVAL, "%s is NULL", name);
  if (reinterpret_cast<uintptr_t>(p) % alignment)
    return ghz_cuda_fail(g->message, GHZ_EINVAL, "%s is not a multiple of %zu", name, alignment);
  cudaError_t error = cudaPointerGetAttributes(&a, p);
  if (error != cudaSuccess)
    return ghz_cuda_failed(g->message, error, name);
  bool device = a.type == cudaMemoryTypeDevice || a.type == cudaMemoryTypeManaged;
  if (!device && !(where == DEVICE_OR_PINNED && a.type == cudaMemoryTypeHost))
    return ghz_cuda_fail(g->message, GHZ_EINVAL, "%s is host memory", name);
  if (a.type == cudaMemoryTypeDevice && a.device != g->device)
    return ghz_cuda_fail(g->message, GHZ_EINVAL, "%s is memory of device %d, the context is on %d", name,
                         a.device, g->device);
  return GHZ_OK;
}

ghz_status ghz_cuda_check_type(ghz_cuda *g, ghz_type type) {
  if (type_known(type) && is_integer(type))
    return ghz_cuda_fail(g->message, GHZ_EINVAL, "integers are compressed and added on the host alone");
  return type_known(type) ? GHZ_OK : ghz_cuda_fail(g->message, GHZ_EINVAL, "type %d", (int)type);
}

ghz_status ghz_cuda_check_shape(ghz_cuda *g, const ghz_shape *s) {
  return shape_valid(s)
             ? GHZ_OK
             : ghz_cuda_fail(g->message, GHZ_EINVAL, "%llu x %llu x %llu values in %d dimensions are no shape",
                             (unsigned long long)s->extent[0], (unsigned long long)s->extent[1],
                             (unsigned long long)s->extent[2], s->dims);
}

ghz_status ghz_cuda_check_kind(ghz_cuda *g, const stream_kind &k) {
  ghz_status status = ghz_cuda_check_type(g, k.type);
  if (status == GHZ_OK)
    status = ghz_cuda_check_shape(g, &k.shape);
  if (status == GHZ_OK && k.tiles > tiles_of(g->values))
    status = ghz_cuda_fail(g->message, GHZ_ECAPACITY, "%llu tiles, and the context is for %llu",
                           (unsigned long long)k.tiles, (unsigned long long)tiles_of(g->values));
  return status;
}

ghz_status ghz_cuda_check_device(ghz_cuda *g) {
  int device;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess)
    return ghz_cuda_failed(g->message, error, "no current device");
  if (device != g->device)
    return ghz_cuda_fail(g->message, GHZ_EINVAL, "device %d is current, the context is on %d", device,
                         g->device);
  return GHZ_OK;
}

ghz_status ghz_cuda_check_outcome(ghz_cuda *g, const ghz_cuda_outcome *outcome) {
  ghz_status status = ghz_cuda_check_device(g);
  return status == GHZ_OK
             ? ghz_cuda_check_pointer(g, outcome, "outcome", alignof(ghz_cuda_outcome), DEVICE_OR_PINNED)
             : status;
}

ghz_status ghz_cuda_check_tiles(ghz_cuda *g, const ghz_shape *shape, uint64_t first, uint64_t tiles) {
  ghz_status status = ghz_cuda_check_shape(g, shape);
  if (status != GHZ_OK)
    return status;
  if (shape_count(shape) > SIZE_MAX / 16)
    return ghz_cuda_fail(g->message, GHZ_EINVAL, "%llu values do not fit in memory",
                         (unsigned long long)shape_count(shape));
  const uint64_t all = shape_tiles(shape);
  return first <= all && tiles <= all - first
             ? GHZ_OK
             : ghz_cuda_fail(g->message, GHZ_EINVAL, "tiles %llu to %llu of %llu", (unsigned long long)first,
                             (unsigned long long)(first + tiles), (unsigned long long)all);
}

// ---- Where things are ---------------------------------------------------------------------------

stream_kind ghz_cuda_whole(ghz_type type, const ghz_shape &shape) {
  return {type, shape, 0, shape_valid(&shape) ? shape_tiles(&shape) : 0, 0};
}

stream_kind ghz_cuda_message_of(const ghz_cuda_slice &s) {
  return {s.type, s.shape, s.first, s.tiles, 1};
}

// Bytes before the payload.
static uint64_t index_size(const stream_kind &k) {
  return k.message ? GHZ_SLICE_HEADER + 2 * k.tiles : STREAM_HEADER + 8 * chunks_of(k.tiles) + 2 * k.tiles;
}

ghz_status ghz_cuda_place_target(ghz_cuda *g, const stream_kind &k, void *dst, size_t capacity,
                                 ghz_cuda_outcome *outcome, tile_target *s) {
  ghz_status status = ghz_cuda_check_pointer(g, dst, "dst", 16, DEVICE_ONLY);
  if (status != GHZ_OK)
    return status;
  uint64_t index = index_size(k);
  uint8_t *p = static_cast<uint8_t *>(dst);
  if (index > capacity)
    return ghz_cuda_fail(g->message, GHZ_ECAPACITY, "%zu bytes are too few for the index of %zu tiles",
                         capacity, (size_t)k.tiles);
  memset(s, 0, sizeof *s);
  s->header = p;
  s->ends = k.message ? NULL : reinterpret_cast<uint64_t *>(p + STREAM_HEADER);
  s->sizes = reinterpret_cast<uint16_t *>(p + index - 2 * k.tiles);
  s->payload = p + index;
  s->room = capacity - index;
  s->header_and_index = index;
  s->shape = k.shape;
  s->first = k.first;
  s->tiles = k.tiles;
  s->shared = reinterpret_cast<progress *>(g->scratch + g->shared.at);
  s->outcome = outcome;
  return GHZ_OK;
}

ghz_status ghz_cuda_place_operand(ghz_cuda *g, const stream_kind &k, size_t i, ghz_bytes src, operand *o,
                                  cudaStream_t stream) {
  ghz_status status = ghz_cuda_check_pointer(g, src.data, "an operand", 16, DEVICE_ONLY);
  if (status != GHZ_OK)
    return status;
  uint64_t index = index_size(k);
  const uint8_t *p = static_cast<const uint8_t *>(src.data);
  if (src.size < index)
    return ghz_cuda_fail(g->message, GHZ_ECORRUPT, "operand %zu: %zu bytes are too few for %zu tiles", i,
                         src.size, (size_t)k.tiles);
  uint64_t *located =
      reinterpret_cast<uint64_t *>(g->scratch + g->located.at) + i * (size_t)(chunks_of(k.tiles) + 1);
  o->header = p;
  o->size = src.size;
  o->ends = k.message ? located + 1 : reinterpret_cast<const uint64_t *>(p + STREAM_HEADER);
  o->sizes = reinterpret_cast<const uint16_t *>(p + index - 2 * k.tiles);
  o->payload = p + index;
  if (!k.message)
    return GHZ_OK;
  size_t room = g->room.size;
  cudaError_t error = ghz_launch_locate(o->sizes, k.tiles, located, g->scratch + g->room.at, &room, stream);
  return error == cudaSuccess ? GHZ_OK : ghz_cuda_failed(g->message, error, "finding the tiles of a message");
}

cudaError_t ghz_cuda_clear_progress(ghz_cuda *g, uint64_t tiles, cudaStream_t stream) {
  return cudaMemsetAsync(g->scratch + g->shared.at, 0, ghz_cuda_progress_size(tiles), stream);
}
