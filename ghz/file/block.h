/* block.h: one block of a packed frame, through zstd. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_BLOCK_H
#define GHZ_FILE_BLOCK_H

#include <stddef.h>

/* What one thread packs or unpacks its blocks with. Begins as zeros. */
typedef struct block_coder {
  void *packer, *unpacker;
} block_coder;

/* Whether there is a zstd; without it the calls below do nothing. */
int ghz_block_coded(void);

/* Makes a coder ready to pack at a level, or with level 0 to unpack. Returns 0 without memory. */
int ghz_block_coder_open(block_coder *c, int level);
void ghz_block_coder_close(block_coder *c);

/* Packs `size` bytes to fewer, and returns how many; `size` if zstd finds no fewer, 0 without
 * memory. */
size_t ghz_block_pack(const block_coder *c, const void *from, size_t size, void *to);

/* Unpacks a block to exactly `size` bytes; 0 if it is not one frame of zstd of so many. */
int ghz_block_unpack(const block_coder *c, const void *from, size_t packed, void *to, size_t size);

#endif
