// device.cu: the calls of ghz.h for a GPU: checks of arguments, scratch memory, and the order of kernels.

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels.cuh"
#include "rules/quantise.h"

extern "C" {
#include "floating.h"
#include "lattice.h"
#include "stream.h"
}

// A part of the scratch memory: where it begins, and its bytes.
struct scratch_part {
  size_t at, size;
};

struct ghz_cuda {
  int device;
  unsigned multiprocessors;
  size_t values, operands;
  uint8_t *scratch;
  // Progress of the kernel that runs; which pieces of an accumulator were read; the index of its sum; room for large tiles of
  // sums; the offsets of the chunks of messages; and CUB's room.
  scratch_part shared, taken, offsets, sizes, spill, located, room;
  char message[256];
};

// ---- Messages ---------------------------------------------------------------------------------------------------

static thread_local char create_message[256]; // of contexts that did not come to be

static ghz_status fail(char *message, ghz_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof create_message, format, args);
  va_end(args);
  return status;
}

static ghz_status cuda_failed(char *message, cudaError_t error, const char *what) {
  ghz_status status = error == cudaErrorMemoryAllocation ? GHZ_ENOMEM : GHZ_EDEVICE;
  (void)cudaGetLastError(); // so that it is not taken for a later call's
  return fail(message, status, "%s: %s", what, cudaGetErrorString(error));
}

extern "C" const char *ghz_cuda_message(const ghz_cuda *gpu) {
  return gpu ? gpu->message : create_message;
}

extern "C" int ghz_cuda_built(void) {
  return 1;
}

// ---- Contexts ---------------------------------------------------------------------------------------------------

static uint64_t groups_of(uint64_t tiles) {
  return tiles / GROUP_LEAST + (tiles % GROUP_LEAST != 0);
}

static size_t progress_size(uint64_t tiles) {
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

// Lays the scratch memory out; returns its size. The sizes cannot overflow: an array that fits in memory has far more bytes.
static size_t lay_out(ghz_cuda *g, size_t cub_room) {
  const uint64_t tiles = tiles_of(g->values);
  const size_t chunks = (size_t)chunks_of(tiles) + 1;
  size_t total = 0;
  place_part(&g->shared, progress_size(tiles), &total);
  place_part(&g->taken, taken_size(tiles), &total);
  place_part(&g->offsets, chunks * sizeof(uint64_t), &total);
  place_part(&g->sizes, (size_t)tiles * sizeof(uint16_t), &total);
  place_part(&g->spill, ghz_combine_spill(tiles, g->multiprocessors), &total);
  place_part(&g->located, g->operands * chunks * sizeof(uint64_t), &total);
  place_part(&g->room, cub_room, &total);
  return total;
}

// Bytes that CUB asks for; those of a range do not depend on the number of values, if there are many.
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

// Whether the device has the kernels.
static cudaError_t prepare_kernels() {
  cudaError_t error = ghz_prepare_compress();
  if (error == cudaSuccess)
    error = ghz_prepare_decompress();
  if (error == cudaSuccess)
    error = ghz_prepare_combine();
  return error == cudaSuccess ? ghz_prepare_settle() : error;
}

// CUDA loads kernels when they are first used, and may wait for the device then: that is to happen here. (Those of ours were
// asked for by prepare_kernels.) Clears all scratch memory, as kernels read a few bytes behind what they wrote there.
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
  return error == cudaSuccess ? cudaStreamSynchronize(0) : error;
}

