/* death.c: a rank dies between two calls. The job must end, with the status of that rank, or with
 * the signal by which the launcher ends the others. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"
#include <ghz/mpi.h>
#include <unistd.h>

int main(int argc, char **argv) {
  enum { COUNT = 300000, CALLS = 20, LAST = 7, STATUS = 47 };
  static float x[COUNT];
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_ABS, 1e-3};
  o.algorithm = GHZ_MPI_RING;
  o.mode = GHZ_MPI_HOMOMORPHIC;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < CALLS; i++) {
    if (i == LAST && here.rank == 1)
      _exit(STATUS);
    suite_case("call %d", i);
    check(ghz_allreduce(MPI_IN_PLACE, x, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o) == MPI_SUCCESS,
          "an error");
  }
  return suite_end(NULL);
}
