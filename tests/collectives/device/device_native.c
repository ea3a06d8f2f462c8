/* device_native.c: device buffers of calls that MPI does, or that are no business of ours: small
 * ones, without a bound, of other types and operations, with gaps, between groups; managed memory;
 * several communicators. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"
#include <cuda_runtime_api.h>
#include <ghz/mpi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 300000 };

static void *there[2];
static double host[ROOM];

static void put(int which, const void *x, size_t bytes) {
  cudaError_t error = cudaMemcpy(there[which], x, bytes, cudaMemcpyDefault);
  check(error == cudaSuccess, "cudaMemcpy: %s", cudaGetErrorString(error));
}

static void get(int which, void *x, size_t bytes) {
  cudaError_t error = cudaMemcpy(x, there[which], bytes, cudaMemcpyDefault);
  check(error == cudaSuccess, "cudaMemcpy: %s", cudaGetErrorString(error));
}

/* 1 + 2 + ... ranks */
static int triangle(void) { return here.ranks * (here.ranks + 1) / 2; }

/* Sums of floats that MPI has to do, with these options. */
static void sums(const char *what, int n, const ghz_mpi_options *o) {
  float *x = (float *)host;
  for (int in_place = 0; in_place < 2; in_place++) {
    suite_case("%s, %d values%s", what, n, in_place ? ", in place" : "");
    for (int i = 0; i < n; i++)
      x[i] = (float)((i % 100) * (here.rank + 1));
    put(0, x, (size_t)n * sizeof *x);
    put(1, x, (size_t)n * sizeof *x);
    int code =
        ghz_allreduce(in_place ? MPI_IN_PLACE : there[0], there[1], n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, o);
    check(code == MPI_SUCCESS, "the call returns %d", code);
    get(1, x, (size_t)n * sizeof *x);
    int i = 0;
    while (i < n && x[i] == (float)(i % 100 * triangle()))
      i++;
    check(i == n, "value %d is %g", i, i < n ? (double)x[i] : 0);
  }
}

static void plain_calls(void) {
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  sums("no options", 1000, NULL);
  sums("no options", 200000, NULL);
  o.bound = (ghz_bound){GHZ_ABS, 0.5};
  sums("below the threshold", 2000, &o);
}

static void other_types(void) {
  int *x = (int *)host, n = 5000;
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_ABS, 0.5};
  suite_case("integers");
  for (int i = 0; i < n; i++)
    x[i] = i + here.rank;
  put(0, x, (size_t)n * sizeof *x);
  int code = ghz_allreduce(there[0], there[1], n, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &o);
  get(1, x, (size_t)n * sizeof *x);
  check(code == MPI_SUCCESS && x[17] == 17 + here.ranks - 1, "code %d, value %d", code, x[17]);
  suite_case("a product, at the root, in place");
  float *y = (float *)host;
  for (int i = 0; i < n; i++)
    y[i] = 2;
  int root = here.ranks - 1;
  put(0, y, (size_t)n * sizeof *y);
  put(1, y, (size_t)n * sizeof *y);
  code = ghz_reduce(here.rank == root ? MPI_IN_PLACE : there[0], there[1], n, MPI_FLOAT, MPI_PROD, root,
                    MPI_COMM_WORLD, &o);
  get(1, y, (size_t)n * sizeof *y);
  check(code == MPI_SUCCESS && y[n - 1] == (here.rank == root ? (float)(1 << here.ranks) : 2.0f),
        "code %d, value %g", code, (double)y[n - 1]);
}

/* What lies between the values of a type stays as it is. */
static void gaps(void) {
  double *x = host;
  int n = 500;
  MPI_Datatype odd, spread;
  suite_case("a type with gaps");
  MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &odd);
  MPI_Type_create_resized(odd, 0, 6 * sizeof(double), &spread);
  MPI_Type_commit(&spread);
  for (int i = 0; i < 6 * n; i++)
    x[i] = here.rank == 0 ? i : -i;
  put(1, x, (size_t)n * 6 * sizeof *x);
  int code = ghz_bcast(there[1], n, spread, 0, MPI_COMM_WORLD, NULL), wrong = 0;
  get(1, x, (size_t)n * 6 * sizeof *x);
  for (int i = 0; i < 6 * n; i++)
    wrong += x[i] != (here.rank == 0 || i % 2 == 0 ? i : -i);
  check(code == MPI_SUCCESS && wrong == 0, "code %d, %d values are wrong", code, wrong);
  MPI_Type_free(&odd);
  MPI_Type_free(&spread);
}

static void managed(void) {
  float *x = NULL;
  int n = 100000;
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_ABS, 0.5};
  o.mode = GHZ_MPI_HOMOMORPHIC;
  suite_case("managed memory");
  if (!check(cudaMallocManaged((void **)&x, (size_t)n * sizeof *x, cudaMemAttachGlobal) == cudaSuccess,
             "no memory"))
    return;
  for (int i = 0; i < n; i++)
    x[i] = (float)(i % 1000);
  int code = ghz_allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o), i = 0;
  while (i < n && fabs((double)x[i] - i % 1000 * here.ranks) <= 0.5 * here.ranks)
    i++;
  check(code == MPI_SUCCESS && i == n, "code %d, value %d", code, i);
  cudaFree(x);
}

/* Each rank's buffers on another device than the current one, or on two. */
static void several_devices(int devices) {
  float *x = (float *)host, *home[2];
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  const int n = 100000;
  o.bound = (ghz_bound){GHZ_REL, 1e-3};
  o.mode = GHZ_MPI_HOMOMORPHIC;
  for (int apart = 0; apart < 2; apart++) {
    suite_case("%d devices, the buffers on %s", devices, apart ? "two" : "another one");
    for (int i = 0; i < 2; i++) {
      cudaSetDevice(apart ? i : 1);
      check(cudaMalloc((void **)&home[i], (size_t)n * sizeof *x) == cudaSuccess, "no memory");
    }
    cudaSetDevice(0);
    for (int i = 0; i < n; i++)
      x[i] = (float)(i % 1000);
    cudaMemcpy(home[0], x, (size_t)n * sizeof *x, cudaMemcpyDefault);
    int code = ghz_allreduce(home[0], home[1], n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o), i = 0, current = -1;
    cudaGetDevice(&current);
    check(current == 0, "the current device is now %d", current);
    cudaMemcpy(x, home[1], (size_t)n * sizeof *x, cudaMemcpyDefault);
    while (i < n && fabs((double)x[i] - i % 1000 * here.ranks) <= 1.0 * here.ranks)
      i++;
    check(code == MPI_SUCCESS && i == n, "code %d, value %d", code, i);
    cudaFree(home[0]);
    cudaFree(home[1]);
  }
}

int main(int argc, char **argv) {
  int devices = 0;
  setenv("SIMT_DEVICES", "2", 0); /* the emulated machine */
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
    return suite_end("no CUDA device");
  for (int i = 0; i < 2; i++)
    check(cudaMalloc(&there[i], sizeof host) == cudaSuccess, "no device memory");
  plain_calls();
  other_types();
  gaps();
  managed();
  if (devices > 1)
    several_devices(devices);
  for (int i = 0; i < 2; i++)
    cudaFree(there[i]);
  return suite_end(NULL);
}
