/* read_range.c: owns reading ranges and boxes of the array, frame by frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "file/errors.h"
#include "file/header.h"
#include "file/reader/reader.h"

/* From from[i] to before to[i], slowest first, of an array of these extents. */
typedef struct file_box {
  unsigned ndim;
  uint64_t from[GHZ_FILE_NDIM], to[GHZ_FILE_NDIM], array[GHZ_FILE_NDIM];
} file_box;

/* ---- The lines of a box ---------------------------------------------------------------------- */

static ghz_status ghz_box_place(const char *name, const ghz_array *array, const uint64_t *from,
                                const uint64_t *to, file_box *b) {
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
static uint64_t ghz_box_lines(const file_box *b) {
  uint64_t lines = b->to[b->ndim - 1] > b->from[b->ndim - 1];
  for (unsigned i = 0; i + 1 < b->ndim; i++)
    lines *= b->to[i] - b->from[i];
  return lines;
}

static uint64_t ghz_box_line_values(const file_box *b) {
  return b->to[b->ndim - 1] - b->from[b->ndim - 1];
}

static uint64_t ghz_box_line(const file_box *b, uint64_t line) {
  uint64_t value = b->from[b->ndim - 1], stride = b->array[b->ndim - 1];
  for (unsigned i = b->ndim - 1; i-- > 0;) {
    const uint64_t extent = b->to[i] - b->from[i];
    value += (b->from[i] + line % extent) * stride;
    line /= extent;
    stride *= b->array[i];
  }
  return value;
}

/* The lines that begin before a value of the array. */
static uint64_t ghz_box_lines_before(const file_box *b, uint64_t value) {
  uint64_t low = 0, high = ghz_box_lines(b); /* lines below `low` begin before, from `high` on they do not */
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (ghz_box_line(b, middle) < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

#define GAP 65536 /* values between lines of a box: reading them, too, costs less than a read more */

/* What a call wants, and the frame that is at hand. */
typedef struct piece {
  ghz_file *f;
  ghz_context *ctx;
  ghz_type out;
  size_t size;              /* bytes of a value */
  const frame_entry *entry; /* NULL: the current frame of a file without an index */
  uint64_t first, count;
  ghz_shape shape;
} piece;

static ghz_status begin(piece *p, ghz_file *f, ghz_context *ctx, ghz_type out) {
  *p = (piece){.f = f, .ctx = ctx, .out = out, .size = ghz_type_size(out)};
  const char *wrong = ghz_not_decompressed(&f->info.header.lattice, out);
  return wrong ? ghz_file_fail(f->name, GHZ_EINVAL, "%s", wrong) : GHZ_OK;
}

/* Takes the frame that holds a value. */
static ghz_status take_frame(piece *p, uint64_t value) {
  ghz_file *f = p->f;
  if (f->info.indexed) {
    p->entry = ghz_index_find(&f->index, value);
    p->first = p->entry->first;
    p->count = p->entry->values;
    ghz_layout_frame(&f->info.header, p->first, p->count, &p->shape);
    return GHZ_OK;
  }
  ghz_status status = ghz_file_seek(f, p->ctx, value);
  p->first = f->current.first;
  p->count = f->current.info.count;
  p->shape = f->current.info.shape;
  return status;
}

/* Decompresses a box of the frame. */
static ghz_status decompress(const piece *p, const array_box *box, void *dst) {
  ghz_file *f = p->f;
  if (p->entry)
    return ghz_window_decompress(f, p->ctx, p->entry, &p->shape, p->out, box, dst);
  return ghz_file_pass(
      f->name, f->current.number, p->ctx,
      ghz_decompress_box(p->ctx, f->current.stream, p->out, box->origin, box->shape.extent, dst));
}

/* The same to memory of the file. */
static ghz_status decompress_aside(const piece *p, const array_box *box) {
  memory *m = &p->f->region;
  ghz_status status = memory_reserve(m, (size_t)ghz_shape_count(&box->shape) * p->size, p->f->name);
  return status == GHZ_OK ? decompress(p, box, m->data) : status;
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

static array_box box_of(const piece *p, uint64_t z, uint64_t y, uint64_t x, uint64_t nz, uint64_t ny,
                        uint64_t nx) {
  return (array_box){{z, y, x}, {p->shape.dims, {nz, ny, nx}}};
}

/* The least box of whole planes, lines of one plane, or values of one line that holds values a to
 * b - 1 of the frame. *skip of its values come before a. */
static array_box box_of_range(const piece *p, uint64_t a, uint64_t b, uint64_t *skip) {
  const uint64_t x = p->shape.extent[2], plane = p->shape.extent[1] * x, last = b - 1;
  if (a / plane != last / plane) {
    *skip = a % plane;
    return box_of(p, a / plane, 0, 0, last / plane - a / plane + 1, p->shape.extent[1], x);
  }
  if (a / x != last / x) {
    *skip = a % x;
    return box_of(p, a / plane, a % plane / x, 0, 1, last / x - a / x + 1, x);
  }
  *skip = 0;
  return box_of(p, a / plane, a % plane / x, a % x, 1, 1, b - a);
}

/* Values a to b - 1 of the frame. */
static ghz_status read_of_frame(const piece *p, uint64_t a, uint64_t b, void *to) {
  uint64_t skip;
  const array_box box = box_of_range(p, a, b, &skip);
  if (ghz_shape_count(&box.shape) == b - a)
    return decompress(p, &box, to);
  ghz_status status = decompress_aside(p, &box);
  if (status == GHZ_OK)
    memcpy(to, p->f->region.data + skip * p->size, (size_t)(b - a) * p->size);
  return status;
}

ghz_status ghz_file_read(ghz_file *f, ghz_context *ctx, ghz_type out, uint64_t first, size_t count,
                         void *values) {
  piece p;
  if (!f || (!values && count))
    return ghz_fail(NULL, GHZ_EINVAL, "%s is NULL", f ? "values" : "file");
  ghz_status status = begin(&p, f, ctx, out);
  const uint64_t all = f->info.header.count;
  if (status == GHZ_OK && all != GHZ_FILE_UNKNOWN && (first > all || count > all - first))
    status = ghz_file_fail(f->name, GHZ_EINVAL, "values %llu .. +%zu of %llu", (ull)first, count, (ull)all);
  for (uint8_t *to = values; status == GHZ_OK && count > 0;) {
    status = take_frame(&p, first);
    if (status != GHZ_OK)
      break;
    const uint64_t a = first - p.first, left = p.count - a, n = left < count ? left : count;
    status = read_of_frame(&p, a, a + n, to);
    first += n;
    count -= (size_t)n;
    to += n * p.size;
  }
  return status;
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

/* How far a box was read. */
typedef struct lines_read {
  file_box box;
  uint64_t line, done; /* the next line, and how much of it is there already */
  uint8_t *to;
} lines_read;

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t next_value(const lines_read *b) {
  return ghz_box_line(&b->box, b->line) + b->done;
}

/* Values of the lines from the next one on, as far as they lie close together in a flat frame. A
 * frame may begin and end inside a line. */
static uint64_t end_of_group(const lines_read *b, uint64_t frame_end, uint64_t *line) {
  const uint64_t lines = ghz_box_lines(&b->box), values = ghz_box_line_values(&b->box);
  uint64_t end = ghz_box_line(&b->box, b->line) + values;
  for (*line = b->line + 1; *line < lines && end < frame_end; ++*line) {
    const uint64_t begin = ghz_box_line(&b->box, *line);
    if (begin >= frame_end || begin - end > GAP)
      break;
    end = begin + values;
  }
  return smaller(end, frame_end);
}

/* Copies the lines up to `line` from values from .. to - 1 of the array. */
static void copy_group(const piece *p, lines_read *b, uint64_t from, uint64_t to, uint64_t line) {
  const uint64_t values = ghz_box_line_values(&b->box);
  for (; b->line < line; b->line++) {
    const uint64_t begin = next_value(b), end = smaller(begin - b->done + values, to);
    memcpy(b->to, p->f->region.data + (begin - from) * p->size, (size_t)(end - begin) * p->size);
    b->to += (end - begin) * p->size;
    b->done += end - begin;
    if (b->done < values) /* the rest of the line is in the next frame */
      return;
    b->done = 0;
  }
}

static ghz_status read_from_flat(const piece *p, lines_read *b) {
  uint64_t line;
  const uint64_t from = next_value(b), to = end_of_group(b, p->first + p->count, &line);
  const array_box box = box_of(p, 0, 0, from - p->first, 1, 1, to - from);
  ghz_status status = decompress_aside(p, &box);
  if (status == GHZ_OK)
    copy_group(p, b, from, to, line);
  return status;
}

/* The coordinates of a value in a frame of bricks, whose lines are those of the array. */
static void coordinates(const piece *p, uint64_t value, uint64_t at[3]) {
  const uint64_t *extent = p->shape.extent, from = value - p->first;
  at[0] = from / extent[2] / extent[1];
  at[1] = from / extent[2] % extent[1];
  at[2] = from % extent[2];
}

/* The least box of a frame that holds the next lines up to `end`. A line is one of the array that
 * the user knows; neighbours of its dimensions may be joined in the frame. */
static array_box box_of_lines(const piece *p, const lines_read *b, uint64_t end) {
  uint64_t low[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX}, high[3] = {0, 0, 0}, at[3];
  for (uint64_t line = b->line; line < end; line++) {
    coordinates(p, ghz_box_line(&b->box, line), at);
    for (int i = 0; i < 3; i++) {
      low[i] = smaller(low[i], at[i]);
      high[i] = larger(high[i], at[i] + (i == 2 ? ghz_box_line_values(&b->box) : 1));
    }
  }
  return box_of(p, low[0], low[1], low[2], high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

/* From a frame of bricks, which holds whole lines. */
static ghz_status read_from_bricks(const piece *p, lines_read *b) {
  const uint64_t end = ghz_box_lines_before(&b->box, p->first + p->count),
                 values = ghz_box_line_values(&b->box);
  const array_box box = box_of_lines(p, b, end);
  const uint64_t *extent = box.shape.extent, kept = (end - b->line) * values;
  const int all = ghz_shape_count(&box.shape) == kept;
  ghz_status status = all ? decompress(p, &box, b->to) : decompress_aside(p, &box);
  for (uint64_t line = b->line; status == GHZ_OK && !all && line < end; line++) {
    uint64_t at[3];
    coordinates(p, ghz_box_line(&b->box, line), at);
    const uint64_t place =
        ((at[0] - box.origin[0]) * extent[1] + at[1] - box.origin[1]) * extent[2] + at[2] - box.origin[2];
    memcpy(b->to + (line - b->line) * values * p->size, p->f->region.data + place * p->size,
           (size_t)values * p->size);
  }
  b->to += kept * p->size;
  b->line = end;
  return status;
}

ghz_status ghz_file_read_box(ghz_file *f, ghz_context *ctx, ghz_type out, const uint64_t *from,
                             const uint64_t *to, void *values) {
  piece p;
  lines_read b = {.to = values};
  if (!f || !from || !to)
    return ghz_fail(NULL, GHZ_EINVAL, "%s is NULL", !f ? "file" : from ? "to" : "from");
  ghz_status status = begin(&p, f, ctx, out);
  if (status == GHZ_OK)
    status = ghz_box_place(f->name, &f->info.header.array, from, to, &b.box);
  const uint64_t lines = status == GHZ_OK ? ghz_box_lines(&b.box) : 0;
  if (lines > 0 && !values)
    return ghz_fail(NULL, GHZ_EINVAL, "values is NULL");
  while (status == GHZ_OK && b.line < lines) {
    status = take_frame(&p, next_value(&b));
    if (status == GHZ_OK)
      status = p.shape.dims == 1 ? read_from_flat(&p, &b) : read_from_bricks(&p, &b);
  }
  return status;
}
