/* compress.c: compression: an array, or a range of its tiles, to a stream or a message. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "compress.h"

#include "context/call.h"
#include "context/floating.h"
#include "describe.h"
#include "integers.h"
#include "lattice.h"
#include "stream/sizes.h"
#include "stream/tile_writer.h"

typedef struct compress_job {
  const tile_codec *tiles;
  const compression *what;
} compress_job;

static void compress_begin(const void *job, const chunk *c) {
  (void)job;
  (void)c;
}

static ghz_status compress_tile(const void *job, const chunk *c, const tile_walk *tile, uint8_t *dst,
                                size_t *size, int *inexact) {
  const compress_job *j = job;
  (void)c;
  (void)inexact;
  *size = compress_one(j->tiles, j->what, tile, dst);
  return GHZ_OK;
}

ghz_status ghz_compression_check(ghz_context *ctx, const compression *c) {
  const ghz_lattice *l = c->lattice;
  const uint64_t count = shape_count(c->shape);
  if (!l || (!c->x && count))
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", l ? "x" : "lattice");
  if (c->order < GHZ_ORDER_LORENZO || c->order >= orders_of((unsigned)c->shape->dims))
    return ghz_fail(ctx, GHZ_EINVAL, "order %d: must be %d to %d", c->order, GHZ_ORDER_LORENZO,
                    orders_of((unsigned)c->shape->dims) - 1);
  if (!ghz_lattice_fresh(l))
    return ghz_fail(ctx, GHZ_EINVAL, "step %g, bound %g, cap %d, fill %g are no lattice to compress on",
                    l->step, l->eb, l->cap, l->has_fill ? l->fill : 0.0);
  if (count > SIZE_MAX / ghz_type_size(l->type))
    return ghz_fail(ctx, GHZ_EINVAL, "%llu values do not fit in memory", (ull)count);
  return ghz_integers_check(ctx, c);
}

ghz_slice ghz_compression_header(const compression *c) {
  return (ghz_slice){.lattice = *c->lattice,
                     .shape = *c->shape,
                     .count = shape_count(c->shape),
                     .terms = 1,
                     .transform = c->shape->dims != 1 && c->order == GHZ_ORDER_BEST,
                     .first = c->first,
                     .tiles = c->tiles};
}

ghz_status ghz_compress_tiles(ghz_context *ctx, const compression *c, const destination *to,
                              ghz_slice *result) {
  if (!to->dst)
    return ghz_fail(ctx, GHZ_EINVAL, "dst is NULL");
  ghz_status status = ghz_compression_check(ctx, c);
  if (status != GHZ_OK)
    return status;
  *result = ghz_compression_header(c);
  compress_job job = {ctx->tiles, c};
  tile_writer writer = {&job, compress_begin, compress_tile,
                        ghz_tile_bound(c->shape->dims, c->lattice->type, 1, 1)};
  size_t total = 0;
  int fits = ghz_write_tiles_scratch(ctx, &writer, c->tiles, &total);
  uint8_t *scratch = fits ? ghz_arena_reserve(&ctx->scratch, total) : NULL;
  if (!scratch)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes of scratch", total);
  floating_environment env;
  floating_begin(&env);
  status = ghz_write_tiles(ctx, &writer, result, to, scratch);
  floating_end(&env);
  return status;
}

ghz_status ghz_compress_shape(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                              const ghz_shape *shape, void *dst, size_t capacity, size_t *size) {
  GHZ_CALL(ctx);
  ghz_slice result;
  if (!size)
    return ghz_fail(ctx, GHZ_EINVAL, "size is NULL");
  ghz_status status = ghz_shape_check(ctx, shape);
  if (status != GHZ_OK)
    return status;
  const compression c = {lattice, order, x, shape, 0, shape_tiles(shape)};
  status = ghz_compress_tiles(ctx, &c, &(destination){ghz_stream_layout, dst, capacity}, &result);
  if (status == GHZ_OK)
    *size = ghz_stream_finish(&result, dst);
  return status;
}

ghz_status ghz_compress(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x, size_t n,
                        void *dst, size_t capacity, size_t *size) {
  const ghz_shape flat = ghz_flat(n);
  return ghz_compress_shape(ctx, lattice, order, x, &flat, dst, capacity, size);
}
