/* slice.c: ranges of tiles: the pieces that collectives send, add and join. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include "compress.h"
#include "context/call.h"
#include "lattice.h"
#include "linear.h"

ghz_status ghz_slice_view(ghz_bytes stream, uint64_t first, uint64_t tiles, ghz_slice *slice) {
  ghz_slice whole;
  if (!slice)
    return ghz_fail(NULL, GHZ_EINVAL, "slice is NULL");
  ghz_status status = ghz_stream_open(NULL, stream, &whole);
  return status == GHZ_OK ? ghz_slice_cut(&whole, first, tiles, slice) : status;
}

size_t ghz_slice_count(const ghz_slice *s) {
  if (!s || !shape_valid(&s->shape) || s->first > shape_tiles(&s->shape))
    return 0;
  const uint64_t left = shape_tiles(&s->shape) - s->first, tiles = s->tiles < left ? s->tiles : left;
  return (size_t)(values_before(&s->shape, s->first + tiles) - values_before(&s->shape, s->first));
}

size_t ghz_slice_size(const ghz_slice *s) {
  size_t size;
  if (!s || __builtin_mul_overflow(s->tiles, 2, &size) ||
      __builtin_add_overflow(size, GHZ_SLICE_HEADER, &size) ||
      __builtin_add_overflow(size, s->payload_size, &size))
    return 0;
  return size;
}

ghz_status ghz_slice_pack(const ghz_slice *s, void *dst, size_t capacity, size_t *size) {
  if (!s || !dst || !size)
    return ghz_fail(NULL, GHZ_EINVAL, "slice, dst or size is NULL");
  size_t need = ghz_slice_size(s);
  if (need == 0 || need > capacity)
    return ghz_fail(NULL, GHZ_ECAPACITY,
                    "%zu bytes are too few for a message of %zu bytes of payload and %llu tiles", capacity,
                    s->payload_size, (ull)s->tiles);
  uint8_t *p = dst;
  ghz_status status = ghz_slice_header(s, p);
  if (status != GHZ_OK)
    return status;
  p += GHZ_SLICE_HEADER;
  if (s->tiles)
    memcpy(p, s->sizes, 2 * s->tiles);
  if (s->payload_size)
    memcpy(p + 2 * s->tiles, s->payload, s->payload_size);
  *size = need;
  return GHZ_OK;
}

ghz_status ghz_slice_compress_shape(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                                    const ghz_shape *shape, uint64_t first, uint64_t tiles, void *dst,
                                    size_t capacity, ghz_slice *slice) {
  GHZ_CALL(ctx);
  ghz_slice s;
  if (!slice)
    return ghz_fail(ctx, GHZ_EINVAL, "slice is NULL");
  ghz_status status = ghz_shape_check(ctx, shape);
  if (status != GHZ_OK)
    return status;
  if (first > shape_tiles(shape) || tiles > shape_tiles(shape) - first)
    return ghz_fail(ctx, GHZ_EINVAL, "tiles %llu .. +%llu of %llu", (ull)first, (ull)tiles,
                    (ull)shape_tiles(shape));
  const compression c = {lattice, order, x, shape, first, tiles};
  status = ghz_compress_tiles(ctx, &c, &(destination){ghz_message_layout, dst, capacity}, &s);
  if (status != GHZ_OK)
    return status;
  *slice = s;
  return ghz_slice_header(slice, dst);
}

static ghz_status to_message(ghz_context *ctx, const computation *c, void *dst, size_t capacity,
                             ghz_slice *slice) {
  ghz_slice s;
  if (!slice)
    return ghz_fail(ctx, GHZ_EINVAL, "slice is NULL");
  ghz_status status = ghz_compute(ctx, c, &(destination){ghz_message_layout, dst, capacity}, &s);
  if (status != GHZ_OK)
    return status;
  *slice = s;
  return ghz_slice_header(slice, dst);
}

ghz_status ghz_slice_linear(ghz_context *ctx, size_t k, const ghz_slice *slices, const int64_t *weights,
                            uint64_t divisor, void *dst, size_t capacity, ghz_slice *slice) {
  GHZ_CALL(ctx);
  const computation c = {.k = k, .weights = weights, .divisor = divisor, .slices = slices};
  return to_message(ctx, &c, dst, capacity, slice);
}

ghz_status ghz_slice_extremum(ghz_context *ctx, const ghz_slice *a, const ghz_slice *b, int larger, void *dst,
                              size_t capacity, ghz_slice *slice) {
  GHZ_CALL(ctx);
  if (!a || !b)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", a ? "b" : "a");
  const computation c = {
      .operation = larger ? MAXIMUM : MINIMUM, .k = 2, .divisor = 1, .slices = (ghz_slice[]){*a, *b}};
  return to_message(ctx, &c, dst, capacity, slice);
}

static ghz_status no_slice(ghz_context *ctx, const ghz_slice *slice) {
  return ghz_fail(ctx, GHZ_EINVAL, slice ? "the fields of slice are not those of a slice" : "slice is NULL");
}

ghz_status ghz_slice_decompress(ghz_context *ctx, const ghz_slice *slice, ghz_type out, void *dst) {
  GHZ_CALL(ctx);
  if (!slice || !ghz_slice_valid(slice))
    return no_slice(ctx, slice);
  if (slice->shape.dims != 1)
    return ghz_fail(ctx, GHZ_EINVAL, "the slice has a shape: take ghz_slice_decompress_into");
  const array_box box = {{0, 0, values_before(&slice->shape, slice->first)}, ghz_flat(ghz_slice_count(slice))};
  return ghz_decompress_values(ctx, slice, out, &box, dst);
}

ghz_status ghz_slice_decompress_into(ghz_context *ctx, const ghz_slice *slice, ghz_type out, void *array) {
  GHZ_CALL(ctx);
  if (!slice || !ghz_slice_valid(slice))
    return no_slice(ctx, slice);
  return ghz_decompress_values(ctx, slice, out, &(array_box){.shape = slice->shape}, array);
}

/* ---- Joining --------------------------------------------------------------------------------- */

