/* linear.c: arithmetic on streams: hands tile after tile to the tile codec. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "linear.h"

#include "context/call.h"
#include "context/floating.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"
#include "stream/stream.h"
#include "stream/tile_writer.h"

typedef struct compute_job {
  const tile_codec *tiles;
  const computation *what;
  ghz_lattice lattice; /* of the sum, before it is scaled */
  tile_op op;
  const stream_operand *operands;
  uint8_t *threads; /* what each thread keeps: cursors, then sources, one of each per operand, and a tile */
  size_t stride;    /* from one thread's to the next: whole cache lines, which threads must not share */
} compute_job;

/* For a tile of the values that are compressed on the way. */
static size_t tile_room(const compression *values) {
  return values
             ? (ghz_tile_bound(values->shape->dims, values->lattice->type, 1, 1) + SLACK + 127) & ~(size_t)127
             : 0;
}

static size_t thread_stride(const computation *w) {
  return ((w->k * (sizeof(tile_cursor) + sizeof(tile_source)) + 127) & ~(size_t)127) + tile_room(w->values);
}

/* Operands that are compressed already. */
static size_t compressed(const computation *w) {
  return w->k - (w->values != NULL);
}

static tile_cursor *cursors_of(const compute_job *j, const chunk *c) {
  return (tile_cursor *)(void *)(j->threads + (size_t)c->thread * j->stride);
}

static void compute_begin(const void *job, const chunk *c) {
  const compute_job *j = job;
  tile_cursor *cursors = cursors_of(j, c);
  for (size_t i = 0; i < compressed(j->what); i++)
    cursors[i] = cursor_at(&j->operands[i], c->index);
}

static tile_source compress_operand(const compute_job *j, const chunk *c, const tile_walk *tile) {
  const compression *values = j->what->values;
  uint8_t *dst = j->threads + ((size_t)c->thread + 1) * j->stride - tile_room(values);
  const ghz_slice *header = &j->operands[j->what->k - 1].slice;
  return (tile_source){dst, compress_one(j->tiles, values, tile, dst), header->terms, header->transform, 0};
}

/* Operations are on the tiles behind the values of tiles of one. */
static int drop_value(const ghz_slice *of, tile_source *src) {
  const ghz_lattice lattice = storage_lattice(&of->lattice);
  uint64_t bits;
  return parse_value(&lattice, src, &bits);
}

static ghz_status compute_tile(const void *job, const chunk *c, const tile_walk *tile, uint8_t *dst,
                               size_t *size, int *inexact) {
  const compute_job *j = job;
  size_t k = j->what->k;
  tile_cursor *cursors = cursors_of(j, c);
  tile_source *sources = (tile_source *)(void *)(cursors + k);
  for (size_t i = 0; i < compressed(j->what); i++)
    sources[i] = cursor_next(&cursors[i], &j->operands[i].slice);
  if (j->what->values)
    sources[k - 1] = compress_operand(j, c, tile);
  for (size_t i = 0; i < k; i++) {
    const ghz_slice *of = &j->operands[i].slice;
    if (is_constant(&sources[i]) && !drop_value(of, &sources[i]))
      return GHZ_ECORRUPT;
  }
  const tile_job t = {&j->lattice, sources, tile->extent, dst, size, inexact};
  return j->what->operation == COMBINE ? j->tiles->combine(&t, &j->op)
                                       : j->tiles->extremum(&t, j->what->operation == MAXIMUM);
}

/* ---- Running it ------------------------------------------------------------------------------ */

/* Scratch for everything that depends on the number of tiles. */
static ghz_status reserve(ghz_context *ctx, compute_job *j, const tile_writer *writer, uint64_t tiles,
                          uint64_t **offsets, uint8_t **rest) {
  enum { ALIGNMENT = 128 };
  const size_t threads = (size_t)ghz_write_tiles_threads(ctx, tiles), k = j->what->k;
  size_t total = 0, entries;
  int fits = !__builtin_mul_overflow(k, (size_t)chunks_of(tiles) + 1, &entries) &&
             ghz_total_add(&total, entries, sizeof(uint64_t)) &&
             ghz_total_add(&total, threads, thread_stride(j->what)) && ghz_total_add(&total, 1, ALIGNMENT) &&
             ghz_write_tiles_scratch(ctx, writer, tiles, &total);
  uint8_t *scratch = fits ? ghz_arena_reserve(&ctx->scratch, total) : NULL;
  if (!scratch)
    return ghz_fail(ctx, GHZ_ENOMEM, "no scratch for %zu operands", k);
  *offsets = (uint64_t *)(void *)scratch;
  scratch += entries * sizeof(uint64_t);
  j->stride = thread_stride(j->what);
  j->threads = scratch + (-(uintptr_t)scratch & (ALIGNMENT - 1));
  *rest = j->threads + threads * j->stride;
  return GHZ_OK;
}

/* No other operation on slices needs more than one with two operands. */
ghz_status ghz_slice_reserve(ghz_context *ctx, const ghz_shape *shape, uint64_t tiles, ghz_type type,
                             uint32_t terms) {
  GHZ_CALL(ctx);
  if (!shape)
    return ghz_fail(ctx, GHZ_EINVAL, "shape is NULL");
  if (!dims_known(shape->dims) || ghz_type_size(type) == 0 || terms == 0)
    return ghz_fail(ctx, GHZ_EINVAL, "no slice has dims %d, type %d and %u terms", shape->dims, (int)type,
                    terms);
  const computation pair = {.k = 2};
  const tile_writer writer = {.tile_bound = ghz_tile_bound(shape->dims, type, terms, 0)};
  compute_job job = {.what = &pair};
  uint64_t *offsets;
  uint8_t *rest;
  if (!ghz_arena_reserve(&ctx->operands, pair.k * sizeof(stream_operand)))
    return ghz_fail(ctx, GHZ_ENOMEM, "no scratch for %zu operands", pair.k);
  return reserve(ctx, &job, &writer, tiles, &offsets, &rest);
}

