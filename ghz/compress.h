/* compress.h: compression of ranges of tiles, for streams and slices alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_COMPRESS_H
#define GHZ_COMPRESS_H

#include <ghz/slice.h>

#include "rules/types.h"
#include "stream/place.h"
#include "stream/stream.h"

/* Tiles first .. first + tiles - 1 of an array that begins at x. */
typedef struct compression {
  const ghz_lattice *lattice;
  int order;
  const void *x;
  const ghz_shape *shape;
  uint64_t first, tiles;
} compression;

/* EINVAL unless the arguments, which come from a caller, can be compressed. */
ghz_status ghz_compression_check(ghz_context *ctx, const compression *c);

/* What describes their compressed tiles, but for the bytes. */
ghz_slice ghz_compression_header(const compression *c);

/* Compresses the integers inside a place (integers.c); returns the size of the tile. */
size_t ghz_integers_encode(const tile_codec *tiles, const ghz_lattice *lattice, int order,
                           const tile_place *place, const void *x, uint8_t *dst);

/* Compresses one of them; returns its size. dst has room for the bound of a tile, and SLACK. */
static inline size_t compress_one(const tile_codec *tiles, const compression *c, const tile_walk *tile,
                                  uint8_t *dst) {
  const tile_place place = place_in(c->shape, &tile->extent);
  const uint8_t *x = (const uint8_t *)c->x + offset_of(c->shape, tile->origin) * type_bytes(c->lattice->type);
  return is_integer(c->lattice->type) ? ghz_integers_encode(tiles, c->lattice, c->order, &place, x, dst)
                                      : tiles->encode(c->lattice, c->order, &place, x, dst);
}

/* Compresses all; *result then describes them. */
ghz_status ghz_compress_tiles(ghz_context *ctx, const compression *c, const destination *to, ghz_slice *result);

#endif
