/* reduce.c: ghz_reduce: the root receives the sum, minimum or maximum of all arrays. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <stdlib.h>

#include "request/collective.h"

static int lacks_buffer(const call *c) {
  int in_place = c->send == MPI_IN_PLACE;
  return (call_is_root(c) && call_lacks_target(c)) || (!c->send && c->set.contributions) ||
         (in_place && !call_is_root(c));
}

static extent used(const call *c) {
  if (c->send == MPI_IN_PLACE)
    return (extent){0, call_all(c), 1};
  return (extent){call_given(c), call_is_root(c) ? call_all(c) : 0, 0};
}

static void arrange(const call *c, part *parts) {
  part_lies(parts, c->send == MPI_IN_PLACE ? c->recv : c->send, call_is_root(c) ? c->recv : NULL);
}

/* In MPICH 4.0 a root other than rank 0 crashes if it reduces in place, so it sends a copy. (Only
 * the root can be in place.) */
static int native(const call *c) {
  void *copy = NULL;
  int code = c->send == MPI_IN_PLACE && c->root != 0 ? ghz_native_copy(c, &copy) : MPI_SUCCESS;
  if (code != MPI_SUCCESS)
    return code;
  code = MPI_Reduce(copy ? copy : c->send, c->recv, (int)c->count, c->type, c->op, c->root, c->comm);
  free(copy);
  return code;
}

static const collective reduce = {
    .name = "ghz_reduce",
    .reduces = 1,
    .rooted = 1,
    .algorithms =
        {[GHZ_MPI_RING] = {ghz_ring_reduce, ghz_ring_segments, 0}, [GHZ_MPI_TREE] = {ghz_tree_reduce, NULL, 1}},
    .preferred = {GHZ_MPI_RING, GHZ_MPI_TREE},
    .lacks_buffer = lacks_buffer,
    .extent = used,
    .arrange = arrange,
    .native = native,
};

int ghz_reduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm, const ghz_mpi_options *options) {
  if (sendbuf != MPI_IN_PLACE && ghz_collective_bypass(sendbuf, recvbuf, count, type, comm, 0, options))
    return MPI_Reduce(sendbuf, recvbuf, (int)count, type, op, root, comm);
  return ghz_collective_run(&reduce, sendbuf, recvbuf, count, type, op, root, comm, options);
}
