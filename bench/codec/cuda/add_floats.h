/* add_floats.h: the addition of plain arrays on the device. */
#ifndef ADD_FLOATS_H
#define ADD_FLOATS_H

#include "ghz.h"

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* acc[i] += x[i] for n values of `type` at multiples of 16 bytes. */
cudaError_t add_floats(ghz_type type, void *acc, const void *x, size_t n, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
