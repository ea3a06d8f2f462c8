/* device.h: buffers in the memory of a GPU: how they are recognised, and what a communicator keeps
 * to work on them.
 *
 * device.c alone uses the CUDA runtime. In a build without CUDA there is none of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_DEVICE_H
#define GHZ_MPI_DEVICE_H

#include <ghz/cuda.h>

#include "engine/payload.h"

/* Where a call's buffers are: 1 and the number of a device; 0: on the host. */
typedef struct buffer_location {
  int send, recv;
  int any;           /* a device of them; 0: there is none */
  int previous;      /* the device that was the current one, by its number */
  ghz_status status; /* not GHZ_OK: CUDA reported an error */
} buffer_location;

#ifdef GHZ_HAVE_CUDA

/* Whether MPI takes device memory: 1 or 0 where the user says so, -1: MPI is asked. Call it before
 * anything else. */
void ghz_device_set_cuda_aware(int yes);

/* Whether MPI sends from device memory and receives there. */
int ghz_device_direct(void);

/* Whether MPI must not be handed these buffers as they are. */
int ghz_device_forbids(const void *send, const void *recv);

/* Looks at the buffers that are not NULL, and makes their device the current one of this thread. */
buffer_location ghz_device_enter(const void *send, const void *recv);

/* Makes the device current that was so before. */
void ghz_device_leave(const buffer_location *on);

/* What was wrong in the last call here that failed, on this thread. */
const char *ghz_device_message(void);

/* ---- Host memory that a device copies from and to -------------------------------------------- */

/* As grow, in pinned memory; contents are lost. */
void *ghz_pinned_grow(growing *g, size_t bytes);
void ghz_pinned_free(growing *g);

/* Copies between any two places, and waits for it. */
ghz_status ghz_device_copy(void *to, const void *from, size_t bytes);

/* ---- What a communicator keeps --------------------------------------------------------------- */

typedef struct device device;

/* A stream, and scratch memory for what is put on it. */
typedef struct stream_slot {
  ghz_cuda_stream stream;
  ghz_cuda *gpu;
} stream_slot;

/* A buffer whose bytes may be in device memory, in pinned memory, or in both. */
typedef struct device_buffer {
  buffer buffer;                  /* `memory` is where MPI sends from and receives: pinned, if not `device` */
  uint8_t *device;                /* its memory on the device */
  ghz_cuda_outcome *results;      /* of the work on it, pinned */
  int result_count;               /* so many count */
  const struct stream_slot *slot; /* that does the work on it, */
  struct CUevent_st *done;        /* and the end of it */
  int work;                       /* what that is, or was: for the payload to know */
} device_buffer;

enum { DEVICE_RESULTS = 2 };

/* Makes what a call needs beside buffers, on the current device, or keeps what is there already in
 * *d, and has the job run there. Pieces have up to `values` values. */
ghz_status ghz_device_setup(payload_job *job, device **d, const buffer_location *on, size_t values);

/* The least and greatest finite value of an array in device memory. Waits. */
ghz_status ghz_device_range(device *d, ghz_type type, const void *x, size_t n, double *min, double *max);

/* The next slot in turn. */
stream_slot *ghz_device_slot(device *d);

/* Puts a copy on a slot's stream. */
ghz_status ghz_slot_copy(const stream_slot *slot, void *to, const void *from, size_t bytes);

/* Makes the end of what is on a slot by now the end of the work on b. If something failed, `status`
 * or this, it waits instead: the memory may be used again. Returns what failed. */
ghz_status ghz_slot_commit(const stream_slot *slot, device_buffer *b, ghz_status status);

/* Whether the work on b has ended; *status is GHZ_EDEVICE if the device failed. */
int ghz_slot_poll(const device_buffer *b, ghz_status *status);

void ghz_device_free(device *d);

#else

/* No pointer is one to a device, so nothing is asked of one. */
typedef struct device device;
#define ghz_device_set_cuda_aware(yes) (void)(yes)
#define ghz_device_direct() 0
#define ghz_device_forbids(send, recv) 0
#define ghz_device_enter(send, recv) ((buffer_location){0})
#define ghz_device_leave(on) (void)(on)
#define ghz_device_message() "built without CUDA"
#define ghz_pinned_grow(g, bytes) ((void)(g), (void *)NULL)
#define ghz_pinned_free(g) (void)(g)
#define ghz_device_copy(to, from, bytes) ((void)(to), (void)(from), GHZ_EDEVICE)
#define ghz_device_setup(job, d, on, values) ((void)(d), (void)(values), GHZ_EDEVICE)
#define ghz_device_range(d, type, x, n, min, max) GHZ_EDEVICE
#define ghz_device_free(d) (void)(d)

#endif
#endif
