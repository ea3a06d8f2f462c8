/* device.c: owns device memory and stream slots; an error of CUDA ends the program. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda.h"

void must_cuda(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    die(what, cudaGetErrorString(status));
}

void *device_new(size_t bytes) {
  void *memory = NULL;
  must_cuda(cudaMalloc(&memory, bytes ? bytes : 1), "cudaMalloc");
  return memory;
}

void device_free(void *memory) {
  must_cuda(cudaFree(memory), "cudaFree");
}

void *pinned_new(size_t bytes) {
  void *memory = NULL;
  must_cuda(cudaMallocHost(&memory, bytes), "cudaMallocHost");
  return memory;
}

void to_device(void *dst, const void *src, size_t bytes) {
  must_cuda(cudaMemcpy(dst, src, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
}

void to_host(void *dst, const void *src, size_t bytes) {
  must_cuda(cudaMemcpy(dst, src, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy to the host");
}

/* An attribute of the current device; 0 if it is not known. */
static size_t attribute(enum cudaDeviceAttr which) {
  int device = 0, value = 0;
  must_cuda(cudaGetDevice(&device), "cudaGetDevice");
  if (cudaDeviceGetAttribute(&value, which, device) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return value > 0 ? (size_t)value : 0;
}

size_t device_l2(void) {
  return attribute(cudaDevAttrL2CacheSize);
}

void device_describe(FILE *f) {
  fprintf(f, "compute capability %zu.%zu, %zu multiprocessors, %.0f MB of L2 cache",
          attribute(cudaDevAttrComputeCapabilityMajor), attribute(cudaDevAttrComputeCapabilityMinor),
          attribute(cudaDevAttrMultiProcessorCount), (double)device_l2() / (double)MIB);
}

void slot_open(slot *s, size_t count, size_t value_size) {
  *s = (slot){.plain_bytes = count * value_size};
  must_cuda(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  if (ghz_cuda_create(&s->gpu, count, SUM_TERMS) != GHZ_OK)
    die("ghz_cuda_create", ghz_cuda_message(NULL));
  for (int i = 0; i < 2; i++)
    s->plain[i] = device_new(s->plain_bytes);
}

void slot_close(slot *s) {
  must_cuda(cudaStreamSynchronize(s->stream), "cudaStreamSynchronize");
  ghz_cuda_free(s->gpu);
  for (int i = 0; i < 2; i++)
    device_free(s->plain[i]);
  must_cuda(cudaStreamDestroy(s->stream), "cudaStreamDestroy");
}
