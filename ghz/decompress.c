/* decompress.c: decompression: a stream, a slice or a range of values, to an array. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "decompress.h"

#include <string.h>

#include "lattice.h"
#include "operand.h"
#include "parallel.h"

/* From this size on results pass the caches by: reading the old lines first would double the
 * traffic. */
#define STREAMING_BYTES ((size_t)16 << 20)

typedef struct decompress_job {
  const tile_codec *tiles;
  operand source;
  ghz_type out;
  uint64_t first, end; /* values requested */
  int streaming;
  uint8_t *dst;
} decompress_job;

/* A tile of which only some values are requested goes through a buffer. */
static ghz_status decompress_part(const decompress_job *j, tile_source src, uint64_t start,
                                  const tile_place *place) {
  const unsigned n = place->extent.n;
  _Alignas(64) uint8_t whole[TILE * 8];
  size_t value = ghz_type_size(j->out);
  uint64_t from = start < j->first ? j->first : start, to = start + n < j->end ? start + n : j->end;
  ghz_status status = j->tiles->decode(&j->source.slice.lattice, src, j->out, place, 0, whole);
  if (status == GHZ_OK)
    memcpy(j->dst + (from - j->first) * value, whole + (from - start) * value, (to - from) * value);
  return status;
}

static ghz_status decompress_chunk(const void *job, const chunk *c) {
  const decompress_job *j = job;
  const ghz_slice *s = &j->source.slice;
  tile_cursor cursor = cursor_at(&j->source, c->index);
  for (uint64_t t = c->first; t < c->first + c->tiles; t++) {
    tile_source src = cursor_next(&cursor, s);
    uint64_t start = t * TILE;
    const tile_place place = packed_place(tile_extent_of(&s->shape, t));
    const unsigned n = place.extent.n;
    ghz_status status = GHZ_OK;
    if (start >= j->first && start + n <= j->end)
      status = j->tiles->decode(&s->lattice, src, j->out, &place, j->streaming,
                                j->dst + (start - j->first) * ghz_type_size(j->out));
    else if (start + n > j->first && start < j->end)
      status = decompress_part(j, src, start, &place);
    if (status != GHZ_OK)
      return status;
  }
  if (j->streaming)
    j->tiles->fence();
  return GHZ_OK;
}

ghz_status ghz_decompress_values(ghz_context *ctx, const ghz_slice *slice, ghz_type out, uint64_t first,
                                 size_t count, void *dst) {
  if (!ghz_type_known(out) || (out == GHZ_F32 && slice->lattice.type == GHZ_F64))
    return ghz_fail(ctx, GHZ_EINVAL, "a stream of doubles does not decompress to floats");
  if (slice->shape.dims != 1)
    return ghz_fail(ctx, GHZ_EINVAL, "bricks cannot be decompressed");
  if (!dst && count)
    return ghz_fail(ctx, GHZ_EINVAL, "dst is NULL");
  if (count == 0)
    return GHZ_OK;
  decompress_job job = {.tiles = ctx->tiles, .out = out, .first = first, .end = first + count, .dst = dst};
  job.streaming = count >= STREAMING_BYTES / ghz_type_size(out);
  ghz_status status = ghz_operand_open(ctx, slice, &job.source, 0, NULL);
  return status == GHZ_OK ? ghz_parallel_for(ctx, decompress_chunk, &job, slice->first, slice->tiles) : status;
}

ghz_status ghz_decompress(ghz_context *ctx, ghz_bytes src, ghz_type out, void *dst, size_t count) {
  ghz_slice s;
  if (!ctx)
    return GHZ_EINVAL;
  ghz_status status = ghz_stream_open(ctx, src, &s);
  if (status != GHZ_OK)
    return status;
  if (s.count > count)
    return ghz_fail(ctx, GHZ_ECAPACITY, "%llu values in the stream, room for %zu", (unsigned long long)s.count,
                    count);
  return ghz_decompress_values(ctx, &s, out, 0, (size_t)s.count, dst);
}

ghz_status ghz_decompress_range(ghz_context *ctx, ghz_bytes src, ghz_type out, uint64_t first, size_t count,
                                void *dst) {
  ghz_slice s;
  if (!ctx)
    return GHZ_EINVAL;
  ghz_status status = ghz_stream_open(ctx, src, &s);
  if (status != GHZ_OK)
    return status;
  if (first > s.count || count > s.count - first)
    return ghz_fail(ctx, GHZ_EINVAL, "values %llu .. +%zu of %llu", (unsigned long long)first, count,
                    (unsigned long long)s.count);
  if (count) {
    uint64_t tile = first / TILE;
    status = ghz_slice_cut(&s, tile, (first + count - 1) / TILE - tile + 1, &s);
  }
  return status == GHZ_OK ? ghz_decompress_values(ctx, &s, out, first, count, dst) : status;
}
