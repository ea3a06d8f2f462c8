/* ghz.h: the whole public interface of libghz.
 *
 * libghz compresses arrays of float or double under a strict error bound, and computes on the
 * compressed form: it adds, subtracts, scales and averages streams without decompressing them.
 *
 *   void *stream, *y;
 *   size_t size, count;
 *   ghz_shape shape = ghz_flat(n);
 *   ghz_compress_alloc(NULL, GHZ_F32, (ghz_bound){GHZ_REL, 1e-4}, x, &shape, &stream, &size);
 *   ghz_decompress_alloc(NULL, (ghz_bytes){stream, size}, GHZ_F32, &y, &count);
 *
 * With the caller's memory and several threads:
 *
 *   ghz_context *ctx;
 *   ghz_lattice lattice;
 *   ghz_context_create(&ctx, 0);
 *   ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 1e-3}, 0, 0, &lattice);
 *   size_t capacity = ghz_size_bound(n, GHZ_F32, 1), size;
 *   void *stream = malloc(capacity);
 *   ghz_compress(ctx, &lattice, GHZ_ORDER_BEST, x, n, stream, capacity, &size);
 *   ghz_decompress(ctx, (ghz_bytes){stream, size}, GHZ_F32, y, n);
 *   ghz_context_free(ctx);
 *
 * An array of two or three dimensions compresses better with its shape: ghz_shape_make,
 * ghz_shape_bound and ghz_compress_shape in place of ghz_size_bound and ghz_compress.
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
 *                 prediction and of slices
 *   slice         a range of the tiles of a stream
 *   message       a slice in one buffer, as it is sent to another process
 *   terms         how many quantised arrays a stream is the sum of; 1 after compression
 *
 * Promises
 *   bound         Every finite value x comes back as y with |x - y| <= eb, in exact arithmetic. NaN
 *                 comes back as the canonical quiet NaN, and infinities as themselves. -0.0 may
 *                 come back as +0.0. Where the lattice has a fill value, the fill and NaN come back
 *                 as the fill. A sum with `terms` terms is within terms * eb of the exact sum of
 *                 the original values. FORMAT.md, "Bound of a sum", has the one exception: float32
 *                 beyond 2^22 steps.
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
 *                 ends: nothing to create, and safe in any pool of threads and after fork(). It
 *                 keeps scratch memory as any context does.
 *   Messages      ghz_context_message has a sentence for every failure: of calls with a context,
 *                 with NULL of this thread's calls without one.
 *   fork()        In a child of a program that has used several threads, use contexts of one
 *                 thread: GCC's OpenMP hangs in others.
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
#define GHZ_TRY GHZ_API GHZ_CHECKED

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
  GHZ_EVERSION = -5,     /* written by version 0.1, or by a newer version: a type or feature bit that this
                         one does not know */
  GHZ_EMISMATCH = -6,    /* operands differ in type, shape, cap, step, bound or fill */
  GHZ_ERANGE = -7,       /* the result would have more terms than ghz_terms_limit allows */
  GHZ_EISA = -8,         /* GHZ_ISA names an instruction set that this machine or build does not have */
  GHZ_EDEVICE = -9,      /* no GPU that this build has kernels for, or CUDA reported an error */
  GHZ_EBUSY = -10,       /* the context serves a call of another thread: give each thread its own, or NULL */
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
 * threads: 0 takes as many as OpenMP would use, and fewer for small arrays.
 * The instruction set is the best one of the machine, or the one that the environment variable
 * GHZ_ISA names: scalar; avx2 or avx512 on x86-64; neon on 64-bit ARM.
 * Scratch memory grows on first use and is kept: a call of a size seen before allocates nothing. It
 * stays below the worst-case compressed size of the largest result, counted in whole tiles (twice
 * that for ghz_accumulate), plus 1 % and 64 KiB a thread. Each operand of the largest sum adds 384
 * bytes, and 96 bytes per 65536 values.
 * If threads cannot be created, the OpenMP runtime aborts the process. A context of one thread
 * never creates any.
 * Errors: EINVAL (threads < 0), ENOMEM, EISA. After an error *ctx is NULL. Free with
 * ghz_context_free. */
GHZ_TRY ghz_status ghz_context_create(ghz_context **ctx, int threads);

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
  GHZ_F64 = 1  /* IEEE binary64 */
} ghz_type;

/* Returns the bytes of a value of this type; 0 for an unknown type. */
GHZ_API size_t ghz_type_size(ghz_type type);

typedef enum ghz_bound_kind {
  GHZ_ABS = 0, /* value: the largest |x - y|, in the units of the data */
  GHZ_REL = 1, /* value: the largest |x - y| as a fraction of the range (max - min) of the finite values */
  GHZ_PSNR = 2 /* value: the least peak signal-to-noise ratio, in dB; the peak is that range */
} ghz_bound_kind;

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
GHZ_TRY ghz_status ghz_range(ghz_context *ctx, ghz_type type, const void *x, size_t n, double *min,
                             double *max);

