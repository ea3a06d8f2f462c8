/* device.c: memory, lanes of calls, and statistics of times; an error of CUDA ends the program. */
#include "gpu_bench.h"

#include <math.h>
#include <stdlib.h>

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

void lane_open(lane *l, size_t count, size_t value_size) {
  *l = (lane){.plain_bytes = count * value_size};
  must_cuda(cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  if (ghz_cuda_create(&l->gpu, count, SUMMED) != GHZ_OK)
    die("ghz_cuda_create", ghz_cuda_message(NULL));
  for (int i = 0; i < 2; i++)
    l->plain[i] = device_new(l->plain_bytes);
}

void lane_close(lane *l) {
  must_cuda(cudaStreamSynchronize(l->stream), "cudaStreamSynchronize");
  ghz_cuda_free(l->gpu);
  for (int i = 0; i < 2; i++)
    device_free(l->plain[i]);
  must_cuda(cudaStreamDestroy(l->stream), "cudaStreamDestroy");
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The value at a fraction of the way through sorted values. */
static double quantile(const double *sorted, int count, double at) {
  double place = at * (count - 1);
  int below = (int)floor(place);
  int above = below + 1 < count ? below + 1 : below;
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

timing timing_of(double *seconds, int count) {
  qsort(seconds, (size_t)count, sizeof *seconds, ascending);
  timing t = {.median = quantile(seconds, count, 0.5), .best = seconds[0], .samples = count};
  t.spread = t.median > 0 ? (quantile(seconds, count, 0.75) - quantile(seconds, count, 0.25)) / t.median : 0;
  return t;
}
