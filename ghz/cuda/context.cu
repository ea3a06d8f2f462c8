// context.cu: contexts for a GPU: scratch memory, kernels made ready, and messages about failures.
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "cuda/context.cuh"
#include "numerals.h"

// ---- Messages -----------------------------------------------------------------------------------

static thread_local char create_message[sizeof(ghz_cuda::message)]; // of contexts that did not come to be

ghz_status ghz_cuda_fail(ghz_cuda *g, ghz_status status, const char *format, ...) {
  va_list args;
  const locale_t programs = numerals_begin();
  va_start(args, format);
  vsnprintf(g ? g->message : create_message, sizeof create_message, format, args);
  va_end(args);
  numerals_end(programs);
  return status;
}

ghz_status ghz_cuda_checked(ghz_cuda *g, cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return GHZ_OK;
  (void)cudaGetLastError(); // so that it is not taken for a later call's
  return ghz_cuda_fail(g, error == cudaErrorMemoryAllocation ? GHZ_ENOMEM : GHZ_EDEVICE, "%s: %s", what,
                       cudaGetErrorString(error));
}

extern "C" const char *ghz_cuda_message(const ghz_cuda *gpu) {
  return gpu ? gpu->message : create_message;
}

extern "C" int ghz_cuda_built(void) {
  return 1;
}

// ---- Contexts -----------------------------------------------------------------------------------

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
  const kernel<combine_call> &adds = ghz_combine_kernels[0]; // bricks have no more blocks than flat tiles
  size_t total = 0;
  place_part(&g->shared, progress::size(tiles), &total);
  place_part(&g->taken, (size_t)(tiles * TILE_BYTES_MAX / PIECE_BYTES + 2) * sizeof(unsigned), &total);
  place_part(&g->ends, chunks * sizeof(uint64_t), &total);
  place_part(&g->sizes, (size_t)tiles * sizeof(uint16_t), &total);
  place_part(&g->spill, (size_t)adds.blocks(tiles, g->on) * adds.group * SPILL_TILE, &total);
  place_part(&g->located, g->operands * chunks * sizeof(uint64_t), &total);
  place_part(&g->room, cub_room, &total);
  return total;
}

// The bytes that CUB needs. For a range they do not depend on the number of values, if there are
// many.
static cudaError_t cub_room(const ghz_cuda *g, size_t *room) {
  const uint64_t many = UINT64_C(1) << 40;
  size_t floats = 0, doubles = 0, located = 0;
  GHZ_TRY(ghz_launch_range(GHZ_F32, NULL, many, NULL, NULL, &floats, 0));
  GHZ_TRY(ghz_launch_range(GHZ_F64, NULL, many, NULL, NULL, &doubles, 0));
  GHZ_TRY(ghz_launch_locate(NULL, tiles_of(g->values), NULL, NULL, &located, 0));
  *room = std::max({floats, doubles, located});
  return cudaSuccess;
}

static cudaError_t find_device(ghz_cuda *g) {
  int devices = 0, count = 0, shared = 0;
  GHZ_TRY(cudaGetDeviceCount(&devices));
  if (devices == 0)
    return cudaErrorNoDevice;
  GHZ_TRY(cudaGetDevice(&g->device));
  GHZ_TRY(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, g->device));
  GHZ_TRY(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, g->device));
  g->on = {(unsigned)count, (size_t)shared, 0};
  return cudaSuccess;
}

template <class Call, size_t N>
static cudaError_t prepare(const kernel<Call> (&kernels)[N], int *architecture) {
  for (const kernel<Call> &k : kernels)
    GHZ_TRY(k.prepare(architecture));
  return cudaSuccess;
}

// Whether the device has the kernels, and for which architecture they were compiled.
static cudaError_t prepare_kernels(int *architecture) {
  GHZ_TRY(prepare(ghz_compress_kernels, architecture));
  GHZ_TRY(prepare(ghz_compress_bricks_kernels, architecture));
  GHZ_TRY(prepare(ghz_decompress_kernels, architecture));
  GHZ_TRY(prepare(ghz_decompress_bricks_kernels, architecture));
  GHZ_TRY(prepare(ghz_combine_kernels, architecture));
  return ghz_move_kernel.prepare(architecture);
}

