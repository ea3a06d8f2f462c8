/* window.c: owns reading boxes of frames: which pages hold what a box needs; those that follow
 * each other are one read, and each is checked against the index. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/reader/window.h"

#include "file/checksum.h"
#include "file/layout.h"
#include "file/pack.h"
#include "file/source.h"
#include "rules/bytes.h"
#include "stream/sizes.h"
#include "stream/stream.h"

/* What a call wants. */
typedef struct window {
  ghz_file *f;
  ghz_context *ctx;
  const frame_entry *entry;
  ghz_type out;
  const array_box *box;
  void *dst;
} window;

static uint64_t number_of(const ghz_file *f, const frame_entry *e) {
  return (uint64_t)(e - f->index.frames);
}

static ghz_status damaged(const ghz_file *f, const frame_entry *e, const char *what) {
  return ghz_file_fail(f->name, GHZ_ECORRUPT, "damaged: frame %llu: %s", (ull)number_of(f, e), what);
}

/* ---- Pages ---------------------------------------------------------------------------------- */

/* Bytes of pages first .. first + pages - 1 of the stream. */
static size_t pages_size(const frame_entry *e, size_t first, size_t pages) {
  const size_t end = (first + pages) * PACK_PAGE;
  return (end < e->stream ? end : (size_t)e->stream) - first * PACK_PAGE;
}

static ghz_status check_pages(const ghz_file *f, const frame_entry *e, size_t first, size_t pages,
                              const uint8_t *bytes) {
  const page_entry *page = f->index.pages + e->page + first;
  for (size_t b = 0; b < pages; bytes += page[b].bytes, b++)
    if (ghz_checksum(bytes, page[b].bytes, 0) != page[b].checksum)
      return damaged(f, e, "the checksum of a page does not match");
  return GHZ_OK;
}

static ghz_status unpack(const window *w, size_t first, size_t pages, ghz_bytes packed, uint8_t *to) {
  const page_entry *page = w->f->index.pages + w->entry->page + first;
  return ghz_file_pass(
      w->f->name, number_of(w->f, w->entry), w->ctx,
      ghz_unpack(w->ctx, (size_t)w->entry->stream, first, pages, &page->bytes, sizeof *page, packed, to));
}

/* Reads pages of the stream, in one read, to `to`. */
static ghz_status read_pages(const window *w, size_t first, size_t pages, uint8_t *to) {
  ghz_file *f = w->f;
  const page_entry *page = f->index.pages + w->entry->page + first, *last = page + pages - 1;
  const size_t size = (size_t)(last->offset + last->bytes - page->offset);
  const int packed = (w->entry->flags & ENTRY_PACKED) != 0;
  ghz_status status = packed ? memory_reserve(&f->raw, size, f->name) : GHZ_OK;
  uint8_t *bytes = packed ? f->raw.data : to;
  if (status == GHZ_OK)
    status = ghz_source_read_at(&f->source, page->offset, bytes, size);
  if (status == GHZ_OK)
    status = check_pages(f, w->entry, first, pages, bytes);
  return status == GHZ_OK && packed ? unpack(w, first, pages, (ghz_bytes){bytes, size}, to) : status;
}

/* ---- The start of a frame -------------------------------------------------------------------- */

/* The header of the stream must be that which the index and the file's header announce. */
static ghz_status check_header(const ghz_file *f, const frame_entry *e, const ghz_shape *shape,
                               const ghz_slice *s) {
  const ghz_lattice *a = &s->lattice, *b = &f->info.header.lattice;
  const uint32_t flags = (uint32_t)(ENTRY_INEXACT * (s->inexact != 0) | ENTRY_TRANSFORM * (s->transform != 0));
  if (!ghz_lattice_equal(a, b))
    return damaged(f, e, "another lattice than in the header of the file");
  if (!shapes_equal(&s->shape, shape) || s->terms != e->terms || flags != (e->flags & ~(uint32_t)ENTRY_PACKED))
    return damaged(f, e, "another shape, terms or flags than in the index");
  return GHZ_OK;
}

/* Views the stream, whose first bytes are in memory; it has as many as the index says. */
static ghz_status view_stream(const window *w, const ghz_shape *shape) {
  frame_start *start = &w->f->begun;
  const ghz_bytes stream = {start->bytes.data, (size_t)w->entry->stream};
  ghz_status status = ghz_stream_header(NULL, stream, 0, &start->whole);
  return status == GHZ_OK && shapes_equal(&start->whole.shape, shape)
             ? ghz_stream_locate(NULL, &start->whole, NULL)
             : status;
}

/* Reads the pages that hold header and table of a frame's stream. */
static ghz_status begin_frame(const window *w) {
  ghz_file *f = w->f;
  frame_start *start = &f->begun;
  ghz_shape shape;
  if (start->entry == w->entry)
    return GHZ_OK;
  start->entry = NULL;
  ghz_layout_frame(&f->info.header, w->entry->first, w->entry->values, &shape);
  const size_t table = ghz_stream_index_size(ghz_shape_tiles(&shape));
  if (table == 0 || table > w->entry->stream)
    return damaged(f, w->entry, "too short for its values");
  start->pages = pack_pages(table);
  ghz_status status = memory_reserve(&start->bytes, pages_size(w->entry, 0, start->pages), f->name);
  if (status == GHZ_OK)
    status = read_pages(w, 0, start->pages, start->bytes.data);
  if (status == GHZ_OK)
    status = ghz_file_pass(f->name, number_of(f, w->entry), NULL, view_stream(w, &shape));
  if (status == GHZ_OK)
    status = check_header(f, w->entry, &shape, &start->whole);
  if (status == GHZ_OK)
    start->entry = w->entry;
  return status;
}

