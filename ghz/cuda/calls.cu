// calls.cu: the calls of cuda.h: arguments checked, operands and results found, kernels started.
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/context.cuh"
#include "rules/quantise.h"

extern "C" {
#include "context/floating.h"
#include "lattice.h"
#include "stream/stream.h"
}

// ---- Checks of arguments ------------------------------------------------------------------------

enum reach { DEVICE_ONLY, DEVICE_OR_PINNED };

// Whether the device can use this pointer, and it is aligned.
static ghz_status check_pointer(ghz_cuda *g, const void *p, const char *name, size_t alignment, reach where) {
  cudaPointerAttributes a;
  if (!p)
    return ghz_cuda_fail(g, GHZ_EINVAL, "%s is NULL", name);
  if (reinterpret_cast<uintptr_t>(p) % alignment)
    return ghz_cuda_fail(g, GHZ_EINVAL, "%s is not a multiple of %zu", name, alignment);
  GHZ_TRY(ghz_cuda_checked(g, cudaPointerGetAttributes(&a, p), name));
  bool device = a.type == cudaMemoryTypeDevice || a.type == cudaMemoryTypeManaged;
  if (!device && !(where == DEVICE_OR_PINNED && a.type == cudaMemoryTypeHost))
    return ghz_cuda_fail(g, GHZ_EINVAL, "%s is host memory", name);
  if (a.type == cudaMemoryTypeDevice && a.device != g->device)
    return ghz_cuda_fail(g, GHZ_EINVAL, "%s is memory of device %d, the context is on %d", name, a.device,
                         g->device);
  return GHZ_OK;
}

static ghz_status check_type(ghz_cuda *g, ghz_type type) {
  if (type_known(type) && is_integer(type))
    return ghz_cuda_fail(g, GHZ_EINVAL, "integers are compressed and added on the host alone");
  return type_known(type) ? GHZ_OK : ghz_cuda_fail(g, GHZ_EINVAL, "type %d", (int)type);
}

static ghz_status check_shape(ghz_cuda *g, const ghz_shape *s) {
  return shape_valid(s)
             ? GHZ_OK
             : ghz_cuda_fail(g, GHZ_EINVAL, "%llu x %llu x %llu values in %d dimensions are no shape",
                             (unsigned long long)s->extent[0], (unsigned long long)s->extent[1],
                             (unsigned long long)s->extent[2], s->dims);
}

// That the scratch memory is large enough.
static ghz_status check_kind(ghz_cuda *g, const stream_kind &k) {
  GHZ_TRY(check_type(g, k.type));
  GHZ_TRY(check_shape(g, &k.shape));
  return k.tiles <= tiles_of(g->values)
             ? GHZ_OK
             : ghz_cuda_fail(g, GHZ_ECAPACITY, "%llu tiles, and the context is for %llu",
                             (unsigned long long)k.tiles, (unsigned long long)tiles_of(g->values));
}

// That the device of the context is the current one.
static ghz_status check_device(ghz_cuda *g) {
  int device;
  GHZ_TRY(ghz_cuda_checked(g, cudaGetDevice(&device), "no current device"));
  return device == g->device
             ? GHZ_OK
             : ghz_cuda_fail(g, GHZ_EINVAL, "device %d is current, the context is on %d", device, g->device);
}

// That, and that the device can write the outcome.
static ghz_status check_outcome(ghz_cuda *g, const ghz_cuda_outcome *outcome) {
  GHZ_TRY(check_device(g));
  return check_pointer(g, outcome, "outcome", alignof(ghz_cuda_outcome), DEVICE_OR_PINNED);
}

// That there is a context, values of the shape fit in memory, and the tiles are some of such an
// array's.
static ghz_status check_slice(ghz_cuda *g, const ghz_cuda_slice &s) {
  if (!g)
    return GHZ_EINVAL;
  GHZ_TRY(check_shape(g, &s.shape));
  if (shape_count(&s.shape) > SIZE_MAX / 16)
    return ghz_cuda_fail(g, GHZ_EINVAL, "%llu values do not fit in memory",
                         (unsigned long long)shape_count(&s.shape));
  const uint64_t all = shape_tiles(&s.shape);
  return s.first <= all && s.tiles <= all - s.first
             ? GHZ_OK
             : ghz_cuda_fail(g, GHZ_EINVAL, "tiles %llu to %llu of %llu", (unsigned long long)s.first,
                             (unsigned long long)(s.first + s.tiles), (unsigned long long)all);
}

