// temporary.h: the scratch memory of the device-wide algorithms, which the caller gives. Results do
// not lie there, but it must be there: it is overwritten.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "../cuda_runtime.h"
#include <cstring>

namespace simt {

inline size_t temporary_size(uint64_t count) { return 512 + static_cast<size_t>(count / 16); }

// Sets the size where there is no memory, which needs a device too; else looks at the memory.
inline cudaError_t check_temporary(const void *memory, size_t &size, size_t needed) {
  if (!memory) {
    int device;
    size = needed;
    return cudaGetDevice(&device);
  }
  return size >= needed && on_device(memory, needed) ? cudaSuccess : cudaErrorInvalidValue;
}

inline void scribble(void *memory, size_t size) { memset(memory, static_cast<int>(garbage() & 0xff), size); }

} // namespace simt
