/* shape.c: shapes of arrays: from any number of extents to what tiles cut well. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "rules/shape.h"

#include "context/context.h"

ghz_shape ghz_flat(uint64_t n) {
  return (ghz_shape){1, {1, 1, n}};
}

int ghz_shape_equal(const ghz_shape *a, const ghz_shape *b) {
  return a && b && shapes_equal(a, b);
}

uint64_t ghz_shape_count(const ghz_shape *shape) {
  return shape && shape_valid(shape) ? shape_count(shape) : 0;
}

uint64_t ghz_shape_tiles(const ghz_shape *shape) {
  return shape && shape_valid(shape) ? shape_tiles(shape) : 0;
}

/* The product of extents, 0 if one of them is 0. Returns 0 if it overflows. */
static int multiply(size_t count, const uint64_t *extents, uint64_t *product) {
  int fits = 1;
  *product = 1;
  for (size_t i = 0; i < count; i++)
    if (extents[i] == 0) {
      *product = 0;
      return 1;
    }
  for (size_t i = 0; i < count && fits; i++)
    fits = !__builtin_mul_overflow(*product, extents[i], product);
  return fits;
}

/* Multiplies the fastest extents that are left until the product is at least `least`. */
static uint64_t join(size_t *left, const uint64_t *extents, uint64_t least) {
  uint64_t product = 1;
  while (*left > 0 && product < least)
    product *= extents[--*left];
  return product;
}

/* Joins extents to z, y and x that bricks can fill, from the fastest on. None of them is 0, so the
 * products fit where that of all does. */
static void fold(size_t rank, const uint64_t *extents, uint64_t folded[3]) {
  const tile_extent cube = whole_tile(3), plane = whole_tile(2);
  size_t left = rank;
  folded[2] = join(&left, extents, cube.x);
  folded[1] = join(&left, extents, cube.y);
  folded[0] = join(&left, extents, UINT64_MAX);
  if (folded[0] < cube.z && folded[1] < plane.y / 2) {
    folded[1] *= folded[0];
    folded[0] = 1;
  }
}

/* The bricks for extents: whole ones at least along z, y and x, or half ones of a plane. */
static int choose_dims(const uint64_t extent[3]) {
  const tile_extent cube = whole_tile(3), plane = whole_tile(2);
  if (extent[0] >= cube.z && extent[1] >= cube.y && extent[2] >= cube.x)
    return 3;
  return extent[1] >= plane.y / 2 && extent[2] >= plane.x / 2 ? 2 : 1;
}

ghz_status ghz_shape_make(size_t rank, const uint64_t *extents, ghz_shape *shape) {
  uint64_t n;
  if (rank == 0 || !extents || !shape)
    return ghz_fail(NULL, GHZ_EINVAL, rank ? "extents or shape is NULL" : "rank 0: must be above 0");
  if (!multiply(rank, extents, &n))
    return ghz_fail(NULL, GHZ_EINVAL, "%zu extents: 2^64 values or more", rank);
  *shape = ghz_flat(n);
  if (n == 0)
    return GHZ_OK;
  fold(rank, extents, shape->extent);
  shape->dims = choose_dims(shape->extent);
  if (shape->dims == 1)
    *shape = ghz_flat(n);
  return GHZ_OK;
}
