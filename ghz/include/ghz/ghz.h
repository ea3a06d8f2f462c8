/* ghz.h: compress arrays, decompress them, and compute on streams.
 *
 * libghz compresses arrays of float or double under a strict error bound, and computes on the
 * compressed form: it adds, subtracts, scales and averages streams without decompressing them. A
 * call returns GHZ_OK, which is 0, or what failed:
 *
 *   void *stream, *y;
 *   size_t size, count;
 *   ghz_shape shape = ghz_flat(n);
 *   ghz_bound bound = {GHZ_REL, 1e-4};
 *   if (ghz_compress_alloc(NULL, GHZ_F32, bound, x, &shape, &stream, &size) ||
 *       ghz_decompress_alloc(NULL, (ghz_bytes){stream, size}, GHZ_F32, &y, &count))
 *     fprintf(stderr, "%s\n", ghz_context_message(NULL));
 *
 * With memory of the caller and several threads: ghz_context_create, ghz_lattice_make or
 * ghz_lattice_for, then ghz_compress with ghz_size_bound; of two and three dimensions,
 * ghz_shape_make, ghz_compress_shape and ghz_shape_bound. On this header, <ghz/ghz.h>, build
 * numbers.h (sums, means and norms of streams), slice.h (messages), file.h, quality.h (how well a
 * result resembles its original), cuda.h (GPUs), and mpi.h (collectives, of libghzmpi).
 *
 * FORMAT.md, which is installed with the documentation, specifies the bytes of a stream. They
 * depend on values, lattice and order alone, not on machine, instruction set or threads.
 *
 * Terms
 *   lattice       the grid that values are quantised to; made from an error bound
 *   stream        a compressed array, self-contained
 *   shape         the extents of an array of one to three dimensions
 *   tile          1024 values, in a row or of a brick, fewer at the border: the unit of prediction
 *   terms         how many quantised arrays a stream is the sum of; 1 after compression
 *
 * Promises
 *   bound         Every finite value x comes back as y with |x - y| <= eb, in exact arithmetic. NaN
 *                 comes back as the canonical quiet NaN, and infinities as themselves. -0.0 may
 *                 come back as +0.0. A tile of one value comes back exactly, in its own type; sums
 *                 of such tiles are as those of others. Where the lattice has a fill value, the
 *                 fill and NaN come back as the fill. A sum with `terms` terms is within terms * eb
 *                 of the exact sum of the original values. FORMAT.md, "Bound of a sum", has the one
 *                 exception: float32 beyond 2^22 steps.
 *   homomorphism  Additions associate and commute byte for byte while ghz_info.inexact is 0.
 *   untrusted     Any bytes may be given as a stream. A call returns a result or an error, never
 *                 reads or writes outside its buffers, and never allocates by an unchecked length.
 *   no state      The library has no global mutable state, only a context and a message per thread.
 *   environment   Calls compute under round-to-nearest without flush-to-zero, whatever the caller
 *                 has set, and restore its floating-point environment and exception flags.
 *
 * Conventions
 *   Errors        Every call that can fail returns a ghz_status. Unless it is GHZ_OK, outputs are
 *                 unspecified, except that pointers to what a call makes, a context or memory, are
 *                 NULL and the size of that memory is 0. Any call may return EINVAL (NULL, an
 *                 unknown type), one with a context ENOMEM or EBUSY, one that reads streams
 *                 ECORRUPT or EVERSION, one with a capacity ECAPACITY. Its "Errors" names others.
 *   Buffers       belong to the caller. They need no alignment beyond that of their values; streams
 *                 need none. Outputs must not overlap inputs. Nothing is ever written past
 *                 `capacity`. Memory that a call makes (ghz_..._alloc) is freed with free().
 *   Units         `n` and `count` count values, `size` and `capacity` bytes, `tiles` tiles.
 *   Threads       A call with a context may use the context's threads. A context serves one call at
 *                 a time: one that comes meanwhile from another thread returns EBUSY, and does
 *                 nothing. Different contexts are independent.
 *   No context    With `ctx` NULL a call uses a context of the calling thread, of one codec thread,
 *                 which the library makes on the thread's first such call and frees when the thread
 *                 ends: nothing to create, and safe in any pool of threads and after fork().
 *   Cases         ghz_add, ghz_compress and others that only name a case of another call
 *                 (ghz_linear, ghz_compress_shape) are inline: no symbols of the library.
 *   fork()        In a child of a program that has made contexts of several threads every context
 *                 has one thread, because GCC's OpenMP would hang. Contexts and files that another
 *                 thread used at the fork are not to be used in the child.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_H
#define GHZ_H

#include <ghz/context.h>
#include <stddef.h>
#include <stdint.h>

GHZ_C_BEGIN

#define GHZ_VERSION_MAJOR 0
#define GHZ_VERSION_MINOR 2
#define GHZ_VERSION_PATCH 0

/* The version as a number: 200 is 0.2.0, 10203 is 1.2.3. #if GHZ_VERSION >= 200 */
#define GHZ_VERSION (GHZ_VERSION_MAJOR * 10000 + GHZ_VERSION_MINOR * 100 + GHZ_VERSION_PATCH)

