/* ghz.h: the whole public interface of libghz.
 *
 * libghz compresses arrays of float or double under a strict error bound and computes on the compressed
 * form: streams are added, subtracted, scaled and averaged without turning them back into numbers.
 *
 *   ghz_context *ctx;
 *   ghz_lattice lattice;
 *   ghz_context_create(&ctx, 0);
 *   ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 1e-3}, 0, 0, &lattice);
 *   size_t room = ghz_size_bound(n, GHZ_F32, 1), size;   (2 for a sum of two)
 *   ghz_compress(ctx, &lattice, GHZ_ORDER_BEST, x, n, dst, room, &size);
 *
 * The bytes of a stream are specified in FORMAT.md (installed beside the other documentation). They depend on
 * the values, the lattice and the order alone: not on the machine, its instruction set or the number of
 * threads.
 *
 * Promises
 *   bound         every finite value x of the input comes back as y with |x - y| <= eb, in exact arithmetic;
 *                 NaN comes back as NaN (the canonical quiet one), infinities as themselves, -0.0 maybe
 *                 as +0.0.
 *                 A sum of streams with `terms` terms is within terms * eb of the exact sum of their inputs
 *                 (FORMAT.md, "Bound of a sum", has the one exception, in float32 beyond 2^22 steps).
 *   homomorphism  additions associate and commute byte for byte while ghz_info.inexact is 0.
 *   untrusted     any bytes may be given as a stream: the call returns a result or an error, never reads or
 *                 writes outside the buffers it was given, never allocates by a length it has not checked.
 *   no state      the library has no global mutable state. A context must not be used by two threads at the
 *                 same time; different contexts are independent; calls without a context are thread-safe.
 *   environment   calls compute under round-to-nearest without flush-to-zero, whatever the caller has set, and
 *                 restore the caller's floating-point environment.
 *
 * Conventions
 *   Every call that can fail returns a ghz_status; outputs are unspecified unless it is GHZ_OK, but nothing is
 *   written past `capacity`. Buffers belong to the caller and need no alignment beyond that of their type.
 *   Outputs must not overlap inputs. `n` and `count` are numbers of values, `size` and `capacity` bytes.
 *   After fork() in a program that has used several threads, the child uses contexts of 1 thread: GCC's OpenMP hangs
 *   in others.
 */
#ifndef GHZ_H
#define GHZ_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define GHZ_API __attribute__((visibility("default")))
#else
#define GHZ_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define GHZ_VERSION_MAJOR 0
#define GHZ_VERSION_MINOR 1
#define GHZ_VERSION_PATCH 0

/* The version of the library that is linked, as "major.minor.patch". */
GHZ_API const char *ghz_version(void);

/* ---- Status ------------------------------------------------------------------------------------------ */

typedef enum ghz_status {
  GHZ_OK = 0,
  GHZ_EINVAL = -1, /* an argument outside its contract: a bound that is 0 or NaN, a range outside the array */
  GHZ_ENOMEM = -2, /* the context could not allocate scratch memory */
  GHZ_ECAPACITY = -3, /* the destination is too small; ghz_size_bound always suffices */
  GHZ_ECORRUPT = -4,  /* not a stream, truncated, or damaged */
  GHZ_EVERSION = -5,  /* written by a newer version: a type or feature bit that this one does not know */
  GHZ_EMISMATCH = -6, /* operands differ in type, count, cap, step or bound */
  GHZ_ERANGE = -7,    /* the result would sum more terms than 62-bit integers can hold */
  GHZ_EISA = -8,      /* GHZ_ISA names an instruction set that this machine or build does not have */
  GHZ_EDEVICE = -9    /* no GPU that this build has kernels for, or CUDA reported an error */
} ghz_status;

/* A short English sentence for a status; static, never NULL. */
GHZ_API const char *ghz_status_text(ghz_status status);

/* ---- Context ----------------------------------------------------------------------------------------- */

/* Threads and scratch memory, reused from call to call. */
typedef struct ghz_context ghz_context;

