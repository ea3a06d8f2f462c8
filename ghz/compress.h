/* compress.h: compression of ranges of tiles, for streams and slices alike. */
#ifndef GHZ_COMPRESS_H
#define GHZ_COMPRESS_H

#include "parallel.h"

/* Compresses tiles first .. first + tiles - 1 of x[0..n) to dst; *shape then describes them. */
ghz_status ghz_compress_tiles(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x, size_t n,
                              uint64_t first, uint64_t tiles, tile_layout layout, void *dst, size_t capacity,
                              ghz_slice *shape);

#endif