/* Returns the version of the linked library, "major.minor.patch". Static. */
GHZ_API const char *ghz_version(void);

/* ---- Types, bounds, lattices ----------------------------------------------------------------- */

typedef enum ghz_type {
  GHZ_F32 = 0, /* IEEE binary32 */
  GHZ_F64 = 1, /* IEEE binary64 */
  GHZ_I8 = 2,  /* int8_t, and so on: exact, see below */
  GHZ_I16 = 3,
  GHZ_I32 = 4,
  GHZ_I64 = 5, /* up to 2^44 in magnitude */
  GHZ_U8 = 6,
  GHZ_U16 = 7,
  GHZ_U32 = 8
} ghz_type;

/* Integers are compressed without loss, on the grid of step 1 (GHZ_STEP, 1), and added, subtracted
 * and combined exactly: a sum is a stream of that type, which may hold more. It decompresses to any
 * integer type that holds all of its values, else GHZ_ERANGE, and always to GHZ_F64 (exactly below
 * 2^53), that of 8 or 16 bits also to GHZ_F32. Means, and what is scaled by other than whole
 * numbers, decompress to these alone. GPUs and collectives take no integers. */

/* Returns the bytes of a value of this type; 0 for an unknown type. */
GHZ_API size_t ghz_type_size(ghz_type type);

typedef enum ghz_bound_kind {
  GHZ_ABS = 0,     /* value: the largest |x - y|, in the units of the data */
  GHZ_REL = 1,     /* value: the largest |x - y| as a fraction of the range (max - min) of the finite values */
  GHZ_PSNR = 2,    /* value: the least peak signal-to-noise ratio, in dB; the peak is that range */
  GHZ_STEP = 3,    /* value: the quantum of data that are multiples of one: a grid, see below */
  GHZ_OF_FLOAT = 4 /* of mpi.h alone: GHZ_MPI_FLOAT */
} ghz_bound_kind;

/* A grid (GHZ_STEP) is for data that have a quantum: integers, packed values (integers times a
 * scale_factor, without an offset), numbers of two decimals. Every value comes back as it was (-0.0
 * may come back as +0.0): a tile of multiples of the step is compressed, one with any other finite
 * value is stored as it is. Sums of multiples are exact, as long as no tile was stored so. In float
 * a multiple is the float that is nearest to it, so decompress sums to doubles.
 * Multiples compress up to 2^22 steps of float, or 2^26 where they are floats to within a quarter
 * of a step, and up to 2^44 steps of double. Float data that were unpacked with a float
 * scale_factor have that as their quantum, (double)0.01f; those rounded to decimals 0.01. */

typedef struct ghz_bound {
  ghz_bound_kind kind;
  double value;
} ghz_bound;

/* The grid that values are quantised to. Streams can be added if and only if their lattices are
 * equal, so a reduction over many arrays makes one lattice for all. Take it from ghz_lattice_make
 * or from a stream: one made by hand is not verified, and the bound does not hold for it. */
typedef struct ghz_lattice {
  ghz_type type;
  int cap;      /* bits of the largest quantised integer: 35, or for GHZ_F64 also 44 (the default) */
  double step;  /* quantisation step; 0 if the bound is too small for the type: values are then stored raw */
  double eb;    /* the bound per value that the step guarantees */
  int has_fill; /* 1: values equal to `fill` are missing, as NaN is (ghz_lattice_set_fill) */
  double fill;
} ghz_lattice;

/* Finds the least and greatest finite value of x[0..n), or of those that are not equal to `fill`.
 * Without any, *min = +Inf and *max = -Inf. Errors: as ghz_lattice_set_fill. */
