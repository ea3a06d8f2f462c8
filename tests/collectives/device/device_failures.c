/* device_failures.c: a device that fails on one rank, at every call of CUDA and every allocation in
 * turn, and messages that arrive damaged: every rank ends, with an error or a right result, and the
 * communicator works again afterwards. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/slice.h>

#include "suite.h"
#include "sweep.h"
#include <control.h>
#include <cuda_runtime_api.h>
#include <string.h>

enum { RANKS = 3, VALUES = 60000, ROOM = VALUES * RANKS };

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

/* ---- Failures ---- */
static void copy(void *to, const void *from, size_t bytes) {
  cudaError_t error = cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
  check(error == cudaSuccess, "cudaMemcpy: %s", cudaGetErrorString(error));
}

static simt_counters before; /* the device was set up to fail */
static simt_settings setup;

static void set_up(uint64_t call, int error, uint64_t allocation) {
  setup = simt_defaults();
  setup.seed = mix(here.seed, call * 7 + allocation);
  setup.fail_call = call;
  setup.fail_with = error;
  setup.fail_allocation = allocation;
  before = simt_count();
  simt_configure(&setup);
}

static void fail_launch(long nth) { set_up((uint64_t)nth, cudaErrorLaunchFailure, 0); }
static void fail_call(long nth) { set_up((uint64_t)nth, cudaErrorMemoryAllocation, 0); }
static void fail_allocation(long nth) { set_up(0, 0, (uint64_t)nth); }

static int has_failed(void) {
  const simt_counters after = simt_count();
  return setup.fail_call ? after.calls - before.calls >= setup.fail_call
                         : after.allocations - before.allocations >= setup.fail_allocation;
}

static void damage(const sweep *s, const way *w, uint64_t *seed) {
  for (int t = 0; t < 8; t++) {
    int sender = (int)draw_below(seed, RANKS);
    long nth = (long)draw_below(seed, 12);
    suite_case("%s: message %ld of rank %d is damaged", w->name, nth, sender);
    MPI_Comm comm = sweep_comm();
    sweep_recover(s, w, VALUES, comm);
    damage_in = here.rank == sender ? nth : -1;
    damage_inside = t % 2;
    const int code = sweep_call(s, w, VALUES, comm), sent = here.rank == sender && damage_in < 0;
    damage_in = -1;
    int any_error = on_any(code != MPI_SUCCESS, MPI_COMM_WORLD), any_sent = on_any(sent, MPI_COMM_WORLD);
    check(any_sent || !any_error, "an error, though nothing was damaged");
    check(!any_sent || any_error, "no error, though a message was damaged");
    sweep_recover(s, w, VALUES, comm);
    MPI_Comm_free(&comm);
  }
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  uint64_t seed = here.seed;
  if (!check(here.ranks == RANKS, "this test is for %d ranks", RANKS))
    return suite_end(NULL);
  float *send, *recv;
  check(cudaMalloc((void **)&send, ROOM * sizeof *send) == cudaSuccess, "no device memory");
  check(cudaMalloc((void **)&recv, ROOM * sizeof *recv) == cudaSuccess, "no device memory");
  const sweep launches = {"call", copy, send, recv, fail_launch, has_failed, 2000, 6, 0},
              calls = {"call", copy, send, recv, fail_call, has_failed, 2000, 6, 0},
              allocations = {"allocation", copy, send, recv, fail_allocation, has_failed, 2000, 6, 0};
  for (int i = 0; i < SWEEP_WAYS; i++) {
    sweep_all(&launches, &sweep_ways[i], i % RANKS, 0, VALUES);
    sweep_all(&calls, &sweep_ways[i], (i + 1) % RANKS, VALUES, VALUES);
    sweep_all(&allocations, &sweep_ways[i], (i + 2) % RANKS, 0, VALUES);
    if (sweep_ways[i].algorithm != GHZ_MPI_NATIVE)
      damage(&launches, &sweep_ways[i], &seed);
  }
  cudaFree(send);
  cudaFree(recv);
  return suite_end(NULL);
}