/* The same of the values that are not equal to `fill`. Errors: as ghz_range; EINVAL if the fill is
 * not finite, or no value of the type. */
GHZ_TRY ghz_status ghz_range_without(ghz_context *ctx, ghz_type type, const void *x, size_t n, double fill,
                                     double *min, double *max);

/* Makes the lattice for a bound.
 * min, max: the range of the finite values of all arrays that are to be added (ghz_range).
 * GHZ_ABS ignores it. If min == max, that constant is represented exactly; tiles with any other
 * value are stored uncompressed. If all values are 0, give min = +Inf and max = -Inf, which
 * ghz_range reports where nothing is finite.
 * If float32 values lie far from 0 (min and max say so), the step is smaller than GHZ_ABS makes it
 * for the same bound, which saves up to one bit a value.
 * For a bound E on the *sum* of k arrays, ask for E / k. The lattice has no fill value.
 * Errors: EINVAL (unknown type; value 0, negative, NaN or infinite; min > max, except for the range
 * that ghz_range reports where nothing is finite; min = max = 0 but for GHZ_ABS, because that looks
 * like a range that was not measured).
 * Source: our own, with a slack of 1/64, or more for an offset; PSNR from the range as in fZ-light
 * and SZ3. */
GHZ_TRY ghz_status ghz_lattice_make(ghz_type type, ghz_bound bound, double min, double max,
                                    ghz_lattice *lattice);

/* Makes one lattice for k >= 1 arrays of n values that are to be added. Finds the range of all
 * their values, which GHZ_ABS does not need. Arrays of one constant, or of zeros, are allowed.
 * fill: NULL, or the value that stands for "missing": it is left out of the range, and the lattice
 * has it (ghz_lattice_set_fill).
 * Errors: as ghz_lattice_make, ghz_lattice_set_fill and ghz_range. */
GHZ_TRY ghz_status ghz_lattice_for(ghz_context *ctx, ghz_type type, ghz_bound bound, const double *fill,
                                   size_t k, const void *const *arrays, size_t n, ghz_lattice *lattice);

/* Sets the fill value of a lattice: what stands for "missing" in the data, -999 or 1e20f say. In
 * compression values equal to it are treated as NaN is: they cost as little, take no part in ranges
 * and bounds, and make missing what is added to them. Decompression gives the fill for them and for
 * every other NaN of the stream. It is part of the lattice: operands with different fills do not
 * add. Choose one that lies outside the range of the data, or results may happen to equal it. 0 and
 * -0 are equal.
 * Errors: EINVAL (NULL; the fill is NaN, infinite or no value of the lattice's type: 1e20 is no
 * float, (double)1e20f is). */
GHZ_TRY ghz_status ghz_lattice_set_fill(ghz_lattice *lattice, double fill);

/* Returns the most terms that a stream on a lattice of this cap may have: 8388607 for cap 35, 16383
 * for cap 44, 0 for any other. */
GHZ_API uint32_t ghz_terms_limit(int cap);

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
GHZ_TRY ghz_status ghz_shape_make(size_t rank, const uint64_t *extents, ghz_shape *shape);

/* Returns the number of values; 0 too for NULL, unknown dims, dims 1 with z or y other than 1, and
 * 2^64 values or more. */
GHZ_API uint64_t ghz_shape_count(const ghz_shape *shape);

/* Returns the number of tiles; 0 where ghz_shape_count returns 0. */
GHZ_API uint64_t ghz_shape_tiles(const ghz_shape *shape);

/* ---- Compress and decompress ----------------------------------------------------------------- */

/* Prediction order: 0 none, 1 first difference (Lorenzo), 2 second difference; in bricks
 * differences along 0 to 3 axes, from x on. GHZ_ORDER_LORENZO takes the best of these for each
 * tile. GHZ_ORDER_BEST lets bricks have coefficients of a cosine transform, too, where that is
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
 * stream, 2 for the sum of two. Where all coefficients of a combination are 0, it has no terms and
 * fits where 1 does. Returns 0 if the type is unknown, if terms is 0 or too large, or if the size
 * would overflow size_t. */
GHZ_API size_t ghz_size_bound(size_t n, ghz_type type, uint32_t terms);

/* As ghz_size_bound, of any shape; also 0 where the shape is invalid. */
GHZ_API size_t ghz_shape_bound(const ghz_shape *shape, ghz_type type, uint32_t terms);

/* Compresses x[0..n) to a stream in dst, and sets *size to its size, at most
 * ghz_size_bound(n, type, 1). Reads x twice at most.
 * order: GHZ_ORDER_BEST (or _LORENZO, the same here), or 0, 1, 2 to fix it. n: any, also 0.
 * Errors: EINVAL, ECAPACITY, ENOMEM.
 * Source: fused quantisation and Lorenzo of fZ-light (Huang et al., 2025); bit planes and the rest,
 * our own. */
GHZ_TRY ghz_status ghz_compress(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                                size_t n, void *dst, size_t capacity, size_t *size);

