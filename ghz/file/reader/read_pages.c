/* read_pages.c: owns reading boxes of frames: which pages hold what a box needs; those that follow
 * each other are one read, and each is checked against the index. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/reader/reader.h"

#include "file/checksum.h"
#include "file/header.h"
#include "file/pack.h"
#include "file/source.h"
#include "stream/stream.h"

/* What a call wants. */
typedef struct window {
  ghz_file *f;
  ghz_context *ctx;
  const frame_entry *entry;
  ghz_slice whole; /* the frame's stream, whose header alone counts */
  ghz_type out;
  const array_box *box;
  void *dst;
} window;

/* Pages first .. end - 1, which are read at once: as many as caches hold. */
typedef struct run {
  size_t first, end;
} run;

enum { RUN_PAGES = 16 };

static uint64_t number_of(const window *w) {
  return (uint64_t)(w->entry - w->f->index.frames);
}

static ghz_status damaged(const window *w, const char *what) {
  return ghz_file_fail(w->f->name, GHZ_ECORRUPT, "damaged: frame %llu: %s", (ull)number_of(w), what);
}

/* What the context says of its failure. */
static ghz_status pass_on(const window *w, ghz_status status) {
  return ghz_file_pass(w->f->name, number_of(w), w->ctx, status);
}

static const page_entry *page_at(const window *w, size_t page) {
  return w->f->index.pages + w->entry->page + page;
}

/* Reads pages as they are, in one read, and checks them. */
static ghz_status fetch_pages(const window *w, const run *r, ghz_bytes *bytes) {
  memory *raw = &w->f->raw;
  const page_entry *first = page_at(w, r->first), *last = page_at(w, r->end - 1);
  const size_t size = (size_t)(last->offset + last->bytes - first->offset);
  ghz_status status = memory_reserve(raw, size, w->f->name);
  if (status == GHZ_OK)
    status = ghz_source_read_at(&w->f->source, first->offset, raw->data, size);
  if (status != GHZ_OK)
    return status;
  *bytes = (ghz_bytes){raw->data, size};
  for (const page_entry *p = first; p <= last; p++)
    if (ghz_checksum(raw->data + (p->offset - first->offset), p->bytes, 0) != p->checksum)
      return damaged(w, "the checksum of a page does not match");
  return GHZ_OK;
}

/* The tiles of a run, unpacked. */
static ghz_status read_tiles(const window *w, const run *r, ghz_slice *some) {
  const page_entry *page = page_at(w, r->first);
  packed_tiles p = {&w->whole,         (w->entry->flags & ENTRY_PACKED) != 0, r->first,
                    r->end - r->first, (const uint8_t *)&page->bytes,         sizeof *page,
                    {NULL, 0}};
  const uint64_t each = page_tiles(p.packed), first = r->first * each, end = r->end * each,
                 tiles = (end < w->whole.tiles ? end : w->whole.tiles) - first;
  memory *m = &w->f->run;
  size_t size = 0;
  ghz_status status = fetch_pages(w, r, &p.bytes);
  if (status == GHZ_OK)
    status = pass_on(w, ghz_tiles_size(w->ctx, &p, &size));
  if (status == GHZ_OK && size > w->whole.payload_size)
    status = damaged(w, "the tiles of its pages have more bytes than its stream");
  if (status == GHZ_OK)
    status = memory_reserve(m, 2 * (size_t)tiles + size, w->f->name);
  if (status != GHZ_OK)
    return status;
  *some = w->whole;
  some->first = first;
  some->tiles = tiles;
  some->sizes = m->data;
  some->payload = m->data + 2 * tiles;
  some->payload_size = size;
  return pass_on(w, ghz_tiles_unpack_pages(w->ctx, &p, m->data, m->data + 2 * tiles));
}

/* Decompresses what pages have of the box, a run at a time. */
static ghz_status decompress_pages(const window *w, size_t first, size_t end) {
  ghz_status status = GHZ_OK;
  for (; first < end && status == GHZ_OK; first += RUN_PAGES) {
    const run r = {first, end - first < RUN_PAGES ? end : first + RUN_PAGES};
    ghz_slice some;
    status = read_tiles(w, &r, &some);
    if (status == GHZ_OK)
      status = pass_on(w, ghz_slice_decompress_box(w->ctx, &some, w->out, w->box, w->dst));
  }
  return status;
}

/* The pages of each line of tiles, in ascending order; those that follow each other in a row. */
static ghz_status decompress_box(const window *w) {
  const tile_extent e = whole_tile(w->whole.shape.dims);
  const unsigned extent[3] = {e.z, e.y, e.x}, each = page_tiles((w->entry->flags & ENTRY_PACKED) != 0);
  uint64_t grid[3], from[3], to[3];
  bricks_along(&w->whole.shape, grid);
  for (int i = 0; i < 3; i++) {
    from[i] = w->box->origin[i] / extent[i];
    to[i] = (w->box->origin[i] + w->box->shape.extent[i] - 1) / extent[i];
  }
  size_t first = 0, end = 0;
  ghz_status status = GHZ_OK;
  for (uint64_t z = from[0]; z <= to[0]; z++)
    for (uint64_t y = from[1]; y <= to[1] && status == GHZ_OK; y++) {
      const uint64_t line = (z * grid[1] + y) * grid[2];
      const size_t begin = (size_t)((line + from[2]) / each);
      if (begin > end) {
        status = decompress_pages(w, first, end);
        first = begin;
      }
      end = (size_t)((line + to[2]) / each + 1);
    }
  return status == GHZ_OK ? decompress_pages(w, first, end) : status;
}

ghz_status ghz_window_decompress(ghz_file *f, ghz_context *ctx, const frame_entry *e, const ghz_shape *shape,
                                 ghz_type out, const array_box *box, void *dst) {
  window w = {f,   ctx, e,  {.lattice = f->info.header.lattice, .shape = *shape, .count = e->values},
              out, box, dst};
  if (ghz_shape_count(&box->shape) == 0)
    return GHZ_OK;
  w.whole.tiles = ghz_shape_tiles(shape);
  w.whole.terms = e->terms;
  w.whole.inexact = (e->flags & ENTRY_INEXACT) != 0;
  w.whole.transform = (e->flags & ENTRY_TRANSFORM) != 0;
  w.whole.payload_size = e->stream - ghz_stream_index_size(w.whole.tiles); /* checked with the index */
  return decompress_box(&w);
}
