/* compute.c: arithmetic on streams: checks that operands agree, then hands tile after tile to the tile codec.
 */

#include "compute.h"

#include "floating.h"
#include "lattice.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"

typedef struct compute_job {
  const tile_codec *tiles;
  const request *request;
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
  for (size_t i = 0; i < j->request->k; i++)
    cursors[i] = cursor_at(&j->operands[i], c->index);
}

static ghz_status compute_tile(const void *job, const chunk *c, uint64_t tile, uint8_t *dst, size_t *size,
                               int *inexact) {
  const compute_job *j = job;
  const ghz_slice *s = &j->operands[0].slice;
  size_t k = j->request->k;
  tile_cursor *cursors = cursors_of(j, c);
  tile_source *sources = (tile_source *)(void *)(cursors + k);
  for (size_t i = 0; i < k; i++)
    sources[i] = cursor_next(&cursors[i], j->operands[i].slice.terms);
  unsigned n = values_in_tile(s->count, tile);
  if (j->request->operation == COMBINE)
    return j->tiles->combine(&s->lattice, &j->combination, sources, n, dst, size, inexact);
  return j->tiles->extremum(&s->lattice, sources, j->request->operation == MAXIMUM, n, dst, size, inexact);
}

/* ---- Operands that agree ----------------------------------------------------------------------------- */

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

/* The shape of an operand; the sizes of its tiles are not looked at yet. */
static ghz_status open_one(ghz_context *ctx, const request *r, size_t i, ghz_slice *s) {
  if (r->streams)
    return ghz_stream_header(ctx, r->streams[i], i, s);
  *s = r->slices[i];
  uint64_t all = tiles_of(s->count);
  if (!ghz_lattice_valid(&s->lattice) || s->terms > terms_limit(s->lattice.cap) || s->first > all ||
      s->tiles > all - s->first)
    return ghz_fail(ctx, GHZ_EINVAL, "operand %zu is no slice", i);
  return GHZ_OK;
}

static inline int64_t coefficient(const request *r, size_t i) {
  return r->coefficients ? r->coefficients[i] : 1;
}

/* Adds an operand's terms to those of the result: sums add up, extrema keep the larger. */
static ghz_status count_terms(ghz_context *ctx, const request *r, size_t i, const ghz_slice *s,
                              uint64_t *total) {
  uint64_t product, limit = terms_limit(s->lattice.cap), terms = s->terms;
  int64_t c = coefficient(r, i);
  uint64_t magnitude = c < 0 ? -(uint64_t)c : (uint64_t)c;
  if (r->operation != COMBINE)
    *total = terms > *total ? terms : *total;
  else if (__builtin_mul_overflow(magnitude, terms, &product) ||
           __builtin_add_overflow(*total, product, total) || *total > limit)
    return ghz_fail(ctx, GHZ_ERANGE, "more than %llu terms", (unsigned long long)limit);
  return GHZ_OK;
}

/* The shape of the result, from the headers of operands that agree. *counting: those whose coefficient is not 0.
 */
static ghz_status result_shape(ghz_context *ctx, const request *r, ghz_slice *shape, size_t *counting) {
  uint64_t terms = 0;
  ghz_status status = open_one(ctx, r, 0, shape), counted = GHZ_OK;
  shape->inexact = 0;
  *counting = 0;
  for (size_t i = 0; i < r->k && status == GHZ_OK; i++) {
    ghz_slice s;
    status = open_one(ctx, r, i, &s);
    if (status == GHZ_OK)
      status = agree(ctx, shape, &s, i);
    if (status == GHZ_OK && counted == GHZ_OK) /* too many matters where all operands agree */
      counted = count_terms(ctx, r, i, &s, &terms);
    if (status == GHZ_OK && coefficient(r, i)) {
      shape->inexact |= s.inexact;
      ++*counting;
    }
  }
  shape->terms = (uint32_t)terms;
  return status == GHZ_OK ? counted : status;
}

/* ---- Running it -------------------------------------------------------------------------------------- */

