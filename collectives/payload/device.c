/* device.c: what a communicator keeps of a device: streams with scratch memory, buffers; and the
 * copies and ranges that it puts on them. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "payload/device.h"

#ifdef GHZ_HAVE_CUDA

#include <cuda_runtime_api.h>
#include <stdlib.h>

enum { SLOTS = 8 };

struct device {
  int number;
  stream_slot slots[SLOTS];
  size_t values; /* of the pieces that the slots are made for */
  unsigned next;
  growing range; /* where ranges are written */
  buffer_pool bounced, direct;
};

/* ---- Buffers --------------------------------------------------------------------------------- */

static void free_buffer(buffer *base) {
  device_buffer *b = (device_buffer *)base;
  if (b->done)
    ghz_device_checked(cudaEventDestroy(b->done), "cudaEventDestroy");
  if (b->results)
    ghz_device_checked(cudaFreeHost(b->results), "cudaFreeHost");
  if (b->host)
    ghz_device_checked(cudaFreeHost(b->host), "cudaFreeHost");
  if (b->device)
    ghz_device_checked(cudaFree(b->device), "cudaFree");
  free(b);
}

/* A piece of memory, or NULL. */
static void *device_memory(size_t bytes) {
  void *p;
  return ghz_device_checked(cudaMalloc(&p, bytes + !bytes), "cudaMalloc") == GHZ_OK ? p : NULL;
}

static void *pinned_memory(size_t bytes) {
  void *p;
  return ghz_device_checked(cudaMallocHost(&p, bytes + !bytes), "cudaMallocHost") == GHZ_OK ? p : NULL;
}

static buffer *make_buffer(size_t capacity, int direct) {
  device_buffer *b = calloc(1, sizeof *b);
  if (!b)
    return NULL;
  b->device = device_memory(capacity);
  b->host = direct ? NULL : pinned_memory(capacity);
  b->results = pinned_memory(DEVICE_RESULTS * sizeof *b->results);
  b->buffer.memory = direct ? b->device : b->host;
  if (b->device && b->buffer.memory && b->results &&
      ghz_device_checked(cudaEventCreateWithFlags(&b->done, cudaEventDisableTiming), "cudaEventCreate") ==
          GHZ_OK)
    return &b->buffer;
  free_buffer(&b->buffer);
  return NULL;
}

static const buffer_allocator allocator = {make_buffer, free_buffer};

/* ---- Stream slots ---------------------------------------------------------------------------- */

static ghz_status make_context(ghz_cuda **gpu, size_t values, size_t operands) {
  ghz_cuda_free(*gpu);
  ghz_status status = ghz_cuda_create(gpu, values, operands);
  if (status != GHZ_OK)
    ghz_device_note(ghz_cuda_message(NULL));
  return status;
}

static ghz_status prepare_slot(stream_slot *slot, size_t values, int grows) {
  ghz_status status = GHZ_OK;
  if (!slot->stream)
    status =
        ghz_device_checked(cudaStreamCreateWithFlags(&slot->stream, cudaStreamNonBlocking), "cudaStreamCreate");
  if (status == GHZ_OK && (!slot->gpu || grows))
    status = make_context(&slot->gpu, values, 2);
  return status;
}

/* What was made before an error is kept: the next call goes on from there. */
static ghz_status prepare(device **made, const buffer_location *on, size_t values) {
  ghz_status status = GHZ_OK;
  if (*made && (*made)->number != on->number) {
    ghz_device_free(*made);
    *made = NULL;
  }
  if (!*made && !(*made = calloc(1, sizeof **made))) {
    ghz_device_note("no memory");
    return GHZ_ENOMEM;
  }
  device *d = *made;
  int grows = values > d->values;
  d->number = on->number;
  d->bounced.allocator = d->direct.allocator = &allocator;
  d->direct.is_direct = 1;
  if (grows)
    d->values = 0;
  for (int i = 0; i < SLOTS && status == GHZ_OK; i++)
    status = prepare_slot(&d->slots[i], values, grows);
  if (grows && status == GHZ_OK)
    d->values = values;
  return status;
}

ghz_status ghz_device_setup(payload_job *job, device **d, const buffer_location *on, size_t values,
                            int direct) {
  ghz_status status = prepare(d, on, values);
  if (status == GHZ_OK) {
    job->device = *d;
    job->pool = direct ? &(*d)->direct : &(*d)->bounced;
  }
  return status;
}

stream_slot *ghz_device_slot(device *d) {
  return &d->slots[d->next++ % SLOTS];
}

ghz_status ghz_slot_copy(const stream_slot *slot, void *to, const void *from, size_t bytes) {
  return ghz_device_checked(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, slot->stream),
                            "cudaMemcpyAsync");
}

ghz_status ghz_slot_mark(const stream_slot *slot, device_buffer *b) {
  b->slot = slot;
  return ghz_device_checked(cudaEventRecord(b->done, slot->stream), "cudaEventRecord");
}

void ghz_slot_wait(const stream_slot *slot) {
  ghz_device_checked(cudaStreamSynchronize(slot->stream), "cudaStreamSynchronize");
}

int ghz_slot_poll(const device_buffer *b, ghz_status *status) {
  cudaError_t error = cudaEventQuery(b->done);
  if (error == cudaErrorNotReady)
    return 0;
  *status = ghz_device_checked(error, "cudaEventQuery");
  if (*status != GHZ_OK)
    ghz_slot_wait(b->slot);
  return 1;
}

static void free_slot(stream_slot *slot) {
  ghz_cuda_free(slot->gpu);
  if (slot->stream)
    ghz_device_checked(cudaStreamDestroy(slot->stream), "cudaStreamDestroy");
}

void ghz_device_free(device *d) {
  if (!d)
    return;
  buffer_location on = {.number = d->number, .any = 1};
  ghz_device_make_current(&on);
  ghz_buffer_pool_free(&d->bounced);
  ghz_buffer_pool_free(&d->direct);
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
    ghz_device_note(ghz_cuda_message(slot->gpu));
  else
    status = ghz_device_checked(cudaStreamSynchronize(slot->stream), "cudaStreamSynchronize");
  if (status == GHZ_OK) {
    *min = range[0];
    *max = range[1];
  }
  return status;
}

#endif
