/* allgather.c: ghz_allgather: every rank receives the block of each. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "request/collective.h"

static int lacks_buffer(const call *c) {
  return call_lacks_target(c) || !c->send;
}

static extent used(const call *c) {
  int in_place = c->send == MPI_IN_PLACE;
  return (extent){(uint64_t)!in_place, (uint64_t)c->at.ranks, in_place};
}

static void arrange(const call *c, part *parts) {
  for (int b = 0; b < c->at.ranks; b++)
    parts[b] = (part){NULL, call_target(c, c->recv, b)};
  parts[c->at.rank].source = c->send == MPI_IN_PLACE ? call_block(c, c->recv, c->at.rank) : c->send;
}

static int native(const call *c) {
  return MPI_Allgather(c->send, (int)c->count, c->type, c->recv, (int)c->count, c->type, c->comm);
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

int ghz_allgather(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                  const ghz_mpi_options *options) {
  if (ghz_collective_bypass(sendbuf, recvbuf, count, type, comm, 1, options))
    return MPI_Allgather(sendbuf, (int)count, type, recvbuf, (int)count, type, comm);
  return ghz_collective_run(&allgather, sendbuf, recvbuf, count, type, MPI_OP_NULL, 0, comm, options);
}
