/* pack.h: packed frames: a stream in pages that zstd compresses, each by itself (FILE_FORMAT.md,
 * "Packed frame"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_PACK_H
#define GHZ_FILE_PACK_H

#include <ghz/ghz.h>

/* A packed frame has, behind its length: u64 bytes of the stream; for each page u32 its packed
 * bytes; the packed pages. A page is PACK_PAGE bytes of the stream, the last one the rest. Its
 * packed bytes are those of one zstd frame, or the page as it is where that is no smaller: then,
 * and only then, both sizes are equal. The zstd frame says its size, and is no older one. */
#define PACK_PAGE ((size_t)1 << 18)

/* Pages of a stream of `size` bytes, and the bytes before them in a packed frame. */
static inline size_t pack_pages(size_t size) {
  return size / PACK_PAGE + (size % PACK_PAGE != 0);
}

static inline size_t pack_head(size_t size) {
  return 8 + 4 * pack_pages(size);
}

/* Whether this build has zstd. */
int ghz_pack_available(void);

/* The most bytes that a packed frame of a stream of `size` bytes has; 0 if that overflows. */
size_t ghz_pack_bound(size_t size);

/* Levels of zstd. */
enum { PACK_LEVEL_LEAST = 1, PACK_LEVEL_MOST = 19 };

/* Packs a stream, with the threads of ctx, to dst, and sets *size.
 * capacity: at least ghz_pack_bound of the stream.
 * Errors: EUNSUPPORTED, EINVAL (level, a stream without bytes), ECAPACITY, ENOMEM. */
ghz_status ghz_pack(ghz_context *ctx, ghz_bytes stream, int level, void *dst, size_t capacity, size_t *size);

/* Unpacks pages first .. first + pages - 1 of a stream of `size` bytes, with the threads of ctx,
 * to dst, which has room for them: pages * PACK_PAGE bytes, or less for the last one.
 * sizes: u32 the packed bytes of each of these, `stride` bytes apart, not yet checked against
 * `packed`; packed: all their
 * bytes, one page behind the other. A page that unpacks to another size than its own is ECORRUPT.
 * Errors: EUNSUPPORTED, ECORRUPT, ENOMEM. */
ghz_status ghz_unpack(ghz_context *ctx, size_t size, size_t first, size_t pages, const void *sizes,
                      size_t stride, ghz_bytes packed, void *dst);

/* Checks what a packed frame says of its sizes, before memory is taken for them, and sets *size:
 * the bytes of its stream, which may be 1 to `most`. Errors: ECORRUPT. */
ghz_status ghz_packed_size(ghz_context *ctx, ghz_bytes frame, size_t most, size_t *size);

/* Unpacks a whole packed frame, whose stream has `size` bytes by ghz_packed_size, to dst.
 * Errors: as ghz_unpack. */
ghz_status ghz_unpack_frame(ghz_context *ctx, ghz_bytes frame, size_t size, void *dst);

#endif
