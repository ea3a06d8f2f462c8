/* one_call.c: two calls on MPI_COMM_WORLD, with an argument after some on its halves: for
 * told_once.sh, which looks at what they say. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/mpi.h>

enum { VALUES = 5000 };

static int add_up(MPI_Comm comm) {
  static float x[VALUES];
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_ABS, 1e-3};
  o.mode = GHZ_MPI_HOMOMORPHIC;
  return ghz_allreduce(MPI_IN_PLACE, x, VALUES, MPI_FLOAT, MPI_SUM, comm, &o);
}

int main(int argc, char **argv) {
  MPI_Comm half;
  int rank, code = MPI_SUCCESS;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (argc > 1)
    code = add_up(half);
  for (int i = 0; i < 2 && code == MPI_SUCCESS; i++)
    code = add_up(MPI_COMM_WORLD);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return code != MPI_SUCCESS;
}
