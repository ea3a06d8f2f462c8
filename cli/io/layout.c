/* layout.c: owns how an array is cut into frames: flat, into whole planes, or into rows of a
 * plane. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout.h"

enum { CUBE_Z = 8, PLANE_Y = 32 }; /* extents of bricks that frames may not cut */

/* The product, or more than any frame holds. */
static uint64_t product(uint64_t a, uint64_t b) {
  uint64_t p;
  return __builtin_mul_overflow(a, b, &p) || p > FRAME_VALUES_MAX ? FRAME_VALUES_MAX + 1 : p;
}

/* The fewest values that a frame of whole planes, or of rows, may hold. */
static uint64_t plane_step(const ghz_shape *s) {
  return product(product(s->extent[1], s->extent[2]), s->dims == 3 ? CUBE_Z : 1);
}

static uint64_t row_step(const ghz_shape *s) {
  return s->dims == 2 ? product(PLANE_Y, s->extent[2]) : FRAME_VALUES_MAX + 1;
}

static uint64_t round_down(uint64_t values, uint64_t step) {
  return values < step ? step : values / step * step;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* Frames of whole planes where one fits in `values`, or where rows would not fit in a frame. */
static uint64_t choose_frame(const ghz_shape *s, uint64_t values) {
  const uint64_t planes = plane_step(s), rows = row_step(s);
  if (planes <= values || rows > FRAME_VALUES_MAX || (planes <= FRAME_VALUES_MAX && rows >= planes))
    return planes <= FRAME_VALUES_MAX ? round_down(values, planes) : 0;
  return round_down(values, rows);
}

ghz_shape shape_of_memory(const shape *s, uint64_t count, bool flat) {
  uint64_t extents[SHAPE_MAX];
  ghz_shape made;
  shape_in_memory(s, extents);
  return !flat && s->ndim > 1 && ghz_shape_make(s->ndim, extents, &made) == GHZ_OK ? made : ghz_flat(count);
}

layout layout_choose(const shape *s, uint64_t count, bool flat, uint64_t values) {
  layout l = {shape_of_memory(s, count, flat), values};
  if (l.array.dims == 3 && plane_step(&l.array) > FRAME_VALUES_MAX)
    l.array.dims = 2;
  if (l.array.dims != 1)
    l.frame_values = choose_frame(&l.array, values);
  return l.frame_values ? l : (layout){ghz_flat(count), values};
}

/* ---- Checking -------------------------------------------------------------------------------- */

static bool flat_valid(uint64_t values) {
  return values > 0 && values % GHZ_CHUNK == 0 && values <= FRAME_VALUES_MAX;
}

static bool bricks_valid(const ghz_shape *s, uint64_t values) {
  const uint64_t planes = plane_step(s), rows = row_step(s);
  if (values == 0 || values > FRAME_VALUES_MAX || planes == 0)
    return false;
  return values % planes == 0 || (values < planes && values % rows == 0);
}

bool layout_of(const shape *s, int dims, uint64_t total, uint64_t frame_values, layout *l) {
  *l = (layout){ghz_flat(total), frame_values};
  if (dims == 1)
    return flat_valid(frame_values);
  l->array = shape_of_memory(s, total, false);
  if (l->array.dims == 1)
    return false;
  l->array.dims = dims;
  return bricks_valid(&l->array, frame_values);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* The part that begins at `at` of an extent of `all`, cut into parts of `part`. */
static uint64_t part_of(uint64_t all, uint64_t at, uint64_t part) {
  return all - at < part ? all - at : part;
}

ghz_shape layout_whole_frame(const layout *l) {
  const uint64_t *n = l->array.extent, plane = n[1] * n[2];
  if (l->array.dims == 1)
    return ghz_flat(l->frame_values);
  if (l->frame_values % plane == 0)
    return (ghz_shape){l->array.dims, {l->frame_values / plane, n[1], n[2]}};
  return (ghz_shape){l->array.dims, {1, l->frame_values / n[2], n[2]}};
}

ghz_shape layout_frame(const layout *l, uint64_t first) {
  const uint64_t *n = l->array.extent, plane = n[1] * n[2];
  ghz_shape f = layout_whole_frame(l);
  if (f.dims == 1) {
    f.extent[2] = part_of(n[2], first, f.extent[2]);
    return f;
  }
  f.extent[0] = part_of(n[0], first / plane, f.extent[0]);
  f.extent[1] = part_of(n[1], first % plane / n[2], f.extent[1]);
  return f;
}

const char *layout_text(const layout *l) {
  static const char *const names[] = {"flat", "bricks of 1x32x32", "bricks of 8x8x16"};
  return names[l->array.dims - 1];
}

const char *layout_reason(const layout *l, const shape *s, bool flat) {
  const ghz_shape whole = shape_of_memory(s, 0, false);
  if (l->array.dims == 3)
    return "";
  if (l->array.dims == whole.dims && whole.dims == 2)
    return "";
  if (whole.dims == 3 && l->array.dims == 2)
    return "8 planes have more than 2^26 values";
  if (flat)
    return "--flat";
  if (s->ndim < 2)
    return s->ndim == 0 ? "no shape is known; --dims gives it" : "one dimension";
  return whole.dims == 1 ? "its dimensions are too small for bricks" : "a plane has more than 2^26 values";
}
