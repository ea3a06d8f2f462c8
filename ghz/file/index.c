/* index.c: owns the index: building, encoding, decoding and searching it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/index.h"

#include <math.h>

#include "context/floating.h"
#include "file/checksum.h"
#include "file/layout.h"
#include "file/pack.h"
#include "file/source.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"

enum { ENTRY_BYTES = 24, PAGE_ENTRY_BYTES = 12 };
#define INDEX_PIECE ((size_t)1 << 20) /* bytes of a read of an index that the end of the file does not show */
#define MAGIC "GHZINDEX"

uint64_t ghz_index_stream_most(const ghz_file_header *h) {
  const ghz_shape whole = ghz_file_frame_shape(h, GHZ_FILE_UNKNOWN);
  return ghz_shape_bound(&whole, h->lattice.type, ghz_terms_limit(35)); /* this cap allows the most terms */
}

void ghz_index_free(file_index *x) {
  free(x->frames);
  free(x->pages);
  *x = (file_index){0};
}

/* ---- Building -------------------------------------------------------------------------------- */

/* Room for one element more; it doubles, so that frames cost no copy each. */
static ghz_status make_room(void **data, size_t *room, uint64_t count, size_t each, const char *name) {
  memory m = {*data, *room};
  if ((count + 1) * each <= *room)
    return GHZ_OK;
  ghz_status status = memory_reserve(&m, 2 * *room + 16 * each, name);
  *data = m.data;
  *room = m.capacity;
  return status;
}

/* The place of the next frame, which has an entry from now on. */
static ghz_status next_entry(file_index *x, const char *name, frame_entry **e) {
  void *frames = x->frames;
  ghz_status status = make_room(&frames, &x->frames_room, x->count, sizeof **e, name);
  x->frames = frames;
  *e = status == GHZ_OK ? &x->frames[x->count] : NULL;
  return status;
}

static ghz_status add_page(file_index *x, const char *name, uint64_t offset, uint32_t bytes,
                           uint64_t checksum) {
  void *pages = x->pages;
  ghz_status status = make_room(&pages, &x->pages_room, x->page_count, sizeof *x->pages, name);
  x->pages = pages;
  if (status == GHZ_OK)
    x->pages[x->page_count++] = (page_entry){offset, checksum, bytes};
  return status;
}

/* Bytes of page b of a stream. */
static uint32_t page_bytes(uint64_t stream, uint64_t b) {
  const uint64_t left = stream - b * PACK_PAGE;
  return (uint32_t)(left < PACK_PAGE ? left : PACK_PAGE);
}

static void close_entry(file_index *x, const frame_entry *e) {
  x->values += e->values;
  x->end = e->offset + e->body + FRAME_AROUND;
  x->count++;
}

