/* stream.h: the bytes around the tiles: how large they may become, headers of streams and messages,
 * offsets, sizes (FORMAT.md, "Stream"); and the tiles of an operand, one after the other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_STREAM_H
#define GHZ_STREAM_H

#include "context/context.h"
#include "rules/bytes.h"
#include "rules/shape.h"
#include <ghz/slice.h>

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* Sum and maximum of the sizes of some tiles, which are few enough. */
static inline unsigned sum_sizes(const uint8_t *sizes, unsigned tiles, unsigned *largest) {
  unsigned sum = 0, max = 0;
  for (unsigned t = 0; t < tiles; t++) {
    unsigned size = load_u16(sizes + 2 * t);
    sum += size;
    max = size > max ? size : max;
  }
  *largest = max;
  return sum;
}

/* Bytes of header and index of a stream of so many tiles; 0 on overflow of size_t. */
size_t ghz_stream_index_size(uint64_t tiles);

/* The largest tile of a stream of these dims, type and number of terms; fresh = 1: as compression
 * writes it. */
size_t ghz_tile_bound(int dims, ghz_type type, uint32_t terms, int fresh);

/* The bytes that suffice for the stream of a result; 0 on overflow of size_t. */
size_t ghz_result_bound(const ghz_slice *result);

/* ---- Headers and indexes --------------------------------------------------------------------- */

/* Views a whole stream, after checking its header against its length; `number` is that of the
 * operand, for messages. Its index is still to be checked. */
ghz_status ghz_stream_header(ghz_context *ctx, ghz_bytes src, size_t number, ghz_slice *slice);

/* The header of a stream by itself, which STREAM_HEADER bytes are; sets *size: the bytes that the
 * whole has, as it says. */
ghz_status ghz_stream_says(ghz_context *ctx, ghz_bytes header, ghz_slice *slice, size_t *size);

/* Header and index. */
ghz_status ghz_stream_open(ghz_context *ctx, ghz_bytes src, ghz_slice *slice);

/* Whether the fields of a slice that came from the caller, who may have made it by hand, name a
 * range of tiles on a lattice. */
int ghz_slice_valid(const ghz_slice *slice);

/* Tiles first .. first + tiles - 1 of a whole stream that was opened. EINVAL if they are not inside
 * it. */
ghz_status ghz_slice_cut(const ghz_slice *whole, uint64_t first, uint64_t tiles, ghz_slice *slice);

/* Checks a slice's sizes. */
ghz_status ghz_slice_check(ghz_context *ctx, const ghz_slice *slice);

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

/* ---- Operands -------------------------------------------------------------------------------- */

/* An operand of an operation: a slice that was checked, and the offsets of its chunks, counted from
 * its first tile, and the end. */
typedef struct stream_operand {
  ghz_slice slice; /* once it is opened, on the lattice of its tiles: of the storage type of integers */
  uint64_t *offset;
} stream_operand;

/* Scratch of the context for the offsets of k operands of so many tiles, and at *rest `extra` more
 * bytes. */
ghz_status ghz_operands_reserve(ghz_context *ctx, size_t k, uint64_t tiles, size_t extra, uint64_t **offsets,
                                void **rest);

/* The same of operands whose slices are there: checks their sizes, and those of whole streams
 * against the stored ends of chunks, finds their chunks, and makes their lattices those that the
 * integers are stored by. */
ghz_status ghz_operands_open(ghz_context *ctx, size_t k, stream_operand *operands, int whole, size_t extra,
                             void **rest);

/* Walks over the tiles of one operand within a chunk. */
typedef struct tile_cursor {
  const uint8_t *data, *end, *sizes;
} tile_cursor;

static inline tile_cursor cursor_at(const stream_operand *o, uint64_t index) {
  const uint8_t *payload = (const uint8_t *)o->slice.payload;
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

#endif
