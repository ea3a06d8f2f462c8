/* window.c: owns reading boxes of frames: which pages hold what a box needs; those that follow
 * each other are one read, and each is checked against the index. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/reader/window.h"

#include "file/checksum.h"
#include "file/layout.h"
#include "file/pack.h"
#include "file/source.h"
#include "file/tile_page.h"
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
  return ghz_file_pass(w->f->name, number_of(w->f, w->entry), w->ctx,
                       ghz_bytes_unpack_pages(w->ctx, (size_t)w->entry->stream, first, pages, &page->bytes,
                                              sizeof *page, packed, to));
}

/* Bytes of pages as they are in the file. */
static size_t fetched_size(const window *w, size_t first, size_t pages) {
  const page_entry *page = w->f->index.pages + w->entry->page + first, *last = page + pages - 1;
  return (size_t)(last->offset + last->bytes - page->offset);
}

/* Reads pages as they are, in one read, and checks them. */
static ghz_status fetch_pages(const window *w, size_t first, size_t pages, uint8_t *to) {
  const uint64_t at = w->f->index.pages[w->entry->page + first].offset;
  const ghz_status status = ghz_source_read_at(&w->f->source, at, to, fetched_size(w, first, pages));
  return status == GHZ_OK ? check_pages(w->f, w->entry, first, pages, to) : status;
}

/* The same to memory of the file's. */
static ghz_status fetch_packed(const window *w, size_t first, size_t pages, ghz_bytes *packed) {
  memory *raw = &w->f->raw;
  const size_t size = fetched_size(w, first, pages);
  const ghz_status status = memory_reserve(raw, size, w->f->name);
  *packed = (ghz_bytes){raw->data, size};
  return status == GHZ_OK ? fetch_pages(w, first, pages, raw->data) : status;
}

/* Reads pages of the stream, of level 0 or 1, to `to`. */
static ghz_status read_pages(const window *w, size_t first, size_t pages, uint8_t *to) {
  ghz_bytes packed;
  if (level_of_flags(w->entry->flags) == 0)
    return fetch_pages(w, first, pages, to);
  const ghz_status status = fetch_packed(w, first, pages, &packed);
  return status == GHZ_OK ? unpack(w, first, pages, packed, to) : status;
}

/* ---- The start of a frame -------------------------------------------------------------------- */

