// launch.cuh: how kernels are started and get their shared memory, and what compilers are told
// about loops.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_LAUNCH_CUH
#define GHZ_LAUNCH_CUH

#include <cuda_runtime.h>

// Ends a function with the status, or error of CUDA's, that a call returns, unless all is well.
#define GHZ_TRY(call)                                                                                          \
  do {                                                                                                         \
    if (const auto wrong = (call))                                                                             \
      return wrong;                                                                                            \
  } while (0)

// Starts a kernel of one argument. Returns the error of this launch, not cudaPeekAtLastError's,
// which may be an earlier one of the caller's. Tests define GHZ_LAUNCH to run kernels on the host.
template <class Argument>
static inline cudaError_t ghz_start(void (*kernel)(Argument), unsigned blocks, unsigned threads,
                                    size_t shared_bytes, cudaStream_t stream, const Argument &argument) {
#ifdef GHZ_LAUNCH
  return GHZ_LAUNCH(kernel, blocks, threads, shared_bytes, stream, argument);
#else
  void *arguments[] = {const_cast<void *>(static_cast<const void *>(&argument))};
  return cudaLaunchKernel(reinterpret_cast<const void *>(kernel), dim3(blocks), dim3(threads), arguments,
                          shared_bytes, stream);
#endif
}
#ifndef GHZ_SHARED
#define GHZ_SHARED(T, name)                                                                                    \
  extern __shared__ __align__(128) unsigned char ghz_shared[];                                                 \
  T &name = *reinterpret_cast<T *>(ghz_shared)
#endif

#ifdef __CUDACC__
#define UNROLLED _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
// Integers of 32 bits stay in registers; those of 64 do not fit there.
#define UNROLLED_FOR(Int) _Pragma("unroll (sizeof(Int) == 4 ? 32 : 1)")
#else
#define UNROLLED
#define ROLLED
#define UNROLLED_FOR(Int)
#endif

// The one argument of a kernel: it stays in constant memory.
#ifdef __CUDACC__
#define ARGUMENT(T) const __grid_constant__ T
#else
#define ARGUMENT(T) const T
#endif

// Functions are inlined and their loops unrolled, so that arrays, indexed by constants, stay in
// registers.
#define DEVICE static __device__ __forceinline__
#define METHOD __device__ __forceinline__

// Rare work is not inlined, so that it takes no registers from the common case.
#define SELDOM static __device__ __noinline__

// Nor is work that is much more than a call: its registers are then its own.
#define CALLED static __device__ __noinline__

#endif
