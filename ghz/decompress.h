/* decompress.h: decompression of ranges of values, for streams and slices alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_DECOMPRESS_H
#define GHZ_DECOMPRESS_H

#include "context.h"

/* Decompresses values first .. first + count - 1 of the array, all inside the slice. */
ghz_status ghz_decompress_values(ghz_context *ctx, const ghz_slice *slice, ghz_type out, uint64_t first,
                                 size_t count, void *dst);

#endif
