/* gather.c: what ghz_gather_bench measures. */
#include "bench.h"

static double bus_factor(double ranks) {
  return (ranks - 1) / ranks;
}

static int plain(const call *c) {
  return MPI_Gather(c->send, (int)c->count, c->type, c->receive, (int)c->count, c->type, c->root, c->comm);
}

static int compressed(const call *c, const ghz_mpi_options *o) {
  return ghz_gather(c->send, c->receive, (MPI_Count)c->count, c->type, c->root, c->comm, o);
}

const collective tested = {
    .name = "gather",
    .input = BLOCK_EACH,
    .result = WHOLE_AT_ROOT,
    .bus_factor = bus_factor,
    .plain = plain,
    .compressed = compressed,
    .algorithms = {GHZ_MPI_TREE, GHZ_MPI_LINEAR},
    .usual = {{GHZ_MPI_TREE, GHZ_MPI_PLAIN},
              {GHZ_MPI_LINEAR, GHZ_MPI_PLAIN},
              {GHZ_MPI_TREE, GHZ_MPI_HOMOMORPHIC},
              {GHZ_MPI_LINEAR, GHZ_MPI_HOMOMORPHIC},
              {GHZ_MPI_TREE, GHZ_MPI_PER_HOP}},
};
