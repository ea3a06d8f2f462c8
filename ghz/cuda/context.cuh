// context.cuh: a context, and what goes wrong in words.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_CONTEXT_CUH
#define GHZ_CONTEXT_CUH

#include <ghz/cuda.h>

#include "cuda/kernels/kernels.cuh"

// A part of the scratch memory: where it begins, and its bytes.
struct scratch_part {
  size_t at, size;
};

struct ghz_cuda {
  int device;
  multiprocessors on; // of the device
  size_t values, operands;
  uint8_t *scratch;
  scratch_part shared; // progress of the kernel that runs
  scratch_part taken;  // which pieces of an accumulator were read
  scratch_part ends;   // with sizes: the index of an accumulator's sum
  scratch_part sizes;
  scratch_part spill;   // room for large tiles of sums
  scratch_part located; // the ends of the chunks of messages
  scratch_part room;    // CUB's
  char message[256];

  template <class T> T *at(const scratch_part &p) const {
    return reinterpret_cast<T *>(scratch + p.at);
  }
};

// Writes the message, and returns the status. g = NULL: of a context that did not come to be.
ghz_status ghz_cuda_fail(ghz_cuda *g, ghz_status status, const char *format, ...);

// OK unless it is an error of CUDA's; then the same: ENOMEM or EDEVICE.
ghz_status ghz_cuda_checked(ghz_cuda *g, cudaError_t error, const char *what);

#endif