GHZ_API_CHECKED ghz_status ghz_range(ghz_context *ctx, ghz_type type, const void *x, size_t n, double *min,
                                     double *max);
GHZ_API_CHECKED ghz_status ghz_range_without(ghz_context *ctx, ghz_type type, const void *x, size_t n,
                                             double fill, double *min, double *max);

/* Makes the lattice for a bound: for E on the *sum* of k arrays, E / k. It has no fill value.
 * min, max: the range of the finite values of all arrays that are to be added, as ghz_range gives
 * it, or +Inf and -Inf if all values are 0; GHZ_ABS and GHZ_STEP ignore it. If min == max, that
 * constant is represented exactly; tiles with any other value are stored uncompressed. If float32
 * values lie far from 0 (min and max say so), the step is smaller than GHZ_ABS makes it for the
 * same bound, which saves up to one bit a value.
 * Errors: EINVAL (value 0, negative, NaN or infinite; of integers anything but a step of 1; a step
 * outside 2^-120 to 2^120, of doubles 2^-1000 to 2^1000; min > max, but for +Inf and -Inf; min =
 * max = 0 with GHZ_REL or GHZ_PSNR, which looks like a range that was not measured).
 * Source: our own, with a slack of 1/64, more for an offset; PSNR from the range: fZ-light, SZ3. */
GHZ_API_CHECKED ghz_status ghz_lattice_make(ghz_type type, ghz_bound bound, double min, double max,
                                            ghz_lattice *lattice);

/* Makes one lattice for k >= 1 arrays of n values that are to be added, and finds the range that
 * the bound needs. Arrays of one constant, or of zeros, are allowed.
 * fill: NULL, or the value that the lattice has as its fill, left out of the range.
 * Errors: as ghz_lattice_make and ghz_lattice_set_fill. */
GHZ_API_CHECKED ghz_status ghz_lattice_for(ghz_context *ctx, ghz_type type, ghz_bound bound, const double *fill,
                                           size_t k, const void *const *arrays, size_t n, ghz_lattice *lattice);

/* Finds the lattice to compress on what is to be added to a stream, a mean say: that of the stream;
 * or, if that is a k-th part of others and no array can be compressed on it (of float32 its step
 * has more than 24 bits, of integers it is not 1), the finest of those on which one can. Its bound
 * is then k times that of a term of the stream: of a mean of k or more at most that of the mean.
 * Errors: EINVAL (no lattice, or no part of one). */
GHZ_API_CHECKED ghz_status ghz_lattice_undivided(const ghz_lattice *lattice, ghz_lattice *whole);

/* Sets the fill value of a lattice: what stands for "missing" in the data, -999 or 1e20f say. In
 * compression values equal to it (0 equals -0) are treated as NaN is: they cost as little, take no
 * part in ranges and bounds, and make missing what is added to them. Decompression gives the fill
 * for them and for every other NaN of the stream. Operands with different fills do not add. Choose
 * one outside the range of the data, or results may happen to equal it.
 * Errors: EINVAL (NaN, infinite or no value of the type: 1e20 is no float, (double)1e20f is). */
GHZ_API_CHECKED ghz_status ghz_lattice_set_fill(ghz_lattice *lattice, double fill);

/* Returns 1 if two lattices are equal, bit for bit, so that streams on them add; else 0, also for
 * NULL. Fills 0 and -0 differ, as each comes back as itself; without has_fill `fill` counts not. */
GHZ_API int ghz_lattice_equal(const ghz_lattice *a, const ghz_lattice *b);

/* Returns the most terms on a lattice of this cap: 8388607 for 35, 16383 for 44, 0 otherwise. */
GHZ_API uint32_t ghz_terms_limit(int cap);

/* ---- What a bound takes ---------------------------------------------------------------------- */

/* One large value makes a relative bound large: an outlier, a fill value that nobody named, a total
 * packed behind a field. All others may then come back as 0, which a program should say. */
typedef struct ghz_loss {
  ghz_type type;
  int wipes;    /* 1: most values other than 0 come back as 0, or all that are of one size; not where they
                   fade away, as before a wave */
  int has_fill; /* 1: `fill`, a usual fill value (1e20, -9999), is in the data, twice or more, and far from
                   all others; and is not the lattice's */
  double bound, median, fill;    /* that of the lattice; that of the lost magnitudes, if `wipes` */
  uint64_t values, lost;         /* of a sample: finite, not missing, not 0; those that come back as 0 */
  uint64_t seen, missing, fills; /* looked at; of these the lattice's fill; `fill`, if `has_fill` */
} ghz_loss;