/* The header of the stream must be that which the index and the file's header announce. */
static ghz_status check_header(const ghz_file *f, const frame_entry *e, const ghz_shape *shape,
                               const ghz_slice *s) {
  const ghz_lattice *a = &s->lattice, *b = &f->info.header.lattice;
  const uint32_t flags = (uint32_t)(ENTRY_INEXACT * (s->inexact != 0) | ENTRY_TRANSFORM * (s->transform != 0));
  if (!ghz_lattice_equal(a, b))
    return damaged(f, e, "another lattice than in the header of the file");
  if (!shapes_equal(&s->shape, shape) || s->terms != e->terms ||
      flags != (e->flags & (ENTRY_INEXACT | ENTRY_TRANSFORM)))
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

/* The stream of a frame in pages of tiles, by the index alone. */
static void know_stream(const window *w, const ghz_shape *shape, size_t table) {
  const frame_entry *e = w->entry;
  w->f->begun.whole = (ghz_slice){.lattice = w->f->info.header.lattice,
                                  .shape = *shape,
                                  .count = e->values,
                                  .tiles = ghz_shape_tiles(shape),
                                  .terms = e->terms,
                                  .inexact = (e->flags & ENTRY_INEXACT) != 0,
                                  .transform = (e->flags & ENTRY_TRANSFORM) != 0,
                                  .payload_size = e->stream - table};
  w->f->begun.entry = e;
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
  if (level_of_flags(w->entry->flags) == PACK_TILES) {
    know_stream(w, &shape, table);
    return GHZ_OK;
  }
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

/* Chunks from .. to - 1. */
typedef struct run {
  uint64_t from, to;
  size_t begin, end; /* bytes of the tiles, in the stream; 0 of pages of tiles */
} run;

enum { CHUNKS_PER_PAGE = PAGE_TILES / TILES_PER_CHUNK };

static size_t chunk_end(const frame_start *start, uint64_t chunks) {
  const size_t table = ghz_stream_index_size(start->whole.tiles);
  const uint8_t *ends = (const uint8_t *)start->whole.sizes - 8 * chunks_of(start->whole.tiles);
  return table + (chunks ? (size_t)load_u64(ends + 8 * (chunks - 1)) : 0);
}

/* Of pages of tiles: as many chunks as whole pages have. */
static run make_run(const frame_start *start, uint64_t from, uint64_t to) {
  const uint64_t chunks = chunks_of(start->whole.tiles);
  if (level_of_flags(start->entry->flags) == PACK_TILES) {
    to = (to + CHUNKS_PER_PAGE - 1) / CHUNKS_PER_PAGE * CHUNKS_PER_PAGE;
    return (run){from / CHUNKS_PER_PAGE * CHUNKS_PER_PAGE, to < chunks ? to : chunks, 0, 0};
  }
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

/* The tiles of a run, which are somewhere in memory. */
static ghz_slice slice_of(const window *w, const run *r, const uint8_t *sizes, const uint8_t *payload,
                          size_t payload_size) {
  const ghz_slice *whole = &w->f->begun.whole;
  const uint64_t first = r->from * TILES_PER_CHUNK, end = r->to * TILES_PER_CHUNK;
  ghz_slice some = *whole;
  some.first = first;
  some.tiles = (end < whole->tiles ? end : whole->tiles) - first;
  some.sizes = sizes;
  some.payload = payload;
  some.payload_size = payload_size;
  return some;
}

/* What the context says of its failure. */
static ghz_status pass_on(const window *w, ghz_status status) {
  return ghz_file_pass(w->f->name, number_of(w->f, w->entry), w->ctx, status);
}

/* Reads and unpacks the pages of tiles of a run. */
static ghz_status fetch_tiles(const window *w, const run *r, ghz_slice *some) {
  const size_t first = (size_t)(r->from / CHUNKS_PER_PAGE),
               pages = (size_t)((r->to + CHUNKS_PER_PAGE - 1) / CHUNKS_PER_PAGE) - first;
  const page_entry *page = w->f->index.pages + w->entry->page + first;
  packed_tiles p = {&w->f->begun.whole, first, pages, (const uint8_t *)&page->bytes, sizeof *page, {NULL, 0}};
  memory *m = &w->f->run;
  size_t size = 0;
  ghz_status status = fetch_packed(w, first, pages, &p.packed);
  if (status == GHZ_OK)
    status = pass_on(w, ghz_tiles_size(w->ctx, &p, &size));
  if (status == GHZ_OK && size > w->f->begun.whole.payload_size)
    status = damaged(w->f, w->entry, "the tiles of its pages have more bytes than its stream");
  *some = slice_of(w, r, NULL, NULL, size);
  if (status == GHZ_OK)
    status = memory_reserve(m, 2 * (size_t)some->tiles + size, w->f->name);
  if (status != GHZ_OK)
    return status;
  some->sizes = m->data;
  some->payload = m->data + 2 * some->tiles;
  return pass_on(w, ghz_tiles_unpack_pages(w->ctx, &p, m->data, m->data + 2 * some->tiles));
}

static ghz_status decompress_run(const window *w, const run *r) {
  ghz_slice some;
  if (level_of_flags(w->entry->flags) == PACK_TILES) {
    const ghz_status status = fetch_tiles(w, r, &some);
    return status == GHZ_OK ? pass_on(w, ghz_slice_decompress_box(w->ctx, &some, w->out, w->box, w->dst))
                            : status;
  }
  const size_t first = r->begin / PACK_PAGE,
               pages = r->end > r->begin ? (r->end - 1) / PACK_PAGE + 1 - first : 0;
  ghz_status status = have_pages(w, first, pages);
  if (status != GHZ_OK)
    return status;
  some = slice_of(w, r, (const uint8_t *)w->f->begun.whole.sizes + 2 * TILES_PER_CHUNK * r->from,
                  w->f->run.data + (r->begin - first * PACK_PAGE), r->end - r->begin);
  return pass_on(w, ghz_slice_decompress_box(w->ctx, &some, w->out, w->box, w->dst));
}

/* Whether the pages of `next` are those of the run, or follow them, or there is one between: then
 * both are one run. */
static int joins(const frame_start *start, const run *r, const run *next) {
  if (level_of_flags(start->entry->flags) == PACK_TILES)
    return next->from <= r->to + CHUNKS_PER_PAGE;
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
      const int one = r.to > 0 && joins(start, &r, &next);
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
