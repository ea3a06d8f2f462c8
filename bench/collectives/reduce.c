/* reduce.c: what ghz_reduce_bench measures. */
#include "bench.h"

static double bus_factor(double ranks) {
  (void)ranks;
  return 1;
}

static int plain(const call *c) {
  return MPI_Reduce(c->send, c->receive, (int)c->count, c->type, c->op, c->root, c->comm);
}

static int compressed(const call *c, const ghz_mpi_options *o) {
  return ghz_reduce(c->send, c->receive, (MPI_Count)c->count, c->type, c->op, c->root, c->comm, o);
}

const collective tested = {
    .name = "reduce",
    .input = WHOLE_ON_ALL,
    .result = WHOLE_AT_ROOT,
    .reduces = true,
    .bus_factor = bus_factor,
    .plain = plain,
    .compressed = compressed,
    .algorithms = {GHZ_MPI_RING, GHZ_MPI_TREE},
    .usual = {{GHZ_MPI_RING, GHZ_MPI_PLAIN},
              {GHZ_MPI_TREE, GHZ_MPI_PLAIN},
              {GHZ_MPI_RING, GHZ_MPI_HOMOMORPHIC},
              {GHZ_MPI_TREE, GHZ_MPI_HOMOMORPHIC},
              {GHZ_MPI_RING, GHZ_MPI_RECOMPRESS}},
};