/* Finds what a lattice takes from x[0..n). Constants, integers and grids lose nothing.
 * all: 0: it looks at 256 values, or 65536 if these show something; 1: at all, for fill values. */
GHZ_API_CHECKED ghz_status ghz_lattice_loss(ghz_context *ctx, const ghz_lattice *lattice, const void *x,
                                            size_t n, int all, ghz_loss *loss);

/* Writes a loss in words to text[0..size); 400 bytes suffice. option: how one names a fill value
 * here, "--fill ". Returns 0, and writes "", where there is nothing to say. */
GHZ_API int ghz_loss_text(const ghz_loss *loss, const char *option, char *text, size_t size);

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* Extents of an array in C order: z, y, x, of which x is the fastest. Smooth arrays of two or three
 * dimensions compress better with their shape than flat.
 *   dims 1   flat: extents 1, 1, n; tiles of 1024 values in a row
 *   dims 2   z planes of y times x values; tiles are bricks of 1 x 32 x 32 values
 *   dims 3   bricks of 8 x 8 x 16 values
 * Any extent may be 0. Tiles are counted along x first, then y, then z. */
typedef struct ghz_shape {
  int dims;
  uint64_t extent[3];
} ghz_shape;

/* Returns the shape of a flat array. */
GHZ_API ghz_shape ghz_flat(uint64_t n);

/* Chooses the shape for an array of `rank` extents, the slowest first. Neighbours are multiplied
 * until three are left that bricks can fill: x is the last extent, times those before it until it
 * is 16 or more; y the next one, times those before it until it is 8 or more; z all others. So
 * extents of 1 do not matter. If z is less than 8 and y less than 16, y is multiplied by z, too.
 * Bricks are of 8 x 8 x 16 where z, y and x are at least that, of 1 x 32 x 32 where y and x are at
 * least 16; else, and without values, the array is flat, which shape->dims tells.
 * Errors: EINVAL (rank 0, 2^64 values or more). */
GHZ_API_CHECKED ghz_status ghz_shape_make(size_t rank, const uint64_t *extents, ghz_shape *shape);

/* Returns 1 if dims and extents of two shapes are equal; else 0, also for NULL. */
GHZ_API int ghz_shape_equal(const ghz_shape *a, const ghz_shape *b);

/* Returns the number of values, or of tiles; 0 too for NULL, unknown dims, dims 1 with z or y other
 * than 1, and 2^64 values or more. */
GHZ_API uint64_t ghz_shape_count(const ghz_shape *shape);
GHZ_API uint64_t ghz_shape_tiles(const ghz_shape *shape);

/* ---- Compress and decompress ----------------------------------------------------------------- */

/* Prediction order: 0 none, 1 first difference (Lorenzo), 2 second difference; in bricks
 * differences along 0 to 3 axes, from x on. GHZ_ORDER_LORENZO takes the best of these for each
 * tile. GHZ_ORDER_BEST lets bricks have coefficients of a transform, too, where that is smaller;
 * ghz_minimum and ghz_maximum refuse such streams. */
#define GHZ_ORDER_BEST (-1)
#define GHZ_ORDER_LORENZO (-2)

#define GHZ_TILE 1024   /* values per tile */
#define GHZ_CHUNK 16384 /* values per chunk, 16 tiles: the unit of scheduling and of random access */

/* Tiles of a flat array of n values. */
#define GHZ_TILE_COUNT(n) ((n) / GHZ_TILE + ((n) % GHZ_TILE != 0))

/* `size` readable bytes: a compressed stream, or part of one. Owns nothing. */
typedef struct ghz_bytes {
  const void *data;
  size_t size;
} ghz_bytes;

/* Returns the largest size of a stream of n values, or of a shape, with at most `terms` terms: 1
 * for a fresh stream or a combination whose coefficients are all 0, 2 for the sum of two. 0 if the
 * type or shape is invalid, terms is 0 or too large, or the size would overflow size_t. */
GHZ_API size_t ghz_size_bound(size_t n, ghz_type type, uint32_t terms);
GHZ_API size_t ghz_shape_bound(const ghz_shape *shape, ghz_type type, uint32_t terms);

