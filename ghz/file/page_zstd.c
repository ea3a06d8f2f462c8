/* page_zstd.c: one page of a frame, as a frame of zstd (RFC 8878) that says its size. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/tile_page.h"

#ifdef GHZ_HAVE_ZSTD
#include <zstd.h>

int ghz_page_coded(void) {
  return 1;
}

void ghz_page_coder_close(page_coder *c) {
  ZSTD_freeCCtx(c->packer);
  ZSTD_freeDCtx(c->unpacker);
  *c = (page_coder){0};
}

size_t ghz_page_pack(page_coder *c, const void *from, size_t size, void *to) {
  if (!c->packer)
    c->packer = ZSTD_createCCtx();
  const size_t packed = c->packer ? ZSTD_compressCCtx(c->packer, to, size - 1, from, size, 1) : size;
  return ZSTD_isError(packed) ? size : packed;
}

/* zstd also reads the formats of its versions before 1.0, several frames in a row, and frames that
 * are skipped. None of these is a page. */
static int one_frame(const unsigned char *from, size_t packed, size_t size) {
  static const unsigned char magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
  for (size_t i = 0; i < sizeof magic; i++)
    if (packed <= i || from[i] != magic[i])
      return 0;
  return ZSTD_getFrameContentSize(from, packed) == size && ZSTD_findFrameCompressedSize(from, packed) == packed;
}

ghz_status ghz_page_unpack(page_coder *c, ghz_bytes packed, void *to, size_t size) {
  if (!one_frame(packed.data, packed.size, size))
    return GHZ_ECORRUPT;
  if (!c->unpacker && !(c->unpacker = ZSTD_createDCtx()))
    return GHZ_ENOMEM;
  return ZSTD_decompressDCtx(c->unpacker, to, size, packed.data, packed.size) == size ? GHZ_OK : GHZ_ECORRUPT;
}
#else
int ghz_page_coded(void) {
  return 0;
}

void ghz_page_coder_close(page_coder *c) {
  *c = (page_coder){0};
}

size_t ghz_page_pack(page_coder *c, const void *from, size_t size, void *to) {
  (void)c, (void)from, (void)to;
  return size;
}

ghz_status ghz_page_unpack(page_coder *c, ghz_bytes packed, void *to, size_t size) {
  (void)c, (void)packed, (void)to, (void)size;
  return GHZ_EUNSUPPORTED;
}
#endif
