// device_reduce.cuh: cub::DeviceReduce::Reduce, emulated on a stream.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "../temporary.h"
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace cub {

struct DeviceReduce {
  // The operation must be associative and commutative: neighbours are joined in an order drawn from
  // the seed.
  template <class Input, class Output, class Operation, class T, class Count>
  static cudaError_t Reduce(void *temporary, size_t &temporary_bytes, Input in, Output out, Count count,
                            Operation operation, T init, cudaStream_t stream = nullptr) {
    // As in CUB, the room does not grow without end: it is for so many partial results.
    const size_t needed = simt::temporary_size(std::min<uint64_t>(static_cast<uint64_t>(count), 65536));
    const cudaError_t error = simt::check_temporary(temporary, temporary_bytes, needed);
    if (!temporary || error != cudaSuccess)
      return error;
    return simt::submit(
        [=]() mutable {
          simt::scribble(temporary, needed);
          std::vector<T> parts = {init};
          for (Count i = 0; i < count; ++i)
            parts.push_back(static_cast<T>(in[static_cast<std::ptrdiff_t>(i)]));
          while (parts.size() > 1) {
            std::swap(parts[simt::garbage() % parts.size()], parts.back());
            const T last = parts.back();
            parts.pop_back();
            T &other = parts[simt::garbage() % parts.size()];
            other = static_cast<T>(operation(other, last));
          }
          *out = parts[0];
        },
        stream);
  }
};

} // namespace cub