/* Compresses an array of a shape, in C order without gaps, to a stream in dst, and sets *size to
 * its size, at most ghz_shape_bound(shape, type, 1). Reads x twice at most.
 * order: GHZ_ORDER_BEST, GHZ_ORDER_LORENZO, or 0 to 2, of bricks of 8 x 8 x 16 also 3, to fix it.
 * Errors: EINVAL (the shape is invalid), ERANGE (a GHZ_I64 beyond 2^44, but for the fill).
 * Source: fused quantisation and Lorenzo of fZ-light (Huang et al., 2025); a transform by integer
 * matrices, near the cosine's; bit planes and the rest, our own. */
GHZ_API_CHECKED ghz_status ghz_compress_shape(ghz_context *ctx, const ghz_lattice *lattice, int order,
                                              const void *x, const ghz_shape *shape, void *dst, size_t capacity,
                                              size_t *size);

/* The same of the flat array x[0..n); n may be 0. At most ghz_size_bound(n, type, 1) bytes. */
GHZ_CASE ghz_status ghz_compress(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                                 size_t n, void *dst, size_t capacity, size_t *size) {
  const ghz_shape flat = ghz_flat(n);
  return ghz_compress_shape(ctx, lattice, order, x, &flat, dst, capacity, size);
}

/* Compresses an array again that is what `old`, a stream of one array, decompresses to, but for
 * values that were changed since: so that the others do not drift, however often that is done. x is
 * read as the shape and type of `old` say: where that is not trusted compare them first
 * (ghz_info_read). dst needs ghz_shape_bound(shape, type, 1) bytes.
 * lattice: as for ghz_compress_shape. The stream has that of `old` if its bound is at most that of
 * `lattice` and more than half of it; else its step times a power of two, the largest such. So old
 * integers stay integers. (Where one of the two is that of a constant, has no step, or was scaled,
 * it has `lattice`.)
 * All values come back within the bound of that lattice. On the lattice of `old` those that did not
 * change come back with the same bits, but in tiles that were stored raw or as one value, and where
 * a tile cannot keep its coefficients or is dearer by an eighth with them than without any. (A
 * power of two beyond 2^21 steps of float may become the float below it, once.) After any number of
 * updates no value is further from what was last written there than twice the largest bound since;
 * two and a half times where bounds shrank and grew again.
 * Errors: as ghz_compress_shape; EINVAL also if `old` is a sum, or of integers, which come back
 * exactly; EMISMATCH (type, cap or fill of the lattice are not those of `old`). */
GHZ_API_CHECKED ghz_status ghz_update(ghz_context *ctx, ghz_bytes old, const ghz_lattice *lattice,
                                      const void *x, void *dst, size_t capacity, size_t *size);

/* Decompresses a stream of any shape to dst, which holds `count` values of type `out`; writes as
 * many as the stream has, in C order.
 * out: the type of the stream; or GHZ_F64 for a stream of GHZ_F32, which makes the bound of a sum
 * strict in every case; for integers see ghz_type.
 * Errors: EINVAL (GHZ_F32 for a stream of GHZ_F64 or integers of more than 16 bits; an integer type
 * for floating-point values or means), ERANGE (a value is no integer of that type), ECAPACITY (it
 * has more than `count` values). */
GHZ_API_CHECKED ghz_status ghz_decompress(ghz_context *ctx, ghz_bytes src, ghz_type out, void *dst,
                                          size_t count);

/* Decompresses a box alone: extent[0] x extent[1] x extent[2] values, the first of which is at
 * `origin` (z, y, x, of the shape that the stream has: ghz_info), to dst, in C order without gaps.
 * Reads only the tiles that hold them. Errors: as ghz_decompress; EINVAL if it leaves the array. */
GHZ_API_CHECKED ghz_status ghz_decompress_box(ghz_context *ctx, ghz_bytes src, ghz_type out,
                                              const uint64_t origin[3], const uint64_t extent[3], void *dst);

/* The same of values first .. first + count - 1 of a flat stream, or of any other's first line. */
GHZ_CASE ghz_status ghz_decompress_range(ghz_context *ctx, ghz_bytes src, ghz_type out, uint64_t first,
                                         size_t count, void *dst) {
  const uint64_t origin[3] = {0, 0, first}, extent[3] = {1, 1, count};
  return ghz_decompress_box(ctx, src, out, origin, extent, dst);
}

