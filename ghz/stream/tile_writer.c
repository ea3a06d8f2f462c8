/* tile_writer.c: the loops over the tiles of operands.
 *
 * Of a result one thread writes each tile straight to its place. Several threads write groups of
 * chunks to a reorder buffer. The bytes are the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>
#include <string.h>

#include "context/floating.h"
#include "rules/bytes.h"
#include "stream/tile_writer.h"

/* ---- Looking --------------------------------------------------------------------------------- */

typedef struct visit_job {
  tile_visit *visit;
  const void *job;
  size_t k;
  const stream_operand *operands;
} visit_job;

static ghz_status visit_chunk(const void *job, chunk *c) {
  const visit_job *j = job;
  tile_cursor cursor[2];
  tile_source src[2];
  tile_walk at = walk_from(&j->operands->slice.shape, c->first);
  ghz_status status = GHZ_OK;
  for (size_t i = 0; i < j->k; i++)
    cursor[i] = cursor_at(&j->operands[i], c->index);
  for (uint64_t t = 0; t < c->tiles && status == GHZ_OK; t++, walk_on(&at)) {
    for (size_t i = 0; i < j->k; i++)
      src[i] = cursor_next(&cursor[i], &j->operands[i].slice);
    c->at = c->first + t;
    status = j->visit(j->job, c, &at, src);
  }
  return status;
}