/* Creates a context that works with `threads` OpenMP threads (0: as many as OpenMP would use, fewer for small arrays).
 * The instruction set is the best that the machine has, or the one that the environment variable GHZ_ISA names:
 * scalar, avx2, avx512. Scratch grows on first use and is then kept: a call of a size seen before allocates
 * nothing. It stays below one worst-case compressed size of the largest operation, plus 1 % and 64 KiB a
 * thread. Errors: EINVAL (threads < 0), ENOMEM, EISA. *ctx is NULL after an error.
 * Where the system refuses threads or their memory, the OpenMP runtime itself ends the program; a context of one thread
 * never asks it for any. */
GHZ_API ghz_status ghz_context_create(ghz_context **ctx, int threads);

/* Frees a context and its scratch; NULL is ignored. */
GHZ_API void ghz_context_free(ghz_context *ctx);

/* Changes the number of threads (0: as many as OpenMP would use). Errors: EINVAL. */
GHZ_API ghz_status ghz_context_set_threads(ghz_context *ctx, int threads);

/* The number of threads that calls with this context use. */
GHZ_API int ghz_context_threads(const ghz_context *ctx);

/* The instruction set in use: "scalar", "avx2" or "avx512". Static. */
GHZ_API const char *ghz_context_isa(const ghz_context *ctx);

/* What went wrong in the last call with this context that failed, with the numbers that show it ("step 0.002 in
 * operand 1, 0.001 in operand 0"). Owned by the context, valid until its next call; "" before any error. */
GHZ_API const char *ghz_context_message(const ghz_context *ctx);

/* ---- Types, bounds, lattices ------------------------------------------------------------------------- */

typedef enum ghz_type {
  GHZ_F32 = 0, /* IEEE binary32 */
  GHZ_F64 = 1  /* IEEE binary64 */
} ghz_type;

/* Bytes of a value of this type; 0 for an unknown type. */
GHZ_API size_t ghz_type_size(ghz_type type);

typedef enum ghz_bound_kind {
  GHZ_ABS = 0, /* value is the largest |x - y|, in the units of the data */
  GHZ_REL = 1, /* value is a fraction of the range (max - min) of the finite values */
  GHZ_PSNR = 2 /* value is the least peak signal-to-noise ratio, in dB, peak being that range */
} ghz_bound_kind;

typedef struct ghz_bound {
  ghz_bound_kind kind;
  double value;
} ghz_bound;

/* The grid that values are quantised to. Streams can be added if and only if their lattices are equal, so a
 * reduction over many arrays makes one lattice and uses it for all. Made by ghz_lattice_make, or read from a stream: the
 * bound holds for no other step and eb. */
typedef struct ghz_lattice {
  ghz_type type;
  int cap;     /* bits of the largest quantised integer: 35, or for GHZ_F64 also 44 (the default) */
  double step; /* quantisation step; 0 where the bound is too small for the type: then values are stored raw */
  double eb;   /* the bound per value that the step guarantees */
} ghz_lattice;

/* The least and greatest finite value of x[0..n), as doubles. With no finite value: *min = +Inf, *max = -Inf.
 * Errors: EINVAL (unknown type, NULL). */
GHZ_API ghz_status ghz_range(ghz_context *ctx, ghz_type type, const void *x, size_t n, double *min,
                             double *max);

/* Makes the lattice for a bound. `min` and `max` are the range of the finite values (of all arrays that are to
 * be added; ghz_range) and are ignored by GHZ_ABS. A range of width 0 (min = max) gives a lattice on which that
 * constant is exact, and on which every other value is stored as it is. For the bound of a *sum* of k arrays, ask for eb / k.
 * Errors: EINVAL (unknown type; value 0, negative, NaN or infinite; min > max, but for what ghz_range gives where
 * nothing is finite). Thread-safe.
 * Source: lattice with 1/64 slack, our own; PSNR from the range as in fZ-light and SZ3. */
GHZ_API ghz_status ghz_lattice_make(ghz_type type, ghz_bound bound, double min, double max,
                                    ghz_lattice *lattice);

/* The most terms that a stream on a lattice of this cap may sum: 8388607 for cap 35, 16383 for cap 44; 0 for any other
 * cap. An operation whose result would have more returns GHZ_ERANGE. Thread-safe. */
GHZ_API uint32_t ghz_terms_limit(int cap);

/* ---- Compress and decompress ------------------------------------------------------------------------- */

