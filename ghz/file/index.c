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

enum { ENTRY_BYTES = 24, PAGE_ENTRY_BYTES = 12, OFFSET_BYTES = 8, PART_BYTES = 16 };
#define INDEX_PIECE ((size_t)1 << 20) /* bytes of a read of an index that the end of the file does not show */
#define MAGIC "GHZINDEX"
#define MARK "GHZPARTS" /* no number of values, which an index without parts would have here */

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

ghz_status ghz_index_add(file_index *x, const char *name, const ghz_info *info, ghz_bytes body, int level) {
  const uint8_t *data = body.data;
  const uint64_t pages = ghz_frame_pages(level, info->bytes, ghz_shape_tiles(&info->shape));
  const size_t head = ghz_frame_head(level, pages);
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
                     .pages = pages,
                     .terms = info->terms,
                     .flags = flags_of_level(level) | (uint32_t)(ENTRY_INEXACT * (info->inexact != 0) |
                                                                 ENTRY_TRANSFORM * (info->transform != 0))};
  for (size_t b = 0, at = head; b < pages && status == GHZ_OK; b++) {
    const uint32_t bytes = level ? load_u32(data + head - 4 * (pages - b)) : page_bytes(info->bytes, b);
    status = add_page(x, name, e->offset + FRAME_BEFORE + at, bytes, ghz_checksum(data + at, bytes, 0));
    at += bytes;
  }
  if (status == GHZ_OK)
    close_entry(x, e);
  return status;
}

/* ---- What an index holds --------------------------------------------------------------------- */

static int entries_equal(const frame_entry *a, const frame_entry *b) {
  return a->values == b->values && a->offset == b->offset && a->stream == b->stream && a->body == b->body &&
         a->terms == b->terms && a->flags == b->flags;
}

int ghz_index_equal(const file_index *a, const file_index *b) {
  int same = a->count == b->count && a->page_count == b->page_count;
  for (uint64_t i = 0; same && i < a->count; i++)
    same = entries_equal(&a->frames[i], &b->frames[i]);
  for (uint64_t i = 0; same && i < a->page_count; i++)
    same = a->pages[i].bytes == b->pages[i].bytes && a->pages[i].checksum == b->pages[i].checksum;
  return same;
}

/* Frames that the first parts have. */
static uint64_t frames_of(const file_index *x, unsigned parts) {
  return parts ? x->part[parts - 1].frames : 0;
}

int ghz_index_grown(const file_index *x) {
  return x->count > frames_of(x, x->parts);
}

void ghz_index_choose(file_index *x) {
  while (x->parts && (x->parts >= PARTS_MAX || frames_of(x, x->parts) - frames_of(x, x->parts - 1) <
                                                   2 * (x->count - frames_of(x, x->parts))))
    x->parts--;
}

