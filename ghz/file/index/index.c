/* index.c: owns the index: frames that are added, what is looked for in them, its bytes, and
 * reading those that nobody has checked: of the newest, and of the parts before it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/index/index.h"

#include <math.h>
#include <string.h>

#include "context/floating.h"
#include "file/checksum.h"
#include "file/source.h"
#include "file/tile_page.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"
#include "stream/stream.h"

enum { OFFSET_BYTES = 8, PART_BYTES = 16 };
#define INDEX_MAGIC "GHZINDEX"
#define INDEX_PARTS "GHZPARTS" /* no number of values, which an index without parts would have here */

#define INDEX_PIECE ((size_t)1 << 20) /* bytes of a read of an index that the end of the file does not show */

/* Frames that the first parts have. */
static uint64_t frames_of(const file_index *x, unsigned parts) {
  return parts ? x->part[parts - 1].frames : 0;
}

uint64_t ghz_index_stream_most(const ghz_file_header *h) {
  const ghz_shape whole = ghz_file_frame_shape(h, GHZ_FILE_UNKNOWN);
  return ghz_shape_bound(&whole, h->lattice.type, ghz_terms_limit(35)); /* this cap allows the most terms */
}

void ghz_index_free(file_index *x) {
  memory_free(&x->frame_memory);
  memory_free(&x->page_memory);
  *x = (file_index){0};
}

/* ---- Building -------------------------------------------------------------------------------- */

/* Room for one element more; it doubles, so that frames cost no copy each. */
static ghz_status make_room(memory *m, uint64_t count, size_t each, const char *name) {
  return m->data && (count + 1) * each <= m->capacity ? GHZ_OK
                                                      : memory_reserve(m, 2 * (count + 8) * each, name);
}

ghz_status ghz_index_begin(file_index *x, const char *name, uint64_t offset, uint64_t pages, frame_entry **e) {
  const ghz_status status = make_room(&x->frame_memory, x->count, sizeof **e, name);
  x->frames = (frame_entry *)(void *)x->frame_memory.data;
  if (status != GHZ_OK)
    return status;
  x->page_count = x->count ? x->frames[x->count - 1].page + x->frames[x->count - 1].pages : 0;
  *e = &x->frames[x->count];
  **e = (frame_entry){
      .first = x->values, .offset = offset, .body = body_head(pages), .page = x->page_count, .pages = pages};
  return GHZ_OK;
}

ghz_status ghz_index_page(file_index *x, const char *name, uint32_t bytes, uint64_t checksum) {
  frame_entry *e = &x->frames[x->count];
  const ghz_status status = make_room(&x->page_memory, x->page_count, sizeof *x->pages, name);
  x->pages = (page_entry *)(void *)x->page_memory.data;
  if (status != GHZ_OK)
    return status;
  x->pages[x->page_count++] = (page_entry){e->offset + FRAME_BEFORE + e->body, checksum, bytes};
  e->body += bytes;
  return GHZ_OK;
}

ghz_status ghz_index_body(file_index *x, const char *name, uint64_t offset, uint64_t pages, ghz_bytes body) {
  const uint8_t *data = body.data;
  frame_entry *e;
  ghz_status status = ghz_index_begin(x, name, offset, pages, &e);
  for (uint64_t b = 0; b < pages && status == GHZ_OK; b++) {
    const uint32_t bytes = load_u32(data + body_head(b));
    status = ghz_index_page(x, name, bytes, ghz_checksum(data + e->body, bytes, 0));
  }
  return status;
}

void ghz_index_stream(file_index *x, const ghz_info *info, int packed) {
  frame_entry *e = &x->frames[x->count];
  e->values = info->count;
  e->stream = info->bytes;
  e->terms = info->terms;
  e->flags = (uint32_t)(ENTRY_PACKED * (packed != 0) | ENTRY_INEXACT * (info->inexact != 0) |
                        ENTRY_TRANSFORM * (info->transform != 0));
}

int ghz_index_repeats(const file_index *x, uint64_t number) {
  const frame_entry *a = &x->frames[number], *b = &x->frames[x->count];
  int same = a->values == b->values && a->offset == b->offset && a->stream == b->stream && a->body == b->body &&
             a->pages == b->pages && a->terms == b->terms && a->flags == b->flags;
  for (uint64_t i = 0; same && i < a->pages; i++) {
    const page_entry *p = &x->pages[a->page + i], *q = &x->pages[b->page + i];
    same = p->bytes == q->bytes && p->checksum == q->checksum;
  }
  return same;
}

void ghz_index_close(file_index *x) {
  const frame_entry *e = &x->frames[x->count++];
  x->values += e->values;
  x->end = e->offset + e->body + FRAME_AROUND;
}

/* ---- What an index holds --------------------------------------------------------------------- */

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

/* ---- Writing --------------------------------------------------------------------------------- */

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
  for (uint64_t b = 0; b < e->pages; b++, p += PAGE_ENTRY_BYTES) {
    const page_entry *page = &x->pages[e->page + b];
    store_u32(p, page->bytes);
    store_u64(p + 4, page->checksum);
  }
  return p;
}

