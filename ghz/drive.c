/* drive.c: running a tile operation over all tiles of an array, by the threads of a context.
 *
 * One thread writes each tile straight to its place. Several threads work in batches: each chunk goes to a slot of
 * scratch, then the offsets of the batch are known and the chunks are copied. The bytes do not depend on which. */

#include "drive.h"

#include <omp.h>

#include "bytes.h"
#include "floating.h"

enum { BATCH = 256 }; /* chunks: 16 MiB of floats, enough to hide two barriers */

static chunk chunk_at(uint64_t first, uint64_t tiles, uint64_t index, int thread) {
  uint64_t left = tiles - index * TILES_PER_CHUNK;
  return (chunk){index, first + index * TILES_PER_CHUNK, left < TILES_PER_CHUNK ? left : TILES_PER_CHUNK, thread};
}

static int threads_for(const ghz_context *ctx, uint64_t tiles) {
  uint64_t chunks = chunks_of(tiles);
  return chunks < (uint64_t)ctx->threads ? (chunks ? (int)chunks : 1) : ctx->threads;
}

static size_t slot_size(const tile_writer *w) {
  return (TILES_PER_CHUNK * w->tile_bound + SLACK + 63) & ~(size_t)63;
}

int ghz_produce_scratch(const ghz_context *ctx, const tile_writer *w, uint64_t tiles, size_t *total) {
  if (threads_for(ctx, tiles) == 1)
    return ghz_total_add(total, 1, TILE_BYTES_MAX + SLACK);
  uint64_t chunks = chunks_of(tiles), missing = chunks * TILES_PER_CHUNK - tiles;
  size_t slots = chunks < BATCH ? (size_t)chunks : BATCH;
  size_t unused = chunks <= BATCH ? (size_t)missing * w->tile_bound : 0; /* of a last slot that is not full */
  return ghz_total_add(total, slots + 1, sizeof(uint64_t)) &&
         ghz_total_add(total, 1, slots * slot_size(w) - unused + 64);
}

static ghz_status full(ghz_context *ctx, const tile_sink *sink) {
  return ghz_fail(ctx, GHZ_ECAPACITY, "the payload does not fit in %zu bytes", sink->room);
}

/* One thread: tiles go straight to the payload while there is room for the largest, else through scratch. */
static ghz_status produce_in_order(ghz_context *ctx, const tile_writer *w, ghz_slice *shape, const tile_sink *sink,
                                   uint8_t *scratch) {
  size_t used = 0, safe = TILE_BYTES_MAX + SLACK;
  uint64_t chunks = chunks_of(shape->tiles);
  for (uint64_t i = 0; i < chunks; i++) {
    chunk c = chunk_at(shape->first, shape->tiles, i, 0);
    if (sink->offsets)
      store_u64(sink->offsets + 8 * i, used);
    w->begin(w->job, &c);
    for (uint64_t t = 0; t < c.tiles; t++) {
      int direct = sink->room - used >= safe;
      uint8_t *dst = direct ? sink->payload + used : scratch;
      size_t size;
      ghz_status status = w->write(w->job, &c, c.first + t, dst, &size, &shape->inexact);
      if (status != GHZ_OK)
        return ghz_fail(ctx, status, "tile %llu is damaged", (unsigned long long)(c.first + t));
      if (!direct) {
        if (size > sink->room - used)
          return full(ctx, sink);
        memcpy(sink->payload + used, dst, size);
      }
      store_u16(sink->sizes + 2 * (i * TILES_PER_CHUNK + t), (uint16_t)size);
      used += size;
    }
  }
  if (sink->offsets)
    store_u64(sink->offsets + 8 * chunks, used);
  shape->payload_size = used;
  return GHZ_OK;
}

