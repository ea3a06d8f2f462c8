/* parallel.h: running a tile operation over all tiles of an array, by the threads of a context. */
#ifndef GHZ_DRIVE_H
#define GHZ_DRIVE_H

#include "operand.h"

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

/* Scratch that ghz_write_tiles needs for `tiles` tiles; added to *total. Returns 0 on overflow. */
int ghz_write_tiles_scratch(const ghz_context *ctx, const tile_writer *w, uint64_t tiles, size_t *total);

/* Writes the tiles that `shape` names to the sink, in order and packed, and sets shape->payload_size and
 * inexact. */
ghz_status ghz_write_tiles(ghz_context *ctx, const tile_writer *w, ghz_slice *shape, const tile_sink *sink,
                           uint8_t *scratch);

/* Reads or computes chunk by chunk, in any order. */
typedef struct chunk_reader {
  const void *job;
  ghz_status (*read)(const void *job, const chunk *c);
} chunk_reader;

ghz_status ghz_parallel_for(ghz_context *ctx, const chunk_reader *r, uint64_t first, uint64_t tiles);

#endif
