/* page_zstd.c: one page of a packed frame, as a frame of zstd (RFC 8878) that says its size. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/page.h"

#include <zstd.h>
#include <zstd_errors.h>

int ghz_page_coded(void) {
  return 1;
}

int ghz_page_coder_open(page_coder *c, int level) {
  *c = (page_coder){0};
  if (level)
    c->packer = ZSTD_createCCtx();
  else
    c->unpacker = ZSTD_createDCtx();
  if (c->packer && ZSTD_isError(ZSTD_CCtx_setParameter(c->packer, ZSTD_c_compressionLevel, level)))
    ghz_page_coder_close(c);
  return c->packer || c->unpacker;
}

void ghz_page_coder_close(page_coder *c) {
  ZSTD_freeCCtx(c->packer);
  ZSTD_freeDCtx(c->unpacker);
  *c = (page_coder){0};
}

size_t ghz_page_pack(const page_coder *c, const void *from, size_t size, void *to) {
  const size_t packed = ZSTD_compress2(c->packer, to, size - 1, from, size);
  if (!ZSTD_isError(packed))
    return packed;
  return ZSTD_getErrorCode(packed) == ZSTD_error_dstSize_tooSmall ? size : 0;
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

int ghz_page_unpack(const page_coder *c, const void *from, size_t packed, void *to, size_t size) {
  return one_frame(from, packed, size) && ZSTD_decompressDCtx(c->unpacker, to, size, from, packed) == size;
}
