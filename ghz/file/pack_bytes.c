/* pack_bytes.c: owns frames packed at level 1: pages of so many bytes of the stream, each by
 * zstd. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "context/call.h"
#include "file/levels.h"
#include "file/page.h"
#include "file/page_threads.h"
#include "rules/bytes.h"

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* Bytes of the stream in a page. */
static size_t page_size(size_t size, size_t page) {
  const size_t left = size - page * PACK_PAGE;
  return left < PACK_PAGE ? left : PACK_PAGE;
}

static ghz_status unsupported(ghz_context *ctx, const char *what) {
  return ghz_fail(ctx, GHZ_EUNSUPPORTED, "cannot %s at level 1: this build of libghz has no zstd", what);
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* What threads do with pages. */
typedef struct job {
  page_threads threads; /* pages from `first` on */
  ghz_status (*one)(const struct job *j, const page_coder *c, size_t page);
  int pack;
  size_t size;  /* of the stream */
  size_t first; /* page of the stream that is worked on */
  const uint8_t *from;
  uint8_t *to;
  const size_t *begin; /* unpacking: of each page in `from`, and the end of the last */
  uint8_t *head;       /* packing: of the frame */
} job;

static void run(page_threads *t) {
  const job *j = (const job *)t;
  page_coder c;
  size_t page = 0;
  if (!ghz_page_coder_open(&c, j->pack))
    ghz_page_done(t, 0, GHZ_ENOMEM);
  while (ghz_page_take(t, &page))
    ghz_page_done(t, page, j->one(j, &c, page));
  ghz_page_coder_close(&c);
}

static ghz_status share(ghz_context *ctx, job *j) {
  j->threads.run = run;
  const ghz_status status = ghz_pages_run(ctx, &j->threads);
  if (status == GHZ_ENOMEM)
    return ghz_fail(ctx, GHZ_ENOMEM, "no memory for zstd");
  if (status != GHZ_OK)
    return ghz_fail(ctx, status, "page %zu of %zu of a packed frame is damaged", j->first + j->threads.failed,
                    pack_pages(j->size));
  return GHZ_OK;
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* To the place that the page has if none before it becomes smaller. */
static ghz_status pack_one(const job *j, const page_coder *c, size_t page) {
  const size_t size = page_size(j->size, page);
  const uint8_t *from = j->from + page * PACK_PAGE;
  uint8_t *to = j->to + page * PACK_PAGE;
  const size_t packed = ghz_page_pack(c, from, size, to);
  if (packed == 0)
    return GHZ_ENOMEM;
  if (packed == size)
    memcpy(to, from, size);
  store_u32(j->head + pack_head(0) + 4 * page, (uint32_t)packed);
  return GHZ_OK;
}

/* Moves the pages together. Returns their bytes. */
static size_t close_gaps(const job *j) {
  size_t end = 0;
  for (size_t i = 0; i < j->threads.pages; i++) {
    const size_t packed = load_u32(j->head + pack_head(0) + 4 * i);
    memmove(j->to + end, j->to + i * PACK_PAGE, packed);
    end += packed;
  }
  return end;
}

ghz_status ghz_bytes_pack(ghz_context *ctx, ghz_bytes stream, uint8_t *dst, size_t *size) {
  if (!ghz_page_coded())
    return unsupported(ctx, "pack");
  job j = {.threads.pages = pack_pages(stream.size), .one = pack_one, .pack = 1, .size = stream.size};
  j.from = stream.data;
  j.head = dst;
  j.to = j.head + pack_head(stream.size);
  store_u64(j.head, stream.size);
  const ghz_status status = share(ctx, &j);
  if (status == GHZ_OK)
    *size = pack_head(stream.size) + close_gaps(&j);
  return status;
}

/* ---- Unpacking ------------------------------------------------------------------------------- */

static ghz_status unpack_one(const job *j, const page_coder *c, size_t page) {
  const size_t size = page_size(j->size, j->first + page), packed = j->begin[page + 1] - j->begin[page];
  const uint8_t *from = j->from + j->begin[page];
  uint8_t *to = j->to + page * PACK_PAGE;
  if (packed < size)
    return ghz_page_unpack(c, from, packed, to, size) ? GHZ_OK : GHZ_ECORRUPT;
  memcpy(to, from, size);
  return GHZ_OK;
}

/* Pages of a stream of `size` bytes, and where their packed bytes stand. */
typedef struct places {
  size_t size, first, pages;
  const uint8_t *sizes; /* u32 packed bytes of each, */
  size_t stride;        /* so many bytes apart */
  ghz_bytes packed;     /* all of them */
} places;

/* Checks the packed sizes against each other, and writes where each page begins, and the end,
 * unless `begin` is NULL. */
static ghz_status locate(ghz_context *ctx, const places *p, size_t *begin) {
  size_t end = 0;
  for (size_t i = 0; i < p->pages; i++) {
    const size_t packed = load_u32(p->sizes + i * p->stride), left = p->packed.size - end;
    if (packed == 0 || packed > page_size(p->size, p->first + i) || packed > left)
      return ghz_fail(ctx, GHZ_ECORRUPT, "page %zu of a packed frame says that it has %zu bytes", p->first + i,
                      packed);
    if (begin)
      begin[i] = end;
    end += packed;
  }
  if (begin)
    begin[p->pages] = end;
  if (end != p->packed.size)
    return ghz_fail(ctx, GHZ_ECORRUPT, "the pages of a packed frame have %zu bytes, their sizes say %zu",
                    p->packed.size, end);
  return GHZ_OK;
}

static ghz_status unpack(ghz_context *ctx, const places *p, void *dst) {
  size_t bytes;
  if (!ghz_page_coded())
    return unsupported(ctx, "unpack");
  if (__builtin_mul_overflow(p->pages + 1, sizeof(size_t), &bytes))
    return ghz_fail(ctx, GHZ_EINVAL, "%zu pages of a packed frame", p->pages);
  size_t *begin = ghz_arena_reserve(&ctx->scratch, bytes);
  if (!begin)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes for the places of pages", bytes);
  ghz_status status = locate(ctx, p, begin);
  if (status != GHZ_OK)
    return status;
  job j = {.threads.pages = p->pages, .one = unpack_one, .size = p->size, .first = p->first, .begin = begin};
  j.from = p->packed.data;
  j.to = dst;
  return share(ctx, &j);
}

ghz_status ghz_bytes_unpack_pages(ghz_context *ctx, size_t size, size_t first, size_t pages, const void *sizes,
                                  size_t stride, ghz_bytes packed, void *dst) {
  GHZ_CALL(ctx);
  if (first > pack_pages(size) || pages > pack_pages(size) - first)
    return ghz_fail(ctx, GHZ_EINVAL, "%zu pages from %zu on are not in a stream of %zu bytes", pages, first,
                    size);
  return unpack(ctx, &(places){size, first, pages, sizes, stride, packed}, dst);
}

/* The pages of a frame whose stream has `size` bytes, which it has room to name. */
static places places_in(ghz_bytes frame, size_t size) {
  const size_t head = pack_head(size);
  const uint8_t *data = frame.data;
  return (places){size, 0, pack_pages(size), data + pack_head(0), 4, {data + head, frame.size - head}};
}

ghz_status ghz_bytes_check(ghz_context *ctx, ghz_bytes frame, size_t size) {
  if (pack_pages(size) > (frame.size - pack_head(0)) / 5) /* an entry and a byte each, at least */
    return ghz_fail(ctx, GHZ_ECORRUPT, "a packed frame of %zu bytes cannot have %zu pages", frame.size,
                    pack_pages(size));
  const places p = places_in(frame, size);
  return locate(ctx, &p, NULL);
}

ghz_status ghz_bytes_unpack(ghz_context *ctx, ghz_bytes frame, size_t size, void *dst) {
  const places p = places_in(frame, size);
  return unpack(ctx, &p, dst);
}
