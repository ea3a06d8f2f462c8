/* streams.c: calls of libghz that must succeed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "streams.h"
#include <stdlib.h>

static ref_bytes exact(ghz_context *ctx, ghz_status status, ref_bytes room, size_t size, const char *what) {
  need(status, "%s (%s)", what, ghz_context_message(ctx));
  need(size <= room.size ? GHZ_OK : GHZ_ECAPACITY, "%s: %zu bytes, promised at most %zu", what, size,
       room.size);
  return bytes_copy(room.data, size);
}

ghz_info info_of(ref_bytes stream) {
  ghz_info info;
  need(ghz_info_read(view(stream), &info), "info");
  return info;
}

ghz_statistics scanned(ref_bytes stream) {
  ghz_statistics s;
  need(ghz_scan(NULL, view(stream), &s), "scan");
  return s;
}

ref_bytes compress_shape(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                         const ghz_shape *shape) {
  ref_bytes room = bytes_new(ghz_shape_bound(shape, lattice->type, 1));
  size_t size = 0;
  ghz_status status = ghz_compress_shape(ctx, lattice, order, x, shape, room.data, room.size, &size);
  return exact(ctx, status, room, size, "compress");
}

ref_bytes compress(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x, size_t n) {
  ref_bytes room = bytes_new(ghz_size_bound(n, lattice->type, 1));
  size_t size = 0;
  ghz_status status = ghz_compress(ctx, lattice, order, x, n, room.data, room.size, &size);
  return exact(ctx, status, room, size, "compress");
}

ref_bytes stream_of(ghz_context *ctx, const ghz_lattice *l, int order, const char *maker, size_t n,
                    uint64_t seed) {
  void *x = input_make(input_named(maker), l->type, n, l->step, seed);
  plant_fill(l, x, n, seed);
  return compress(ctx, l, order, x, n);
}

void *decompress(ghz_context *ctx, ref_bytes stream, ghz_type out) {
  ghz_info info = info_of(stream);
  void *x = scratch(info.count * ghz_type_size(out));
  need(ghz_decompress(ctx, view(stream), out, x, info.count), "decompress (%s)", ghz_context_message(ctx));
  return x;
}

/* Room for a result of the given terms over the operands' array. */
static ref_bytes room_for(ref_bytes a, uint64_t terms) {
  ghz_info info = info_of(a);
  return bytes_new(ghz_shape_bound(&info.shape, info.lattice.type, terms ? (uint32_t)terms : 1));
}

static uint64_t terms_of(size_t k, const ref_bytes *streams, const int64_t *c) {
  uint64_t terms = 0;
  for (size_t i = 0; i < k; i++)
    terms += (uint64_t)llabs(c ? c[i] : 1) * info_of(streams[i]).terms;
  return terms;
}

static ghz_bytes *views(size_t k, const ref_bytes *streams) {
  ghz_bytes *all = scratch(k * sizeof *all);
  for (size_t i = 0; i < k; i++)
    all[i] = view(streams[i]);
  return all;
}

ref_bytes combine(ghz_context *ctx, size_t k, const ref_bytes *streams, const int64_t *c) {
  ref_bytes room = room_for(streams[0], terms_of(k, streams, c));
  size_t size = 0;
  ghz_status status = ghz_linear(ctx, k, views(k, streams), c, 1, room.data, room.size, &size);
  return exact(ctx, status, room, size, "combine");
}

/* By both calls, which must give the same bytes. */
ref_bytes linear(ghz_context *ctx, size_t k, const ref_bytes *streams, const int64_t *weights,
                 uint64_t divisor) {
  void *made;
  size_t size = 0;
  need(ghz_linear_alloc(ctx, k, views(k, streams), weights, divisor, &made, &size), "linear_alloc (%s)",
       ghz_context_message(ctx));
  const ref_bytes result = bytes_copy(made, size);
  free(made);
  const ref_bytes room = room_for(result, info_of(result).terms);
  ghz_status status = ghz_linear(ctx, k, views(k, streams), weights, divisor, room.data, room.size, &size);
  const char *different = bytes_differ(exact(ctx, status, room, size, "linear"), result);
  need(different ? GHZ_ECORRUPT : GHZ_OK, "ghz_linear is not ghz_linear_alloc: %s", different ? different : "");
  return result;
}

/* The operations of one, two and many operands that differ in the function alone. */
typedef ghz_status binary(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity, size_t *size);
typedef ghz_status many(ghz_context *ctx, size_t k, const ghz_bytes *streams, void *dst, size_t capacity,
                        size_t *size);

static ref_bytes of_many(ghz_context *ctx, many *run, size_t k, const ref_bytes *streams, const char *what) {
  ref_bytes room = room_for(streams[0], terms_of(k, streams, NULL));
  size_t size = 0;
  ghz_status status = run(ctx, k, views(k, streams), room.data, room.size, &size);
  return exact(ctx, status, room, size, what);
}

static ref_bytes of_two(ghz_context *ctx, binary *run, ref_bytes a, ref_bytes b, uint64_t terms,
                        const char *what) {
  ref_bytes room = room_for(a, terms);
  size_t size = 0;
  ghz_status status = run(ctx, view(a), view(b), room.data, room.size, &size);
  return exact(ctx, status, room, size, what);
}

ref_bytes sum(ghz_context *ctx, size_t k, const ref_bytes *streams) {
  return of_many(ctx, ghz_sum, k, streams, "sum");
}

ref_bytes mean(ghz_context *ctx, size_t k, const ref_bytes *streams) {
  return of_many(ctx, ghz_mean, k, streams, "mean");
}

ref_bytes add(ghz_context *ctx, ref_bytes a, ref_bytes b) {
  return of_two(ctx, ghz_add, a, b, terms_of(2, (ref_bytes[]){a, b}, NULL), "add");
}

ref_bytes subtract(ghz_context *ctx, ref_bytes a, ref_bytes b) {
  return of_two(ctx, ghz_subtract, a, b, terms_of(2, (ref_bytes[]){a, b}, NULL), "subtract");
}

ref_bytes extremum(ghz_context *ctx, ref_bytes a, ref_bytes b, int larger) {
  uint64_t ta = info_of(a).terms, tb = info_of(b).terms;
  return of_two(ctx, larger ? ghz_maximum : ghz_minimum, a, b, ta > tb ? ta : tb, "extremum");
}

ref_bytes negate(ghz_context *ctx, ref_bytes a) {
  ref_bytes room = room_for(a, terms_of(1, &a, NULL));
  size_t size = 0;
  ghz_status status = ghz_negate(ctx, view(a), room.data, room.size, &size);
  return exact(ctx, status, room, size, "negate");
}

ref_bytes scale(ghz_context *ctx, ref_bytes a, double factor) {
  ref_bytes room = room_for(a, terms_of(1, &a, NULL));
  size_t size = 0;
  ghz_status status = ghz_scale(ctx, view(a), factor, room.data, room.size, &size);
  return exact(ctx, status, room, size, "scale");
}

ghz_slice slice_of(ref_bytes stream, uint64_t first, uint64_t tiles) {
  ghz_slice slice;
  need(ghz_slice_view(view(stream), first, tiles, &slice), "view");
  return slice;
}

ref_bytes packed(const ghz_slice *slice) {
  ref_bytes message = bytes_new(ghz_slice_size(slice));
  size_t size = 0;
  need(ghz_slice_pack(slice, message.data, message.size, &size), "pack");
  need(size == message.size ? GHZ_OK : GHZ_ECAPACITY, "the size of a message");
  return message;
}
