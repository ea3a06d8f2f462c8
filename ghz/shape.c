/* shape.c: shapes of arrays, and how large their streams and messages may become. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "rules/shape.h"

#include "lattice.h"
#include "stream.h"

/* ---- Shapes ---------------------------------------------------------------------------------- */

ghz_shape ghz_flat(uint64_t n) {
  return (ghz_shape){1, {1, 1, n}};
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

/* ---- Sizes ----------------------------------------------------------------------------------- */

static int add_product(size_t *total, uint64_t count, uint64_t each) {
  size_t bytes;
  return !__builtin_mul_overflow(count, each, &bytes) && !__builtin_add_overflow(*total, bytes, total);
}

size_t ghz_stream_index_size(uint64_t tiles) {
  size_t size = STREAM_HEADER;
  return add_product(&size, chunks_of(tiles), 8) && add_product(&size, tiles, 2) ? size : 0;
}

size_t ghz_tile_bound(int dims, ghz_type type, uint32_t terms, int fresh) {
  const tile_extent whole = whole_tile(dims);
  return extent_bound(type, &whole, terms, fresh);
}

static int terms_possible(ghz_type type, uint32_t terms) {
  return ghz_type_known(type) && terms != 0 && terms <= terms_limit(35);
}

/* Along each axis whole tiles, then maybe one that the border cuts: eight kinds of tiles. */
static int add_tile_bounds(const ghz_shape *s, ghz_type type, uint32_t terms, size_t *size) {
  const tile_extent whole = whole_tile(s->dims);
  const uint64_t *n = s->extent;
  int fits = 1;
  for (int kind = 0; kind < 8 && fits; kind++) {
    const unsigned z = kind & 4 ? (unsigned)(n[0] % whole.z) : whole.z,
                   y = kind & 2 ? (unsigned)(n[1] % whole.y) : whole.y,
                   x = kind & 1 ? (unsigned)(n[2] % whole.x) : whole.x;
    const tile_extent e = {whole.dims, z * y * x, z, y, x};
    const uint64_t tiles =
        (kind & 4 ? 1 : n[0] / whole.z) * (kind & 2 ? 1 : n[1] / whole.y) * (kind & 1 ? 1 : n[2] / whole.x);
    fits = e.n == 0 || add_product(size, tiles, extent_bound(type, &e, terms, 0));
  }
  return fits;
}

size_t ghz_shape_bound(const ghz_shape *shape, ghz_type type, uint32_t terms) {
  if (!shape || !shape_valid(shape) || !terms_possible(type, terms))
    return 0;
  size_t size = ghz_stream_index_size(shape_tiles(shape));
  return size && add_tile_bounds(shape, type, terms, &size) ? size : 0;
}

size_t ghz_result_bound(const ghz_slice *result) {
  const uint32_t terms = result->terms ? result->terms : 1; /* none after a factor of 0 */
  return ghz_shape_bound(&result->shape, result->lattice.type, terms);
}

size_t ghz_size_bound(size_t n, ghz_type type, uint32_t terms) {
  const ghz_shape flat = ghz_flat(n);
  return ghz_shape_bound(&flat, type, terms);
}

size_t ghz_slice_bound(const ghz_shape *shape, uint64_t tiles, ghz_type type, uint32_t terms) {
  size_t size = GHZ_SLICE_HEADER;
  if (!shape || !dims_known(shape->dims) || !terms_possible(type, terms))
    return 0;
  return add_product(&size, tiles, 2 + ghz_tile_bound(shape->dims, type, terms, 0)) ? size : 0;
}
