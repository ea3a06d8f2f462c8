/* device_steady.c: what calls on device buffers hold, and what they wait for: a second call of a
 * kind allocates nothing and waits for the device in no other way than by asking; kernels are under
 * way while messages are; all is freed with the communicator. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"
#include "suite.h"
#include <control.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

enum { VALUES = 200000, CALLS = 4 };

static float *send_there, *recv_there, host_result[VALUES];

/* ---- What is under way when the library turns to MPI ---- */
static size_t most_pending;

int MPI_Testsome(int n, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses) {
  size_t pending = simt_held().pending;
  most_pending = pending > most_pending ? pending : most_pending;
  return PMPI_Testsome(n, requests, done, indices, statuses);
}

static int asked; /* all ranks */

int MPI_Iallreduce(const void *x, void *y, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request) {
  asked++;
  return PMPI_Iallreduce(x, y, n, type, op, comm, request);
}

/* ---- Calls ---- */
/* The range for a relative bound is waited for. */
static const ghz_bound absolute = {GHZ_ABS, 1e-3}, relative = {GHZ_REL, 1e-6};

static int make_call(int which, ghz_bound bound, ghz_mpi_algorithm algorithm, ghz_mpi_report *report,
                     MPI_Comm comm) {
  collective what = (collective)which;
  test_request r = request_of(what, send_there, recv_there, has_blocks(what) ? VALUES / here.ranks : VALUES,
                              MPI_FLOAT, comm);
  r.options.bound = bound;
  r.options.algorithm = algorithm;
  r.options.mode = GHZ_MPI_HOMOMORPHIC;
  r.options.report = report;
  r.options.average = what == ALLREDUCE;
  return request_make(&r, &r.options);
}

static void check_steady(int which, MPI_Comm comm) {
  ghz_mpi_report report;
  simt_holdings first, now;
  for (int i = 0; i < CALLS; i++)
    check(make_call(which, absolute, GHZ_MPI_ALGORITHM_AUTO, &report, comm) == MPI_SUCCESS, "the call failed");
  first = simt_held();
  simt_count_anew();
  for (int i = 0; i < CALLS; i++)
    check(make_call(which, absolute, GHZ_MPI_ALGORITHM_AUTO, &report, comm) == MPI_SUCCESS, "the call failed");
  simt_counters done = simt_count();
  now = simt_held();
  /* A sum of one array is made on the host, and blocks with counts of their own are. */
  if (which != REDUCE_SCATTERV && which != ALLGATHERV && (here.ranks > 1 || !reduces((collective)which)))
    check(done.synchronisations == 0, "%d calls waited for the device %d times", CALLS,
          (int)done.synchronisations);
  check(done.pageable == 0, "%d copies from or to pageable memory", (int)done.pageable);
  /* how many buffers are needed at once depends on which messages come when */
  check(now.pinned_bytes <= first.pinned_bytes + first.pinned_bytes / 2 &&
            now.device_bytes <= first.device_bytes + first.device_bytes / 2,
        "%d more calls hold %d more pinned bytes and %d more on the device", CALLS,
        (int)(now.pinned_bytes - first.pinned_bytes), (int)(now.device_bytes - first.device_bytes));
  check(now.streams == first.streams, "more streams");
  check(now.pending == 0, "work is left on streams");
}

/* Forever the same amount. */
static void check_growth(MPI_Comm comm) {
  ghz_mpi_report report;
  size_t most = 0;
  for (int i = 0; i < 36; i++) {
    suite_case("no growth, call %d", i);
    make_call(ALLREDUCE, absolute, i % 2 ? GHZ_MPI_RING : GHZ_MPI_HALVING, &report, comm);
    size_t held = simt_held().pinned_bytes + simt_held().device_bytes;
    if (i == 12)
      most = held;
    check(i < 12 || held <= most + most / 2, "call %d holds %d bytes, call 12 %d", i, (int)held, (int)most);
  }
}

/* Buffers on the device and on the host in turn: after the first calls all ranks are asked once
 * each. */
static void check_turns(const float *host, MPI_Comm comm) {
  for (int i = 0; i < 6; i++) {
    const void *const send = i % 2 ? send_there : host;
    test_request r = request_of(ALLREDUCE, send, i % 2 ? recv_there : host_result, VALUES, MPI_FLOAT, comm);
    r.options.bound = absolute;
    r.options.mode = GHZ_MPI_HOMOMORPHIC;
    suite_case("turn %d", i);
    asked = 0;
    check(request_make(&r, &r.options) == MPI_SUCCESS, "the call failed");
    check(i < 2 || asked == 1, "%d agreements", asked);
  }
}

static void check_freed(void) {
  simt_holdings before = {0}, after;
  ghz_mpi_report report;
  for (int i = 0; i < 4; i++) {
    MPI_Comm comm;
    suite_case("communicator %d comes and goes", i);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int which = 0; which < COLLECTIVES; which++)
      make_call(which, relative, GHZ_MPI_ALGORITHM_AUTO, &report, comm);
    make_call(ALLREDUCE, absolute, GHZ_MPI_NATIVE, &report, comm);
    MPI_Comm_free(&comm);
    after = simt_held();
    if (i == 0)
      before = after;
    check(after.blocks == 2 && after.streams == 0 && after.events == 0,
          "%d blocks, %d streams and %d events are left of a communicator", (int)after.blocks - 2,
          (int)after.streams, (int)after.events);
    check(after.blocks == before.blocks, "blocks add up");
  }
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  float *host = malloc(VALUES * sizeof *host);
  for (int i = 0; i < VALUES; i++)
    host[i] = (float)(i % 3000) * (float)(here.rank + 1);
  check(cudaMalloc((void **)&send_there, VALUES * sizeof *host) == cudaSuccess &&
            cudaMalloc((void **)&recv_there, VALUES * sizeof *host) == cudaSuccess,
        "no device memory");
  cudaMemcpy(send_there, host, VALUES * sizeof *host, cudaMemcpyHostToDevice);
  cudaMemcpy(recv_there, host, VALUES * sizeof *host, cudaMemcpyHostToDevice);
  check_freed();
  for (int which = 0; which < COLLECTIVES; which++) {
    suite_case("%s, again and again", collective_names[which]);
    check_steady(which, MPI_COMM_WORLD);
  }
  check_growth(MPI_COMM_WORLD);
  check_turns(host, MPI_COMM_WORLD);
  free(host);
  check(here.ranks == 1 || most_pending >= 4, "only %d pieces of work were ever under way beside messages",
        (int)most_pending);
  cudaFree(send_there);
  cudaFree(recv_there);
  int status = suite_end(NULL);
  simt_holdings left = simt_held();
  if (left.blocks || left.streams || left.events) {
    fprintf(stderr, "rank %d: %d blocks are left after MPI_Finalize\n", here.rank, (int)left.blocks);
    return 1;
  }
  return status;
}
