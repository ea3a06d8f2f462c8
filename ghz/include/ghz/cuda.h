/* cuda.h: streams on a GPU.
 *
 * The operations of ghz.h and slice.h in the memory of a CUDA device. Streams and messages have the
 * same bytes. A library without CUDA has these calls too; ghz_cuda_create then returns EDEVICE.
 *
 *   #include <ghz/cuda.h>
 *
 *   ghz_cuda *gpu;
 *   const ghz_bytes one = {a, room}, other = {b, room};
 *   if (ghz_cuda_create(&gpu, n, 2) ||
 *       ghz_cuda_compress(gpu, &lattice, GHZ_ORDER_BEST, x, ghz_flat(n), a, room, outcome,
 *                         stream) ||
 *       ghz_cuda_add(gpu, GHZ_F32, ghz_flat(n), one, other, sum, room2, outcome + 1, stream) ||
 *       ghz_cuda_wait(gpu, outcome + 1, NULL, stream))
 *     return 1;
 *
 * The outcomes are in memory from cudaMallocHost.
 *
 * Conventions
 *   Order         A call puts its work on `stream` (a cudaStream_t) and returns. It never waits for
 *                 the device, never allocates, and uses no host memory of the caller after it has
 *                 returned.
 *   Status        The returned status says whether the work was put on the stream. Errors of each
 *                 call: EINVAL (also: host memory where device memory belongs, x or dst not
 *                 aligned), ECAPACITY (the context was created for smaller arrays or slices, or dst
 *                 cannot even hold the index), ERANGE, EDEVICE.
 *   Shape         The caller says the shape of the array; ghz_flat(n) is that of n values in a row.
 *   Outcome       What became of the work is written to *outcome when it is done. Read it after an
 *                 event or a synchronisation of the stream, or with ghz_cuda_wait. Unless its
 *                 status is GHZ_OK the contents of the destination are unspecified. `outcome` is
 *                 memory that host and device can reach (cudaMallocHost), or device memory; each
 *                 call in flight needs its own.
 *   Memory        Arrays, streams and messages are in device memory: from cudaMalloc (or managed),
 *                 of the device that was current when the context was created. It must be current
 *                 in every call. Streams and messages begin at multiples of 16 bytes; values are
 *                 aligned as their type requires. An operand's `size` says how many bytes may
 *                 be read; its stream may end before.
 *   Contexts      A context is scratch memory for the calls on one stream: calls with the same
 *                 context must be on the same stream, or ordered by events. Use one context per
 *                 stream, from one thread at a time.
 *   Untrusted     Device memory may hold any bytes, as elsewhere; the outcome is then ECORRUPT.
 *   Source        Single-pass kernels with decoupled look-back: Merrill and Garland, 2016; ghZ
 *                 (ICS'25).
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CUDA_H
#define GHZ_CUDA_H

#include <ghz/ghz.h>

GHZ_C_BEGIN

/* ---- Contexts and outcomes ------------------------------------------------------------------- */

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
 * device older than the kernels). Free with ghz_cuda_free. */
GHZ_API ghz_status ghz_cuda_create(ghz_cuda **gpu, size_t values, size_t operands);

/* Frees a context. Work that uses it must have ended. Ignores NULL. */
GHZ_API void ghz_cuda_free(ghz_cuda *gpu);

/* As ghz_context_message, also of a call that ghz_cuda_wait found to have failed. NULL: about the
 * last ghz_cuda_create of this thread that failed. */
GHZ_API const char *ghz_cuda_message(const ghz_cuda *gpu);

/* Waits for the stream, copies the outcome to *copy (may be NULL) and returns its status. */
GHZ_API ghz_status ghz_cuda_wait(ghz_cuda *gpu, const ghz_cuda_outcome *outcome, ghz_cuda_outcome *copy,
                                 ghz_cuda_stream stream);

/* Writes the least and greatest finite value of x[0..n) to range[0] and range[1], as ghz_range.
 * `range` is device memory or memory that host and device can reach; n may be larger than the
 * context's `values`. For a lattice of a relative bound, wait and read it. */
GHZ_API ghz_status ghz_cuda_range(ghz_cuda *gpu, ghz_type type, const void *x, size_t n, double *range,
                                  ghz_cuda_stream stream);

/* ---- Compressing on a GPU -------------------------------------------------------------------- */

/* As ghz_compress_shape, in one kernel. */
GHZ_API ghz_status ghz_cuda_compress(ghz_cuda *gpu, const ghz_lattice *lattice, int order, const void *x,
                                     ghz_shape shape, void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                     ghz_cuda_stream stream);

/* As ghz_decompress_box. The caller says what the stream is, its type and shape; EMISMATCH if it is
 * something else. out: that type, or GHZ_F64. dst holds the values of the box. Only the index of
 * the chunks that hold it is checked. `origin` and `extent` are host memory. */
