/* tile_page.h: one page of tiles, packed at level 2 (FILE_FORMAT.md, "Pages of tiles"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_TILE_PAGE_H
#define GHZ_FILE_TILE_PAGE_H

#include "coder/page.h"
#include "file/page.h"
#include "rules/bytes.h"
#include "tile/tile.h"
#include <ghz/slice.h>

enum { TILE_PAGE_HEAD = 5 }; /* kind, and u32 bytes of the tiles */

/* Pages of so many tiles. */
static inline uint64_t tile_pages(uint64_t tiles) {
  return tiles / PAGE_TILES + (tiles % PAGE_TILES != 0);
}

static inline unsigned tiles_in_page(uint64_t tiles, uint64_t number) {
  const uint64_t left = tiles - number * PAGE_TILES;
  return left < PAGE_TILES ? (unsigned)left : (unsigned)PAGE_TILES;
}

/* What one thread packs or unpacks such pages with. Its memory grows. */
typedef struct tile_page_coder {
  const tile_codec *tiles;
  page_coder zstd;
  page_model page;
  size_t tokens_room, bytes_room, words_room, side_room, whole_room, copy_room;
  uint16_t *words;
  uint8_t *side, *whole, *copy;
  int shrinking; /* packing: the bytes of the page are worth zstd */
} tile_page_coder;

/* Returns 0 without memory. */
int ghz_tile_page_open(tile_page_coder *c, const tile_codec *tiles, int pack);
void ghz_tile_page_close(tile_page_coder *c);

/* A page of a stream: its tiles' sizes, u16 each, and the tiles one behind the other. */
typedef struct tile_page {
  const ghz_slice *stream; /* header alone */
  uint64_t number;
  uint8_t *sizes, *payload;
  size_t size; /* of the payload */
} tile_page;

/* The most bytes that a packed page has. */
static inline size_t tile_page_bound(unsigned tiles, size_t size) {
  return TILE_PAGE_HEAD + 2 * (size_t)tiles + size;
}

/* Packs a page to dst, which has room for its bound; `readable` bytes follow the payload. Sets
 * *size. Errors: ENOMEM. */
ghz_status ghz_tile_page_pack(tile_page_coder *c, const tile_page *from, size_t readable, uint8_t *dst,
                              size_t *size);

/* The bytes that the tiles of a packed page have, as its head says. */
static inline uint32_t ghz_tile_page_says(const uint8_t *packed) {
  return load_u32(packed + 1);
}

/* Unpacks a page whose tiles have to->size bytes. Errors: ECORRUPT, ENOMEM, EUNSUPPORTED (zstd). */
ghz_status ghz_tile_page_unpack(tile_page_coder *c, ghz_bytes packed, const tile_page *to);

#endif
