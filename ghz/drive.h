/* drive.h: running a tile operation over all tiles of an array, by the threads of a context. */
#ifndef GHZ_DRIVE_H
#define GHZ_DRIVE_H

#include "stream.h"

/* An operand of an operation: a checked slice and the offsets of its chunks. */
typedef struct operand {
  ghz_slice slice;
  uint64_t *offset;
} operand;

/* Walks over the tiles of one operand within a chunk. */
typedef struct tile_cursor {
  const uint8_t *data, *end, *sizes;
} tile_cursor;

static inline tile_cursor cursor_at(const operand *o, uint64_t chunk) {
  const uint8_t *payload = o->slice.payload;
  return (tile_cursor){payload + o->offset[chunk], payload + o->slice.payload_size,
                       (const uint8_t *)o->slice.sizes + 2 * TILES_PER_CHUNK * chunk};
}

static inline tile_source cursor_next(tile_cursor *c, uint32_t terms) {
  uint16_t size;
  __builtin_memcpy(&size, c->sizes, 2);
  tile_source t = {c->data, size, terms, c->end - c->data < size + SLACK};
  c->sizes += 2;
  c->data += size;
  return t;
}

/* The tiles of a chunk that is being worked on. */
typedef struct chunk {
  uint64_t index;        /* from the first tile of the range */
  uint64_t first, tiles; /* tiles of the array */
  int thread;
} chunk;

/* Starts a chunk: places cursors, say. Then writes tile after tile. */
typedef struct tile_writer {
  const void *job;
  void (*begin)(const void *job, const chunk *c);
  ghz_status (*write)(const void *job, const chunk *c, uint64_t tile, uint8_t *dst, size_t *size, int *inexact);
  size_t tile_bound; /* of what `write` writes */
} tile_writer;

/* Scratch that ghz_produce needs for `tiles` tiles; added to *total. Returns 0 on overflow. */
int ghz_produce_scratch(const ghz_context *ctx, const tile_writer *w, uint64_t tiles, size_t *total);

/* Writes the tiles that `shape` names to the sink, in order and packed, and sets shape->payload_size and
 * inexact. */
ghz_status ghz_produce(ghz_context *ctx, const tile_writer *w, ghz_slice *shape, const tile_sink *sink,
                       uint8_t *scratch);

/* Reads or computes chunk by chunk, in any order. */
typedef struct chunk_reader {
  const void *job;
  ghz_status (*read)(const void *job, const chunk *c);
} chunk_reader;

ghz_status ghz_consume(ghz_context *ctx, const chunk_reader *r, uint64_t first, uint64_t tiles);

#endif