GHZ_API ghz_status ghz_cuda_decompress_box(ghz_cuda *gpu, ghz_type type, ghz_shape shape, ghz_bytes src,
                                           ghz_type out, const uint64_t origin[3], const uint64_t extent[3],
                                           void *dst, ghz_cuda_outcome *outcome, ghz_cuda_stream stream);

/* As ghz_decompress: the box is the whole array. */
static inline ghz_status ghz_cuda_decompress(ghz_cuda *gpu, ghz_type type, ghz_shape shape, ghz_bytes src,
                                             ghz_type out, void *dst, ghz_cuda_outcome *outcome,
                                             ghz_cuda_stream stream) {
  const uint64_t origin[3] = {0, 0, 0};
  return ghz_cuda_decompress_box(gpu, type, shape, src, out, origin, shape.extent, dst, outcome, stream);
}

/* As ghz_decompress_range. */
static inline ghz_status ghz_cuda_decompress_range(ghz_cuda *gpu, ghz_type type, ghz_shape shape, ghz_bytes src,
                                                   ghz_type out, uint64_t first, size_t count, void *dst,
                                                   ghz_cuda_outcome *outcome, ghz_cuda_stream stream) {
  const uint64_t origin[3] = {0, 0, first}, extent[3] = {1, 1, count};
  return ghz_cuda_decompress_box(gpu, type, shape, src, out, origin, extent, dst, outcome, stream);
}

/* ---- Computing on a GPU ---------------------------------------------------------------------- */

/* As ghz_linear on equal lattices, in one kernel for any k up to the context's `operands`. All
 * operands are streams of `type` and `shape`. The arrays `streams` and `weights` are host memory. A
 * longer sum may be made of sums: its bytes are the same. A mean may not. */
GHZ_API ghz_status ghz_cuda_linear(ghz_cuda *gpu, ghz_type type, ghz_shape shape, size_t k,
                                   const ghz_bytes *streams, const int64_t *weights, uint64_t divisor,
                                   void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                   ghz_cuda_stream stream);

/* As ghz_sum, ghz_mean, ghz_add and ghz_subtract. */
static inline ghz_status ghz_cuda_sum(ghz_cuda *gpu, ghz_type type, ghz_shape shape, size_t k,
                                      const ghz_bytes *streams, void *dst, size_t capacity,
                                      ghz_cuda_outcome *outcome, ghz_cuda_stream stream) {
  return ghz_cuda_linear(gpu, type, shape, k, streams, NULL, 1, dst, capacity, outcome, stream);
}
static inline ghz_status ghz_cuda_mean(ghz_cuda *gpu, ghz_type type, ghz_shape shape, size_t k,
                                       const ghz_bytes *streams, void *dst, size_t capacity,
                                       ghz_cuda_outcome *outcome, ghz_cuda_stream stream) {
  return ghz_cuda_linear(gpu, type, shape, k, streams, NULL, k, dst, capacity, outcome, stream);
}
static inline ghz_status ghz_cuda_add(ghz_cuda *gpu, ghz_type type, ghz_shape shape, ghz_bytes a, ghz_bytes b,
                                      void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                      ghz_cuda_stream stream) {
  const ghz_bytes both[2] = {a, b};
  return ghz_cuda_linear(gpu, type, shape, 2, both, NULL, 1, dst, capacity, outcome, stream);
}
static inline ghz_status ghz_cuda_subtract(ghz_cuda *gpu, ghz_type type, ghz_shape shape, ghz_bytes a,
                                           ghz_bytes b, void *dst, size_t capacity, ghz_cuda_outcome *outcome,
                                           ghz_cuda_stream stream) {
  const ghz_bytes both[2] = {a, b};
  const int64_t weights[2] = {1, -1};
  return ghz_cuda_linear(gpu, type, shape, 2, both, weights, 1, dst, capacity, outcome, stream);
}

/* acc += x, in place, without another buffer: the sum grows from the end of acc's `capacity` bytes
 * towards the front, behind the tiles that were already read, and is then moved to the front. A
 * capacity of ghz_shape_bound(&shape, type, terms of the sum) always suffices; with less the
 * outcome may be ECAPACITY. Unlike after ghz_accumulate, acc is lost unless that is GHZ_OK. */
GHZ_API ghz_status ghz_cuda_accumulate(ghz_cuda *gpu, ghz_type type, ghz_shape shape, void *acc,
                                       size_t capacity, ghz_bytes x, ghz_cuda_outcome *outcome,
                                       ghz_cuda_stream stream);

/* ---- Slices on a GPU ------------------------------------------------------------------------- */

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

GHZ_C_END
#endif
