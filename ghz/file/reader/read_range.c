/* read_range.c: owns reading ranges and boxes of the array, frame by frame: which pages hold what
 * they need; those that follow each other are one read, and each is checked against the index. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "file/checksum.h"
#include "file/errors.h"
#include "file/header.h"
#include "file/pack.h"
#include "file/reader/reader.h"
#include "file/source.h"
#include "stream/stream.h"

/* From from[i] to before to[i], slowest first, of an array of these extents. */
typedef struct file_box {
  unsigned ndim;
  uint64_t from[GHZ_FILE_NDIM], to[GHZ_FILE_NDIM], array[GHZ_FILE_NDIM];
} file_box;

/* ---- The lines of a box ---------------------------------------------------------------------- */

static ghz_status place_box(const char *name, const ghz_array *array, const uint64_t *from, const uint64_t *to,
                            file_box *b) {
  *b = (file_box){.ndim = array->ndim};
  if (array->ndim == 0)
    return ghz_file_fail(name, GHZ_EINVAL, "has no dimensions: read a range");
  for (unsigned i = 0; i < array->ndim; i++) {
    const unsigned at = array->fortran ? array->ndim - 1 - i : i;
    if (from[i] > to[i] || to[i] > array->dims[i])
      return ghz_file_fail(name, GHZ_EINVAL, "%llu up to %llu of %llu along dimension %u", (ull)from[i],
                           (ull)to[i], (ull)array->dims[i], i);
    b->from[at] = from[i];
    b->to[at] = to[i];
    b->array[at] = array->dims[i];
  }
  return GHZ_OK;
}

/* Its lines, in the order of the memory; the first value of each, counted in the array; and the
 * values of each. */
static uint64_t lines_of(const file_box *b) {
  uint64_t lines = b->to[b->ndim - 1] > b->from[b->ndim - 1];
  for (unsigned i = 0; i + 1 < b->ndim; i++)
    lines *= b->to[i] - b->from[i];
  return lines;
}

static uint64_t line_values(const file_box *b) {
  return b->to[b->ndim - 1] - b->from[b->ndim - 1];
}

