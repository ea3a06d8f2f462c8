/* ghz.h: compress arrays, decompress them, and compute on streams.
 *
 * The other public headers build on this one: numbers.h (sums, means and norms of streams), slice.h
 * (messages), file.h (files), quality.h (how well a result resembles its original), cuda.h (GPUs),
 * and mpi.h (collectives, of libghzmpi). All are included as this one is: <ghz/ghz.h>.
 *
 * libghz compresses arrays of float or double under a strict error bound, and computes on the
 * compressed form: it adds, subtracts, scales and averages streams without decompressing them.
 * A call returns GHZ_OK, which is 0, or what failed:
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
 * ghz_lattice_for, then ghz_compress with ghz_size_bound; of two and three dimensions, which
 * compress better with their shape, ghz_shape_make, ghz_compress_shape and ghz_shape_bound.
 *
 * The bytes of a stream are specified in FORMAT.md, which is installed with the documentation. They
 * depend on the values, the lattice and the order alone: not on the machine, its instruction set or
 * the number of threads.
 *
 * Terms
 *   lattice       the grid that values are quantised to; made from an error bound
 *   stream        a compressed array, self-contained
 *   shape         the extents of an array of one to three dimensions
 *   tile          1024 values of an array, in a row or of a brick; fewer at its border; the unit of
 *                 prediction
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
 *   untrusted     Any bytes may be given as a stream. The call returns a result or an error, never
 *                 reads or writes outside the buffers it was given, and never allocates by an
 *                 unchecked length.
 *   no state      The library has no global mutable state. For a thread it keeps a context and a
 *                 message, see Threads.
 *   environment   Calls compute under round-to-nearest without flush-to-zero, whatever the caller
 *                 has set, and restore the caller's floating-point environment and exception
 *                 flags.
 *
 * Conventions
 *   Errors        Every call that can fail returns a ghz_status. Unless it is GHZ_OK, outputs are
 *                 unspecified; nothing is ever written past `capacity`.
 *   Buffers       belong to the caller. They need no alignment beyond that of their values; streams
 *                 need none. Outputs must not overlap inputs.
 *   Units         `n` and `count` are numbers of values, `size` and `capacity` bytes, `tiles`
 *                 tiles.
 *   Threads       A call with a context may use the context's threads. A context serves one call at
 *                 a time: a call that comes meanwhile from another thread returns EBUSY, and does
 *                 nothing. Different contexts are independent.
 *   No context    With `ctx` NULL a call uses a context of the calling thread, of one codec thread,
 *                 which the library makes on the thread's first such call and frees when the thread
 *                 ends: nothing to create, and safe in any pool of threads and after fork().
 *   Cases         ghz_add, ghz_compress and others that only name a case of another call are
 *                 inline: no symbols of the library. Who calls by symbol takes ghz_linear,
 *                 ghz_compress_shape.
 *   fork()        In a child of a program that has made contexts of several threads every context
 *                 has one thread, because GCC's OpenMP would hang. Contexts and files that another
 *                 thread used at the fork are not to be used in the child.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_H
#define GHZ_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define GHZ_API __attribute__((visibility("default")))
#else
#define GHZ_API
#endif

/* Makes compilers warn where the status of a call is ignored. Define it as empty before this header
 * to turn that off. */
#if !defined(GHZ_CHECKED) && defined(__GNUC__)
#define GHZ_CHECKED __attribute__((warn_unused_result))
#elif !defined(GHZ_CHECKED)
#define GHZ_CHECKED
#endif
#define GHZ_API_CHECKED GHZ_API GHZ_CHECKED

/* A call that is a case of another one. */
#define GHZ_CASE static inline GHZ_CHECKED

