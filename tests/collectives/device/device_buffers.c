/* device_buffers.c: puts the buffers of a test's calls into device memory: linked with --wrap for
 * request_make, for tests that know nothing of devices. Which buffers of which rank, changes from
 * call to call, and now and then they are managed, or on another device than the current one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "device_buffers.h"
#include "request.h"
#include "suite.h"
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

device_placement device_place = DEVICE_SOME;
long device_placed;

static _Thread_local uint64_t calls;

/* ---- One buffer ---- */
enum { GUARD = 256, PATTERN = 0x5a };

typedef struct buffer {
  uint8_t *base, *data; /* on the device; data is what the call gets */
  void *home;
  size_t size;
} buffer;

static void must(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  MPI_Abort(MPI_COMM_WORLD, 3);
  exit(3);
}

/* Which devices the two buffers of this rank's call are on, of those that there are. */
typedef enum devices { FIRST, LAST, APART, MANAGED } devices;

static void allocate(uint8_t **base, size_t size, devices which, int is_received) {
  int count = 1;
  must(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (which == MANAGED) {
    must(cudaMallocManaged((void **)base, size, cudaMemAttachGlobal), "cudaMallocManaged");
    return;
  }
  must(cudaSetDevice(which == LAST || (which == APART && is_received) ? count - 1 : 0), "cudaSetDevice");
  must(cudaMalloc((void **)base, size), "cudaMalloc");
  must(cudaSetDevice(0), "cudaSetDevice");
}

/* As far from an alignment as values can be. */
static buffer move_there(const void *home, size_t size, size_t each, devices which, int is_received) {
  buffer b = {.home = (void *)(uintptr_t)home, .size = size};
  allocate(&b.base, size + 2 * GUARD + each, which, is_received);
  must(cudaMemset(b.base, PATTERN, size + 2 * GUARD + each), "cudaMemset");
  b.data = b.base + GUARD + each;
  if (size)
    must(cudaMemcpy(b.data, home, size, cudaMemcpyHostToDevice), "cudaMemcpy");
  return b;
}

static void check_guard(const uint8_t *from, size_t size) {
  uint8_t *copy = malloc(size);
  size_t good = 0;
  must(cudaMemcpy(copy, from, size, cudaMemcpyDeviceToHost), "cudaMemcpy");
  while (good < size && copy[good] == PATTERN)
    good++;
  check(good == size, "bytes beside a device buffer have changed");
  free(copy);
}

static void move_back(buffer *b, int was_written) {
  if (!b->base)
    return;
  check_guard(b->base, (size_t)(b->data - b->base));
  check_guard(b->data + b->size, GUARD);
  void *now = malloc(b->size + !b->size);
  must(cudaMemcpy(now, b->data, b->size, cudaMemcpyDeviceToHost), "cudaMemcpy");
  if (was_written && b->size)
    memcpy(b->home, now, b->size);
  else
    check(memcmp(now, b->home, b->size) == 0, "sendbuf has changed, in device memory");
  free(now);
  must(cudaFree(b->base), "cudaFree");
}

/* ---- One call ---- */
/* Whether a rank's buffer is to be on the device in the call that now comes. */
static int belongs_there(int rank, int which) {
  uint64_t dice = mix(mix(here.seed, calls), 11), own = mix(dice, (uint64_t)(rank * 2 + which));
  switch (device_place) {
  case DEVICE_NONE: return 0;
  case DEVICE_ALL: return 1;
  case DEVICE_EVEN: return rank % 2 == 0;
  case DEVICE_MIXED: return rank % 2 == which;
  default:
    return (int)(dice % 4 == 0   ? 1
                 : dice % 4 == 1 ? 0
                 : dice % 4 == 2 ? mix(dice, (uint64_t)rank) % 2
                                 : own % 2);
  }
}

/* What a test places itself is on one device. */
static devices devices_of(int rank) {
  const uint64_t dice = mix(mix(mix(here.seed, calls), 12), (uint64_t)rank) % 16;
  return device_place == DEVICE_SOME && dice <= MANAGED ? (devices)dice : FIRST;
}

/* Moves a buffer of so many values there, if it is one that the call uses. */
static void *moved(const test_request *r, int which, const void *home, uint64_t values, buffer *there) {
  MPI_Aint least, each;
  int rank;
  MPI_Comm_rank(r->comm, &rank);
  MPI_Type_get_extent(r->type, &least, &each);
  if (!home || home == MPI_IN_PLACE || (values == 0 && r->count > 0) || !belongs_there(rank, which))
    return (void *)(uintptr_t)home;
  *there = move_there(home, values * (uint64_t)each, (size_t)each, devices_of(rank), which);
  return there->data;
}

int __real_request_make(const test_request *r, const ghz_mpi_options *o);
int __wrap_request_make(const test_request *r, const ghz_mpi_options *o);

int __wrap_request_make(const test_request *r, const ghz_mpi_options *o) {
  test_request there = *r;
  buffer sent = {0}, received = {0};
  uint64_t sends, receives;
  request_values(r, o && o->shape.dims, &sends, &receives);
  calls++;
  there.send = moved(r, 0, r->send, sends * (o ? (uint64_t)o->contributions : 1), &sent);
  there.recv = moved(r, 1, r->recv, receives, &received);
  __atomic_fetch_add(&device_placed, sent.base || received.base, __ATOMIC_RELAXED);
  const int code = __real_request_make(&there, o);
  int current = -1;
  must(cudaGetDevice(&current), "cudaGetDevice");
  check(current == 0, "the current device is now %d", current);
  move_back(&sent, 0);
  move_back(&received, 1);
  return code;
}
