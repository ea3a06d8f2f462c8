/* reduce_scatter.c: ghz_reduce_scatter: rank r receives block r of the sum, minimum or maximum. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include "request/collective.h"

static int in_place(const call *c) {
  return c->send == MPI_IN_PLACE;
}

static int lacks_buffer(const call *c) {
  return call_lacks_target(c) || (!c->send && c->set.contributions);
}

static extent used(const call *c) {
  uint64_t ranks = (uint64_t)c->at.ranks;
  if (in_place(c))
    return (extent){0, ranks, 1};
  return (extent){ranks * (uint64_t)c->set.contributions, 1, 0};
}

static size_t spare(const call *c) {
  return in_place(c) && c->at.rank > 0 ? (size_t)c->count * c->value_size : 0;
}

/* In place, the result goes to the first block, which only rank 0 has no other need of: on the
 * others it waits in spare memory. */
static void arrange(const call *c, part *parts) {
  const void *input = in_place(c) ? c->recv : c->send;
  for (int b = 0; b < c->at.ranks; b++)
    parts[b] = (part){input ? call_block(c, input, b) : NULL, NULL};
  parts[c->at.rank].target = spare(c) ? c->spare : call_target(c, c->recv, 0);
}

static ghz_status finish(const call *c) {
  if (spare(c))
    memcpy(c->recv, c->spare, spare(c));
  return GHZ_OK;
}

static int native(const call *c) {
  return MPI_Reduce_scatter_block(c->send, c->recv, (int)c->count, c->type, c->op, c->comm);
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

int ghz_reduce_scatter(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm, const ghz_mpi_options *options) {
  if (ghz_collective_bypass(sendbuf, recvbuf, recvcount, type, comm, 1, options))
    return MPI_Reduce_scatter_block(sendbuf, recvbuf, (int)recvcount, type, op, comm);
  return ghz_collective_run(&reduce_scatter, sendbuf, recvbuf, recvcount, type, op, 0, comm, options);
}