/* Compresses an array of a shape with GHZ_ORDER_BEST under a bound, for which it finds the range,
 * to memory of *size bytes. While it works it holds ghz_shape_bound(shape, type, 1) bytes. Arrays
 * that are to be added need one lattice for all: make it, and take ghz_compress_shape.
 * Errors: as ghz_lattice_make and ghz_compress_shape. */
GHZ_API_CHECKED ghz_status ghz_compress_alloc(ghz_context *ctx, ghz_type type, ghz_bound bound, const void *x,
                                              const ghz_shape *shape, void **stream, size_t *size);

/* Decompresses a stream of any shape to memory with *count values of type `out`. A stream may have
 * 3000 times its size in values. Errors: as ghz_decompress. */
GHZ_API_CHECKED ghz_status ghz_decompress_alloc(ghz_context *ctx, ghz_bytes src, ghz_type out, void **values,
                                                size_t *count);

/* ---- Computing on streams -------------------------------------------------------------------- */
/* Each of these writes a stream to dst and sets *size. The operands must have the same type, shape,
 * cap, step, eb and fill (ghz_linear says which steps it takes, too); EMISMATCH otherwise, and
 * ghz_context_message says which differs. The terms of the result are the sum of the operands'
 * (ERANGE: too many), and its size is at most ghz_shape_bound(shape, type, terms).
 * Source: addition of compressed streams, hZCCL (Huang et al., SC'24); on bit planes, our own. */

/* dst = (sum of weights[i] * streams[i], 0 <= i < k) / divisor, k >= 1, divisor >= 1, in one pass:
 * each operand is read once, the result written once. Those with weight 0 are checked and then
 * ignored. Terms count |weights[i]| times; step and eb are divided by the divisor.
 * weights: NULL: all are 1, and the lattices are equal. With weights they may be multiples of each
 * other: where the finest is another one divided by f >= 1 as the mean of f streams divides it
 * (step / f and eb / f), or by 10 and by 10 again, that operand's integers count f * weights[i]
 * times, in the terms, too; step and eb are those of the finest. So what is averaged and its mean
 * combine exactly: with x, the mean m of k, weights {1, -1} and divisor 1 the result is the anomaly
 * x - m, of 2 k terms on the lattice of m, within twice the bound of x.
 * EMISMATCH also if a step is no multiple of the finest one, EINVAL also if the divisor is 0 or the
 * divided step leaves the range of the type; ERANGE says how many terms there would be. */
GHZ_API_CHECKED ghz_status ghz_linear(ghz_context *ctx, size_t k, const ghz_bytes *streams,
                                      const int64_t *weights, uint64_t divisor, void *dst, size_t capacity,
                                      size_t *size);

/* The same, to memory of *size bytes, whose bound it finds itself. */
GHZ_API_CHECKED ghz_status ghz_linear_alloc(ghz_context *ctx, size_t k, const ghz_bytes *streams,
                                            const int64_t *weights, uint64_t divisor, void **stream,
                                            size_t *size);

/* dst = sum of streams[0..k) */
GHZ_CASE ghz_status ghz_sum(ghz_context *ctx, size_t k, const ghz_bytes *streams, void *dst, size_t capacity,
                            size_t *size) {
  return ghz_linear(ctx, k, streams, NULL, 1, dst, capacity, size);
}

/* The same, as ghz_linear_alloc. */
GHZ_CASE ghz_status ghz_sum_alloc(ghz_context *ctx, size_t k, const ghz_bytes *streams, void **stream,
                                  size_t *size) {
  return ghz_linear_alloc(ctx, k, streams, NULL, 1, stream, size);
}

/* dst = mean of streams[0..k): their sum, with step / k and eb / k */
GHZ_CASE ghz_status ghz_mean(ghz_context *ctx, size_t k, const ghz_bytes *streams, void *dst, size_t capacity,
                             size_t *size) {
  return ghz_linear(ctx, k, streams, NULL, k, dst, capacity, size);
}

/* dst = a + b */
GHZ_CASE ghz_status ghz_add(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity,
                            size_t *size) {
  const ghz_bytes both[2] = {a, b};
  return ghz_linear(ctx, 2, both, NULL, 1, dst, capacity, size);
}

/* dst = a - b; b may be a mean of a and others */
GHZ_CASE ghz_status ghz_subtract(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity,
                                 size_t *size) {
  const ghz_bytes both[2] = {a, b};
  const int64_t weights[2] = {1, -1};
  return ghz_linear(ctx, 2, both, weights, 1, dst, capacity, size);
}