static ghz_status set_up(ghz_cuda *g) {
  char *message = create_message;
  int devices = 0, multiprocessors = 0;
  size_t room = 0;
  cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices == 0)
    error = cudaErrorNoDevice;
  if (error == cudaSuccess)
    error = cudaGetDevice(&g->device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, g->device);
  if (error != cudaSuccess)
    return cuda_failed(message, error, "no CUDA device");
  g->multiprocessors = (unsigned)multiprocessors;
  error = prepare_kernels();
  if (error != cudaSuccess)
    return cuda_failed(message, error, "this device does not run the kernels");
  error = cub_room(g, &room);
  if (error != cudaSuccess)
    return cuda_failed(message, error, "CUB does not run on this device");
  const size_t size = lay_out(g, room);
  error = cudaMalloc(reinterpret_cast<void **>(&g->scratch), size);
  if (error != cudaSuccess)
    return cuda_failed(message, error, "no scratch memory on the device");
  error = load_kernels_of_cub(g, size);
  if (error == cudaSuccess)
    return GHZ_OK;
  cudaFree(g->scratch);
  return cuda_failed(message, error, "the first kernels on this device");
}

extern "C" ghz_status ghz_cuda_create(ghz_cuda **gpu, size_t values, size_t operands) {
  if (!gpu)
    return fail(create_message, GHZ_EINVAL, "gpu is NULL");
  *gpu = NULL;
  if (operands == 0 || operands > GHZ_CUDA_OPERANDS)
    return fail(create_message, GHZ_EINVAL, "%zu operands are not from 1 to %d", operands, GHZ_CUDA_OPERANDS);
  if (values > SIZE_MAX / 16)
    return fail(create_message, GHZ_EINVAL, "%zu values do not fit in memory", values);
  ghz_cuda *g = static_cast<ghz_cuda *>(calloc(1, sizeof *g));
  if (!g)
    return fail(create_message, GHZ_ENOMEM, "no memory for a context");
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
    return gpu ? fail(gpu->message, GHZ_EINVAL, "outcome is NULL") : GHZ_EINVAL;
  cudaError_t error = cudaMemcpyAsync(&o, outcome, sizeof o, cudaMemcpyDefault, stream);
  if (error == cudaSuccess)
    error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess)
    return cuda_failed(gpu->message, error, "waiting for the device");
  if (copy)
    *copy = o;
  if (o.status == GHZ_OK)
    return GHZ_OK;
  if (o.tile != UINT64_MAX)
    return fail(gpu->message, (ghz_status)o.status, "%s: tile %llu", ghz_status_text((ghz_status)o.status),
                (unsigned long long)o.tile);
  if (o.operand != UINT32_MAX)
    return fail(gpu->message, (ghz_status)o.status, "%s: operand %u", ghz_status_text((ghz_status)o.status),
                o.operand);
  return fail(gpu->message, (ghz_status)o.status, "%s", ghz_status_text((ghz_status)o.status));
}

// ---- Checks of arguments ----------------------------------------------------------------------------------------

enum reach { DEVICE_ONLY, DEVICE_OR_PINNED };

// Whether the device can use this pointer, and it is aligned.
static ghz_status check_pointer(ghz_cuda *g, const void *p, const char *name, size_t alignment, reach where) {
  cudaPointerAttributes a;
  if (!p)
    return fail(g->message, GHZ_EINVAL, "%s is NULL", name);
  if (reinterpret_cast<uintptr_t>(p) % alignment)
    return fail(g->message, GHZ_EINVAL, "%s is not a multiple of %zu", name, alignment);
  cudaError_t error = cudaPointerGetAttributes(&a, p);
  if (error != cudaSuccess)
    return cuda_failed(g->message, error, name);
  bool device = a.type == cudaMemoryTypeDevice || a.type == cudaMemoryTypeManaged;
  if (!device && !(where == DEVICE_OR_PINNED && a.type == cudaMemoryTypeHost))
    return fail(g->message, GHZ_EINVAL, "%s is host memory", name);
  if (a.type == cudaMemoryTypeDevice && a.device != g->device)
    return fail(g->message, GHZ_EINVAL, "%s is memory of device %d, the context is on %d", name, a.device,
                g->device);
  return GHZ_OK;
}

static ghz_status check_type(ghz_cuda *g, ghz_type type) {
  return ghz_type_known(type) ? GHZ_OK : fail(g->message, GHZ_EINVAL, "type %d", (int)type);
}