#ifdef __cplusplus
extern "C" {
#endif

#define GHZ_VERSION_MAJOR 0
#define GHZ_VERSION_MINOR 2
#define GHZ_VERSION_PATCH 0

/* The version as a number: 200 is 0.2.0, 10203 is 1.2.3. #if GHZ_VERSION >= 200 */
#define GHZ_VERSION (GHZ_VERSION_MAJOR * 10000 + GHZ_VERSION_MINOR * 100 + GHZ_VERSION_PATCH)

/* Returns the version of the linked library, "major.minor.patch". Static. */
GHZ_API const char *ghz_version(void);

/* ---- Status ---------------------------------------------------------------------------------- */

typedef enum ghz_status {
  GHZ_OK = 0,
  GHZ_EINVAL = -1,       /* an argument violates its contract: bound 0 or NaN, range outside the array, NULL */
  GHZ_ENOMEM = -2,       /* the context could not allocate scratch memory */
  GHZ_ECAPACITY = -3,    /* the destination is too small; ghz_size_bound always suffices */
  GHZ_ECORRUPT = -4,     /* not a stream, truncated, or damaged */
  GHZ_EVERSION = -5,     /* of an older format, or with a type or feature bit of a newer version */
  GHZ_EMISMATCH = -6,    /* operands differ in type, shape, cap, step, bound or fill */
  GHZ_ERANGE = -7,       /* the result would have more terms than ghz_terms_limit allows, or integers do not fit
                         a type */
  GHZ_EISA = -8,         /* GHZ_ISA names an instruction set that this machine or build does not have */
  GHZ_EDEVICE = -9,      /* no GPU that this build has kernels for, or CUDA reported an error */
  GHZ_EBUSY = -10,       /* the context serves another thread: give each its own, or NULL; or a file a writer */
  GHZ_EIO = -11,         /* the system could not read or write a file, see file.h */
  GHZ_EUNSUPPORTED = -12 /* this build of the library was made without what the call needs */
} ghz_status;

/* Returns a short English sentence for a status. Static, never NULL. */
GHZ_API const char *ghz_status_text(ghz_status status);

/* ---- Context --------------------------------------------------------------------------------- */

/* Threads and scratch memory, reused from call to call. Every call that takes a context also takes
 * NULL. With a context it may return EBUSY. */
typedef struct ghz_context ghz_context;

/* Creates a context that works with `threads` OpenMP threads.
 * threads: 0 takes as many as OpenMP would use, and fewer for small arrays. Where the library was
 * built without OpenMP, all contexts have one.
 * The instruction set is the best one of the machine, or the one that the environment variable
 * GHZ_ISA names: scalar; avx2 or avx512 on x86-64; neon on 64-bit ARM.
 * Scratch memory grows on first use and is kept: a call of a size seen before allocates nothing. It
 * stays below the worst-case compressed size of the largest result, counted in whole tiles (twice
 * that for ghz_accumulate; ghz_sum_axes says what it needs), plus 1 % and 64 KiB a thread. Each
 * operand of the largest sum adds 384 bytes, and 96 bytes per 65536 values.
 * If threads cannot be created, the OpenMP runtime aborts the process. A context of one thread
 * never creates any.
 * Errors: EINVAL (threads < 0), ENOMEM, EISA. After an error *ctx is NULL. Free with
 * ghz_context_free. */
GHZ_API_CHECKED ghz_status ghz_context_create(ghz_context **ctx, int threads);

/* Frees a context and its scratch memory; no call may be using it. Ignores NULL. */
GHZ_API void ghz_context_free(ghz_context *ctx);

/* Changes the number of threads; 0 as in ghz_context_create. Errors: EINVAL (also: ctx is NULL). */
GHZ_API ghz_status ghz_context_set_threads(ghz_context *ctx, int threads);

/* Returns the most threads that calls with this context use; 1 for NULL. */
GHZ_API int ghz_context_threads(const ghz_context *ctx);

/* Returns the instruction set in use: "scalar", "avx2", "avx512" or "neon"; "" where GHZ_ISA leaves
 * NULL without one. Static. */
GHZ_API const char *ghz_context_isa(const ghz_context *ctx);

/* Returns a sentence about the last call with this context that failed, with the numbers that show
 * why: "step 0.002 in operand 1, 0.001 in operand 0". NULL: about the last call of this thread that
 * failed and had no context: ctx was NULL, or it takes none (ghz_lattice_make, ghz_info_read,
 * ghz_context_create, ...). "" before any failure. The text is valid until the next call with the
 * context, or of the thread. */
GHZ_API const char *ghz_context_message(const ghz_context *ctx);

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
 * and combined exactly, whatever the range of their type: a sum is a stream of that type which may
 * hold more than the type does. It decompresses to any integer type that holds all of its values,
 * else GHZ_ERANGE, and always to GHZ_F64 (exactly below 2^53), that of 8 or 16 bits also to
 * GHZ_F32. Means, and what is scaled otherwise than by whole numbers, decompress to these alone,
 * not to integers. GPUs and collectives take no integer types. */

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
 * scale_factor, without an offset), numbers of two decimals. Nothing is ever changed:
 * every value comes back as it was (-0.0 may come back as +0.0). A tile of multiples of the step is
 * compressed; one with any other finite value is stored as it is. Sums are exact: each is the sum
 * of the multiples, as long as no tile was stored as it is. In float a multiple is the float that
 * is nearest to it, so decompress sums to doubles.
 * Multiples compress up to 2^22 steps of float, beyond, up to 2^26, where they are floats to within
 * a quarter of a step, and up to 2^44 steps of double. Float data that were unpacked with a
 * scale_factor of type float have that float as their quantum, (double)0.01f, not 0.01; those that
 * were rounded to decimals have 0.01. */