// ---- Where things are ---------------------------------------------------------------------------

static stream_kind whole(ghz_type type, const ghz_shape &shape) {
  return {type, shape, 0, shape_valid(&shape) ? shape_tiles(&shape) : 0, 0};
}

static stream_kind message_of(const ghz_cuda_slice &s) {
  return {s.type, s.shape, s.first, s.tiles, 1};
}

// Bytes before the payload.
static uint64_t index_size(const stream_kind &k) {
  return k.message ? GHZ_SLICE_HEADER + 2 * k.tiles : STREAM_HEADER + 8 * chunks_of(k.tiles) + 2 * k.tiles;
}

// The parts of a result in dst. Its index must fit there.
static ghz_status place_target(ghz_cuda *g, const stream_kind &k, void *dst, size_t capacity,
                               ghz_cuda_outcome *outcome, tile_target *s) {
  GHZ_TRY(check_pointer(g, dst, "dst", 16, DEVICE_ONLY));
  uint64_t index = index_size(k);
  uint8_t *p = static_cast<uint8_t *>(dst);
  if (index > capacity)
    return ghz_cuda_fail(g, GHZ_ECAPACITY, "%zu bytes are too few for the index of %zu tiles", capacity,
                         (size_t)k.tiles);
  *s = {};
  s->header = p;
  s->ends = k.message ? NULL : reinterpret_cast<uint64_t *>(p + STREAM_HEADER);
  s->sizes = reinterpret_cast<uint16_t *>(p + index - 2 * k.tiles);
  s->payload = p + index;
  s->room = capacity - index;
  s->header_and_index = index;
  s->shape = k.shape;
  s->first = k.first;
  s->tiles = k.tiles;
  s->shared = g->at<progress>(g->shared);
  s->outcome = outcome;
  return GHZ_OK;
}

// The parts of operand i. A message has no ends of its chunks: a kernel finds them.
static ghz_status place_operand(ghz_cuda *g, const stream_kind &k, size_t i, ghz_bytes src, operand *o,
                                cudaStream_t stream) {
  GHZ_TRY(check_pointer(g, src.data, "an operand", 16, DEVICE_ONLY));
  uint64_t index = index_size(k);
  const uint8_t *p = static_cast<const uint8_t *>(src.data);
  if (src.size < index)
    return ghz_cuda_fail(g, GHZ_ECORRUPT, "operand %zu: %zu bytes are too few for %zu tiles", i, src.size,
                         (size_t)k.tiles);
  uint64_t *located = g->at<uint64_t>(g->located) + i * (size_t)(chunks_of(k.tiles) + 1);
  o->header = p;
  o->size = src.size;
  o->ends = k.message ? located + 1 : reinterpret_cast<const uint64_t *>(p + STREAM_HEADER);
  o->sizes = reinterpret_cast<const uint16_t *>(p + index - 2 * k.tiles);
  o->payload = p + index;
  size_t room = g->room.size;
  return k.message ? ghz_cuda_checked(
                         g, ghz_launch_locate(o->sizes, k.tiles, located, g->at<void>(g->room), &room, stream),
                         "finding the tiles of a message")
                   : GHZ_OK;
}

// Clears what the blocks of a kernel share, and starts it. `placed`: tiles of a result, whose
// places it finds.
template <class Call>
static ghz_status start(ghz_cuda *g, const kernel<Call> &work, const Call &c, uint64_t tiles, uint64_t placed,
                        cudaStream_t stream, const char *what) {
  GHZ_TRY(
      ghz_cuda_checked(g, cudaMemsetAsync(g->at<void>(g->shared), 0, progress::size(placed), stream), what));
  return ghz_cuda_checked(g, work.launch(c, tiles, g->on, stream), what);
}

// ---- Range --------------------------------------------------------------------------------------

