/* linear.c: arithmetic on streams: hands tile after tile to the tile codec; sums in place: of a
 * stream, or of values that are compressed on the way. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "linear.h"

#include <string.h>

#include "context/call.h"
#include "context/floating.h"
#include "lattice.h"
#include "rules/lattice_rules.h"
#include "stream/tile_writer.h"

typedef struct compute_job {
  const tile_codec *tiles;
  const computation *what;
  const stream_operand *operands;
  ghz_lattice lattice; /* of the sum, before it is scaled */
  tile_op op;
} compute_job;

/* Operands that are compressed already. */
static size_t compressed(const computation *w) {
  return w->k - (w->values != NULL);
}

static tile_source compress_operand(const compute_job *j, const made_tile *t) {
  const ghz_slice *header = &j->operands[j->what->k - 1].slice;
  return (tile_source){t->spare, compress_one(j->tiles, j->what->values, t->at, t->spare), header->terms,
                       header->transform, 0};
}

/* Operations are on the tiles behind the values of tiles of one. */
static int drop_value(const ghz_slice *of, tile_source *src) {
  const ghz_lattice lattice = storage_lattice(&of->lattice);
  uint64_t bits;
  return parse_value(&lattice, src, &bits);
}

static ghz_status compute_tile(const void *job, made_tile *t) {
  const compute_job *j = job;
  const size_t k = j->what->k;
  if (j->what->values)
    t->src[k - 1] = compress_operand(j, t);
  for (size_t i = 0; i < k; i++)
    if (is_constant(&t->src[i]) && !drop_value(&j->operands[i].slice, &t->src[i]))
      return GHZ_ECORRUPT;
  const tile_job tile = {&j->lattice, t->src, t->at->extent, t->dst, &t->size, &t->inexact};
  return j->what->operation == COMBINE ? j->tiles->combine(&tile, &j->op)
                                       : j->tiles->extremum(&tile, j->what->operation == MAXIMUM);
}

/* ---- Running it ------------------------------------------------------------------------------ */

/* No other operation on slices needs more scratch than one with two operands. */
ghz_status ghz_slice_reserve(ghz_context *ctx, const ghz_shape *shape, uint64_t tiles, ghz_type type,
                             uint32_t terms) {
  GHZ_CALL(ctx);
  if (!shape)
    return ghz_fail(ctx, GHZ_EINVAL, "shape is NULL");
  if (!dims_known(shape->dims) || ghz_type_size(type) == 0 || terms == 0)
    return ghz_fail(ctx, GHZ_EINVAL, "no slice has dims %d, type %d and %u terms", shape->dims, (int)type,
                    terms);
  const tile_writer pair = {.tile_bound = ghz_tile_bound(shape->dims, type, terms, 0), .k = 2};
  if (!ghz_arena_reserve(&ctx->operands, pair.k * sizeof(stream_operand)))
    return ghz_fail(ctx, GHZ_ENOMEM, "no scratch for %zu operands", pair.k);
  return ghz_write_tiles_reserve(ctx, &pair, tiles);
}

static ghz_status compute(ghz_context *ctx, const computation *w, const destination *to, ghz_slice *result) {
  agreed_operands of;
  ghz_status status = ghz_open_headers(ctx, w, &of, result);
  if (status != GHZ_OK)
    return status;
  const tile_op op = {.k = w->k,
                      .coefficients = of.coefficients,
                      .own = of.own,
                      .factor = w->factor == 0 ? 1 : w->factor,
                      .divisor = (double)w->divisor,
                      .scaled = w->factor != 0 || w->divisor > 1,
                      .beside_others = of.counting > 1,
                      .terms = result->terms,
                      .tile_bound = ghz_tile_bound(result->shape.dims, result->lattice.type, result->terms, 0)};
  const compute_job job = {ctx->tiles, w, of.operands, storage_lattice(&result->lattice), op};
  tile_writer writer = {&job, compute_tile, op.tile_bound, compressed(w), of.operands, w->streams != NULL, 0};
  if (w->values) /* whose tiles are compressed on the way */
    writer.spare = ghz_tile_bound(w->values->shape->dims, w->values->lattice->type, 1, 1) + SLACK;
  if (op.scaled && !scale_lattice(&result->lattice, op.factor, op.divisor))
    return ghz_fail(ctx, GHZ_EINVAL, "step %g times %g leaves the range of the type", result->lattice.step,
                    op.factor / op.divisor);
  return ghz_write_tiles(ctx, &writer, result, to);
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

/* ---- Sums in place --------------------------------------------------------------------------- */

/* The accumulator is an operand and the destination: the sum is laid out in scratch, now that its
 * bound is known. */
static ghz_status layout_in_scratch(ghz_context *ctx, const ghz_slice *result, void *acc, size_t capacity,
                                    tile_sink *sink) {
  (void)acc;
  size_t bound = ghz_result_bound(result);
  size_t room = bound && bound < capacity ? bound : capacity;
  void *scratch = ghz_arena_reserve(&ctx->result, room);
  if (!scratch)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes of scratch", room);
  return ghz_stream_layout(ctx, result, scratch, room, sink);
}

static ghz_status check_accumulator(ghz_context *ctx, const void *acc, size_t capacity, const size_t *size) {
  if (!acc || !size)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", acc ? "size" : "acc");
  if (*size > capacity)
    return ghz_fail(ctx, GHZ_EINVAL, "size %zu exceeds capacity %zu", *size, capacity);
  return GHZ_OK;
}

/* The first operand is the accumulator. An empty one is none: then the sum of the others begins
 * it. */
static ghz_status accumulate(ghz_context *ctx, computation c, void *acc, size_t capacity, size_t *size) {
  ghz_slice sum;
  const int empty = *size == 0;
  c.k -= (size_t)empty;
  c.streams += empty;
  const destination to = {empty ? ghz_stream_layout : layout_in_scratch, acc, capacity};
  ghz_status status = ghz_compute(ctx, &c, &to, &sum);
  if (status != GHZ_OK)
    return status;
  void *made = empty ? acc : ctx->result.data;
  *size = ghz_stream_finish(&sum, made);
  if (!empty)
    memcpy(acc, made, *size);
  return GHZ_OK;
}

ghz_status ghz_accumulate(ghz_context *ctx, void *acc, size_t capacity, size_t *size, ghz_bytes x) {
  GHZ_CALL(ctx);
  ghz_status status = check_accumulator(ctx, acc, capacity, size);
  if (status != GHZ_OK)
    return status;
  return accumulate(ctx, (computation){.k = 2, .divisor = 1, .streams = (ghz_bytes[]){{acc, *size}, x}}, acc,
                    capacity, size);
}

ghz_status ghz_accumulate_values(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                                 const ghz_shape *shape, void *acc, size_t capacity, size_t *size) {
  GHZ_CALL(ctx);
  ghz_status status = check_accumulator(ctx, acc, capacity, size);
  if (status == GHZ_OK)
    status = ghz_shape_check(ctx, shape);
  if (status != GHZ_OK)
    return status;
  const compression values = {lattice, order, x, shape, 0, shape_tiles(shape)};
  status = ghz_compression_check(ctx, &values);
  if (status != GHZ_OK)
    return status;
  const computation c = {.k = 2, .divisor = 1, .streams = (ghz_bytes[]){{acc, *size}}, .values = &values};
  return accumulate(ctx, c, acc, capacity, size);
}
