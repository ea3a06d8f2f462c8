/* device.c: all use of the CUDA runtime: whose memory a pointer is to, host memory that a device
 * copies from and to, and what a communicator keeps of a device: streams with scratch memory,
 * buffers; and the copies and ranges that it puts on them. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "payload/device.h"

#ifdef GHZ_HAVE_CUDA

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

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

static void note(const char *text) {
  snprintf(message, sizeof message, "%s", text);
}

static ghz_status checked(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return GHZ_OK;
  cudaGetLastError();
  snprintf(message, sizeof message, "%s: %s", what, cudaGetErrorString(error));
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

/* Where a buffer is, as in buffer_location. */
static int home_of(const void *address, ghz_status *status) {
  struct cudaPointerAttributes a = {.type = cudaMemoryTypeUnregistered};
  if (!has_devices || !address || address == MPI_IN_PLACE)
    return 0;
  if (checked(cudaPointerGetAttributes(&a, address), "cudaPointerGetAttributes") != GHZ_OK)
    *status = GHZ_EDEVICE;
  return a.type == cudaMemoryTypeDevice || a.type == cudaMemoryTypeManaged ? a.device + 1 : 0;
}

static buffer_location find(const void *send, const void *recv) {
  buffer_location on = {.status = GHZ_OK};
  pthread_once(&once, look_around);
  on.send = home_of(send, &on.status);
  on.recv = home_of(recv, &on.status);
  on.any = on.send ? on.send : on.recv;
  return on;
}

int ghz_device_forbids(const void *send, const void *recv) {
  if (ghz_device_direct())
    return 0;
  buffer_location on = find(send, recv);
  return on.any || on.status != GHZ_OK;
}

static void make_current(buffer_location *on) {
  on->previous = on->any - 1;
  if (checked(cudaGetDevice(&on->previous), "cudaGetDevice") != GHZ_OK ||
      checked(cudaSetDevice(on->any - 1), "cudaSetDevice") != GHZ_OK)
    on->status = GHZ_EDEVICE;
}

buffer_location ghz_device_enter(const void *send, const void *recv) {
  buffer_location on = find(send, recv);
  if (on.any)
    make_current(&on);
  return on;
}

void ghz_device_leave(const buffer_location *on) {
  if (on->any)
    checked(cudaSetDevice(on->previous), "cudaSetDevice");
}

/* ---- Host memory that a device copies from and to -------------------------------------------- */

void ghz_pinned_free(growing *g) {
  if (g->data)
    checked(cudaFreeHost(g->data), "cudaFreeHost");
  *g = (growing){0};
}

void *ghz_pinned_grow(growing *g, size_t bytes) {
  if (bytes + !bytes > g->bytes) {
    ghz_pinned_free(g);
    if (checked(cudaMallocHost(&g->data, bytes + !bytes), "cudaMallocHost") != GHZ_OK)
      return g->data = NULL;
    g->bytes = bytes + !bytes;
  }
  return g->data;
}

