/* device_buffers.c: puts the buffers of a test's calls into device memory: linked with --wrap for
 * the calls of mpi.h, for tests that know nothing of devices. Which buffers of which rank,
 * changes from call to call. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "device_buffers.h"
#include "suite.h"
#include <cuda_runtime_api.h>
#include <ghz/mpi.h>
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

/* As far from an alignment as values can be. */
static buffer move_there(const void *home, size_t size, size_t each) {
  buffer b = {.home = (void *)(uintptr_t)home, .size = size};
  must(cudaMalloc((void **)&b.base, size + 2 * GUARD + each), "cudaMalloc");
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
typedef struct stand {
  const void *send;
  void *recv;
  buffer there[2];
} stand;

/* Whether a rank's buffer is to be on the device in the call that now comes. */
static int belongs_there(int rank, int which) {
  uint64_t dice = mix(mix(here.seed, calls), 11), own = mix(dice, (uint64_t)(rank * 2 + which));
  switch (device_place) {
  case DEVICE_NONE: return 0;
  case DEVICE_ALL: return 1;
  case DEVICE_EVEN: return rank % 2 == 0;
  case DEVICE_SENT: return which == 0;
  case DEVICE_RECEIVED: return which == 1;
  default:
    return (int)(dice % 4 == 0   ? 1
                 : dice % 4 == 1 ? 0
                 : dice % 4 == 2 ? mix(dice, (uint64_t)rank) % 2
                                 : own % 2);
  }
}

/* Sizes in arrays of count values; 0: not used here. */
static stand move_buffers(const void *send, void *recv, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                          uint64_t sends, uint64_t receives) {
  stand s = {.send = send, .recv = recv};
  int rank, each;
  MPI_Comm_rank(comm, &rank);
  MPI_Type_size(type, &each);
  size_t array = count > 0 ? (size_t)count * (size_t)each : 0;
  calls++;
  if (send && send != MPI_IN_PLACE && sends && belongs_there(rank, 0)) {
    s.there[0] = move_there(send, array * sends, (size_t)each);
    s.send = s.there[0].data;
  }
  if (recv && recv != MPI_IN_PLACE && receives && belongs_there(rank, 1)) {
    s.there[1] = move_there(recv, array * receives, (size_t)each);
    s.recv = s.there[1].data;
  }
  __atomic_fetch_add(&device_placed, s.there[0].base || s.there[1].base, __ATOMIC_RELAXED);
  return s;
}

static int move_all_back(stand *s, int code) {
  move_back(&s->there[0], 0);
  move_back(&s->there[1], 1);
  return code;
}

static uint64_t given(const ghz_mpi_options *o) { return o ? (uint64_t)o->contributions : 1; }

static uint64_t ranks_of(MPI_Comm comm) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  return (uint64_t)ranks;
}

static int is_at(int root, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank == root;
}

/* ---- The calls ---- */
/* Declares a call and what stands in for it. */
#define DECLARE(name, parameters)                                                                              \
  int __real_ghz_##name parameters;                                                                            \
  int __wrap_ghz_##name parameters;

/* Defines a call on `send` and `recv`, which hold so many arrays. */
#define WRAP(name, sends, receives, parameters, arguments)                                                     \
  DECLARE(name, parameters)                                                                                    \
  int __wrap_ghz_##name parameters {                                                                           \
    stand s = move_buffers(send, recv, n, type, comm, sends, receives);                                        \
    return move_all_back(&s, __real_ghz_##name arguments);                                                     \
  }

#define ARRAYS const void *send, void *recv, MPI_Count n, MPI_Datatype type
#define PLACE MPI_Comm comm, const ghz_mpi_options *o

WRAP(allreduce, given(o), 1, (ARRAYS, MPI_Op op, PLACE), (s.send, s.recv, n, type, op, comm, o))
WRAP(reduce, given(o), (uint64_t)is_at(root, comm), (ARRAYS, MPI_Op op, int root, PLACE),
     (s.send, s.recv, n, type, op, root, comm, o))
WRAP(reduce_scatter, ranks_of(comm) * given(o), send == MPI_IN_PLACE ? ranks_of(comm) : 1,
     (ARRAYS, MPI_Op op, PLACE), (s.send, s.recv, n, type, op, comm, o))
WRAP(allgather, 1, ranks_of(comm), (ARRAYS, PLACE), (s.send, s.recv, n, type, comm, o))
WRAP(scatter, is_at(root, comm) ? ranks_of(comm) : 0, 1, (ARRAYS, int root, PLACE),
     (s.send, s.recv, n, type, root, comm, o))
WRAP(gather, 1, is_at(root, comm) ? ranks_of(comm) : 0, (ARRAYS, int root, PLACE),
     (s.send, s.recv, n, type, root, comm, o))

/* Values of all blocks, and what they take with the gaps between them. */
static uint64_t values_of(const MPI_Count *counts, const MPI_Count *places, MPI_Comm comm) {
  uint64_t all = 0, end = 0;
  for (uint64_t b = 0; counts && b < ranks_of(comm); b++) {
    const uint64_t n = counts[b] > 0 ? (uint64_t)counts[b] : 0, stop = places ? (uint64_t)places[b] + n : 0;
    all += n;
    end = n && stop > end ? stop : end;
  }
  return places ? end : all;
}

static uint64_t own_of(const MPI_Count *counts, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return counts && counts[rank] > 0 ? (uint64_t)counts[rank] : 0;
}

#define BLOCKS const void *send, void *recv, const MPI_Count *counts

DECLARE(reduce_scatterv, (BLOCKS, MPI_Datatype type, MPI_Op op, PLACE))
DECLARE(allgatherv, (BLOCKS, const MPI_Count *places, MPI_Datatype type, PLACE))

int __wrap_ghz_reduce_scatterv(BLOCKS, MPI_Datatype type, MPI_Op op, PLACE) {
  const uint64_t all = values_of(counts, NULL, comm);
  stand s = move_buffers(send, recv, 1, type, comm, all * given(o),
                         send == MPI_IN_PLACE ? all : own_of(counts, comm));
  return move_all_back(&s, __real_ghz_reduce_scatterv(s.send, s.recv, counts, type, op, comm, o));
}

int __wrap_ghz_allgatherv(BLOCKS, const MPI_Count *places, MPI_Datatype type, PLACE) {
  stand s = move_buffers(send, recv, 1, type, comm, own_of(counts, comm), values_of(counts, places, comm));
  return move_all_back(&s, __real_ghz_allgatherv(s.send, s.recv, counts, places, type, comm, o));
}

DECLARE(bcast, (void *values, MPI_Count n, MPI_Datatype type, int root, PLACE))

int __wrap_ghz_bcast(void *values, MPI_Count n, MPI_Datatype type, int root, PLACE) {
  stand s = move_buffers(NULL, values, n, type, comm, 0, 1);
  return move_all_back(&s, __real_ghz_bcast(s.recv, n, type, root, comm, o));
}
