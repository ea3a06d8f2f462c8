/* reorder_buffer.h: groups of tiles that threads complete in any order go to the payload in the
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
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_REORDER_BUFFER_H
#define GHZ_REORDER_BUFFER_H

#include "context/openmp.h"
#include "stream/stream.h"

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

/* Adds the scratch for so many groups of up to slot_bytes bytes to *total; the last group may have
 * `unused` bytes less. Returns 0 on overflow. */
int ghz_reorder_scratch(uint64_t groups, size_t slot_bytes, size_t unused, size_t *total);

void ghz_reorder_begin(reorder_buffer *b, const tile_sink *sink, uint64_t groups, size_t slot_bytes,
                       uint8_t *scratch);
void ghz_reorder_end(reorder_buffer *b);

/* Issues the oldest group that is left, and a slot for it, of slot_bytes bytes at *dst. Returns 0
 * if there is none, or after a failure. */
int ghz_reorder_issue(reorder_buffer *b, uint64_t *group, uint32_t *slot, uint8_t **dst);

/* The group is written in its slot, in `size` bytes. */
void ghz_reorder_complete(reorder_buffer *b, uint64_t group, uint32_t slot, uint64_t size);

/* A group could not be written from this tile on. */
void ghz_reorder_fail(reorder_buffer *b, ghz_status status, uint64_t tile);

#endif