/* Compresses an array of a shape, in C order without gaps, to a stream of at most
 * ghz_shape_bound(shape, type, 1) bytes. ghz_compress is this with ghz_flat(n).
 * order: GHZ_ORDER_BEST, GHZ_ORDER_LORENZO, or 0 to 2, of bricks of 8 x 8 x 16 also 3, to fix it.
 * Errors: as ghz_compress; EINVAL if the shape is invalid.
 * Source: cosine transform by an integer matrix as in HEVC, Lorenzo predictor; lattice and
 * addition of both layers, our own. */
GHZ_TRY ghz_status ghz_compress_shape(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                                      const ghz_shape *shape, void *dst, size_t capacity, size_t *size);

/* Decompresses a stream of any shape to dst, which holds `count` values of type `out`; writes as
 * many as the stream has, in C order.
 * out: the type of the stream; or GHZ_F64 for a stream of GHZ_F32, which makes the bound of a
 * sum strict in every case.
 * Errors: EINVAL (GHZ_F32 for a stream of GHZ_F64), ECAPACITY (the stream has more than `count`
 * values), ECORRUPT, EVERSION, ENOMEM. */
GHZ_TRY ghz_status ghz_decompress(ghz_context *ctx, ghz_bytes src, ghz_type out, void *dst, size_t count);

/* Decompresses values first .. first + count - 1 of a flat stream alone, to dst[0..count). Reads
 * only the tiles that hold them. Errors: as ghz_decompress; EINVAL if the range is not inside the
 * stream, or the stream is not flat. */
GHZ_TRY ghz_status ghz_decompress_range(ghz_context *ctx, ghz_bytes src, ghz_type out, uint64_t first,
                                        size_t count, void *dst);

/* Decompresses a box alone: extent[0] x extent[1] x extent[2] values, the first of which is at
 * `origin` (z, y, x, of the shape that the stream has: ghz_info), to dst, in C order without gaps.
 * Reads only the tiles that hold them. Of a flat stream a box is {0, 0, first}, {1, 1, count}.
 * Errors: as ghz_decompress; EINVAL if the box is not inside the array. */
GHZ_TRY ghz_status ghz_decompress_box(ghz_context *ctx, ghz_bytes src, ghz_type out, const uint64_t origin[3],
                                      const uint64_t extent[3], void *dst);

/* Compresses an array of a shape with GHZ_ORDER_BEST under a bound, for which it finds the range
 * itself. *stream is then memory of *size bytes: free it with free(). While it works it holds
 * ghz_shape_bound(shape, type, 1) bytes. Arrays that are to be added need one lattice for all: make
 * it, and take ghz_compress_shape.
 * Errors: as ghz_lattice_make and ghz_compress_shape, ENOMEM also for the result. After an error
 * *stream is NULL and *size 0. */
GHZ_TRY ghz_status ghz_compress_alloc(ghz_context *ctx, ghz_type type, ghz_bound bound, const void *x,
                                      const ghz_shape *shape, void **stream, size_t *size);

/* Decompresses a stream of any shape. *values is then memory with *count values of type `out`: free
 * it with free(). A stream may have 3000 times its size in values. Errors: as ghz_decompress,
 * ENOMEM also for the result. After an error *values is NULL and *count 0. */
GHZ_TRY ghz_status ghz_decompress_alloc(ghz_context *ctx, ghz_bytes src, ghz_type out, void **values,
                                        size_t *count);

/* ---- Computing on streams -------------------------------------------------------------------- */
/* Each of these writes a stream to dst and sets *size. The operands must have the same type, shape,
 * cap, step, eb and fill; EMISMATCH otherwise, and ghz_context_message says which differs. The
 * terms of the result are the sum of the operands' terms, and its size is at most
 * ghz_shape_bound(shape, type, those terms).
 * Errors of each: EINVAL, EMISMATCH, ERANGE, ECAPACITY, ECORRUPT, EVERSION, ENOMEM.
 * Source: addition of compressed streams, hZCCL (Huang et al., SC'24); on bit planes, our own. */

/* dst = a + b */
GHZ_TRY ghz_status ghz_add(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity,
                           size_t *size);

/* dst = a - b */
GHZ_TRY ghz_status ghz_subtract(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity,
                                size_t *size);

/* dst = -a */
GHZ_TRY ghz_status ghz_negate(ghz_context *ctx, ghz_bytes a, void *dst, size_t capacity, size_t *size);

/* dst = factor * a. Changes step and eb in the header, and no integer. Each scaling rounds the
 * step; eb covers the first thousand scalings of a stream.
 * EINVAL if factor is 0, NaN or infinite, or if the new step leaves the range of the type. */
GHZ_TRY ghz_status ghz_scale(ghz_context *ctx, ghz_bytes a, double factor, void *dst, size_t capacity,
                             size_t *size);

/* dst = sum of streams[0..k), k >= 1, in one pass: each operand is read once, the result written
 * once. */
GHZ_TRY ghz_status ghz_sum(ghz_context *ctx, size_t k, const ghz_bytes *streams, void *dst, size_t capacity,
                           size_t *size);

/* The same, to memory of *size bytes: free *stream with free(). ENOMEM also for the result. After
 * an error *stream is NULL and *size 0. */
