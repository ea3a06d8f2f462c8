/* device_failures.c: a device that fails on one rank, at every call of CUDA and every allocation in
 * turn, and messages that arrive damaged: every rank ends, with an error or a right result, and the
 * communicator works again afterwards. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/slice.h>

#include "suite.h"
#include "sweep.h"
#include <control.h>
#include <cuda_runtime_api.h>
#include <ghz/mpi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, VALUES = 60000, ROOM = VALUES * RANKS };

static const way ways[] = {
    {"allreduce ring", ALLREDUCE, GHZ_MPI_RING, GHZ_MPI_HOMOMORPHIC, {GHZ_REL, 1e-4}, 0, 0, 0},
    {"allreduce doubling, average", ALLREDUCE, GHZ_MPI_DOUBLING, GHZ_MPI_HOMOMORPHIC, {GHZ_ABS, 0.1}, 1, 1, 0},
    {"allreduce of floats in bins",
     ALLREDUCE,
     GHZ_MPI_DOUBLING,
     GHZ_MPI_HOMOMORPHIC,
     {GHZ_MPI_FLOAT, 0},
     0,
     0,
     3},
    {"allreduce halving", ALLREDUCE, GHZ_MPI_HALVING, GHZ_MPI_HOMOMORPHIC, {GHZ_ABS, 0.1}, 0, 0, 0},
    {"allreduce ring of bricks", ALLREDUCE, GHZ_MPI_RING, GHZ_MPI_HOMOMORPHIC, {GHZ_ABS, 0.1}, 0, 0, 3},
    {"reduce ring", REDUCE, GHZ_MPI_RING, GHZ_MPI_HOMOMORPHIC, {GHZ_ABS, 0.1}, 0, 0, 0},
    {"reduce tree", REDUCE, GHZ_MPI_TREE, GHZ_MPI_HOMOMORPHIC, {GHZ_ABS, 0.1}, 0, 0, 0},
    {"reduce_scatter in place", REDUCE_SCATTER, GHZ_MPI_RING, GHZ_MPI_HOMOMORPHIC, {GHZ_REL, 1e-4}, 0, 1, 0},
    {"allgather", ALLGATHER, GHZ_MPI_RING, GHZ_MPI_HOMOMORPHIC, {GHZ_REL, 1e-4}, 0, 0, 0},
    {"bcast tree", BCAST, GHZ_MPI_TREE, GHZ_MPI_HOMOMORPHIC, {GHZ_ABS, 0.1}, 0, 0, 0},
    {"bcast chain", BCAST, GHZ_MPI_CHAIN, GHZ_MPI_HOMOMORPHIC, {GHZ_REL, 1e-4}, 0, 0, 0},
    {"scatter tree", SCATTER, GHZ_MPI_TREE, GHZ_MPI_HOMOMORPHIC, {GHZ_ABS, 0.1}, 0, 0, 0},
    {"gather linear", GATHER, GHZ_MPI_LINEAR, GHZ_MPI_HOMOMORPHIC, {GHZ_ABS, 0.1}, 0, 0, 0},
    {"allgather MPI", ALLGATHER, GHZ_MPI_NATIVE, GHZ_MPI_MODE_AUTO, {GHZ_ABS, 0.1}, 0, 0, 0},
    {"allreduce MPI", ALLREDUCE, GHZ_MPI_NATIVE, GHZ_MPI_MODE_AUTO, {GHZ_ABS, 0.1}, 0, 0, 0},
};

enum { WAYS = sizeof ways / sizeof *ways };

static float *send_there, *recv_there; /* in device memory */
static float host[ROOM];

/* ---- Damage ---- */
static long damage_in = -1; /* messages until one is damaged; -1: never */
static int damage_inside;   /* what only the device can notice */

/* A message is a slice; that of a sum in bins is the sizes of slices, and then these: the first
 * that is there. */
static ghz_bytes slice_in(const uint8_t *message, size_t size) {
  uint64_t each, all = 0, first = 0;
  for (size_t at = 0; at + sizeof each <= size && all <= size; at += sizeof each) {
    memcpy(&each, message + at, sizeof each);
    first = first ? first : each;
    all = each <= size ? all + each : size + 1;
    if (first && at + sizeof each + all == size)
      return (ghz_bytes){message + at + sizeof each, first};
  }
  return (ghz_bytes){message, size};
}

/* The first tile that is not empty gets seven width planes, which no tile of any kind has; or a
 * tile's size changes. */
static void harm(uint8_t *message, size_t size) {
  ghz_slice s;
  if (!check(ghz_slice_parse(slice_in(message, size), &s) == GHZ_OK && s.tiles, "no message of tiles is sent"))
    return;
  if (damage_inside && s.payload_size)
    message[(const uint8_t *)s.payload - message] |= 0xe0;
  else
    message[(const uint8_t *)s.sizes - message] ^= 1;
}

/* Messages leave from pinned memory, where a byte can be changed. */
int MPI_Isend(const void *data, int size, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
  if (type == MPI_BYTE && damage_in >= 0 && damage_in-- == 0)
    harm((uint8_t *)(uintptr_t)data, (size_t)size);
  return PMPI_Isend(data, size, type, to, tag, comm, request);
}