void ghz_index_written(file_index *x, uint64_t begin, uint64_t size) {
  x->part[x->parts++] = (index_part){begin, size, x->count};
  x->end = begin + size;
  x->appended = 1;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

uint64_t ghz_index_entry_size(uint64_t pages) {
  return ENTRY_BYTES + PAGE_ENTRY_BYTES * pages;
}

uint64_t ghz_index_size(const file_index *x, const ghz_file_header *h) {
  const uint64_t first = frames_of(x, x->parts), own = x->count - first,
                 page = own ? x->frames[first].page : x->page_count;
  return 48 + 8 * (uint64_t)h->array.ndim + 8 +
         (x->appended ? INDEX_MARK + PART_BYTES * (uint64_t)x->parts + OFFSET_BYTES * own : 0) +
         ENTRY_BYTES * own + PAGE_ENTRY_BYTES * (x->page_count - page) + TAIL_BYTES;
}

static uint8_t *encode_entry(const file_index *x, const frame_entry *e, uint8_t *p) {
  if (x->appended) {
    store_u64(p, e->offset);
    p += OFFSET_BYTES;
  }
  store_u64(p, e->values);
  store_u64(p + 8, e->stream);
  store_u32(p + 16, e->terms);
  store_u32(p + 20, e->flags);
  p += ENTRY_BYTES;
  const page_entry *page = x->pages + e->page;
  for (uint64_t b = 0; b < e->pages; b++, p += PAGE_ENTRY_BYTES) {
    store_u32(p, page[b].bytes);
    store_u64(p + 4, page[b].checksum);
  }
  return p;
}

/* The mark, and where the parts are. */
static uint8_t *encode_parts(const file_index *x, uint64_t size, uint8_t *p) {
  memcpy(p, MARK, 8);
  store_u64(p + 8, size);
  store_u64(p + 16, x->parts);
  p += INDEX_MARK;
  for (unsigned i = 0; i < x->parts; i++, p += PART_BYTES) {
    store_u64(p, x->part[i].begin);
    store_u64(p + 8, x->part[i].size);
  }
  return p;
}

void ghz_index_encode(const file_index *x, const ghz_file_header *h, uint8_t *to) {
  uint8_t header[HEADER_MAX], *p = to;
  const size_t size = ghz_header_encode(h, header);
  const uint64_t first = frames_of(x, x->parts);
  memcpy(p, header, size);
  p += size;
  if (x->appended)
    p = encode_parts(x, ghz_index_size(x, h), p);
  for (uint64_t i = first; i < x->count; i++)
    p = encode_entry(x, &x->frames[i], p);
  store_u64(p, x->count - first);
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

int ghz_index_marked(const uint8_t mark[INDEX_MARK], uint64_t *size) {
  *size = load_u64(mark + 8);
  return memcmp(mark, MARK, 8) == 0 && *size <= COUNT_MAX;
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
    status = next_entry(x, name, &e);
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
  if (e->stream < STREAM_LEAST || e->stream > most || e->flags > 15 ||
      (e->flags & (ENTRY_PACKED | ENTRY_OF_TILES)) == ENTRY_OF_TILES ||
      (e->flags & ENTRY_TRANSFORM && shape.dims == 1) || e->terms > ghz_terms_limit(h->lattice.cap))
    return wrong(name, x->count, "impossible bytes, terms or flags");
  e->pages = ghz_frame_pages(level_of_flags(e->flags), e->stream, ghz_shape_tiles(&shape));
  return GHZ_OK;
}

/* Whether page b of a frame may have so many bytes. Of a page of tiles the bytes of the tiles are
 * not known, but of all of them. */
static int page_possible(const frame_entry *e, int level, uint64_t b, uint32_t bytes) {
  if (level == PACK_TILES)
    return bytes > 0 && bytes <= ghz_pack_bound((size_t)e->stream);
  const uint32_t whole = page_bytes(e->stream, b);
  return bytes <= whole && (level ? bytes > 0 : bytes == whole);
}

static ghz_status decode_pages(file_index *x, rest *r) {
  const char *name = r->source->name;
  frame_entry *e = &x->frames[x->count];
  const int level = level_of_flags(e->flags);
  if (left(r) / PAGE_ENTRY_BYTES < e->pages)
    return wrong(name, x->count, "its pages are missing");
  e->body = ghz_frame_head(level, e->pages);
  for (uint64_t b = 0; b < e->pages; b++) {
    ghz_status status = have(r, PAGE_ENTRY_BYTES);
    if (status != GHZ_OK)
      return status;
    const uint32_t bytes = load_u32(r->p);
    if (!page_possible(e, level, b, bytes))
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

/* The outcome of decoding, with the checksum that the tail has. */
static ghz_status end_of_checksum(rest *r, const uint8_t *tail, ghz_status status) {
  ghz_checksum_add(r->checksum, tail, 16);
  if (ghz_checksum_end(r->checksum) != load_u64(tail + 16) && r->at == r->end)
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

static ghz_status decode_entries(uint64_t frames, const ghz_file_header *h, file_index *x, rest *r) {
  const uint64_t most = ghz_index_stream_most(h), count = x->count;
  ghz_status status = GHZ_OK;
  while (status == GHZ_OK && x->count - count < frames) {
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
    status = decode_entries(load_u64(tail), h, x, &r);
  if (status == GHZ_OK && left(&r) != 0)
    status = ghz_file_fail(source->name, GHZ_ECORRUPT, "damaged index: bytes behind the entries of a part");
  part->frames = x->count;
  return end_of_checksum(&r, tail, status);
}

/* ---- The newest ------------------------------------------------------------------------------ */

static ghz_status decode(rest *r, uint64_t frames, uint64_t size, ghz_file_header *h, file_index *x) {
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
  return end_of_checksum(&r, end, decode(&r, load_u64(end), size, h, x));
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

uint64_t ghz_index_needed(const file_index *x, uint64_t size) {
  uint64_t bytes = x->start + END_BYTES + size;
  for (uint64_t i = 0; i < x->count; i++)
    bytes += x->frames[i].body + FRAME_AROUND;
  for (unsigned i = 0; i < x->parts; i++)
    bytes += x->part[i].size;
  return bytes;
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
