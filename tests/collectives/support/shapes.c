/* shapes.c: shapes for calls: on both sides of the borders of bricks, thin and long. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "shapes.h"
#include "suite.h"

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* No values, but extents. */
static ghz_shape empty_shape(uint64_t *d, int dims) {
  ghz_shape s = {dims, {5, 40, 100}};
  s.extent[draw_below(d, 3)] = 0;
  return s;
}

ghz_shape shape_draw(uint64_t *d, int dims, uint64_t count) {
  static const uint64_t xs[] = {64, 16, 17, 33, 1, 100, 7, 32}, ys[] = {40, 8, 9, 1, 32, 33, 5, 64};
  if (dims == 1)
    return ghz_flat(count);
  if (count == 0)
    return empty_shape(d, dims);
  uint64_t x = least(xs[draw_below(d, 8)], count), y = least(ys[draw_below(d, 8)], count / x),
           z = count / (x * y);
  return draw_below(d, 6) ? (ghz_shape){dims, {z, y, x}} : (ghz_shape){dims, {least(z, y), x, z > y ? z : y}};
}

uint64_t shape_tile(const ghz_shape *s, uint64_t i) {
  static const uint64_t bricks[4][3] = {{0}, {1, 1, 1024}, {1, 32, 32}, {8, 8, 16}};
  const uint64_t *e = s->extent, *b = bricks[s->dims];
  uint64_t x = i % e[2], y = i / e[2] % e[1], z = i / e[2] / e[1];
  return ((z / b[0]) * ((e[1] + b[1] - 1) / b[1]) + y / b[1]) * ((e[2] + b[2] - 1) / b[2]) + x / b[2];
}