GHZ_TRY ghz_status ghz_sum_alloc(ghz_context *ctx, size_t k, const ghz_bytes *streams, void **stream,
                                 size_t *size);

/* dst = mean of streams[0..k), k >= 1: their sum, with step / k and eb / k.
 * EINVAL also if step / k is too small for the type. */
GHZ_TRY ghz_status ghz_mean(ghz_context *ctx, size_t k, const ghz_bytes *streams, void *dst, size_t capacity,
                            size_t *size);

/* dst = sum of coefficients[i] * streams[i], 0 <= i < k. Its terms are the sum of the
 * operands' terms, each times |coefficients[i]|. Operands with coefficient 0 are checked and then
 * ignored. */
GHZ_TRY ghz_status ghz_combine(ghz_context *ctx, size_t k, const ghz_bytes *streams,
                               const int64_t *coefficients, void *dst, size_t capacity, size_t *size);

/* dst = the smaller (larger) of a and b, value by value. Values are compared as quantised integers,
 * so eb holds for the result whatever the number of operands. NaN and the fill win. The terms of
 * the result are the larger of the operands' terms.
 * EINVAL if an operand may have coefficients (ghz_info.transform), because its values lie between
 * those integers: compress bricks with GHZ_ORDER_LORENZO for this. */
GHZ_TRY ghz_status ghz_minimum(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity,
                               size_t *size);
GHZ_TRY ghz_status ghz_maximum(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity,
                               size_t *size);

/* acc += x, in place. acc has `capacity` bytes, of which *size are a stream; the sum replaces it.
 * With *size 0 there is none yet, and acc becomes the sum of x alone. On error *size is unchanged,
 * and so are the *size bytes of acc. The context keeps scratch memory for one result. */
GHZ_TRY ghz_status ghz_accumulate(ghz_context *ctx, void *acc, size_t capacity, size_t *size, ghz_bytes x);

/* acc += the values of an array, in place: the bytes that ghz_compress_shape and ghz_accumulate
 * give, without the compressed array in between: each tile is compressed and added at once. It is
 * operand 1 in messages. Errors: as both. */
GHZ_TRY ghz_status ghz_accumulate_values(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                                         const ghz_shape *shape, void *acc, size_t capacity, size_t *size);

/* ---- Looking at streams ---------------------------------------------------------------------- */

typedef struct ghz_info {
  ghz_lattice lattice; /* type, cap, step, eb, fill */
  ghz_shape shape;
  uint64_t count; /* values: ghz_shape_count */
  uint64_t tiles; /* ghz_shape_tiles */
  uint32_t terms; /* quantised terms that each value sums */
  int inexact;    /* 1: sums of values outside the lattice went in; no bound is promised */
  int transform;  /* 1: tiles may have coefficients */
  double bound;   /* guaranteed |y - exact|: terms * eb, rounded up; +Inf if inexact */
  uint64_t bytes; /* size of the stream */
} ghz_info;

/* Reads and checks the header and the index of a stream. Errors: EINVAL, ECORRUPT, EVERSION. */
GHZ_TRY ghz_status ghz_info_read(ghz_bytes src, ghz_info *info);

typedef struct ghz_statistics {
  uint64_t empty;        /* tiles of zeros, stored in no bytes at all */
  uint64_t raw;          /* tiles stored uncompressed */
  uint64_t specials;     /* lattice tiles with NaN or infinities */
  uint64_t order[4];     /* lattice tiles by prediction order */
  uint64_t mode[3];      /* lattice tiles by mode: coarse, fine, wide */
  uint64_t coefficients; /* lattice tiles with coefficients */
  uint64_t widths[63];   /* blocks of 8 residuals with a value of the array, by width in bits */
} ghz_statistics;

/* Checks every tile of a stream and counts what it holds. Errors: EINVAL, ECORRUPT, EVERSION,
 * ENOMEM. */
GHZ_TRY ghz_status ghz_scan(ghz_context *ctx, ghz_bytes src, ghz_statistics *statistics);

/* Finds the least and greatest finite value that the stream decompresses to and that is not its
 * fill. Without any, *min = +Inf and *max = -Inf. Errors: EINVAL, ECORRUPT, EVERSION, ENOMEM. */
GHZ_TRY ghz_status ghz_extrema(ghz_context *ctx, ghz_bytes src, double *min, double *max);

/* ---- Numbers from streams -------------------------------------------------------------------- */
/* Sums, means, norms, products and distances of what streams hold, without decompressing them.
 *
 * What is computed is exact: the integers of the lattice (and values that are stored raw) are
 * summed up without rounding, and each result is rounded once. It has the same bits whatever the
 * number of threads, the machine, or the order in which streams are added to a tally.
 *
 * Each result comes with an interval that surely holds the same quantity of the original values
 * (with terms > 1: of the exact sums of the originals), because each of these is within
 * ghz_info.bound of what the stream holds; values stored raw are the originals. Where `inexact` is
 * 1 the interval has no end.
 *
 * NaN, infinities and fill values are left out and counted. Values are taken before decompression
 * rounds them to their type: a sum that decompresses to infinity is a finite number here. */