/* Prediction order: 0 none, 1 Lorenzo (first difference), 2 second difference, or the best per tile. */
#define GHZ_ORDER_BEST (-1)

#define GHZ_TILE 1024   /* values per tile: the unit of prediction and of slices */
#define GHZ_CHUNK 16384 /* values per chunk, 16 tiles: the unit of scheduling and random access */

/* A compressed stream in memory, or part of one: `size` readable bytes. */
typedef struct ghz_bytes {
  const void *data;
  size_t size;
} ghz_bytes;

/* The largest size of a stream of n values that sums at most `terms` terms (1 for a fresh one).
 * 0 if the type is unknown, terms is 0 or too large, or the size would overflow size_t. (A combination without terms, all
 * of whose coefficients are 0, fits where 1 term does.) Thread-safe. */
GHZ_API size_t ghz_size_bound(size_t n, ghz_type type, uint32_t terms);

/* Compresses x[0..n) to dst and sets *size. Two passes over memory at most; x may have any length from 0.
 * order: GHZ_ORDER_BEST, or 0, 1, 2 to fix it. Never larger than ghz_size_bound(n, type, 1).
 * Errors: EINVAL, ECAPACITY, ENOMEM.
 * Source: fused quantisation and Lorenzo of fZ-light (Huang et al., 2025); the rest is our own. */
GHZ_API ghz_status ghz_compress(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                                size_t n, void *dst, size_t capacity, size_t *size);

/* Decompresses a stream to dst, which holds `count` values of type `out`.
 * out is the type of the stream, or GHZ_F64 for a stream of GHZ_F32: then the bound of a sum is strict always.
 * Errors: EINVAL (out narrower than the stream), ECAPACITY (count less than the stream's), ECORRUPT, EVERSION.
 */
GHZ_API ghz_status ghz_decompress(ghz_context *ctx, ghz_bytes src, ghz_type out, void *dst, size_t count);

/* Decompresses values first .. first + count - 1 alone, reading only the tiles that hold them.
 * Errors: as ghz_decompress; EINVAL if the range is not inside the stream. */
GHZ_API ghz_status ghz_decompress_range(ghz_context *ctx, ghz_bytes src, ghz_type out, uint64_t first,
                                        size_t count, void *dst);

/* ---- Computing on streams ---------------------------------------------------------------------------- */
/* All operands must have the same type, count, cap, step and eb (EMISMATCH says which differs). The result's
 * terms are the sum of the operands' terms; its size is at most ghz_size_bound(n, type, those terms). Errors of
 * each: EINVAL, EMISMATCH, ERANGE, ECAPACITY, ECORRUPT, EVERSION, ENOMEM. Source: addition of streams, hZCCL
 * (Huang et al., SC'24); on bit planes, our own. */

/* dst = a + b */
GHZ_API ghz_status ghz_add(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity,
                           size_t *size);

/* dst = a - b */
GHZ_API ghz_status ghz_subtract(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity,
                                size_t *size);

/* dst = -a */
GHZ_API ghz_status ghz_negate(ghz_context *ctx, ghz_bytes a, void *dst, size_t capacity, size_t *size);

/* dst = factor * a. Changes step and eb in the header, not the integers. Fails with EINVAL if factor is 0, NaN
 * or infinite, or the new step would leave the range of the type. Each scaling rounds the step; that stays within eb for
 * the first thousand of a stream. */
GHZ_API ghz_status ghz_scale(ghz_context *ctx, ghz_bytes a, double factor, void *dst, size_t capacity,
                             size_t *size);

/* dst = sum of k >= 1 streams in one pass: each operand is read once, the result written once. */
GHZ_API ghz_status ghz_sum(ghz_context *ctx, size_t k, const ghz_bytes *streams, void *dst, size_t capacity,
                           size_t *size);

/* dst = mean of k >= 1 streams: their sum, with step / k and eb / k. Errors also: EINVAL (step / k is too small for the
 * type). */
GHZ_API ghz_status ghz_mean(ghz_context *ctx, size_t k, const ghz_bytes *streams, void *dst, size_t capacity,
                            size_t *size);

/* dst = sum of coefficients[i] * streams[i]; terms are the sum of |coefficient| * terms. Operands with
 * coefficient 0 are checked and dropped. */
