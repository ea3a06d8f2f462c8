/* stream.h: the bytes around the tiles: headers of streams and messages, offsets, sizes (FORMAT.md,
 * "Stream"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_STREAM_H
#define GHZ_STREAM_H

#include <ghz/slice.h>

#include "context/context.h"
#include "rules/shape.h"

/* Views a whole stream, after checking its header against its length; `operand` is for messages. */
ghz_status ghz_stream_header(ghz_context *ctx, ghz_bytes src, size_t operand, ghz_slice *slice);

/* The header of a stream by itself, which STREAM_HEADER bytes are; sets *size: the bytes that the
 * whole has, as it says. */
ghz_status ghz_stream_says(ghz_context *ctx, ghz_bytes header, ghz_slice *slice, size_t *size);

/* Checks the index of a whole stream: sizes of tiles and stored ends of chunks against each other.
 * Writes where its chunks begin, and the end, unless `offset` is NULL. */
ghz_status ghz_stream_locate(ghz_context *ctx, const ghz_slice *whole, uint64_t *offset);

/* Header and index. */
ghz_status ghz_stream_open(ghz_context *ctx, ghz_bytes src, ghz_slice *slice);

/* Whether the fields of a slice that came from the caller, who may have made it by hand, name a
 * range of tiles on a lattice. */
int ghz_slice_valid(const ghz_slice *slice);

/* Tiles first .. first + tiles - 1 of a whole stream that was opened. EINVAL if they are not inside
 * it. */
ghz_status ghz_slice_cut(const ghz_slice *whole, uint64_t first, uint64_t tiles, ghz_slice *slice);

/* Checks a slice's sizes and writes the offsets of its chunks, counted from its first tile, and the
 * end. */
ghz_status ghz_slice_locate(ghz_context *ctx, const ghz_slice *slice, uint64_t *offset);

/* The tiles that an operation writes: sizes and payload, and for a stream the ends of its
 * chunks. */
typedef struct tile_sink {
  uint8_t *sizes, *payload;
  uint8_t *ends; /* NULL in a message */
  size_t room;   /* for the payload */
} tile_sink;

/* Lays out a stream, or a message, of the tiles that `result` names, in dst. ECAPACITY if not even
 * its index fits. */
ghz_status ghz_stream_layout(ghz_context *ctx, const ghz_slice *result, void *dst, size_t capacity,
                             tile_sink *sink);
ghz_status ghz_message_layout(ghz_context *ctx, const ghz_slice *result, void *dst, size_t capacity,
                              tile_sink *sink);

/* Where a result goes, and as what: `layout` is ghz_stream_layout or ghz_message_layout. */
typedef struct destination {
  ghz_status (*layout)(ghz_context *ctx, const ghz_slice *result, void *dst, size_t capacity, tile_sink *sink);
  void *dst;
  size_t capacity;
} destination;

/* Writes the ends of a stream's chunks, once its sizes are there. */
void ghz_put_ends(const tile_sink *sink, uint64_t tiles);

/* Writes the header of a stream whose payload is in place; returns the size of the whole. */
size_t ghz_stream_finish(const ghz_slice *result, void *dst);

#endif
