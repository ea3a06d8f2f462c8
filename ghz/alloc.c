/* alloc.c: compression, decompression, sums and combinations whose results are allocated here,
 * in one call each. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <stdlib.h>

#include "compress.h"
#include "context/call.h"
#include "lattice.h"
#include "linear.h"
#include "range.h"
#include "stream/stream.h"

/* A result, for as long as it is made. */
typedef struct block {
  void *data;
  size_t size;
} block;

static ghz_status allocate(ghz_context *ctx, block *b, size_t size) {
  b->size = size;
  b->data = malloc(size ? size : 1);
  return b->data ? GHZ_OK : ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes for the result", size);
}

/* A stream's bound is known once its header is. */
static ghz_status layout_in_block(ghz_context *ctx, const ghz_slice *result, void *dst, size_t capacity,
                                  tile_sink *sink) {
  block *b = dst;
  const size_t bound = ghz_result_bound(result);
  (void)capacity;
  if (!bound)
    return ghz_fail(ctx, GHZ_ENOMEM, "the result does not fit in memory");
  ghz_status status = allocate(ctx, b, bound);
  return status == GHZ_OK ? ghz_stream_layout(ctx, result, b->data, b->size, sink) : status;
}

/* Hands the stream over, in as much memory as it needs; nothing after a failure. */
static ghz_status deliver(ghz_status status, const ghz_slice *result, block b, void **stream, size_t *size) {
  if (status != GHZ_OK) {
    free(b.data);
    return status;
  }
  *size = ghz_stream_finish(result, b.data);
  void *shorter = realloc(b.data, *size);
  *stream = shorter ? shorter : b.data;
  return GHZ_OK;
}

static ghz_status begin(ghz_context *ctx, void **result, size_t *size) {
  if (!result || !size)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", result ? "size" : "stream");
  *result = NULL;
  *size = 0;
  return GHZ_OK;
}

ghz_status ghz_compress_alloc(ghz_context *ctx, ghz_type type, ghz_bound bound, const void *x,
                              const ghz_shape *shape, void **stream, size_t *size) {
  GHZ_CALL(ctx);
  ghz_lattice lattice;
  ghz_slice result;
  block made = {NULL, 0};
  ghz_status status = begin(ctx, stream, size);
  if (status == GHZ_OK)
    status = ghz_shape_check(ctx, shape);
  if (status == GHZ_OK)
    status = ghz_lattice_of(ctx, type, bound, NULL, 1, &x, (size_t)shape_count(shape), &lattice);
  if (status != GHZ_OK)
    return status;
  const compression c = {&lattice, GHZ_ORDER_BEST, x, shape, 0, shape_tiles(shape)};
  status = ghz_compress_tiles(ctx, &c, &(destination){layout_in_block, &made, 0}, &result);
  return deliver(status, &result, made, stream, size);
}

ghz_status ghz_compute_alloc(ghz_context *ctx, const computation *c, void **stream, size_t *size) {
  GHZ_CALL(ctx);
  ghz_slice result;
  block made = {NULL, 0};
  ghz_status status = begin(ctx, stream, size);
  if (status == GHZ_OK)
    status = ghz_compute(ctx, c, &(destination){layout_in_block, &made, 0}, &result);
  return deliver(status, &result, made, stream, size);
}

ghz_status ghz_linear_alloc(ghz_context *ctx, size_t k, const ghz_bytes *streams, const int64_t *weights,
                            uint64_t divisor, void **stream, size_t *size) {
  const computation c = {.k = k, .weights = weights, .divisor = divisor, .streams = streams};
  return ghz_compute_alloc(ctx, &c, stream, size);
}

ghz_status ghz_decompress_alloc(ghz_context *ctx, ghz_bytes src, ghz_type out, void **values, size_t *count) {
  GHZ_CALL(ctx);
  ghz_slice s;
  block made = {NULL, 0};
  size_t size;
  ghz_status status = begin(ctx, values, count);
  if (status == GHZ_OK)
    status = ghz_stream_open(ctx, src, &s);
  if (status != GHZ_OK)
    return status;
  if (__builtin_mul_overflow(s.count, ghz_type_size(out), &size))
    return ghz_fail(ctx, GHZ_ENOMEM, "%llu values do not fit in memory", (ull)s.count);
  status = allocate(ctx, &made, size);
  if (status == GHZ_OK)
    status = ghz_decompress_values(ctx, &s, out, &(array_box){.shape = s.shape}, made.data);
  if (status != GHZ_OK) {
    free(made.data);
    return status;
  }
  *values = made.data;
  *count = (size_t)s.count;
  return GHZ_OK;
}
