/* fills.c: a value that stands for "missing" and is no float, beside one that takes a bin of its
 * own, as accurate as floats: what is added to it is missing, and nothing else, however
 * ranks round. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"
#include "suite.h"
#include <fenv.h>
#include <math.h>

enum { COUNT = 3000 };

int main(int argc, char **argv) {
  static float send[COUNT], recv[COUNT];
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  for (int i = 0; i < COUNT; i++)
    send[i] = i % 9 == here.rank ? 1e20f : i == 8 ? 3e25f : sinf(0.01f * (float)i);
  test_request r = request_of(ALLREDUCE, send, recv, COUNT, MPI_FLOAT, MPI_COMM_WORLD);
  r.options.bound = (ghz_bound){GHZ_MPI_FLOAT, 0};
  r.options.has_fill = 1;
  r.options.fill = 1e20;
  for (int a = GHZ_MPI_ALGORITHM_AUTO; a <= GHZ_MPI_HALVING; a++) {
    r.options.algorithm = (ghz_mpi_algorithm)(a == GHZ_MPI_NATIVE ? GHZ_MPI_ALGORITHM_AUTO : a);
    suite_case("GHZ_MPI_FLOAT with a fill, by %s", ghz_mpi_algorithm_name(r.options.algorithm));
    fesetround(here.rank == 1 ? FE_DOWNWARD : FE_TONEAREST);
    const int code = request_make(&r, &r.options);
    fesetround(FE_TONEAREST);
    check(code == MPI_SUCCESS, "an error");
    for (int i = 0; i < COUNT; i++) {
      const double want = i % 9 < here.ranks ? (double)1e20f : here.ranks * (double)send[i];
      check(fabs((double)recv[i] - want) <= 1e-6 * fabs(want) + 1e-6, "value %d is %g, should be %g", i,
            (double)recv[i], want);
    }
  }
  return suite_end(NULL);
}
