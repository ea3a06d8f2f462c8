/* tile_writer.h: the tiles that an operation makes, written in order and packed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_TILE_WRITER_H
#define GHZ_TILE_WRITER_H

#include "context/parallel.h"
#include "stream/place.h"
#include "stream/stream.h"

/* An operation: `begin` starts a chunk (places cursors, say), then `write` makes tile after tile of
 * it. */
typedef struct tile_writer {
  const void *job;
  void (*begin)(const void *job, const chunk *c);
  ghz_status (*write)(const void *job, const chunk *c, const tile_walk *tile, uint8_t *dst, size_t *size,
                      int *inexact);
  size_t tile_bound; /* the largest tile that `write` makes */
} tile_writer;

/* How many threads write so many tiles. */
int ghz_write_tiles_threads(const ghz_context *ctx, uint64_t tiles);

/* Scratch that ghz_write_tiles needs for `tiles` tiles; added to *total. Returns 0 on overflow. */
int ghz_write_tiles_scratch(const ghz_context *ctx, const tile_writer *w, uint64_t tiles, size_t *total);

/* Writes the tiles that `result` names to a stream or message, and sets the fields of *result that
 * say what became of them: sizes, payload, payload_size, inexact. To be called under the
 * floating-point environment of the format. */
ghz_status ghz_write_tiles(ghz_context *ctx, const tile_writer *w, ghz_slice *result, const destination *to,
                           uint8_t *scratch);

#endif
