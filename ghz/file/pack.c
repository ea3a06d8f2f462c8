/* pack.c: owns bodies of frames: their sizes, and pages that threads pack or unpack side by
 * side; and packed streams in memory: a magic, and what a packed frame has. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/file.h>
#include <stdlib.h>
#include <string.h>

#include "context/call.h"
#include "context/context.h"
#include "file/pack.h"
#include "file/tile_page.h"
#include "stream/stream.h"

/* ---- Threads --------------------------------------------------------------------------------- */

/* What threads do with pages. */
typedef struct job {
  ghz_context *ctx;
  int level; /* of packing */
  const ghz_slice *stream;
  size_t first, pages;       /* of the stream */
  unsigned each;             /* tiles of a page */
  uint8_t *sizes, *payload;  /* of the tiles of the first page on */
  uint8_t *packed, *lengths; /* packing: pages, each with a gap behind it; and u32 their bytes */
  const packed_tiles *from;  /* unpacking */
  size_t next;               /* atomic: the page that nobody has taken */
  ghz_status status;         /* atomic: why a page failed, */
  size_t failed;             /* and which: of those that did, the one that was noted */
} job;

/* How far a thread has passed what pages hold. */
typedef struct place {
  size_t page, packed, tiles;
} place;

static unsigned tiles_in(uint64_t tiles, unsigned each, uint64_t page) {
  const uint64_t left = tiles - page * each;
  return left < each ? (unsigned)left : each;
}

/* The page whose tiles have bytes begin .. end - 1 of the payload. */
static tile_page page_of(const job *j, size_t page, size_t begin, size_t end) {
  const uint64_t number = j->first + page;
  return (tile_page){j->stream,
                     number * j->each,
                     tiles_in(j->stream->tiles, j->each, number),
                     j->sizes + 2 * page * j->each,
                     j->payload + begin,
                     end - begin};
}

/* Where the tiles of a page begin in a whole stream, by the ends of its chunks. */
static size_t begin_of(const job *j, size_t page) {
  const ghz_slice *s = j->stream;
  const uint8_t *ends = (const uint8_t *)s->sizes - 8 * chunks_of(s->tiles);
  return page == 0          ? 0
         : page == j->pages ? (size_t)s->payload_size
                            : (size_t)load_u64(ends + 8 * (page * j->each / TILES_PER_CHUNK - 1));
}

/* Where a page goes if none before it becomes smaller. */
static size_t place_of(const job *j, size_t page) {
  return begin_of(j, page) + page * tile_page_bound(j->each, 0);
}

static ghz_status pack_one(const job *j, tile_page_coder *c, size_t page) {
  const size_t end = begin_of(j, page + 1);
  const tile_page from = page_of(j, page, begin_of(j, page), end);
  size_t size = 0;
  const ghz_status status = ghz_tile_page_pack(c, &from, j->level, (size_t)j->stream->payload_size - end,
                                               j->packed + place_of(j, page), &size);
  store_u32(j->lengths + 4 * page, (uint32_t)size);
  return status;
}

static ghz_status unpack_one(const job *j, tile_page_coder *c, place *at, size_t page) {
  const packed_tiles *p = j->from;
  const uint8_t *packed = p->bytes.data;
  for (;; at->page++) {
    const size_t bytes = load_u32(p->sizes + at->page * p->stride),
                 says = ghz_tile_page_says(packed + at->packed);
    if (at->page == page) {
      const tile_page to = page_of(j, page, at->tiles, at->tiles + says);
      return ghz_tile_page_unpack(c, (ghz_bytes){packed + at->packed, bytes}, &to);
    }
    at->packed += bytes;
    at->tiles += says;
  }
}

