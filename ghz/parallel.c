/* parallel.c: running a tile operation over all tiles of an array, by the threads of a context.
 *
 * One thread writes each tile straight to its place. Several threads write each chunk to a slot of scratch,
 * from where it is copied once its place is known. The bytes do not depend on which. */

#include "parallel.h"

#include <omp.h>
#include <sched.h>

#include "floating.h"
#include "rules/bytes.h"

/* Threads take this many chunks at a time: enough work to make taking them cheap. */
enum { GROUP = 4 };

/* The most groups that wait, written, for one before them. More than the threads need unless one has lost its
 * processor for long; a slot that was just copied is used again first, so that a few stay in cache. */
enum { SLOTS = 64 };

/* A group that is written and waits for its place, or is being copied there. */
typedef struct slot {
  uint64_t size, place;
  uint32_t next; /* of the run that is copied with it */
} slot;

#define NONE UINT32_MAX

static chunk chunk_at(uint64_t first, uint64_t tiles, uint64_t index, int thread) {
  uint64_t left = tiles - index * TILES_PER_CHUNK;
  return (chunk){index, first + index * TILES_PER_CHUNK, left < TILES_PER_CHUNK ? left : TILES_PER_CHUNK,
                 thread};
}

/* Chunks that are worth a thread where the number of threads is ours to choose: 4 MiB of floats, a quarter of a
 * millisecond. Waking threads costs a tenth of that, and far more on a busy machine. */
enum { WORTH_A_THREAD = 64 };

/* Threads for work that comes in so many parts of so many chunks. */
static int threads_for_parts(const ghz_context *ctx, uint64_t parts, uint64_t chunks) {
  uint64_t most = (uint64_t)ctx->threads;
  if (ctx->automatic && most > chunks / WORTH_A_THREAD)
    most = chunks / WORTH_A_THREAD;
  if (most > parts)
    most = parts;
  return most ? (int)most : 1;
}

static int threads_for(const ghz_context *ctx, uint64_t tiles) {
  return threads_for_parts(ctx, chunks_of(tiles), chunks_of(tiles));
}

static uint64_t groups_of(uint64_t tiles) {
  uint64_t chunks = chunks_of(tiles);
  return chunks / GROUP + (chunks % GROUP != 0);
}

static int threads_to_produce(const ghz_context *ctx, uint64_t tiles) {
  return threads_for_parts(ctx, groups_of(tiles), chunks_of(tiles));
}

static size_t slot_size(const tile_writer *w) {
  return (GROUP * TILES_PER_CHUNK * w->tile_bound + SLACK + 63) & ~(size_t)63;
}

static size_t slots_for(uint64_t groups) {
  return groups < SLOTS ? (size_t)groups : SLOTS;
}

int ghz_write_tiles_scratch(const ghz_context *ctx, const tile_writer *w, uint64_t tiles, size_t *total) {
  if (threads_to_produce(ctx, tiles) == 1)
    return ghz_total_add(total, 1, TILE_BYTES_MAX + SLACK);
  uint64_t groups = groups_of(tiles), missing = groups * GROUP * TILES_PER_CHUNK - tiles;
  size_t slots = slots_for(groups);
  size_t unused = groups <= SLOTS ? (size_t)missing * w->tile_bound : 0; /* of a last slot that is not full */
  return ghz_total_add(total, slots, sizeof(slot)) && ghz_total_add(total, 2 * slots, sizeof(uint32_t)) &&
         ghz_total_add(total, 1, slots * slot_size(w) - unused);
}

static ghz_status full(ghz_context *ctx, const tile_sink *sink) {
  return ghz_fail(ctx, GHZ_ECAPACITY, "the payload does not fit in %zu bytes", sink->room);
}

