/* decompress.h: decompression of boxes, for streams and slices alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_DECOMPRESS_H
#define GHZ_DECOMPRESS_H

#include <ghz/slice.h>

#include "context/context.h"

/* A part of an array: it begins at `origin` (z, y, x). Its own array is `shape`, of the dims of the
 * whole. */
typedef struct array_box {
  uint64_t origin[3];
  ghz_shape shape;
} array_box;

/* Why values of a lattice do not decompress to a type; NULL if they do. */
const char *ghz_not_decompressed(const ghz_lattice *lattice, ghz_type out);

/* Decompresses the values of a slice that are inside the box to their places in an array of the
 * box. */
ghz_status ghz_decompress_values(ghz_context *ctx, const ghz_slice *slice, ghz_type out, const array_box *box,
                                 void *dst);

/* The same as a call, which takes its context. */
ghz_status ghz_slice_decompress_box(ghz_context *ctx, const ghz_slice *slice, ghz_type out,
                                    const array_box *box, void *dst);

#endif
