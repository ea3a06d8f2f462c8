/* decompress.c: decompression: a stream, a slice or a box of values, to an array. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "decompress.h"

#include <string.h>

#include "context/call.h"
#include "context/parallel.h"
#include "lattice.h"
#include "stream/operand.h"
#include "stream/place.h"

/* From this size on results pass the caches by: reading the old lines first would double the
 * traffic. */
#define STREAMING_BYTES ((size_t)16 << 20)

typedef struct decompress_job {
  const tile_codec *tiles;
  operand source;
  ghz_type out;
  array_box box;
  int all; /* the box is the array */
  int streaming;
  uint8_t *dst;
} decompress_job;

/* ---- Tiles and the box ----------------------------------------------------------------------- */

/* What of a tile lies inside a box, in the coordinates of the array: the whole tile, nothing, or a
 * part. */
typedef struct overlap {
  uint64_t from[3], to[3];
  int whole, none;
} overlap;

static overlap tile_in_box(const tile_walk *t, const array_box *b) {
  const unsigned extent[3] = {t->extent.z, t->extent.y, t->extent.x};
  overlap o = {.whole = 1};
  for (int i = 0; i < 3; i++) {
    const uint64_t begin = t->origin[i], end = begin + extent[i], last = b->origin[i] + b->shape.extent[i];
    o.from[i] = begin > b->origin[i] ? begin : b->origin[i];
    o.to[i] = end < last ? end : last;
    o.none |= o.from[i] >= o.to[i];
    o.whole &= o.from[i] == begin && o.to[i] == end;
  }
  return o;
}

/* Where value `at` of the array goes. */
static uint8_t *place_of(const decompress_job *j, const uint64_t at[3]) {
  const uint64_t inside[3] = {at[0] - j->box.origin[0], at[1] - j->box.origin[1], at[2] - j->box.origin[2]};
  return j->dst + offset_of(&j->box.shape, inside) * ghz_type_size(j->out);
}

/* A tile that the box cuts goes through a buffer. */
static ghz_status decompress_part(const decompress_job *j, const tile_source *src, const tile_walk *t,
                                  const overlap *o) {
  _Alignas(64) uint8_t whole[TILE * 8];
  const tile_place packed = packed_place(t->extent);
  const size_t value = ghz_type_size(j->out), line = (size_t)(o->to[2] - o->from[2]) * value;
  ghz_status status = j->tiles->decode(&j->source.slice.lattice, src, j->out, &packed, 0, whole);
  if (status != GHZ_OK)
    return status;
  for (uint64_t z = o->from[0]; z < o->to[0]; z++)
    for (uint64_t y = o->from[1]; y < o->to[1]; y++) {
      const size_t at = (size_t)(z - t->origin[0]) * packed.plane + (size_t)(y - t->origin[1]) * packed.row +
                        (size_t)(o->from[2] - t->origin[2]);
      memcpy(place_of(j, (uint64_t[]){z, y, o->from[2]}), whole + at * value, line);
    }
  return GHZ_OK;
}

static ghz_status decompress_tile(const decompress_job *j, const tile_source *src, const tile_walk *t) {
  if (!j->all) {
    const overlap o = tile_in_box(t, &j->box);
    if (o.none)
      return GHZ_OK;
    if (!o.whole)
      return decompress_part(j, src, t, &o);
  }
  const tile_place place = place_in(&j->box.shape, &t->extent);
  return j->tiles->decode(&j->source.slice.lattice, src, j->out, &place, j->streaming, place_of(j, t->origin));
}

static ghz_status decompress_chunk(const void *job, chunk *c) {
  const decompress_job *j = job;
  const ghz_slice *s = &j->source.slice;
  tile_cursor cursor = cursor_at(&j->source, c->index);
  tile_walk walk = walk_from(&s->shape, c->first);
  ghz_status status = GHZ_OK;
  for (uint64_t t = 0; t < c->tiles && status == GHZ_OK; t++, walk_on(&walk)) {
    const tile_source src = cursor_next(&cursor, s);
    c->at = c->first + t;
    status = decompress_tile(j, &src, &walk);
  }
  if (j->streaming)
    j->tiles->fence();
  return status;
}

