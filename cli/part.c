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

static bool decompress(const frame_source *s, const region *r) {
  const size_t count = (size_t)(r->extent[0] * r->extent[1] * r->extent[2]);
  return buffer_reserve(s->values, count * ghz_type_size(s->type), s->name) &&
         library_ok(
             s->name, s->ctx,
             ghz_decompress_box(s->ctx, frame_bytes(s->frame), s->type, r->origin, r->extent, s->values->data));
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

static bool take_range(part *p, const frame_source *s, taken *t) {
  const uint64_t from = p->first - s->first, have = s->frame->info.count - from;
  const uint64_t count = have < p->left ? have : p->left;
  uint64_t skip;
  const region r = region_of(&s->frame->info.shape, from, from + count, &skip);
  const size_t size = ghz_type_size(s->type);
  p->first += count;
  p->left -= count;
  if (!decompress(s, &r))
    return false;
  *t = (taken){s->values->data + skip * size, (size_t)count * size, count};
  return true;
}

/* ---- Taking lines of a box ---- */

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* Moves `count` values from place `at` of the buffer behind those that are kept. */
static void keep(const frame_source *s, size_t *kept, size_t at, size_t count) {
  const size_t size = ghz_type_size(s->type);
  if (*kept != at)
    memmove(s->values->data + *kept * size, s->values->data + at * size, count * size);
  *kept += count;
}

/* Lines p->line .. end - 1 from a flat frame, which may begin and end inside a line. */
static bool take_from_flat(part *p, const frame_source *s, uint64_t end, size_t *kept) {
  const uint64_t line = box_line_values(&p->box), frame_end = s->first + s->frame->info.count;
  const uint64_t from = larger(box_line(&p->box, p->line), s->first);
  const uint64_t to = smaller(box_line(&p->box, end - 1) + line, frame_end);
  const region r = {{0, 0, from - s->first}, {1, 1, to - from}};
  if (!decompress(s, &r))
    return false;
  for (; p->line < end; p->line++) {
    const uint64_t begin = box_line(&p->box, p->line), a = larger(begin, from), b = smaller(begin + line, to);
    keep(s, kept, (size_t)(a - from), (size_t)(b - a));
    if (begin + line > frame_end) /* the rest of the line is in the next frame */
      break;
  }
  return true;
}

/* The coordinates of a value in a frame of bricks, whose lines are those of the array. */
static void coordinates(const frame_source *s, uint64_t value, uint64_t at[3]) {
  const uint64_t *extent = s->frame->info.shape.extent, from = value - s->first;
  at[0] = from / extent[2] / extent[1];
  at[1] = from / extent[2] % extent[1];
  at[2] = from % extent[2];
}

/* The least region of a frame that holds the lines p->line .. end - 1 of a box. A line is one of
 * the array that the user knows; neighbours of its dimensions may be joined in the frame. */
static region region_of_lines(const part *p, const frame_source *s, uint64_t end) {
  uint64_t low[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX}, high[3] = {0, 0, 0}, at[3];
  for (uint64_t line = p->line; line < end; line++) {
    coordinates(s, box_line(&p->box, line), at);
    for (int i = 0; i < 3; i++) {
      low[i] = smaller(low[i], at[i]);
      high[i] = larger(high[i], at[i] + (i == 2 ? box_line_values(&p->box) : 1));
    }
  }
  return (region){{low[0], low[1], low[2]}, {high[0] - low[0], high[1] - low[1], high[2] - low[2]}};
}

/* The same from a frame of bricks, which holds whole lines. */
static bool take_from_bricks(part *p, const frame_source *s, uint64_t end, size_t *kept) {
  const uint64_t line = box_line_values(&p->box);
  const region r = region_of_lines(p, s, end);
  if (!decompress(s, &r))
    return false;
  for (; p->line < end; p->line++) {
    uint64_t at[3];
    coordinates(s, box_line(&p->box, p->line), at);
    for (int i = 0; i < 3; i++)
      at[i] -= r.origin[i];
    keep(s, kept, (size_t)((at[0] * r.extent[1] + at[1]) * r.extent[2] + at[2]), (size_t)line);
  }
  return true;
}

static bool take_box(part *p, const frame_source *s, taken *t) {
  size_t kept = 0;
  const uint64_t end = box_lines_before(&p->box, s->first + s->frame->info.count);
  if (!(s->frame->info.shape.dims == 1 ? take_from_flat : take_from_bricks)(p, s, end, &kept))
    return false;
  *t = (taken){s->values->data, kept * ghz_type_size(s->type), kept};
  return true;
}

bool part_take(part *p, const frame_source *s, taken *t) {
  return (p->box.ndim ? take_box : take_range)(p, s, t);
}
