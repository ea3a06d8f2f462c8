/* fills.c: values that stand for "missing": kept exactly, outside range and bound; what is added to
 * them is missing; calls that could not do so are errors. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"
#include "suite.h"
#include <math.h>
#include <string.h>

enum { COUNT = 3000 };

static float send[COUNT], recv[COUNT];

/* ---- Mistakes ---- */
static void refuse(const char *what, ghz_mpi_options o, MPI_Comm comm) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  suite_case("%s", what);
  int code = ghz_allreduce(send, recv, COUNT, MPI_FLOAT, MPI_SUM, comm, &o);
  check(ghz_mpi_error_class(code) == MPI_ERR_ARG, "class %d", ghz_mpi_error_class(code));
  MPI_Error_string(code, text, &length);
  check(strstr(text, "fill") != NULL, "the sentence is: %s", text);
}

static ghz_mpi_options with_fill(double value) {
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_REL, 1e-4};
  o.has_fill = 1;
  o.fill = value;
  return o;
}

static void mistakes(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  refuse("NaN", with_fill(NAN), comm);
  refuse("no float", with_fill(1e300), comm);
  ghz_mpi_options o = with_fill(-999);
  o.bound.value = 0;
  refuse("no bound", o, comm);
  o = with_fill(-999);
  o.algorithm = GHZ_MPI_NATIVE;
  refuse("MPI", o, comm);
  if (here.ranks > 1)
    refuse("other fills", with_fill(here.rank ? -999 : -998), comm);
  MPI_Comm_free(&comm);
}

/* A fill that is no float, beside a value that takes a bin of its own, as accurate as floats. */
static void as_accurate_as_float(void) {
  for (int a = GHZ_MPI_ALGORITHM_AUTO; a <= GHZ_MPI_HALVING; a++) {
    ghz_mpi_options o = with_fill(1e20);
    o.bound = (ghz_bound){GHZ_MPI_FLOAT, 0};
    o.algorithm = (ghz_mpi_algorithm)a;
    if (a == GHZ_MPI_NATIVE)
      continue;
    suite_case("GHZ_MPI_FLOAT with a fill, by %s", ghz_mpi_algorithm_name(o.algorithm));
    for (int i = 0; i < COUNT; i++)
      send[i] = i % 9 == here.rank ? 1e20f : i == 8 ? 3e25f : sinf(0.01f * (float)i);
    check(ghz_allreduce(send, recv, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o) == MPI_SUCCESS, "an error");
    for (int i = 0; i < COUNT; i++) {
      const double want = i % 9 < here.ranks ? (double)1e20f : here.ranks * (double)send[i];
      check(fabs((double)recv[i] - want) <= 1e-6 * fabs(want) + 1e-6, "value %d is %g, should be %g", i,
            (double)recv[i], want);
    }
  }
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  as_accurate_as_float();
  mistakes();
  return suite_end(NULL);
}
