/* levels.h: what pack.c knows of the two levels. Frames and capacities were checked. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_LEVELS_H
#define GHZ_FILE_LEVELS_H

#include "file/pack.h"

/* Of a stream that has bytes, to room for ghz_pack_bound. */
ghz_status ghz_bytes_pack(ghz_context *ctx, ghz_bytes stream, uint8_t *dst, size_t *size);
ghz_status ghz_tiles_pack(ghz_context *ctx, ghz_bytes stream, uint8_t *dst, size_t *size);

/* Of a frame that says that its stream has `size` bytes. */
ghz_status ghz_bytes_check(ghz_context *ctx, ghz_bytes frame, size_t size);
ghz_status ghz_tiles_check(ghz_context *ctx, ghz_bytes frame, size_t size);

/* After that check. */
ghz_status ghz_bytes_unpack(ghz_context *ctx, ghz_bytes frame, size_t size, void *dst);
ghz_status ghz_tiles_unpack(ghz_context *ctx, ghz_bytes frame, size_t size, void *dst);

#endif
