/* codec.h: compression and decompression of ranges of tiles, for streams and slices alike. */
#ifndef GHZ_CODEC_H
#define GHZ_CODEC_H

#include "drive.h"

/* Where a result goes: ghz_stream_layout or ghz_message_layout. */
typedef ghz_status (*tile_layout)(ghz_context *ctx, const ghz_slice *shape, void *dst, size_t capacity,
                                  tile_sink *sink);

/* Compresses tiles first .. first + tiles - 1 of x[0..n) to dst; *shape then describes them. */
ghz_status ghz_compress_tiles(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x, size_t n,
                              uint64_t first, uint64_t tiles, tile_layout layout, void *dst, size_t capacity,
                              ghz_slice *shape);

/* Decompresses values first .. first + count - 1 of the array, all inside the slice. */
ghz_status ghz_decompress_values(ghz_context *ctx, const ghz_slice *slice, ghz_type out, uint64_t first,
                                 size_t count, void *dst);

#endif
