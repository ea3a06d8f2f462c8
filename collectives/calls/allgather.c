/* allgather.c: ghz_allgather, ghz_allgatherv: every rank receives the block of each. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "request/collective.h"

static int lacks_buffer(const call *c) {
  return call_lacks_target(c) || (!c->send && call_own(c));
}

/* What lies between blocks keeps its values, also where the whole buffer is copied. */
static extent used(const call *c) {
  int in_place = c->send == MPI_IN_PLACE;
  return (extent){in_place ? 0 : call_own(c), call_all(c), in_place || c->counts};
}

static void arrange(const call *c, part *parts) {
  for (int b = 0; b < c->at.ranks; b++)
    part_lies(&parts[b], NULL, call_target(c, c->recv, b));
  parts[c->at.rank].source = c->send == MPI_IN_PLACE ? call_block(c, c->recv, c->at.rank) : c->send;
}

static int native(const call *c) {
  return MPI_Allgather(c->send, (int)c->count, c->type, c->recv, (int)c->count, c->type, c->comm);
}

static int native_v(const call *c) {
  const int *counts = c->for_native;
  return MPI_Allgatherv(c->send, counts[c->at.rank], c->type, c->recv, counts, counts + c->at.ranks, c->type,
                        c->comm);
}

static const collective allgather = {
    .name = "ghz_allgather",
    .blocks = 1,
    .algorithms = {[GHZ_MPI_RING] = {ghz_ring_allgather, NULL, 0}},
    .preferred = {GHZ_MPI_RING},
    .lacks_buffer = lacks_buffer,
    .extent = used,
    .arrange = arrange,
    .native = native,
};

static const collective allgatherv = {
    .name = "ghz_allgatherv",
    .counted = 1,
    .algorithms = {[GHZ_MPI_RING] = {ghz_ring_allgather, NULL, 0}},
    .preferred = {GHZ_MPI_RING},
    .lacks_buffer = lacks_buffer,
    .extent = used,
    .arrange = arrange,
    .native = native_v,
};

int ghz_allgather(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                  const ghz_mpi_options *options) {
  if (ghz_collective_bypass(sendbuf, recvbuf, count, type, comm, 1, options))
    return MPI_Allgather(sendbuf, (int)count, type, recvbuf, (int)count, type, comm);
  return ghz_collective_run(&allgather, sendbuf, recvbuf, count, type, MPI_OP_NULL, 0, comm, options);
}

int ghz_allgatherv(const void *sendbuf, void *recvbuf, const MPI_Count *recvcounts, const MPI_Count *displs,
                   MPI_Datatype type, MPI_Comm comm, const ghz_mpi_options *options) {
  return ghz_collective_run_v(&allgatherv, sendbuf, recvbuf, recvcounts, displs, type, MPI_OP_NULL, comm,
                              options);
}