/* Copies inside a device end later than the call. */
ghz_status ghz_device_copy(void *to, const void *from, size_t bytes) {
  ghz_status status = checked(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
  return status == GHZ_OK ? checked(cudaStreamSynchronize(NULL), "cudaStreamSynchronize") : status;
}

/* ---- What a communicator keeps --------------------------------------------------------------- */

enum { SLOTS = 8 };

struct device {
  int home; /* as in buffer_location */
  stream_slot slots[SLOTS];
  size_t values; /* of the pieces that the slots are made for */
  unsigned next;
  growing range; /* where ranges are written */
  buffer_pool pool;
};

/* ---- Buffers --------------------------------------------------------------------------------- */

static void free_buffer(buffer *base) {
  device_buffer *b = (device_buffer *)base;
  if (b->done)
    checked(cudaEventDestroy(b->done), "cudaEventDestroy");
  if (b->results)
    checked(cudaFreeHost(b->results), "cudaFreeHost");
  checked(cudaFree(b->device), "cudaFree");
  free(b);
}

/* Pinned memory for a message follows that for results, unless MPI takes device memory. */
static buffer *make_buffer(size_t capacity) {
  const size_t results = DEVICE_RESULTS * sizeof(ghz_cuda_outcome),
               bounced = ghz_device_direct() ? 0 : capacity;
  device_buffer *b = calloc(1, sizeof *b);
  if (!b)
    return NULL;
  if (checked(cudaMalloc((void **)&b->device, capacity + !capacity), "cudaMalloc") == GHZ_OK &&
      checked(cudaMallocHost((void **)&b->results, results + bounced), "cudaMallocHost") == GHZ_OK &&
      checked(cudaEventCreateWithFlags(&b->done, cudaEventDisableTiming), "cudaEventCreate") == GHZ_OK) {
    b->buffer.memory = ghz_device_direct() ? b->device : (uint8_t *)(b->results + DEVICE_RESULTS);
    return &b->buffer;
  }
  free_buffer(&b->buffer);
  return NULL;
}

static const buffer_allocator allocator = {make_buffer, free_buffer};

/* ---- Stream slots ---------------------------------------------------------------------------- */

static ghz_status make_slot(stream_slot *slot, size_t values) {
  ghz_status status =
      checked(cudaStreamCreateWithFlags(&slot->stream, cudaStreamNonBlocking), "cudaStreamCreate");
  if (status == GHZ_OK && (status = ghz_cuda_create(&slot->gpu, values, 2)) != GHZ_OK)
    note(ghz_cuda_message(NULL));
  return status;
}

static ghz_status make(device **made, int home, size_t values) {
  device *d = *made = calloc(1, sizeof *d);
  ghz_status status = d ? GHZ_OK : GHZ_ENOMEM;
  if (d)
    *d = (device){.home = home, .values = values, .pool = {.allocator = &allocator}};
  else
    note("no memory");
  for (int i = 0; i < SLOTS && status == GHZ_OK; i++)
    status = make_slot(&d->slots[i], values);
  return status;
}

ghz_status ghz_device_setup(payload_job *job, device **d, const buffer_location *on, size_t values) {
  ghz_status status = GHZ_OK;
  if (!*d || (*d)->home != on->any || (*d)->values < values) {
    ghz_device_free(*d);
    status = make(d, on->any, values);
  }
  if (status == GHZ_OK) {
    job->device = *d;
    job->pool = &(*d)->pool;
  } else {
    ghz_device_free(*d);
    *d = NULL;
  }
  return status;
}

stream_slot *ghz_device_slot(device *d) {
  return &d->slots[d->next++ % SLOTS];
}

ghz_status ghz_slot_copy(const stream_slot *slot, void *to, const void *from, size_t bytes) {
  return checked(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, slot->stream), "cudaMemcpyAsync");
}

static void wait_for(const stream_slot *slot) {
  checked(cudaStreamSynchronize(slot->stream), "cudaStreamSynchronize");
}

ghz_status ghz_slot_commit(const stream_slot *slot, device_buffer *b, ghz_status status) {
  b->slot = slot;
  if (status == GHZ_OK)
    status = checked(cudaEventRecord(b->done, slot->stream), "cudaEventRecord");
  b->buffer.pending = status == GHZ_OK;
  if (status != GHZ_OK)
    wait_for(slot);
  return status;
}

int ghz_slot_poll(const device_buffer *b, ghz_status *status) {
  cudaError_t error = cudaEventQuery(b->done);
  if (error == cudaErrorNotReady)
    return 0;
  *status = checked(error, "cudaEventQuery");
  if (*status != GHZ_OK)
    wait_for(b->slot);
  return 1;
}

static void free_slot(stream_slot *slot) {
  ghz_cuda_free(slot->gpu);
  if (slot->stream)
    checked(cudaStreamDestroy(slot->stream), "cudaStreamDestroy");
}

void ghz_device_free(device *d) {
  if (!d)
    return;
  buffer_location on = {.any = d->home};
  make_current(&on);
  ghz_buffer_pool_free(&d->pool);
  ghz_pinned_free(&d->range);
  for (int i = 0; i < SLOTS; i++)
    free_slot(&d->slots[i]);
  ghz_device_leave(&on);
  free(d);
}

/* ---- The range ------------------------------------------------------------------------------- */

ghz_status ghz_device_range(device *d, ghz_type type, const void *x, size_t n, double *min, double *max) {
  double *range = ghz_pinned_grow(&d->range, 2 * sizeof *range);
  const stream_slot *slot = &d->slots[0];
  if (!range)
    return GHZ_ENOMEM;
  ghz_status status = ghz_cuda_range(slot->gpu, type, x, n, range, slot->stream);
  if (status != GHZ_OK)
    note(ghz_cuda_message(slot->gpu));
  else
    status = checked(cudaStreamSynchronize(slot->stream), "cudaStreamSynchronize");
  if (status == GHZ_OK) {
    *min = range[0];
    *max = range[1];
  }
  return status;
}

#endif
