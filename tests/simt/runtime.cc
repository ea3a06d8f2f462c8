// runtime.cc: devices, errors, and what is known of kernels.
// SPDX-License-Identifier: BSD-3-Clause
#include "state.h"
#include <map>

namespace simt {
namespace {

constexpr size_t shared_always = 48 << 10, shared_greatest = 227 << 10;
constexpr int threads_of_block = 1024;

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
  case cudaDevAttrMaxGridDimX: return 0x7fffffff;
  case cudaDevAttrMaxSharedMemoryPerBlock: return static_cast<int>(shared_always);
  case cudaDevAttrMaxSharedMemoryPerBlockOptin: return static_cast<int>(shared_greatest);
  case cudaDevAttrMultiProcessorCount: return settings().multiprocessors;
  case cudaDevAttrL2CacheSize: return 1 << 20;
  case cudaDevAttrComputeCapabilityMajor: return settings().capability / 10;
  case cudaDevAttrComputeCapabilityMinor: return settings().capability % 10;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return settings().shared << 10;
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
  of(cudaErrorInvalidConfiguration, "invalid configuration argument");                                         \
  of(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy");                                    \
  of(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version");             \
  of(cudaErrorInvalidDeviceFunction, "invalid device function");                                               \
  of(cudaErrorNoDevice, "no CUDA-capable device is detected");                                                 \
  of(cudaErrorInvalidDevice, "invalid device ordinal");                                                        \
  of(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device");             \
  of(cudaErrorInvalidResourceHandle, "invalid resource handle");                                               \
  of(cudaErrorNotReady, "device not ready");                                                                   \
  of(cudaErrorLaunchFailure, "unspecified launch failure");                                                    \
  of(cudaErrorUnknown, "unknown error")

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