/* The mark, and where the parts are. */
static uint8_t *encode_parts(const file_index *x, uint64_t size, uint8_t *p) {
  memcpy(p, INDEX_PARTS, 8);
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
  memcpy(p + 24, INDEX_MAGIC, 8);
}

/* ---- Recognising ----------------------------------------------------------------------------- */

int ghz_index_tail(const uint8_t *tail, uint64_t *size) {
  const uint64_t says = load_u64(tail + 8);
  *size = says > COUNT_MAX ? UINT64_MAX : says + TAIL_BYTES;
  return memcmp(tail + 24, INDEX_MAGIC, 8) == 0 && load_u64(tail) > 0;
}

int ghz_index_marked(const uint8_t mark[INDEX_MARK], uint64_t *size) {
  *size = load_u64(mark + 8);
  return memcmp(mark, INDEX_PARTS, 8) == 0 && *size <= COUNT_MAX;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* What is left of an index to be decoded: what was read of it, and what follows in the source. */
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

static ghz_status wrong(const rest *r, const char *what) {
  return ghz_file_fail(r->source->name, GHZ_ECORRUPT, "damaged index: %s", what);
}

static ghz_status wrong_frame(const rest *r, const file_index *x, const char *what) {
  return ghz_file_fail(r->source->name, GHZ_ECORRUPT, "damaged index: frame %llu: %s", (ull)x->count, what);
}

static const uint8_t *pass(rest *r, size_t bytes) {
  r->p += bytes;
  r->size -= bytes;
  return r->p - bytes;
}

/* Takes the next bytes, if they are there: else *taken is NULL. */
static ghz_status take(rest *r, size_t bytes, const uint8_t **taken) {
  const ghz_status status = have(r, bytes);
  *taken = r->size >= bytes ? pass(r, bytes) : NULL;
  return status;
}

/* The entry of a frame without its pages, which in an index with parts says where it begins: behind
 * the one before it. */
static ghz_status decode_frame(file_index *x, const ghz_file_header *h, uint64_t most, rest *r) {
  const size_t place = r->marked ? OFFSET_BYTES : 0;
  const uint8_t *b;
  frame_entry *e;
  ghz_shape shape;
  ghz_status status = take(r, place + ENTRY_BYTES, &b);
  if (status != GHZ_OK || !b)
    return status != GHZ_OK ? status : wrong_frame(r, x, "is missing");
  const uint64_t offset = place ? load_u64(b) : x->end, values = load_u64(b + place);
  if (place && (offset < x->end || offset > r->source->size))
    return wrong_frame(r, x, "an impossible place");
  if ((values == 0 && x->count > 0) || values > h->count - x->values ||
      !ghz_layout_frame(h, x->values, values, &shape))
    return wrong_frame(r, x, "an impossible number of values");
  const uint64_t stream = load_u64(b + place + 8), tiles = ghz_shape_tiles(&shape);
  const uint32_t terms = load_u32(b + place + 16), flags = load_u32(b + place + 20);
  if (stream < ghz_stream_index_size(tiles) || stream > most || flags > 7 ||
      (flags & ENTRY_TRANSFORM && shape.dims == 1) || terms > ghz_terms_limit(h->lattice.cap))
    return wrong_frame(r, x, "impossible bytes, terms or flags");
  status = ghz_index_begin(x, r->source->name, offset, tile_pages((flags & ENTRY_PACKED) != 0, tiles), &e);
  if (status != GHZ_OK)
    return status;
  e->values = values;
  e->stream = stream;
  e->terms = terms;
  e->flags = flags;
  return GHZ_OK;
}

static ghz_status decode_pages(file_index *x, rest *r) {
  const frame_entry *e = &x->frames[x->count];
  const unsigned each = page_tiles((e->flags & ENTRY_PACKED) != 0);
  const size_t all = ghz_pack_bound((size_t)e->stream),
               one = tile_page_bound(each, (size_t)each * TILE_BYTES_MAX);
  ghz_status status = GHZ_OK;
  for (uint64_t i = 0; i < e->pages && status == GHZ_OK; i++) {
    const uint8_t *b;
    status = take(r, PAGE_ENTRY_BYTES, &b);
    if (status != GHZ_OK || !b)
      return status != GHZ_OK ? status : wrong_frame(r, x, "its pages are missing");
    const uint32_t bytes = load_u32(b);
    if (bytes < TILE_PAGE_HEAD || bytes > all || bytes > one)
      return wrong_frame(r, x, "a page of an impossible size");
    status = ghz_index_page(x, r->source->name, bytes, load_u64(b + 4));
  }
  if (status == GHZ_OK && e->body > all)
    status = wrong_frame(r, x, "more bytes than its stream");
  if (status == GHZ_OK)
    ghz_index_close(x);
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

/* The header that begins the index, with a number of values that is known. */
static ghz_status decode_header(ghz_file_header *h, rest *r) {
  const char *name = r->source->name;
  const uint8_t *b;
  size_t size = 0;
  ghz_status status = have(r, HEADER_MAX);
  if (status == GHZ_OK)
    status = ghz_header_start(name, r->p, r->size < HEADER_START ? r->size : HEADER_START, &size);
  if (status == GHZ_OK)
    status = take(r, size, &b);
  if (status != GHZ_OK || !b)
    return status != GHZ_OK ? status : wrong(r, "ends in its header");
  status = ghz_header_decode(name, b, size, h);
  return status == GHZ_OK && h->count == GHZ_FILE_UNKNOWN ? wrong(r, "its header lacks the number of values")
                                                          : status;
}

/* The places of the parts, one behind the other. `size`: of this index. */
static ghz_status decode_parts(uint64_t size, file_index *x, rest *r) {
  uint64_t own = 0, at = 0;
  const uint8_t *b;
  ghz_status status = have(r, INDEX_MARK);
  r->marked = r->p && r->size >= INDEX_MARK && ghz_index_marked(r->p, &own);
  if (status != GHZ_OK || !r->marked)
    return status;
  const uint64_t parts = load_u64(pass(r, INDEX_MARK) + 16);
  if (own != size || parts > PARTS_MAX)
    return wrong(r, "impossible parts");
  x->appended = 1;
  for (x->parts = 0; x->parts < parts; x->parts++) {
    status = take(r, PART_BYTES, &b);
    if (status != GHZ_OK || !b)
      return status != GHZ_OK ? status : wrong(r, "impossible parts");
    index_part *part = &x->part[x->parts];
    *part = (index_part){.begin = load_u64(b), .size = load_u64(b + 8)};
    if (part->begin < at || part->begin > r->source->size || part->size < TAIL_BYTES ||
        part->size > r->source->size - part->begin)
      return ghz_file_fail(r->source->name, GHZ_ECORRUPT, "damaged index: part %u: an impossible place",
                           x->parts);
    at = part->begin + part->size;
  }
  return GHZ_OK;
}

/* Reads all of an index, `size` bytes with its tail, and what `decode` makes of it. Once all of it
 * was read, a wrong checksum is the reason why it fails. */
static ghz_status read_rest(rest *r, const uint8_t *tail, uint64_t size, ghz_file_header *h, file_index *x,
                            ghz_status (*decode)(rest *r, uint64_t size, ghz_file_header *h, file_index *x)) {
  uint8_t end[16];
  r->checksum = ghz_checksum_begin(0);
  if (!r->checksum)
    return ghz_file_fail(r->source->name, GHZ_ENOMEM, "out of memory");
  if (r->size)
    ghz_checksum_add(r->checksum, r->p, r->size);
  ghz_status status = decode(r, size, h, x);
  const uint64_t says = load_u64(tail), lost = status == GHZ_OK ? says ^ r->frames : 0;
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

/* An index before the newest, whose header is `h`. Its own parts are those of the newest, or in
 * it. */
static ghz_status decode_older(rest *r, uint64_t size, ghz_file_header *h, file_index *x) {
  ghz_file_header own;
  file_index older = {0};
  ghz_status status = decode_header(&own, r);
  if (status == GHZ_OK && !ghz_header_continues(&own, h, 1))
    status = wrong(r, "parts of another file");
  if (status == GHZ_OK)
    status = decode_parts(size, &older, r);
  return status == GHZ_OK ? decode_entries(h, x, r) : status;
}

static ghz_status read_part(const ghz_file_source *source, index_part *part, ghz_file_header *h,
                            file_index *x) {
  uint8_t tail[TAIL_BYTES];
  uint64_t size;
  rest r = {.source = source, .at = part->begin, .end = part->begin + part->size - TAIL_BYTES};
  ghz_status status = ghz_source_read_at(source, r.end, tail, TAIL_BYTES);
  if (status == GHZ_OK && (!ghz_index_tail(tail, &size) || size != part->size))
    status = wrong(&r, "a part is no index");
  if (status == GHZ_OK)
    status = read_rest(&r, tail, part->size, h, x, decode_older);
  part->frames = x->count;
  return status;
}

static ghz_status decode_newest(rest *r, uint64_t size, ghz_file_header *h, file_index *x) {
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
    return ghz_file_fail(r->source->name, GHZ_ECORRUPT,
                         "damaged index: holds %llu values where %llu are announced", (ull)x->values,
                         (ull)h->count);
  return x->end + END_BYTES + size == r->source->size ? GHZ_OK : wrong(r, "its frames do not fill the file");
}

/* An index that the end of the file does not show is decoded as it comes, so that memory is taken
 * for entries alone that can be such. */
ghz_status ghz_index_read(const ghz_file_source *source, ghz_bytes tail, uint64_t size, ghz_file_header *h,
                          file_index *x) {
  const uint8_t *end = (const uint8_t *)tail.data + tail.size - TAIL_BYTES;
  rest r = {.source = source, .at = source->size - size, .end = source->size - TAIL_BYTES};
  if (size <= tail.size) {
    r.p = end + TAIL_BYTES - size;
    r.size = (size_t)(size - TAIL_BYTES);
    r.at = r.end;
  }
  const ghz_status status = read_rest(&r, end, size, h, x, decode_newest);
  x->torn = r.torn;
  return status;
}
