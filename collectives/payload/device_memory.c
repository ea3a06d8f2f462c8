/* device_memory.c: whose memory a pointer is to, host memory that a device copies from and to, and
 * what went wrong in the last use of a device on a thread. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "payload/device.h"

#ifdef GHZ_HAVE_CUDA

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>

#if defined(OPEN_MPI) && defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

/* ---- Errors ---------------------------------------------------------------------------------- */

static _Thread_local char message[120];

const char *ghz_device_message(void) {
  return message;
}

void ghz_device_note(const char *text) {
  snprintf(message, sizeof message, "%s", text);
}

ghz_status ghz_device_checked(unsigned error, const char *what) {
  if (error == cudaSuccess)
    return GHZ_OK;
  cudaGetLastError();
  snprintf(message, sizeof message, "%s: %s", what, cudaGetErrorString((cudaError_t)error));
  return error == cudaErrorMemoryAllocation ? GHZ_ENOMEM : GHZ_EDEVICE;
}

/* ---- Whose memory ---------------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int has_devices, is_direct, forced = -1;

void ghz_device_set_cuda_aware(int yes) {
  forced = yes;
}

static int ask_mpi(void) {
  int yes = 0;
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  yes = MPIX_Query_cuda_support();
#elif defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000
  if (MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &yes) != MPI_SUCCESS)
    yes = 0;
#endif
  return yes;
}

/* An error that says nothing about devices leaves it to each buffer whether there are any. */
static void look_around(void) {
  int n = 0;
  cudaError_t error = cudaGetDeviceCount(&n);
  cudaGetLastError();
  has_devices =
      error == cudaSuccess ? n > 0 : error != cudaErrorNoDevice && error != cudaErrorInsufficientDriver;
  is_direct = has_devices && (forced < 0 ? ask_mpi() : forced);
}

int ghz_device_direct(void) {
  pthread_once(&once, look_around);
  return is_direct;
}

/* The number of the device that a buffer belongs to; -1: none. (Older runtimes find host memory an
 * invalid value.) */
static int home_of(const void *address, ghz_status *status) {
  struct cudaPointerAttributes a = {.type = cudaMemoryTypeUnregistered};
  if (!address || address == MPI_IN_PLACE)
    return -1;
  cudaError_t error = cudaPointerGetAttributes(&a, address);
  if (error == cudaErrorInvalidValue)
    cudaGetLastError();
  else if (ghz_device_checked(error, "cudaPointerGetAttributes") != GHZ_OK)
    *status = GHZ_EDEVICE;
  return a.type == cudaMemoryTypeDevice || a.type == cudaMemoryTypeManaged ? a.device : -1;
}

buffer_location ghz_device_find(const void *send, const void *recv) {
  buffer_location on = {.status = GHZ_OK};
  pthread_once(&once, look_around);
  if (!has_devices)
    return on;
  int s = home_of(send, &on.status), r = home_of(recv, &on.status);
  on.send = s >= 0;
  on.recv = r >= 0;
  on.any = on.send || on.recv;
  on.number = on.send ? s : r;
  on.apart = on.send && on.recv && s != r;
  return on;
}

int ghz_device_forbids(const void *send, const void *recv) {
  if (ghz_device_direct())
    return 0;
  buffer_location on = ghz_device_find(send, recv);
  return on.any || on.status != GHZ_OK;
}

void ghz_device_make_current(buffer_location *on) {
  on->previous = on->number;
  ghz_status status = ghz_device_checked(cudaGetDevice(&on->previous), "cudaGetDevice");
  if (status == GHZ_OK && on->previous != on->number)
    status = ghz_device_checked(cudaSetDevice(on->number), "cudaSetDevice");
  if (status != GHZ_OK)
    on->status = status;
}

buffer_location ghz_device_enter(const void *send, const void *recv) {
  buffer_location on = ghz_device_find(send, recv);
  if (on.any)
    ghz_device_make_current(&on);
  return on;
}

void ghz_device_leave(const buffer_location *on) {
  int current = on->previous;
  if (on->any && ghz_device_checked(cudaGetDevice(&current), "cudaGetDevice") == GHZ_OK &&
      on->previous != current)
    ghz_device_checked(cudaSetDevice(on->previous), "cudaSetDevice");
}

/* ---- Host memory that a device copies from and to -------------------------------------------- */

void ghz_pinned_free(growing *g) {
  if (g->data)
    ghz_device_checked(cudaFreeHost(g->data), "cudaFreeHost");
  *g = (growing){0};
}

void *ghz_pinned_grow(growing *g, size_t bytes) {
  if (bytes + !bytes > g->bytes) {
    ghz_pinned_free(g);
    if (ghz_device_checked(cudaMallocHost(&g->data, bytes + !bytes), "cudaMallocHost") != GHZ_OK)
      return g->data = NULL;
    g->bytes = bytes + !bytes;
  }
  return g->data;
}

/* Copies inside a device end later than the call. */
ghz_status ghz_device_copy(void *to, const void *from, size_t bytes) {
  ghz_status status = ghz_device_checked(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
  return status == GHZ_OK ? ghz_device_checked(cudaStreamSynchronize(NULL), "cudaStreamSynchronize") : status;
}

#endif
