/* compress.h: compression of ranges of tiles, for streams and slices alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_COMPRESS_H
#define GHZ_COMPRESS_H

#include "stream.h"

/* Tiles first .. first + tiles - 1 of the array x[0..n). */
typedef struct compression {
  const ghz_lattice *lattice;
  int order;
  const void *x;
  size_t n;
  uint64_t first, tiles;
} compression;

/* Compresses them; *shape then describes them. */
ghz_status ghz_compress_tiles(ghz_context *ctx, const compression *c, const destination *to, ghz_slice *shape);

#endif