// That the scratch memory is large enough.
static ghz_status check_kind(ghz_cuda *g, const stream_kind &k) {
  ghz_status status = check_type(g, k.type);
  if (status == GHZ_OK && k.tiles > tiles_of(g->values))
    status = fail(g->message, GHZ_ECAPACITY, "%llu tiles, and the context is for %llu",
                  (unsigned long long)k.tiles, (unsigned long long)tiles_of(g->values));
  return status;
}

// That the device of the context is the current one.
static ghz_status check_device(ghz_cuda *g) {
  int device;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess)
    return cuda_failed(g->message, error, "no current device");
  if (device != g->device)
    return fail(g->message, GHZ_EINVAL, "device %d is current, the context is on %d", device, g->device);
  return GHZ_OK;
}

static ghz_status check_outcome(ghz_cuda *g, const ghz_cuda_outcome *outcome) {
  ghz_status status = check_device(g);
  return status == GHZ_OK ? check_pointer(g, outcome, "outcome", alignof(ghz_cuda_outcome), DEVICE_OR_PINNED)
                          : status;
}

// Tiles first .. first + tiles - 1 are some of an array of n values.
static ghz_status check_tiles(ghz_cuda *g, size_t n, uint64_t first, uint64_t tiles) {
  uint64_t all = tiles_of(n);
  if (n > SIZE_MAX / 16)
    return fail(g->message, GHZ_EINVAL, "%zu values do not fit in memory", n);
  return first <= all && tiles <= all - first
             ? GHZ_OK
             : fail(g->message, GHZ_EINVAL, "tiles %llu to %llu of %llu", (unsigned long long)first,
                    (unsigned long long)(first + tiles), (unsigned long long)all);
}

// ---- Where things are -------------------------------------------------------------------------------------------

static stream_kind whole(ghz_type type, size_t n) {
  return {type, n, 0, tiles_of(n), 0};
}

// Bytes before the payload.
static uint64_t index_size(const stream_kind &k) {
  return k.message ? GHZ_SLICE_HEADER + 2 * k.tiles
                   : STREAM_HEADER + 8 * (chunks_of(k.tiles) + 1) + 2 * k.tiles;
}

static ghz_status place_target(ghz_cuda *g, const stream_kind &k, void *dst, size_t capacity,
                               ghz_cuda_outcome *outcome, tile_target *s) {
  ghz_status status = check_pointer(g, dst, "dst", 16, DEVICE_ONLY);
  if (status != GHZ_OK)
    return status;
  uint64_t index = index_size(k);
  uint8_t *p = static_cast<uint8_t *>(dst);
  if (index > capacity)
    return fail(g->message, GHZ_ECAPACITY, "%zu bytes are too few for the index of %zu values", capacity,
                (size_t)k.n);
  memset(s, 0, sizeof *s);
  s->header = p;
  s->offsets = k.message ? NULL : reinterpret_cast<uint64_t *>(p + STREAM_HEADER);
  s->sizes = reinterpret_cast<uint16_t *>(p + index - 2 * k.tiles);
  s->payload = p + index;
  s->room = capacity - index;
  s->header_and_index = index;
  s->n = k.n;
  s->first = k.first;
  s->tiles = k.tiles;
  s->shared = reinterpret_cast<progress *>(g->scratch + g->shared.at);
  s->outcome = outcome;
  return GHZ_OK;
}

