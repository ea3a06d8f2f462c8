/* readme_gpu.c: runs the example of README.md, "On a GPU", and checks what it computes. */

#include <cuda_runtime_api.h>
#include <ghz.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void *device(size_t size) {
  void *p = NULL;
  if (cudaMalloc(&p, size) != cudaSuccess)
    exit(77);
  return p;
}

int main(void) {
  const size_t n = 100000, room = ghz_size_bound(n, GHZ_F32, 2);
  float *host = malloc(n * sizeof *host);
  ghz_lattice lattice;
  cudaStream_t stream;
  if (!host || cudaStreamCreate(&stream) != cudaSuccess) {
    puts("no CUDA device");
    return 77;
  }
  float *x = device(n * 4), *y = device(n * 4), *z = device(n * 4);
  void *a = device(room), *b = device(room), *s = device(room);
  ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 1e-3}, 0, 0, &lattice);
  for (size_t i = 0; i < n; i++)
    host[i] = sinf((float)i * 1e-3f);
  cudaMemcpy(x, host, n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(y, host, n * 4, cudaMemcpyHostToDevice);
#include "readme_gpu.inc"
  cudaMemcpy(host, z, n * 4, cudaMemcpyDeviceToHost);
  double worst = 0;
  for (size_t i = 0; i < n; i++)
    worst = fmax(worst, fabs(host[i] - 2.0 * sinf((float)i * 1e-3f)));
  printf("status %d, error %g of 0.002, %llu bytes of %zu\n", (int)outcome[3].status, worst,
         (unsigned long long)outcome[2].size, n * 4);
  const int right = outcome[3].status == GHZ_OK && worst <= 2e-3 && outcome[2].size < n;
  ghz_cuda_free(gpu);
  free(host);
  return right ? 0 : 1;
}
