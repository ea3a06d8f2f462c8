/* tile_writer.h: the loops over the tiles of operands: of those that look at them, and of those
 * that make a result of them, whose tiles are written in order and packed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_TILE_WRITER_H
#define GHZ_TILE_WRITER_H

#include "context/parallel.h"
#include "stream/place.h"
#include "stream/stream.h"

/* ---- Looking --------------------------------------------------------------------------------- */

/* What is done with the tile of each operand that lies at a place. */
typedef ghz_status tile_visit(const void *job, const chunk *c, const tile_walk *at, tile_source *src);

/* Visits the tiles of one or two opened operands of the same range, as ghz_parallel_for does. */
ghz_status ghz_visit_tiles(ghz_context *ctx, size_t k, const stream_operand *operands, tile_visit *visit,
                           const void *job);

/* ---- Writing --------------------------------------------------------------------------------- */

/* A tile of a result. */
typedef struct made_tile {
  const tile_walk *at;
  tile_source *src; /* the tile of each operand, and room for one more */
  uint8_t *spare;
  uint8_t *dst;
  size_t size; /* to be set */
  int inexact; /* to be set to 1 where it is */
} made_tile;

/* An operation. */
typedef struct tile_writer {
  const void *job;
  ghz_status (*write)(const void *job, made_tile *t);
  size_t tile_bound; /* the largest tile that `write` makes */
  size_t k;
  stream_operand *operands; /* k of the result's range, which are still to be opened, */
  int whole;                /* as whole streams */
  size_t spare;             /* bytes that `write` needs for itself */
} tile_writer;

/* Gets the scratch for so many tiles. */
ghz_status ghz_write_tiles_reserve(ghz_context *ctx, const tile_writer *w, uint64_t tiles);

/* Writes the tiles that `result` names to a stream or message, and sets the fields of *result that
 * say what became of them: sizes, payload, payload_size, inexact. To be called under the
 * floating-point environment of the format. */
ghz_status ghz_write_tiles(ghz_context *ctx, const tile_writer *w, ghz_slice *result, const destination *to);

#endif