typedef struct ghz_bound {
  ghz_bound_kind kind;
  double value;
} ghz_bound;

/* The grid that values are quantised to. Streams can be added if and only if their lattices are
 * equal, so a reduction over many arrays makes one lattice and uses it for all. Take it from
 * ghz_lattice_make or from a stream: a lattice made by hand is not verified, and the bound does not
 * hold for it. */
typedef struct ghz_lattice {
  ghz_type type;
  int cap;      /* bits of the largest quantised integer: 35, or for GHZ_F64 also 44 (the default) */
  double step;  /* quantisation step; 0 if the bound is too small for the type: values are then stored raw */
  double eb;    /* the bound per value that the step guarantees */
  int has_fill; /* 1: values equal to `fill` are missing, as NaN is (ghz_lattice_set_fill) */
  double fill;
} ghz_lattice;

/* Finds the least and greatest finite value of x[0..n). Without any, *min = +Inf and *max = -Inf.
 * Errors: EINVAL (unknown type, NULL), ENOMEM. */
GHZ_API_CHECKED ghz_status ghz_range(ghz_context *ctx, ghz_type type, const void *x, size_t n, double *min,
                                     double *max);

/* As ghz_range, without the values that are equal to `fill`. Errors: as ghz_range; EINVAL if the
 * fill is not finite, or no value of the type. */
GHZ_API_CHECKED ghz_status ghz_range_without(ghz_context *ctx, ghz_type type, const void *x, size_t n,
                                             double fill, double *min, double *max);

/* Makes the lattice for a bound.
 * min, max: the range of the finite values of all arrays that are to be added, as ghz_range gives
 * it, or +Inf and -Inf if all values are 0; GHZ_ABS and GHZ_STEP ignore it. If min == max, that
 * constant is represented exactly; tiles with any other value are stored uncompressed. If float32
 * values lie far from 0 (min and max say so), the step is smaller than GHZ_ABS makes it for the
 * same bound, which saves up to one bit a value.
 * For a bound E on the *sum* of k arrays, ask for E / k. The lattice has no fill value.
 * Errors: EINVAL (unknown type; value 0, negative, NaN or infinite; of integers anything but a step
 * of 1; a step outside 2^-120 to 2^120, of doubles 2^-1000 to 2^1000; min > max, but for +Inf and
 * -Inf; min = max = 0 with GHZ_REL or GHZ_PSNR, which looks like a range that was not measured).
 * Source: our own, with a slack of 1/64, or more for an offset; PSNR from the range as in fZ-light
 * and SZ3. */
GHZ_API_CHECKED ghz_status ghz_lattice_make(ghz_type type, ghz_bound bound, double min, double max,
                                            ghz_lattice *lattice);

/* Makes one lattice for k >= 1 arrays of n values that are to be added. Finds the range of all
 * their values, which GHZ_ABS and GHZ_STEP do not need. Arrays of one constant, or of zeros, are
 * allowed.
 * fill: NULL, or the value that stands for "missing": it is left out of the range, and the lattice
 * has it (ghz_lattice_set_fill).
 * Errors: as ghz_lattice_make, ghz_lattice_set_fill and ghz_range. */
