// device_scan.cuh: cub::DeviceScan::ExclusiveScan, emulated on a stream.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "../temporary.h"
#include <cstddef>

namespace cub {

struct DeviceScan {
  template <class Input, class Output, class Operation, class T, class Count>
  static cudaError_t ExclusiveScan(void *temporary, size_t &temporary_bytes, Input in, Output out,
                                   Operation operation, T init, Count count, cudaStream_t stream = nullptr) {
    const size_t needed = simt::temporary_size(static_cast<uint64_t>(count));
    const cudaError_t error = simt::check_temporary(temporary, temporary_bytes, needed);
    if (!temporary || error != cudaSuccess)
      return error;
    return simt::submit(
        [=]() mutable {
          simt::scribble(temporary, needed);
          T sum = init;
          for (Count i = 0; i < count; ++i) {
            const T term = static_cast<T>(in[static_cast<std::ptrdiff_t>(i)]); // in and out may be the same
            out[i] = sum;
            sum = static_cast<T>(operation(sum, term));
          }
        },
        stream);
  }
};

} // namespace cub