static int same_stream(const ghz_slice *a, const ghz_slice *b) {
  return ghz_lattice_equal(&a->lattice, &b->lattice) && shapes_equal(&a->shape, &b->shape) &&
         a->terms == b->terms;
}

/* The slices' common header over all tiles, if they follow each other and agree. */
static ghz_status join_headers(ghz_context *ctx, size_t k, const ghz_slice *slices, ghz_slice *result) {
  uint64_t next = 0, payload = 0;
  *result = slices[0];
  if (!ghz_slice_valid(result))
    return ghz_fail(ctx, GHZ_EINVAL, "slice 0 is no slice");
  for (size_t i = 0; i < k; i++) {
    const ghz_slice *s = &slices[i];
    if (!same_stream(&slices[0], s))
      return ghz_fail(ctx, GHZ_EMISMATCH, "slice %zu is not of the same stream as slice 0", i);
    if (s->first != next || s->tiles > shape_tiles(&s->shape) - next)
      return ghz_fail(ctx, GHZ_EINVAL, "slice %zu begins at tile %llu, not %llu", i, (ull)s->first, (ull)next);
    ghz_status status = ghz_slice_check(ctx, s);
    if (status != GHZ_OK)
      return status;
    next += s->tiles;
    payload += s->payload_size;
    result->inexact |= s->inexact;
    result->transform |= s->transform;
  }
  const uint64_t all = shape_tiles(&result->shape);
  if (next != all)
    return ghz_fail(ctx, GHZ_EINVAL, "%llu of %llu tiles are missing", (ull)(all - next), (ull)all);
  result->first = 0;
  result->tiles = next;
  result->payload_size = payload;
  return GHZ_OK;
}

ghz_status ghz_slice_join(ghz_context *ctx, size_t k, const ghz_slice *slices, void *dst, size_t capacity,
                          size_t *size) {
  GHZ_CALL(ctx);
  ghz_slice result;
  tile_sink sink;
  if (k == 0 || !slices || !dst || !size)
    return ghz_fail(ctx, GHZ_EINVAL, "%s",
                    k == 0    ? "no slices"
                    : !slices ? "slices is NULL"
                    : !dst    ? "dst is NULL"
                              : "size is NULL");
  ghz_status status = join_headers(ctx, k, slices, &result);
  if (status == GHZ_OK)
    status = ghz_stream_layout(ctx, &result, dst, capacity, &sink);
  if (status != GHZ_OK)
    return status;
  if (result.payload_size > sink.room)
    return ghz_fail(ctx, GHZ_ECAPACITY, "the payload does not fit in %zu bytes", sink.room);
  for (size_t i = 0; i < k; i++) {
    if (slices[i].tiles == 0)
      continue;
    memcpy(sink.sizes + 2 * slices[i].first, slices[i].sizes, 2 * slices[i].tiles);
    memcpy(sink.payload, slices[i].payload, slices[i].payload_size);
    sink.payload += slices[i].payload_size;
  }
  ghz_put_ends(&sink, result.tiles);
  *size = ghz_stream_finish(&result, dst);
  return GHZ_OK;
}
