/* allreduce.c: sums an array over all ranks, compressed on the network.
 *
 *   mpicc allreduce.c $(pkg-config --cflags --libs ghzmpi) -lm -o allreduce
 *   mpiexec -n 4 ./allreduce */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/mpi.h>
#include <math.h>
#include <stdio.h>

enum { N = 1 << 20 };

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  static float x[N];
  static double exact[N];
  for (int i = 0; i < N; i++)
    exact[i] = x[i] = sinf(1e-4f * (float)i + (float)rank);

  /* Each rank's values may change by 1e-4 of the range of all of them. Mode and algorithm are
   * chosen here, so that every run gives the same bits; left alone, the library chooses what is
   * fastest. */
  ghz_mpi_report report;
  ghz_mpi_options options = GHZ_MPI_OPTIONS;
  options.bound = (ghz_bound){GHZ_REL, 1e-4};
  options.mode = GHZ_MPI_HOMOMORPHIC;
  options.algorithm = GHZ_MPI_RING;
  options.report = &report;
  ghz_allreduce(MPI_IN_PLACE, x, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options);

  /* Compare with the sum in double precision. */
  double worst = 0;
  MPI_Allreduce(MPI_IN_PLACE, exact, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < N; i++)
    worst = fmax(worst, fabs((double)x[i] - exact[i]));
  if (rank == 0)
    printf("%d ranks: rank 0 sent %llu bytes instead of %llu; largest error %.3g, bound %.3g\n", ranks,
           (unsigned long long)report.sent_bytes, (unsigned long long)report.raw_bytes, worst, report.bound);
  MPI_Finalize();
  return worst <= report.bound ? 0 : 1;
}
