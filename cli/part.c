/* part.c: owns which values of a compressed file are wanted, and takes them from its frames. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "part.h"

#include <string.h>

#include "report/library.h"
#include "report/report.h"

static bool begin_range(part *p, const options *o, const char *name, uint64_t total) {
  p->first = o->range_first;
  p->left = p->total = o->range_count;
  p->shape = (shape){.ndim = 0};
  return total == COUNT_UNKNOWN || (p->first <= total && p->left <= total - p->first) ||
         fail(name, "--range %llu:%llu is not inside its %llu values", (unsigned long long)p->first,
              (unsigned long long)p->left, (unsigned long long)total);
}

static bool begin_box(part *p, const options *o, const char *name, const shape *s) {
  p->box = o->box;
  if (!box_place(name, s, &p->box))
    return false;
  p->shape = box_shape(&p->box, s);
  shape_count(&p->shape, &p->total);
  return true;
}

bool part_begin(part *p, const options *o, const char *name, const frame_header *h) {
  *p = (part){.total = h->total, .left = COUNT_UNKNOWN, .shape = h->shape};
  if (o->range_given)
    return begin_range(p, o, name, h->total);
  return o->box.ndim == 0 || begin_box(p, o, name, &h->shape);
}

bool part_done(const part *p) {
  return p->box.ndim ? p->line == box_lines(&p->box) : p->left == 0;
}

bool part_in_frame(const part *p, uint64_t end) {
  return p->box.ndim ? !part_done(p) && box_line(&p->box, p->line) < end : p->first < end;
}

/* ---- Taking ---- */

/* Where and what to decompress, in a frame. */
typedef struct region {
  uint64_t origin[3], extent[3];
} region;

static bool decompress(ghz_context *ctx, const char *name, const frame *f, const region *r, ghz_type type,
                       buffer *values) {
  const size_t count = (size_t)(r->extent[0] * r->extent[1] * r->extent[2]);
  return buffer_reserve(values, count * ghz_type_size(type), name) &&
         library_ok(name, ctx,
                    ghz_decompress_box(ctx, frame_bytes(f), type, r->origin, r->extent, values->data));
}

/* The least region of whole planes, lines of one plane, or values of one line that holds values a
 * to b - 1 of a frame. *skip of its values come before a. */
static region region_of(const ghz_shape *s, uint64_t a, uint64_t b, uint64_t *skip) {
  const uint64_t x = s->extent[2], plane = s->extent[1] * x, last = b - 1;
  if (a / plane != last / plane) {
    *skip = a % plane;
    return (region){{a / plane, 0, 0}, {last / plane - a / plane + 1, s->extent[1], x}};
  }
  if (a / x != last / x) {
    *skip = a % x;
    return (region){{a / plane, a % plane / x, 0}, {1, last / x - a / x + 1, x}};
  }
  *skip = 0;
  return (region){{a / plane, a % plane / x, a % x}, {1, 1, b - a}};
}

static bool take_range(part *p, ghz_context *ctx, const char *name, const frame *f, uint64_t first,
                       ghz_type type, buffer *values, taken *t) {
  const uint64_t from = p->first - first, have = f->info.count - from;
  uint64_t skip;
  t->count = have < p->left ? have : p->left;
  const region r = region_of(&f->info.shape, from, from + t->count, &skip);
  p->first += t->count;
  p->left -= t->count;
  if (!decompress(ctx, name, f, &r, type, values))
    return false;
  t->data = values->data + skip * ghz_type_size(type);
  return true;
}

/* Moves `count` values of `size` bytes from place `at` behind those that are kept. */
static void keep(buffer *values, size_t *used, size_t at, size_t count, size_t size) {
  if (*used != at)
    memmove(values->data + *used * size, values->data + at * size, count * size);
  *used += count;
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* Lines p->line .. end - 1 of the box from a flat frame, which may begin and end inside a line. */
static bool take_from_flat(part *p, ghz_context *ctx, const char *name, const frame *f, uint64_t first,
                           ghz_type type, buffer *values, uint64_t end, size_t *used) {
  const uint64_t line = box_line_values(&p->box), frame_end = first + f->info.count;
  const uint64_t from = larger(box_line(&p->box, p->line), first);
  const uint64_t to = smaller(box_line(&p->box, end - 1) + line, frame_end);
  const region r = {{0, 0, from - first}, {1, 1, to - from}};
  if (!decompress(ctx, name, f, &r, type, values))
    return false;
  for (; p->line < end; p->line++) {
    const uint64_t begin = box_line(&p->box, p->line), a = larger(begin, from), b = smaller(begin + line, to);
    keep(values, used, (size_t)(a - from), (size_t)(b - a), ghz_type_size(type));
    if (begin + line > frame_end) /* the rest of the line is in the next frame */
      break;
  }
  return true;
}

/* The same from a frame of bricks, which holds whole lines. */
static bool take_from_bricks(part *p, ghz_context *ctx, const char *name, const frame *f, uint64_t first,
                             ghz_type type, buffer *values, uint64_t end, size_t *used) {
  const box *b = &p->box;
  const ghz_shape *s = &f->info.shape;
  const uint64_t x = s->extent[2], y = b->array[b->ndim - 2], line = box_line_values(b);
  const uint64_t frame_y = first / x % y, low = larger(b->from[b->ndim - 2], frame_y);
  const uint64_t high = smaller(b->to[b->ndim - 2], frame_y + s->extent[1]);
  const uint64_t plane = box_line(b, p->line) / x / y, last = box_line(b, end - 1) / x / y;
  const region r = {{plane - first / x / y, low - frame_y, b->from[b->ndim - 1]},
                    {last - plane + 1, high - low, line}};
  if (!decompress(ctx, name, f, &r, type, values))
    return false;
  for (; p->line < end; p->line++) {
    const uint64_t at = box_line(b, p->line) / x;
    keep(values, used, (size_t)(((at / y - plane) * (high - low) + at % y - low) * line), (size_t)line,
         ghz_type_size(type));
  }
  return true;
}

bool part_take(part *p, ghz_context *ctx, const char *name, const frame *f, uint64_t first, ghz_type type,
               buffer *values, taken *t) {
  if (p->box.ndim == 0) {
    bool ok = take_range(p, ctx, name, f, first, type, values, t);
    t->bytes = (size_t)t->count * ghz_type_size(type);
    return ok;
  }
  size_t used = 0;
  const uint64_t end = box_lines_before(&p->box, first + f->info.count);
  bool ok = (f->info.shape.dims == 1 ? take_from_flat : take_from_bricks)(p, ctx, name, f, first, type, values,
                                                                          end, &used);
  *t = (taken){values->data, used * ghz_type_size(type), used};
  return ok;
}
