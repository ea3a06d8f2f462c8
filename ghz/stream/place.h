/* place.h: where the tiles of an array lie in it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_PLACE_H
#define GHZ_PLACE_H

#include "tile/tile.h"

/* Where a value lies: values from the first one on. */
static inline uint64_t offset_of(const ghz_shape *s, const uint64_t at[3]) {
  return (at[0] * s->extent[1] + at[1]) * s->extent[2] + at[2];
}

/* A part of the array's memory. */
static inline tile_place place_in(const ghz_shape *array, const tile_extent *e) {
  return (tile_place){*e, array->extent[2], array->extent[1] * array->extent[2]};
}

/* A tile that is at hand, and the way to the next one, without a division for each. */
typedef struct tile_walk {
  const ghz_shape *shape;
  uint64_t origin[3]; /* z, y, x of its first value */
  tile_extent extent, whole;
} tile_walk;

static inline tile_walk walk_from(const ghz_shape *s, uint64_t tile) {
  tile_walk w = {.shape = s, .whole = whole_tile(s->dims)};
  tile_origin(s, tile, w.origin);
  w.extent = tile_extent_at(s, w.origin);
  return w;
}

/* To a tile that a border may cut: the last one of its line, or the first one of the next. */
__attribute__((noinline)) static void walk_to_border(tile_walk *w) {
  const uint64_t *end = w->shape->extent;
  if (w->origin[2] >= end[2] && w->shape->dims != 1) {
    w->origin[2] = 0;
    w->origin[1] += w->whole.y;
    if (w->origin[1] >= end[1]) {
      w->origin[1] = 0;
      w->origin[0] += w->whole.z;
    }
  }
  w->extent = tile_extent_at(w->shape, w->origin);
}

/* Behind the last tile the place is none. */
static inline void walk_on(tile_walk *w) {
  w->origin[2] += w->whole.x;
  if (w->origin[2] + w->whole.x > w->shape->extent[2])
    walk_to_border(w);
}

#endif