/* One thread: tiles go straight to the payload while there is room for the largest, else through scratch. */
static ghz_status produce_in_order(ghz_context *ctx, const tile_writer *w, ghz_slice *shape,
                                   const tile_sink *sink, uint8_t *scratch) {
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

/* What the threads share. The place of a group is known once all before it are written: the thread that
 * completes a run of written groups places and copies all of it, so that no thread waits for another. */
typedef struct assembly {
  const tile_writer *writer;
  const tile_sink *sink;
  uint64_t first, tiles, groups;
  uint64_t taken, placed, used; /* groups handed out, groups with a place, bytes placed */
  slot *slots;
  uint32_t
      *line; /* of group g without a place: its slot, or NONE while it is being written, at [g % slot_count] */
  uint32_t *idle; /* a stack of slots */
  size_t slot_count, idle_count;
  uint8_t *bytes; /* of the slots */
  ghz_status failed;
  int inexact;
  omp_lock_t lock;
} assembly;

static void assembly_begin(assembly *a, uint8_t *scratch) {
  size_t n = a->slot_count = slots_for(a->groups);
  a->slots = (slot *)(void *)scratch;
  scratch += (n * sizeof(slot) + 63) & ~(size_t)63;
  a->line = (uint32_t *)(void *)scratch;
  a->idle = a->line + n;
  a->bytes = scratch + ((2 * n * sizeof(uint32_t) + 63) & ~(size_t)63);
  /* Of few groups the last may be short, and then the last slot is: it is taken last. */
  for (size_t i = 0; i < n; i++) {
    a->line[i] = NONE;
    a->idle[i] = (uint32_t)(n - 1 - i);
  }
  a->idle_count = n;
  omp_init_lock(&a->lock);
}

/* The next group and a slot for it; 0 when there is none left. Waits only where all slots wait for one slow
 * thread. */
static int assembly_take(assembly *a, uint64_t *group, uint32_t *s) {
  for (;;) {
    omp_set_lock(&a->lock);
    int more = a->taken < a->groups && a->failed == GHZ_OK;
    int ready = more && a->idle_count > 0;
    if (ready) {
      *group = a->taken++;
      *s = a->idle[--a->idle_count];
    }
    omp_unset_lock(&a->lock);
    if (ready || !more)
      return ready;
    sched_yield();
  }
}

/* Notes that a group is written. If it was the first without a place, places the run of written groups that it
 * begins and returns the first slot of that run, to be copied. */
static uint32_t assembly_place(assembly *a, uint64_t group, uint32_t s) {
  uint32_t run = NONE, last = NONE;
  omp_set_lock(&a->lock);
  a->line[group % a->slot_count] = s;
  for (uint32_t *entry; a->placed < a->taken; a->placed++, *entry = NONE) {
    entry = &a->line[a->placed % a->slot_count];
    if (*entry == NONE)
      break;
    slot *written = &a->slots[*entry];
    written->place = a->used;
    written->next = NONE;
    a->used += written->size;
    if (last == NONE)
      run = *entry;
    else
      a->slots[last].next = *entry;
    last = *entry;
  }
  if (a->used > a->sink->room && a->failed == GHZ_OK)
    a->failed = GHZ_ECAPACITY;
  if (a->failed != GHZ_OK)
    run = NONE;
  omp_unset_lock(&a->lock);
  return run;
}

static void assembly_copy(assembly *a, uint32_t s) {
  while (s != NONE) {
    uint32_t next = a->slots[s].next;
    memcpy(a->sink->payload + a->slots[s].place, a->bytes + s * slot_size(a->writer), a->slots[s].size);
    omp_set_lock(&a->lock);
    a->idle[a->idle_count++] = s;
    omp_unset_lock(&a->lock);
    s = next;
  }
}

/* Writes the chunks of a group to its slot. */
static ghz_status write_group(const assembly *a, uint64_t group, uint32_t s, int *inexact) {
  uint8_t *start = a->bytes + s * slot_size(a->writer), *dst = start;
  uint64_t chunks = chunks_of(a->tiles), end = (group + 1) * GROUP < chunks ? (group + 1) * GROUP : chunks;
  for (uint64_t i = group * GROUP; i < end; i++) {
    chunk c = chunk_at(a->first, a->tiles, i, omp_get_thread_num());
    a->writer->begin(a->writer->job, &c);
    for (uint64_t t = 0; t < c.tiles; t++) {
      size_t size;
      ghz_status status = a->writer->write(a->writer->job, &c, c.first + t, dst, &size, inexact);
      if (status != GHZ_OK)
        return status;
      store_u16(a->sink->sizes + 2 * (i * TILES_PER_CHUNK + t), (uint16_t)size);
      dst += size;
    }
  }
  a->slots[s].size = (uint64_t)(dst - start);
  return GHZ_OK;
}

static void assemble(assembly *a) {
  uint64_t group;
  uint32_t s;
  while (assembly_take(a, &group, &s)) {
    int inexact = 0;
    ghz_status status = write_group(a, group, s, &inexact);
    if (status != GHZ_OK || inexact) {
      omp_set_lock(&a->lock);
      a->failed = status != GHZ_OK ? status : a->failed; /* damage says more than lack of room */
      a->inexact |= inexact;
      omp_unset_lock(&a->lock);
    }
    if (status != GHZ_OK)
      return;
    assembly_copy(a, assembly_place(a, group, s));
  }
}

static ghz_status produce_together(ghz_context *ctx, const tile_writer *w, ghz_slice *shape,
                                   const tile_sink *sink, uint8_t *scratch, int threads) {
  assembly a = {.writer = w, .sink = sink, .first = shape->first, .tiles = shape->tiles};
  a.groups = groups_of(shape->tiles);
  assembly_begin(&a, scratch);
#pragma omp parallel num_threads(threads)
  {
    floating_environment env;
    floating_begin(&env);
    assemble(&a);
    floating_end(&env);
  }
  omp_destroy_lock(&a.lock);
  if (a.failed == GHZ_ECAPACITY)
    return full(ctx, sink);
  if (a.failed != GHZ_OK)
    return ghz_fail(ctx, a.failed, "a tile is damaged");
  if (sink->offsets)
    ghz_put_offsets(sink, shape->tiles);
  shape->payload_size = a.used;
  shape->inexact |= a.inexact;
  return GHZ_OK;
}

ghz_status ghz_write_tiles(ghz_context *ctx, const tile_writer *w, ghz_slice *shape, const tile_sink *sink,
                           uint8_t *scratch) {
  int threads = threads_to_produce(ctx, shape->tiles);
  if (threads > 1)
    return produce_together(ctx, w, shape, sink, scratch, threads);
  floating_environment env;
  floating_begin(&env);
  ghz_status status = produce_in_order(ctx, w, shape, sink, scratch);
  floating_end(&env);
  return status;
}

/* One thread does without OpenMP, whose runtime takes memory and ends the program where there is none. */
static ghz_status consume_in_order(const chunk_reader *r, uint64_t first, uint64_t tiles) {
  ghz_status status = GHZ_OK;
  floating_environment env;
  floating_begin(&env);
  for (uint64_t i = 0; i < chunks_of(tiles) && status == GHZ_OK; i++) {
    chunk c = chunk_at(first, tiles, i, 0);
    status = r->read(r->job, &c);
  }
  floating_end(&env);
  return status;
}

static ghz_status consume_together(const chunk_reader *r, uint64_t first, uint64_t tiles, int threads) {
  uint64_t chunks = chunks_of(tiles);
  ghz_status failed = GHZ_OK;
#pragma omp parallel num_threads(threads)
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
  return failed;
}

ghz_status ghz_parallel_for(ghz_context *ctx, const chunk_reader *r, uint64_t first, uint64_t tiles) {
  int threads = threads_for(ctx, tiles);
  ghz_status status =
      threads > 1 ? consume_together(r, first, tiles, threads) : consume_in_order(r, first, tiles);
  return status == GHZ_OK ? GHZ_OK : ghz_fail(ctx, status, "a tile is damaged");
}
