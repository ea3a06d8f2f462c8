/* index.c: owns the index in memory: frames that are added, what is looked for in them, and its
 * bytes as it is written. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "context/floating.h"
#include "file/checksum.h"
#include "file/index/index.h"
#include "rules/bytes.h"
#include "rules/lattice_rules.h"

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

ghz_status ghz_index_next(file_index *x, const char *name, frame_entry **e) {
  void *frames = x->frames;
  ghz_status status = make_room(&frames, &x->frames_room, x->count, sizeof **e, name);
  x->frames = frames;
  *e = status == GHZ_OK ? &x->frames[x->count] : NULL;
  return status;
}

ghz_status ghz_index_page(file_index *x, const char *name, uint64_t offset, uint32_t bytes, uint64_t checksum) {
  void *pages = x->pages;
  ghz_status status = make_room(&pages, &x->pages_room, x->page_count, sizeof *x->pages, name);
  x->pages = pages;
  if (status == GHZ_OK)
    x->pages[x->page_count++] = (page_entry){offset, checksum, bytes};
  return status;
}

void ghz_index_close(file_index *x, const frame_entry *e) {
  x->values += e->values;
  x->end = e->offset + e->body + FRAME_AROUND;
  x->count++;
}

ghz_status ghz_index_add(file_index *x, const char *name, const ghz_info *info, int packed, ghz_bytes body) {
  const uint8_t *data = body.data;
  const uint64_t pages = tile_pages(packed, ghz_shape_tiles(&info->shape));
  frame_entry *e;
  ghz_status status = ghz_index_next(x, name, &e);
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
                     .flags = (uint32_t)(ENTRY_PACKED * (packed != 0) | ENTRY_INEXACT * (info->inexact != 0) |
                                         ENTRY_TRANSFORM * (info->transform != 0))};
  for (size_t b = 0, at = body_head(pages); b < pages && status == GHZ_OK; b++) {
    const uint32_t bytes = load_u32(data + STREAM_HEADER + 4 * b);
    status = ghz_index_page(x, name, e->offset + FRAME_BEFORE + at, bytes, ghz_checksum(data + at, bytes, 0));
    at += bytes;
  }
  if (status == GHZ_OK)
    ghz_index_close(x, e);
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
