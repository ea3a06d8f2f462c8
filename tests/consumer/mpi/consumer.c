/* consumer.c: sums an array over all ranks with an installed libghzmpi, and says the version if the
 * sum is right. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/mpi.h>
#include <math.h>
#include <stdio.h>

enum { N = 50000 };

int main(int argc, char **argv) {
  static float x[N];
  int ranks, wrong = 0;
  ghz_mpi_options options = GHZ_MPI_OPTIONS;
  options.bound = (ghz_bound){GHZ_ABS, 1e-3};
  options.mode = GHZ_MPI_HOMOMORPHIC;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < N; i++)
    x[i] = sinf((float)i * 0.01f);
  ghz_allreduce(MPI_IN_PLACE, x, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options);
  for (int i = 0; i < N; i++)
    wrong += fabs((double)x[i] - ranks * (double)sinf((float)i * 0.01f)) > ranks * 1e-3;
  if (wrong == 0)
    printf("ghz %s\n", ghz_version());
  MPI_Finalize();
  return wrong != 0;
}