/* The number, rounded to nearest, and the interval. All three are NaN where there is no such
 * number. */
typedef struct ghz_estimate {
  double value, low, high;
} ghz_estimate;

typedef struct ghz_summary {
  uint64_t count;    /* finite values; mean, variance and deviation need one */
  uint64_t specials; /* other values, which are left out */
  ghz_estimate sum, mean;
  ghz_estimate variance;  /* the mean of the squared distances from the mean: divided by count */
  ghz_estimate deviation; /* its root */
  ghz_estimate norm;      /* L2: the root of the sum of squares */
} ghz_summary;

typedef struct ghz_comparison {
  uint64_t count;       /* pairs of finite values; mean, rms and largest need one */
  uint64_t specials;    /* other pairs, which are left out */
  uint64_t mismatches;  /* of those: one is special and the other is not, or they are so in different ways */
  ghz_estimate product; /* the dot product: the sum of a * b */
  ghz_estimate mean;    /* of a - b */
  ghz_estimate rms;     /* the root of the mean of (a - b)^2 */
  ghz_estimate largest; /* the largest |a - b| */
  uint64_t index;       /* the first place where it is, in C order; UINT64_MAX without pairs */
  uint64_t place[3];    /* the same as z, y, x */
} ghz_comparison;

/* Sums up one stream. Errors: EINVAL, ECORRUPT, EVERSION, ENOMEM. */
GHZ_TRY ghz_status ghz_moments(ghz_context *ctx, ghz_bytes src, ghz_summary *summary);

/* Compares two streams a and b of the same type, shape and lattice; their terms may differ.
 * Errors: as ghz_moments; EMISMATCH, and ghz_context_message says what differs. */
GHZ_TRY ghz_status ghz_difference(ghz_context *ctx, ghz_bytes a, ghz_bytes b, ghz_comparison *comparison);

enum { GHZ_TALLY_FIRST = 38, GHZ_TALLY_SECOND = 74 };

/* Exact sums that go on from stream to stream: over the frames of a file, over files, over the
 * ranks of a job (it has no pointers, and may be sent as bytes between equal machines). Begins as
 * {0}. The fields are the library's. */
typedef struct ghz_tally {
  uint64_t kind, positions, count, specials, mismatches, inexact, index;
  double error;
  uint64_t sum[GHZ_TALLY_FIRST], sum_error[GHZ_TALLY_FIRST], largest[GHZ_TALLY_FIRST];
  uint64_t squares[GHZ_TALLY_SECOND], squares_error[GHZ_TALLY_SECOND];
  uint64_t product[GHZ_TALLY_SECOND], product_error[GHZ_TALLY_SECOND];
} ghz_tally;

/* Adds a stream, or the pairs of two streams; a tally has either. The streams of a tally may have
 * any lattices. On error the tally is unchanged. Errors: as ghz_moments and ghz_difference; EINVAL
 * if the tally has the other kind; ERANGE beyond 2^64 values. */
GHZ_TRY ghz_status ghz_tally_add(ghz_context *ctx, ghz_tally *tally, ghz_bytes src);
GHZ_TRY ghz_status ghz_tally_add_pair(ghz_context *ctx, ghz_tally *tally, ghz_bytes a, ghz_bytes b);

/* Adds the streams of another tally, which come after those of this one: that counts for
 * ghz_comparison.index alone. Errors: EINVAL, ERANGE, as above. */
GHZ_TRY ghz_status ghz_tally_merge(ghz_tally *tally, const ghz_tally *other);

/* What the streams so far give together, as if they were one: ghz_moments or ghz_difference of all
 * values. The place of the largest difference is that in an array of `shape`, whose values the
 * streams hold one after the other; NULL: in a flat one. Errors: EINVAL (NULL, the other kind). */
GHZ_TRY ghz_status ghz_tally_summary(const ghz_tally *tally, ghz_summary *summary);
GHZ_TRY ghz_status ghz_tally_comparison(const ghz_tally *tally, const ghz_shape *shape,
                                        ghz_comparison *comparison);

/* ---- Slices: ranges of tiles ----------------------------------------------------------------- */

/* A range of the tiles of a stream, or of a message that arrived. It points into the buffer that it
 * was made from, and owns nothing: keep that buffer. Treat the fields as read-only. */
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
 * payload: three pieces that a sender may gather without copying. FORMAT.md, "Message", has its
 * bytes. */
#define GHZ_SLICE_HEADER 88

/* Views tiles first .. first + tiles - 1 of a stream, without copying.
 * Errors: EINVAL (range outside the stream), ECORRUPT, EVERSION. */
GHZ_TRY ghz_status ghz_slice_view(ghz_bytes stream, uint64_t first, uint64_t tiles, ghz_slice *slice);

/* Returns the number of values in the slice's tiles; the last tile of the array may be short. */
GHZ_API size_t ghz_slice_count(const ghz_slice *slice);

