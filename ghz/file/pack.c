/* pack.c: owns packed frames: the table of pages, and the threads that share the pages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/pack.h"

#include <string.h>

#include "context/call.h"
#include "file/page.h"
#include "rules/bytes.h"

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* Bytes of the stream in a page. */
static size_t page_size(size_t size, size_t page) {
  const size_t left = size - page * PACK_PAGE;
  return left < PACK_PAGE ? left : PACK_PAGE;
}

size_t ghz_pack_bound(size_t size) {
  size_t bound;
  return __builtin_add_overflow(size, pack_head(size), &bound) ? 0 : bound;
}

int ghz_pack_available(void) {
  return ghz_page_coded();
}

static ghz_status unsupported(ghz_context *ctx, const char *what) {
  return ghz_fail(ctx, GHZ_EUNSUPPORTED, "cannot %s: this build of libghz has no zstd", what);
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* Work on pages, of which every thread takes the next one that nobody has taken. */
typedef struct job {
  ghz_status (*one)(const struct job *j, const page_coder *c, size_t page);
  int level;           /* 0: unpack */
  size_t size;         /* of the stream */
  size_t first, pages; /* of the stream: these are worked on */
  const uint8_t *from;
  uint8_t *to;
  const size_t *begin; /* unpacking: of each page in `from`, and the end of the last */
  uint8_t *head;       /* packing: of the frame */
  size_t next;         /* atomic, from 0 */
  size_t failed;       /* atomic: a page that failed */
  ghz_status status;   /* atomic */
} job;

static void work(job *j) {
  page_coder c;
  ghz_status status = ghz_page_coder_open(&c, j->level) ? GHZ_OK : GHZ_ENOMEM;
  size_t page = 0;
  while (status == GHZ_OK && __atomic_load_n(&j->status, __ATOMIC_RELAXED) == GHZ_OK) {
    page = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED);
    if (page >= j->pages)
      break;
    status = j->one(j, &c, page);
  }
  ghz_page_coder_close(&c);
  if (status != GHZ_OK) {
    __atomic_store_n(&j->failed, page, __ATOMIC_RELAXED);
    __atomic_store_n(&j->status, status, __ATOMIC_RELAXED);
  }
}

static ghz_status share(ghz_context *ctx, job *j) {
  const int threads = (size_t)ctx->threads < j->pages ? ctx->threads : (int)j->pages;
  if (threads <= 1) { /* without OpenMP, as everywhere */
    work(j);
  } else {
#pragma omp parallel num_threads(threads)
    work(j);
  }
  if (j->status == GHZ_ENOMEM)
    return ghz_fail(ctx, GHZ_ENOMEM, "no memory for zstd");
  if (j->status != GHZ_OK)
    return ghz_fail(ctx, j->status, "page %zu of %zu of a packed frame is damaged", j->first + j->failed,
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
  for (size_t i = 0; i < j->pages; i++) {
    const size_t packed = load_u32(j->head + pack_head(0) + 4 * i);
    memmove(j->to + end, j->to + i * PACK_PAGE, packed);
    end += packed;
  }
  return end;
}

static ghz_status check_packing(ghz_context *ctx, size_t size, int level, size_t capacity) {
  const size_t bound = ghz_pack_bound(size);
  if (!ghz_pack_available())
    return unsupported(ctx, "pack");
  if (level < PACK_LEVEL_LEAST || level > PACK_LEVEL_MOST)
    return ghz_fail(ctx, GHZ_EINVAL, "level %d of packing: must be %d to %d", level, PACK_LEVEL_LEAST,
                    PACK_LEVEL_MOST);
  if (size == 0 || bound == 0)
    return ghz_fail(ctx, GHZ_EINVAL, "%zu bytes are no stream that can be packed", size);
  if (capacity < bound)
    return ghz_fail(ctx, GHZ_ECAPACITY, "capacity %zu: a stream of %zu bytes may need %zu", capacity, size,
                    bound);
  return GHZ_OK;
}

ghz_status ghz_pack(ghz_context *ctx, ghz_bytes stream, int level, void *dst, size_t capacity, size_t *size) {
  GHZ_CALL(ctx);
  ghz_status status = check_packing(ctx, stream.size, level, capacity);
  if (status != GHZ_OK)
    return status;
  job j = {.one = pack_one, .level = level, .size = stream.size, .pages = pack_pages(stream.size)};
  j.from = stream.data;
  j.head = dst;
  j.to = j.head + pack_head(stream.size);
  store_u64(j.head, stream.size);
  status = share(ctx, &j);
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
  if (!ghz_pack_available())
    return unsupported(ctx, "unpack");
  if (__builtin_mul_overflow(p->pages + 1, sizeof(size_t), &bytes))
    return ghz_fail(ctx, GHZ_EINVAL, "%zu pages of a packed frame", p->pages);
  size_t *begin = ghz_arena_reserve(&ctx->scratch, bytes);
  if (!begin)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes for the places of pages", bytes);
  ghz_status status = locate(ctx, p, begin);
  if (status != GHZ_OK)
    return status;
  job j = {.one = unpack_one, .size = p->size, .first = p->first, .pages = p->pages, .begin = begin};
  j.from = p->packed.data;
  j.to = dst;
  return share(ctx, &j);
}

ghz_status ghz_unpack(ghz_context *ctx, size_t size, size_t first, size_t pages, const void *sizes,
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

ghz_status ghz_packed_size(ghz_context *ctx, ghz_bytes frame, size_t most, size_t *size) {
  GHZ_CALL(ctx);
  if (frame.size < pack_head(0))
    return ghz_fail(ctx, GHZ_ECORRUPT, "a packed frame has %zu bytes only", frame.size);
  const uint64_t says = load_u64(frame.data);
  if (says == 0 || says > most)
    return ghz_fail(ctx, GHZ_ECORRUPT, "a packed frame says that its stream has %llu bytes: it may have %zu",
                    (ull)says, most);
  if (pack_pages((size_t)says) > (frame.size - pack_head(0)) / 5) /* an entry and a byte each, at least */
    return ghz_fail(ctx, GHZ_ECORRUPT, "a packed frame of %zu bytes cannot have %zu pages", frame.size,
                    pack_pages((size_t)says));
  const places p = places_in(frame, (size_t)says);
  *size = p.size;
  return locate(ctx, &p, NULL);
}

ghz_status ghz_unpack_frame(ghz_context *ctx, ghz_bytes frame, size_t size, void *dst) {
  GHZ_CALL(ctx);
  const places p = places_in(frame, size);
  return unpack(ctx, &p, dst);
}