// CUDA loads a kernel when it is first used, and may wait for the device then. So CUB's kernels are
// used here once; prepare_kernels has loaded our own. It also sets local memory aside for a kernel
// that takes more than those before: the one that takes most runs here once, on zeros, which are no
// stream. All scratch memory is cleared, since kernels read a few bytes behind those that they
// wrote there.
static ghz_status run_once(ghz_cuda *g, size_t size) {
  const char *what = "the first kernels on this device";
  const size_t some = g->spill.size / sizeof(double); // more than CUB has a single block look at
  uint8_t *zeros = g->at<uint8_t>(g->spill);
  size_t room = g->room.size;
  GHZ_TRY(ghz_cuda_checked(g, cudaMemset(g->scratch, 0, size), what));
  for (size_t n : {size_t{0}, std::min(some, size_t{16384})})
    for (ghz_type type : {GHZ_F32, GHZ_F64})
      GHZ_TRY(ghz_cuda_range(g, type, zeros, n, g->at<double>(g->shared), 0));
  GHZ_TRY(ghz_cuda_checked(
      g, ghz_launch_locate(NULL, 0, g->at<uint64_t>(g->located), g->at<void>(g->room), &room, 0), what));
  const ghz_bytes none = {zeros, 256};
  GHZ_TRY(ghz_cuda_linear(g, GHZ_F32, {2, {1, 0, 0}}, 1, &none, NULL, 1, zeros + 256, 256,
                          reinterpret_cast<ghz_cuda_outcome *>(zeros + 512), 0));
  return ghz_cuda_checked(g, cudaStreamSynchronize(0), what);
}

static ghz_status set_up(ghz_cuda *g) {
  size_t room = 0;
  GHZ_TRY(ghz_cuda_checked(g, find_device(g), "no CUDA device"));
  GHZ_TRY(ghz_cuda_checked(g, prepare_kernels(&g->on.architecture), "this device does not run the kernels"));
  GHZ_TRY(ghz_cuda_checked(g, cub_room(g, &room), "CUB does not run on this device"));
  const size_t size = lay_out(g, room);
  GHZ_TRY(ghz_cuda_checked(g, cudaMalloc(reinterpret_cast<void **>(&g->scratch), size),
                           "no scratch memory on the device"));
  return run_once(g, size);
}

extern "C" ghz_status ghz_cuda_create(ghz_cuda **gpu, size_t values, size_t operands) {
  if (!gpu)
    return ghz_cuda_fail(NULL, GHZ_EINVAL, "gpu is NULL");
  *gpu = NULL;
  if (operands == 0 || operands > GHZ_CUDA_OPERANDS)
    return ghz_cuda_fail(NULL, GHZ_EINVAL, "%zu operands are not from 1 to %d", operands, GHZ_CUDA_OPERANDS);
  if (values > SIZE_MAX / 16)
    return ghz_cuda_fail(NULL, GHZ_EINVAL, "%zu values do not fit in memory", values);
  ghz_cuda *g = static_cast<ghz_cuda *>(calloc(1, sizeof *g));
  if (!g)
    return ghz_cuda_fail(NULL, GHZ_ENOMEM, "no memory for a context");
  g->values = values;
  g->operands = operands;
  const ghz_status status = set_up(g);
  if (status == GHZ_OK) {
    *gpu = g;
  } else {
    ghz_cuda_fail(NULL, status, "%s", g->message);
    ghz_cuda_free(g);
  }
  return status;
}

extern "C" void ghz_cuda_free(ghz_cuda *gpu) {
  if (gpu && gpu->scratch)
    cudaFree(gpu->scratch);
  free(gpu);
}

extern "C" ghz_status ghz_cuda_wait(ghz_cuda *gpu, const ghz_cuda_outcome *outcome, ghz_cuda_outcome *copy,
                                    ghz_cuda_stream stream) {
  ghz_cuda_outcome o;
  if (!gpu || !outcome)
    return gpu ? ghz_cuda_fail(gpu, GHZ_EINVAL, "outcome is NULL") : GHZ_EINVAL;
  cudaError_t error = cudaMemcpyAsync(&o, outcome, sizeof o, cudaMemcpyDefault, stream);
  GHZ_TRY(ghz_cuda_checked(gpu, error == cudaSuccess ? cudaStreamSynchronize(stream) : error,
                           "waiting for the device"));
  if (copy)
    *copy = o;
  const ghz_status status = (ghz_status)o.status;
  if (status == GHZ_OK)
    return GHZ_OK;
  if (o.tile != UINT64_MAX)
    return ghz_cuda_fail(gpu, status, "%s: tile %llu", ghz_status_text(status), (unsigned long long)o.tile);
  if (o.operand != UINT32_MAX)
    return ghz_cuda_fail(gpu, status, "%s: operand %u", ghz_status_text(status), o.operand);
  return ghz_cuda_fail(gpu, status, "%s", ghz_status_text(status));
}
