/* compress.h: compression and decompression, below the public calls. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_COMPRESS_H
#define GHZ_COMPRESS_H

#include <ghz/slice.h>

#include "context/context.h"
#include "rules/lattice_rules.h"
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

/* Compresses the integers inside a place (range.c); returns the size of the tile. */
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

/* ---- Decompression --------------------------------------------------------------------------- */

/* A part of an array: it begins at `origin` (z, y, x). Its own array is `shape`, of the dims of the
 * whole. */
typedef struct array_box {
  uint64_t origin[3];
  ghz_shape shape;
} array_box;

/* Why values of a lattice do not decompress to a type; NULL if they do. */
const char *ghz_not_decompressed(const ghz_lattice *lattice, ghz_type out);

/* Decompresses the values of a slice that are inside the box to their places in an array of the
 * box. */
ghz_status ghz_decompress_values(ghz_context *ctx, const ghz_slice *slice, ghz_type out, const array_box *box,
                                 void *dst);

/* The same as a call, which takes its context. */
ghz_status ghz_slice_decompress_box(ghz_context *ctx, const ghz_slice *slice, ghz_type out,
                                    const array_box *box, void *dst);

#endif
