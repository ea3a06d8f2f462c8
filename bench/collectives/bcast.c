/* bcast.c: what ghz_bcast_bench measures. */
#include "bench.h"

static double bus_factor(double ranks) {
  (void)ranks;
  return 1;
}

static int plain(const call *c) {
  return MPI_Bcast(c->receive, (int)c->count, c->type, c->root, c->comm);
}

static int compressed(const call *c, const ghz_mpi_options *o) {
  return ghz_bcast(c->receive, (MPI_Count)c->count, c->type, c->root, c->comm, o);
}

const collective tested = {
    .name = "bcast",
    .input = WHOLE_AT_ROOT,
    .result = WHOLE_ON_ALL,
    .bus_factor = bus_factor,
    .plain = plain,
    .compressed = compressed,
    .algorithms = {GHZ_MPI_TREE, GHZ_MPI_CHAIN},
    .usual = {{GHZ_MPI_TREE, GHZ_MPI_PLAIN},
              {GHZ_MPI_CHAIN, GHZ_MPI_PLAIN},
              {GHZ_MPI_TREE, GHZ_MPI_HOMOMORPHIC},
              {GHZ_MPI_CHAIN, GHZ_MPI_HOMOMORPHIC},
              {GHZ_MPI_TREE, GHZ_MPI_PER_HOP}},
};
