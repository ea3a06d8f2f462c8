/* tile_page.h: one page of a frame, packed (FILE_FORMAT.md, "Pages"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_TILE_PAGE_H
#define GHZ_FILE_TILE_PAGE_H

#include "coder/page.h"
#include "file/pack.h"
#include "rules/bytes.h"
#include "tile/tile.h"

/* What one thread packs and unpacks pages with. Begins as {.tiles}; its memory grows. */
typedef struct tile_page_coder {
  const tile_codec *tiles;
  void *packer, *unpacker; /* of zstd */
  page_model page;
  size_t tokens_room, bytes_room, words_room, side_room, whole_room, copy_room;
  uint16_t *words;
  uint8_t *side, *whole, *copy;
} tile_page_coder;

void ghz_tile_page_close(tile_page_coder *c);

/* A page of a stream: its tiles' sizes, u16 each, and the tiles one behind the other. */
typedef struct tile_page {
  const ghz_slice *stream; /* header alone */
  uint64_t first;          /* tile */
  unsigned tiles;
  uint8_t *sizes, *payload;
  size_t size; /* of the payload */
} tile_page;

/* The most bytes that a packed page has. */
static inline size_t tile_page_bound(unsigned tiles, size_t size) {
  return TILE_PAGE_HEAD + 2 * (size_t)tiles + size;
}

/* Packs a page at a level to dst, which has room for its bound; `readable` bytes follow the
 * payload. Sets *size. Errors: ENOMEM. */
ghz_status ghz_tile_page_pack(tile_page_coder *c, const tile_page *from, int level, size_t readable,
                              uint8_t *dst, size_t *size);

/* The bytes that the tiles of a packed page have, as its head says. */
static inline uint32_t ghz_tile_page_says(const uint8_t *packed) {
  return load_u32(packed + 1);
}

/* Unpacks a page whose tiles have to->size bytes. Errors: ECORRUPT, ENOMEM, EUNSUPPORTED (zstd). */
ghz_status ghz_tile_page_unpack(tile_page_coder *c, ghz_bytes packed, const tile_page *to);

#endif
