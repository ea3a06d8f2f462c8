/* no_zstd.c: in the place of page_zstd.c where there is no libzstd. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/page.h"

int ghz_page_coded(void) {
  return 0;
}

int ghz_page_coder_open(page_coder *c, int level) {
  (void)level;
  *c = (page_coder){0};
  return 0;
}

void ghz_page_coder_close(page_coder *c) {
  *c = (page_coder){0};
}

size_t ghz_page_pack(const page_coder *c, const void *from, size_t size, void *to) {
  (void)c, (void)from, (void)size, (void)to;
  return 0;
}

int ghz_page_unpack(const page_coder *c, const void *from, size_t packed, void *to, size_t size) {
  (void)c, (void)from, (void)packed, (void)to, (void)size;
  return 0;
}
