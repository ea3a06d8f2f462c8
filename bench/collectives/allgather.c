/* allgather.c: what ghz_allgather_bench measures. */
#include "bench.h"

static double bus_factor(double ranks) {
  return (ranks - 1) / ranks;
}

static int plain(const call *c) {
  return MPI_Allgather(c->send, (int)c->count, c->type, c->receive, (int)c->count, c->type, c->comm);
}

static int compressed(const call *c, const ghz_mpi_options *o) {
  return ghz_allgather(c->send, c->receive, (MPI_Count)c->count, c->type, c->comm, o);
}

const collective tested = {
    .name = "allgather",
    .input = BLOCK_EACH,
    .result = WHOLE_ON_ALL,
    .bus_factor = bus_factor,
    .plain = plain,
    .compressed = compressed,
    .algorithms = {GHZ_MPI_RING},
    .usual = {{GHZ_MPI_RING, GHZ_MPI_PLAIN},
              {GHZ_MPI_RING, GHZ_MPI_HOMOMORPHIC},
              {GHZ_MPI_RING, GHZ_MPI_PER_HOP}},
};
