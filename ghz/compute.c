/* compute.c: arithmetic on streams: checks that the operands agree, then hands tile after tile to
 * the tile codec. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "compute.h"

#include "floating.h"
#include "operand.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"
#include "tile_writer.h"

typedef struct compute_job {
  const tile_codec *tiles;
  const computation *what;
  combination combination;
  const operand *operands;
  uint8_t *threads; /* what each thread keeps: cursors, then sources, one of each per operand */
  size_t stride;    /* from one thread's to the next: whole cache lines, which threads must not share */
} compute_job;

static size_t thread_stride(size_t k) {
  return (k * (sizeof(tile_cursor) + sizeof(tile_source)) + 127) & ~(size_t)127;
}

static tile_cursor *cursors_of(const compute_job *j, const chunk *c) {
  return (tile_cursor *)(void *)(j->threads + (size_t)c->thread * j->stride);
}

static void compute_begin(const void *job, const chunk *c) {
  const compute_job *j = job;
  tile_cursor *cursors = cursors_of(j, c);
  for (size_t i = 0; i < j->what->k; i++)
    cursors[i] = cursor_at(&j->operands[i], c->index);
}

static ghz_status compute_tile(const void *job, const chunk *c, uint64_t tile, uint8_t *dst, size_t *size,
                               int *inexact) {
  const compute_job *j = job;
  const ghz_slice *s = &j->operands[0].slice;
  size_t k = j->what->k;
  tile_cursor *cursors = cursors_of(j, c);
  tile_source *sources = (tile_source *)(void *)(cursors + k);
  for (size_t i = 0; i < k; i++)
    sources[i] = cursor_next(&cursors[i], &j->operands[i].slice);
  const tile_job t = {&s->lattice, sources, tile_extent_of(&s->shape, tile), dst, size, inexact};
  return j->what->operation == COMBINE ? j->tiles->combine(&t, &j->combination)
                                       : j->tiles->extremum(&t, j->what->operation == MAXIMUM);
}

/* ---- Operands that agree --------------------------------------------------------------------- */

static ghz_status agree(ghz_context *ctx, const ghz_slice *a, const ghz_slice *b, size_t i) {
  if (a->lattice.type != b->lattice.type)
    return ghz_fail(ctx, GHZ_EMISMATCH, "type %s in operand %zu, %s in operand 0",
                    b->lattice.type == GHZ_F32 ? "float32" : "float64", i,
                    a->lattice.type == GHZ_F32 ? "float32" : "float64");
  if (a->count != b->count)
    return ghz_fail(ctx, GHZ_EMISMATCH, "%llu values in operand %zu, %llu in operand 0",
                    (unsigned long long)b->count, i, (unsigned long long)a->count);
  if (a->lattice.cap != b->lattice.cap)
    return ghz_fail(ctx, GHZ_EMISMATCH, "cap %d in operand %zu, %d in operand 0", b->lattice.cap, i,
                    a->lattice.cap);
  if (a->lattice.step != b->lattice.step)
    return ghz_fail(ctx, GHZ_EMISMATCH, "step %.17g in operand %zu, %.17g in operand 0", b->lattice.step, i,
                    a->lattice.step);
  if (a->lattice.eb != b->lattice.eb)
    return ghz_fail(ctx, GHZ_EMISMATCH, "bound %.17g in operand %zu, %.17g in operand 0", b->lattice.eb, i,
                    a->lattice.eb);
  if (a->first != b->first || a->tiles != b->tiles)
    return ghz_fail(ctx, GHZ_EINVAL, "operand %zu is another range of tiles than operand 0", i);
  return GHZ_OK;
}

/* The header of an operand; its index is not looked at yet. */
static ghz_status open_header(ghz_context *ctx, const computation *w, size_t i, ghz_slice *s) {
  if (w->streams)
    return ghz_stream_header(ctx, w->streams[i], i, s);
  *s = w->slices[i];
  return ghz_slice_valid(s) ? GHZ_OK : ghz_fail(ctx, GHZ_EINVAL, "operand %zu is no slice", i);
}

