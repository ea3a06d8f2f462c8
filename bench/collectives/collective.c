/* collective.c: owns the table of the seven collectives, and the types of their values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <string.h>

/* Defines mpi_NAME and compressed_NAME, which make the call of MPI and that of libghzmpi. */
#define CALLS(name, of_mpi, ...)                                                                               \
  static int mpi_##name(const call *c) {                                                                       \
    int n = (int)c->count;                                                                                     \
    return of_mpi;                                                                                             \
  }                                                                                                            \
  static int compressed_##name(const call *c, const ghz_mpi_options *o) {                                      \
    return ghz_##name(__VA_ARGS__, c->comm, o);                                                                \
  }

CALLS(allreduce, MPI_Allreduce(c->send, c->receive, n, c->type, MPI_SUM, c->comm), c->send, c->receive,
      c->count, c->type, MPI_SUM)
CALLS(reduce, MPI_Reduce(c->send, c->receive, n, c->type, MPI_SUM, c->root, c->comm), c->send, c->receive,
      c->count, c->type, MPI_SUM, c->root)
CALLS(reduce_scatter, MPI_Reduce_scatter_block(c->send, c->receive, n, c->type, MPI_SUM, c->comm), c->send,
      c->receive, c->count, c->type, MPI_SUM)
CALLS(allgather, MPI_Allgather(c->send, n, c->type, c->receive, n, c->type, c->comm), c->send, c->receive,
      c->count, c->type)
CALLS(bcast, MPI_Bcast(c->receive, n, c->type, c->root, c->comm), c->receive, c->count, c->type, c->root)
CALLS(scatter, MPI_Scatter(c->send, n, c->type, c->receive, n, c->type, c->root, c->comm), c->send, c->receive,
      c->count, c->type, c->root)
CALLS(gather, MPI_Gather(c->send, n, c->type, c->receive, n, c->type, c->root, c->comm), c->send, c->receive,
      c->count, c->type, c->root)

#define ROW(name) #name, mpi_##name, compressed_##name

static const collective table[] = {
    {ROW(allreduce), WHOLE_ON_ALL, WHOLE_ON_ALL, true, 2, {GHZ_MPI_RING, GHZ_MPI_DOUBLING, GHZ_MPI_HALVING}},
    {ROW(reduce), WHOLE_ON_ALL, WHOLE_AT_ROOT, true, 0, {GHZ_MPI_RING, GHZ_MPI_TREE}},
    {ROW(reduce_scatter), WHOLE_ON_ALL, BLOCK_EACH, true, 1, {GHZ_MPI_RING}},
    {ROW(allgather), BLOCK_EACH, WHOLE_ON_ALL, false, 1, {GHZ_MPI_RING}},
    {ROW(bcast), WHOLE_AT_ROOT, WHOLE_ON_ALL, false, 0, {GHZ_MPI_TREE, GHZ_MPI_CHAIN}},
    {ROW(scatter), WHOLE_AT_ROOT, BLOCK_EACH, false, 1, {GHZ_MPI_TREE, GHZ_MPI_LINEAR}},
    {ROW(gather), BLOCK_EACH, WHOLE_AT_ROOT, false, 1, {GHZ_MPI_TREE, GHZ_MPI_LINEAR}},
};

collective tested;

bool collective_choose(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].name, name)) {
      tested = table[i];
      return true;
    }
  return false;
}

double collective_bus_factor(double ranks) {
  return tested.bus_shares ? tested.bus_shares * (ranks - 1) / ranks : 1;
}

bool collective_has(ghz_mpi_algorithm algorithm) {
  for (int i = 0; tested.algorithms[i] != GHZ_MPI_ALGORITHM_AUTO; i++)
    if (tested.algorithms[i] == algorithm)
      return true;
  return algorithm == GHZ_MPI_ALGORITHM_AUTO;
}

MPI_Datatype type_of(const options *o) {
  return o->type ? MPI_DOUBLE : MPI_FLOAT;
}

size_t type_bytes(const options *o) {
  return o->type ? sizeof(double) : sizeof(float);
}

const char *type_name(const options *o) {
  return o->type ? "double" : "float";
}
