/* stream.h: the bytes around the tiles: headers of streams and messages, offsets, sizes (FORMAT.md, "Stream").
 */
#ifndef GHZ_STREAM_H
#define GHZ_STREAM_H

#include "context.h"
#include "rules/rules.h"

enum { STREAM_HEADER = 48 };

/* Bytes of header and index of a stream of n values; 0 on overflow of size_t. */
size_t ghz_stream_index_size(uint64_t n);

/* The largest tile of a stream of this type and number of terms; fresh = 1: as compression writes it. */
size_t ghz_tile_bound(ghz_type type, uint32_t terms, int fresh);

/* Views a whole stream, after checking its header against its length; `operand` is for messages. */
ghz_status ghz_stream_header(ghz_context *ctx, ghz_bytes src, size_t operand, ghz_slice *slice);

/* The same, and checks offsets and sizes against each other; copies the offsets unless `offset` is NULL. */
ghz_status ghz_stream_open(ghz_context *ctx, ghz_bytes src, size_t operand, ghz_slice *slice, uint64_t *offset);

/* Tiles first .. first + tiles - 1 of a whole stream that was opened. EINVAL if they are not inside it. */
ghz_status ghz_slice_cut(const ghz_slice *whole, uint64_t first, uint64_t tiles, ghz_slice *slice);

/* Checks a slice's sizes and writes the offsets of its chunks, counted from its first tile, and the end. */
ghz_status ghz_slice_locate(ghz_context *ctx, const ghz_slice *slice, uint64_t *offset);

/* The tiles that an operation writes: sizes and payload, and for a stream the offsets of its chunks. */
typedef struct tile_sink {
  uint8_t *sizes, *payload;
  uint8_t *offsets; /* NULL in a message */
  size_t room;      /* for the payload */
} tile_sink;

/* Where a result goes: ghz_stream_layout or ghz_message_layout. */
typedef ghz_status (*tile_layout)(ghz_context *ctx, const ghz_slice *shape, void *dst, size_t capacity,
                                  tile_sink *sink);

/* Lays out a stream, or a message, of the tiles that `shape` names, in dst. ECAPACITY if not even its index
 * fits. */
ghz_status ghz_stream_layout(ghz_context *ctx, const ghz_slice *shape, void *dst, size_t capacity,
                             tile_sink *sink);
ghz_status ghz_message_layout(ghz_context *ctx, const ghz_slice *shape, void *dst, size_t capacity,
                              tile_sink *sink);

/* Writes the offsets of a stream's chunks, once its sizes are there. */
void ghz_put_offsets(const tile_sink *sink, uint64_t tiles);

/* Writes the header of a stream whose payload is in place; returns the size of the whole. */
size_t ghz_stream_finish(const ghz_slice *shape, void *dst);

#endif
