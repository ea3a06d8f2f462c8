/* reorder_buffer.c: groups of tiles that threads complete in any order go to the payload in the
 * order of the tiles. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "stream/reorder_buffer.h"

#include <sched.h>
#include <string.h>

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

int ghz_reorder_scratch(uint64_t groups, size_t slot_bytes, size_t unused, size_t *total) {
  size_t slots = slots_for(groups), saved = groups <= SLOTS_MAX ? unused : 0;
  return ghz_total_add(total, slots, sizeof(reorder_slot)) &&
         ghz_total_add(total, 2 * slots, sizeof(uint32_t)) &&
         ghz_total_add(total, 1, slots * slot_bytes - saved);
}

void ghz_reorder_begin(reorder_buffer *b, const tile_sink *sink, uint64_t groups, size_t slot_bytes,
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

void ghz_reorder_end(reorder_buffer *b) {
  omp_destroy_lock(&b->lock);
}

int ghz_reorder_issue(reorder_buffer *b, uint64_t *group, uint32_t *slot, uint8_t **dst) {
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

void ghz_reorder_complete(reorder_buffer *b, uint64_t group, uint32_t slot, uint64_t size) {
  omp_set_lock(&b->lock);
  b->slot[slot].size = size;
  b->window[group % b->slots] = slot;
  uint32_t retired = retire(b);
  omp_unset_lock(&b->lock);
  copy(b, retired);
}

/* Groups are issued in order, and those that are issued are tried: so the first tile that fails is
 * always among these. */
void ghz_reorder_fail(reorder_buffer *b, ghz_status status, uint64_t tile) {
  omp_set_lock(&b->lock);
  b->status = status; /* damage says more than lack of room */
  b->failed_at = tile < b->failed_at ? tile : b->failed_at;
  omp_unset_lock(&b->lock);
}
