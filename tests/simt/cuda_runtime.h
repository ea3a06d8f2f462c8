// cuda_runtime.h: the words of CUDA C++ for a host compiler: a kernel is a function, and each of
// its threads a fiber.
//
// __shared__ variables do not exist, because several blocks are in flight together: GHZ_SHARED
// gives a block its memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "control.h"
#include "cuda_runtime_api.h"
#include "kernel.h"
#include "vectors.h"
#include <math.h>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ // nothing: system headers use the word as an attribute
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __shared__ static_assert(false, "use GHZ_SHARED: a variable would be shared by all blocks")

#define threadIdx (::simt::current->index)
#define blockIdx (::simt::current->block->index)
#define blockDim (::simt::current->block->grid->threads)
#define gridDim (::simt::current->block->grid->blocks)
constexpr int warpSize = 32;

#define GHZ_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                             \
  ::simt::launch_kernel(#kernel, kernel, grid, block, shared_bytes, stream, ##__VA_ARGS__)
#define GHZ_SHARED(T, name) T &name = ::simt::shared<T>({"GHZ_SHARED", __FILE__, __LINE__})

namespace simt {

template <class T> struct Same { using type = T; };

// Arguments become parameters here and now, as those of a kernel do; threads get copies.
template <class... P>
cudaError_t launch_kernel(const char *name, void (*kernel)(P...), dim3 blocks, dim3 threads,
                          size_t shared_bytes, cudaStream_t stream, typename Same<P>::type... arguments) {
  static_assert((std::is_trivially_copyable_v<P> && ...), "the parameters of a kernel are copied as bytes");
  static_assert((sizeof(P) + ... + 0) <= 4096, "the parameters of a kernel take at most 4096 bytes");
  return launch(reinterpret_cast<const void *>(kernel),
                {name, blocks, threads, shared_bytes, [=] { kernel(arguments...); }}, stream);
}

} // namespace simt

#include "intrinsics.h"

// The forms of host calls that take any type.
template <class T> cudaError_t cudaMalloc(T **memory, size_t size) {
  return ::cudaMalloc(reinterpret_cast<void **>(memory), size);
}
template <class T> cudaError_t cudaMallocHost(T **memory, size_t size) {
  return ::cudaMallocHost(reinterpret_cast<void **>(memory), size);
}
template <class T>
cudaError_t cudaMallocManaged(T **memory, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(reinterpret_cast<void **>(memory), size, flags);
}
template <class... P> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, void (*kernel)(P...)) {
  return ::cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(kernel));
}
template <class... P>
cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}