// An operand; of a message, the offsets of its chunks are found on the way.
static ghz_status place_operand(ghz_cuda *g, const stream_kind &k, size_t i, ghz_bytes src, operand *o,
                                cudaStream_t stream) {
  ghz_status status = check_pointer(g, src.data, "an operand", 16, DEVICE_ONLY);
  if (status != GHZ_OK)
    return status;
  uint64_t index = index_size(k);
  const uint8_t *p = static_cast<const uint8_t *>(src.data);
  if (src.size < index)
    return fail(g->message, GHZ_ECORRUPT, "operand %zu: %zu bytes are too few for %zu values", i, src.size,
                (size_t)k.n);
  uint64_t *located =
      reinterpret_cast<uint64_t *>(g->scratch + g->located.at) + i * (size_t)(chunks_of(k.tiles) + 1);
  o->header = p;
  o->size = src.size;
  o->offsets = k.message ? located : reinterpret_cast<const uint64_t *>(p + STREAM_HEADER);
  o->sizes = reinterpret_cast<const uint16_t *>(p + index - 2 * k.tiles);
  o->payload = p + index;
  if (!k.message)
    return GHZ_OK;
  size_t room = g->room.size;
  cudaError_t error = ghz_launch_locate(o->sizes, k.tiles, located, g->scratch + g->room.at, &room, stream);
  return error == cudaSuccess ? GHZ_OK : cuda_failed(g->message, error, "finding the tiles of a message");
}

static cudaError_t clear_progress(ghz_cuda *g, uint64_t tiles, cudaStream_t stream) {
  return cudaMemsetAsync(g->scratch + g->shared.at, 0, progress_size(tiles), stream);
}

static ghz_status launched(ghz_cuda *g, cudaError_t error, const char *what) {
  return error == cudaSuccess ? GHZ_OK : cuda_failed(g->message, error, what);
}

// ---- Range ------------------------------------------------------------------------------------------------------

extern "C" ghz_status ghz_cuda_range(ghz_cuda *gpu, ghz_type type, const void *x, size_t n, double *range,
                                     ghz_cuda_stream stream) {
  if (!gpu)
    return GHZ_EINVAL;
  ghz_status status = check_type(gpu, type);
  if (status == GHZ_OK)
    status = check_device(gpu);
  if (status == GHZ_OK && n)
    status = check_pointer(gpu, x, "x", ghz_type_size(type), DEVICE_ONLY);
  if (status == GHZ_OK)
    status = check_pointer(gpu, range, "range", alignof(double), DEVICE_OR_PINNED);
  if (status != GHZ_OK)
    return status;
  size_t room = gpu->room.size;
  return launched(gpu, ghz_launch_range(type, x, n, range, gpu->scratch + gpu->room.at, &room, stream),
                  "range");
}

// ---- Compression ------------------------------------------------------------------------------------------------

// Whether a tile of narrow integers is surely coarse: it is not without a step, where the step is coarser than the bound, and
// where even a few steps are a magnitude that has no place on the lattice.
static bool is_common(const ghz_lattice *l) {
  return l->step != 0 && !coarser_than_bound(l) &&
         l->step <= (l->type == GHZ_F32 ? 0x1p100 : 0x1p1000 / 0x1p20);
}

static ghz_status compress(ghz_cuda *g, const ghz_lattice *lattice, int order, const void *x,
                           const stream_kind &k, void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                           cudaStream_t stream) {
  compress_call c;
  ghz_status status = check_kind(g, k);
  if (status == GHZ_OK && (order < GHZ_ORDER_BEST || order > 2))
    status = fail(g->message, GHZ_EINVAL, "order %d", order);
  if (status == GHZ_OK && !ghz_lattice_fresh(lattice))
    status = fail(g->message, GHZ_EINVAL, "step %g, bound %g, cap %d are no lattice to compress on",
                  lattice->step, lattice->eb, lattice->cap);
  if (status == GHZ_OK && k.tiles)
    status = check_pointer(g, x, "x", ghz_type_size(k.type), DEVICE_ONLY);
  if (status == GHZ_OK)
    status = check_outcome(g, outcome);
  if (status == GHZ_OK)
    status = place_target(g, k, dst, capacity, outcome, &c.target);
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
  cudaError_t error = clear_progress(g, k.tiles, stream);
  if (error == cudaSuccess)
    error = ghz_launch_compress(c, g->multiprocessors, stream);
  return launched(g, error, "compress");
}

