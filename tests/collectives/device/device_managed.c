/* device_managed.c: managed memory, and buffers on another device than the current one, or on
 * two. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"
#include <cuda_runtime_api.h>
#include <ghz/mpi.h>
#include <math.h>
#include <stdlib.h>

enum { VALUES = 100000 };

static float host[VALUES];

/* The sum of what all ranks have, in one call. */
static void add_up(void *in, float *out) {
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  int i = 0, current = -1;
  o.bound = (ghz_bound){GHZ_REL, 5e-4};
  o.mode = GHZ_MPI_HOMOMORPHIC;
  for (i = 0; i < VALUES; i++)
    host[i] = (float)(i % 1000);
  cudaMemcpy(in == MPI_IN_PLACE ? out : in, host, sizeof host, cudaMemcpyDefault);
  int code = ghz_allreduce(in, out, VALUES, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o);
  cudaGetDevice(&current);
  check(current == 0, "the current device is now %d", current);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDefault);
  for (i = 0; i < VALUES && fabs((double)host[i] - i % 1000 * here.ranks) <= 0.5 * here.ranks;)
    i++;
  check(code == MPI_SUCCESS && i == VALUES, "code %d, value %d", code, i);
}

int main(int argc, char **argv) {
  float *managed = NULL, *home[2];
  int devices = 0;
  setenv("SIMT_DEVICES", "2", 0); /* the emulated machine */
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
    return suite_end("no CUDA device");
  suite_case("managed memory");
  if (check(cudaMallocManaged((void **)&managed, sizeof host, cudaMemAttachGlobal) == cudaSuccess, "no memory"))
    add_up(MPI_IN_PLACE, managed);
  cudaFree(managed);
  for (int apart = 0; apart < 2 && devices > 1; apart++) {
    suite_case("%d devices, the buffers on %s", devices, apart ? "two" : "another one");
    for (int i = 0; i < 2; i++) {
      cudaSetDevice(apart ? i : 1);
      check(cudaMalloc((void **)&home[i], sizeof host) == cudaSuccess, "no memory");
    }
    cudaSetDevice(0);
    add_up(home[0], home[1]);
    cudaFree(home[0]);
    cudaFree(home[1]);
  }
  return suite_end(NULL);
}
