/* allreduce.c: what ghz_allreduce_bench measures. */
#include "bench.h"

static double bus_factor(double ranks) {
  return 2 * (ranks - 1) / ranks;
}

static int plain(const call *c) {
  return MPI_Allreduce(c->send, c->receive, (int)c->count, c->type, c->op, c->comm);
}

static int compressed(const call *c, const ghz_mpi_options *o) {
  return ghz_allreduce(c->send, c->receive, (MPI_Count)c->count, c->type, c->op, c->comm, o);
}

const collective tested = {
    .name = "allreduce",
    .input = WHOLE_ON_ALL,
    .result = WHOLE_ON_ALL,
    .reduces = true,
    .bus_factor = bus_factor,
    .plain = plain,
    .compressed = compressed,
    .algorithms = {GHZ_MPI_RING, GHZ_MPI_DOUBLING, GHZ_MPI_HALVING},
    .usual = {{GHZ_MPI_RING, GHZ_MPI_PLAIN},
              {GHZ_MPI_RING, GHZ_MPI_HOMOMORPHIC},
              {GHZ_MPI_DOUBLING, GHZ_MPI_HOMOMORPHIC},
              {GHZ_MPI_HALVING, GHZ_MPI_HOMOMORPHIC},
              {GHZ_MPI_RING, GHZ_MPI_RECOMPRESS}},
};
