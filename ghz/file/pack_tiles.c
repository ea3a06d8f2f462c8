/* pack_tiles.c: owns frames packed at level 2: the header of the stream, and pages of its tiles.
 * The table of the stream is not stored: sizes follow from the tiles, ends of chunks from sizes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "context/call.h"
#include "file/levels.h"
#include "file/page_threads.h"
#include "file/tile_page.h"
#include "rules/bytes.h"
#include "stream/sizes.h"
#include "stream/stream.h"

enum { CHUNKS_PER_PAGE = PAGE_TILES / TILES_PER_CHUNK };

/* What threads do with pages. */
typedef struct job {
  page_threads threads;
  ghz_context *ctx;
  int pack;
  const ghz_slice *stream;
  size_t first;             /* page of the stream that is worked on */
  uint8_t *sizes, *payload; /* of the tiles of the first page on */
  const size_t *tiles;      /* where the tiles of each page begin in the payload, and the end of the last */
  uint8_t *packed;
  const size_t *begin; /* unpacking: where each page begins in `packed`, and the end of the last */
  uint8_t *lengths;    /* packing: u32 the bytes of each page */
} job;

static tile_page page_of(const job *j, size_t page) {
  return (tile_page){j->stream, j->first + page, j->sizes + 2 * page * PAGE_TILES, j->payload + j->tiles[page],
                     j->tiles[page + 1] - j->tiles[page]};
}

/* Where a page begins if none before it becomes smaller. */
static size_t place_of(const job *j, size_t page) {
  return j->tiles[page] + page * tile_page_bound(PAGE_TILES, 0);
}

static ghz_status pack_one(const job *j, tile_page_coder *c, size_t page) {
  const tile_page from = page_of(j, page);
  size_t size = 0;
  const ghz_status status = ghz_tile_page_pack(c, &from, j->tiles[j->threads.pages] - j->tiles[page + 1],
                                               j->packed + place_of(j, page), &size);
  store_u32(j->lengths + 4 * page, (uint32_t)size);
  return status;
}

static ghz_status unpack_one(const job *j, tile_page_coder *c, size_t page) {
  const tile_page to = page_of(j, page);
  return ghz_tile_page_unpack(c, (ghz_bytes){j->packed + j->begin[page], j->begin[page + 1] - j->begin[page]},
                              &to);
}

static void run(page_threads *t) {
  const job *j = (const job *)t;
  tile_page_coder c;
  size_t page = 0;
  const int open = ghz_tile_page_open(&c, j->ctx->tiles, j->pack);
  if (!open)
    ghz_page_done(t, 0, GHZ_ENOMEM);
  while (open && ghz_page_take(t, &page))
    ghz_page_done(t, page, j->pack ? pack_one(j, &c, page) : unpack_one(j, &c, page));
  if (open)
    ghz_tile_page_close(&c);
}

static ghz_status share(ghz_context *ctx, job *j) {
  j->threads.run = run;
  j->ctx = ctx;
  const ghz_status status = ghz_pages_run(ctx, &j->threads);
  if (status == GHZ_ENOMEM)
    return ghz_fail(ctx, GHZ_ENOMEM, "no memory for a page of %d tiles", PAGE_TILES);
  if (status == GHZ_EUNSUPPORTED)
    return ghz_fail(ctx, GHZ_EUNSUPPORTED, "page %zu of a packed frame needs zstd, which this build lacks",
                    j->first + j->threads.failed);
  if (status != GHZ_OK)
    return ghz_fail(ctx, status, "page %zu of %llu of a packed frame is damaged", j->first + j->threads.failed,
                    (unsigned long long)tile_pages(j->stream->tiles));
  return GHZ_OK;
}

/* Two arrays of a number for each page and one more. */
static size_t *page_numbers(ghz_context *ctx, size_t pages) {
  size_t bytes;
  if (__builtin_add_overflow(pages, 1, &bytes) || __builtin_mul_overflow(bytes, 2 * sizeof(size_t), &bytes))
    return NULL;
  return ghz_arena_reserve(&ctx->scratch, bytes);
}

