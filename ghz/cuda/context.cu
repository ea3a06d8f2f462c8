// context.cu: contexts for a GPU: scratch memory, kernels made ready, and messages about failures.
// SPDX-License-Identifier: BSD-3-Clause

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "cuda/context.cuh"
#include "numerals.h"

// ---- Messages -----------------------------------------------------------------------------------

static thread_local char create_message[256]; // of contexts that did not come to be

ghz_status ghz_cuda_fail(char *message, ghz_status status, const char *format, ...) {
  va_list args;
  const locale_t programs = numerals_begin();
  va_start(args, format);
  vsnprintf(message, sizeof create_message, format, args);
  va_end(args);
  numerals_end(programs);
  return status;
}

ghz_status ghz_cuda_failed(char *message, cudaError_t error, const char *what) {
  ghz_status status = error == cudaErrorMemoryAllocation ? GHZ_ENOMEM : GHZ_EDEVICE;
  (void)cudaGetLastError(); // so that it is not taken for a later call's
  return ghz_cuda_fail(message, status, "%s: %s", what, cudaGetErrorString(error));
}

extern "C" const char *ghz_cuda_message(const ghz_cuda *gpu) {
  return gpu ? gpu->message : create_message;
}

extern "C" int ghz_cuda_built(void) {
  return 1;
}

ghz_status ghz_cuda_launched(ghz_cuda *g, cudaError_t error, const char *what) {
  return error == cudaSuccess ? GHZ_OK : ghz_cuda_failed(g->message, error, what);
}

// ---- Contexts -----------------------------------------------------------------------------------

static uint64_t groups_of(uint64_t tiles) {
  return tiles / GROUP_LEAST + (tiles % GROUP_LEAST != 0);
}

size_t ghz_cuda_progress_size(uint64_t tiles) {
  return sizeof(progress) + (size_t)groups_of(tiles) * sizeof(u64);
}

static size_t taken_size(uint64_t tiles) {
  return (size_t)(tiles * TILE_BYTES_MAX / PIECE_BYTES + 2) * sizeof(unsigned);
}

static void place_part(scratch_part *p, size_t size, size_t *total) {
  p->at = *total;
  p->size = size;
  *total += (size + 255) & ~(size_t)255;
}

// Lays out the scratch memory and returns its size. The sizes cannot overflow: an array that fits
// in memory has far more bytes.
static size_t lay_out(ghz_cuda *g, size_t cub_room) {
  const uint64_t tiles = tiles_of(g->values);
  const size_t chunks = (size_t)chunks_of(tiles) + 1;
  size_t total = 0;
  place_part(&g->shared, ghz_cuda_progress_size(tiles), &total);
  place_part(&g->taken, taken_size(tiles), &total);
  place_part(&g->ends, chunks * sizeof(uint64_t), &total);
  place_part(&g->sizes, (size_t)tiles * sizeof(uint16_t), &total);
  place_part(&g->spill, ghz_combine_spill(tiles, g->on), &total);
  place_part(&g->located, g->operands * chunks * sizeof(uint64_t), &total);
  place_part(&g->room, cub_room, &total);
  return total;
}

// The bytes that CUB needs. For a range they do not depend on the number of values, if there are
// many.
static cudaError_t cub_room(const ghz_cuda *g, size_t *room) {
  const uint64_t many = UINT64_C(1) << 40;
  size_t floats = 0, doubles = 0, located = 0;
  cudaError_t error = ghz_launch_range(GHZ_F32, NULL, many, NULL, NULL, &floats, 0);
  if (error == cudaSuccess)
    error = ghz_launch_range(GHZ_F64, NULL, many, NULL, NULL, &doubles, 0);
  if (error == cudaSuccess)
    error = ghz_launch_locate(NULL, tiles_of(g->values), NULL, NULL, &located, 0);
  *room = floats > doubles ? floats : doubles;
  *room = located > *room ? located : *room;
  return error;
}

// Whether the device has the kernels, and for which architecture they were compiled.
static cudaError_t prepare_kernels(int *architecture) {
  cudaError_t error = ghz_prepare_compress();
  if (error == cudaSuccess)
    error = ghz_prepare_compress_bricks(architecture);
  if (error == cudaSuccess)
    error = ghz_prepare_decompress();
  if (error == cudaSuccess)
    error = ghz_prepare_decompress_bricks();
  if (error == cudaSuccess)
    error = ghz_prepare_combine();
  if (error == cudaSuccess)
    error = ghz_prepare_combine_bricks();
  return error == cudaSuccess ? ghz_prepare_move() : error;
}

// CUDA sets local memory aside for a kernel that takes more than those before, and may wait for the
// device then. So the one that takes most runs here once, on an empty stream.
static cudaError_t set_local_memory_aside(ghz_cuda *g) {
  const uint64_t planes = 2, cap = 35, terms = 1;
  const uint64_t empty[] = {STREAM_MAGIC | cap << 48 | planes << 56, 0, 0, 0, 0, 0, terms, 0, 0};
  uint8_t *p = g->scratch + g->spill.at, *to = p + 256, *outcome = p + 512;
  combine_call c = {};
  c.kind.shape.dims = c.target.shape.dims = (int)planes;
  c.from[0] = {p, sizeof empty, reinterpret_cast<uint64_t *>(p + STREAM_HEADER), NULL, p + sizeof empty};
  c.coefficient[0] = 1;
  c.k = 1;
  c.divisor = 1;
  c.spill = p;
  c.target.header = to;
  c.target.ends = reinterpret_cast<uint64_t *>(to + STREAM_HEADER);
  c.target.shared = reinterpret_cast<progress *>(g->scratch + g->shared.at);
  c.target.outcome = reinterpret_cast<ghz_cuda_outcome *>(outcome);
  cudaError_t error = cudaMemcpy(p, empty, sizeof empty, cudaMemcpyHostToDevice);
  if (error == cudaSuccess)
    error = ghz_cuda_clear_progress(g, 0, 0);
  return error == cudaSuccess ? ghz_launch_combine_bricks(c, g->on, 0) : error;
}