GHZ_API ghz_status ghz_combine(ghz_context *ctx, size_t k, const ghz_bytes *streams,
                               const int64_t *coefficients, void *dst, size_t capacity, size_t *size);

/* dst = the smaller, or larger, of a and b, value by value, compared as quantised integers, so that eb is kept
 * whatever the number of operands. NaN wins. Terms are the larger of the operands' terms. */
GHZ_API ghz_status ghz_minimum(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity,
                               size_t *size);
GHZ_API ghz_status ghz_maximum(ghz_context *ctx, ghz_bytes a, ghz_bytes b, void *dst, size_t capacity,
                               size_t *size);

/* acc += x, in place: acc holds *size bytes of a stream in a buffer of `capacity` bytes and is replaced by the
 * sum. On error acc and *size are unchanged. Uses scratch of the context for one result. */
GHZ_API ghz_status ghz_accumulate(ghz_context *ctx, void *acc, size_t capacity, size_t *size, ghz_bytes x);

/* ---- Looking at streams ------------------------------------------------------------------------------ */

typedef struct ghz_info {
  ghz_lattice lattice; /* type, cap, step, eb */
  uint64_t count;      /* values */
  uint64_t tiles;      /* ceil(count / 1024) */
  uint32_t terms;      /* quantised terms that each value sums */
  int inexact;         /* 1: floating-point sums of values outside the lattice went in; no bound is promised */
  double bound;        /* guaranteed |y - exact|: terms * eb, rounded up; +Inf if inexact */
  uint64_t bytes;      /* size of the stream */
} ghz_info;

/* Reads and checks the header and the index of a stream. Errors: EINVAL, ECORRUPT, EVERSION. Thread-safe. */
GHZ_API ghz_status ghz_info_read(ghz_bytes src, ghz_info *info);

typedef struct ghz_statistics {
  uint64_t empty;      /* tiles of zeros, stored in no bytes at all */
  uint64_t raw;        /* tiles stored as they are */
  uint64_t specials;   /* tiles with NaN or infinities on the lattice */
  uint64_t order[3];   /* lattice tiles by prediction order */
  uint64_t mode[3];    /* lattice tiles by mode: coarse, fine, wide */
  uint64_t widths[63]; /* blocks of 8 values by width in bits */
} ghz_statistics;

/* Checks every tile of a stream and counts what it holds. Errors: EINVAL, ECORRUPT, EVERSION. */
GHZ_API ghz_status ghz_scan(ghz_context *ctx, ghz_bytes src, ghz_statistics *statistics);

/* The least and greatest finite value that the stream decompresses to; *min = +Inf, *max = -Inf if there is
 * none. Errors: EINVAL, ECORRUPT, EVERSION. */
GHZ_API ghz_status ghz_extrema(ghz_context *ctx, ghz_bytes src, double *min, double *max);

/* ---- Slices: ranges of tiles ------------------------------------------------------------------------- */

/* A range of the tiles of a stream, or of a message that travelled. It points into the buffer that it was made
 * from and owns nothing. Treat the fields as read-only. */
typedef struct ghz_slice {
  ghz_lattice lattice;
  uint64_t count; /* values of the whole array */
  uint32_t terms;
  int inexact;
  uint64_t first;      /* first tile */
  uint64_t tiles;      /* number of tiles; may be 0 */
  const void *sizes;   /* tiles x u16, little endian, not aligned */
  const void *payload; /* the tiles' bytes, packed */
  size_t payload_size;
} ghz_slice;

/* A message is GHZ_SLICE_HEADER bytes, then the sizes (2 * tiles bytes), then the payload: three pieces that a
 * sender may gather without copying. FORMAT.md has its bytes. */
#define GHZ_SLICE_HEADER 64

/* Views tiles first .. first + tiles - 1 of a stream, without copying.
 * Errors: EINVAL (range outside the stream), ECORRUPT, EVERSION. Thread-safe. */
GHZ_API ghz_status ghz_slice_view(ghz_bytes stream, uint64_t first, uint64_t tiles, ghz_slice *slice);

/* Values of the array that the slice covers: from tile `first` on, the last tile maybe short. Thread-safe. */
GHZ_API size_t ghz_slice_count(const ghz_slice *slice);

