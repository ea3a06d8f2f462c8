/* reduce_scatter.c: ghz_reduce_scatter: rank r receives block r of the sum, minimum or maximum. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include "control/collective.h"

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

/* In place, this rank's block of the result replaces its block of the input, which is no longer
 * needed by then. `finish` moves it to the beginning of the buffer. */
static void arrange(const call *c, part *parts) {
  const void *input = in_place(c) ? c->recv : c->send;
  for (int b = 0; b < c->at.ranks; b++)
    parts[b] = (part){input ? call_block(c, input, b) : NULL, NULL};
  parts[c->at.rank].target = call_target(c, c->recv, in_place(c) ? c->at.rank : 0);
}

static ghz_status finish(const call *c) {
  const void *block = call_block(c, c->recv, c->at.rank);
  size_t bytes = (size_t)c->count * c->value_size;
  if (!in_place(c) || c->at.rank == 0)
    return GHZ_OK;
  if (c->on.recv)
    return ghz_device_copy(c->recv, block, bytes);
  memmove(c->recv, block, bytes);
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
    .arrange = arrange,
    .finish = finish,
    .native = native,
};

int ghz_reduce_scatter(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm, const ghz_mpi_options *options) {
  if (ghz_collective_bypass(sendbuf, recvbuf, recvcount, type, comm, 1, options))
    return MPI_Reduce_scatter_block(sendbuf, recvbuf, (int)recvcount, type, op, comm);
  call c = {.collective = &reduce_scatter,
            .send = sendbuf,
            .recv = recvbuf,
            .count = recvcount,
            .type = type,
            .op = op,
            .comm = comm};
  return ghz_collective_run(&c, options);
}