ghz_status ghz_index_add(file_index *x, const char *name, const ghz_info *info, ghz_bytes body, int packed) {
  const uint8_t *data = body.data;
  const size_t pages = pack_pages((size_t)info->bytes), head = packed ? pack_head((size_t)info->bytes) : 0;
  frame_entry *e;
  ghz_status status = next_entry(x, name, &e);
  if (status != GHZ_OK)
    return status;
  *e = (frame_entry){.first = x->values,
                     .values = info->count,
                     .offset = x->end,
                     .stream = info->bytes,
                     .body = body.size,
                     .page = x->page_count,
                     .terms = info->terms,
                     .flags = (uint32_t)(ENTRY_PACKED * (packed != 0) | ENTRY_INEXACT * (info->inexact != 0) |
                                         ENTRY_TRANSFORM * (info->transform != 0))};
  for (size_t b = 0, at = head; b < pages && status == GHZ_OK; b++) {
    const uint32_t bytes = packed ? load_u32(data + 8 + 4 * b) : page_bytes(info->bytes, b);
    status = add_page(x, name, e->offset + FRAME_BEFORE + at, bytes, ghz_checksum(data + at, bytes, 0));
    at += bytes;
  }
  if (status == GHZ_OK)
    close_entry(x, e);
  return status;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

uint64_t ghz_index_size(const file_index *x, const ghz_file_header *h) {
  return 48 + 8 * (uint64_t)h->array.ndim + 8 + ENTRY_BYTES * x->count + PAGE_ENTRY_BYTES * x->page_count +
         TAIL_BYTES;
}

static uint8_t *encode_entry(const file_index *x, const frame_entry *e, uint8_t *p) {
  store_u64(p, e->values);
  store_u64(p + 8, e->stream);
  store_u32(p + 16, e->terms);
  store_u32(p + 20, e->flags);
  p += ENTRY_BYTES;
  const page_entry *page = x->pages + e->page;
  for (size_t b = 0; b < pack_pages((size_t)e->stream); b++, p += PAGE_ENTRY_BYTES) {
    store_u32(p, page[b].bytes);
    store_u64(p + 4, page[b].checksum);
  }
  return p;
}

void ghz_index_encode(const file_index *x, const ghz_file_header *h, uint8_t *to) {
  uint8_t header[HEADER_MAX], *p = to;
  const size_t size = ghz_header_encode(h, header);
  memcpy(p, header, size);
  p += size;
  for (uint64_t i = 0; i < x->count; i++)
    p = encode_entry(x, &x->frames[i], p);
  store_u64(p, x->count);
  store_u64(p + 8, (uint64_t)(p - to));
  ghz_checksum_put(to, (size_t)(p - to) + 16, 0);
  memcpy(p + 24, MAGIC, 8);
}

/* ---- Decoding -------------------------------------------------------------------------------- */

int ghz_index_tail(const uint8_t *tail, uint64_t *size) {
  *size = load_u64(tail + 8);
  if (memcmp(tail + 24, MAGIC, 8) != 0 || *size > COUNT_MAX)
    return 0;
  *size += TAIL_BYTES;
  return 1;
}

/* What is left of the index to be decoded: what was read of it, and what follows in the source. */
typedef struct rest {
  const ghz_file_source *source;
  const uint8_t *p;
  size_t size;
  uint64_t at, end;
  memory piece;
  checksum_so_far *checksum; /* of all that was read */
} rest;

static uint64_t left(const rest *r) {
  return r->size + (r->end - r->at);
}

/* Reads on where fewer than `bytes` bytes are in memory, which may be HEADER_MAX at most. */
static ghz_status have(rest *r, size_t bytes) {
  if (r->size >= bytes || r->at == r->end)
    return GHZ_OK;
  const size_t more = r->end - r->at < INDEX_PIECE ? (size_t)(r->end - r->at) : INDEX_PIECE;
  uint8_t begun[HEADER_MAX];
  if (r->size)
    memcpy(begun, r->p, r->size);
  ghz_status status = memory_reserve(&r->piece, HEADER_MAX + more, r->source->name);
  if (status == GHZ_OK)
    status = ghz_source_read_at(r->source, r->at, r->piece.data + r->size, more);
  if (status != GHZ_OK)
    return status;
  memcpy(r->piece.data, begun, r->size);
  ghz_checksum_add(r->checksum, r->piece.data + r->size, more);
  r->p = r->piece.data;
  r->size += more;
  r->at += more;
  return GHZ_OK;
}

static void pass(rest *r, size_t bytes) {
  r->p += bytes;
  r->size -= bytes;
}

static ghz_status wrong(const char *name, uint64_t frame, const char *what) {
  return ghz_file_fail(name, GHZ_ECORRUPT, "damaged index: frame %llu: %s", (ull)frame, what);
}

/* An entry without its pages. */
static ghz_status decode_frame(file_index *x, const ghz_file_header *h, uint64_t most, rest *r) {
  const char *name = r->source->name;
  frame_entry *e;
  ghz_shape shape;
  if (left(r) < ENTRY_BYTES)
    return wrong(name, x->count, "is missing");
  ghz_status status = have(r, ENTRY_BYTES);
  if (status == GHZ_OK)
    status = next_entry(x, name, &e);
  if (status != GHZ_OK)
    return status;
  *e = (frame_entry){.first = x->values,
                     .values = load_u64(r->p),
                     .offset = x->end,
                     .stream = load_u64(r->p + 8),
                     .page = x->page_count,
                     .terms = load_u32(r->p + 16),
                     .flags = load_u32(r->p + 20)};
  pass(r, ENTRY_BYTES);
  if ((e->values == 0 && x->count > 0) || e->values > h->count - x->values ||
      !ghz_layout_frame(h, e->first, e->values, &shape))
    return wrong(name, x->count, "an impossible number of values");
  if (e->stream < STREAM_LEAST || e->stream > most || e->flags > 7 ||
      e->terms > ghz_terms_limit(h->lattice.cap))
    return wrong(name, x->count, "impossible bytes, terms or flags");
  return GHZ_OK;
}

static ghz_status decode_pages(file_index *x, rest *r) {
  const char *name = r->source->name;
  frame_entry *e = &x->frames[x->count];
  const size_t pages = pack_pages((size_t)e->stream);
  const int packed = (e->flags & ENTRY_PACKED) != 0;
  if (left(r) / PAGE_ENTRY_BYTES < pages)
    return wrong(name, x->count, "its pages are missing");
  e->body = packed ? pack_head((size_t)e->stream) : 0;
  for (size_t b = 0; b < pages; b++) {
    ghz_status status = have(r, PAGE_ENTRY_BYTES);
    if (status != GHZ_OK)
      return status;
    const uint32_t bytes = load_u32(r->p), whole = page_bytes(e->stream, b);
    if (bytes > whole || (packed ? bytes == 0 : bytes < whole))
      return wrong(name, x->count, "a page of an impossible size");
    status = add_page(x, name, e->offset + FRAME_BEFORE + e->body, bytes, load_u64(r->p + 4));
    if (status != GHZ_OK)
      return status;
    e->body += bytes;
    pass(r, PAGE_ENTRY_BYTES);
  }
  close_entry(x, e);
  return GHZ_OK;
}

/* The header that begins the index, with a number of values that is known. */
static ghz_status decode_header(ghz_file_header *h, rest *r) {
  const char *name = r->source->name;
  size_t size = 0;
  ghz_status status = have(r, HEADER_MAX);
  if (status == GHZ_OK)
    status = ghz_header_start(name, r->p, r->size < HEADER_START ? r->size : HEADER_START, &size);
  if (status == GHZ_OK && r->size < size)
    status = ghz_file_fail(name, GHZ_ECORRUPT, "damaged index: ends in its header");
  if (status == GHZ_OK)
    status = ghz_header_decode(name, r->p, size, h);
  if (status == GHZ_OK && h->count == GHZ_FILE_UNKNOWN)
    status = ghz_file_fail(name, GHZ_ECORRUPT, "damaged index: its header lacks the number of values");
  if (status == GHZ_OK)
    pass(r, size);
  return status;
}

static ghz_status decode_entries(uint64_t frames, const ghz_file_header *h, file_index *x, rest *r) {
  const uint64_t most = ghz_index_stream_most(h);
  ghz_status status = GHZ_OK;
  while (status == GHZ_OK && x->count < frames) {
    status = decode_frame(x, h, most, r);
    if (status == GHZ_OK)
      status = decode_pages(x, r);
  }
  return status;
}

static ghz_status decode(rest *r, uint64_t frames, uint64_t size, ghz_file_header *h, file_index *x) {
  const char *name = r->source->name;
  const uint64_t all = left(r);
  ghz_status status = decode_header(h, r);
  if (status != GHZ_OK)
    return status;
  x->end = all - left(r);
  status = decode_entries(frames, h, x, r);
  if (status != GHZ_OK)
    return status;
  if (frames == 0 || x->values != h->count)
    return ghz_file_fail(name, GHZ_ECORRUPT, "damaged index: holds %llu values where %llu are announced",
                         (ull)x->values, (ull)h->count);
  if (left(r) != 0 || x->end + END_BYTES + size != r->source->size)
    return ghz_file_fail(name, GHZ_ECORRUPT, "damaged index: its frames do not fill the file");
  return GHZ_OK;
}

/* An index that the end of the file does not show is decoded as it comes, so that memory is taken
 * for entries alone that can be such. Once all of it was read, a wrong checksum is the reason. */
ghz_status ghz_index_read(const ghz_file_source *source, ghz_bytes tail, uint64_t size, ghz_file_header *h,
                          file_index *x) {
  const uint8_t *shown = tail.data, *end = shown + tail.size - TAIL_BYTES;
  rest r = {.source = source, .at = source->size - size, .end = source->size - TAIL_BYTES};
  r.checksum = ghz_checksum_begin();
  if (!r.checksum)
    return ghz_file_fail(source->name, GHZ_ENOMEM, "out of memory");
  if (size <= tail.size) {
    r.p = end + TAIL_BYTES - size;
    r.size = (size_t)(size - TAIL_BYTES);
    r.at = r.end;
    ghz_checksum_add(r.checksum, r.p, r.size);
  }
  ghz_status status = decode(&r, load_u64(end), size, h, x);
  ghz_checksum_add(r.checksum, end, 16);
  if (ghz_checksum_end(r.checksum) != load_u64(end + 16) && r.at == r.end)
    status = ghz_file_fail(source->name, GHZ_ECORRUPT, "damaged: the checksum of the index does not match");
  memory_free(&r.piece);
  return status;
}

/* ---- Searching ------------------------------------------------------------------------------- */

const frame_entry *ghz_index_find(const file_index *x, uint64_t value) {
  uint64_t low = 0,
           high = x->count; /* frames before `low` begin at or before the value, from `high` on after */
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    if (x->frames[middle].first <= value)
      low = middle;
    else
      high = middle;
  }
  return &x->frames[low];
}

void ghz_index_describe(const file_index *x, ghz_file_info *info) {
  for (uint64_t i = 0; i < x->count; i++) {
    const frame_entry *e = &x->frames[i];
    info->packed += (e->flags & ENTRY_PACKED) != 0;
    info->inexact |= (e->flags & ENTRY_INEXACT) != 0;
    info->transform |= (e->flags & ENTRY_TRANSFORM) != 0;
    info->terms = e->terms > info->terms ? e->terms : info->terms;
  }
  info->frames = x->count;
  floating_environment env;
  floating_begin(&env);
  info->bound = info->inexact ? INFINITY : multiply_up(info->header.lattice.eb, info->terms);
  floating_end(&env);
}
