/* slice.h: slices of streams.
 *
 * Ranges of the tiles of a stream, and messages, in which they travel from process to process.
 *
 *   #include <ghz/slice.h>
 *
 *   ghz_slice mine, theirs, sum;
 *   if (ghz_slice_compress(ctx, &lattice, GHZ_ORDER_BEST, x, n, first, tiles, a, room, &mine) ||
 *       ghz_slice_parse((ghz_bytes){b, received}, &theirs) ||
 *       ghz_slice_sum(ctx, 2, (ghz_slice[]){mine, theirs}, c, room, &sum) ||
 *       ghz_slice_decompress(ctx, &sum, GHZ_F32, y))
 *     return 1;
 *
 * The message to send is a[0..ghz_slice_size(&mine)).
 *
 * Conventions
 *   As in ghz.h: errors, units, threads, contexts. A slice owns nothing: it points into the
 *   stream or message that it was made from, which must outlive it.
 *   Ranges        Tiles first .. first + tiles - 1, counted in the whole array. `tiles` may be 0.
 *   Untrusted     A message may have any bytes: ghz_slice_parse checks its header and sizes, and
 *                 the tiles are checked when they are used.
 *   Source        Compressed messages of a collective that are added as they are: hZCCL (SC'24).
 *                 Their format: our own (FORMAT.md, "Message").
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_SLICE_H
#define GHZ_SLICE_H

#include <ghz/ghz.h>

GHZ_C_BEGIN

/* ---- What a slice is ------------------------------------------------------------------------- */

/* A range of the tiles of a stream, or of a message that arrived. Treat the fields as read-only. */
typedef struct ghz_slice {
  ghz_lattice lattice;
  ghz_shape shape; /* of the whole array */
  uint64_t count;  /* its values */
  uint32_t terms;
  int inexact, transform;
  uint64_t first;      /* first tile */
  uint64_t tiles;      /* number of tiles; may be 0 */
  const void *sizes;   /* bytes of each tile: `tiles` times u16, little endian, not aligned */
  const void *payload; /* the tiles' bytes, packed */
  size_t payload_size;
} ghz_slice;

/* A message is a header of GHZ_SLICE_HEADER bytes, then the sizes (2 * tiles bytes), then the
 * payload: three pieces that a sender may gather without copying. */
#define GHZ_SLICE_HEADER 88

/* Views tiles first .. first + tiles - 1 of a stream, without copying. EINVAL if it has no such. */
GHZ_API_CHECKED ghz_status ghz_slice_view(ghz_bytes stream, uint64_t first, uint64_t tiles, ghz_slice *slice);

/* Returns the number of values in the slice's tiles; the last tile of the array may be short. */
GHZ_API size_t ghz_slice_count(const ghz_slice *slice);

/* Writes the GHZ_SLICE_HEADER bytes that begin the slice's message. */
GHZ_API_CHECKED ghz_status ghz_slice_header(const ghz_slice *slice, void *header);

/* Returns the size of the slice's message; 0 if it overflows. */
GHZ_API size_t ghz_slice_size(const ghz_slice *slice);

/* Returns the largest size of a message of `tiles` tiles of an array of this shape, of which only
 * dims counts, with `terms` terms; 0 if it overflows. */
GHZ_API size_t ghz_slice_bound(const ghz_shape *shape, uint64_t tiles, ghz_type type, uint32_t terms);

/* Allocates the scratch that slices of up to so many tiles and terms need. Until threads change,
 * ghz_slice_compress, _sum of two, _extremum, _mean and _decompress on them return no ENOMEM. */
GHZ_API_CHECKED ghz_status ghz_slice_reserve(ghz_context *ctx, const ghz_shape *shape, uint64_t tiles,
                                             ghz_type type, uint32_t terms);

/* ---- Computing on slices --------------------------------------------------------------------- */

