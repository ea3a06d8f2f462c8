/* tile_writer.c: the tiles that an operation makes, written in order and packed.
 *
 * One thread writes each tile straight to its place. Several threads write groups of chunks to a
 * reorder buffer. The bytes are the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>
#include <string.h>

#include "context/floating.h"
#include "context/parallel.h"
#include "rules/bytes.h"
#include "stream/stream.h"
#include "stream/tile_writer.h"

/* ---- The reorder buffer ---------------------------------------------------------------------- */

/* Groups of tiles that threads complete in any order go to the payload in the
 * order of the tiles.
 *
 * A group's place is known once all groups before it are complete. Until then it waits in a slot of
 * scratch:
 *
 *   free slot --issue--> being written --complete--> waits for older groups
 *             --retire--> has a place --copy--> free slot
 *
 * The thread that completes the oldest group retires it and every complete group that follows, and
 * copies them: no thread waits for another, unless all slots wait behind one slow thread. */
typedef struct reorder_slot reorder_slot;

typedef struct reorder_buffer {
  const tile_sink *sink;
  uint64_t groups;                /* there are so many */
  uint64_t issued, retired, used; /* groups issued, groups retired, their bytes */
  ghz_status status;              /* of a failure; no group is issued after one */
  uint64_t failed_at;             /* the first tile that failed */
  size_t slots, slot_bytes, idle;
  reorder_slot *slot;
  /* Of group g, issued and not retired: its slot once it is complete, else NONE; at [g % slots]. */
  uint32_t *window;
  uint32_t *free; /* a stack of `idle` slots */
  uint8_t *bytes; /* of all slots */
  omp_lock_t lock;
} reorder_buffer;

/* Limit of groups buffered out of order; reached only if a thread is descheduled for long. The slot
 * that was freed last is used first, so that a few stay in cache. */
enum { SLOTS_MAX = 64 };

#define NONE UINT32_MAX

struct reorder_slot {
  uint64_t size, place; /* bytes of its group, and where they go */
  uint32_t next;        /* slot of the group that was retired with it, after it */
};

static size_t slots_for(uint64_t groups) {
  return groups < SLOTS_MAX ? (size_t)groups : SLOTS_MAX;
}

/* Adds the scratch for so many groups of up to slot_bytes bytes to *total; the last group may have
 * `unused` bytes less. Returns 0 on overflow. */
static int ghz_reorder_scratch(uint64_t groups, size_t slot_bytes, size_t unused, size_t *total) {
  size_t slots = slots_for(groups), saved = groups <= SLOTS_MAX ? unused : 0;
  return ghz_total_add(total, slots, sizeof(reorder_slot)) &&
         ghz_total_add(total, 2 * slots, sizeof(uint32_t)) &&
         ghz_total_add(total, 1, slots * slot_bytes - saved);
}

static void ghz_reorder_begin(reorder_buffer *b, const tile_sink *sink, uint64_t groups, size_t slot_bytes,
                              uint8_t *scratch) {
  size_t n = slots_for(groups);
  *b = (reorder_buffer){
      .sink = sink, .groups = groups, .slots = n, .slot_bytes = slot_bytes, .idle = n, .failed_at = UINT64_MAX};
  b->slot = (reorder_slot *)(void *)scratch;
  scratch += (n * sizeof(reorder_slot) + 63) & ~(size_t)63;
  b->window = (uint32_t *)(void *)scratch;
  b->free = b->window + n;
  b->bytes = scratch + ((2 * n * sizeof(uint32_t) + 63) & ~(size_t)63);
  /* Where each group has a slot of its own, the last slot may be short, as the last group is: it is
   * used last. */
  for (size_t i = 0; i < n; i++) {
    b->window[i] = NONE;
    b->free[i] = (uint32_t)(n - 1 - i);
  }
  omp_init_lock(&b->lock);
}

static void ghz_reorder_end(reorder_buffer *b) {
  omp_destroy_lock(&b->lock);
}

/* Issues the oldest group that is left, and a slot for it, of slot_bytes bytes at *dst. Returns 0
 * if there is none, or after a failure. */
static int ghz_reorder_issue(reorder_buffer *b, uint64_t *group, uint32_t *slot, uint8_t **dst) {
  for (;;) {
    omp_set_lock(&b->lock);
    int more = b->issued < b->groups && b->status == GHZ_OK;
    int ready = more && b->idle > 0;
    if (ready) {
      *group = b->issued++;
      *slot = b->free[--b->idle];
      *dst = b->bytes + *slot * b->slot_bytes;
    }
    omp_unset_lock(&b->lock);
    if (ready || !more)
      return ready;
    sched_yield();
  }
}

/* Retires the oldest group and all complete ones that follow it, if it is complete. Returns the
 * first of their slots. */
static uint32_t retire(reorder_buffer *b) {
  uint32_t first = NONE, last = NONE;
  for (uint32_t *entry; b->retired < b->issued; b->retired++, *entry = NONE) {
    entry = &b->window[b->retired % b->slots];
    if (*entry == NONE)
      break;
    reorder_slot *s = &b->slot[*entry];
    s->place = b->used;
    s->next = NONE;
    b->used += s->size;
    if (last == NONE)
      first = *entry;
    else
      b->slot[last].next = *entry;
    last = *entry;
  }
  if (b->used > b->sink->room && b->status == GHZ_OK)
    b->status = GHZ_ECAPACITY;
  return b->status == GHZ_OK ? first : NONE;
}

/* Copies retired groups to their places, and frees their slots. */
static void copy(reorder_buffer *b, uint32_t s) {
  while (s != NONE) {
    uint32_t next = b->slot[s].next;
    memcpy(b->sink->payload + b->slot[s].place, b->bytes + s * b->slot_bytes, b->slot[s].size);
    omp_set_lock(&b->lock);
    b->free[b->idle++] = s;
    omp_unset_lock(&b->lock);
    s = next;
  }
}

/* The group is written in its slot, in `size` bytes. */
static void ghz_reorder_complete(reorder_buffer *b, uint64_t group, uint32_t slot, uint64_t size) {
  omp_set_lock(&b->lock);
  b->slot[slot].size = size;
  b->window[group % b->slots] = slot;
  uint32_t retired = retire(b);
  omp_unset_lock(&b->lock);
  copy(b, retired);
}

/* A group could not be written from this tile on. Groups are issued in order, and those that are
 * issued are tried: so the first tile that fails is always among these. */
static void ghz_reorder_fail(reorder_buffer *b, ghz_status status, uint64_t tile) {
  omp_set_lock(&b->lock);
  b->status = status; /* damage says more than lack of room */
  b->failed_at = tile < b->failed_at ? tile : b->failed_at;
  omp_unset_lock(&b->lock);
}

/* ---- Writing tiles --------------------------------------------------------------------------- */

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
