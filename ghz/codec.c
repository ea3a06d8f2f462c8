/* codec.c: compression, decompression, and looking at streams. */

#include "codec.h"

#include "bytes.h"
#include "floating.h"
#include "lattice.h"
#include "lattice_rules.h"

/* ---- Compression ------------------------------------------------------------------------------------- */

typedef struct compress_job {
  const tile_codec *tiles;
  const ghz_lattice *lattice;
  int order;
  const uint8_t *x;
  size_t n;
} compress_job;

static void compress_begin(const void *job, const chunk *c) {
  (void)job;
  (void)c;
}

static ghz_status compress_tile(const void *job, const chunk *c, uint64_t tile, uint8_t *dst, size_t *size,
                                int *inexact) {
  const compress_job *j = job;
  (void)c;
  (void)inexact;
  const uint8_t *x = j->x + tile * TILE * ghz_type_size(j->lattice->type);
  *size = j->tiles->encode(j->lattice, j->order, x, values_in_tile(j->n, tile), dst);
  return GHZ_OK;
}

ghz_status ghz_compress_tiles(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x, size_t n,
                              uint64_t first, uint64_t tiles, tile_layout layout, void *dst, size_t capacity,
                              ghz_slice *shape) {
  if (!ctx || !lattice || !dst || (!x && n))
    return ghz_fail(ctx, GHZ_EINVAL, "a pointer is NULL");
  if (order < GHZ_ORDER_BEST || order > 2)
    return ghz_fail(ctx, GHZ_EINVAL, "order %d", order);
  if (!ghz_lattice_fresh(lattice))
    return ghz_fail(ctx, GHZ_EINVAL, "step %g, bound %g, cap %d are no lattice to compress on", lattice->step,
                    lattice->eb, lattice->cap);
  if (n > SIZE_MAX / ghz_type_size(lattice->type))
    return ghz_fail(ctx, GHZ_EINVAL, "%zu values do not fit in memory", n);
  *shape = (ghz_slice){.lattice = *lattice, .count = n, .terms = 1, .first = first, .tiles = tiles};
  compress_job job = {ctx->tiles, lattice, order, x, n};
  tile_writer writer = {&job, compress_begin, compress_tile, ghz_tile_bound(lattice->type, 1, 1)};
  tile_sink sink;
  ghz_status status = layout(ctx, shape, dst, capacity, &sink);
  if (status != GHZ_OK)
    return status;
  size_t total = 0;
  uint8_t *scratch =
      ghz_produce_scratch(ctx, &writer, tiles, &total) ? ghz_arena_reserve(&ctx->scratch, total) : NULL;
  if (!scratch)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes of scratch", total);
  shape->sizes = sink.sizes;
  shape->payload = sink.payload;
  return ghz_produce(ctx, &writer, shape, &sink, scratch);
}

ghz_status ghz_compress(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x, size_t n,
                        void *dst, size_t capacity, size_t *size) {
  ghz_slice shape;
  if (!size)
    return ghz_fail(ctx, GHZ_EINVAL, "size is NULL");
  ghz_status status =
      ghz_compress_tiles(ctx, lattice, order, x, n, 0, tiles_of(n), ghz_stream_layout, dst, capacity, &shape);
  if (status == GHZ_OK)
    *size = ghz_stream_finish(&shape, dst);
  return status;
}

/* ---- Decompression ----------------------------------------------------------------------------------- */

/* An operand whose chunk offsets lie in the context's scratch, with `extra` more bytes behind them. */
static ghz_status open_operand(ghz_context *ctx, const ghz_slice *slice, operand *o, size_t extra,
                               void **rest) {
  size_t offsets = 0, total;
  if (!ghz_total_add(&offsets, (size_t)chunks_of(slice->tiles) + 1, sizeof(uint64_t)))
    return ghz_fail(ctx, GHZ_ENOMEM, "too many tiles");
  total = offsets;
  uint8_t *scratch = ghz_total_add(&total, extra, 1) ? ghz_arena_reserve(&ctx->scratch, total) : NULL;
  if (!scratch)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes of scratch", total);
  *o = (operand){*slice, (uint64_t *)(void *)scratch};
  if (rest)
    *rest = scratch + offsets;
  return ghz_slice_locate(ctx, slice, o->offset);
}