ghz_status ghz_visit_tiles(ghz_context *ctx, size_t k, const stream_operand *operands, tile_visit *visit,
                           const void *job) {
  const visit_job j = {visit, job, k, operands};
  return ghz_parallel_for(ctx, visit_chunk, &j, operands->slice.first, operands->slice.tiles);
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Chunks in a group: enough work to make issuing one cheap. Bytes that threads must not share. */
enum { GROUP = 4, APART = 128 };

/* Limit of groups buffered out of order; reached only if a thread is descheduled for long. The slot
 * that was freed last is used first, so that a few stay in cache. */
enum { SLOTS_MAX = 64 };

#define NONE UINT32_MAX

/* A group that is issued and not retired: its slot once it is complete, else NONE; and its
 * bytes. */
typedef struct waiting_group {
  uint32_t slot;
  size_t size;
} waiting_group;

enum { SLOT_NOTES = sizeof(waiting_group) + sizeof(uint32_t) };

/* Groups that threads complete in any order go to the payload in the order of the tiles.
 *
 * A group's place is known once all groups before it are complete. Until then it waits in a slot of
 * scratch:
 *
 *   free slot --issue--> being written --complete--> waits for older groups
 *             --retire--> has a place --copy--> free slot
 *
 * The thread that completes the oldest group retires and copies it and every complete group that
 * follows: no thread waits for another, unless all slots wait behind one slow thread. */
typedef struct write_job {
  const tile_writer *writer;
  tile_sink sink;
  const ghz_shape *shape;
  uint64_t first, tiles;
  uint8_t *threads;         /* what each keeps */
  ghz_status status;        /* of a failure; no group is issued after one */
  uint64_t failed_at, used; /* the first tile that failed; bytes of the payload */
  uint64_t issued, retired; /* groups */
  size_t slots, idle;
  waiting_group *window; /* group g at [g % slots] */
  uint32_t *free;        /* a stack of `idle` slots */
  uint8_t *bytes;        /* of all slots; of one thread that of a tile */
  omp_lock_t lock;
  int inexact;
} write_job;

static uint64_t groups_of(uint64_t tiles) {
  const uint64_t chunks = chunks_of(tiles);
  return chunks / GROUP + (chunks % GROUP != 0);
}

static int threads_for(const ghz_context *ctx, uint64_t tiles) {
  return ghz_threads_for(ctx, tiles, groups_of(tiles));
}

/* ---- Scratch --------------------------------------------------------------------------------- */

static size_t slots_for(uint64_t tiles) {
  return groups_of(tiles) < SLOTS_MAX ? (size_t)groups_of(tiles) : SLOTS_MAX;
}

static size_t slot_size(const tile_writer *w) {
  return (GROUP * TILES_PER_CHUNK * w->tile_bound + SLACK + 63) & ~(size_t)63;
}

static size_t apart(size_t size) {
  return (size + APART - 1) & ~(size_t)(APART - 1);
}

/* What each thread keeps: cursors and sources, and what the operation needs. */
static size_t cursors_room(const tile_writer *w) {
  return apart(w->k * sizeof(tile_cursor) + (w->k + 1) * sizeof(tile_source));
}

static size_t thread_room(const tile_writer *w) {
  return cursors_room(w) + apart(w->spare);
}

/* Of all slots. Where each group has one of its own the last may be short, as the last group is. */
static size_t slots_size(const tile_writer *w, uint64_t tiles) {
  const uint64_t groups = groups_of(tiles), missing = groups * GROUP * TILES_PER_CHUNK - tiles;
  return slots_for(tiles) * slot_size(w) - (groups <= SLOTS_MAX ? (size_t)missing * w->tile_bound : 0);
}

/* SIZE_MAX on overflow. */
static size_t scratch_for(const ghz_context *ctx, const tile_writer *w, uint64_t tiles) {
  const int threads = threads_for(ctx, tiles);
  size_t total = APART;
  const int fits = ghz_total_add(&total, (size_t)threads, thread_room(w)) &&
                   ghz_total_add(&total, 1, threads == 1 ? w->tile_bound + SLACK : slots_size(w, tiles)) &&
                   ghz_total_add(&total, slots_for(tiles), SLOT_NOTES);
  return fits ? total : SIZE_MAX;
}

ghz_status ghz_write_tiles_reserve(ghz_context *ctx, const tile_writer *w, uint64_t tiles) {
  uint64_t *offsets;
  void *rest;
  return ghz_operands_reserve(ctx, w->k, tiles, scratch_for(ctx, w, tiles), &offsets, &rest);
}

static void use_scratch(write_job *j, int threads, uint8_t *scratch) {
  j->threads = scratch + (-(uintptr_t)scratch & (APART - 1));
  j->window = (waiting_group *)(void *)(j->threads + (size_t)threads * thread_room(j->writer));
  j->slots = j->idle = slots_for(j->tiles);
  j->free = (uint32_t *)(void *)(j->window + j->slots);
  j->bytes = (uint8_t *)j->window + ((j->slots * SLOT_NOTES + 63) & ~(size_t)63);
  for (size_t i = 0; i < j->slots; i++) {
    j->window[i].slot = NONE;
    j->free[i] = (uint32_t)(j->slots - 1 - i); /* the last slot, which may be short, is used last */
  }
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* Where tiles go, one after the other: straight there while there is room for the largest, else by
 * way of a spare one. */
typedef struct tile_row {
  uint8_t *at;
  size_t room;
  uint8_t *spare;
  uint64_t tile; /* the last one that was tried */
  int inexact;
} tile_row;

static ghz_status write_tile(const tile_writer *w, made_tile *t, tile_row *to, uint8_t *size) {
  const int direct = to->room >= w->tile_bound + SLACK;
  t->dst = direct ? to->at : to->spare;
  const ghz_status status = w->write(w->job, t);
  if (status != GHZ_OK)
    return status;
  if (!direct && t->size > to->room)
    return GHZ_ECAPACITY;
  if (!direct)
    memcpy(to->at, t->dst, t->size);
  store_u16(size, (uint16_t)t->size);
  to->at += t->size;
  to->room -= t->size;
  return GHZ_OK;
}

/* Chunks from .. end - 1. */
static ghz_status write_chunks(const write_job *j, uint64_t from, uint64_t end, int thread, tile_row *to) {
  const tile_writer *w = j->writer;
  uint8_t *mine = j->threads + (size_t)thread * thread_room(w);
  tile_cursor *cursors = (tile_cursor *)(void *)mine;
  made_tile t = {.src = (tile_source *)(void *)(cursors + w->k), .spare = mine + cursors_room(w)};
  ghz_status status = GHZ_OK;
  for (uint64_t i = from; i < end && status == GHZ_OK; i++) {
    const chunk c = ghz_chunk_at(j->first, j->tiles, i, thread);
    tile_walk at = walk_from(j->shape, c.first);
    t.at = &at;
    for (size_t k = 0; k < w->k; k++)
      cursors[k] = cursor_at(&w->operands[k], i);
    for (uint64_t n = 0; n < c.tiles && status == GHZ_OK; n++, walk_on(&at)) {
      for (size_t k = 0; k < w->k; k++)
        t.src[k] = cursor_next(&cursors[k], &w->operands[k].slice);
      to->tile = c.first + n;
      status = write_tile(w, &t, to, j->sink.sizes + 2 * (i * TILES_PER_CHUNK + n));
    }
  }
  to->inexact = t.inexact;
  return status;
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* Issues the oldest group that is left, and a slot for it. Returns 0 if there is none, or after a
 * failure. */
static int issue(write_job *j, uint64_t *group, uint32_t *slot) {
  for (;;) {
    omp_set_lock(&j->lock);
    int more = j->issued < groups_of(j->tiles) && j->status == GHZ_OK;
    int ready = more && j->idle > 0;
    if (ready) {
      *group = j->issued++;
      *slot = j->free[--j->idle];
    }
    omp_unset_lock(&j->lock);
    if (ready || !more)
      return ready;
    sched_yield();
  }
}

/* Retires the oldest group, if it is complete and has room: it becomes *group, and goes to
 * *place. */
static int retire(write_job *j, waiting_group *group, uint8_t **place) {
  waiting_group *oldest = &j->window[j->retired % j->slots];
  if (j->status != GHZ_OK || oldest->slot == NONE)
    return 0;
  if (oldest->size > j->sink.room - j->used) {
    j->status = GHZ_ECAPACITY;
    return 0;
  }
  *group = *oldest;
  *place = j->sink.payload + j->used;
  oldest->slot = NONE;
  j->retired++;
  j->used += group->size;
  return 1;
}

/* A group is written in its slot, or could not be from a tile on. Groups are issued in order, and
 * those that are issued are tried: so the first tile that fails is always among these. */
static void complete(write_job *j, uint64_t group, waiting_group done, const tile_row *row, ghz_status status) {
  uint8_t *place;
  omp_set_lock(&j->lock);
  j->inexact |= row->inexact;
  j->window[group % j->slots] = done;
  if (status != GHZ_OK) {
    j->status = status; /* damage says more than lack of room */
    j->failed_at = row->tile < j->failed_at ? row->tile : j->failed_at;
  }
  while (retire(j, &done, &place)) {
    omp_unset_lock(&j->lock);
    memcpy(place, j->bytes + done.slot * slot_size(j->writer), done.size);
    omp_set_lock(&j->lock);
    j->free[j->idle++] = done.slot;
  }
  omp_unset_lock(&j->lock);
}

static void write_groups(write_job *j) {
  const uint64_t chunks = chunks_of(j->tiles);
  uint64_t group;
  uint32_t slot;
  while (issue(j, &group, &slot)) {
    tile_row to = {.at = j->bytes + slot * slot_size(j->writer), .room = SIZE_MAX};
    const uint64_t end = (group + 1) * GROUP < chunks ? (group + 1) * GROUP : chunks;
    const ghz_status status = write_chunks(j, group * GROUP, end, omp_get_thread_num(), &to);
    complete(j, group, (waiting_group){slot, SIZE_MAX - to.room}, &to, status);
  }
}

static void write_in_parallel(write_job *j, int threads) {
  omp_init_lock(&j->lock);
#pragma omp parallel num_threads(threads)
  {
    floating_environment env;
    floating_begin(&env);
    write_groups(j);
    floating_end(&env);
  }
  omp_destroy_lock(&j->lock);
}

static void write_in_order(write_job *j) {
  tile_row to = {.at = j->sink.payload, .room = j->sink.room, .spare = j->bytes};
  j->status = write_chunks(j, 0, chunks_of(j->tiles), 0, &to);
  j->failed_at = to.tile;
  j->used = j->sink.room - to.room;
  j->inexact = to.inexact;
}

ghz_status ghz_write_tiles(ghz_context *ctx, const tile_writer *w, ghz_slice *result, const destination *to) {
  const int threads = threads_for(ctx, result->tiles);
  write_job j = {.writer = w, .shape = &result->shape, .first = result->first, .tiles = result->tiles};
  void *scratch;
  ghz_status status =
      ghz_operands_open(ctx, w->k, w->operands, w->whole, scratch_for(ctx, w, j.tiles), &scratch);
  if (status == GHZ_OK)
    status = to->layout(ctx, result, to->dst, to->capacity, &j.sink);
  if (status != GHZ_OK)
    return status;
  j.failed_at = UINT64_MAX;
  use_scratch(&j, threads, scratch);
  if (threads > 1)
    write_in_parallel(&j, threads);
  else
    write_in_order(&j);
  if (j.status == GHZ_ECAPACITY)
    return ghz_fail(ctx, j.status, "the payload does not fit in %zu bytes", j.sink.room);
  if (j.status != GHZ_OK)
    return ghz_tile_failed(ctx, j.status, j.failed_at);
  if (j.sink.ends)
    ghz_put_ends(&j.sink, j.tiles);
  result->sizes = j.sink.sizes;
  result->payload = j.sink.payload;
  result->payload_size = j.used;
  result->inexact |= j.inexact;
  return GHZ_OK;
}