GHZ_API_CHECKED ghz_status ghz_lattice_for(ghz_context *ctx, ghz_type type, ghz_bound bound, const double *fill,
                                           size_t k, const void *const *arrays, size_t n, ghz_lattice *lattice);

/* Finds the lattice to compress on what is to be added to a stream, a mean say: that of the stream;
 * or, if that is a k-th part of others and no array can be compressed on it (of float32 its step
 * has more than 24 bits, of integers it is not 1), the finest of those on which one can. Its bound
 * is then k times that of a term of the stream: of a mean of k or more at most that of the mean.
 * Errors: EINVAL (NULL, no lattice, or no part of one). */
GHZ_API_CHECKED ghz_status ghz_lattice_undivided(const ghz_lattice *lattice, ghz_lattice *whole);

/* Sets the fill value of a lattice: what stands for "missing" in the data, -999 or 1e20f say. In
 * compression values equal to it are treated as NaN is: they cost as little, take no part in ranges
 * and bounds, and make missing what is added to them. Decompression gives the fill for them and for
 * every other NaN of the stream. It is part of the lattice: operands with different fills do not
 * add. Choose one that lies outside the range of the data, or results may happen to equal it. 0 and
 * -0 are equal.
 * Errors: EINVAL (NULL; the fill is NaN, infinite or no value of the lattice's type: 1e20 is no
 * float, (double)1e20f is). */
GHZ_API_CHECKED ghz_status ghz_lattice_set_fill(ghz_lattice *lattice, double fill);

/* Returns 1 if two lattices are equal, bit for bit, so that streams on them add; else 0, also for
 * NULL. Fills 0 and -0 differ, for each comes back as itself. Without a fill `fill` does not
 * count. */
GHZ_API int ghz_lattice_equal(const ghz_lattice *a, const ghz_lattice *b);

/* Returns the most terms that a stream on a lattice of this cap may have: 8388607 for cap 35, 16383
 * for cap 44, 0 for any other. */
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
 * all: 0: it looks at 256 values, and at 65536 if these show something; 1: at all, for fill values.
 * Errors: EINVAL (unknown type, NULL), ENOMEM. */
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
 * Bricks of 8 x 8 x 16 where z, y and x are at least that; bricks of 1 x 32 x 32 where y and x are
 * at least 16; else flat, which shape->dims tells. Without values the array is flat.
 * Errors: EINVAL (rank 0, NULL, 2^64 values or more). */
GHZ_API_CHECKED ghz_status ghz_shape_make(size_t rank, const uint64_t *extents, ghz_shape *shape);

/* Returns 1 if dims and extents of two shapes are equal; else 0, also for NULL. */
GHZ_API int ghz_shape_equal(const ghz_shape *a, const ghz_shape *b);

/* Returns the number of values; 0 too for NULL, unknown dims, dims 1 with z or y other than 1, and
 * 2^64 values or more. */
GHZ_API uint64_t ghz_shape_count(const ghz_shape *shape);

/* Returns the number of tiles; 0 where ghz_shape_count returns 0. */
GHZ_API uint64_t ghz_shape_tiles(const ghz_shape *shape);

/* ---- Compress and decompress ----------------------------------------------------------------- */

/* Prediction order: 0 none, 1 first difference (Lorenzo), 2 second difference; in bricks
 * differences along 0 to 3 axes, from x on. GHZ_ORDER_LORENZO takes the best of these for each
 * tile. GHZ_ORDER_BEST lets bricks have coefficients of a transform, too, where that is
 * smaller; ghz_minimum and ghz_maximum refuse such streams. */
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

/* Returns the largest size of a stream of n values with at most `terms` terms; 1 for a fresh
 * stream, 2 for the sum of two. (A combination whose coefficients are all 0 has no terms, and needs
 * what 1 term needs.) Returns 0 if the type is unknown, if terms is 0 or too large, or if the size
 * would overflow size_t. */
GHZ_API size_t ghz_size_bound(size_t n, ghz_type type, uint32_t terms);