static inline int64_t coefficient(const computation *w, size_t i) {
  return w->coefficients ? w->coefficients[i] : 1;
}

/* Adds an operand's terms to those of the result: sums add up, extrema keep the larger. */
static ghz_status count_terms(ghz_context *ctx, const computation *w, size_t i, const ghz_slice *s,
                              uint64_t *total) {
  uint64_t product, limit = terms_limit(s->lattice.cap), terms = s->terms;
  int64_t c = coefficient(w, i);
  uint64_t magnitude = c < 0 ? -(uint64_t)c : (uint64_t)c;
  if (w->operation != COMBINE)
    *total = terms > *total ? terms : *total;
  else if (__builtin_mul_overflow(magnitude, terms, &product) ||
           __builtin_add_overflow(*total, product, total) || *total > limit)
    return ghz_fail(ctx, GHZ_ERANGE, "more than %llu terms", (unsigned long long)limit);
  return GHZ_OK;
}

/* Opens the headers of all operands, which must agree. *shape is then that of the result but for
 * its step and bound, and *counting the number of operands whose coefficient is not 0. */
static ghz_status open_headers(ghz_context *ctx, const computation *w, operand *operands, ghz_slice *shape,
                               size_t *counting) {
  uint64_t terms = 0;
  ghz_status counted = GHZ_OK;
  int inexact = 0, transform = 0;
  *counting = 0;
  for (size_t i = 0; i < w->k; i++) {
    ghz_slice *s = &operands[i].slice;
    ghz_status status = open_header(ctx, w, i, s);
    if (status == GHZ_OK)
      status = agree(ctx, &operands[0].slice, s, i);
    if (status != GHZ_OK)
      return status;
    if (counted == GHZ_OK) /* too many terms are reported only where all operands agree */
      counted = count_terms(ctx, w, i, s, &terms);
    if (coefficient(w, i)) {
      inexact |= s->inexact;
      transform |= s->transform;
      ++*counting;
    }
  }
  *shape = operands[0].slice;
  shape->terms = (uint32_t)terms;
  shape->inexact = inexact;
  shape->transform = transform;
  return counted;
}

/* ---- Running it ------------------------------------------------------------------------------ */

static void *carve(uint8_t **scratch, size_t count, size_t each) {
  void *p = *scratch;
  *scratch += (count * each + 63) & ~(size_t)63;
  return p;
}

/* Scratch for everything that depends on the number of tiles. */
static ghz_status reserve(ghz_context *ctx, compute_job *j, const tile_writer *writer, uint64_t tiles,
                          uint64_t **offsets, uint8_t **rest) {
  size_t total = 0, threads = (size_t)ctx->threads, k = j->what->k, entries;
  int fits = !__builtin_mul_overflow(k, (size_t)chunks_of(tiles) + 1, &entries) &&
             ghz_total_add(&total, entries, sizeof(uint64_t)) &&
             ghz_total_add(&total, threads + 1, thread_stride(k)) &&
             ghz_write_tiles_scratch(ctx, writer, tiles, &total);
  uint8_t *scratch = fits ? ghz_arena_reserve(&ctx->scratch, total) : NULL;
  if (!scratch)
    return ghz_fail(ctx, GHZ_ENOMEM, "no scratch for %zu operands", k);
  *offsets = carve(&scratch, entries, sizeof(uint64_t));
  j->stride = thread_stride(k);
  j->threads = carve(&scratch, threads + 1, j->stride); /* one more, for 128 bytes of alignment */
  j->threads += -(uintptr_t)j->threads & 127;
  *rest = scratch;
  return GHZ_OK;
}

/* No other operation on slices needs more than one with two operands. */
ghz_status ghz_slice_reserve(ghz_context *ctx, ghz_type type, uint64_t tiles, uint32_t terms) {
  if (!ctx || ghz_type_size(type) == 0 || terms == 0)
    return ghz_fail(ctx, GHZ_EINVAL, "no slice");
  const computation pair = {.k = 2};
  const tile_writer writer = {.tile_bound = ghz_tile_bound(1, type, terms, 0)};
  compute_job job = {.what = &pair};
  uint64_t *offsets;
  uint8_t *rest;
  if (!ghz_arena_reserve(&ctx->operands, pair.k * sizeof(operand)))
    return ghz_fail(ctx, GHZ_ENOMEM, "no scratch for %zu operands", pair.k);
  return reserve(ctx, &job, &writer, tiles, &offsets, &rest);
}

