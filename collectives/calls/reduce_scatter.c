/* reduce_scatter.c: ghz_reduce_scatter, ghz_reduce_scatterv: rank r receives block r of the sum,
 * minimum or maximum. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <stdlib.h>
#include <string.h>

#include "request/collective.h"

static int in_place(const call *c) {
  return c->send == MPI_IN_PLACE;
}

static int lacks_buffer(const call *c) {
  int needs_target = call_own(c) > 0 || in_place(c);
  return (needs_target && call_lacks_target(c)) || (!c->send && c->set.contributions);
}

static extent used(const call *c) {
  if (in_place(c))
    return (extent){0, call_all(c), 1};
  return (extent){call_given(c), call_own(c), 0};
}

static size_t spare(const call *c) {
  return in_place(c) && c->at.rank > 0 ? (size_t)call_own(c) * c->value_size : 0;
}

/* In place, the result goes to the first block, which only rank 0 has no other need of: on the
 * others it waits in spare memory. */
static void arrange(const call *c, part *parts) {
  const void *input = in_place(c) ? c->recv : c->send;
  for (int b = 0; b < c->at.ranks; b++)
    part_lies(&parts[b], input ? call_block(c, input, b) : NULL, NULL);
  parts[c->at.rank].target = spare(c) ? c->spare : c->recv;
}

static ghz_status finish(const call *c) {
  if (spare(c))
    memcpy(c->recv, c->spare, spare(c));
  return GHZ_OK;
}

static int native(const call *c) {
  return MPI_Reduce_scatter_block(c->send, c->recv, (int)c->count, c->type, c->op, c->comm);
}

/* In place MPICH 4.0 copies a block to where it overlaps itself, and ends the program: all ranks
 * send copies. */
static int native_v(const call *c) {
  void *copy = NULL;
  int code = in_place(c) ? ghz_native_copy(c, &copy) : MPI_SUCCESS;
  if (code != MPI_SUCCESS)
    return code;
  code = MPI_Reduce_scatter(copy ? copy : c->send, c->recv, c->for_native, c->type, c->op, c->comm);
  free(copy);
  return code;
}

static const collective reduce_scatter = {
    .name = "ghz_reduce_scatter",
    .reduces = 1,
    .blocks = 1,
    .algorithms = {[GHZ_MPI_RING] = {ghz_ring_reduce_scatter, NULL, 0}},
    .preferred = {GHZ_MPI_RING},
    .lacks_buffer = lacks_buffer,
    .extent = used,
    .spare = spare,
    .arrange = arrange,
    .finish = finish,
    .native = native,
};

static const collective reduce_scatterv = {
    .name = "ghz_reduce_scatterv",
    .counted = 1,
    .reduces = 1,
    .algorithms = {[GHZ_MPI_RING] = {ghz_ring_reduce_scatter, NULL, 0}},
    .preferred = {GHZ_MPI_RING},
    .lacks_buffer = lacks_buffer,
    .extent = used,
    .spare = spare,
    .arrange = arrange,
    .finish = finish,
    .native = native_v,
};

int ghz_reduce_scatter(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm, const ghz_mpi_options *options) {
  if (ghz_collective_bypass(sendbuf, recvbuf, recvcount, type, comm, 1, options))
    return MPI_Reduce_scatter_block(sendbuf, recvbuf, (int)recvcount, type, op, comm);
  return ghz_collective_run(&reduce_scatter, sendbuf, recvbuf, recvcount, type, op, 0, comm, options);
}

int ghz_reduce_scatterv(const void *sendbuf, void *recvbuf, const MPI_Count *recvcounts, MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, const ghz_mpi_options *options) {
  return ghz_collective_run_v(&reduce_scatterv, sendbuf, recvbuf, recvcounts, NULL, type, op, comm, options);
}