/* Writes the GHZ_SLICE_HEADER bytes that begin the slice's message. Errors: EINVAL. */
GHZ_TRY ghz_status ghz_slice_header(const ghz_slice *slice, void *header);

/* Returns the size of the slice's message; 0 if it overflows. */
GHZ_API size_t ghz_slice_size(const ghz_slice *slice);

/* Returns the largest size of a message of `tiles` tiles of an array of this shape, of which only
 * dims counts, with `terms` terms; 0 if it overflows. */
GHZ_API size_t ghz_slice_bound(const ghz_shape *shape, uint64_t tiles, ghz_type type, uint32_t terms);

/* Allocates the scratch that slices of up to `tiles` tiles of an array of this shape, of which only
 * dims counts, with up to `terms` terms need. Until the number of threads changes,
 * ghz_slice_compress, _sum of two, _extremum, _mean and _decompress on them do not return
 * GHZ_ENOMEM. Errors: ENOMEM, EINVAL. */
GHZ_TRY ghz_status ghz_slice_reserve(ghz_context *ctx, const ghz_shape *shape, uint64_t tiles, ghz_type type,
                                     uint32_t terms);

/* Copies the slice to a message in dst, and sets *size. Errors: ECAPACITY, EINVAL. */
GHZ_TRY ghz_status ghz_slice_pack(const ghz_slice *slice, void *dst, size_t capacity, size_t *size);

/* Checks the header and sizes of a message that arrived, and views it. The tiles are checked when
 * they are used. Errors: EINVAL, ECORRUPT, EVERSION. */
GHZ_TRY ghz_status ghz_slice_parse(ghz_bytes message, ghz_slice *slice);

/* Compresses tiles first .. first + tiles - 1 of an array to a message in dst, and views it. x is
 * the beginning of the whole array, and only the values of these tiles are read. Errors: as
 * ghz_compress; EINVAL if the range is not inside the array. */
GHZ_TRY ghz_status ghz_slice_compress_shape(ghz_context *ctx, const ghz_lattice *lattice, int order,
                                            const void *x, const ghz_shape *shape, uint64_t first,
                                            uint64_t tiles, void *dst, size_t capacity, ghz_slice *slice);

/* The same, of the flat array x[0..n). */
GHZ_TRY ghz_status ghz_slice_compress(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                                      size_t n, uint64_t first, uint64_t tiles, void *dst, size_t capacity,
                                      ghz_slice *slice);

/* Sums slices[0..k), k >= 1, of the same range to a message in dst, and views it. Errors: as
 * ghz_sum. */
GHZ_TRY ghz_status ghz_slice_sum(ghz_context *ctx, size_t k, const ghz_slice *slices, void *dst,
                                 size_t capacity, ghz_slice *slice);

/* Divides a slice, mostly a sum of k arrays, by k >= 1, to a message in dst, and views it: step / k
 * and eb / k, as in ghz_mean. Values outside the lattice are rounded twice, where ghz_mean rounds
 * once.
 * Errors: as ghz_mean. */
GHZ_TRY ghz_status ghz_slice_mean(ghz_context *ctx, const ghz_slice *sum, uint64_t k, void *dst,
                                  size_t capacity, ghz_slice *slice);

/* Writes the smaller (larger = 0) or larger values of two slices of the same range to a message in
 * dst, and views it. Errors: as ghz_minimum. */
GHZ_TRY ghz_status ghz_slice_extremum(ghz_context *ctx, const ghz_slice *a, const ghz_slice *b, int larger,
                                      void *dst, size_t capacity, ghz_slice *slice);

/* Decompresses a flat slice: ghz_slice_count(slice) values of type `out`, to dst. Errors: as
 * ghz_decompress; EINVAL if the slice is of bricks, whose values do not lie one after the other. */
GHZ_TRY ghz_status ghz_slice_decompress(ghz_context *ctx, const ghz_slice *slice, ghz_type out, void *dst);

/* Decompresses a slice of any shape to the places of its values in the whole array, which begins at
 * `array`; writes nothing else. Errors: as ghz_decompress. */
GHZ_TRY ghz_status ghz_slice_decompress_into(ghz_context *ctx, const ghz_slice *slice, ghz_type out,
                                             void *array);

/* Joins k slices that follow each other and together cover the whole array to a stream in dst. They
 * must agree in everything but range and `inexact`. Errors: EINVAL (a gap or overlap), EMISMATCH,
 * ECAPACITY, ECORRUPT. */
GHZ_TRY ghz_status ghz_slice_join(ghz_context *ctx, size_t k, const ghz_slice *slices, void *dst,
                                  size_t capacity, size_t *size);

