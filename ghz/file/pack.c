/* pack.c: owns the levels of packing: which there are, and what both have in common. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/pack.h"

#include "context/call.h"
#include "file/levels.h"
#include "file/tile_page.h"
#include "rules/bytes.h"

int ghz_pack_available(int level) {
  return level != PACK_BYTES || ghz_page_coded();
}

uint64_t ghz_frame_pages(int level, uint64_t stream, uint64_t tiles) {
  return level == PACK_TILES ? tile_pages(tiles) : pack_pages((size_t)stream);
}

size_t ghz_frame_head(int level, uint64_t pages) {
  return level == 0 ? 0 : (level == PACK_TILES ? 8u + STREAM_HEADER : 8u) + 4 * (size_t)pages;
}

/* A page of tiles that does not become smaller has 9 bytes beside its tiles and their sizes, and
 * lacks the ends of its chunks, 8 bytes or, but for the last page, 512. */
size_t ghz_pack_bound(size_t size) {
  size_t bound;
  return __builtin_add_overflow(size, pack_head(size) + 16, &bound) ? 0 : bound;
}

ghz_status ghz_pack(ghz_context *ctx, ghz_bytes stream, int level, void *dst, size_t capacity, size_t *size) {
  GHZ_CALL(ctx);
  const size_t bound = ghz_pack_bound(stream.size);
  if (level < PACK_BYTES || level > PACK_LEVEL_MOST)
    return ghz_fail(ctx, GHZ_EINVAL, "level %d of packing: must be %d or %d", level, PACK_BYTES, PACK_TILES);
  if (stream.size == 0 || bound == 0)
    return ghz_fail(ctx, GHZ_EINVAL, "%zu bytes are no stream that can be packed", stream.size);
  if (capacity < bound)
    return ghz_fail(ctx, GHZ_ECAPACITY, "capacity %zu: a stream of %zu bytes may need %zu", capacity,
                    stream.size, bound);
  return level == PACK_TILES ? ghz_tiles_pack(ctx, stream, dst, size) : ghz_bytes_pack(ctx, stream, dst, size);
}

ghz_status ghz_packed_size(ghz_context *ctx, int level, ghz_bytes frame, size_t most, size_t *size) {
  GHZ_CALL(ctx);
  if (frame.size < ghz_frame_head(level, 0))
    return ghz_fail(ctx, GHZ_ECORRUPT, "a packed frame has %zu bytes only", frame.size);
  const uint64_t says = load_u64(frame.data);
  if (says == 0 || says > most)
    return ghz_fail(ctx, GHZ_ECORRUPT, "a packed frame says that its stream has %llu bytes: it may have %zu",
                    (unsigned long long)says, most);
  *size = (size_t)says;
  return level == PACK_TILES ? ghz_tiles_check(ctx, frame, *size) : ghz_bytes_check(ctx, frame, *size);
}

ghz_status ghz_unpack_frame(ghz_context *ctx, int level, ghz_bytes frame, size_t size, void *dst) {
  GHZ_CALL(ctx);
  return level == PACK_TILES ? ghz_tiles_unpack(ctx, frame, size, dst)
                             : ghz_bytes_unpack(ctx, frame, size, dst);
}
