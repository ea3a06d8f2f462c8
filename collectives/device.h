/* device.h: buffers in the memory of a GPU: how they are recognised, and what a communicator keeps to work on them.
 *
 * device.c alone uses the CUDA runtime. In a build without CUDA there is none of it: no pointer is one to a device. */
#ifndef GHZ_MPI_DEVICE_H
#define GHZ_MPI_DEVICE_H

#include "cargo.h"

/* Which of a call's buffers are in device memory, and of which device. */
typedef struct residence {
  int send, recv;
  int any;
  int number;        /* of the device */
  int apart;         /* the buffers are on two devices */
  ghz_status status; /* not GHZ_OK: CUDA does not say */
} residence;

#ifdef GHZ_HAVE_CUDA

/* Looks at the buffers that are not NULL. */
residence ghz_device_find(const void *send, const void *recv);

/* Whether MPI sends from device memory and receives there. */
int ghz_device_direct(void);

/* Whether MPI must not be handed these buffers as they are. */
int ghz_device_forbids(const void *send, const void *recv);

/* Makes the device the current one of this thread; returns what was, for ghz_device_leave. Sets on->status if it cannot. */
int ghz_device_enter(residence *on);
void ghz_device_leave(int previous);

/* What was wrong in the last call here that failed, on this thread. */
const char *ghz_device_message(void);

/* ---- Host memory that a device copies from and to ---------------------------------------------------- */

/* As grow, in pinned memory; contents are lost. */
void *ghz_pinned_grow(growing *g, size_t bytes);
void ghz_pinned_free(growing *g);

/* Copies between any two places, and waits for it. */
ghz_status ghz_device_copy(void *to, const void *from, size_t bytes);

/* ---- What a communicator keeps ----------------------------------------------------------------------- */

typedef struct device device;

/* A stream, and scratch memory for what is put on it. */
typedef struct lane {
  ghz_cuda_stream stream;
  ghz_cuda *gpu;
} lane;

/* A parcel whose bytes may be in device memory, in pinned memory, or in both. In a pool for an MPI that sends from device
 * memory it has no pinned memory. */
typedef struct device_parcel {
  parcel parcel;              /* `memory` is where MPI sends from and receives */
  uint8_t *there, *here;      /* its memory on the device, and pinned; NULL: none */
  int is_there, is_here;      /* where its bytes are */
  ghz_cuda_outcome *outcomes; /* of the work on it, pinned */
  int outcome_count;          /* so many count */
  const struct lane *lane;    /* that does the work on it, */
  struct CUevent_st *done;    /* and the end of it */
  int work;                   /* what that is: for the cargo to know */
} device_parcel;

enum { DEVICE_OUTCOMES = 2 };

/* Makes what a call needs beside parcels, on the current device, or keeps what is there already in *d, and has the job run
 * errands there. Pieces have up to `values` values. If `direct`, MPI is given device memory. */
ghz_status ghz_device_setup(cargo_job *job, device **d, const residence *on, size_t values, int direct);

/* The least and greatest finite value of an array in device memory. Waits. */
ghz_status ghz_device_range(device *d, ghz_type type, const void *x, size_t n, double *min, double *max);

/* The next lane in turn. */
lane *ghz_device_lane(device *d);

/* Puts a copy on a lane's stream. */
ghz_status ghz_lane_copy(const lane *l, void *to, const void *from, size_t bytes);

/* Marks the end of what is on a lane by now as the end of the work on q. */
ghz_status ghz_lane_mark(const lane *l, device_parcel *q);

/* Waits for what is on a lane, after something failed. */
void ghz_lane_wait(const lane *l);

/* Whether the work on q has ended; *status is GHZ_EDEVICE if the device failed. */
int ghz_lane_passed(const device_parcel *q, ghz_status *status);

void ghz_device_free(device *d);

extern const cargo_errands ghz_cargo_device_errands;

#else

typedef struct device device;

static inline residence ghz_device_find(const void *send, const void *recv) {
  (void)send, (void)recv;
  return (residence){0};
}

static inline int ghz_device_forbids(const void *send, const void *recv) {
  (void)send, (void)recv;
  return 0;
}

static inline int ghz_device_direct(void) {
  return 0;
}

static inline int ghz_device_enter(residence *on) {
  return on->number;
}

static inline void ghz_device_leave(int previous) {
  (void)previous;
}

static inline const char *ghz_device_message(void) {
  return "built without CUDA";
}

static inline ghz_status ghz_device_copy(void *to, const void *from, size_t bytes) {
  (void)to, (void)from, (void)bytes;
  return GHZ_EDEVICE;
}

static inline ghz_status ghz_device_setup(cargo_job *job, device **d, const residence *on, size_t values,
                                          int direct) {
  (void)job, (void)d, (void)on, (void)values, (void)direct;
  return GHZ_EDEVICE;
}

static inline ghz_status ghz_device_range(device *d, ghz_type type, const void *x, size_t n, double *min,
                                          double *max) {
  (void)d, (void)type, (void)x, (void)n, (void)min, (void)max;
  return GHZ_EDEVICE;
}

static inline void ghz_device_free(device *d) {
  (void)d;
}

#endif
#endif
