/* compress.c: compression: an array, or a range of its tiles, to a stream or a message. */

#include "compress.h"

#include "lattice.h"

typedef struct compress_job {
  const tile_codec *tiles;
  const ghz_lattice *lattice;
  int order;
  const uint8_t *x;
  size_t n;
} compress_job;

static void compress_begin(const void *job, const chunk *c) {
  (void)job;
  (void)c;
}

static ghz_status compress_tile(const void *job, const chunk *c, uint64_t tile, uint8_t *dst, size_t *size,
                                int *inexact) {
  const compress_job *j = job;
  (void)c;
  (void)inexact;
  const uint8_t *x = j->x + tile * TILE * ghz_type_size(j->lattice->type);
  *size = j->tiles->encode(j->lattice, j->order, x, values_in_tile(j->n, tile), dst);
  return GHZ_OK;
}

ghz_status ghz_compress_tiles(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x, size_t n,
                              uint64_t first, uint64_t tiles, tile_layout layout, void *dst, size_t capacity,
                              ghz_slice *shape) {
  if (!ctx || !lattice || !dst || (!x && n))
    return ghz_fail(ctx, GHZ_EINVAL, "a pointer is NULL");
  if (order < GHZ_ORDER_BEST || order > 2)
    return ghz_fail(ctx, GHZ_EINVAL, "order %d", order);
  if (!ghz_lattice_fresh(lattice))
    return ghz_fail(ctx, GHZ_EINVAL, "step %g, bound %g, cap %d are no lattice to compress on", lattice->step,
                    lattice->eb, lattice->cap);
  if (n > SIZE_MAX / ghz_type_size(lattice->type))
    return ghz_fail(ctx, GHZ_EINVAL, "%zu values do not fit in memory", n);
  *shape = (ghz_slice){.lattice = *lattice, .count = n, .terms = 1, .first = first, .tiles = tiles};
  compress_job job = {ctx->tiles, lattice, order, x, n};
  tile_writer writer = {&job, compress_begin, compress_tile, ghz_tile_bound(lattice->type, 1, 1)};
  tile_sink sink;
  ghz_status status = layout(ctx, shape, dst, capacity, &sink);
  if (status != GHZ_OK)
    return status;
  size_t total = 0;
  uint8_t *scratch =
      ghz_write_tiles_scratch(ctx, &writer, tiles, &total) ? ghz_arena_reserve(&ctx->scratch, total) : NULL;
  if (!scratch)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes of scratch", total);
  shape->sizes = sink.sizes;
  shape->payload = sink.payload;
  return ghz_write_tiles(ctx, &writer, shape, &sink, scratch);
}

ghz_status ghz_compress(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x, size_t n,
                        void *dst, size_t capacity, size_t *size) {
  ghz_slice shape;
  if (!size)
    return ghz_fail(ctx, GHZ_EINVAL, "size is NULL");
  ghz_status status =
      ghz_compress_tiles(ctx, lattice, order, x, n, 0, tiles_of(n), ghz_stream_layout, dst, capacity, &shape);
  if (status == GHZ_OK)
    *size = ghz_stream_finish(&shape, dst);
  return status;
}