static ghz_status no_numbers(ghz_context *ctx, size_t pages) {
  return ghz_fail(ctx, GHZ_ENOMEM, "no memory for the places of %zu pages", pages);
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* Where the tiles of each page begin, by the ends of chunks. */
static void tiles_of_pages(const ghz_slice *s, size_t pages, size_t *tiles) {
  const uint8_t *ends = (const uint8_t *)s->sizes - 8 * chunks_of(s->tiles);
  for (size_t i = 1; i < pages; i++)
    tiles[i] = (size_t)load_u64(ends + 8 * (i * CHUNKS_PER_PAGE - 1));
  tiles[0] = 0;
  tiles[pages] = (size_t)s->payload_size;
}

static size_t close_gaps(const job *j) {
  size_t end = 0;
  for (size_t i = 0; i < j->threads.pages; i++) {
    const size_t size = load_u32(j->lengths + 4 * i);
    memmove(j->packed + end, j->packed + place_of(j, i), size);
    end += size;
  }
  return end;
}

ghz_status ghz_tiles_pack(ghz_context *ctx, ghz_bytes stream, uint8_t *dst, size_t *size) {
  ghz_slice s;
  ghz_status status = ghz_stream_open(ctx, stream, &s);
  if (status != GHZ_OK)
    return status;
  const size_t pages = (size_t)tile_pages(s.tiles), head = ghz_frame_head(PACK_TILES, pages);
  size_t *tiles = page_numbers(ctx, pages);
  if (!tiles)
    return no_numbers(ctx, pages);
  tiles_of_pages(&s, pages, tiles);
  store_u64(dst, stream.size);
  memcpy(dst + 8, stream.data, STREAM_HEADER);
  job j = {.threads.pages = pages, .pack = 1, .stream = &s, .tiles = tiles, .packed = dst + head};
  j.sizes = (uint8_t *)s.sizes; /* only read */
  j.payload = (uint8_t *)s.payload;
  j.lengths = dst + head - 4 * pages;
  status = share(ctx, &j);
  if (status == GHZ_OK)
    *size = head + close_gaps(&j);
  return status;
}

/* ---- Unpacking ------------------------------------------------------------------------------- */

/* Checks the packed sizes against each other, and what pages say of their tiles. Sets *size: the
 * bytes of all their tiles. Writes where pages and their tiles begin, and the ends, unless `begin`
 * is NULL. */
static ghz_status locate(ghz_context *ctx, const packed_tiles *p, size_t *begin, size_t *tiles, size_t *size) {
  size_t end = 0;
  *size = 0;
  for (size_t i = 0; i < p->pages; i++) {
    const uint32_t bytes = load_u32(p->sizes + i * p->stride);
    const unsigned n = tiles_in_page(p->stream->tiles, p->first + i);
    if (bytes < TILE_PAGE_HEAD || bytes > p->packed.size - end)
      return ghz_fail(ctx, GHZ_ECORRUPT, "page %zu of a packed frame says that it has %u bytes", p->first + i,
                      bytes);
    const size_t says = ghz_tile_page_says((const uint8_t *)p->packed.data + end);
    if (says > (size_t)n * TILE_BYTES_MAX || bytes > tile_page_bound(n, says))
      return ghz_fail(ctx, GHZ_ECORRUPT, "page %zu of a packed frame says that its %u tiles have %zu bytes",
                      p->first + i, n, says);
    if (begin) {
      begin[i] = end;
      tiles[i] = *size;
    }
    end += bytes;
    *size += says; /* of at most 2^54 tiles: no overflow */
  }
  if (begin) {
    begin[p->pages] = end;
    tiles[p->pages] = *size;
  }
  if (end != p->packed.size)
    return ghz_fail(ctx, GHZ_ECORRUPT, "the pages of a packed frame have %zu bytes, their sizes say %zu",
                    p->packed.size, end);
  return GHZ_OK;
}

ghz_status ghz_tiles_size(ghz_context *ctx, const packed_tiles *p, size_t *size) {
  GHZ_CALL(ctx);
  return locate(ctx, p, NULL, NULL, size);
}

static ghz_status unpack_pages(ghz_context *ctx, const packed_tiles *p, uint8_t *sizes, uint8_t *payload) {
  size_t *begin = page_numbers(ctx, p->pages), size;
  if (!begin)
    return no_numbers(ctx, p->pages);
  size_t *tiles = begin + p->pages + 1;
  const ghz_status status = locate(ctx, p, begin, tiles, &size);
  if (status != GHZ_OK)
    return status;
  job j = {.threads.pages = p->pages, .stream = p->stream, .first = p->first, .tiles = tiles, .begin = begin};
  j.sizes = sizes;
  j.payload = payload;
  j.packed = (uint8_t *)p->packed.data; /* only read */
  return share(ctx, &j);
}

ghz_status ghz_tiles_unpack_pages(ghz_context *ctx, const packed_tiles *p, uint8_t *sizes, uint8_t *payload) {
  GHZ_CALL(ctx);
  return unpack_pages(ctx, p, sizes, payload);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* The pages of a frame, whose stream has `size` bytes and the header that the slice gets. */
static ghz_status open_frame(ghz_context *ctx, ghz_bytes frame, size_t size, ghz_slice *s, packed_tiles *p) {
  const uint8_t *data = frame.data;
  const ghz_status status = ghz_stream_header(ctx, (ghz_bytes){data + 8, size}, 0, s);
  if (status != GHZ_OK)
    return status;
  const uint64_t pages = tile_pages(s->tiles);
  if (pages > (frame.size - ghz_frame_head(PACK_TILES, 0)) / (4 + TILE_PAGE_HEAD))
    return ghz_fail(ctx, GHZ_ECORRUPT, "a packed frame of %zu bytes cannot have %llu pages", frame.size,
                    (unsigned long long)pages);
  const size_t head = ghz_frame_head(PACK_TILES, pages);
  *p = (packed_tiles){s, 0, (size_t)pages, data + head - 4 * pages, 4, {data + head, frame.size - head}};
  return GHZ_OK;
}

ghz_status ghz_tiles_check(ghz_context *ctx, ghz_bytes frame, size_t size) {
  ghz_slice s;
  packed_tiles p = {0};
  size_t tiles;
  ghz_status status = open_frame(ctx, frame, size, &s, &p);
  if (status == GHZ_OK)
    status = locate(ctx, &p, NULL, NULL, &tiles);
  if (status == GHZ_OK && tiles != s.payload_size)
    status = ghz_fail(ctx, GHZ_ECORRUPT, "the tiles of a packed frame have %zu bytes, its header says %llu",
                      tiles, (unsigned long long)s.payload_size);
  return status;
}

ghz_status ghz_tiles_unpack(ghz_context *ctx, ghz_bytes frame, size_t size, void *dst) {
  ghz_slice s;
  packed_tiles p = {0};
  ghz_status status = open_frame(ctx, frame, size, &s, &p);
  if (status != GHZ_OK)
    return status;
  uint8_t *ends = (uint8_t *)dst + STREAM_HEADER, *sizes = ends + 8 * chunks_of(s.tiles);
  const tile_sink sink = {.sizes = sizes, .payload = sizes + 2 * s.tiles, .ends = ends};
  memcpy(dst, (const uint8_t *)frame.data + 8, STREAM_HEADER);
  status = unpack_pages(ctx, &p, sink.sizes, sink.payload);
  if (status == GHZ_OK)
    ghz_put_ends(&sink, s.tiles);
  return status;
}