extern "C" ghz_status ghz_cuda_compress(ghz_cuda *gpu, const ghz_lattice *lattice, int order, const void *x,
                                        size_t n, void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                        ghz_cuda_stream stream) {
  if (!gpu || !lattice)
    return gpu ? fail(gpu->message, GHZ_EINVAL, "lattice is NULL") : GHZ_EINVAL;
  return compress(gpu, lattice, order, x, whole(lattice->type, n), dst, capacity, outcome, stream);
}

extern "C" ghz_status ghz_cuda_slice_compress(ghz_cuda *gpu, const ghz_lattice *lattice, int order,
                                              const void *x, size_t n, uint64_t first, uint64_t tiles,
                                              void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                              ghz_cuda_stream stream) {
  if (!gpu || !lattice)
    return gpu ? fail(gpu->message, GHZ_EINVAL, "lattice is NULL") : GHZ_EINVAL;
  ghz_status status = check_tiles(gpu, n, first, tiles);
  return status == GHZ_OK ? compress(gpu, lattice, order, x, {lattice->type, n, first, tiles, 1}, dst, capacity,
                                     outcome, stream)
                          : status;
}

// ---- Decompression ----------------------------------------------------------------------------------------------

// Values first .. first + count - 1, counted from the first tile of the operand.
static ghz_status decompress(ghz_cuda *g, const stream_kind &k, ghz_bytes src, ghz_type out, uint64_t first,
                             uint64_t count, void *dst, ghz_cuda_outcome *outcome, cudaStream_t stream) {
  decompress_call c;
  ghz_status status = check_kind(g, k);
  if (status == GHZ_OK && out != GHZ_F64 && out != k.type)
    status = fail(g->message, GHZ_EINVAL, "a stream of doubles does not decompress to floats");
  if (status == GHZ_OK && count)
    status = check_pointer(g, dst, "dst", ghz_type_size(out), DEVICE_ONLY);
  if (status == GHZ_OK)
    status = check_outcome(g, outcome);
  if (status == GHZ_OK)
    status = place_operand(g, k, 0, src, &c.from, stream);
  if (status != GHZ_OK)
    return status;
  c.kind = k;
  c.y = dst;
  c.first = first;
  c.count = count;
  c.shared = reinterpret_cast<progress *>(g->scratch + g->shared.at);
  c.outcome = outcome;
  cudaError_t error = clear_progress(g, 0, stream);
  if (error == cudaSuccess)
    error = ghz_launch_decompress(c, out, g->multiprocessors, stream);
  return launched(g, error, "decompress");
}

extern "C" ghz_status ghz_cuda_decompress(ghz_cuda *gpu, ghz_type type, size_t n, ghz_bytes src, ghz_type out,
                                          void *dst, ghz_cuda_outcome *outcome, ghz_cuda_stream stream) {
  return ghz_cuda_decompress_range(gpu, type, n, src, out, 0, n, dst, outcome, stream);
}

extern "C" ghz_status ghz_cuda_decompress_range(ghz_cuda *gpu, ghz_type type, size_t n, ghz_bytes src,
                                                ghz_type out, uint64_t first, size_t count, void *dst,
                                                ghz_cuda_outcome *outcome, ghz_cuda_stream stream) {
  if (!gpu)
    return GHZ_EINVAL;
  if (first > n || count > n - first)
    return fail(gpu->message, GHZ_EINVAL, "values %llu to %llu of %zu", (unsigned long long)first,
                (unsigned long long)(first + count), n);
  return decompress(gpu, whole(type, n), src, out, first, count, dst, outcome, stream);
}

extern "C" ghz_status ghz_cuda_slice_decompress(ghz_cuda *gpu, ghz_type type, size_t n, uint64_t first,
                                                uint64_t tiles, ghz_bytes message, ghz_type out, void *dst,
                                                ghz_cuda_outcome *outcome, ghz_cuda_stream stream) {
  if (!gpu)
    return GHZ_EINVAL;
  ghz_status status = check_tiles(gpu, n, first, tiles);
  if (status != GHZ_OK)
    return status;
  uint64_t begin = first * TILE, end = tiles_of(n) == first + tiles ? n : (first + tiles) * TILE;
  return decompress(gpu, {type, n, first, tiles, 1}, message, out, 0, tiles ? end - begin : 0, dst, outcome,
                    stream);
}

