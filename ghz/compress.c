/* compress.c: compression: an array, or a range of its tiles, to a stream or a message; and
 * decompression: a stream, a slice or a box of values, to an array. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "compress.h"
#include "context/call.h"
#include "context/floating.h"
#include "lattice.h"
#include "range.h"
#include "stream/tile_writer.h"

typedef struct compress_job {
  const tile_codec *tiles;
  const compression *what;
} compress_job;

static ghz_status compress_tile(const void *job, made_tile *t) {
  const compress_job *j = job;
  t->size = compress_one(j->tiles, j->what, t->at, t->dst);
  return GHZ_OK;
}

ghz_status ghz_compression_check(ghz_context *ctx, const compression *c) {
  const ghz_lattice *l = c->lattice;
  const uint64_t count = shape_count(c->shape);
  if (!l || (!c->x && count))
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", l ? "x" : "lattice");
  if (c->order < GHZ_ORDER_LORENZO || c->order >= orders_of((unsigned)c->shape->dims))
    return ghz_fail(ctx, GHZ_EINVAL, "order %d: must be %d to %d", c->order, GHZ_ORDER_LORENZO,
                    orders_of((unsigned)c->shape->dims) - 1);
  if (!ghz_lattice_fresh(l))
    return ghz_fail(ctx, GHZ_EINVAL, "step %g, bound %g, cap %d, fill %g are no lattice to compress on",
                    l->step, l->eb, l->cap, l->has_fill ? l->fill : 0.0);
  if (count > SIZE_MAX / ghz_type_size(l->type))
    return ghz_fail(ctx, GHZ_EINVAL, "%llu values do not fit in memory", (ull)count);
  return ghz_integers_check(ctx, c);
}

ghz_slice ghz_compression_header(const compression *c) {
  return (ghz_slice){.lattice = *c->lattice,
                     .shape = *c->shape,
                     .count = shape_count(c->shape),
                     .terms = 1,
                     .transform = c->shape->dims != 1 && c->order == GHZ_ORDER_BEST,
                     .first = c->first,
                     .tiles = c->tiles};
}

ghz_status ghz_compress_tiles(ghz_context *ctx, const compression *c, const destination *to,
                              ghz_slice *result) {
  if (!to->dst)
    return ghz_fail(ctx, GHZ_EINVAL, "dst is NULL");
  ghz_status status = ghz_compression_check(ctx, c);
  if (status != GHZ_OK)
    return status;
  *result = ghz_compression_header(c);
  const compress_job job = {ctx->tiles, c};
  const size_t bound = ghz_tile_bound(c->shape->dims, c->lattice->type, 1, 1);
  const tile_writer writer = {&job, compress_tile, bound, 0, NULL, 0, 0};
  floating_environment env;
  floating_begin(&env);
  status = ghz_write_tiles(ctx, &writer, result, to);
  floating_end(&env);
  return status;
}

ghz_status ghz_compress_shape(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                              const ghz_shape *shape, void *dst, size_t capacity, size_t *size) {
  GHZ_CALL(ctx);
  ghz_slice result;
  if (!size)
    return ghz_fail(ctx, GHZ_EINVAL, "size is NULL");
  ghz_status status = ghz_shape_check(ctx, shape);
  if (status != GHZ_OK)
    return status;
  const compression c = {lattice, order, x, shape, 0, shape_tiles(shape)};
  status = ghz_compress_tiles(ctx, &c, &(destination){ghz_stream_layout, dst, capacity}, &result);
  if (status == GHZ_OK)
    *size = ghz_stream_finish(&result, dst);
  return status;
}

/* ---- Decompression --------------------------------------------------------------------------- */

/* From this size on results pass the caches by: reading the old lines first would double the
 * traffic. */
#define STREAMING_BYTES ((size_t)16 << 20)

/* The first value that is none of the type, of the tile that comes first. Its lock is its own: one
 * of OpenMP's would be the process's, and never free in a child that was forked meanwhile. */
typedef struct misfit {
  int locked;
  int found;
  uint64_t tile, index; /* of the value in the array */
  double value;
} misfit;

