/* operand.h: the tiles of an operand, one after the other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_OPERAND_H
#define GHZ_OPERAND_H

#include <ghz/slice.h>

#include "stream/stream.h"

/* An operand of an operation: a checked slice and the offsets of its chunks. */
typedef struct operand {
  ghz_slice slice; /* once it is opened, on the lattice of its tiles: of the storage type of integers */
  uint64_t *offset;
} operand;

/* Walks over the tiles of one operand within a chunk. */
typedef struct tile_cursor {
  const uint8_t *data, *end, *sizes;
} tile_cursor;

static inline tile_cursor cursor_at(const operand *o, uint64_t index) {
  const uint8_t *payload = o->slice.payload;
  return (tile_cursor){payload + o->offset[index], payload + o->slice.payload_size,
                       (const uint8_t *)o->slice.sizes + 2 * TILES_PER_CHUNK * index};
}

static inline tile_source cursor_next(tile_cursor *c, const ghz_slice *of) {
  uint16_t size;
  __builtin_memcpy(&size, c->sizes, 2);
  tile_source t = {c->data, size, of->terms, of->transform, c->end - c->data < size + SLACK};
  c->sizes += 2;
  c->data += size;
  return t;
}

/* An operand whose chunk offsets lie in the context's scratch, with `extra` more bytes behind
 * them. */
ghz_status ghz_operand_open(ghz_context *ctx, const ghz_slice *slice, operand *o, size_t extra, void **rest);

#endif