/* From this size on results pass the caches by: reading the old lines first would double the traffic. */
#define STREAMING_BYTES ((size_t)16 << 20)

typedef struct decompress_job {
  const tile_codec *tiles;
  operand source;
  ghz_type out;
  uint64_t first, end; /* values wanted */
  int streaming;
  uint8_t *dst;
} decompress_job;

/* A tile of which only some values are wanted goes through a buffer. */
static ghz_status decompress_part(const decompress_job *j, tile_source src, uint64_t start, unsigned n) {
  _Alignas(64) uint8_t whole[TILE * 8];
  size_t value = ghz_type_size(j->out);
  uint64_t from = start < j->first ? j->first : start, to = start + n < j->end ? start + n : j->end;
  ghz_status status = j->tiles->decode(&j->source.slice.lattice, src, j->out, n, 0, whole);
  if (status == GHZ_OK)
    memcpy(j->dst + (from - j->first) * value, whole + (from - start) * value, (to - from) * value);
  return status;
}

static ghz_status decompress_chunk(const void *job, const chunk *c) {
  const decompress_job *j = job;
  const ghz_slice *s = &j->source.slice;
  tile_cursor cursor = cursor_at(&j->source, c->index);
  for (uint64_t t = c->first; t < c->first + c->tiles; t++) {
    tile_source src = cursor_next(&cursor, s->terms);
    uint64_t start = t * TILE;
    unsigned n = values_in_tile(s->count, t);
    ghz_status status = GHZ_OK;
    if (start >= j->first && start + n <= j->end)
      status = j->tiles->decode(&s->lattice, src, j->out, n, j->streaming,
                                j->dst + (start - j->first) * ghz_type_size(j->out));
    else if (start + n > j->first && start < j->end)
      status = decompress_part(j, src, start, n);
    if (status != GHZ_OK)
      return status;
  }
  if (j->streaming)
    j->tiles->settle();
  return GHZ_OK;
}

ghz_status ghz_decompress_values(ghz_context *ctx, const ghz_slice *slice, ghz_type out, uint64_t first,
                                 size_t count, void *dst) {
  if (!ghz_type_known(out) || (out == GHZ_F32 && slice->lattice.type == GHZ_F64))
    return ghz_fail(ctx, GHZ_EINVAL, "a stream of doubles does not decompress to floats");
  if (!dst && count)
    return ghz_fail(ctx, GHZ_EINVAL, "dst is NULL");
  if (count == 0)
    return GHZ_OK;
  decompress_job job = {.tiles = ctx->tiles, .out = out, .first = first, .end = first + count, .dst = dst};
  job.streaming = count >= STREAMING_BYTES / ghz_type_size(out);
  ghz_status status = open_operand(ctx, slice, &job.source, 0, NULL);
  chunk_reader reader = {&job, decompress_chunk};
  return status == GHZ_OK ? ghz_consume(ctx, &reader, slice->first, slice->tiles) : status;
}

ghz_status ghz_decompress(ghz_context *ctx, ghz_bytes src, ghz_type out, void *dst, size_t count) {
  ghz_slice s;
  if (!ctx)
    return GHZ_EINVAL;
  ghz_status status = ghz_stream_open(ctx, src, 0, &s, NULL);
  if (status != GHZ_OK)
    return status;
  if (s.count > count)
    return ghz_fail(ctx, GHZ_ECAPACITY, "%llu values in the stream, room for %zu", (unsigned long long)s.count,
                    count);
  return ghz_decompress_values(ctx, &s, out, 0, (size_t)s.count, dst);
}

