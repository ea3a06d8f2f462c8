// runtime.cc: devices, errors, and what is known of kernels.
// SPDX-License-Identifier: BSD-3-Clause
#include "state.h"
#include <algorithm>
#include <map>

namespace simt {
namespace {

constexpr size_t shared_always = 48 << 10, shared_greatest = 227 << 10, shared_reserved = 1 << 10;
constexpr size_t shared_of_multiprocessor = 228 << 10;
constexpr int threads_of_multiprocessor = 2048, blocks_of_multiprocessor = 32, threads_of_block = 1024;

thread_local cudaError_t last_error = cudaSuccess;
thread_local int current_device = 0;

// The dynamic shared memory that kernels were granted; the usual for others.
std::map<const void *, size_t> granted;

size_t grant(const void *function) {
  const auto found = granted.find(function);
  return found == granted.end() ? shared_always : found->second;
}

cudaError_t check_kernel(const void *function) {
  if (!function)
    return cudaErrorInvalidDeviceFunction;
  return static_cast<cudaError_t>(settings().kernels);
}

cudaError_t check_shape(const Grid &grid) {
  const dim3 &blocks = grid.blocks, &threads = grid.threads;
  if (!blocks.x || !blocks.y || !blocks.z || blocks.x > 0x7fffffff || blocks.y > 65535 || blocks.z > 65535)
    return cudaErrorInvalidConfiguration;
  if (!threads.x || !threads.y || !threads.z || threads.x > threads_of_block || threads.y > threads_of_block ||
      threads.z > 64 || threads.x * threads.y * threads.z > threads_of_block)
    return cudaErrorInvalidConfiguration;
  return cudaSuccess;
}

int attribute_of(cudaDeviceAttr attribute) {
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
  case cudaDevAttrMaxBlockDimX: return threads_of_block;
  case cudaDevAttrMaxGridDimX: return 0x7fffffff;
  case cudaDevAttrMaxSharedMemoryPerBlock: return static_cast<int>(shared_always);
  case cudaDevAttrWarpSize: return 32;
  case cudaDevAttrClockRate: // kHz
  case cudaDevAttrMemoryClockRate: return 1000000;
  case cudaDevAttrMultiProcessorCount: return settings().multiprocessors;
  case cudaDevAttrGlobalMemoryBusWidth: return 64;
  case cudaDevAttrL2CacheSize: return 1 << 20;
  case cudaDevAttrMaxThreadsPerMultiProcessor: return threads_of_multiprocessor;
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrConcurrentManagedAccess: return 1;
  case cudaDevAttrPageableMemoryAccess: return 0;
  case cudaDevAttrComputeCapabilityMajor: return settings().capability / 10;
  case cudaDevAttrComputeCapabilityMinor: return settings().capability % 10;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return static_cast<int>(shared_of_multiprocessor);
  case cudaDevAttrMaxSharedMemoryPerBlockOptin: return static_cast<int>(shared_greatest);
  case cudaDevAttrMaxBlocksPerMultiprocessor: return blocks_of_multiprocessor;
  }
  return -1;
}

} // namespace

int &device() { return current_device; }

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady)
    last_error = error;
  return error;
}

cudaError_t check_launch(const void *function, const Grid &grid) {
  if (const cudaError_t error = check_kernel(function); error != cudaSuccess)
    return error;
  if (const cudaError_t error = check_shape(grid); error != cudaSuccess)
    return error;
  return grid.shared_bytes > grant(function) ? cudaErrorInvalidValue : cudaSuccess;
}

} // namespace simt

using namespace simt;

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void) { return last_error; }

#define SIMT_ERRORS(of)                                                                                        \
  of(cudaSuccess, "no error");                                                                                 \
  of(cudaErrorInvalidValue, "invalid argument");                                                               \
  of(cudaErrorMemoryAllocation, "out of memory");                                                              \
  of(cudaErrorInitializationError, "initialization error");                                                    \
  of(cudaErrorInvalidConfiguration, "invalid configuration argument");                                         \
  of(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy");                                    \
  of(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version");             \
  of(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable");                        \
  of(cudaErrorInvalidDeviceFunction, "invalid device function");                                               \
  of(cudaErrorNoDevice, "no CUDA-capable device is detected");                                                 \
  of(cudaErrorInvalidDevice, "invalid device ordinal");                                                        \
  of(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device");             \
  of(cudaErrorInvalidResourceHandle, "invalid resource handle");                                               \
  of(cudaErrorNotReady, "device not ready");                                                                   \
  of(cudaErrorIllegalAddress, "an illegal memory access was encountered");                                     \
  of(cudaErrorLaunchOutOfResources, "too many resources requested for launch");                                \
  of(cudaErrorMisalignedAddress, "misaligned address");                                                        \
  of(cudaErrorLaunchFailure, "unspecified launch failure");                                                    \
  of(cudaErrorNotSupported, "operation not supported");                                                        \
  of(cudaErrorUnknown, "unknown error")

const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define SIMT_NAME(name, text)                                                                                  \
  case name: return #name
    SIMT_ERRORS(SIMT_NAME);
#undef SIMT_NAME
  }
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define SIMT_TEXT(name, text)                                                                                  \
  case name: return text
    SIMT_ERRORS(SIMT_TEXT);
#undef SIMT_TEXT
  }
  return "unrecognized error code";
}

cudaError_t cudaGetDeviceCount(int *count) {
  *count = 0;
  return call([=] {
    *count = settings().devices;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int *number) {
  return call([=] {
    *number = device();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int number) {
  return call([=] {
    if (number < 0 || number >= settings().devices)
      return cudaErrorInvalidDevice;
    device() = number;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int number) {
  return call([=] {
    if (number < 0 || number >= settings().devices)
      return cudaErrorInvalidDevice;
    *value = attribute_of(attribute);
    return *value < 0 ? cudaErrorInvalidValue : cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
  return call([=] {
    if (const cudaError_t error = check_kernel(function); error != cudaSuccess)
      return error;
    *attributes = {};
    attributes->maxThreadsPerBlock = threads_of_block;
    attributes->numRegs = 64;
    attributes->ptxVersion = attributes->binaryVersion = settings().capability;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(grant(function));
    attributes->preferredShmemCarveout = -1;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value) {
  return call([=] {
    if (const cudaError_t error = check_kernel(function); error != cudaSuccess)
      return error;
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
      return value < -1 || value > 100 ? cudaErrorInvalidValue : cudaSuccess;
    if (value < 0 || static_cast<size_t>(value) > shared_greatest)
      return cudaErrorInvalidValue;
    granted[function] = static_cast<size_t>(value);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_size,
                                                          size_t shared_bytes) {
  return call([=] {
    if (const cudaError_t error = check_kernel(function); error != cudaSuccess)
      return error;
    if (block_size < 1)
      return cudaErrorInvalidValue;
    *blocks = 0;
    if (block_size > threads_of_block || shared_bytes > grant(function))
      return cudaSuccess;
    const int warps = (block_size + 31) / 32;
    *blocks = std::min({blocks_of_multiprocessor, threads_of_multiprocessor / (32 * warps),
                        static_cast<int>(shared_of_multiprocessor / (shared_bytes + shared_reserved))});
    return cudaSuccess;
  });
}