/* Checks the index of every operand, and finds its chunks. */
static ghz_status locate(ghz_context *ctx, const computation *w, stream_operand *operands, uint64_t *offsets) {
  size_t entries = (size_t)chunks_of(operands[0].slice.tiles) + 1;
  for (size_t i = 0; i < compressed(w); i++) {
    stream_operand *o = &operands[i];
    o->offset = offsets + i * entries;
    ghz_status status =
        w->streams ? ghz_stream_locate(ctx, &o->slice, o->offset) : ghz_slice_locate(ctx, &o->slice, o->offset);
    if (status != GHZ_OK)
      return status;
  }
  return GHZ_OK;
}

static ghz_status compute(ghz_context *ctx, const computation *w, const destination *to, ghz_slice *result) {
  agreed_operands of;
  ghz_status status = ghz_open_headers(ctx, w, &of, result);
  if (status != GHZ_OK)
    return status;
  compute_job job = {
      .tiles = ctx->tiles, .what = w, .lattice = storage_lattice(&result->lattice), .operands = of.operands};
  job.op = (tile_op){.k = w->k,
                     .coefficients = of.coefficients,
                     .own = of.own,
                     .factor = w->factor == 0 ? 1 : w->factor,
                     .divisor = (double)w->divisor,
                     .scaled = w->factor != 0 || w->divisor > 1,
                     .beside_others = of.counting > 1,
                     .terms = result->terms,
                     .tile_bound = ghz_tile_bound(result->shape.dims, result->lattice.type, result->terms, 0)};
  const tile_op *c = &job.op;
  tile_writer writer = {&job, compute_begin, compute_tile, c->tile_bound};
  uint64_t *offsets = NULL;
  uint8_t *rest = NULL;
  status = reserve(ctx, &job, &writer, result->tiles, &offsets, &rest);
  if (status == GHZ_OK)
    status = locate(ctx, w, of.operands, offsets);
  if (status == GHZ_OK && c->scaled && !scale_lattice(&result->lattice, c->factor, c->divisor))
    status = ghz_fail(ctx, GHZ_EINVAL, "step %g times %g leaves the range of the type", result->lattice.step,
                      c->factor / c->divisor);
  return status == GHZ_OK ? ghz_write_tiles(ctx, &writer, result, to, rest) : status;
}

ghz_status ghz_compute(ghz_context *ctx, const computation *w, const destination *to, ghz_slice *result) {
  const char *wrong = w->k == 0                                    ? "no operands"
                      : w->divisor == 0                            ? "the divisor is 0"
                      : !to->dst                                   ? "dst is NULL"
                      : compressed(w) && !w->streams && !w->slices ? "the operands are NULL"
                                                                   : NULL;
  if (wrong)
    return ghz_fail(ctx, GHZ_EINVAL, "%s", wrong);
  floating_environment env;
  floating_begin(&env);
  ghz_status status = compute(ctx, w, to, result);
  floating_end(&env);
  return status;
}

/* ---- The public operations ------------------------------------------------------------------- */

static ghz_status to_stream(ghz_context *ctx, const computation *c, void *dst, size_t capacity, size_t *size) {
  ghz_slice result;
  if (!size)
    return ghz_fail(ctx, GHZ_EINVAL, "size is NULL");
  ghz_status status = ghz_compute(ctx, c, &(destination){ghz_stream_layout, dst, capacity}, &result);
  if (status == GHZ_OK)
    *size = ghz_stream_finish(&result, dst);
  return status;
}

ghz_status ghz_linear(ghz_context *ctx, size_t k, const ghz_bytes *streams, const int64_t *weights,
                      uint64_t divisor, void *dst, size_t capacity, size_t *size) {
  GHZ_CALL(ctx);
  const computation c = {.k = k, .weights = weights, .divisor = divisor, .streams = streams};
  return to_stream(ctx, &c, dst, capacity, size);
}

ghz_status ghz_scale(ghz_context *ctx, ghz_bytes a, double factor, void *dst, size_t capacity, size_t *size) {
  GHZ_CALL(ctx);
  floating_environment env;
  int64_t sign = signbit(factor) ? -1 : 1;
  floating_begin(&env); /* a denormal factor is not 0 */
  int valid = fabs(factor) > 0 && fabs(factor) <= DBL_MAX;
  const computation c = {.k = 1, .weights = &sign, .divisor = 1, .factor = fabs(factor), .streams = &a};
  ghz_status status = valid ? to_stream(ctx, &c, dst, capacity, size)
                            : ghz_fail(ctx, GHZ_EINVAL, "factor %g: must be finite, and not 0", factor);
  floating_end(&env);
  return status;
}

ghz_status ghz_minimum(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity, size_t *size) {
  GHZ_CALL(ctx);
  const computation c = {.operation = MINIMUM, .k = 2, .divisor = 1, .streams = (ghz_bytes[]){a, b}};
  return to_stream(ctx, &c, dst, capacity, size);
}

ghz_status ghz_maximum(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity, size_t *size) {
  GHZ_CALL(ctx);
  const computation c = {.operation = MAXIMUM, .k = 2, .divisor = 1, .streams = (ghz_bytes[]){a, b}};
  return to_stream(ctx, &c, dst, capacity, size);
}
