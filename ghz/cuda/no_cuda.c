/* no_cuda.c: the calls of cuda.h, in a library that was built without CUDA.
 *
 * ghz_cuda_create fails, so that there is no context, and every other call is one without a
 * context: EDEVICE, rather than EINVAL, says what is the matter. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/cuda.h>

/* The arguments of calls that do nothing. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

int ghz_cuda_built(void) {
  return 0;
}

ghz_status ghz_cuda_create(ghz_cuda **gpu, size_t values, size_t operands) {
  if (!gpu)
    return GHZ_EINVAL;
  *gpu = NULL;
  return GHZ_EDEVICE;
}

void ghz_cuda_free(ghz_cuda *gpu) {}

const char *ghz_cuda_message(const ghz_cuda *gpu) {
  return "libghz was built without CUDA";
}

#define NOT_HERE(call, ...)                                                                                    \
  ghz_status call(ghz_cuda *gpu, __VA_ARGS__) {                                                                \
    return GHZ_EDEVICE;                                                                                        \
  }

NOT_HERE(ghz_cuda_wait, const ghz_cuda_outcome *outcome, ghz_cuda_outcome *copy, ghz_cuda_stream stream)
NOT_HERE(ghz_cuda_range, ghz_type type, const void *x, size_t n, double *range, ghz_cuda_stream stream)
NOT_HERE(ghz_cuda_compress, const ghz_lattice *lattice, int order, const void *x, ghz_shape shape, void *dst,
         size_t capacity, ghz_cuda_outcome *outcome, ghz_cuda_stream stream)
NOT_HERE(ghz_cuda_decompress_box, ghz_type type, ghz_shape shape, ghz_bytes src, ghz_type out,
         const uint64_t origin[3], const uint64_t extent[3], void *dst, ghz_cuda_outcome *outcome,
         ghz_cuda_stream stream)
NOT_HERE(ghz_cuda_linear, ghz_type type, ghz_shape shape, size_t k, const ghz_bytes *streams,
         const int64_t *weights, uint64_t divisor, void *dst, size_t capacity, ghz_cuda_outcome *outcome,
         ghz_cuda_stream stream)
NOT_HERE(ghz_cuda_accumulate, ghz_type type, ghz_shape shape, void *acc, size_t capacity, ghz_bytes x,
         ghz_cuda_outcome *outcome, ghz_cuda_stream stream)
NOT_HERE(ghz_cuda_slice_compress, const ghz_lattice *lattice, int order, const void *x, ghz_shape shape,
         uint64_t first, uint64_t tiles, void *dst, size_t capacity, ghz_cuda_outcome *outcome,
         ghz_cuda_stream stream)
NOT_HERE(ghz_cuda_slice_sum, ghz_cuda_slice slice, size_t k, const ghz_bytes *messages, uint64_t divisor,
         void *dst, size_t capacity, ghz_cuda_outcome *outcome, ghz_cuda_stream stream)
NOT_HERE(ghz_cuda_slice_decompress, ghz_cuda_slice slice, ghz_bytes message, ghz_type out, void *dst,
         ghz_cuda_outcome *outcome, ghz_cuda_stream stream)
NOT_HERE(ghz_cuda_slice_decompress_into, ghz_cuda_slice slice, ghz_bytes message, ghz_type out, void *array,
         ghz_cuda_outcome *outcome, ghz_cuda_stream stream)
