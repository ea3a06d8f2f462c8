/* agreements.c: how often a call asks all ranks: once, after the first call of its kind, whatever
 * the bound; the first one asks again whether all have memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"
#include "suite.h"
#include <math.h>

enum { COUNT = 3000 };

static int asked;

__attribute__((visibility("default"))) int MPI_Iallreduce(const void *x, void *y, int n, MPI_Datatype type,
                                                          MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  asked++;
  return PMPI_Iallreduce(x, y, n, type, op, comm, request);
}

static float apart; /* in place of a value; 0: none is */
static float x[16 * COUNT], y[16 * COUNT];

/* Values whose range only the last rank has all of. */
static void fill(float *v) {
  for (int i = 0; i < 16 * COUNT; i++)
    v[i] = (float)(i % 100 * (here.rank == here.ranks - 1 ? 10 : 1));
  v[COUNT / 2] += apart;
}

/* The agreements that a call needs; what it says of its bound is right. */
static int agreements(collective what, ghz_bound bound, ghz_mpi_mode mode, int in_place) {
  ghz_mpi_report report = {0};
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  test_request r = request_of(what, x, y, COUNT, MPI_FLOAT, MPI_COMM_WORLD);
  o.bound = bound;
  o.mode = mode;
  o.threshold = 0;
  o.report = &report;
  r.root = here.ranks - 1;
  fill(x);
  fill(y);
  if (in_place && (what == ALLREDUCE || gathers_all(what) || scatters_sums(what)))
    r.send = MPI_IN_PLACE;
  asked = 0;
  check(request_make(&r, &o) == MPI_SUCCESS, "an error");
  if (report.algorithm != GHZ_MPI_NATIVE && bound.kind == GHZ_REL)
    check(fabs(report.eb - 990 * bound.value) < 1e-9, "eb is %g", report.eb);
  return asked;
}

static void count(collective what, ghz_bound bound, ghz_mpi_mode mode, int want) {
  for (int in_place = 0; in_place < 2; in_place++) {
    suite_case("%s, bound of kind %d, %s%s", collective_names[what], (int)bound.kind, ghz_mpi_mode_name(mode),
               in_place ? ", in place" : "");
    for (int i = 0; i < 12; i++) /* tells the tuner all that it asks for */
      agreements(what, bound, mode, in_place);
    int got = agreements(what, bound, mode, in_place);
    check(got == want, "%d agreements, should be %d", got, want);
  }
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  for (int what = 0; what < COLLECTIVES; what++) {
    count((collective)what, (ghz_bound){GHZ_ABS, 1e-2}, GHZ_MPI_MODE_AUTO, 1);
    count((collective)what, (ghz_bound){GHZ_REL, 1e-4}, GHZ_MPI_MODE_AUTO, 1);
    count((collective)what, (ghz_bound){GHZ_REL, 1e-4}, GHZ_MPI_HOMOMORPHIC, 1);
  }
  /* the counts of exponents are another one */
  for (; apart < 2e20f; apart += 1e20f)
    count(ALLREDUCE, (ghz_bound){GHZ_MPI_FLOAT, 0}, GHZ_MPI_MODE_AUTO, 2);
  return suite_end(NULL);
}