/* ---- Runs of chunks -------------------------------------------------------------------------- */

/* Chunks from .. to - 1, whose tiles are in the pages first .. last of the stream. */
typedef struct run {
  uint64_t from, to;
  size_t begin, end; /* bytes of the tiles, in the stream */
} run;

static size_t chunk_end(const frame_start *start, uint64_t chunks) {
  const size_t table = ghz_stream_index_size(start->whole.tiles);
  const uint8_t *ends = (const uint8_t *)start->whole.sizes - 8 * chunks_of(start->whole.tiles);
  return table + (chunks ? (size_t)load_u64(ends + 8 * (chunks - 1)) : 0);
}

static run make_run(const frame_start *start, uint64_t from, uint64_t to) {
  return (run){from, to, chunk_end(start, from), chunk_end(start, to)};
}

/* The bytes of pages in memory, which begin with page `first`: those that the start of the frame
 * has, and others. */
static ghz_status have_pages(const window *w, size_t first, size_t pages) {
  const frame_start *start = &w->f->begun;
  memory *m = &w->f->run;
  ghz_status status = memory_reserve(m, pages_size(w->entry, first, pages), w->f->name);
  const size_t known = start->pages > first ? start->pages - first : 0, have = known < pages ? known : pages;
  if (status != GHZ_OK || pages == 0)
    return status;
  if (have > 0)
    memcpy(m->data, start->bytes.data + first * PACK_PAGE, pages_size(w->entry, first, have));
  return have < pages ? read_pages(w, first + have, pages - have, m->data + have * PACK_PAGE) : GHZ_OK;
}

/* Decompresses what the chunks of a run have of the box. */
static ghz_status decompress_tiles(const window *w, const run *r, const uint8_t *payload) {
  const ghz_slice *whole = &w->f->begun.whole;
  const uint64_t first = r->from * TILES_PER_CHUNK, end = r->to * TILES_PER_CHUNK;
  ghz_slice some = *whole;
  some.first = first;
  some.tiles = (end < whole->tiles ? end : whole->tiles) - first;
  some.sizes = (const uint8_t *)whole->sizes + 2 * first;
  some.payload = payload;
  some.payload_size = r->end - r->begin;
  return ghz_slice_decompress_box(w->ctx, &some, w->out, w->box, w->dst);
}

static ghz_status decompress_run(const window *w, const run *r) {
  const size_t first = r->begin / PACK_PAGE,
               pages = r->end > r->begin ? (r->end - 1) / PACK_PAGE + 1 - first : 0;
  ghz_status status = have_pages(w, first, pages);
  if (status != GHZ_OK)
    return status;
  status = decompress_tiles(w, r, w->f->run.data + (r->begin - first * PACK_PAGE));
  return ghz_file_pass(w->f->name, number_of(w->f, w->entry), w->ctx, status);
}

/* Whether the pages of `next` are those of the run, or follow them: then both are one run. */
static int joins(const run *r, const run *next) {
  return next->from <= r->to || next->begin / PACK_PAGE <= r->end / PACK_PAGE + 1;
}

/* The chunks of each line of tiles, in ascending order. */
static ghz_status decompress_box(const window *w) {
  const frame_start *start = &w->f->begun;
  const tile_extent e = whole_tile(start->whole.shape.dims);
  const unsigned extent[3] = {e.z, e.y, e.x};
  uint64_t grid[3], from[3], to[3];
  shape_grid(&start->whole.shape, grid);
  for (int i = 0; i < 3; i++) {
    from[i] = w->box->origin[i] / extent[i];
    to[i] = (w->box->origin[i] + w->box->shape.extent[i] - 1) / extent[i];
  }
  run r = {0};
  ghz_status status = GHZ_OK;
  for (uint64_t z = from[0]; z <= to[0]; z++)
    for (uint64_t y = from[1]; y <= to[1] && status == GHZ_OK; y++) {
      const uint64_t line = (z * grid[1] + y) * grid[2];
      const run next =
          make_run(start, (line + from[2]) / TILES_PER_CHUNK, (line + to[2]) / TILES_PER_CHUNK + 1);
      const int one = r.to > 0 && joins(&r, &next);
      if (r.to > 0 && !one)
        status = decompress_run(w, &r);
      r = one ? make_run(start, r.from, next.to) : next;
    }
  return status == GHZ_OK ? decompress_run(w, &r) : status;
}

ghz_status ghz_window_decompress(ghz_file *f, ghz_context *ctx, const frame_entry *e, ghz_type out,
                                 const array_box *box, void *dst) {
  const window w = {f, ctx, e, out, box, dst};
  if (ghz_shape_count(&box->shape) == 0)
    return GHZ_OK;
  ghz_status status = begin_frame(&w);
  return status == GHZ_OK ? decompress_box(&w) : status;
}