// ---- Computing --------------------------------------------------------------------------------------------------

static bool is_pair(const combine_call &c) {
  return c.k == 2 && (c.coefficient[0] == 1 || c.coefficient[0] == -1) &&
         (c.coefficient[1] == 1 || c.coefficient[1] == -1) && c.coefficient[0] + c.coefficient[1] != -2;
}

// Everything of a combination but its target.
static ghz_status place_operands(ghz_cuda *g, const stream_kind &k, size_t count, const ghz_bytes *streams,
                                 const int64_t *coefficients, double divisor, combine_call *c,
                                 cudaStream_t stream) {
  ghz_status status = check_kind(g, k);
  if (status == GHZ_OK && (!streams || count == 0))
    status = fail(g->message, GHZ_EINVAL, "there are no operands");
  if (status == GHZ_OK && count > g->operands)
    status = fail(g->message, GHZ_ECAPACITY, "%zu operands, and the context is for %zu", count, g->operands);
  memset(c, 0, sizeof *c);
  for (size_t i = 0; i < count && status == GHZ_OK; i++) {
    status = place_operand(g, k, i, streams[i], &c->from[i], stream);
    c->coefficient[i] = coefficients ? coefficients[i] : 1;
  }
  c->k = (unsigned)count;
  c->pair = is_pair(*c);
  c->scaled = divisor != 0;
  c->divisor = divisor != 0 ? divisor : 1;
  c->kind = k;
  c->spill = g->scratch + g->spill.at;
  return status;
}

// divisor 0: the result is not scaled.
static ghz_status combine(ghz_cuda *g, const stream_kind &k, size_t count, const ghz_bytes *streams,
                          const int64_t *coefficients, double divisor, void *dst, size_t capacity,
                          ghz_cuda_outcome *outcome, cudaStream_t stream) {
  combine_call c;
  tile_target target;
  ghz_status status = check_outcome(g, outcome);
  if (status == GHZ_OK)
    status = check_kind(g, k);
  if (status == GHZ_OK)
    status = place_target(g, k, dst, capacity, outcome, &target);
  if (status == GHZ_OK)
    status = place_operands(g, k, count, streams, coefficients, divisor, &c, stream);
  if (status != GHZ_OK)
    return status;
  c.target = target;
  cudaError_t error = clear_progress(g, k.tiles, stream);
  if (error == cudaSuccess)
    error = ghz_launch_combine(c, g->multiprocessors, stream);
  return launched(g, error, "combine");
}

extern "C" ghz_status ghz_cuda_combine(ghz_cuda *gpu, ghz_type type, size_t n, size_t k,
                                       const ghz_bytes *streams, const int64_t *coefficients, void *dst,
                                       size_t capacity, ghz_cuda_outcome *outcome, ghz_cuda_stream stream) {
  if (!gpu || !coefficients)
    return gpu ? fail(gpu->message, GHZ_EINVAL, "coefficients is NULL") : GHZ_EINVAL;
  return combine(gpu, whole(type, n), k, streams, coefficients, 0, dst, capacity, outcome, stream);
}

extern "C" ghz_status ghz_cuda_sum(ghz_cuda *gpu, ghz_type type, size_t n, size_t k, const ghz_bytes *streams,
                                   void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                   ghz_cuda_stream stream) {
  return gpu ? combine(gpu, whole(type, n), k, streams, NULL, 0, dst, capacity, outcome, stream) : GHZ_EINVAL;
}

extern "C" ghz_status ghz_cuda_mean(ghz_cuda *gpu, ghz_type type, size_t n, size_t k, const ghz_bytes *streams,
                                    void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                    ghz_cuda_stream stream) {
  return gpu ? combine(gpu, whole(type, n), k, streams, NULL, (double)k, dst, capacity, outcome, stream)
             : GHZ_EINVAL;
}

