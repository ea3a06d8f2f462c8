/* reduce_scatter.c: what ghz_reduce_scatter_bench measures. */
#include "bench.h"

static double bus_factor(double ranks) {
  return (ranks - 1) / ranks;
}

static int plain(const call *c) {
  return MPI_Reduce_scatter_block(c->send, c->receive, (int)c->count, c->type, c->op, c->comm);
}

static int compressed(const call *c, const ghz_mpi_options *o) {
  return ghz_reduce_scatter(c->send, c->receive, (MPI_Count)c->count, c->type, c->op, c->comm, o);
}

const collective tested = {
    .name = "reduce_scatter",
    .input = WHOLE_ON_ALL,
    .result = BLOCK_EACH,
    .reduces = true,
    .bus_factor = bus_factor,
    .plain = plain,
    .compressed = compressed,
    .algorithms = {GHZ_MPI_RING},
    .usual = {{GHZ_MPI_RING, GHZ_MPI_PLAIN},
              {GHZ_MPI_RING, GHZ_MPI_HOMOMORPHIC},
              {GHZ_MPI_RING, GHZ_MPI_RECOMPRESS}},
};