/* ---- On a GPU -------------------------------------------------------------------------------- */
/* The same operations in the memory of a CUDA device. Streams and messages have the same bytes.
 *
 *   ghz_cuda *gpu;
 *   ghz_cuda_outcome *outcome;                                   (from cudaMallocHost)
 *   ghz_cuda_create(&gpu, n, 2);
 *   ghz_cuda_compress(gpu, &lattice, GHZ_ORDER_BEST, x, ghz_flat(n), a, room, outcome, stream);
 *   ghz_cuda_add(gpu, GHZ_F32, ghz_flat(n), (ghz_bytes){a, room}, (ghz_bytes){b, room}, sum, room2,
 *                outcome2, stream);
 *   if (ghz_cuda_wait(gpu, outcome2, NULL, stream) == GHZ_OK) ...
 *
 * Order       A call puts its work on `stream` (a cudaStream_t) and returns. It never waits for the
 *             device, never allocates, and uses no host memory of the caller after it has returned.
 * Status      The returned status says whether the work was put on the stream. Errors of each call:
 *             EINVAL (also: host memory where device memory belongs, x or dst not aligned),
 *             ECAPACITY (the context was created for smaller arrays or slices, or dst cannot even
 *             hold the index), ERANGE, EDEVICE.
 * Shape       The caller says the shape of the array; ghz_flat(n) is that of n values in a row.
 * Outcome     What became of the work is written to *outcome when it is done. Read it after an
 *             event or a synchronisation of the stream, or with ghz_cuda_wait. Unless its status is
 *             GHZ_OK the contents of the destination are unspecified. `outcome` is memory that host
 *             and device can reach (cudaMallocHost), or device memory; each call in flight needs
 *             its own.
 * Memory      Arrays, streams and messages are in device memory: from cudaMalloc (or managed), of
 *             the device that was current when the context was created. It must be current in every
 *             call. Streams and messages begin at multiples of 16 bytes; values are aligned as
 *             their type requires. `size` of an operand is the number of bytes that may be read
 *             from `data` on. The stream may be shorter: its header says where it ends. Outputs
 *             must not overlap inputs.
 * Contexts    A context is scratch memory for the calls on one stream: calls with the same context
 *             must be on the same stream, or ordered by events. Use one context per stream, from
 *             one thread at a time.
 * Untrusted   Device memory may hold any bytes, as elsewhere; the outcome is then ECORRUPT.
 *
 * A library without CUDA has these calls too; ghz_cuda_create then returns EDEVICE, and there is no
 * context for the others.
 * Source: single-pass kernels with decoupled look-back (Merrill and Garland, 2016), as in ghZ
 * (ICS'25). */

typedef struct CUstream_st *ghz_cuda_stream; /* cudaStream_t */

/* A CUDA device, and scratch memory on it. */
typedef struct ghz_cuda ghz_cuda;

/* What became of a call. The device writes it. */
typedef struct ghz_cuda_outcome {
  int32_t status;   /* OK, ECORRUPT, EVERSION, EMISMATCH, ERANGE, ECAPACITY; EINVAL: step / k too small */
  int32_t inexact;  /* of the result, as in ghz_info */
  uint32_t terms;   /* of the result */
  uint32_t operand; /* the operand at fault; UINT32_MAX if no single one is */
  uint64_t tile;    /* the damaged tile, counted in the array; UINT64_MAX if none is */
  uint64_t size;    /* bytes of the result: a stream, a message, or the decompressed values */
} ghz_cuda_outcome;

/* The most operands of one call. */
#define GHZ_CUDA_OPERANDS 64

/* Returns 1 if the library was built with CUDA, else 0. */
GHZ_API int ghz_cuda_built(void);

/* Creates a context on the current device, for arrays or slices of up to `values` values (in whole
 * tiles) and calls with up to `operands` operands, 1 to GHZ_CUDA_OPERANDS. Allocates all scratch
 * memory: some 6 + operands / 2 bytes per 1024 values, and 225 KiB per 16384 values, but no more
 * than 673 KiB for each multiprocessor (91 MB on 132 of them).
 * Errors: EINVAL, ENOMEM (host or device), EDEVICE (built without CUDA, no device or driver, or a
 * device older than the kernels). After an error *gpu is NULL. Free with ghz_cuda_free. */
GHZ_API ghz_status ghz_cuda_create(ghz_cuda **gpu, size_t values, size_t operands);

/* Frees a context. Work that uses it must have ended. Ignores NULL. */
GHZ_API void ghz_cuda_free(ghz_cuda *gpu);

/* Returns a sentence about the last call with this context that failed, or that ghz_cuda_wait found
 * to have failed; as ghz_context_message. NULL: about the last ghz_cuda_create of this thread that
 * failed. */
GHZ_API const char *ghz_cuda_message(const ghz_cuda *gpu);

/* Waits for the stream, copies the outcome to *copy (may be NULL) and returns its status. */
GHZ_API ghz_status ghz_cuda_wait(ghz_cuda *gpu, const ghz_cuda_outcome *outcome, ghz_cuda_outcome *copy,
                                 ghz_cuda_stream stream);

/* Writes the least and greatest finite value of x[0..n) to range[0] and range[1], as ghz_range.
 * `range` is device memory or memory that host and device can reach; n may be larger than the
 * context's `values`. For a lattice of a relative bound, wait and read it. */
GHZ_API ghz_status ghz_cuda_range(ghz_cuda *gpu, ghz_type type, const void *x, size_t n, double *range,
                                  ghz_cuda_stream stream);

