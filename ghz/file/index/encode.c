/* encode.c: owns the bytes of an index as it is written. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/index/entries.h"

#include <string.h>

#include "file/checksum.h"
#include "rules/bytes.h"

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
