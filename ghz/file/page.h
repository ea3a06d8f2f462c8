/* page.h: one page of a packed frame, through zstd. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_PAGE_H
#define GHZ_FILE_PAGE_H

#include <stddef.h>

/* What one thread packs or unpacks its pages with. Begins as zeros. */
typedef struct page_coder {
  void *packer, *unpacker;
} page_coder;

/* Whether there is a zstd; without it the calls below do nothing. */
int ghz_page_coded(void);

/* Makes a coder ready to pack at a level, or with level 0 to unpack. Returns 0 without memory. */
int ghz_page_coder_open(page_coder *c, int level);
void ghz_page_coder_close(page_coder *c);

/* Packs `size` bytes to fewer, and returns how many; `size` if zstd finds no fewer, 0 without
 * memory. */
size_t ghz_page_pack(const page_coder *c, const void *from, size_t size, void *to);

/* Unpacks a page to exactly `size` bytes; 0 if it is not one frame of zstd of so many. */
int ghz_page_unpack(const page_coder *c, const void *from, size_t packed, void *to, size_t size);

#endif