/* As ghz_compress_shape, in one kernel. */
GHZ_API ghz_status ghz_cuda_compress(ghz_cuda *gpu, const ghz_lattice *lattice, int order, const void *x,
                                     ghz_shape shape, void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                     ghz_cuda_stream stream);

/* As ghz_decompress, ghz_decompress_box and ghz_decompress_range. The caller says what the stream
 * is, its type and shape; EMISMATCH if it is something else. out: that type, or GHZ_F64. dst holds
 * the values of the shape, of the box, or count. Of a box or range, only the index of the chunks
 * that hold it is checked. `origin` and `extent` are host memory. */
GHZ_API ghz_status ghz_cuda_decompress(ghz_cuda *gpu, ghz_type type, ghz_shape shape, ghz_bytes src,
                                       ghz_type out, void *dst, ghz_cuda_outcome *outcome,
                                       ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_decompress_box(ghz_cuda *gpu, ghz_type type, ghz_shape shape, ghz_bytes src,
                                           ghz_type out, const uint64_t origin[3], const uint64_t extent[3],
                                           void *dst, ghz_cuda_outcome *outcome, ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_decompress_range(ghz_cuda *gpu, ghz_type type, ghz_shape shape, ghz_bytes src,
                                             ghz_type out, uint64_t first, size_t count, void *dst,
                                             ghz_cuda_outcome *outcome, ghz_cuda_stream stream);

/* As ghz_add, ghz_subtract, ghz_sum, ghz_mean, ghz_combine, in one kernel for any k up to the
 * context's `operands`. All operands are streams of `type` and `shape`. The arrays `streams` and
 * `coefficients` are host memory; what streams[i].data points to is device memory. A longer sum may
 * be made of sums: its bytes are the same. A mean may not. */
GHZ_API ghz_status ghz_cuda_add(ghz_cuda *gpu, ghz_type type, ghz_shape shape, ghz_bytes a, ghz_bytes b,
                                void *dst, size_t capacity, ghz_cuda_outcome *outcome, ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_subtract(ghz_cuda *gpu, ghz_type type, ghz_shape shape, ghz_bytes a, ghz_bytes b,
                                     void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                     ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_sum(ghz_cuda *gpu, ghz_type type, ghz_shape shape, size_t k,
                                const ghz_bytes *streams, void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_mean(ghz_cuda *gpu, ghz_type type, ghz_shape shape, size_t k,
                                 const ghz_bytes *streams, void *dst, size_t capacity,
                                 ghz_cuda_outcome *outcome, ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_combine(ghz_cuda *gpu, ghz_type type, ghz_shape shape, size_t k,
                                    const ghz_bytes *streams, const int64_t *coefficients, void *dst,
                                    size_t capacity, ghz_cuda_outcome *outcome, ghz_cuda_stream stream);

/* acc += x, in place, without another buffer: the sum grows from the end of acc's `capacity` bytes
 * towards the front, behind the tiles that were already read, and is then moved to the front. A
 * capacity of ghz_shape_bound(&shape, type, terms of the sum) always suffices; with less the
 * outcome may be ECAPACITY. Unlike after ghz_accumulate, acc is unspecified unless the outcome is
 * GHZ_OK. */
GHZ_API ghz_status ghz_cuda_accumulate(ghz_cuda *gpu, ghz_type type, ghz_shape shape, void *acc,
                                       size_t capacity, ghz_bytes x, ghz_cuda_outcome *outcome,
                                       ghz_cuda_stream stream);

/* Tiles first .. first + tiles - 1 of an array, which a message in device memory holds. */
typedef struct ghz_cuda_slice {
  ghz_type type;
  ghz_shape shape;
  uint64_t first, tiles;
} ghz_cuda_slice;

/* As ghz_slice_compress_shape, ghz_slice_sum, ghz_slice_decompress and ghz_slice_decompress_into.
 * divisor: 1, or what the sum is divided by, as ghz_slice_mean (one message) and ghz_mean do. */
GHZ_API ghz_status ghz_cuda_slice_compress(ghz_cuda *gpu, const ghz_lattice *lattice, int order, const void *x,
                                           ghz_shape shape, uint64_t first, uint64_t tiles, void *dst,
                                           size_t capacity, ghz_cuda_outcome *outcome, ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_slice_sum(ghz_cuda *gpu, ghz_cuda_slice slice, size_t k, const ghz_bytes *messages,
                                      uint64_t divisor, void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                      ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_slice_decompress(ghz_cuda *gpu, ghz_cuda_slice slice, ghz_bytes message,
                                             ghz_type out, void *dst, ghz_cuda_outcome *outcome,
                                             ghz_cuda_stream stream);

GHZ_API ghz_status ghz_cuda_slice_decompress_into(ghz_cuda *gpu, ghz_cuda_slice slice, ghz_bytes message,
                                                  ghz_type out, void *array, ghz_cuda_outcome *outcome,
                                                  ghz_cuda_stream stream);

#ifdef __cplusplus
}
#endif
#endif /* GHZ_H */