// CUDA loads a kernel when it is first used, and may wait for the device then. So CUB's kernels are
// used here once; prepare_kernels has loaded our own. All scratch memory is cleared, since kernels
// read a few bytes behind those that they wrote there.
static cudaError_t load_kernels_of_cub(ghz_cuda *g, size_t size) {
  double *range = reinterpret_cast<double *>(g->scratch + g->shared.at);
  uint64_t *offsets = reinterpret_cast<uint64_t *>(g->scratch + g->located.at);
  void *room = g->scratch + g->room.at;
  size_t bytes = g->room.size;
  const size_t some = g->spill.size / sizeof(double); // more than CUB has a single block look at
  const uint64_t lengths[2] = {0, some < 16384 ? some : 16384};
  cudaError_t error = cudaMemset(g->scratch, 0, size);
  for (int i = 0; i < 2 && error == cudaSuccess; i++) {
    error = ghz_launch_range(GHZ_F32, g->scratch + g->spill.at, lengths[i], range, room, &bytes, 0);
    if (error == cudaSuccess)
      error = ghz_launch_range(GHZ_F64, g->scratch + g->spill.at, lengths[i], range, room, &bytes, 0);
  }
  if (error == cudaSuccess)
    error = ghz_launch_locate(NULL, 0, offsets, room, &bytes, 0);
  if (error == cudaSuccess)
    error = set_local_memory_aside(g);
  return error == cudaSuccess ? cudaStreamSynchronize(0) : error;
}

static ghz_status set_up(ghz_cuda *g) {
  char *message = create_message;
  int devices = 0, count = 0, shared = 0;
  size_t room = 0;
  cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices == 0)
    error = cudaErrorNoDevice;
  if (error == cudaSuccess)
    error = cudaGetDevice(&g->device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, g->device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, g->device);
  if (error != cudaSuccess)
    return ghz_cuda_failed(message, error, "no CUDA device");
  g->on = {(unsigned)count, (size_t)shared, 0};
  error = prepare_kernels(&g->on.architecture);
  if (error != cudaSuccess)
    return ghz_cuda_failed(message, error, "this device does not run the kernels");
  error = cub_room(g, &room);
  if (error != cudaSuccess)
    return ghz_cuda_failed(message, error, "CUB does not run on this device");
  const size_t size = lay_out(g, room);
  error = cudaMalloc(reinterpret_cast<void **>(&g->scratch), size);
  if (error != cudaSuccess)
    return ghz_cuda_failed(message, error, "no scratch memory on the device");
  error = load_kernels_of_cub(g, size);
  if (error == cudaSuccess)
    return GHZ_OK;
  cudaFree(g->scratch);
  return ghz_cuda_failed(message, error, "the first kernels on this device");
}

extern "C" ghz_status ghz_cuda_create(ghz_cuda **gpu, size_t values, size_t operands) {
  if (!gpu)
    return ghz_cuda_fail(create_message, GHZ_EINVAL, "gpu is NULL");
  *gpu = NULL;
  if (operands == 0 || operands > GHZ_CUDA_OPERANDS)
    return ghz_cuda_fail(create_message, GHZ_EINVAL, "%zu operands are not from 1 to %d", operands,
                         GHZ_CUDA_OPERANDS);
  if (values > SIZE_MAX / 16)
    return ghz_cuda_fail(create_message, GHZ_EINVAL, "%zu values do not fit in memory", values);
  ghz_cuda *g = static_cast<ghz_cuda *>(calloc(1, sizeof *g));
  if (!g)
    return ghz_cuda_fail(create_message, GHZ_ENOMEM, "no memory for a context");
  g->values = values;
  g->operands = operands;
  ghz_status status = set_up(g);
  if (status != GHZ_OK)
    free(g);
  else
    *gpu = g;
  return status;
}

extern "C" void ghz_cuda_free(ghz_cuda *gpu) {
  if (!gpu)
    return;
  cudaFree(gpu->scratch);
  free(gpu);
}

extern "C" ghz_status ghz_cuda_wait(ghz_cuda *gpu, const ghz_cuda_outcome *outcome, ghz_cuda_outcome *copy,
                                    ghz_cuda_stream stream) {
  ghz_cuda_outcome o;
  if (!gpu || !outcome)
    return gpu ? ghz_cuda_fail(gpu->message, GHZ_EINVAL, "outcome is NULL") : GHZ_EINVAL;
  cudaError_t error = cudaMemcpyAsync(&o, outcome, sizeof o, cudaMemcpyDefault, stream);
  if (error == cudaSuccess)
    error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess)
    return ghz_cuda_failed(gpu->message, error, "waiting for the device");
  if (copy)
    *copy = o;
  if (o.status == GHZ_OK)
    return GHZ_OK;
  if (o.tile != UINT64_MAX)
    return ghz_cuda_fail(gpu->message, (ghz_status)o.status, "%s: tile %llu",
                         ghz_status_text((ghz_status)o.status), (unsigned long long)o.tile);
  if (o.operand != UINT32_MAX)
    return ghz_cuda_fail(gpu->message, (ghz_status)o.status, "%s: operand %u",
                         ghz_status_text((ghz_status)o.status), o.operand);
  return ghz_cuda_fail(gpu->message, (ghz_status)o.status, "%s", ghz_status_text((ghz_status)o.status));
}