/* As ghz_size_bound, of any shape; also 0 where the shape is invalid. */
GHZ_API size_t ghz_shape_bound(const ghz_shape *shape, ghz_type type, uint32_t terms);

/* Compresses an array of a shape, in C order without gaps, to a stream in dst, and sets *size to
 * its size, at most ghz_shape_bound(shape, type, 1). Reads x twice at most.
 * order: GHZ_ORDER_BEST, GHZ_ORDER_LORENZO, or 0 to 2, of bricks of 8 x 8 x 16 also 3, to fix it.
 * Errors: EINVAL (also: the shape is invalid), ECAPACITY, ENOMEM, ERANGE (a value of GHZ_I64 beyond
 * 2^44 that is not the fill).
 * Source: fused quantisation and Lorenzo of fZ-light (Huang et al., 2025); a transform by integer
 * matrices, near the cosine's; bit planes and the rest, our own. */
GHZ_API_CHECKED ghz_status ghz_compress_shape(ghz_context *ctx, const ghz_lattice *lattice, int order,
                                              const void *x, const ghz_shape *shape, void *dst, size_t capacity,
                                              size_t *size);

/* The same of the flat array x[0..n), to at most ghz_size_bound(n, type, 1) bytes. n: any, also
 * 0. */
GHZ_CASE ghz_status ghz_compress(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                                 size_t n, void *dst, size_t capacity, size_t *size) {
  const ghz_shape flat = ghz_flat(n);
  return ghz_compress_shape(ctx, lattice, order, x, &flat, dst, capacity, size);
}

/* Compresses an array again that is what `old`, a stream of one array, decompresses to, but for
 * values that were changed since: so that the others do not drift, however often that is done. x
 * has the shape and type of `old`; dst needs ghz_shape_bound(shape, type, 1) bytes.
 * lattice: as for ghz_compress_shape. The stream has that of `old` if its bound is at most that of
 * `lattice` and more than half of it; else its step times a power of two, the largest such. So old
 * integers stay integers. (Where one of the two is that of a constant, has no step, or was scaled,
 * the stream has `lattice`.)
 * All values come back within the bound of that lattice. On the lattice of `old` those that did not
 * change come back with the same bits, but in tiles that were stored raw or as one value, and where
 * a tile cannot keep its coefficients or is dearer by an eighth with them than without any. (A
 * power of two beyond 2^21 steps of float may become the float below it, once.) After any number of
 * updates no value is further from what was last written there than twice the largest bound since;
 * two and a half times where bounds shrank and grew again.
 * x is read as the shape of `old` says: of an `old` that is not trusted compare the shape first
 * (ghz_info_read).
 * Errors: as ghz_compress_shape; EINVAL also if `old` is a sum, or of integers, which come back
 * exactly; EMISMATCH (type, cap or fill of the lattice are not those of `old`), ECORRUPT,
 * EVERSION. */
GHZ_API_CHECKED ghz_status ghz_update(ghz_context *ctx, ghz_bytes old, const ghz_lattice *lattice,
                                      const void *x, void *dst, size_t capacity, size_t *size);

/* Decompresses a stream of any shape to dst, which holds `count` values of type `out`; writes as
 * many as the stream has, in C order.
 * out: the type of the stream; or GHZ_F64 for a stream of GHZ_F32, which makes the bound of a
 * sum strict in every case; for integers see ghz_type.
 * Errors: EINVAL (GHZ_F32 for a stream of GHZ_F64 or integers of more than 16 bits; an integer type
 * for floating-point values or means), ERANGE (a value is no integer of that type), ECAPACITY (the
 * stream has more than `count` values), ECORRUPT, EVERSION, ENOMEM. */
GHZ_API_CHECKED ghz_status ghz_decompress(ghz_context *ctx, ghz_bytes src, ghz_type out, void *dst,
                                          size_t count);

/* Decompresses a box alone: extent[0] x extent[1] x extent[2] values, the first of which is at
 * `origin` (z, y, x, of the shape that the stream has: ghz_info), to dst, in C order without gaps.
 * Reads only the tiles that hold them.
 * Errors: as ghz_decompress; EINVAL if the box is not inside the array. */