/* Writes the GHZ_SLICE_HEADER bytes that begin the message. Thread-safe. Errors: EINVAL. */
GHZ_API ghz_status ghz_slice_header(const ghz_slice *slice, void *header);

/* Bytes of the whole message; 0 if that overflows. Thread-safe. */
GHZ_API size_t ghz_slice_size(const ghz_slice *slice);

/* The largest message of `tiles` tiles of values that sum `terms` terms; 0 on overflow. Thread-safe. */
GHZ_API size_t ghz_slice_bound(uint64_t tiles, ghz_type type, uint32_t terms);

/* Copies the whole message to dst. Errors: ECAPACITY, EINVAL. Thread-safe. */
GHZ_API ghz_status ghz_slice_pack(const ghz_slice *slice, void *dst, size_t capacity, size_t *size);

/* Views a message that arrived, after checking it (the tiles' bytes are checked when they are used).
 * Errors: EINVAL, ECORRUPT, EVERSION. Thread-safe. */
GHZ_API ghz_status ghz_slice_parse(ghz_bytes message, ghz_slice *slice);

/* Compresses tiles first .. first + tiles - 1 of the array x[0..n) to a message in dst, and views it.
 * x points to the beginning of the whole array. Errors: as ghz_compress. */
GHZ_API ghz_status ghz_slice_compress(ghz_context *ctx, const ghz_lattice *lattice, int order, const void *x,
                                      size_t n, uint64_t first, uint64_t tiles, void *dst, size_t capacity,
                                      ghz_slice *slice);

/* Sums k >= 1 slices of the same range to a message in dst, and views it. Errors: as ghz_sum. */
GHZ_API ghz_status ghz_slice_sum(ghz_context *ctx, size_t k, const ghz_slice *slices, void *dst,
                                 size_t capacity, ghz_slice *slice);

/* Divides a slice, mostly a sum of k arrays, by k >= 1: step / k and eb / k, as ghz_mean does. (Values
 * outside the lattice are rounded twice where ghz_mean rounds once.) Errors: as ghz_mean. */
GHZ_API ghz_status ghz_slice_mean(ghz_context *ctx, const ghz_slice *sum, uint64_t k, void *dst,
                                  size_t capacity, ghz_slice *slice);

/* The smaller (larger = 0) or larger value of two slices of the same range. Errors: as ghz_minimum. */
GHZ_API ghz_status ghz_slice_extremum(ghz_context *ctx, const ghz_slice *a, const ghz_slice *b, int larger,
                                      void *dst, size_t capacity, ghz_slice *slice);

/* Decompresses a slice: ghz_slice_count values of type `out`, to dst. Errors: as ghz_decompress. */
GHZ_API ghz_status ghz_slice_decompress(ghz_context *ctx, const ghz_slice *slice, ghz_type out, void *dst);

/* Joins k slices that follow each other and together cover the whole array into a stream. They must agree in
 * everything but range and `inexact`. Errors: EINVAL (a gap or overlap), EMISMATCH, ECAPACITY. */
GHZ_API ghz_status ghz_slice_join(ghz_context *ctx, size_t k, const ghz_slice *slices, void *dst,
                                  size_t capacity, size_t *size);

