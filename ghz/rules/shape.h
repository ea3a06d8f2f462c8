/* shape.h: shapes of arrays, and the tiles that they are cut into (FORMAT.md, "Shape"). In the
 * common subset of C and CUDA C++. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_RULES_SHAPE_H
#define GHZ_RULES_SHAPE_H

#include "rules/rules.h"

/* What of a tile lies inside the array: n = z * y * x values. Flat: z = y = 1. */
typedef struct tile_extent {
  unsigned dims, n, z, y, x;
} tile_extent;

/* ---- Arrays ---------------------------------------------------------------------------------- */

/* Number of values; 0 also where that overflows, which *overflow says. */
GHZ_RULE uint64_t shape_product(const uint64_t extent[3], int *overflow) {
  const uint64_t z = extent[0], y = extent[1], x = extent[2];
  *overflow = 0;
  if (z == 0 || y == 0 || x == 0)
    return 0;
  *overflow = y > UINT64_MAX / x || z > UINT64_MAX / (y * x);
  return *overflow ? 0 : z * y * x;
}

GHZ_RULE int dims_known(int dims) {
  return dims >= 1 && dims <= 3;
}

GHZ_RULE int shape_valid(const ghz_shape *s) {
  int overflow;
  shape_product(s->extent, &overflow);
  return dims_known(s->dims) && !overflow && (s->dims != 1 || (s->extent[0] == 1 && s->extent[1] == 1));
}

GHZ_RULE int shapes_equal(const ghz_shape *a, const ghz_shape *b) {
  return a->dims == b->dims && a->extent[0] == b->extent[0] && a->extent[1] == b->extent[1] &&
         a->extent[2] == b->extent[2];
}

/* Everything below takes valid shapes. */
GHZ_RULE uint64_t shape_count(const ghz_shape *s) {
  return s->extent[0] * s->extent[1] * s->extent[2];
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* A tile that no border cuts. */
GHZ_RULE tile_extent whole_tile(int dims) {
  tile_extent e = {(unsigned)dims, TILE, 1, 1, TILE};
  if (dims == 2)
    e.y = e.x = 32;
  if (dims == 3)
    e.z = e.y = 8, e.x = 16;
  return e;
}

GHZ_RULE uint64_t pieces_of(uint64_t extent, unsigned piece) {
  return extent / piece + (extent % piece != 0);
}

/* Tiles along z, y and x. */
GHZ_RULE void bricks_along(const ghz_shape *s, uint64_t grid[3]) {
  const tile_extent e = whole_tile(s->dims);
  grid[0] = pieces_of(s->extent[0], e.z);
  grid[1] = pieces_of(s->extent[1], e.y);
  grid[2] = pieces_of(s->extent[2], e.x);
}

GHZ_RULE uint64_t shape_tiles(const ghz_shape *s) {
  uint64_t grid[3];
  bricks_along(s, grid);
  return grid[0] * grid[1] * grid[2];
}

/* Where the first value of a tile lies in the array: z, y, x. */
GHZ_RULE void tile_origin(const ghz_shape *s, uint64_t tile, uint64_t origin[3]) {
  const tile_extent e = whole_tile(s->dims);
  uint64_t grid[3];
  if (s->dims == 1) {
    origin[0] = origin[1] = 0;
    origin[2] = tile * TILE;
    return;
  }
  bricks_along(s, grid);
  const uint64_t line = tile / grid[2];
  origin[0] = line / grid[1] * e.z;
  origin[1] = line % grid[1] * e.y;
  origin[2] = tile % grid[2] * e.x;
}

GHZ_RULE unsigned inside(uint64_t extent, uint64_t origin, unsigned whole) {
  return extent - origin < whole ? (unsigned)(extent - origin) : whole;
}

/* The extent of the tile that begins there. */
GHZ_RULE tile_extent tile_extent_at(const ghz_shape *s, const uint64_t origin[3]) {
  tile_extent e = whole_tile(s->dims);
  e.z = inside(s->extent[0], origin[0], e.z);
  e.y = inside(s->extent[1], origin[1], e.y);
  e.x = inside(s->extent[2], origin[2], e.x);
  e.n = e.z * e.y * e.x;
  return e;
}

GHZ_RULE tile_extent tile_extent_of(const ghz_shape *s, uint64_t tile) {
  uint64_t origin[3];
  tile_origin(s, tile, origin);
  return tile_extent_at(s, origin);
}

/* Values in the tiles before this one; `tile` may be the number of tiles. */
GHZ_RULE uint64_t values_before(const ghz_shape *s, uint64_t tile) {
  uint64_t at[3];
  if (tile >= shape_tiles(s))
    return shape_count(s);
  tile_origin(s, tile, at);
  const tile_extent e = tile_extent_at(s, at);
  return (at[0] * s->extent[1] + e.z * at[1]) * s->extent[2] + (uint64_t)e.z * e.y * at[2];
}

/* Blocks with a value inside. */
GHZ_RULE unsigned blocks_inside(const tile_extent *e) {
  return e->z * e->y * ((e->x + BLOCK - 1) / BLOCK);
}

/* The largest tile of this extent in a stream of so many terms; fresh: as compression writes it. */
GHZ_RULE unsigned extent_bound(ghz_type type, const tile_extent *e, uint32_t terms, int fresh) {
  const int flat = e->dims == 1;
  const unsigned raw = fresh_bound(type, e->n),
                 lattice =
                     lattice_bound(type, blocks_inside(e), orders_of(flat ? 1 : 3), flat ? 16 : 8, terms) +
                     (!flat && e->n >= COEFFICIENT_VALUES ? coefficients_bound(terms) : 0);
  return fresh || raw > lattice ? raw : lattice;
}

#endif
