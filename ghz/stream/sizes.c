/* sizes.c: owns how large streams, messages and their tiles may become. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "stream/sizes.h"

#include "rules/lattice_rules.h"
#include "rules/shape.h"

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
  return extent_bound(storage_type(type), &whole, terms, fresh);
}

static int terms_possible(ghz_type type, uint32_t terms) {
  return type_known(type) && terms != 0 && terms <= terms_limit(35);
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
    fits = e.n == 0 || add_product(size, tiles, extent_bound(storage_type(type), &e, terms, 0));
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
