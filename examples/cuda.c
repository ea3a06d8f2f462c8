/* cuda.c: compresses two arrays on a GPU, adds them there, and decompresses the sum.
 *
 *   cc cuda.c $(pkg-config --cflags --libs ghz) -lcudart -lm -o cuda && ./cuda */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <cuda_runtime_api.h>
#include <ghz/cuda.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 100000 };

static _Noreturn void die(const char *why) {
  fprintf(stderr, "cuda: %s\n", why);
  exit(77); /* which tells ctest that the test was skipped */
}

static void *device(size_t size) {
  void *p = NULL;
  if (cudaMalloc(&p, size) != cudaSuccess)
    die("no CUDA device, or not enough memory on it");
  return p;
}

int main(void) {
  static float host[N];
  const size_t size = sizeof host, room = ghz_size_bound(N, GHZ_F32, 2); /* a sum of two terms */
  float *x = device(size), *y = device(size), *z = device(size);
  void *a = device(room), *b = device(room), *s = device(room);
  for (int i = 0; i < N; i++)
    host[i] = sinf((float)i * 1e-3f);
  cudaMemcpy(x, host, size, cudaMemcpyHostToDevice);
  cudaMemcpy(y, host, size, cudaMemcpyHostToDevice);

  ghz_lattice lattice;
  ghz_cuda *gpu;             /* all scratch memory, allocated once: no call below allocates */
  ghz_cuda_outcome *outcome; /* pinned memory: one for each call under way */
  cudaStream_t stream;
  if (ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 1e-3}, 0, 0, &lattice) != GHZ_OK)
    return 1;
  if (ghz_cuda_create(&gpu, N, 2) != GHZ_OK || cudaStreamCreate(&stream) != cudaSuccess ||
      cudaMallocHost((void **)&outcome, 4 * sizeof *outcome) != cudaSuccess)
    die("no GPU that libghz has kernels for");

  /* Each call puts one kernel on the stream and returns at once. The sizes of the streams stay on
   * the device: an operand is given as the buffer that holds it. */
  ghz_cuda_compress(gpu, &lattice, GHZ_ORDER_BEST, x, ghz_flat(N), a, room, &outcome[0], stream);
  ghz_cuda_compress(gpu, &lattice, GHZ_ORDER_BEST, y, ghz_flat(N), b, room, &outcome[1], stream);
  ghz_cuda_add(gpu, GHZ_F32, ghz_flat(N), (ghz_bytes){a, room}, (ghz_bytes){b, room}, s, room, &outcome[2],
               stream);
  ghz_cuda_decompress(gpu, GHZ_F32, ghz_flat(N), (ghz_bytes){s, room}, GHZ_F32, z, &outcome[3], stream);
  ghz_cuda_wait(gpu, &outcome[3], NULL, stream); /* the first call that waits */

  double worst = 0;
  cudaMemcpy(host, z, size, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++)
    worst = fmax(worst, fabs((double)host[i] - 2 * (double)sinf((float)i * 1e-3f)));
  printf("%s: the sum takes %llu bytes instead of %zu; largest error %.3g, bound 0.002\n",
         ghz_status_text(outcome[3].status), (unsigned long long)outcome[2].size, size, worst);
  ghz_cuda_free(gpu);
  return outcome[3].status == GHZ_OK && worst <= 2e-3 ? 0 : 1;
}