ghz_status ghz_decompress_range(ghz_context *ctx, ghz_bytes src, ghz_type out, uint64_t first, size_t count,
                                void *dst) {
  ghz_slice s;
  if (!ctx)
    return GHZ_EINVAL;
  ghz_status status = ghz_stream_open(ctx, src, 0, &s, NULL);
  if (status != GHZ_OK)
    return status;
  if (first > s.count || count > s.count - first)
    return ghz_fail(ctx, GHZ_EINVAL, "values %llu .. +%zu of %llu", (unsigned long long)first, count,
                    (unsigned long long)s.count);
  if (count) {
    uint64_t tile = first / TILE;
    status = ghz_slice_cut(&s, tile, (first + count - 1) / TILE - tile + 1, &s);
  }
  return status == GHZ_OK ? ghz_decompress_values(ctx, &s, out, first, count, dst) : status;
}

/* ---- Range of values --------------------------------------------------------------------------------- */

/* Least and greatest per thread, a cache line each. */
typedef struct thread_range {
  _Alignas(64) double min, max;
} thread_range;

static const thread_range *merge_ranges(thread_range *r, int threads) {
  floating_environment env;
  floating_begin(&env); /* denormals compare as themselves */
  for (int i = 1; i < threads; i++) {
    r->min = r[i].min < r->min ? r[i].min : r->min;
    r->max = r[i].max > r->max ? r[i].max : r->max;
  }
  floating_end(&env);
  return r;
}

static const thread_range nothing_yet = {INFINITY, -INFINITY};

static void widen(thread_range *r, double min, double max) {
  r->min = min < r->min ? min : r->min;
  r->max = max > r->max ? max : r->max;
}

typedef struct range_job {
  const tile_codec *tiles;
  ghz_type type;
  const uint8_t *x;
  size_t n;
  thread_range *ranges;
} range_job;

static ghz_status range_chunk(const void *job, const chunk *c) {
  const range_job *j = job;
  size_t start = c->first * TILE, count = j->n - start < GHZ_CHUNK ? j->n - start : GHZ_CHUNK;
  double min, max;
  j->tiles->range(j->type, j->x + start * ghz_type_size(j->type), count, &min, &max);
  widen(&j->ranges[c->thread], min, max);
  return GHZ_OK;
}

ghz_status ghz_range(ghz_context *ctx, ghz_type type, const void *x, size_t n, double *min, double *max) {
  if (!ctx || !ghz_type_known(type) || (!x && n) || !min || !max)
    return ghz_fail(ctx, GHZ_EINVAL, "a pointer is NULL, or type %d is unknown", (int)type);
  thread_range *ranges = ghz_arena_reserve(&ctx->scratch, (size_t)ctx->threads * sizeof *ranges);
  if (!ranges)
    return ghz_fail(ctx, GHZ_ENOMEM, "no scratch for %d threads", ctx->threads);
  for (int i = 0; i < ctx->threads; i++)
    ranges[i] = nothing_yet;
  range_job job = {ctx->tiles, type, x, n, ranges};
  chunk_reader reader = {&job, range_chunk};
  ghz_status status = ghz_consume(ctx, &reader, 0, tiles_of(n));
  const thread_range *all = merge_ranges(ranges, ctx->threads);
  *min = all->min;
  *max = all->max;
  return status;
}

/* ---- Looking at streams ------------------------------------------------------------------------------ */

ghz_status ghz_info_read(ghz_bytes src, ghz_info *info) {
  ghz_slice s;
  if (!info)
    return GHZ_EINVAL;
  ghz_status status = ghz_stream_open(NULL, src, 0, &s, NULL);
  if (status != GHZ_OK)
    return status;
  floating_environment env;
  floating_begin(&env);
  *info = (ghz_info){.lattice = s.lattice,
                     .count = s.count,
                     .tiles = s.tiles,
                     .terms = s.terms,
                     .inexact = s.inexact,
                     .bound = s.inexact ? INFINITY : multiply_up(s.lattice.eb, s.terms),
                     .bytes = src.size};
  floating_end(&env);
  return GHZ_OK;
}