extern "C" ghz_status ghz_cuda_add(ghz_cuda *gpu, ghz_type type, size_t n, ghz_bytes a, ghz_bytes b, void *dst,
                                   size_t capacity, ghz_cuda_outcome *outcome, ghz_cuda_stream stream) {
  const ghz_bytes operands[2] = {a, b};
  return ghz_cuda_sum(gpu, type, n, 2, operands, dst, capacity, outcome, stream);
}

extern "C" ghz_status ghz_cuda_subtract(ghz_cuda *gpu, ghz_type type, size_t n, ghz_bytes a, ghz_bytes b,
                                        void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                        ghz_cuda_stream stream) {
  const ghz_bytes operands[2] = {a, b};
  const int64_t signs[2] = {1, -1};
  return ghz_cuda_combine(gpu, type, n, 2, operands, signs, dst, capacity, outcome, stream);
}

extern "C" ghz_status ghz_cuda_slice_sum(ghz_cuda *gpu, ghz_type type, size_t n, uint64_t first, uint64_t tiles,
                                         size_t k, const ghz_bytes *messages, uint64_t divisor, void *dst,
                                         size_t capacity, ghz_cuda_outcome *outcome, ghz_cuda_stream stream) {
  if (!gpu || divisor == 0)
    return gpu ? fail(gpu->message, GHZ_EINVAL, "divisor 0") : GHZ_EINVAL;
  ghz_status status = check_tiles(gpu, n, first, tiles);
  return status == GHZ_OK ? combine(gpu, {type, n, first, tiles, 1}, k, messages, NULL,
                                    divisor > 1 ? (double)divisor : 0, dst, capacity, outcome, stream)
                          : status;
}

// ---- In place ---------------------------------------------------------------------------------------------------

static ghz_status settle(ghz_cuda *g, const tile_target &sum, const tile_target &acc, cudaStream_t stream) {
  settle_call c = {sum, acc.offsets, acc.sizes, reinterpret_cast<unsigned *>(g->scratch + g->taken.at)};
  return launched(g, ghz_launch_settle(c, g->multiprocessors, stream), "accumulate");
}

extern "C" ghz_status ghz_cuda_accumulate(ghz_cuda *gpu, ghz_type type, size_t n, void *acc, size_t capacity,
                                          ghz_bytes x, ghz_cuda_outcome *outcome, ghz_cuda_stream stream) {
  if (!gpu)
    return GHZ_EINVAL;
  const stream_kind k = whole(type, n);
  const ghz_bytes operands[2] = {{acc, capacity}, x};
  combine_call c;
  tile_target to_acc;
  ghz_status status = check_outcome(gpu, outcome);
  if (status == GHZ_OK && gpu->operands < 2)
    status = fail(gpu->message, GHZ_ECAPACITY, "two operands, and the context is for one");
  if (status == GHZ_OK)
    status = check_kind(gpu, k);
  if (status == GHZ_OK)
    status = place_target(gpu, k, acc, capacity, outcome, &to_acc);
  if (status == GHZ_OK)
    status = place_operands(gpu, k, 2, operands, NULL, 0, &c, stream);
  if (status != GHZ_OK)
    return status;
  c.target = to_acc;
  c.target.offsets = reinterpret_cast<uint64_t *>(gpu->scratch + gpu->offsets.at);
  c.target.sizes = reinterpret_cast<uint16_t *>(gpu->scratch + gpu->sizes.at);
  c.target.backwards = 1;
  cudaError_t error = clear_progress(gpu, k.tiles, stream);
  if (error == cudaSuccess)
    error = cudaMemsetAsync(gpu->scratch + gpu->taken.at, 0, gpu->taken.size, stream);
  if (error == cudaSuccess)
    error = ghz_launch_combine(c, gpu->multiprocessors, stream);
  return error == cudaSuccess ? settle(gpu, c.target, to_acc, stream)
                              : cuda_failed(gpu->message, error, "accumulate");
}