/* Checks the index of every operand, and finds its chunks. */
static ghz_status locate(ghz_context *ctx, const computation *w, operand *operands, uint64_t *offsets) {
  size_t entries = (size_t)chunks_of(operands[0].slice.tiles) + 1;
  for (size_t i = 0; i < w->k; i++) {
    operand *o = &operands[i];
    o->offset = offsets + i * entries;
    ghz_status status =
        w->streams ? ghz_stream_locate(ctx, &o->slice, o->offset) : ghz_slice_locate(ctx, &o->slice, o->offset);
    if (status != GHZ_OK)
      return status;
  }
  return GHZ_OK;
}

/* A computation names only what it uses: 0 is no factor and no divisor. */
static double or_one(double v) {
  return v == 0 ? 1 : v;
}

static ghz_status compute(ghz_context *ctx, const computation *w, const destination *to, ghz_slice *shape) {
  size_t counting;
  operand *operands = w->k < SIZE_MAX / 256 ? ghz_arena_reserve(&ctx->operands, w->k * sizeof *operands) : NULL;
  if (!operands)
    return ghz_fail(ctx, GHZ_ENOMEM, "no scratch for %zu operands", w->k);
  ghz_status status = open_headers(ctx, w, operands, shape, &counting);
  if (status != GHZ_OK)
    return status;
  compute_job job = {.tiles = ctx->tiles, .what = w, .operands = operands};
  job.combination =
      (combination){.k = w->k,
                    .coefficients = w->coefficients,
                    .factor = or_one(w->factor),
                    .divisor = or_one(w->divisor),
                    .scaled = w->scaled,
                    .beside_others = counting > 1,
                    .terms = shape->terms,
                    .tile_bound = ghz_tile_bound(shape->shape.dims, shape->lattice.type, shape->terms, 0)};
  const combination *c = &job.combination;
  tile_writer writer = {&job, compute_begin, compute_tile, c->tile_bound};
  uint64_t *offsets = NULL;
  uint8_t *rest = NULL;
  status = reserve(ctx, &job, &writer, shape->tiles, &offsets, &rest);
  if (status == GHZ_OK)
    status = locate(ctx, w, operands, offsets);
  if (status == GHZ_OK && c->scaled && !scale_lattice(&shape->lattice, c->factor, c->divisor))
    status = ghz_fail(ctx, GHZ_EINVAL, "step %g times %g leaves the range of the type", shape->lattice.step,
                      c->factor / c->divisor);
  return status == GHZ_OK ? ghz_write_tiles(ctx, &writer, shape, to, rest) : status;
}

ghz_status ghz_compute(ghz_context *ctx, const computation *w, const destination *to, ghz_slice *shape) {
  if (!ctx || !to->dst || (!w->streams && !w->slices) || w->k == 0)
    return ghz_fail(ctx, GHZ_EINVAL, "a pointer is NULL, or there are no operands");
  floating_environment env;
  floating_begin(&env);
  ghz_status status = compute(ctx, w, to, shape);
  floating_end(&env);
  return status;
}

/* ---- The public operations ------------------------------------------------------------------- */

static ghz_status to_stream(ghz_context *ctx, computation c, void *dst, size_t capacity, size_t *size) {
  ghz_slice shape;
  if (!size)
    return ghz_fail(ctx, GHZ_EINVAL, "size is NULL");
  ghz_status status = ghz_compute(ctx, &c, &(destination){ghz_stream_layout, dst, capacity}, &shape);
  if (status == GHZ_OK)
    *size = ghz_stream_finish(&shape, dst);
  return status;
}

ghz_status ghz_combine(ghz_context *ctx, size_t k, const ghz_bytes *streams, const int64_t *coefficients,
                       void *dst, size_t capacity, size_t *size) {
  if (!coefficients)
    return ghz_fail(ctx, GHZ_EINVAL, "coefficients is NULL");
  return to_stream(ctx, (computation){.k = k, .streams = streams, .coefficients = coefficients}, dst, capacity,
                   size);
}