/* A chunk to its slot of scratch. */
static ghz_status write_chunk(const tile_writer *w, const chunk *c, const tile_sink *sink, uint8_t *slot,
                              uint64_t *bytes, int *inexact) {
  uint8_t *dst = slot;
  w->begin(w->job, c);
  for (uint64_t t = 0; t < c->tiles; t++) {
    size_t size;
    ghz_status status = w->write(w->job, c, c->first + t, dst, &size, inexact);
    if (status != GHZ_OK)
      return status;
    store_u16(sink->sizes + 2 * (c->index * TILES_PER_CHUNK + t), (uint16_t)size);
    dst += size;
  }
  *bytes = (uint64_t)(dst - slot);
  return GHZ_OK;
}

static ghz_status produce_in_batches(ghz_context *ctx, const tile_writer *w, ghz_slice *shape, const tile_sink *sink,
                                     uint8_t *scratch, int threads) {
  uint64_t chunks = chunks_of(shape->tiles), used = 0;
  uint64_t slots = chunks < BATCH ? chunks : BATCH;
  uint64_t *end = (uint64_t *)(void *)scratch; /* of each chunk in the batch */
  scratch += ((slots + 1) * sizeof *end + 63) & ~(size_t)63;
  ghz_status failed = GHZ_OK;
  int inexact = 0;
#pragma omp parallel num_threads(threads)
  {
    floating_environment env;
    floating_begin(&env);
    for (uint64_t base = 0; base < chunks; base += BATCH) {
      uint64_t count = chunks - base < BATCH ? chunks - base : BATCH;
#pragma omp for schedule(dynamic, 2) reduction(| : inexact)
      for (uint64_t i = 0; i < count; i++) {
        chunk c = chunk_at(shape->first, shape->tiles, base + i, omp_get_thread_num());
        ghz_status status = write_chunk(w, &c, sink, scratch + i * slot_size(w), &end[i + 1], &inexact);
        if (status != GHZ_OK) {
#pragma omp atomic write
          failed = status;
        }
      }
#pragma omp single
      {
        end[0] = used;
        for (uint64_t i = 0; i < count && failed == GHZ_OK; i++) {
          if (sink->offsets)
            store_u64(sink->offsets + 8 * (base + i), end[i]);
          end[i + 1] += end[i];
        }
        used = end[count];
        if (failed == GHZ_OK && used > sink->room)
          failed = GHZ_ECAPACITY;
      }
      if (failed != GHZ_OK)
        break;
#pragma omp for schedule(static)
      for (uint64_t i = 0; i < count; i++)
        memcpy(sink->payload + end[i], scratch + i * slot_size(w), end[i + 1] - end[i]);
    }
    floating_end(&env);
  }
  if (failed == GHZ_ECAPACITY)
    return full(ctx, sink);
  if (failed != GHZ_OK)
    return ghz_fail(ctx, failed, "a tile is damaged");
  if (sink->offsets)
    store_u64(sink->offsets + 8 * chunks, used);
  shape->payload_size = used;
  shape->inexact |= inexact;
  return GHZ_OK;
}

ghz_status ghz_produce(ghz_context *ctx, const tile_writer *w, ghz_slice *shape, const tile_sink *sink,
                       uint8_t *scratch) {
  int threads = threads_for(ctx, shape->tiles);
  if (threads > 1)
    return produce_in_batches(ctx, w, shape, sink, scratch, threads);
  floating_environment env;
  floating_begin(&env);
  ghz_status status = produce_in_order(ctx, w, shape, sink, scratch);
  floating_end(&env);
  return status;
}

ghz_status ghz_consume(ghz_context *ctx, const chunk_reader *r, uint64_t first, uint64_t tiles) {
  uint64_t chunks = chunks_of(tiles);
  int threads = threads_for(ctx, tiles);
  ghz_status failed = GHZ_OK;
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    floating_environment env;
    floating_begin(&env);
#pragma omp for schedule(dynamic, 2)
    for (uint64_t i = 0; i < chunks; i++) {
      chunk c = chunk_at(first, tiles, i, omp_get_thread_num());
      ghz_status status = r->read(r->job, &c);
      if (status != GHZ_OK) {
#pragma omp atomic write
        failed = status;
      }
    }
    floating_end(&env);
  }
  return failed == GHZ_OK ? GHZ_OK : ghz_fail(ctx, failed, "a tile is damaged");
}
