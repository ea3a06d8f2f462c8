/* inspect.c: looking at streams: headers, what their tiles hold, and the range of their values. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include <string.h>

#include "context/call.h"
#include "context/floating.h"
#include "context/parallel.h"
#include "range.h"
#include "rules/lattice_rules.h"
#include "stream/place.h"
#include "stream/stream.h"

ghz_status ghz_info_read(ghz_bytes src, ghz_info *info) {
  ghz_slice s;
  if (!info)
    return ghz_fail(NULL, GHZ_EINVAL, "info is NULL");
  ghz_status status = ghz_stream_open(NULL, src, &s);
  if (status != GHZ_OK)
    return status;
  floating_environment env;
  floating_begin(&env);
  *info = (ghz_info){.lattice = s.lattice,
                     .shape = s.shape,
                     .count = s.count,
                     .tiles = s.tiles,
                     .terms = s.terms,
                     .inexact = s.inexact,
                     .transform = s.transform,
                     .bound = s.inexact ? INFINITY : multiply_up(s.lattice.eb, s.terms),
                     .bytes = src.size};
  floating_end(&env);
  return GHZ_OK;
}

typedef struct look_job look_job;

/* What is done with each tile, for the result of one thread. */
typedef ghz_status (*tile_look)(const look_job *j, tile_source src, const tile_extent *extent, void *result);

struct look_job {
  const tile_codec *tiles;
  stream_operand source;
  tile_look look;
  uint8_t *results; /* one per thread */
  size_t result_size;
};

static ghz_status look_chunk(const void *job, chunk *c) {
  const look_job *j = job;
  const ghz_slice *s = &j->source.slice;
  tile_cursor cursor = cursor_at(&j->source, c->index);
  tile_walk walk = walk_from(&s->shape, c->first);
  ghz_status status = GHZ_OK;
  for (uint64_t t = 0; t < c->tiles && status == GHZ_OK; t++, walk_on(&walk)) {
    c->at = c->first + t;
    status = j->look(j, cursor_next(&cursor, s), &walk.extent, j->results + (size_t)c->thread * j->result_size);
  }
  return status;
}

/* Looks at every tile of a stream; each thread's result begins as a copy of *initial, and *results
 * has them all. */
static ghz_status look_at_all(ghz_context *ctx, ghz_bytes src, tile_look look, const void *initial, size_t size,
                              void **results) {
  look_job job = {.look = look, .result_size = size};
  ghz_slice s;
  job.tiles = ctx->tiles;
  ghz_status status = ghz_stream_open(ctx, src, &s);
  if (status == GHZ_OK)
    status = ghz_operand_open(ctx, &s, &job.source, (size_t)ctx->threads * size, results);
  if (status != GHZ_OK)
    return status;
  /* The analyzer does not see that ghz_fail gives back a failure.
   * NOLINTNEXTLINE(clang-analyzer-*) */
  job.results = *results;
  for (int i = 0; i < ctx->threads; i++)
    memcpy(job.results + (size_t)i * size, initial, size);
  return ghz_parallel_for(ctx, look_chunk, &job, 0, s.tiles);
}

static ghz_status scan_tile(const look_job *j, tile_source src, const tile_extent *extent, void *result) {
  return j->tiles->scan(&j->source.slice.lattice, src, extent, result);
}

ghz_status ghz_scan(ghz_context *ctx, ghz_bytes src, ghz_statistics *statistics) {
  GHZ_CALL(ctx);
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

static ghz_status extrema_of_tile(const look_job *j, tile_source src, const tile_extent *extent, void *result) {
  _Alignas(64) uint8_t values[TILE * 8];
  double min, max;
  const ghz_lattice *l = &j->source.slice.lattice;
  const tile_place place = packed_place(*extent);
  if (src.size == 0 && !(l->has_fill && l->fill == 0)) {
    widen_range(result, 0, 0); /* quick: in a packed file a byte may stand for half a million of them */
    return GHZ_OK;
  }
  ghz_status status = j->tiles->decode(l, &src, l->type, &place, 0, values);
  if (status != GHZ_OK)
    return status;
  j->tiles->range(l, values, extent->n, &min, &max);
  widen_range(result, min, max);
  return GHZ_OK;
}

ghz_status ghz_extrema(ghz_context *ctx, ghz_bytes src, double *min, double *max) {
  GHZ_CALL(ctx);
  void *results;
  if (!min || !max)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", min ? "max" : "min");
  ghz_status status = look_at_all(ctx, src, extrema_of_tile, &no_values, sizeof no_values, &results);
  if (status != GHZ_OK)
    return status;
  const thread_range *all = ghz_merge_ranges(results, ctx->threads);
  *min = all->min;
  *max = all->max;
  return GHZ_OK;
}
