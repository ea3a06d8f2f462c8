/* allreduce.c: ghz_allreduce: every rank receives the sum, minimum or maximum of all arrays. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "request/collective.h"

static int lacks_buffer(const call *c) {
  return call_lacks_target(c) || (!c->send && c->set.contributions);
}

static extent used(const call *c) {
  if (c->send == MPI_IN_PLACE)
    return (extent){0, call_all(c), 1};
  return (extent){call_given(c), call_all(c), 0};
}

static void arrange(const call *c, part *parts) {
  part_lies(parts, c->send == MPI_IN_PLACE ? c->recv : c->send, c->recv);
}

static int native(const call *c) {
  return MPI_Allreduce(c->send, c->recv, (int)c->count, c->type, c->op, c->comm);
}

static const collective allreduce = {
    .name = "ghz_allreduce",
    .reduces = 1,
    .algorithms = {[GHZ_MPI_RING] = {ghz_ring_allreduce, ghz_ring_segments, 0},
                   [GHZ_MPI_DOUBLING] = {ghz_doubling_allreduce, NULL, 1},
                   [GHZ_MPI_HALVING] = {ghz_halving_allreduce, ghz_halving_segments, 0}},
    .preferred = {GHZ_MPI_RING, GHZ_MPI_HALVING, GHZ_MPI_DOUBLING},
    .lacks_buffer = lacks_buffer,
    .extent = used,
    .arrange = arrange,
    .native = native,
};

int ghz_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm, const ghz_mpi_options *options) {
  if (ghz_collective_bypass(sendbuf, recvbuf, count, type, comm, 0, options))
    return MPI_Allreduce(sendbuf, recvbuf, (int)count, type, op, comm);
  return ghz_collective_run(&allreduce, sendbuf, recvbuf, count, type, op, 0, comm, options);
}