static uint64_t line_begin(const file_box *b, uint64_t line) {
  uint64_t value = b->from[b->ndim - 1], stride = b->array[b->ndim - 1];
  for (unsigned i = b->ndim - 1; i-- > 0;) {
    const uint64_t extent = b->to[i] - b->from[i];
    value += (b->from[i] + line % extent) * stride;
    line /= extent;
    stride *= b->array[i];
  }
  return value;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

#define GAP 65536        /* values between lines of a box: reading them, too, costs less than a read more */
enum { RUN_PAGES = 16 }; /* that are read at once: as many as caches hold */

/* What a call wants, and the frame that is at hand. */
typedef struct piece {
  ghz_file *f;
  ghz_context *ctx;
  ghz_type out;
  size_t size;              /* bytes of a value */
  const frame_entry *entry; /* NULL: the current frame of a file without an index */
  uint64_t number, first, count;
  ghz_slice whole; /* its stream: with an entry all but the tiles, else the shape alone */
} piece;

static ghz_status begin(piece *p, ghz_file *f, ghz_context *ctx, ghz_type out) {
  *p = (piece){.f = f, .ctx = ctx, .out = out, .size = ghz_type_size(out)};
  const char *wrong = ghz_not_decompressed(&f->info.header.lattice, out);
  return wrong ? ghz_file_fail(f->name, GHZ_EINVAL, "%s", wrong) : GHZ_OK;
}

/* Takes the frame that holds a value, by its entry, which was checked. */
static void take_entry(piece *p, uint64_t value) {
  const ghz_file *f = p->f;
  const frame_entry *e = ghz_index_find(&f->index, value);
  ghz_slice *s = &p->whole;
  p->entry = e;
  p->number = (uint64_t)(e - f->index.frames);
  p->first = e->first;
  p->count = e->values;
  *s = (ghz_slice){.lattice = f->info.header.lattice,
                   .count = e->values,
                   .terms = e->terms,
                   .inexact = (e->flags & ENTRY_INEXACT) != 0,
                   .transform = (e->flags & ENTRY_TRANSFORM) != 0};
  ghz_layout_frame(&f->info.header, e->first, e->values, &s->shape);
  s->tiles = ghz_shape_tiles(&s->shape);
  s->payload_size = e->stream - ghz_stream_index_size(s->tiles);
}

static ghz_status take_frame(piece *p, uint64_t value) {
  const ghz_frame *current = &p->f->current;
  if (p->f->info.indexed) {
    take_entry(p, value);
    return GHZ_OK;
  }
  ghz_status status = ghz_file_seek(p->f, p->ctx, value);
  p->number = current->number;
  p->first = current->first;
  p->count = current->info.count;
  p->whole.shape = current->info.shape;
  return status;
}

static ghz_status damaged(const piece *p, const char *what) {
  return ghz_file_fail(p->f->name, GHZ_ECORRUPT, "damaged: frame %llu: %s", (ull)p->number, what);
}

/* What the context says of its failure. */
static ghz_status pass_on(const piece *p, ghz_status status) {
  return ghz_file_pass(p->f->name, p->number, p->ctx, status);
}

/* ---- Pages of a frame ------------------------------------------------------------------------ */

/* Reads pages as they are, in one read, and checks them. */
static ghz_status fetch_pages(const piece *p, packed_tiles *t) {
  memory *raw = &p->f->raw;
  const page_entry *first = p->f->index.pages + p->entry->page + t->first, *last = first + t->pages - 1;
  const size_t size = (size_t)(last->offset + last->bytes - first->offset);
  ghz_status status = memory_reserve(raw, size, p->f->name);
  if (status == GHZ_OK)
    status = ghz_source_read_at(&p->f->source, first->offset, raw->data, size);
  if (status != GHZ_OK)
    return status;
  t->sizes = (const uint8_t *)&first->bytes;
  t->bytes = (ghz_bytes){raw->data, size};
  for (const page_entry *e = first; e <= last; e++)
    if (ghz_checksum(raw->data + (e->offset - first->offset), e->bytes, 0) != e->checksum)
      return damaged(p, "the checksum of a page does not match");
  return GHZ_OK;
}

/* The tiles of pages, unpacked. */
static ghz_status read_tiles(const piece *p, packed_tiles *t, ghz_slice *some) {
  const uint64_t each = page_tiles(t->packed), first = t->first * each, end = first + t->pages * each,
                 tiles = (end < p->whole.tiles ? end : p->whole.tiles) - first;
  memory *m = &p->f->run;
  size_t size = 0;
  ghz_status status = fetch_pages(p, t);
  if (status == GHZ_OK)
    status = pass_on(p, ghz_tiles_size(p->ctx, t, &size));
  if (status == GHZ_OK && size > p->whole.payload_size)
    status = damaged(p, "the tiles of its pages have more bytes than its stream");
  if (status == GHZ_OK)
    status = memory_reserve(m, 2 * (size_t)tiles + size, p->f->name);
  if (status != GHZ_OK)
    return status;
  *some = p->whole;
  some->first = first;
  some->tiles = tiles;
  some->sizes = m->data;
  some->payload = m->data + 2 * tiles;
  some->payload_size = size;
  return pass_on(p, ghz_tiles_unpack_pages(p->ctx, t, m->data, m->data + 2 * tiles));
}

/* Decompresses what pages first .. end - 1 have of the box, a run at a time. */
static ghz_status decompress_pages(const piece *p, const array_box *box, void *dst, size_t first, size_t end) {
  packed_tiles t = {.stream = &p->whole,
                    .packed = (p->entry->flags & ENTRY_PACKED) != 0,
                    .first = first,
                    .stride = sizeof(page_entry)};
  ghz_status status = GHZ_OK;
  for (; t.first < end && status == GHZ_OK; t.first += t.pages) {
    ghz_slice some;
    t.pages = end - t.first < RUN_PAGES ? end - t.first : RUN_PAGES;
    status = read_tiles(p, &t, &some);
    if (status == GHZ_OK)
      status = pass_on(p, ghz_slice_decompress_box(p->ctx, &some, p->out, box, dst));
  }
  return status;
}

/* The pages of each line of tiles, in ascending order; those that follow each other in a row. */
static ghz_status decompress_box(const piece *p, const array_box *box, void *dst) {
  const tile_extent e = whole_tile(p->whole.shape.dims);
  const unsigned extent[3] = {e.z, e.y, e.x}, each = page_tiles((p->entry->flags & ENTRY_PACKED) != 0);
  uint64_t grid[3], from[3], to[3];
  bricks_along(&p->whole.shape, grid);
  for (int i = 0; i < 3; i++) {
    from[i] = box->origin[i] / extent[i];
    to[i] = (box->origin[i] + box->shape.extent[i] - 1) / extent[i];
  }
  size_t first = 0, end = 0;
  ghz_status status = GHZ_OK;
  for (uint64_t z = from[0]; z <= to[0]; z++)
    for (uint64_t y = from[1]; y <= to[1] && status == GHZ_OK; y++) {
      const uint64_t line = (z * grid[1] + y) * grid[2];
      const size_t begin = (size_t)((line + from[2]) / each);
      if (begin > end) {
        status = decompress_pages(p, box, dst, first, end);
        first = begin;
      }
      end = (size_t)((line + to[2]) / each + 1);
    }
  return status == GHZ_OK ? decompress_pages(p, box, dst, first, end) : status;
}

/* Decompresses a box of the frame. */
static ghz_status decompress(const piece *p, const array_box *box, void *dst) {
  if (p->entry)
    return decompress_box(p, box, dst);
  return pass_on(p,
                 ghz_decompress_box(p->ctx, p->f->current.stream, p->out, box->origin, box->shape.extent, dst));
}

/* The same to memory of the file. */
static ghz_status decompress_aside(const piece *p, const array_box *box) {
  memory *m = &p->f->region;
  ghz_status status = memory_reserve(m, (size_t)ghz_shape_count(&box->shape) * p->size, p->f->name);
  return status == GHZ_OK ? decompress(p, box, m->data) : status;
}

/* ---- Lines in a frame ------------------------------------------------------------------------ */

/* How far a box was read; a range is one of a single line. */
typedef struct lines_read {
  const file_box *box;
  uint64_t lines, line, done; /* the next one of so many, and how much of it is there already */
  uint64_t values;            /* of all that is there */
} lines_read;

static uint64_t next_value(const lines_read *l) {
  return line_begin(l->box, l->line) + l->done;
}

/* Passes what the frame holds of the next line: values *a to before *b, counted in the frame.
 * Returns 0 if that is nothing. */
static int next_run(const piece *p, lines_read *l, uint64_t *a, uint64_t *b) {
  const uint64_t values = line_values(l->box);
  if (l->line == l->lines)
    return 0;
  *a = next_value(l) - p->first;
  if (*a >= p->count)
    return 0;
  const uint64_t n = values - l->done < p->count - *a ? values - l->done : p->count - *a;
  *b = *a + n;
  l->values += n;
  l->done += n;
  if (l->done == values) {
    l->line++;
    l->done = 0;
  }
  return 1;
}

/* The least box of whole planes, lines of one plane, or values of one line that holds values a to
 * b - 1 of the frame. A line is one of the array that the user knows; neighbours of its dimensions
 * may be joined in the frame. */
static array_box box_of_run(const piece *p, uint64_t a, uint64_t b) {
  const uint64_t ny = p->whole.shape.extent[1], nx = p->whole.shape.extent[2];
  const int flat = p->whole.shape.dims == 1;
  const uint64_t z = flat ? 0 : a / nx / ny, y = flat ? 0 : a / nx % ny, x = flat ? a : a % nx;
  if (x + (b - a) <= nx)
    return (array_box){{z, y, x}, {p->whole.shape.dims, {1, 1, b - a}}};
  if (y * nx + x + (b - a) <= ny * nx)
    return (array_box){{z, y, 0}, {p->whole.shape.dims, {1, (b - 1) / nx - a / nx + 1, nx}}};
  return (array_box){{z, 0, 0}, {p->whole.shape.dims, {(b - 1) / nx / ny - z + 1, ny, nx}}};
}

/* Makes a box large enough for another one, too. */
static void join(array_box *box, const array_box *more) {
  for (int i = 0; i < 3; i++) {
    const uint64_t end = box->origin[i] + box->shape.extent[i], other = more->origin[i] + more->shape.extent[i];
    box->origin[i] = box->origin[i] < more->origin[i] ? box->origin[i] : more->origin[i];
    box->shape.extent[i] = (end > other ? end : other) - box->origin[i];
  }
}

/* Which value of the box is value a of the frame. */
static uint64_t place_in_box(const piece *p, const array_box *box, uint64_t a) {
  const uint64_t ny = p->whole.shape.extent[1], nx = p->whole.shape.extent[2], *extent = box->shape.extent;
  if (p->whole.shape.dims == 1)
    return a - box->origin[2];
  const uint64_t z = a / nx / ny - box->origin[0], y = a / nx % ny - box->origin[1],
                 x = a % nx - box->origin[2];
  return (z * extent[1] + y) * extent[2] + x;
}

/* Reads what the frame holds of the next lines; of a flat one, as far as they lie close
 * together. */
static ghz_status read_lines(const piece *p, lines_read *l, uint8_t *values) {
  lines_read end = *l, next = *l;
  uint64_t a, b, last = 0;
  array_box box = {0};
  for (; next_run(p, &next, &a, &b) && (last == 0 || p->whole.shape.dims > 1 || a - last <= GAP);
       end = next, last = b) {
    const array_box own = box_of_run(p, a, b);
    if (last == 0)
      box = own;
    join(&box, &own);
  }
  const int all = ghz_shape_count(&box.shape) == end.values - l->values;
  ghz_status status = all ? decompress(p, &box, values + l->values * p->size) : decompress_aside(p, &box);
  while (status == GHZ_OK && !all && l->values < end.values && next_run(p, l, &a, &b))
    memcpy(values + (l->values - (b - a)) * p->size, p->f->region.data + place_in_box(p, &box, a) * p->size,
           (size_t)(b - a) * p->size);
  *l = end;
  return status;
}

/* ---- The public calls ------------------------------------------------------------------------ */

static ghz_status read_all(piece *p, const file_box *box, void *values) {
  lines_read l = {.box = box, .lines = lines_of(box)};
  ghz_status status = GHZ_OK;
  if (l.lines > 0 && !values)
    return ghz_fail(NULL, GHZ_EINVAL, "values is NULL");
  while (status == GHZ_OK && l.line < l.lines) {
    status = take_frame(p, next_value(&l));
    if (status == GHZ_OK)
      status = read_lines(p, &l, values);
  }
  return status;
}

ghz_status ghz_file_read(ghz_file *f, ghz_context *ctx, ghz_type out, uint64_t first, size_t count,
                         void *values) {
  piece p;
  if (!f || (!values && count))
    return ghz_fail(NULL, GHZ_EINVAL, "%s is NULL", f ? "values" : "file");
  const ghz_status status = begin(&p, f, ctx, out);
  const uint64_t all = f->info.header.count;
  if (status == GHZ_OK && (first > all || count > all - first))
    return ghz_file_fail(f->name, GHZ_EINVAL, "values %llu .. +%zu of %llu", (ull)first, count, (ull)all);
  return status == GHZ_OK ? read_all(&p, &(file_box){1, {first}, {first + count}, {all}}, values) : status;
}

ghz_status ghz_file_read_box(ghz_file *f, ghz_context *ctx, ghz_type out, const uint64_t *from,
                             const uint64_t *to, void *values) {
  piece p;
  file_box box;
  if (!f || !from || !to)
    return ghz_fail(NULL, GHZ_EINVAL, "%s is NULL", !f ? "file" : from ? "to" : "from");
  ghz_status status = begin(&p, f, ctx, out);
  if (status == GHZ_OK)
    status = place_box(f->name, &f->info.header.array, from, to, &box);
  return status == GHZ_OK ? read_all(&p, &box, values) : status;
}
