// context.cuh: what the calls of cuda.h share: the context, what goes wrong in words,
// checks of arguments, and where streams and scratch lie.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_CONTEXT_CUH
#define GHZ_CONTEXT_CUH

#include <ghz/cuda.h>

#include "cuda/kernels/kernels.cuh"

extern "C" {
#include "stream/stream.h"
}

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
};

// ---- Failures -----------------------------------------------------------------------------------

// Writes a message of the context's size, and returns the status.
ghz_status ghz_cuda_fail(char *message, ghz_status status, const char *format, ...);

// The same for an error of CUDA's: ENOMEM or EDEVICE.
ghz_status ghz_cuda_failed(char *message, cudaError_t error, const char *what);

// The status of a call that has started its kernels.
ghz_status ghz_cuda_launched(ghz_cuda *g, cudaError_t error, const char *what);

// ---- Checks of arguments ------------------------------------------------------------------------

enum reach { DEVICE_ONLY, DEVICE_OR_PINNED };

// Whether the device can use this pointer, and it is aligned.
ghz_status ghz_cuda_check_pointer(ghz_cuda *g, const void *p, const char *name, size_t alignment, reach where);

ghz_status ghz_cuda_check_type(ghz_cuda *g, ghz_type type);

// That the scratch memory is large enough.
ghz_status ghz_cuda_check_kind(ghz_cuda *g, const stream_kind &k);

// That the device of the context is the current one.
ghz_status ghz_cuda_check_device(ghz_cuda *g);

// That, and that the device can write the outcome.
ghz_status ghz_cuda_check_outcome(ghz_cuda *g, const ghz_cuda_outcome *outcome);

// The shape is one.
ghz_status ghz_cuda_check_shape(ghz_cuda *g, const ghz_shape *shape);

// That, its values fit in memory, and tiles first .. first + tiles - 1 are some of an array of that
// shape.
ghz_status ghz_cuda_check_tiles(ghz_cuda *g, const ghz_shape *shape, uint64_t first, uint64_t tiles);

// ---- Where things are ---------------------------------------------------------------------------

// A stream.
stream_kind ghz_cuda_whole(ghz_type type, const ghz_shape &shape);

// A message of a slice.
stream_kind ghz_cuda_message_of(const ghz_cuda_slice &s);

// The parts of a result in dst. Its index must fit there.
ghz_status ghz_cuda_place_target(ghz_cuda *g, const stream_kind &k, void *dst, size_t capacity,
                                 ghz_cuda_outcome *outcome, tile_target *s);

// The parts of operand i. A message has no ends of its chunks: a kernel finds them.
ghz_status ghz_cuda_place_operand(ghz_cuda *g, const stream_kind &k, size_t i, ghz_bytes src, operand *o,
                                  cudaStream_t stream);

// Bytes of what the blocks of a kernel share, for so many tiles.
size_t ghz_cuda_progress_size(uint64_t tiles);

// Clears what the blocks of a kernel share; before every kernel.
cudaError_t ghz_cuda_clear_progress(ghz_cuda *g, uint64_t tiles, cudaStream_t stream);

#endif
