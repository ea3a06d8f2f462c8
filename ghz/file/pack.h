/* pack.h: packed frames: a stream in pages that are packed each by itself, in one of two ways, the
 * levels (FILE_FORMAT.md, "Packed frame"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_PACK_H
#define GHZ_FILE_PACK_H

#include <ghz/slice.h>

/* A packed frame begins with u64 bytes of the stream.
 * Level 1: for each page u32 its packed bytes; the packed pages. A page is PACK_PAGE bytes of the
 * stream, the last one the rest. Its packed bytes are those of one zstd frame, or the page as it is
 * where that is no smaller: then, and only then, both sizes are equal. The zstd frame says its
 * size, and is no older one.
 * Level 2: the header of the stream; for each page u32 its packed bytes; the packed pages. A page
 * is the tiles of 64 chunks (tile_page.h). The table of the stream follows from the tiles. */
enum { PACK_BYTES = 1, PACK_TILES = 2, PACK_LEVEL_MOST = PACK_TILES };

#define PACK_PAGE ((size_t)1 << 18)

/* Level 1: pages of a stream of `size` bytes, and the bytes before them in a packed frame. */
static inline size_t pack_pages(size_t size) {
  return size / PACK_PAGE + (size % PACK_PAGE != 0);
}

static inline size_t pack_head(size_t size) {
  return 8 + 4 * pack_pages(size);
}

/* Pages of a frame, and the bytes before them: of level 0, a stream as it is, 1 or 2. */
uint64_t ghz_frame_pages(int level, uint64_t stream, uint64_t tiles);
size_t ghz_frame_head(int level, uint64_t pages);

/* Whether this build packs and unpacks at the level. */
int ghz_pack_available(int level);

/* The most bytes that a packed frame of a stream of `size` bytes has, at any level; 0 if that
 * overflows. */
size_t ghz_pack_bound(size_t size);

/* Packs a stream, with the threads of ctx, to dst, and sets *size.
 * capacity: at least ghz_pack_bound of the stream.
 * Errors: EUNSUPPORTED, EINVAL (level, a stream without bytes), ECAPACITY, ENOMEM; level 2 also
 * those of what is no stream. */
ghz_status ghz_pack(ghz_context *ctx, ghz_bytes stream, int level, void *dst, size_t capacity, size_t *size);

/* Checks what a packed frame says of its sizes, before memory is taken for them, and sets *size:
 * the bytes of its stream, which may be 1 to `most`. Errors: ECORRUPT, EVERSION. */
ghz_status ghz_packed_size(ghz_context *ctx, int level, ghz_bytes frame, size_t most, size_t *size);

/* Unpacks a whole packed frame, whose stream has `size` bytes by ghz_packed_size, to dst.
 * Errors: EUNSUPPORTED, ECORRUPT, ENOMEM. */
ghz_status ghz_unpack_frame(ghz_context *ctx, int level, ghz_bytes frame, size_t size, void *dst);

/* Level 1: unpacks pages first .. first + pages - 1 of a stream of `size` bytes, with the threads
 * of ctx, to dst, which has room for them: pages * PACK_PAGE bytes, or less for the last one.
 * sizes: u32 the packed bytes of each of these, `stride` bytes apart, not yet checked against
 * `packed`; packed: all their bytes, one page behind the other. A page that unpacks to another size
 * than its own is ECORRUPT. Errors: as ghz_unpack_frame. */
ghz_status ghz_bytes_unpack_pages(ghz_context *ctx, size_t size, size_t first, size_t pages, const void *sizes,
                                  size_t stride, ghz_bytes packed, void *dst);

/* Level 2: some pages of a stream, of whose slice the header counts alone. `sizes` and `packed` are
 * as above. */
typedef struct packed_tiles {
  const ghz_slice *stream;
  size_t first, pages;
  const uint8_t *sizes;
  size_t stride;
  ghz_bytes packed;
} packed_tiles;

/* Checks these sizes, and sets *size: the bytes that the tiles of the pages have. Errors:
 * ECORRUPT. */
ghz_status ghz_tiles_size(ghz_context *ctx, const packed_tiles *p, size_t *size);

/* Unpacks them, with the threads of ctx: u16 for each tile its size, and the tiles, `size` bytes by
 * ghz_tiles_size. Errors: as ghz_unpack_frame. */
ghz_status ghz_tiles_unpack_pages(ghz_context *ctx, const packed_tiles *p, uint8_t *sizes, uint8_t *payload);

#endif
