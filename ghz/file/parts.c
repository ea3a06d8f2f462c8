/* parts.c: owns the parts of frames as they are in files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/parts.h"

#include "context/call.h"
#include "file/pack.h"
#include "file/reader/reader.h"
#include "file/tile_page.h"
#include "rules/bytes.h"
#include "stream/sizes.h"
#include "stream/stream.h"

/* `packed`: the pages, whose sizes stand before them. */
static ghz_status pages_parts(ghz_context *ctx, tile_page_coder *c, const ghz_slice *s, ghz_bytes packed,
                              uint64_t *parts) {
  const uint64_t pages = tile_pages(s->tiles);
  const uint8_t *at = packed.data, *sizes = at - 4 * pages;
  tile_page page = {s, 0, (uint8_t *)s->sizes, (uint8_t *)s->payload, 0}; /* only read */
  size_t readable = s->payload_size;
  unsigned largest;
  for (; page.number < pages; page.number++) {
    const unsigned tiles = tiles_in_page(s->tiles, page.number);
    const uint32_t size = load_u32(sizes + 4 * page.number);
    page.size = sum_sizes(page.sizes, tiles, &largest);
    if (size > packed.size || page.size > readable)
      return ghz_fail(ctx, GHZ_ECORRUPT, "page %llu is not that of the stream",
                      (unsigned long long)page.number);
    readable -= page.size;
    const ghz_status status = ghz_tile_page_parts(c, &page, readable, (ghz_bytes){at, size}, parts);
    if (status != GHZ_OK)
      return ghz_fail(ctx, status, "page %llu has no parts", (unsigned long long)page.number);
    at += size;
    packed.size -= size;
    page.sizes += 2 * (size_t)tiles;
    page.payload += page.size;
  }
  return GHZ_OK;
}

static ghz_status tiles_parts(ghz_context *ctx, ghz_bytes frame, ghz_bytes stream, uint64_t *parts) {
  ghz_slice s;
  tile_page_coder c;
  ghz_status status = ghz_stream_open(ctx, stream, &s);
  if (status != GHZ_OK)
    return status;
  const size_t head = ghz_frame_head(PACK_TILES, tile_pages(s.tiles));
  if (frame.size < head)
    return ghz_fail(ctx, GHZ_ECORRUPT, "a packed frame has %zu bytes only", frame.size);
  if (!ghz_tile_page_open(&c, ctx->tiles, 1))
    return ghz_fail(ctx, GHZ_ENOMEM, "no memory for a page of %d tiles", PAGE_TILES);
  parts[IN_TABLES] += head;
  status = pages_parts(ctx, &c, &s, (ghz_bytes){(const uint8_t *)frame.data + head, frame.size - head}, parts);
  ghz_tile_page_close(&c);
  return status;
}

ghz_status ghz_frame_parts(ghz_context *ctx, int level, ghz_bytes frame, ghz_bytes stream, uint64_t *parts) {
  GHZ_CALL(ctx);
  if (level == PACK_TILES)
    return tiles_parts(ctx, frame, stream, parts);
  const size_t head = pack_head(stream.size);
  if (frame.size < head)
    return ghz_fail(ctx, GHZ_ECORRUPT, "a packed frame has %zu bytes only", frame.size);
  parts[IN_TABLES] += head;
  parts[IN_ZSTD] += frame.size - head;
  return GHZ_OK;
}

ghz_status ghz_file_parts(const ghz_file *f, ghz_context *ctx, const ghz_frame *frame, uint64_t *parts) {
  const uint8_t *body = f->packed.data;
  const uint64_t length = load_u64(body) & ~length_of_level(frame->packed);
  return ghz_frame_parts(ctx, frame->packed, (ghz_bytes){body + FRAME_BEFORE, (size_t)length}, frame->stream,
                         parts);
}
