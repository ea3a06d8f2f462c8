/* gather.c: ghz_gather: the root receives a block from each rank. Mirrors scatter.c. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "request/collective.h"

static int lacks_buffer(const call *c) {
  return (call_is_root(c) && call_lacks_target(c)) || !c->send || (c->send == MPI_IN_PLACE && !call_is_root(c));
}

static extent used(const call *c) {
  int in_place = c->send == MPI_IN_PLACE;
  return (extent){in_place ? 0 : call_own(c), call_is_root(c) ? call_all(c) : 0, in_place};
}

/* A block that stays in place has no target, but is a source: it counts for the range of all
 * values. */
static void arrange(const call *c, part *parts) {
  for (int b = 0; b < c->at.ranks; b++)
    part_lies(&parts[b], NULL, call_is_root(c) ? call_target(c, c->recv, b) : NULL);
  part *own = &parts[c->at.rank];
  if (c->send == MPI_IN_PLACE)
    part_lies(own, own->target, NULL);
  else
    own->source = c->send;
}

static int native(const call *c) {
  return MPI_Gather(c->send, (int)c->count, c->type, c->recv, (int)c->count, c->type, c->root, c->comm);
}

static const collective gather = {
    .name = "ghz_gather",
    .rooted = 1,
    .blocks = 1,
    .algorithms =
        {[GHZ_MPI_TREE] = {ghz_tree_gather, NULL, 0}, [GHZ_MPI_LINEAR] = {ghz_linear_gather, NULL, 1}},
    .preferred = {GHZ_MPI_LINEAR, GHZ_MPI_TREE},
    .lacks_buffer = lacks_buffer,
    .extent = used,
    .arrange = arrange,
    .native = native,
};

int ghz_gather(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm,
               const ghz_mpi_options *options) {
  if (ghz_collective_bypass(sendbuf, recvbuf, count, type, comm, 1, options))
    return MPI_Gather(sendbuf, (int)count, type, recvbuf, (int)count, type, root, comm);
  return ghz_collective_run(&gather, sendbuf, recvbuf, count, type, MPI_OP_NULL, root, comm, options);
}
