/* page_zstd.h: one page of a frame, through zstd. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_PAGE_ZSTD_H
#define GHZ_FILE_PAGE_ZSTD_H

#include <ghz/ghz.h>

/* What one thread packs and unpacks its pages with. Begins as zeros; what is needed is made when it
 * is. */
typedef struct page_coder {
  void *packer, *unpacker;
} page_coder;

/* Whether there is a zstd. */
int ghz_page_coded(void);

void ghz_page_coder_close(page_coder *c);

/* Packs `size` bytes to fewer, and returns how many; `size` if zstd finds no fewer, is not there or
 * has no memory. */
size_t ghz_page_pack(page_coder *c, const void *from, size_t size, void *to);

/* Unpacks a page to exactly `size` bytes. Errors: ECORRUPT (it is not one frame of zstd of so
 * many), ENOMEM, EUNSUPPORTED. */
ghz_status ghz_page_unpack(page_coder *c, ghz_bytes packed, void *to, size_t size);

#endif