ghz_status ghz_sum(ghz_context *ctx, size_t k, const ghz_bytes *streams, void *dst, size_t capacity,
                   size_t *size) {
  return to_stream(ctx, (computation){.k = k, .streams = streams}, dst, capacity, size);
}

ghz_status ghz_mean(ghz_context *ctx, size_t k, const ghz_bytes *streams, void *dst, size_t capacity,
                    size_t *size) {
  return to_stream(ctx, (computation){.k = k, .streams = streams, .divisor = (double)k, .scaled = 1}, dst,
                   capacity, size);
}

ghz_status ghz_add(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity, size_t *size) {
  return ghz_sum(ctx, 2, (ghz_bytes[]){a, b}, dst, capacity, size);
}

ghz_status ghz_subtract(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity, size_t *size) {
  return ghz_combine(ctx, 2, (ghz_bytes[]){a, b}, (int64_t[]){1, -1}, dst, capacity, size);
}

ghz_status ghz_negate(ghz_context *ctx, ghz_bytes a, void *dst, size_t capacity, size_t *size) {
  return ghz_combine(ctx, 1, &a, (int64_t[]){-1}, dst, capacity, size);
}

ghz_status ghz_scale(ghz_context *ctx, ghz_bytes a, double factor, void *dst, size_t capacity, size_t *size) {
  floating_environment env;
  int64_t sign = signbit(factor) ? -1 : 1;
  floating_begin(&env); /* a denormal factor is not 0 */
  int valid = fabs(factor) > 0 && fabs(factor) <= DBL_MAX;
  computation c = {.k = 1, .streams = &a, .coefficients = &sign, .factor = fabs(factor), .scaled = 1};
  ghz_status status =
      valid ? to_stream(ctx, c, dst, capacity, size) : ghz_fail(ctx, GHZ_EINVAL, "factor %g", factor);
  floating_end(&env);
  return status;
}

static ghz_status stream_extremum(ghz_context *ctx, enum operation operation, ghz_bytes a, ghz_bytes b,
                                  void *dst, size_t capacity, size_t *size) {
  return to_stream(ctx, (computation){.operation = operation, .k = 2, .streams = (ghz_bytes[]){a, b}}, dst,
                   capacity, size);
}

ghz_status ghz_minimum(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity, size_t *size) {
  return stream_extremum(ctx, MINIMUM, a, b, dst, capacity, size);
}

ghz_status ghz_maximum(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity, size_t *size) {
  return stream_extremum(ctx, MAXIMUM, a, b, dst, capacity, size);
}

/* The accumulator is an operand and the destination: the sum is laid out in scratch, now that its
 * bound is known. */
static ghz_status layout_in_scratch(ghz_context *ctx, const ghz_slice *shape, void *acc, size_t capacity,
                                    tile_sink *sink) {
  (void)acc;
  size_t bound = ghz_shape_bound(&shape->shape, shape->lattice.type, shape->terms + !shape->terms);
  size_t room = bound && bound < capacity ? bound : capacity;
  void *result = ghz_arena_reserve(&ctx->result, room);
  if (!result)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes of scratch", room);
  return ghz_stream_layout(ctx, shape, result, room, sink);
}

ghz_status ghz_accumulate(ghz_context *ctx, void *acc, size_t capacity, size_t *size, ghz_bytes x) {
  if (!ctx || !acc || !size || *size > capacity)
    return ghz_fail(ctx, GHZ_EINVAL, "acc or size is NULL, or size exceeds capacity");
  ghz_slice sum;
  computation c = {.k = 2, .streams = (ghz_bytes[]){{acc, *size}, x}};
  ghz_status status = ghz_compute(ctx, &c, &(destination){layout_in_scratch, acc, capacity}, &sum);
  if (status == GHZ_OK) {
    *size = ghz_stream_finish(&sum, ctx->result.data);
    memcpy(acc, ctx->result.data, *size);
  }
  return status;
}