/* ---- On a GPU ---------------------------------------------------------------------------------------- */
/* The same streams and messages, byte for byte, made, added and read in the memory of a CUDA device.
 *
 *   ghz_cuda *gpu;
 *   ghz_cuda_outcome *outcome;                      (cudaMallocHost, or device memory)
 *   ghz_cuda_create(&gpu, n, 2);
 *   ghz_cuda_compress(gpu, &lattice, GHZ_ORDER_BEST, x, n, a, room, outcome, stream);
 *   ghz_cuda_add(gpu, GHZ_F32, n, (ghz_bytes){a, room}, (ghz_bytes){b, room}, sum, room2, outcome, stream);
 *
 * Order       Calls put their work on `stream` (a cudaStream_t) and return. They never wait for the device, never allocate,
 *             and use nothing of the host after they return. What they return says whether the work was put there:
 *             GHZ_OK, EINVAL (also: host memory where device memory belongs, x and dst not aligned), ECAPACITY (the GPU's
 *             context was set up for smaller arrays or slices, or dst cannot even hold the index), ERANGE, EDEVICE.
 * Outcome     What became of it is written to *outcome when the work is done: read it after an event or a
 *             synchronisation of the stream, or with ghz_cuda_wait. Where its status is not GHZ_OK the destination holds
 *             nothing of use. `outcome` is memory that both can reach (cudaMallocHost), or device memory; each call
 *             that is under way needs its own.
 * Memory      `device` memory is that of cudaMalloc (or managed) of the device that was current when the context was
 *             created and that must be current in every call. Streams and messages there begin at multiples of 16
 *             bytes; values are aligned as their type asks. `size` of an operand is the bytes that may be read from
 *             `data` on; the stream may be shorter: it knows its size. Outputs must not overlap inputs.
 * Contexts    A context is scratch memory for the calls on one stream: calls with the same context must be on the
 *             same stream, or ordered by events. Several streams: one context each. No two threads at once.
 * Untrusted   Streams in device memory may hold anything, as elsewhere; the outcome says ECORRUPT.
 *
 * A library without CUDA has these calls too; ghz_cuda_create then returns EDEVICE, and there is no context for the
 * others. Source: single-pass kernels with decoupled look-back (Merrill and Garland 2016) as in ghZ (ICS'25). */

typedef struct CUstream_st *ghz_cuda_stream; /* cudaStream_t */

/* A CUDA device, and scratch memory on it. */
typedef struct ghz_cuda ghz_cuda;

/* What became of a call, written by the device. */
typedef struct ghz_cuda_outcome {
  int32_t status;   /* OK, ECORRUPT, EVERSION, EMISMATCH, ERANGE, ECAPACITY; EINVAL: no step / k */
  int32_t inexact;  /* as in ghz_info, of the result */
  uint32_t terms;   /* of the result */
  uint32_t operand; /* which operand was at fault; UINT32_MAX if none was alone */
  uint64_t tile;    /* which tile was damaged, of the array; UINT64_MAX if none was */
  uint64_t size;    /* bytes of the result: of the stream or message; of decompression, those of the values */
} ghz_cuda_outcome;

/* The most operands of one call. */
#define GHZ_CUDA_OPERANDS 64

/* 1 if the library was built with CUDA. Thread-safe. */
GHZ_API int ghz_cuda_built(void);

/* Creates a context on the current device for arrays or slices of up to `values` values (in whole tiles) and calls with up
 * to `operands` operands (1 to GHZ_CUDA_OPERANDS). All scratch is allocated here: some 6 + operands / 2 bytes per 1024 values,
 * and 131 KiB per 16384 values, but no more than 393 KiB for each multiprocessor (53 MB on 132 of them).
 * Errors: EINVAL, ENOMEM (of host or device), EDEVICE (built without CUDA, no device or driver, or a device older
 * than the kernels). *gpu is NULL after an error. */
GHZ_API ghz_status ghz_cuda_create(ghz_cuda **gpu, size_t values, size_t operands);

/* Frees a context; work that uses it must have ended. NULL is ignored. */
GHZ_API void ghz_cuda_free(ghz_cuda *gpu);

/* What was wrong in the last call with this context that failed, or that ghz_cuda_wait found to have failed. As
 * ghz_context_message. With NULL: why the last ghz_cuda_create of this thread failed. */
GHZ_API const char *ghz_cuda_message(const ghz_cuda *gpu);

/* Waits for the stream, copies the outcome to *copy (may be NULL) and returns its status. */
GHZ_API ghz_status ghz_cuda_wait(ghz_cuda *gpu, const ghz_cuda_outcome *outcome, ghz_cuda_outcome *copy,
                                 ghz_cuda_stream stream);

/* Writes the least and greatest finite value of x[0..n) to range[0] and range[1], which is device memory or memory that
 * both can reach; as ghz_range, of any n. For a lattice of a relative bound, wait and read it. */
GHZ_API ghz_status ghz_cuda_range(ghz_cuda *gpu, ghz_type type, const void *x, size_t n, double *range,
                                  ghz_cuda_stream stream);

