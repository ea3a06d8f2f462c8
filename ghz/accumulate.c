/* accumulate.c: sums in place: of a stream, or of values that are compressed on the way. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include "context/call.h"
#include "lattice.h"
#include "linear.h"
#include "stream/stream.h"

/* The accumulator is an operand and the destination: the sum is laid out in scratch, now that its
 * bound is known. */
static ghz_status layout_in_scratch(ghz_context *ctx, const ghz_slice *result, void *acc, size_t capacity,
                                    tile_sink *sink) {
  (void)acc;
  size_t bound = ghz_result_bound(result);
  size_t room = bound && bound < capacity ? bound : capacity;
  void *scratch = ghz_arena_reserve(&ctx->result, room);
  if (!scratch)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes of scratch", room);
  return ghz_stream_layout(ctx, result, scratch, room, sink);
}

static ghz_status check_accumulator(ghz_context *ctx, const void *acc, size_t capacity, const size_t *size) {
  if (!acc || !size)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", acc ? "size" : "acc");
  if (*size > capacity)
    return ghz_fail(ctx, GHZ_EINVAL, "size %zu exceeds capacity %zu", *size, capacity);
  return GHZ_OK;
}

/* The first operand is the accumulator. An empty one is none: then the sum of the others begins
 * it. */
static ghz_status accumulate(ghz_context *ctx, computation c, void *acc, size_t capacity, size_t *size) {
  ghz_slice sum;
  const int empty = *size == 0;
  c.k -= (size_t)empty;
  c.streams += empty;
  const destination to = {empty ? ghz_stream_layout : layout_in_scratch, acc, capacity};
  ghz_status status = ghz_compute(ctx, &c, &to, &sum);
  if (status != GHZ_OK)
    return status;
  void *made = empty ? acc : ctx->result.data;
  *size = ghz_stream_finish(&sum, made);
  if (!empty)
    memcpy(acc, made, *size);
  return GHZ_OK;
}

ghz_status ghz_accumulate(ghz_context *ctx, void *acc, size_t capacity, size_t *size, ghz_bytes x) {
  GHZ_CALL(ctx);
  ghz_status status = check_accumulator(ctx, acc, capacity, size);
  if (status != GHZ_OK)
    return status;
  return accumulate(ctx, (computation){.k = 2, .divisor = 1, .streams = (ghz_bytes[]){{acc, *size}, x}}, acc,
                    capacity, size);
}

ghz_status ghz_accumulate_values(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                                 const ghz_shape *shape, void *acc, size_t capacity, size_t *size) {
  GHZ_CALL(ctx);
  ghz_status status = check_accumulator(ctx, acc, capacity, size);
  if (status == GHZ_OK)
    status = ghz_shape_check(ctx, shape);
  if (status != GHZ_OK)
    return status;
  const compression values = {lattice, order, x, shape, 0, shape_tiles(shape)};
  status = ghz_compression_check(ctx, &values);
  if (status != GHZ_OK)
    return status;
  const computation c = {.k = 2, .divisor = 1, .streams = (ghz_bytes[]){{acc, *size}}, .values = &values};
  return accumulate(ctx, c, acc, capacity, size);
}
