/* streams.h: calls of libghz that must succeed, their results in buffers of exactly their size
 * (scratch), and within the size that was promised. A failure ends the process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <ghz/slice.h>

#include "common.h"

ref_bytes compress(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x, size_t n);
ref_bytes compress_shape(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                         const ghz_shape *shape);
/* Of an array by a named maker. */
ref_bytes stream_of(ghz_context *ctx, const ghz_lattice *lattice, int order, const char *maker, size_t n,
                    uint64_t seed);
void *decompress(ghz_context *ctx, ref_bytes stream, ghz_type out);
ghz_info info_of(ref_bytes stream);
ghz_statistics scanned(ref_bytes stream);

ref_bytes combine(ghz_context *ctx, size_t k, const ref_bytes *streams, const int64_t *coefficients);
ref_bytes linear(ghz_context *ctx, size_t k, const ref_bytes *streams, const int64_t *weights,
                 uint64_t divisor);
ref_bytes sum(ghz_context *ctx, size_t k, const ref_bytes *streams);
ref_bytes mean(ghz_context *ctx, size_t k, const ref_bytes *streams);
ref_bytes add(ghz_context *ctx, ref_bytes a, ref_bytes b);
ref_bytes subtract(ghz_context *ctx, ref_bytes a, ref_bytes b);
ref_bytes negate(ghz_context *ctx, ref_bytes a);
ref_bytes scale(ghz_context *ctx, ref_bytes a, double factor);
ref_bytes extremum(ghz_context *ctx, ref_bytes a, ref_bytes b, int larger);

/* Tiles of a stream, and the message that they are. */
ghz_slice slice_of(ref_bytes stream, uint64_t first, uint64_t tiles);
ref_bytes packed(const ghz_slice *slice);
