/* inspect.c: looking at streams: headers, what their tiles hold, and the range of their values. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include <string.h>

#include "context/call.h"
#include "context/floating.h"
#include "range.h"
#include "rules/lattice_rules.h"
#include "stream/tile_writer.h"

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

typedef struct look_job {
  const tile_codec *tiles;
  const ghz_lattice *lattice;
  uint8_t *results; /* one per thread */
  size_t result_size;
} look_job;

static void *result_of(const look_job *j, const chunk *c) {
  return j->results + (size_t)c->thread * j->result_size;
}

/* Looks at every tile of a stream; each thread's result begins as a copy of *initial, and *results
 * has them all. */
static ghz_status look_at_all(ghz_context *ctx, ghz_bytes src, tile_visit *look, const void *initial,
                              size_t size, void **results) {
  stream_operand source;
  ghz_status status = ghz_stream_header(ctx, src, 0, &source.slice);
  if (status == GHZ_OK)
    status = ghz_operands_open(ctx, 1, &source, 1, (size_t)ctx->threads * size, results);
  if (status != GHZ_OK)
    return status;
  /* The analyzer does not see that ghz_fail gives back a failure.
   * NOLINTNEXTLINE(clang-analyzer-*) */
  const look_job job = {ctx->tiles, &source.slice.lattice, *results, size};
  for (int i = 0; i < ctx->threads; i++)
    memcpy(job.results + (size_t)i * size, initial, size);
  return ghz_visit_tiles(ctx, 1, &source, look, &job);
}

static ghz_status scan_tile(const void *job, const chunk *c, const tile_walk *at, tile_source *src) {
  const look_job *j = job;
  return j->tiles->scan(j->lattice, *src, &at->extent, result_of(j, c));
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

static ghz_status extrema_of_tile(const void *job, const chunk *c, const tile_walk *at, tile_source *src) {
  _Alignas(64) uint8_t values[TILE * 8];
  double min, max;
  const look_job *j = job;
  const ghz_lattice *l = j->lattice;
  const tile_place place = packed_place(at->extent);
  if (src->size == 0 && !zero_is_fill(l)) {
    widen_range(result_of(j, c), 0,
                0); /* quick: in a packed file a byte may stand for half a million of them */
    return GHZ_OK;
  }
  ghz_status status = j->tiles->decode(l, src, l->type, &place, 0, values);
  if (status != GHZ_OK)
    return status;
  j->tiles->range(l, values, at->extent.n, &min, &max);
  widen_range(result_of(j, c), min, max);
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