/* dst = -a */
GHZ_CASE ghz_status ghz_negate(ghz_context *ctx, ghz_bytes a, void *dst, size_t capacity, size_t *size) {
  const int64_t weight = -1;
  return ghz_linear(ctx, 1, &a, &weight, 1, dst, capacity, size);
}

/* dst = factor * a. Changes step and eb in the header, and no integer. Each scaling rounds the
 * step; eb covers the first thousand scalings of a stream. EINVAL if factor is 0, NaN or infinite,
 * or if the new step leaves the range of the type. */
GHZ_API_CHECKED ghz_status ghz_scale(ghz_context *ctx, ghz_bytes a, double factor, void *dst, size_t capacity,
                                     size_t *size);

/* dst = the smaller (larger) of a and b, value by value; missing (NaN or the fill) where one of
 * them is. Quantised integers are compared, so eb holds whatever the number of operands. The terms
 * of the result are the larger of the operands' terms.
 * EINVAL if an operand may have coefficients (ghz_info.transform), because its values lie between
 * those integers: compress bricks with GHZ_ORDER_LORENZO for this. */
GHZ_API_CHECKED ghz_status ghz_minimum(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity,
                                       size_t *size);
GHZ_API_CHECKED ghz_status ghz_maximum(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity,
                                       size_t *size);

/* acc += x, in place. acc has `capacity` bytes, of which *size are a stream; the sum replaces it.
 * With *size 0 there is none yet, and acc becomes the sum of x alone. On error *size is unchanged,
 * and so are the *size bytes of acc. The context keeps scratch memory for one result. */
GHZ_API_CHECKED ghz_status ghz_accumulate(ghz_context *ctx, void *acc, size_t capacity, size_t *size,
                                          ghz_bytes x);

/* acc += the values of an array, in place: the bytes and errors of ghz_compress_shape and
 * ghz_accumulate, but each tile is compressed and added at once. It is operand 1 in messages. */
GHZ_API_CHECKED ghz_status ghz_accumulate_values(ghz_context *ctx, const ghz_lattice *lattice, int order,
                                                 const void *x, const ghz_shape *shape, void *acc,
                                                 size_t capacity, size_t *size);

/* ---- Looking at streams ---------------------------------------------------------------------- */

typedef struct ghz_info {
  ghz_lattice lattice; /* type, cap, step, eb, fill */
  ghz_shape shape;
  uint64_t count; /* values: ghz_shape_count */
  uint64_t tiles; /* ghz_shape_tiles */
  uint32_t terms; /* quantised terms that each value sums */
  int inexact;    /* 1: values outside the lattice were added in floating point: no bound */
  int transform;  /* 1: tiles may have coefficients */
  double bound;   /* guaranteed |y - exact|: terms * eb, rounded up; +Inf if inexact */
  uint64_t bytes; /* size of the stream */
} ghz_info;

/* Reads and checks the header and the index of a stream. */
GHZ_API_CHECKED ghz_status ghz_info_read(ghz_bytes src, ghz_info *info);

typedef struct ghz_statistics {
  uint64_t empty;        /* tiles of zeros, stored in no bytes at all */
  uint64_t raw;          /* tiles stored uncompressed */
  uint64_t constant;     /* tiles of one value that the lattice misses, and specials: that value, exactly */
  uint64_t specials;     /* lattice and constant tiles with NaN or infinities */
  uint64_t order[4];     /* lattice tiles by prediction order */
  uint64_t mode[3];      /* lattice tiles by mode: coarse, fine, wide */
  uint64_t coefficients; /* lattice tiles with coefficients */
  uint64_t turned;       /* lattice tiles whose first blocks of lines are turned */
  uint64_t widths[63];   /* blocks of 8 residuals with a value of the array, by width in bits */
} ghz_statistics;

/* Checks every tile of a stream and counts what it holds. */
GHZ_API_CHECKED ghz_status ghz_scan(ghz_context *ctx, ghz_bytes src, ghz_statistics *statistics);

/* As ghz_range, of the values that a stream decompresses to, without its fill. */
GHZ_API_CHECKED ghz_status ghz_extrema(ghz_context *ctx, ghz_bytes src, double *min, double *max);

GHZ_C_END
#endif /* GHZ_H */
