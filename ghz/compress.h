/* compress.h: compression of ranges of tiles, for streams and slices alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_COMPRESS_H
#define GHZ_COMPRESS_H

#include "stream.h"

/* Tiles first .. first + tiles - 1 of an array that begins at x. */
typedef struct compression {
  const ghz_lattice *lattice;
  int order;
  const void *x;
  const ghz_shape *shape;
  uint64_t first, tiles;
} compression;

/* Compresses them; *result then describes them. */
ghz_status ghz_compress_tiles(ghz_context *ctx, const compression *c, const destination *to, ghz_slice *result);

#endif