GHZ_API_CHECKED ghz_status ghz_decompress_box(ghz_context *ctx, ghz_bytes src, ghz_type out,
                                              const uint64_t origin[3], const uint64_t extent[3], void *dst);

/* The same of values first .. first + count - 1 of a flat stream, or of the first line of any
 * other. */
GHZ_CASE ghz_status ghz_decompress_range(ghz_context *ctx, ghz_bytes src, ghz_type out, uint64_t first,
                                         size_t count, void *dst) {
  const uint64_t origin[3] = {0, 0, first}, extent[3] = {1, 1, count};
  return ghz_decompress_box(ctx, src, out, origin, extent, dst);
}

/* Compresses an array of a shape with GHZ_ORDER_BEST under a bound, for which it finds the range
 * itself. *stream is then memory of *size bytes: free it with free(). While it works it holds
 * ghz_shape_bound(shape, type, 1) bytes. Arrays that are to be added need one lattice for all: make
 * it, and take ghz_compress_shape.
 * Errors: as ghz_lattice_make and ghz_compress_shape, ENOMEM also for the result. After an error
 * *stream is NULL and *size 0. */
GHZ_API_CHECKED ghz_status ghz_compress_alloc(ghz_context *ctx, ghz_type type, ghz_bound bound, const void *x,
                                              const ghz_shape *shape, void **stream, size_t *size);

/* Decompresses a stream of any shape. *values is then memory with *count values of type `out`: free
 * it with free(). A stream may have 3000 times its size in values. Errors: as ghz_decompress,
 * ENOMEM also for the result. After an error *values is NULL and *count 0. */
GHZ_API_CHECKED ghz_status ghz_decompress_alloc(ghz_context *ctx, ghz_bytes src, ghz_type out, void **values,
                                                size_t *count);

/* ---- Computing on streams -------------------------------------------------------------------- */
/* Each of these writes a stream to dst and sets *size. The operands must have the same type, shape,
 * cap, step, eb and fill (ghz_linear says which steps it takes, too); EMISMATCH otherwise, and
 * ghz_context_message says which differs. The terms of the result are the sum of the operands'
 * terms, and its size is at most ghz_shape_bound(shape, type, those terms).
 * Errors of each: EINVAL, EMISMATCH, ERANGE, ECAPACITY, ECORRUPT, EVERSION, ENOMEM.
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

/* The same, to memory of *size bytes, whose bound it finds itself: free *stream with free(). ENOMEM
 * also for the result. After an error *stream is NULL and *size 0. */
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
 * step; eb covers the first thousand scalings of a stream.
 * EINVAL if factor is 0, NaN or infinite, or if the new step leaves the range of the type. */
GHZ_API_CHECKED ghz_status ghz_scale(ghz_context *ctx, ghz_bytes a, double factor, void *dst, size_t capacity,
                                     size_t *size);

/* dst = the smaller (larger) of a and b, value by value. Values are compared as quantised integers,
 * so eb holds for the result whatever the number of operands. Where an operand is missing (NaN or
 * the fill), so is the result. The terms of the result are the larger of the operands' terms.
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

/* acc += the values of an array, in place: the bytes that ghz_compress_shape and ghz_accumulate
 * give, without the compressed array in between: each tile is compressed and added at once.
 * Messages call the array operand 1. Errors: as both. */
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

/* Reads and checks the header and the index of a stream. Errors: EINVAL, ECORRUPT, EVERSION. */
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

/* Checks every tile of a stream and counts what it holds. Errors: EINVAL, ECORRUPT, EVERSION,
 * ENOMEM. */
GHZ_API_CHECKED ghz_status ghz_scan(ghz_context *ctx, ghz_bytes src, ghz_statistics *statistics);

/* Finds the least and greatest finite value that the stream decompresses to and that is not its
 * fill. Without any, *min = +Inf and *max = -Inf. Errors: EINVAL, ECORRUPT, EVERSION, ENOMEM. */
GHZ_API_CHECKED ghz_status ghz_extrema(ghz_context *ctx, ghz_bytes src, double *min, double *max);

#ifdef __cplusplus
}
#endif
#endif /* GHZ_H */