typedef struct decompress_job {
  const tile_codec *tiles;
  stream_operand source;
  ghz_type out;
  array_box box;
  int all; /* the box is the array */
  int streaming;
  uint8_t *dst;
  misfit *misfit;
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

static void note_misfit(const decompress_job *j, uint64_t tile, uint64_t index, double value) {
  misfit *m = j->misfit;
  while (__atomic_exchange_n(&m->locked, 1, __ATOMIC_ACQUIRE))
    ;
  if (!m->found || tile < m->tile) {
    m->found = 1;
    m->tile = tile;
    m->index = index;
    m->value = value;
  }
  __atomic_store_n(&m->locked, 0, __ATOMIC_RELEASE);
}

/* A line of decoded values, from `at` of the array on, to its place. Returns whether they fit. */
static int put_line(const decompress_job *j, uint64_t tile, const uint64_t at[3], const void *values,
                    size_t n) {
  if (!is_integer(j->out)) {
    memcpy(place_of(j, at), values, n * ghz_type_size(j->out));
    return 1;
  }
  const double *y = values;
  const size_t fit = ghz_integers_out(&j->source.slice.lattice, j->out, y, n, place_of(j, at));
  if (fit < n)
    note_misfit(j, tile, offset_of(&j->source.slice.shape, at) + fit, y[fit]);
  return fit == n;
}

/* A tile that the box cuts, or of integers, goes through a buffer. */
static ghz_status decompress_part(const decompress_job *j, const tile_source *src, const tile_walk *t,
                                  const overlap *o, uint64_t tile) {
  _Alignas(64) uint8_t whole[TILE * 8];
  const tile_place packed = packed_place(t->extent);
  const ghz_type decoded = is_integer(j->out) ? GHZ_F64 : j->out;
  const size_t value = ghz_type_size(decoded), line = (size_t)(o->to[2] - o->from[2]);
  ghz_status status = j->tiles->decode(&j->source.slice.lattice, src, decoded, &packed, 0, whole);
  for (uint64_t z = o->from[0]; z < o->to[0] && status == GHZ_OK; z++)
    for (uint64_t y = o->from[1]; y < o->to[1] && status == GHZ_OK; y++) {
      const size_t at = (size_t)(z - t->origin[0]) * packed.plane + (size_t)(y - t->origin[1]) * packed.row +
                        (size_t)(o->from[2] - t->origin[2]);
      if (!put_line(j, tile, (uint64_t[]){z, y, o->from[2]}, whole + at * value, line))
        status = GHZ_ERANGE;
    }
  return status;
}

static ghz_status decompress_tile(const void *job, const chunk *c, const tile_walk *t, tile_source *src) {
  const decompress_job *j = job;
  if (!j->all || is_integer(j->out)) {
    const overlap o = tile_in_box(t, &j->box);
    if (o.none)
      return GHZ_OK;
    if (!o.whole || is_integer(j->out))
      return decompress_part(j, src, t, &o, c->at);
  }
  const tile_place place = place_in(&j->box.shape, &t->extent);
  return j->tiles->decode(&j->source.slice.lattice, src, j->out, &place, j->streaming, place_of(j, t->origin));
}

const char *ghz_not_decompressed(const ghz_lattice *l, ghz_type out) {
  if (!type_known(out))
    return "unknown type";
  if (!is_integer(out))
    return out == GHZ_F64 || storage_type(l->type) == GHZ_F32 ? NULL
           : is_integer(l->type) ? "integers of more than 16 bits do not decompress to float32"
                                 : "doubles do not decompress to floats";
  if (!is_integer(l->type))
    return "floating-point values do not decompress to integers";
  return is_integer_of(GHZ_I64, l->step) ? NULL : "means of integers decompress to float64, not to integers";
}

ghz_status ghz_decompress_values(ghz_context *ctx, const ghz_slice *slice, ghz_type out, const array_box *box,
                                 void *dst) {
  const uint64_t count = shape_count(&box->shape);
  if (!type_known(out))
    return ghz_fail(ctx, GHZ_EINVAL, "type %d is unknown", (int)out);
  const char *wrong = ghz_not_decompressed(&slice->lattice, out);
  if (wrong)
    return ghz_fail(ctx, GHZ_EINVAL, "%s", wrong);
  if (!dst && count)
    return ghz_fail(ctx, GHZ_EINVAL, "dst is NULL");
  if (count == 0)
    return GHZ_OK;
  misfit first = {0};
  decompress_job job = {ctx->tiles, {*slice, NULL}, out, *box, .dst = dst, .misfit = &first};
  job.all = shapes_equal(&box->shape, &slice->shape);
  job.streaming = count >= STREAMING_BYTES / ghz_type_size(out);
  void *rest;
  ghz_status status = ghz_operands_open(ctx, 1, &job.source, 0, 0, &rest);
  if (status == GHZ_OK)
    status = ghz_visit_tiles(ctx, 1, &job.source, decompress_tile, &job);
  if (status != GHZ_ERANGE)
    return status;
  return ghz_fail(ctx, GHZ_ERANGE, "value %llu is %.17g, which is no %s", (ull)first.index, first.value,
                  ghz_describe_type(out));
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
  bricks_along(&whole->shape, grid);
  for (int i = 0; i < 3; i++) {
    first[i] = box->origin[i] / extent[i];
    last[i] = (box->origin[i] + box->shape.extent[i] - 1) / extent[i];
  }
  const uint64_t from = (first[0] * grid[1] + first[1]) * grid[2] + first[2];
  const uint64_t to = (last[0] * grid[1] + last[1]) * grid[2] + last[2];
  return ghz_slice_cut(whole, from, to - from + 1, slice);
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
  if (shape_count(&box.shape))
    status = cut_to_box(&s, &box, &s);
  return status == GHZ_OK ? ghz_decompress_values(ctx, &s, out, &box, dst) : status;
}
