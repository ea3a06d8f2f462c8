/* read_index.c: owns reading an index that nobody has checked: the newest, and the parts before
 * it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/index/index.h"

#include <string.h>

#include "file/checksum.h"
#include "file/header.h"
#include "file/source.h"
#include "file/tile_page.h"
#include "rules/bytes.h"
#include "stream/stream.h"

#define INDEX_PIECE ((size_t)1 << 20) /* bytes of a read of an index that the end of the file does not show */

int ghz_index_tail(const uint8_t *tail, uint64_t *size) {
  const uint64_t says = load_u64(tail + 8);
  *size = says > COUNT_MAX ? UINT64_MAX : says + TAIL_BYTES;
  return memcmp(tail + 24, INDEX_MAGIC, 8) == 0 && load_u64(tail) > 0;
}

int ghz_index_marked(const uint8_t mark[INDEX_MARK], uint64_t *size) {
  *size = load_u64(mark + 8);
  return memcmp(mark, INDEX_PARTS, 8) == 0 && *size <= COUNT_MAX;
}

/* What is left of the index to be decoded: what was read of it, and what follows in the source. */
typedef struct rest {
  const ghz_file_source *source;
  const uint8_t *p;
  size_t size;
  uint64_t at, end;
  memory piece;
  checksum_so_far *checksum; /* of all that was read */
  int marked;                /* it may have parts, and says where its frames begin */
  uint64_t frames;           /* of its own */
  int torn;                  /* all is whole but the lowest bytes of that number in the tail: they are 0 */
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

/* Where a frame of an index with parts begins: behind the one before it. */
static ghz_status decode_offset(const file_index *x, rest *r, uint64_t *offset) {
  ghz_status status = have(r, OFFSET_BYTES + ENTRY_BYTES);
  if (status != GHZ_OK)
    return status;
  *offset = load_u64(r->p);
  if (*offset < x->end || *offset > r->source->size)
    return wrong(r->source->name, x->count, "an impossible place");
  pass(r, OFFSET_BYTES);
  return GHZ_OK;
}

/* An entry without its pages. */
static ghz_status decode_frame(file_index *x, const ghz_file_header *h, uint64_t most, rest *r) {
  const char *name = r->source->name;
  uint64_t offset = x->end;
  frame_entry *e;
  ghz_shape shape;
  if (left(r) < ENTRY_BYTES + (r->marked ? OFFSET_BYTES : 0))
    return wrong(name, x->count, "is missing");
  ghz_status status = r->marked ? decode_offset(x, r, &offset) : have(r, ENTRY_BYTES);
  if (status == GHZ_OK)
    status = ghz_index_next(x, name, &e);
  if (status != GHZ_OK)
    return status;
  *e = (frame_entry){.first = x->values,
                     .values = load_u64(r->p),
                     .offset = offset,
                     .stream = load_u64(r->p + 8),
                     .page = x->page_count,
                     .terms = load_u32(r->p + 16),
                     .flags = load_u32(r->p + 20)};
  pass(r, ENTRY_BYTES);
  if ((e->values == 0 && x->count > 0) || e->values > h->count - x->values ||
      !ghz_layout_frame(h, e->first, e->values, &shape))
    return wrong(name, x->count, "an impossible number of values");
  const uint64_t tiles = ghz_shape_tiles(&shape);
  if (e->stream < ghz_stream_index_size(tiles) || e->stream > most || e->flags > 7 ||
      (e->flags & ENTRY_TRANSFORM && shape.dims == 1) || e->terms > ghz_terms_limit(h->lattice.cap))
    return wrong(name, x->count, "impossible bytes, terms or flags");
  e->pages = tile_pages((e->flags & ENTRY_PACKED) != 0, tiles);
  return GHZ_OK;
}

static ghz_status decode_pages(file_index *x, rest *r) {
  const char *name = r->source->name;
  frame_entry *e = &x->frames[x->count];
  const unsigned each = page_tiles((e->flags & ENTRY_PACKED) != 0);
  const size_t all = ghz_pack_bound((size_t)e->stream),
               one = tile_page_bound(each, (size_t)each * TILE_BYTES_MAX);
  if (left(r) / PAGE_ENTRY_BYTES < e->pages)
    return wrong(name, x->count, "its pages are missing");
  e->body = body_head(e->pages);
  for (uint64_t b = 0; b < e->pages; b++) {
    ghz_status status = have(r, PAGE_ENTRY_BYTES);
    if (status != GHZ_OK)
      return status;
    const uint32_t bytes = load_u32(r->p);
    if (bytes < TILE_PAGE_HEAD || bytes > all || bytes > one)
      return wrong(name, x->count, "a page of an impossible size");
    status = ghz_index_page(x, name, e->offset + FRAME_BEFORE + e->body, bytes, load_u64(r->p + 4));
    if (status != GHZ_OK)
      return status;
    e->body += bytes;
    pass(r, PAGE_ENTRY_BYTES);
  }
  if (e->body > all)
    return wrong(name, x->count, "more bytes than its stream");
  ghz_index_close(x, e);
  return GHZ_OK;
}

/* The outcome of decoding, with the checksum and the number of frames that the tail has. */
static ghz_status end_of_index(rest *r, const uint8_t *tail, ghz_status status) {
  const uint64_t says = load_u64(tail), lost = status == GHZ_OK ? says ^ r->frames : 0;
  uint8_t end[16];
  store_u64(end, says ^ lost);
  memcpy(end + 8, tail + 8, 8);
  ghz_checksum_add(r->checksum, end, 16);
  const int fits = ghz_checksum_end(r->checksum) == load_u64(tail + 16);
  r->torn = fits && lost && lost >> (__builtin_ctzll(says) / 8 * 8) == 0;
  if (lost || (!fits && r->at == r->end))
    status = ghz_file_fail(r->source->name, GHZ_ECORRUPT, "damaged: the checksum of the index does not match");
  memory_free(&r->piece);
  return status;
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

static ghz_status decode_entries(const ghz_file_header *h, file_index *x, rest *r) {
  const uint64_t most = ghz_index_stream_most(h);
  ghz_status status = GHZ_OK;
  for (; status == GHZ_OK && left(r) > 0; r->frames++) {
    status = decode_frame(x, h, most, r);
    if (status == GHZ_OK)
      status = decode_pages(x, r);
  }
  return status;
}

/* The places of the parts, one behind the other. `size`: of this index. */
static ghz_status decode_parts(uint64_t size, file_index *x, rest *r) {
  const char *name = r->source->name;
  uint64_t own = 0, at = 0;
  ghz_status status = have(r, INDEX_MARK);
  if (status != GHZ_OK)
    return status;
  r->marked = r->size >= INDEX_MARK && ghz_index_marked(r->p, &own);
  if (!r->marked)
    return GHZ_OK;
  const uint64_t parts = load_u64(r->p + 16);
  pass(r, INDEX_MARK);
  if (own != size || parts > PARTS_MAX || left(r) / PART_BYTES < parts)
    return ghz_file_fail(name, GHZ_ECORRUPT, "damaged index: impossible parts");
  x->appended = 1;
  for (x->parts = 0; x->parts < parts; x->parts++) {
    status = have(r, PART_BYTES);
    if (status != GHZ_OK)
      return status;
    index_part *part = &x->part[x->parts];
    *part = (index_part){.begin = load_u64(r->p), .size = load_u64(r->p + 8)};
    pass(r, PART_BYTES);
    if (part->begin < at || part->begin > r->source->size || part->size < TAIL_BYTES ||
        part->size > r->source->size - part->begin)
      return ghz_file_fail(name, GHZ_ECORRUPT, "damaged index: part %u: an impossible place", x->parts);
    at = part->begin + part->size;
  }
  return GHZ_OK;
}

/* ---- An index before the newest -------------------------------------------------------------- */

/* Its header, and its own parts, which are those of the newest or in it. */
static ghz_status begin_part(const index_part *part, const ghz_file_header *h, file_index *x, rest *r) {
  ghz_file_header own;
  file_index older = {0};
  ghz_status status = decode_header(&own, r);
  if (status == GHZ_OK && !ghz_header_continues(&own, h))
    status = ghz_file_fail(r->source->name, GHZ_ECORRUPT, "damaged index: parts of another file");
  if (status == GHZ_OK && x->count == 0)
    x->end = part->size - TAIL_BYTES - left(r);
  return status == GHZ_OK ? decode_parts(part->size, &older, r) : status;
}

static ghz_status read_part(const ghz_file_source *source, index_part *part, const ghz_file_header *h,
                            file_index *x) {
  uint8_t tail[TAIL_BYTES];
  uint64_t size;
  rest r = {.source = source, .at = part->begin, .end = part->begin + part->size - TAIL_BYTES};
  ghz_status status = ghz_source_read_at(source, r.end, tail, TAIL_BYTES);
  if (status == GHZ_OK && (!ghz_index_tail(tail, &size) || size != part->size))
    status = ghz_file_fail(source->name, GHZ_ECORRUPT, "damaged index: a part is no index");
  if (status != GHZ_OK)
    return status;
  r.checksum = ghz_checksum_begin();
  if (!r.checksum)
    return ghz_file_fail(source->name, GHZ_ENOMEM, "out of memory");
  status = begin_part(part, h, x, &r);
  if (status == GHZ_OK)
    status = decode_entries(h, x, &r);
  part->frames = x->count;
  return end_of_index(&r, tail, status);
}

/* ---- The newest ------------------------------------------------------------------------------ */

static ghz_status decode(rest *r, uint64_t size, ghz_file_header *h, file_index *x) {
  const char *name = r->source->name;
  const uint64_t all = left(r);
  ghz_status status = decode_header(h, r);
  if (status != GHZ_OK)
    return status;
  x->start = x->end = all - left(r);
  status = decode_parts(size, x, r);
  for (unsigned i = 0; status == GHZ_OK && i < x->parts; i++)
    status = read_part(r->source, &x->part[i], h, x);
  if (status == GHZ_OK)
    status = decode_entries(h, x, r);
  if (status != GHZ_OK)
    return status;
  if (r->frames == 0 || x->values != h->count)
    return ghz_file_fail(name, GHZ_ECORRUPT, "damaged index: holds %llu values where %llu are announced",
                         (ull)x->values, (ull)h->count);
  if (x->end + END_BYTES + size != r->source->size)
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
  const ghz_status status = end_of_index(&r, end, decode(&r, size, h, x));
  x->torn = r.torn;
  return status;
}