ghz_status ghz_decompress_values(ghz_context *ctx, const ghz_slice *slice, ghz_type out, const array_box *box,
                                 void *dst) {
  const uint64_t count = shape_count(&box->shape);
  if (!type_known(out))
    return ghz_fail(ctx, GHZ_EINVAL, "type %d is unknown", (int)out);
  if (out == GHZ_F32 && slice->lattice.type == GHZ_F64)
    return ghz_fail(ctx, GHZ_EINVAL, "a stream of doubles does not decompress to floats");
  if (!dst && count)
    return ghz_fail(ctx, GHZ_EINVAL, "dst is NULL");
  if (count == 0)
    return GHZ_OK;
  decompress_job job = {.tiles = ctx->tiles, .out = out, .box = *box, .dst = dst};
  job.all = shapes_equal(&box->shape, &slice->shape);
  job.streaming = count >= STREAMING_BYTES / ghz_type_size(out);
  ghz_status status = ghz_operand_open(ctx, slice, &job.source, 0, NULL);
  return status == GHZ_OK ? ghz_parallel_for(ctx, decompress_chunk, &job, slice->first, slice->tiles) : status;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

ghz_status ghz_slice_decompress_box(ghz_context *ctx, const ghz_slice *slice, ghz_type out,
                                    const array_box *box, void *dst) {
  GHZ_CALL(ctx);
  return ghz_decompress_values(ctx, slice, out, box, dst);
}

ghz_status ghz_decompress(ghz_context *ctx, ghz_bytes src, ghz_type out, void *dst, size_t count) {
  GHZ_CALL(ctx);
  ghz_slice s;
  ghz_status status = ghz_stream_open(ctx, src, &s);
  if (status != GHZ_OK)
    return status;
  if (s.count > count)
    return ghz_fail(ctx, GHZ_ECAPACITY, "%llu values in the stream, room for %zu", (ull)s.count, count);
  return ghz_decompress_values(ctx, &s, out, &(array_box){.shape = s.shape}, dst);
}

/* The tiles from the first to the last one that the box meets. */
static ghz_status cut_to_box(const ghz_slice *whole, const array_box *box, ghz_slice *slice) {
  const tile_extent e = whole_tile(whole->shape.dims);
  const unsigned extent[3] = {e.z, e.y, e.x};
  uint64_t grid[3], first[3], last[3];
  shape_grid(&whole->shape, grid);
  for (int i = 0; i < 3; i++) {
    first[i] = box->origin[i] / extent[i];
    last[i] = (box->origin[i] + box->shape.extent[i] - 1) / extent[i];
  }
  const uint64_t from = (first[0] * grid[1] + first[1]) * grid[2] + first[2];
  const uint64_t to = (last[0] * grid[1] + last[1]) * grid[2] + last[2];
  return ghz_slice_cut(whole, from, to - from + 1, slice);
}

/* Of a stream that was opened; the box is inside it. */
static ghz_status decompress_box(ghz_context *ctx, ghz_slice *s, ghz_type out, const array_box *box,
                                 void *dst) {
  ghz_status status = shape_count(&box->shape) ? cut_to_box(s, box, s) : GHZ_OK;
  return status == GHZ_OK ? ghz_decompress_values(ctx, s, out, box, dst) : status;
}

ghz_status ghz_decompress_box(ghz_context *ctx, ghz_bytes src, ghz_type out, const uint64_t origin[3],
                              const uint64_t extent[3], void *dst) {
  GHZ_CALL(ctx);
  ghz_slice s;
  if (!origin || !extent)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", origin ? "extent" : "origin");
  ghz_status status = ghz_stream_open(ctx, src, &s);
  if (status != GHZ_OK)
    return status;
  for (int i = 0; i < 3; i++)
    if (origin[i] > s.shape.extent[i] || extent[i] > s.shape.extent[i] - origin[i])
      return ghz_fail(ctx, GHZ_EINVAL, "%c %llu .. +%llu of %llu", "zyx"[i], (ull)origin[i], (ull)extent[i],
                      (ull)s.shape.extent[i]);
  const array_box box = {{origin[0], origin[1], origin[2]}, {s.shape.dims, {extent[0], extent[1], extent[2]}}};
  return decompress_box(ctx, &s, out, &box, dst);
}

ghz_status ghz_decompress_range(ghz_context *ctx, ghz_bytes src, ghz_type out, uint64_t first, size_t count,
                                void *dst) {
  GHZ_CALL(ctx);
  ghz_slice s;
  ghz_status status = ghz_stream_open(ctx, src, &s);
  if (status != GHZ_OK)
    return status;
  if (s.shape.dims != 1)
    return ghz_fail(ctx, GHZ_EINVAL, "the stream has a shape: take ghz_decompress_box");
  if (first > s.count || count > s.count - first)
    return ghz_fail(ctx, GHZ_EINVAL, "values %llu .. +%zu of %llu", (ull)first, count, (ull)s.count);
  return decompress_box(ctx, &s, out, &(array_box){{0, 0, first}, ghz_flat(count)}, dst);
}