typedef struct look_job look_job;

/* What is done with each tile, for the result of one thread. */
typedef ghz_status (*tile_look)(const look_job *j, tile_source src, unsigned n, void *result);

struct look_job {
  const tile_codec *tiles;
  operand source;
  tile_look look;
  uint8_t *results; /* one per thread */
  size_t result_size;
};

static ghz_status look_chunk(const void *job, const chunk *c) {
  const look_job *j = job;
  const ghz_slice *s = &j->source.slice;
  tile_cursor cursor = cursor_at(&j->source, c->index);
  ghz_status status = GHZ_OK;
  for (uint64_t t = c->first; t < c->first + c->tiles && status == GHZ_OK; t++)
    status = j->look(j, cursor_next(&cursor, s->terms), values_in_tile(s->count, t),
                     j->results + (size_t)c->thread * j->result_size);
  return status;
}

/* Looks at every tile of a stream; each thread's result begins as a copy of *initial, and *results has them
 * all. */
static ghz_status look_at_all(ghz_context *ctx, ghz_bytes src, tile_look look, const void *initial, size_t size,
                              void **results) {
  look_job job = {.look = look, .result_size = size};
  ghz_slice s;
  if (!ctx)
    return GHZ_EINVAL;
  job.tiles = ctx->tiles;
  ghz_status status = ghz_stream_open(ctx, src, 0, &s, NULL);
  if (status == GHZ_OK)
    status = open_operand(ctx, &s, &job.source, (size_t)ctx->threads * size, results);
  if (status != GHZ_OK)
    return status;
  /* The analyzer does not see that ghz_fail gives back a failure. NOLINTNEXTLINE(clang-analyzer-*) */
  job.results = *results;
  for (int i = 0; i < ctx->threads; i++)
    memcpy(job.results + (size_t)i * size, initial, size);
  chunk_reader reader = {&job, look_chunk};
  return ghz_consume(ctx, &reader, 0, s.tiles);
}

static ghz_status scan_tile(const look_job *j, tile_source src, unsigned n, void *result) {
  return j->tiles->scan(&j->source.slice.lattice, src, n, result);
}

ghz_status ghz_scan(ghz_context *ctx, ghz_bytes src, ghz_statistics *statistics) {
  const ghz_statistics none = {0};
  void *results;
  if (!statistics)
    return ghz_fail(ctx, GHZ_EINVAL, "statistics is NULL");
  ghz_status status = look_at_all(ctx, src, scan_tile, &none, sizeof none, &results);
  if (status != GHZ_OK)
    return status;
  const uint64_t *counts = results;
  uint64_t *sum = (uint64_t *)statistics;
  enum { FIELDS = sizeof none / sizeof *sum };
  *statistics = none;
  for (size_t i = 0; i < (size_t)ctx->threads * FIELDS; i++)
    sum[i % FIELDS] += counts[i];
  return GHZ_OK;
}

static ghz_status extrema_of_tile(const look_job *j, tile_source src, unsigned n, void *result) {
  _Alignas(64) uint8_t values[TILE * 8];
  double min, max;
  const ghz_lattice *l = &j->source.slice.lattice;
  ghz_status status = j->tiles->decode(l, src, l->type, n, 0, values);
  if (status != GHZ_OK)
    return status;
  j->tiles->range(l->type, values, n, &min, &max);
  widen(result, min, max);
  return GHZ_OK;
}

ghz_status ghz_extrema(ghz_context *ctx, ghz_bytes src, double *min, double *max) {
  void *results;
  if (!min || !max)
    return ghz_fail(ctx, GHZ_EINVAL, "a pointer is NULL");
  ghz_status status = look_at_all(ctx, src, extrema_of_tile, &nothing_yet, sizeof nothing_yet, &results);
  if (status != GHZ_OK)
    return status;
  const thread_range *all = merge_ranges(results, ctx->threads);
  *min = all->min;
  *max = all->max;
  return GHZ_OK;
}