static void *carve(uint8_t **scratch, size_t count, size_t each) {
  void *p = *scratch;
  *scratch += (count * each + 63) & ~(size_t)63;
  return p;
}

/* Scratch for everything; the operands are opened into it. */
static ghz_status prepare(ghz_context *ctx, const request *r, const ghz_slice *first, compute_job *j,
                          const tile_writer *w, uint8_t **rest) {
  size_t total = 0, threads = (size_t)ctx->threads, chunks = (size_t)chunks_of(first->tiles) + 1, each;
  int fits = ghz_total_add(&total, r->k, sizeof(operand)) && !__builtin_mul_overflow(r->k, chunks, &each) &&
             ghz_total_add(&total, each, sizeof(uint64_t)) && r->k < SIZE_MAX / 256 &&
             ghz_total_add(&total, threads + 1, thread_stride(r->k)) &&
             ghz_write_tiles_scratch(ctx, w, first->tiles, &total);
  uint8_t *scratch = fits ? ghz_arena_reserve(&ctx->scratch, total) : NULL;
  if (!scratch)
    return ghz_fail(ctx, GHZ_ENOMEM, "no scratch for %zu operands", r->k);
  operand *operands = carve(&scratch, r->k, sizeof(operand));
  uint64_t *offsets = carve(&scratch, r->k * chunks, sizeof(uint64_t));
  j->operands = operands;
  j->stride = thread_stride(r->k);
  j->threads = carve(&scratch, threads + 1, j->stride); /* one more, for 128 bytes of alignment */
  j->threads += -(uintptr_t)j->threads & 127;
  *rest = scratch;
  for (size_t i = 0; i < r->k; i++) {
    operand *o = &operands[i];
    ghz_status status = open_one(ctx, r, i, &o->slice);
    o->offset = offsets + i * chunks;
    if (status == GHZ_OK)
      status = r->streams ? ghz_stream_open(ctx, r->streams[i], i, &o->slice, o->offset)
                          : ghz_slice_locate(ctx, &o->slice, o->offset);
    if (status != GHZ_OK)
      return status;
  }
  return GHZ_OK;
}

static ghz_status compute(ghz_context *ctx, const request *r, tile_layout layout, void *dst, size_t capacity,
                          ghz_slice *shape) {
  compute_job job = {.tiles = ctx->tiles, .request = r};
  tile_writer writer = {&job, compute_begin, compute_tile, 0};
  uint8_t *rest = NULL;
  size_t counting;
  ghz_status status = result_shape(ctx, r, shape, &counting);
  if (status != GHZ_OK)
    return status;
  writer.tile_bound = ghz_tile_bound(shape->lattice.type, shape->terms, 0);
  job.combination = (combination){r->k,      r->coefficients, r->factor,    r->divisor,
                                  r->scaled, counting > 1,    shape->terms, writer.tile_bound};
  status = prepare(ctx, r, shape, &job, &writer, &rest);
  if (status == GHZ_OK && r->scaled && !scale_lattice(&shape->lattice, r->factor, r->divisor))
    status = ghz_fail(ctx, GHZ_EINVAL, "step %g times %g leaves the range of the type", shape->lattice.step,
                      r->factor / r->divisor);
  if (status != GHZ_OK)
    return status;
  tile_sink sink;
  status = layout(ctx, shape, dst, capacity, &sink);
  if (status != GHZ_OK)
    return status;
  shape->sizes = sink.sizes;
  shape->payload = sink.payload;
  return ghz_write_tiles(ctx, &writer, shape, &sink, rest);
}

ghz_status ghz_compute(ghz_context *ctx, const request *r, tile_layout layout, void *dst, size_t capacity,
                       ghz_slice *shape) {
  if (!ctx || !dst || (!r->streams && !r->slices) || r->k == 0)
    return ghz_fail(ctx, GHZ_EINVAL, "a pointer is NULL, or there are no operands");
  floating_environment env;
  floating_begin(&env);
  ghz_status status = compute(ctx, r, layout, dst, capacity, shape);
  floating_end(&env);
  return status;
}

