// add_floats.cu: the addition of floats between decompression and compression, as a kernel.
// SPDX-License-Identifier: BSD-3-Clause
#include <ghz/ghz.h>

#include <cuda_runtime.h>

#include "cuda/primitives/launch.cuh"

namespace {

constexpr unsigned THREADS = 256;

// 16 bytes, which a thread reads and writes at once.
template <typename T> struct alignas(16) pack { T value[16 / sizeof(T)]; };

template <typename T> struct addition {
  T *acc;
  const T *x;
  size_t n;
};

template <typename T> __global__ void add_packs(addition<T> a) {
  T *acc = a.acc;
  const T *x = a.x;
  const size_t n = a.n;
  constexpr size_t lanes = 16 / sizeof(T);
  size_t at = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * lanes;
  if (at + lanes <= n) {
    pack<T> sum = *reinterpret_cast<const pack<T> *>(acc + at);
    const pack<T> more = *reinterpret_cast<const pack<T> *>(x + at);
    for (size_t i = 0; i < lanes; i++)
      sum.value[i] += more.value[i];
    *reinterpret_cast<pack<T> *>(acc + at) = sum;
    return;
  }
  for (size_t i = at; i < n; i++)
    acc[i] += x[i];
}

template <typename T> cudaError_t launch(const addition<T> &a, cudaStream_t stream) {
  size_t packs = (a.n * sizeof(T) + 15) / 16;
  unsigned blocks = unsigned((packs + THREADS - 1) / THREADS);
  return ghz_start(add_packs<T>, blocks, THREADS, 0, stream, a);
}

} // namespace

extern "C" cudaError_t add_floats(ghz_type type, void *acc, const void *x, size_t n, cudaStream_t stream) {
  if (type == GHZ_F64)
    return launch<double>({static_cast<double *>(acc), static_cast<const double *>(x), n}, stream);
  return launch<float>({static_cast<float *>(acc), static_cast<const float *>(x), n}, stream);
}
