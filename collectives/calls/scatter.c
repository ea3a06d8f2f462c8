/* scatter.c: ghz_scatter: each rank receives its block from the root. Mirrors gather.c. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "request/collective.h"

static int lacks_buffer(const call *c) {
  return !c->recv || (call_is_root(c) ? !c->send || c->send == MPI_IN_PLACE : c->recv == MPI_IN_PLACE);
}

static extent used(const call *c) {
  return (extent){call_is_root(c) ? call_all(c) : 0, c->recv == MPI_IN_PLACE ? 0 : call_own(c), 0};
}

static void arrange(const call *c, part *parts) {
  for (int b = 0; b < c->at.ranks; b++)
    part_lies(&parts[b], call_is_root(c) ? call_block(c, c->send, b) : NULL, NULL);
  if (c->recv != MPI_IN_PLACE)
    parts[c->at.rank].target = c->recv;
}

static int native(const call *c) {
  return MPI_Scatter(c->send, (int)c->count, c->type, c->recv, (int)c->count, c->type, c->root, c->comm);
}

static const collective scatter = {
    .name = "ghz_scatter",
    .rooted = 1,
    .blocks = 1,
    .algorithms =
        {[GHZ_MPI_TREE] = {ghz_tree_scatter, NULL, 0}, [GHZ_MPI_LINEAR] = {ghz_linear_scatter, NULL, 1}},
    .preferred = {GHZ_MPI_LINEAR, GHZ_MPI_TREE},
    .lacks_buffer = lacks_buffer,
    .extent = used,
    .arrange = arrange,
    .native = native,
};

int ghz_scatter(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm,
                const ghz_mpi_options *options) {
  if (ghz_collective_bypass(sendbuf, recvbuf, count, type, comm, 1, options))
    return MPI_Scatter(sendbuf, (int)count, type, recvbuf, (int)count, type, root, comm);
  return ghz_collective_run(&scatter, sendbuf, recvbuf, count, type, MPI_OP_NULL, root, comm, options);
}
