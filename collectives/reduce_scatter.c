/* reduce_scatter.c: ghz_reduce_scatter. */

#include <string.h>

#include "collective.h"

static int in_place(const call *c) {
  return c->send == MPI_IN_PLACE;
}

static int lacks_buffer(const call *c) {
  return call_lacks_target(c) || (!c->send && c->set.contributions);
}

/* In place the own block of the result takes the place of the own block of the input, which nobody needs any
 * more by then, and is moved to the beginning in the end. */
static void arrange(const call *c, part *parts) {
  const void *input = in_place(c) ? c->recv : c->send;
  for (int b = 0; b < c->at.ranks; b++)
    parts[b] = (part){input ? call_block(c, input, b) : NULL, NULL};
  parts[c->at.rank].target = call_target(c, c->recv, in_place(c) ? c->at.rank : 0);
}

static void finish(const call *c) {
  if (in_place(c) && c->at.rank > 0)
    memmove(c->recv, call_block(c, c->recv, c->at.rank), (size_t)c->count * c->value_size);
}

static int native(const call *c) {
  return MPI_Reduce_scatter_block(c->send, c->recv, (int)c->count, c->type, c->op, c->comm);
}

static const collective reduce_scatter = {
    .name = "ghz_reduce_scatter",
    .reduces = 1,
    .blocks = 1,
    .ways = {[GHZ_MPI_RING] = {ghz_ring_reduce_scatter, NULL, 0}},
    .preferred = {GHZ_MPI_RING},
    .lacks_buffer = lacks_buffer,
    .arrange = arrange,
    .finish = finish,
    .native = native,
};

int ghz_reduce_scatter(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm, const ghz_mpi_options *options) {
  if (ghz_collective_straight(recvcount, type, comm, 1, options))
    return MPI_Reduce_scatter_block(sendbuf, recvbuf, (int)recvcount, type, op, comm);
  call c = {.what = &reduce_scatter,
            .send = sendbuf,
            .recv = recvbuf,
            .count = recvcount,
            .type = type,
            .op = op,
            .comm = comm};
  return ghz_collective_run(&c, options);
}
