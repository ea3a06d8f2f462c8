/* tile_writer.c: the tiles that an operation makes, written in order and packed.
 *
 * One thread writes each tile straight to its place. Several threads write groups of chunks to a
 * reorder buffer. The bytes are the same. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "stream/tile_writer.h"

#include "context/floating.h"
#include "rules/bytes.h"
#include "stream/reorder_buffer.h"

/* Chunks in a group: enough work to make issuing one cheap. */
enum { GROUP = 4 };

static uint64_t groups_of(uint64_t tiles) {
  uint64_t chunks = chunks_of(tiles);
  return chunks / GROUP + (chunks % GROUP != 0);
}

int ghz_write_tiles_threads(const ghz_context *ctx, uint64_t tiles) {
  return ghz_threads_for(ctx, tiles, groups_of(tiles));
}

static size_t slot_size(const tile_writer *w) {
  return (GROUP * TILES_PER_CHUNK * w->tile_bound + SLACK + 63) & ~(size_t)63;
}

int ghz_write_tiles_scratch(const ghz_context *ctx, const tile_writer *w, uint64_t tiles, size_t *total) {
  if (ghz_write_tiles_threads(ctx, tiles) == 1)
    return ghz_total_add(total, 1, w->tile_bound + SLACK);
  uint64_t groups = groups_of(tiles), missing = groups * GROUP * TILES_PER_CHUNK - tiles;
  return ghz_reorder_scratch(groups, slot_size(w), (size_t)missing * w->tile_bound, total);
}

static ghz_status full(ghz_context *ctx, const tile_sink *sink) {
  return ghz_fail(ctx, GHZ_ECAPACITY, "the payload does not fit in %zu bytes", sink->room);
}

/* ---- One thread ------------------------------------------------------------------------------ */

/* Tiles go straight to the payload while it has room for the largest, else through scratch. */
static ghz_status write_chunk(ghz_context *ctx, const tile_writer *w, const chunk *c, const ghz_shape *shape,
                              const tile_sink *sink, uint8_t *scratch, size_t *used, int *inexact) {
  tile_walk at = walk_from(shape, c->first);
  w->begin(w->job, c);
  for (uint64_t t = 0; t < c->tiles; t++, walk_on(&at)) {
    int direct = sink->room - *used >= w->tile_bound + SLACK;
    uint8_t *dst = direct ? sink->payload + *used : scratch;
    size_t size;
    ghz_status status = w->write(w->job, c, &at, dst, &size, inexact);
    if (status != GHZ_OK)
      return ghz_tile_failed(ctx, status, c->first + t);
    if (!direct) {
      if (size > sink->room - *used)
        return full(ctx, sink);
      memcpy(sink->payload + *used, dst, size);
    }
    store_u16(sink->sizes + 2 * (c->index * TILES_PER_CHUNK + t), (uint16_t)size);
    *used += size;
  }
  return GHZ_OK;
}

static ghz_status write_in_order(ghz_context *ctx, const tile_writer *w, ghz_slice *result,
                                 const tile_sink *sink, uint8_t *scratch) {
  size_t used = 0;
  uint64_t chunks = chunks_of(result->tiles);
  for (uint64_t i = 0; i < chunks; i++) {
    chunk c = ghz_chunk_at(result->first, result->tiles, i, 0);
    ghz_status status = write_chunk(ctx, w, &c, &result->shape, sink, scratch, &used, &result->inexact);
    if (status != GHZ_OK)
      return status;
    if (sink->ends)
      store_u64(sink->ends + 8 * i, used);
  }
  result->payload_size = used;
  return GHZ_OK;
}

/* ---- Several threads ------------------------------------------------------------------------- */

typedef struct shared_work {
  const tile_writer *writer;
  const tile_sink *sink;
  const ghz_shape *shape;
  uint64_t first, tiles;
  reorder_buffer buffer;
  int inexact;
} shared_work;

/* Writes the chunks of a group to dst. Where it fails, *failed_at is the tile. */
static ghz_status write_group(const shared_work *s, uint64_t group, uint8_t *dst, uint64_t *written,
                              int *inexact, uint64_t *failed_at) {
  const tile_writer *w = s->writer;
  const uint8_t *start = dst;
  uint64_t chunks = chunks_of(s->tiles), end = (group + 1) * GROUP < chunks ? (group + 1) * GROUP : chunks;
  for (uint64_t i = group * GROUP; i < end; i++) {
    chunk c = ghz_chunk_at(s->first, s->tiles, i, omp_get_thread_num());
    tile_walk at = walk_from(s->shape, c.first);
    w->begin(w->job, &c);
    for (uint64_t t = 0; t < c.tiles; t++, walk_on(&at)) {
      size_t size;
      ghz_status status = w->write(w->job, &c, &at, dst, &size, inexact);
      *failed_at = c.first + t;
      if (status != GHZ_OK)
        return status;
      store_u16(s->sink->sizes + 2 * (i * TILES_PER_CHUNK + t), (uint16_t)size);
      dst += size;
    }
  }
  *written = (uint64_t)(dst - start);
  return GHZ_OK;
}

static void write_groups(shared_work *s) {
  uint64_t group, size, tile;
  uint32_t slot;
  uint8_t *dst;
  int inexact = 0;
  ghz_status status = GHZ_OK;
  while (status == GHZ_OK && ghz_reorder_issue(&s->buffer, &group, &slot, &dst)) {
    status = write_group(s, group, dst, &size, &inexact, &tile);
    if (status == GHZ_OK)
      ghz_reorder_complete(&s->buffer, group, slot, size);
    else
      ghz_reorder_fail(&s->buffer, status, tile);
  }
  if (inexact) {
#pragma omp atomic write
    s->inexact = 1;
  }
}

static ghz_status write_in_parallel(ghz_context *ctx, const tile_writer *w, ghz_slice *result,
                                    const tile_sink *sink, uint8_t *scratch, int threads) {
  shared_work s = {
      .writer = w, .sink = sink, .shape = &result->shape, .first = result->first, .tiles = result->tiles};
  ghz_reorder_begin(&s.buffer, sink, groups_of(result->tiles), slot_size(w), scratch);
#pragma omp parallel num_threads(threads)
  {
    floating_environment env;
    floating_begin(&env);
    write_groups(&s);
    floating_end(&env);
  }
  ghz_reorder_end(&s.buffer);
  if (s.buffer.status == GHZ_ECAPACITY)
    return full(ctx, sink);
  if (s.buffer.status != GHZ_OK)
    return ghz_tile_failed(ctx, s.buffer.status, s.buffer.failed_at);
  if (sink->ends)
    ghz_put_ends(sink, result->tiles);
  result->payload_size = s.buffer.used;
  result->inexact |= s.inexact;
  return GHZ_OK;
}

ghz_status ghz_write_tiles(ghz_context *ctx, const tile_writer *w, ghz_slice *result, const destination *to,
                           uint8_t *scratch) {
  tile_sink sink;
  ghz_status status = to->layout(ctx, result, to->dst, to->capacity, &sink);
  if (status != GHZ_OK)
    return status;
  result->sizes = sink.sizes;
  result->payload = sink.payload;
  int threads = ghz_write_tiles_threads(ctx, result->tiles);
  if (threads > 1)
    return write_in_parallel(ctx, w, result, &sink, scratch, threads);
  return write_in_order(ctx, w, result, &sink, scratch);
}