/* ---- The public operations --------------------------------------------------------------------------- */

static ghz_status to_stream(ghz_context *ctx, request r, void *dst, size_t capacity, size_t *size) {
  ghz_slice shape;
  if (!size)
    return ghz_fail(ctx, GHZ_EINVAL, "size is NULL");
  if (r.factor == 0)
    r.factor = 1;
  if (r.divisor == 0)
    r.divisor = 1;
  ghz_status status = ghz_compute(ctx, &r, ghz_stream_layout, dst, capacity, &shape);
  if (status == GHZ_OK)
    *size = ghz_stream_finish(&shape, dst);
  return status;
}

ghz_status ghz_combine(ghz_context *ctx, size_t k, const ghz_bytes *streams, const int64_t *coefficients,
                       void *dst, size_t capacity, size_t *size) {
  if (!coefficients)
    return ghz_fail(ctx, GHZ_EINVAL, "coefficients is NULL");
  return to_stream(ctx, (request){.k = k, .streams = streams, .coefficients = coefficients}, dst, capacity,
                   size);
}

ghz_status ghz_sum(ghz_context *ctx, size_t k, const ghz_bytes *streams, void *dst, size_t capacity,
                   size_t *size) {
  return to_stream(ctx, (request){.k = k, .streams = streams}, dst, capacity, size);
}

ghz_status ghz_mean(ghz_context *ctx, size_t k, const ghz_bytes *streams, void *dst, size_t capacity,
                    size_t *size) {
  return to_stream(ctx, (request){.k = k, .streams = streams, .divisor = (double)k, .scaled = 1}, dst, capacity,
                   size);
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
  request r = {.k = 1, .streams = &a, .coefficients = &sign, .factor = fabs(factor), .scaled = 1};
  ghz_status status =
      valid ? to_stream(ctx, r, dst, capacity, size) : ghz_fail(ctx, GHZ_EINVAL, "factor %g", factor);
  floating_end(&env);
  return status;
}

static ghz_status stream_extremum(ghz_context *ctx, enum operation operation, ghz_bytes a, ghz_bytes b,
                                  void *dst, size_t capacity, size_t *size) {
  return to_stream(ctx, (request){.operation = operation, .k = 2, .streams = (ghz_bytes[]){a, b}}, dst,
                   capacity, size);
}

ghz_status ghz_minimum(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity, size_t *size) {
  return stream_extremum(ctx, MINIMUM, a, b, dst, capacity, size);
}

ghz_status ghz_maximum(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity, size_t *size) {
  return stream_extremum(ctx, MAXIMUM, a, b, dst, capacity, size);
}

ghz_status ghz_accumulate(ghz_context *ctx, void *acc, size_t capacity, size_t *size, ghz_bytes x) {
  if (!ctx || !acc || !size || *size > capacity)
    return ghz_fail(ctx, GHZ_EINVAL, "acc or size is NULL, or size exceeds capacity");
  ghz_slice a;
  ghz_bytes old = {acc, *size};
  ghz_status status = ghz_stream_header(ctx, old, 0, &a);
  if (status != GHZ_OK)
    return status;
  ghz_slice b;
  status = ghz_stream_header(ctx, x, 1, &b);
  if (status != GHZ_OK)
    return status;
  uint32_t limit = terms_limit(a.lattice.cap), terms = a.terms + b.terms; /* too many are refused later */
  size_t bound = ghz_size_bound((size_t)a.count, a.lattice.type, terms < limit ? terms + !terms : limit), sum;
  size_t room = bound && bound < capacity ? bound : capacity;
  void *result = ghz_arena_reserve(&ctx->result, room);
  if (!result)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes of scratch", room);
  status = ghz_add(ctx, old, x, result, room, &sum);
  if (status == GHZ_OK) {
    memcpy(acc, result, sum);
    *size = sum;
  }
  return status;
}