/* What a thread does: it takes pages until there is none, or one has failed. */
static void work(job *j) {
  tile_page_coder c = {.tiles = j->ctx->tiles};
  place at = {0};
  while (__atomic_load_n(&j->status, __ATOMIC_RELAXED) == GHZ_OK) {
    const size_t page = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED);
    if (page >= j->pages)
      break;
    const ghz_status status = j->from ? unpack_one(j, &c, &at, page) : pack_one(j, &c, page);
    ghz_status before = GHZ_OK;
    if (status != GHZ_OK &&
        __atomic_compare_exchange_n(&j->status, &before, status, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      j->failed = page;
  }
  ghz_tile_page_close(&c);
}

/* By itself: the first that a function with such a region does may be a call of OpenMP. */
static __attribute__((noinline)) void work_in_parallel(job *j, int threads) {
#pragma omp parallel num_threads(threads)
  work(j);
}

static ghz_status share(ghz_context *ctx, job *j) {
  const int threads = (size_t)ctx->threads < j->pages ? ctx->threads : (int)j->pages;
  j->ctx = ctx;
  if (threads <= 1)
    work(j);
  else
    work_in_parallel(j, threads);
  if (j->status == GHZ_ENOMEM)
    return ghz_fail(ctx, GHZ_ENOMEM, "no memory for a page of %u tiles", j->each);
  if (j->status == GHZ_EUNSUPPORTED)
    return ghz_fail(ctx, GHZ_EUNSUPPORTED, "page %zu of a frame needs zstd, which this build lacks",
                    j->first + j->failed);
  if (j->status != GHZ_OK)
    return ghz_fail(ctx, j->status, "page %zu of a frame is damaged", j->first + j->failed);
  return GHZ_OK;
}

/* ---- Packing --------------------------------------------------------------------------------- */

int ghz_pack_available(int level) {
  return GHZ_HAVE_ZSTD || level != PACK_FAST;
}

/* A stored page has 9 bytes beside its tiles and their sizes, and lacks the ends of its chunks, 8
 * bytes at least. */
size_t ghz_pack_bound(size_t size) {
  size_t bound;
  return __builtin_add_overflow(size, 1, &bound) ? 0 : bound;
}

static size_t close_gaps(const job *j) {
  size_t end = 0;
  for (size_t i = 0; i < j->pages; i++) {
    const size_t size = load_u32(j->lengths + 4 * i);
    if (end < place_of(j, i))
      memmove(j->packed + end, j->packed + place_of(j, i), size);
    end += size;
  }
  return end;
}

static ghz_status pack(ghz_context *ctx, ghz_bytes stream, int level, uint8_t *dst, size_t *size) {
  ghz_slice s;
  ghz_status status = ghz_stream_open(ctx, stream, &s);
  if (status != GHZ_OK)
    return status;
  const size_t pages = (size_t)tile_pages(level > 0, s.tiles), head = body_head(pages);
  memcpy(dst, stream.data, STREAM_HEADER);
  job j = {.level = level, .stream = &s, .pages = pages, .each = page_tiles(level > 0), .packed = dst + head};
  j.sizes = (uint8_t *)s.sizes; /* only read */
  j.payload = (uint8_t *)s.payload;
  j.lengths = dst + STREAM_HEADER;
  status = share(ctx, &j);
  if (status == GHZ_OK)
    *size = head + close_gaps(&j);
  return status;
}

ghz_status ghz_pack(ghz_context *ctx, ghz_bytes stream, int level, void *dst, size_t capacity, size_t *size) {
  GHZ_CALL(ctx);
  const size_t bound = ghz_pack_bound(stream.size);
  if (!ghz_pack_available(level))
    return ghz_fail(ctx, GHZ_EUNSUPPORTED, "cannot pack at level %d: this build of libghz has no zstd", level);
  if (capacity < bound || bound == 0)
    return ghz_fail(ctx, GHZ_ECAPACITY, "capacity %zu: a stream of %zu bytes may need %zu", capacity,
                    stream.size, bound);
  return pack(ctx, stream, level, dst, size);
}

/* ---- Unpacking ------------------------------------------------------------------------------- */

/* Checks the packed sizes against each other, and what pages say of their tiles. Sets *size: the
 * bytes of all their tiles. */
static ghz_status check_sizes(ghz_context *ctx, const packed_tiles *p, size_t *size) {
  size_t end = 0;
  *size = 0;
  for (size_t i = 0; i < p->pages; i++) {
    const uint32_t bytes = load_u32(p->sizes + i * p->stride);
    const unsigned n = tiles_in(p->stream->tiles, page_tiles(p->packed), p->first + i);
    if (bytes < TILE_PAGE_HEAD || bytes > p->bytes.size - end)
      return ghz_fail(ctx, GHZ_ECORRUPT, "page %zu of a frame says that it has %u bytes", p->first + i, bytes);
    const size_t says = ghz_tile_page_says((const uint8_t *)p->bytes.data + end);
    if (says > (size_t)n * TILE_BYTES_MAX || bytes > tile_page_bound(n, says))
      return ghz_fail(ctx, GHZ_ECORRUPT, "page %zu of a frame says that its %u tiles have %zu bytes",
                      p->first + i, n, says);
    end += bytes;
    *size += says; /* of at most 2^54 tiles: no overflow */
  }
  if (end != p->bytes.size)
    return ghz_fail(ctx, GHZ_ECORRUPT, "the pages of a frame have %zu bytes, their sizes say %zu",
                    p->bytes.size, end);
  return GHZ_OK;
}

ghz_status ghz_tiles_size(ghz_context *ctx, const packed_tiles *p, size_t *size) {
  GHZ_CALL(ctx);
  return check_sizes(ctx, p, size);
}

/* Of pages whose sizes were checked. */
static ghz_status unpack_pages(ghz_context *ctx, const packed_tiles *p, uint8_t *sizes, uint8_t *payload) {
  job j = {.from = p, .stream = p->stream, .first = p->first, .pages = p->pages, .each = page_tiles(p->packed)};
  j.sizes = sizes;
  j.payload = payload;
  return share(ctx, &j);
}

ghz_status ghz_tiles_unpack_pages(ghz_context *ctx, const packed_tiles *p, uint8_t *sizes, uint8_t *payload) {
  GHZ_CALL(ctx);
  return unpack_pages(ctx, p, sizes, payload);
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

/* The header of a body, its stream, which may have `most` bytes, and its pages. */
static ghz_status open_body(ghz_context *ctx, int packed, ghz_bytes body, size_t most, ghz_slice *s,
                            size_t *size, packed_tiles *p) {
  const uint8_t *data = body.data;
  ghz_status status = ghz_stream_says(ctx, body, s, size);
  if (status != GHZ_OK)
    return status;
  if (*size > most)
    return ghz_fail(ctx, GHZ_ECORRUPT, "a frame says that its stream has %zu bytes: it may have %zu", *size,
                    most);
  const uint64_t pages = tile_pages(packed, s->tiles);
  if (pages > (body.size - STREAM_HEADER) / (4 + TILE_PAGE_HEAD))
    return ghz_fail(ctx, GHZ_ECORRUPT, "a frame of %zu bytes cannot have %llu pages", body.size, (ull)pages);
  const size_t head = body_head(pages);
  *p = (packed_tiles){s, packed, 0, (size_t)pages, data + STREAM_HEADER, 4, {data + head, body.size - head}};
  return GHZ_OK;
}

ghz_status ghz_unpack_frame(ghz_context *ctx, int packed, ghz_bytes body, size_t most, memory *to,
                            size_t *size) {
  GHZ_CALL(ctx);
  ghz_slice s;
  tile_sink sink;
  packed_tiles p;
  size_t tiles;
  ghz_status status = open_body(ctx, packed, body, most, &s, size, &p);
  if (status == GHZ_OK)
    status = check_sizes(ctx, &p, &tiles);
  if (status == GHZ_OK && tiles != s.payload_size)
    status = ghz_fail(ctx, GHZ_ECORRUPT, "the tiles of a frame have %zu bytes, its header says %llu", tiles,
                      (ull)s.payload_size);
  if (status == GHZ_OK && memory_reserve(to, *size, NULL) != GHZ_OK)
    status = ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes for a stream", *size);
  if (status == GHZ_OK)
    status = ghz_stream_layout(ctx, &s, to->data, *size, &sink);
  if (status != GHZ_OK)
    return status;
  memcpy(to->data, body.data, STREAM_HEADER);
  status = unpack_pages(ctx, &p, sink.sizes, sink.payload);
  if (status == GHZ_OK)
    ghz_put_ends(&sink, s.tiles);
  return status;
}

/* ---- Packed streams -------------------------------------------------------------------------- */

/* Magic, version, zeros. */
enum { HEAD = 8, VERSION_AT = 4 };
static const uint8_t head[HEAD] = {'G', 'H', 'Z', 'P', 2};

size_t ghz_packed_bound(size_t size) {
  size_t bound = ghz_pack_bound(size);
  return bound == 0 || __builtin_add_overflow(bound, HEAD, &bound) ? 0 : bound;
}

ghz_status ghz_pack_stream(ghz_context *ctx, ghz_bytes stream, int level, void *dst, size_t capacity,
                           size_t *size) {
  if (!stream.data || !dst || !size)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", !stream.data ? "stream" : dst ? "size" : "dst");
  if (capacity < HEAD)
    return ghz_fail(ctx, GHZ_ECAPACITY, "capacity %zu: a packed stream has more", capacity);
  if (level < PACK_FAST || level > PACK_LEVEL_MOST)
    return ghz_fail(ctx, GHZ_EINVAL, "level %d of packing: must be %d or %d", level, PACK_FAST,
                    PACK_LEVEL_MOST);
  memcpy(dst, head, HEAD);
  ghz_status status = ghz_pack(ctx, stream, level, (uint8_t *)dst + HEAD, capacity - HEAD, size);
  if (status == GHZ_OK)
    *size += HEAD;
  return status;
}

int ghz_is_packed(ghz_bytes bytes) {
  return bytes.data && bytes.size >= HEAD && memcmp(bytes.data, head, VERSION_AT) == 0;
}

static ghz_status check_head(ghz_context *ctx, ghz_bytes packed) {
  const uint8_t *b = packed.data;
  if (!ghz_is_packed(packed))
    return ghz_fail(ctx, GHZ_ECORRUPT, "%zu bytes are no packed stream", packed.size);
  if (b[VERSION_AT] == 1 || b[VERSION_AT] > head[VERSION_AT])
    return ghz_fail(ctx, GHZ_EVERSION, "version %d of packed streams%s: this libghz reads %d", b[VERSION_AT],
                    b[VERSION_AT] == 1 ? ", of version 0.2 of ghz before its release" : "", head[VERSION_AT]);
  if (memcmp(b, head, HEAD) != 0)
    return ghz_fail(ctx, GHZ_ECORRUPT, "the header of a packed stream is damaged");
  return GHZ_OK;
}

ghz_status ghz_unpack_stream(ghz_context *ctx, ghz_bytes packed, size_t most, void **stream, size_t *size) {
  if (!stream || !size)
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", stream ? "size" : "stream");
  *stream = NULL;
  *size = 0;
  ghz_status status = check_head(ctx, packed);
  if (status != GHZ_OK)
    return status;
  const ghz_bytes frame = {(const uint8_t *)packed.data + HEAD, packed.size - HEAD};
  size_t bytes = 0;
  memory made = {0};
  status = ghz_unpack_frame(ctx, 1, frame, most, &made, &bytes);
  if (status != GHZ_OK) {
    memory_free(&made);
    return status;
  }
  *stream = made.data;
  *size = bytes;
  return GHZ_OK;
}