/* ---- One call ---- */
static int turn; /* of the data: what is left of an earlier call is wrong */

static void copy(void *to, const void *from, size_t bytes) {
  cudaError_t error = cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
  check(error == cudaSuccess, "cudaMemcpy: %s", cudaGetErrorString(error));
}

static void prepare(const way *w) {
  turn++;
  for (int i = 0; i < ROOM; i++)
    host[i] = sweep_given(w, here.rank, i, turn);
  copy(send_there, host, sizeof host);
  sweep_prepare(w, host, VALUES, RANKS, turn);
  copy(recv_there, host, sizeof host);
}

static int make_call(const way *w, MPI_Comm comm) {
  return sweep_call(w, send_there, recv_there, VALUES, comm);
}

static void check_result(const way *w) {
  copy(host, recv_there, sizeof host);
  sweep_check(w, host, VALUES, RANKS, turn);
}

/* ---- Failures ---- */
static void set_up(uint64_t call, int error, uint64_t allocation) {
  simt_settings s = simt_defaults();
  s.seed = mix(here.seed, call * 7 + allocation);
  s.fail_call = call;
  s.fail_with = error;
  s.fail_allocation = allocation;
  simt_configure(&s);
}

/* What is wrong with one rank's device. */
typedef struct trouble {
  const char *what;
  int error;
  uint64_t call, allocation; /* which one fails; 0: none */
} trouble;

/* One call in trouble. Returns whether it came to that. */
static int suffer(const way *w, const trouble *t, int victim, MPI_Comm comm) {
  prepare(w);
  simt_counters before = simt_count();
  if (here.rank == victim)
    set_up(t->call, t->error, t->allocation);
  int code = make_call(w, comm), struck = 0;
  if (here.rank == victim) {
    simt_counters after = simt_count();
    struck = t->call ? after.calls - before.calls >= t->call
                     : after.allocations - before.allocations >= t->allocation;
    set_up(0, 0, 0);
  }
  int any_error = on_any(code != MPI_SUCCESS, MPI_COMM_WORLD);
  if (code == MPI_SUCCESS)
    check_result(w);
  struck = on_any(struck, MPI_COMM_WORLD);
  check(struck || !any_error, "an error, though nothing failed");
  return struck;
}

static void recover(const way *w, MPI_Comm comm) {
  prepare(w);
  int code = make_call(w, comm);
  if (check(code == MPI_SUCCESS, "afterwards, the call returns %d", code))
    check_result(w);
}

/* At one call after the other, until none is left. `warm`: in a call like one before. */
static void fail_way(const way *w, int victim, int allocations, int error, int warm) {
  int struck = 1;
  for (uint64_t n = 1; struck && n < 2000; n += 1 + n / 6) {
    trouble t = {"", error, allocations ? 0 : n, allocations ? n : 0};
    suite_case("%s: rank %d, %s %d fails%s", w->name, victim, allocations ? "allocation" : "call", (int)n,
               warm ? ", in a second call" : "");
    MPI_Comm comm = sweep_comm();
    if (warm)
      recover(w, comm);
    struck = suffer(w, &t, victim, comm);
    recover(w, comm);
    MPI_Comm_free(&comm);
  }
  check(!struck, "2000 are not enough");
}

static void damage(const way *w, uint64_t *seed) {
  for (int t = 0; t < 8; t++) {
    int sender = (int)draw_below(seed, RANKS);
    long nth = (long)draw_below(seed, 12);
    suite_case("%s: message %ld of rank %d is damaged", w->name, nth, sender);
    MPI_Comm comm = sweep_comm();
    recover(w, comm);
    prepare(w);
    damage_in = here.rank == sender ? nth : -1;
    damage_inside = t % 2;
    int code = make_call(w, comm), sent = here.rank == sender && damage_in < 0;
    damage_in = -1;
    int any_error = on_any(code != MPI_SUCCESS, MPI_COMM_WORLD), any_sent = on_any(sent, MPI_COMM_WORLD);
    check(any_sent || !any_error, "an error, though nothing was damaged");
    check(!any_sent || any_error, "no error, though a message was damaged");
    recover(w, comm);
    MPI_Comm_free(&comm);
  }
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  uint64_t seed = here.seed;
  if (!check(here.ranks == RANKS, "this test is for %d ranks", RANKS))
    return suite_end(NULL);
  check(cudaMalloc((void **)&send_there, sizeof host) == cudaSuccess, "no device memory");
  check(cudaMalloc((void **)&recv_there, sizeof host) == cudaSuccess, "no device memory");
  for (int i = 0; i < WAYS; i++) {
    fail_way(&ways[i], i % RANKS, 0, cudaErrorLaunchFailure, 0);
    fail_way(&ways[i], (i + 1) % RANKS, 0, cudaErrorMemoryAllocation, 1);
    fail_way(&ways[i], (i + 2) % RANKS, 1, 0, 0);
    if (ways[i].mode == GHZ_MPI_HOMOMORPHIC)
      damage(&ways[i], &seed);
  }
  cudaFree(send_there);
  cudaFree(recv_there);
  return suite_end(NULL);
}
