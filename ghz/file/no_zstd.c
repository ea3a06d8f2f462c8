/* no_zstd.c: in the place of block_zstd.c where there is no libzstd. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/block.h"

int ghz_block_coded(void) {
  return 0;
}

int ghz_block_coder_open(block_coder *c, int level) {
  (void)level;
  *c = (block_coder){0};
  return 0;
}

void ghz_block_coder_close(block_coder *c) {
  *c = (block_coder){0};
}

size_t ghz_block_pack(const block_coder *c, const void *from, size_t size, void *to) {
  (void)c, (void)from, (void)size, (void)to;
  return 0;
}

int ghz_block_unpack(const block_coder *c, const void *from, size_t packed, void *to, size_t size) {
  (void)c, (void)from, (void)packed, (void)to, (void)size;
  return 0;
}
