/* pack.h: bodies of frames: the header of a stream, and its tiles in pages, each packed by itself
 * (FILE_FORMAT.md, "Frame"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_PACK_H
#define GHZ_FILE_PACK_H

#include <ghz/slice.h>

#include "file/errors.h"

/* Levels: 0 stores pages, and the body is not packed; 1 tries zstd alone; 2 the coder, too. */
enum { PACK_FAST = 1, PACK_LEVEL_MOST = 2 };

enum { TILE_PAGE_HEAD = 5 }; /* of a page: kind, and u32 bytes of its tiles */

/* Tiles of a page but for the last one. To read a part of a page costs to read all of it, which is
 * little of one that is stored. */
enum { STORED_TILES = 128 };
static inline unsigned page_tiles(int packed) {
  return packed ? 1024 : STORED_TILES;
}

static inline uint64_t tile_pages(int packed, uint64_t tiles) {
  return tiles / page_tiles(packed) + (tiles % page_tiles(packed) != 0);
}

/* What is before the pages: the header, 72 bytes, and for each page u32 its bytes. The table of the
 * stream is not there: it follows from the tiles. */
static inline size_t body_head(uint64_t pages) {
  return 72 + 4 * (size_t)pages;
}

/* Whether this build packs at the level: 0 to PACK_LEVEL_MOST. */
int ghz_pack_available(int level);

/* The most bytes that the body of a stream of `size` bytes has; 0 if that overflows. */
size_t ghz_pack_bound(size_t size);

/* Packs a stream at a level, with the threads of ctx, to dst, and sets *size.
 * capacity: at least ghz_pack_bound of the stream.
 * Errors: EUNSUPPORTED, ECAPACITY, ENOMEM; those of what is no stream. */
ghz_status ghz_pack(ghz_context *ctx, ghz_bytes stream, int level, void *dst, size_t capacity, size_t *size);

/* Unpacks a body to its stream, which may have `most` bytes, and sets *size. Memory is taken once
 * what the body says of its sizes was checked. Errors: EUNSUPPORTED, ECORRUPT, EVERSION, ENOMEM. */
ghz_status ghz_unpack_frame(ghz_context *ctx, int packed, ghz_bytes body, size_t most, memory *to,
                            size_t *size);

/* Some pages of a stream, of whose slice the header counts alone. */
typedef struct packed_tiles {
  const ghz_slice *stream;
  int packed;
  size_t first, pages;
  const uint8_t *sizes; /* u32 packed bytes of each, not yet checked against `bytes`, */
  size_t stride;        /* so many bytes apart */
  ghz_bytes bytes;      /* of all of them, one behind the other */
} packed_tiles;

/* Checks these sizes, and sets *size: the bytes that the tiles of the pages have. Errors:
 * ECORRUPT. */
ghz_status ghz_tiles_size(ghz_context *ctx, const packed_tiles *p, size_t *size);

/* Unpacks them, with the threads of ctx: u16 for each tile its size, and the tiles, `size` bytes by
 * ghz_tiles_size. Errors: as ghz_unpack_frame. */
ghz_status ghz_tiles_unpack_pages(ghz_context *ctx, const packed_tiles *p, uint8_t *sizes, uint8_t *payload);

#endif