/* Copies the slice to a message in dst, and sets *size. */
GHZ_API_CHECKED ghz_status ghz_slice_pack(const ghz_slice *slice, void *dst, size_t capacity, size_t *size);

/* Checks the header and sizes of a message that arrived, and views it. */
GHZ_API_CHECKED ghz_status ghz_slice_parse(ghz_bytes message, ghz_slice *slice);

/* Compresses tiles first .. first + tiles - 1 of an array to a message in dst, and views it. x is
 * the beginning of the whole array, and only the values of these tiles are read. Errors: as
 * ghz_compress; EINVAL if the range is not inside the array. */
GHZ_API_CHECKED ghz_status ghz_slice_compress_shape(ghz_context *ctx, const ghz_lattice *lattice, int order,
                                                    const void *x, const ghz_shape *shape, uint64_t first,
                                                    uint64_t tiles, void *dst, size_t capacity,
                                                    ghz_slice *slice);

/* The same, of the flat array x[0..n). */
GHZ_CASE ghz_status ghz_slice_compress(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                                       size_t n, uint64_t first, uint64_t tiles, void *dst, size_t capacity,
                                       ghz_slice *slice) {
  const ghz_shape flat = ghz_flat(n);
  return ghz_slice_compress_shape(ctx, lattice, order, x, &flat, first, tiles, dst, capacity, slice);
}

/* As ghz_linear, of slices[0..k) of the same range: to a message in dst, which it views. */
GHZ_API_CHECKED ghz_status ghz_slice_linear(ghz_context *ctx, size_t k, const ghz_slice *slices,
                                            const int64_t *weights, uint64_t divisor, void *dst,
                                            size_t capacity, ghz_slice *slice);

/* Their sum. */
GHZ_CASE ghz_status ghz_slice_sum(ghz_context *ctx, size_t k, const ghz_slice *slices, void *dst,
                                  size_t capacity, ghz_slice *slice) {
  return ghz_slice_linear(ctx, k, slices, NULL, 1, dst, capacity, slice);
}

/* A slice, mostly a sum of k arrays, divided by k >= 1. Values outside the lattice are rounded
 * twice, where ghz_mean rounds once. */
GHZ_CASE ghz_status ghz_slice_mean(ghz_context *ctx, const ghz_slice *sum, uint64_t k, void *dst,
                                   size_t capacity, ghz_slice *slice) {
  return ghz_slice_linear(ctx, 1, sum, NULL, k, dst, capacity, slice);
}

/* Writes the smaller (larger = 0) or larger values of two slices of the same range to a message in
 * dst, and views it. Errors: as ghz_minimum. */
GHZ_API_CHECKED ghz_status ghz_slice_extremum(ghz_context *ctx, const ghz_slice *a, const ghz_slice *b,
                                              int larger, void *dst, size_t capacity, ghz_slice *slice);

/* Decompresses a flat slice: ghz_slice_count(slice) values of type `out`, to dst. Errors: as
 * ghz_decompress; EINVAL if the slice is of bricks, whose values do not lie one after the other. */
GHZ_API_CHECKED ghz_status ghz_slice_decompress(ghz_context *ctx, const ghz_slice *slice, ghz_type out,
                                                void *dst);

/* Decompresses a slice of any shape to the places of its values in the whole array, which begins at
 * `array`; writes nothing else. Errors: as ghz_decompress. */
GHZ_API_CHECKED ghz_status ghz_slice_decompress_into(ghz_context *ctx, const ghz_slice *slice, ghz_type out,
                                                     void *array);

/* Joins k slices that follow each other and together cover the whole array to a stream in dst. They
 * must agree in everything but range and `inexact`. Errors: EINVAL (gap, overlap), EMISMATCH. */
GHZ_API_CHECKED ghz_status ghz_slice_join(ghz_context *ctx, size_t k, const ghz_slice *slices, void *dst,
                                          size_t capacity, size_t *size);

GHZ_C_END
#endif