extern "C" ghz_status ghz_cuda_range(ghz_cuda *gpu, ghz_type type, const void *x, size_t n, double *range,
                                     ghz_cuda_stream stream) {
  if (!gpu)
    return GHZ_EINVAL;
  GHZ_TRY(check_type(gpu, type));
  GHZ_TRY(check_device(gpu));
  if (n)
    GHZ_TRY(check_pointer(gpu, x, "x", ghz_type_size(type), DEVICE_ONLY));
  GHZ_TRY(check_pointer(gpu, range, "range", alignof(double), DEVICE_OR_PINNED));
  size_t room = gpu->room.size;
  return ghz_cuda_checked(gpu, ghz_launch_range(type, x, n, range, gpu->at<void>(gpu->room), &room, stream),
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
  GHZ_TRY(check_kind(g, k));
  if (order < GHZ_ORDER_LORENZO || order >= orders_of((unsigned)k.shape.dims))
    return ghz_cuda_fail(g, GHZ_EINVAL, "order %d", order);
  if (!ghz_lattice_fresh(lattice))
    return ghz_cuda_fail(g, GHZ_EINVAL, "step %g, bound %g, cap %d are no lattice to compress on",
                         lattice->step, lattice->eb, lattice->cap);
  if (k.tiles)
    GHZ_TRY(check_pointer(g, x, "x", ghz_type_size(k.type), DEVICE_ONLY));
  GHZ_TRY(check_outcome(g, outcome));
  GHZ_TRY(place_target(g, k, dst, capacity, outcome, &c.target));
  c.x = x;
  c.lattice = *lattice;
  floating_environment caller;
  floating_begin(&caller);
  c.factor = quantising_factor(lattice->type, lattice->step, COARSE);
  c.slow_path = !is_common(lattice);
  floating_end(&caller);
  c.order = order;
  const int dims = k.shape.dims;
  return start(g,
               dims == 1 ? ghz_compress_kernels[k.type] : ghz_compress_bricks_kernels[2 * (dims - 2) + k.type],
               c, k.tiles, k.tiles, stream, "compress");
}

extern "C" ghz_status ghz_cuda_compress(ghz_cuda *gpu, const ghz_lattice *lattice, int order, const void *x,
                                        ghz_shape shape, void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                        ghz_cuda_stream stream) {
  if (!gpu || !lattice)
    return gpu ? ghz_cuda_fail(gpu, GHZ_EINVAL, "lattice is NULL") : GHZ_EINVAL;
  return compress(gpu, lattice, order, x, whole(lattice->type, shape), dst, capacity, outcome, stream);
}

extern "C" ghz_status ghz_cuda_slice_compress(ghz_cuda *gpu, const ghz_lattice *lattice, int order,
                                              const void *x, ghz_shape shape, uint64_t first, uint64_t tiles,
                                              void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                              ghz_cuda_stream stream) {
  if (!gpu || !lattice)
    return gpu ? ghz_cuda_fail(gpu, GHZ_EINVAL, "lattice is NULL") : GHZ_EINVAL;
  const ghz_cuda_slice slice = {lattice->type, shape, first, tiles};
  GHZ_TRY(check_slice(gpu, slice));
  return compress(gpu, lattice, order, x, message_of(slice), dst, capacity, outcome, stream);
}

// ---- Decompression ------------------------------------------------------------------------------

// The tiles that the box meets; all of a message.
static void find_tiles(decompress_call *c) {
  const tile_extent e = whole_tile(c->kind.shape.dims);
  const unsigned piece[3] = {e.z, e.y, e.x};
  c->tiles = 1;
  for (int i = 0; i < 3; i++) {
    c->low[i] = c->origin[i] / piece[i];
    c->count[i] = c->extent[i] ? (c->origin[i] + c->extent[i] - 1) / piece[i] - c->low[i] + 1 : 0;
    c->tiles *= c->count[i];
  }
  c->tiles = c->kind.message ? c->kind.tiles : c->tiles;
}

// Decompresses a box, counted from the first tile of flat operands, to dst, which holds it without
// gaps. `values` of them are written: those of a message of bricks alone.
static ghz_status decompress(ghz_cuda *g, const stream_kind &k, ghz_bytes src, const uint64_t origin[3],
                             const uint64_t extent[3], uint64_t values, ghz_type out, void *dst,
                             ghz_cuda_outcome *outcome, cudaStream_t stream) {
  decompress_call c;
  const int dims = k.shape.dims;
  GHZ_TRY(check_kind(g, k));
  if (out != GHZ_F64 && out != k.type)
    return ghz_cuda_fail(g, GHZ_EINVAL, "a stream of doubles does not decompress to floats");
  if (values)
    GHZ_TRY(check_pointer(g, dst, "dst", ghz_type_size(out), DEVICE_ONLY));
  GHZ_TRY(check_outcome(g, outcome));
  GHZ_TRY(place_operand(g, k, 0, src, &c.from, stream));
  c.kind = k;
  c.y = dst;
  for (int i = 0; i < 3; i++) {
    c.origin[i] = origin[i];
    c.extent[i] = extent[i];
  }
  c.row = extent[2];
  c.plane = extent[1] * extent[2];
  c.values = values;
  c.shared = g->at<progress>(g->shared);
  c.outcome = outcome;
  find_tiles(&c);
  return start(
      g, dims == 1 ? ghz_decompress_kernels[k.type + out] : ghz_decompress_bricks_kernels[2 * (dims - 2) + out],
      c, c.tiles, 0, stream, "decompress");
}

extern "C" ghz_status ghz_cuda_decompress_box(ghz_cuda *gpu, ghz_type type, ghz_shape shape, ghz_bytes src,
                                              ghz_type out, const uint64_t origin[3], const uint64_t extent[3],
                                              void *dst, ghz_cuda_outcome *outcome, ghz_cuda_stream stream) {
  if (!gpu || !origin || !extent)
    return gpu ? ghz_cuda_fail(gpu, GHZ_EINVAL, "the box is NULL") : GHZ_EINVAL;
  GHZ_TRY(check_shape(gpu, &shape));
  for (int i = 0; i < 3; i++)
    if (origin[i] > shape.extent[i] || extent[i] > shape.extent[i] - origin[i])
      return ghz_cuda_fail(gpu, GHZ_EINVAL, "a box from %llu to %llu of an extent of %llu",
                           (unsigned long long)origin[i], (unsigned long long)(origin[i] + extent[i]),
                           (unsigned long long)shape.extent[i]);
  return decompress(gpu, whole(type, shape), src, origin, extent, extent[0] * extent[1] * extent[2], out, dst,
                    outcome, stream);
}

// A message; bricks go to their places in an array that begins at dst, flat tiles to dst on.
static ghz_status decompress_message(ghz_cuda *g, const ghz_cuda_slice &s, ghz_bytes message, ghz_type out,
                                     void *dst, ghz_cuda_outcome *outcome, cudaStream_t stream) {
  const uint64_t origin[3] = {0, 0, 0},
                 values = values_before(&s.shape, s.first + s.tiles) - values_before(&s.shape, s.first),
                 flat[3] = {1, 1, values};
  return decompress(g, message_of(s), message, origin, s.shape.dims == 1 ? flat : s.shape.extent, values, out,
                    dst, outcome, stream);
}

extern "C" ghz_status ghz_cuda_slice_decompress(ghz_cuda *gpu, ghz_cuda_slice slice, ghz_bytes message,
                                                ghz_type out, void *dst, ghz_cuda_outcome *outcome,
                                                ghz_cuda_stream stream) {
  GHZ_TRY(check_slice(gpu, slice));
  if (slice.shape.dims != 1)
    return ghz_cuda_fail(gpu, GHZ_EINVAL, "the array has %d dimensions: take ghz_cuda_slice_decompress_into",
                         slice.shape.dims);
  return decompress_message(gpu, slice, message, out, dst, outcome, stream);
}

extern "C" ghz_status ghz_cuda_slice_decompress_into(ghz_cuda *gpu, ghz_cuda_slice slice, ghz_bytes message,
                                                     ghz_type out, void *array, ghz_cuda_outcome *outcome,
                                                     ghz_cuda_stream stream) {
  GHZ_TRY(check_slice(gpu, slice));
  if (!array && slice.tiles)
    return ghz_cuda_fail(gpu, GHZ_EINVAL, "array is NULL");
  const size_t before = slice.shape.dims == 1 && slice.tiles ? slice.first * TILE * ghz_type_size(out) : 0;
  return decompress_message(gpu, slice, message, out, static_cast<char *>(array) + before, outcome, stream);
}

// ---- Computing ----------------------------------------------------------------------------------

static bool is_pair(const combine_call &c) {
  return c.k == 2 && (c.coefficient[0] == 1 || c.coefficient[0] == -1) &&
         (c.coefficient[1] == 1 || c.coefficient[1] == -1) && c.coefficient[0] + c.coefficient[1] != -2;
}

// Everything of a combination but its target.
static ghz_status place_operands(ghz_cuda *g, const stream_kind &k, size_t count, const ghz_bytes *streams,
                                 const int64_t *weights, uint64_t divisor, combine_call *c,
                                 cudaStream_t stream) {
  if (!streams || count == 0 || divisor == 0)
    return ghz_cuda_fail(g, GHZ_EINVAL, "%s", streams && count ? "the divisor is 0" : "there are no operands");
  if (count > g->operands)
    return ghz_cuda_fail(g, GHZ_ECAPACITY, "%zu operands, and the context is for %zu", count, g->operands);
  for (size_t i = 0; i < count; i++) {
    GHZ_TRY(place_operand(g, k, i, streams[i], &c->from[i], stream));
    c->coefficient[i] = weights ? weights[i] : 1;
  }
  c->k = (unsigned)count;
  c->pair = is_pair(*c);
  c->scaled = divisor > 1;
  c->divisor = (double)divisor;
  c->kind = k;
  c->spill = g->at<uint8_t>(g->spill);
  return GHZ_OK;
}

// In place, dst is an operand, too: the index of the sum waits in scratch memory.
static ghz_status combine(ghz_cuda *g, const stream_kind &k, size_t count, const ghz_bytes *streams,
                          const int64_t *weights, uint64_t divisor, void *dst, size_t capacity, bool in_place,
                          ghz_cuda_outcome *outcome, cudaStream_t stream) {
  const char *what = in_place ? "accumulate" : "combine";
  combine_call c = {};
  GHZ_TRY(check_outcome(g, outcome));
  GHZ_TRY(check_kind(g, k));
  GHZ_TRY(place_target(g, k, dst, capacity, outcome, &c.target));
  GHZ_TRY(place_operands(g, k, count, streams, weights, divisor, &c, stream));
  const kernel<combine_call> &adds = ghz_combine_kernels[2 * (k.shape.dims - 1) + k.type];
  if (!in_place)
    return start(g, adds, c, k.tiles, k.tiles, stream, what);
  unsigned *taken = g->at<unsigned>(g->taken);
  uint64_t *ends = c.target.ends;
  uint16_t *sizes = c.target.sizes;
  c.target.ends = g->at<uint64_t>(g->ends);
  c.target.sizes = g->at<uint16_t>(g->sizes);
  c.target.backwards = 1;
  GHZ_TRY(ghz_cuda_checked(g, cudaMemsetAsync(taken, 0, g->taken.size, stream), what));
  GHZ_TRY(start(g, adds, c, k.tiles, k.tiles, stream, what));
  return ghz_cuda_checked(g, ghz_move_kernel.launch({c.target, ends, sizes, taken}, UINT64_MAX, g->on, stream),
                          what);
}

extern "C" ghz_status ghz_cuda_linear(ghz_cuda *gpu, ghz_type type, ghz_shape shape, size_t k,
                                      const ghz_bytes *streams, const int64_t *weights, uint64_t divisor,
                                      void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                      ghz_cuda_stream stream) {
  return gpu ? combine(gpu, whole(type, shape), k, streams, weights, divisor, dst, capacity, false, outcome,
                       stream)
             : GHZ_EINVAL;
}

extern "C" ghz_status ghz_cuda_accumulate(ghz_cuda *gpu, ghz_type type, ghz_shape shape, void *acc,
                                          size_t capacity, ghz_bytes x, ghz_cuda_outcome *outcome,
                                          ghz_cuda_stream stream) {
  const ghz_bytes both[2] = {{acc, capacity}, x};
  return gpu ? combine(gpu, whole(type, shape), 2, both, NULL, 1, acc, capacity, true, outcome, stream)
             : GHZ_EINVAL;
}

extern "C" ghz_status ghz_cuda_slice_sum(ghz_cuda *gpu, ghz_cuda_slice slice, size_t k,
                                         const ghz_bytes *messages, uint64_t divisor, void *dst,
                                         size_t capacity, ghz_cuda_outcome *outcome, ghz_cuda_stream stream) {
  GHZ_TRY(check_slice(gpu, slice));
  return combine(gpu, message_of(slice), k, messages, NULL, divisor, dst, capacity, false, outcome, stream);
}