/* As ghz_compress, of device memory x to device memory dst. One kernel. */
GHZ_API ghz_status ghz_cuda_compress(ghz_cuda *gpu, const ghz_lattice *lattice, int order, const void *x,
                                     size_t n, void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                     ghz_cuda_stream stream);

/* As ghz_decompress and ghz_decompress_range, but a range is checked no further than the chunks that hold it. The caller says
 * what the stream is (type, n: EMISMATCH if it is something else); `out` is that type, or GHZ_F64. dst holds n, or count,
 * values. */
GHZ_API ghz_status ghz_cuda_decompress(ghz_cuda *gpu, ghz_type type, size_t n, ghz_bytes src, ghz_type out,
                                       void *dst, ghz_cuda_outcome *outcome, ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_decompress_range(ghz_cuda *gpu, ghz_type type, size_t n, ghz_bytes src,
                                             ghz_type out, uint64_t first, size_t count, void *dst,
                                             ghz_cuda_outcome *outcome, ghz_cuda_stream stream);

/* As ghz_add, ghz_subtract, ghz_sum, ghz_mean, ghz_combine: one kernel, for any k. The arrays `streams` and `coefficients` are in host
 * memory, what they point to in device memory; k is at most what the context was set up for. (A longer sum may be made of
 * sums: the bytes are the same. A mean may not.) All operands are streams of n values of `type`. */
GHZ_API ghz_status ghz_cuda_add(ghz_cuda *gpu, ghz_type type, size_t n, ghz_bytes a, ghz_bytes b, void *dst,
                                size_t capacity, ghz_cuda_outcome *outcome, ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_subtract(ghz_cuda *gpu, ghz_type type, size_t n, ghz_bytes a, ghz_bytes b,
                                     void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                     ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_sum(ghz_cuda *gpu, ghz_type type, size_t n, size_t k, const ghz_bytes *streams,
                                void *dst, size_t capacity, ghz_cuda_outcome *outcome, ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_mean(ghz_cuda *gpu, ghz_type type, size_t n, size_t k, const ghz_bytes *streams,
                                 void *dst, size_t capacity, ghz_cuda_outcome *outcome, ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_combine(ghz_cuda *gpu, ghz_type type, size_t n, size_t k, const ghz_bytes *streams,
                                    const int64_t *coefficients, void *dst, size_t capacity,
                                    ghz_cuda_outcome *outcome, ghz_cuda_stream stream);

/* acc += x, in place, with no buffer but acc: the sum grows from the end of its `capacity` bytes towards the front,
 * behind the operand's tiles that were already read, and is then moved to the front. A capacity of
 * ghz_size_bound(n, type, terms of the sum) always suffices; with less the outcome may be ECAPACITY. If the outcome
 * is not GHZ_OK, acc holds nothing of use, unlike after ghz_accumulate. */
GHZ_API ghz_status ghz_cuda_accumulate(ghz_cuda *gpu, ghz_type type, size_t n, void *acc, size_t capacity,
                                       ghz_bytes x, ghz_cuda_outcome *outcome, ghz_cuda_stream stream);

/* As ghz_slice_compress, ghz_slice_sum and ghz_slice_decompress: messages of tiles first .. first + tiles - 1 of an array of
 * n values, in device memory. A sum is divided by `divisor` as ghz_slice_mean (one message) and ghz_mean do; 1: not. */
GHZ_API ghz_status ghz_cuda_slice_compress(ghz_cuda *gpu, const ghz_lattice *lattice, int order, const void *x,
                                           size_t n, uint64_t first, uint64_t tiles, void *dst, size_t capacity,
                                           ghz_cuda_outcome *outcome, ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_slice_sum(ghz_cuda *gpu, ghz_type type, size_t n, uint64_t first, uint64_t tiles,
                                      size_t k, const ghz_bytes *messages, uint64_t divisor, void *dst,
                                      size_t capacity, ghz_cuda_outcome *outcome, ghz_cuda_stream stream);
GHZ_API ghz_status ghz_cuda_slice_decompress(ghz_cuda *gpu, ghz_type type, size_t n, uint64_t first,
                                             uint64_t tiles, ghz_bytes message, ghz_type out, void *dst,
                                             ghz_cuda_outcome *outcome, ghz_cuda_stream stream);

#ifdef __cplusplus
}
#endif
#endif /* GHZ_H */
