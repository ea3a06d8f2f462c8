/* late.c: messages that take long: no buffer is missing when all that were reserved are needed, and
 * late sends change nothing. The first call of the process has to be the first one here: later ones
 * find buffers that others left. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"
#include <ghz/mpi.h>
#include <math.h>
#include <stdlib.h>

enum { RANKS = 2, LONG = 5 << 20, COUNT = 1 << 20, SENDS = 64, PATIENCE = 3000 };

static float *x, *y;

/* ---- Messages that arrive all at once -------------------------------------------------------- */

static int flood; /* tests report nothing before all that is posted is through */

static void wait_for_all(int n, const MPI_Request *requests) {
  const double end = MPI_Wtime() + 1;
  for (int i = 0, through = 0; i < n && MPI_Wtime() < end; i += through)
    PMPI_Request_get_status(requests[i], &through, MPI_STATUS_IGNORE);
}

/* ---- Sends that take long -------------------------------------------------------------------- */

static int slow;                /* sends are through when nothing else has been for a while */
static MPI_Request sent[SENDS]; /* those that tests have not reported yet */
static int sends, idle;

#define VISIBLE __attribute__((visibility("default")))

VISIBLE int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                      MPI_Request *request) {
  int code = PMPI_Isend(data, n, type, to, tag, comm, request);
  if (slow && sends < SENDS)
    sent[sends++] = *request;
  return code;
}

static int is_send(MPI_Request request) {
  for (int i = 0; i < sends; i++)
    if (sent[i] == request)
      return 1;
  return 0;
}

VISIBLE int MPI_Testsome(int n, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses) {
  *done = 0;
  if (flood)
    wait_for_all(n, requests);
  if (!slow || idle > PATIENCE) {
    sends = idle = 0;
    return PMPI_Testsome(n, requests, done, indices, statuses);
  }
  for (int i = 0; i < n && *done == 0; i++)
    if (requests[i] != MPI_REQUEST_NULL && !is_send(requests[i])) {
      int code = PMPI_Test(&requests[i], done, &statuses[0]);
      if (code != MPI_SUCCESS)
        return code;
      indices[0] = i;
    }
  idle = *done ? 0 : idle + 1;
  return MPI_SUCCESS;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static float given(int rank, int i) { return (float)(i % 1000 + rank * 7); }

static void fill(float *v, int n) {
  for (int i = 0; i < n; i++)
    v[i] = given(here.rank, i);
}

static ghz_mpi_options options(void) {
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_ABS, 1e-2};
  o.mode = GHZ_MPI_HOMOMORPHIC;
  return o;
}

/* Values from `first` on. */
static void check_sum(const float *got, int first, int n) {
  for (int i = 0; i < n; i++) {
    double want = (double)given(0, first + i) + (double)given(1, first + i);
    if (!check(fabs((double)got[i] - want) <= 0.0201, "value %d is %g, should be %g", i, (double)got[i], want))
      return;
  }
}

/* More pieces than the window has events, all of them received. */
static void first_call(void) {
  ghz_mpi_options o = options();
  suite_case("the first call");
  o.algorithm = GHZ_MPI_TREE;
  flood = here.rank == 0;
  fill(x, LONG);
  check(!ghz_reduce(x, y, LONG, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD, &o), "an error");
  flood = 0;
  if (here.rank == 0)
    check_sum(y, 0, LONG);
}

/* Results arrive before this rank's own contribution to them, or to what lies in their place, has
 * left. */
static void slow_sends(int by) {
  ghz_mpi_options o = options();
  suite_case("in place, slow sends by rank %d", by);
  slow = here.rank == by;
  fill(y, RANKS * COUNT);
  check(!ghz_reduce_scatter(MPI_IN_PLACE, y, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o), "an error");
  check_sum(y, here.rank * COUNT, COUNT);
  for (int i = COUNT; i < RANKS * COUNT; i++)
    if (!check(y[i] == given(here.rank, i), "value %d, behind the result, is %g", i, (double)y[i]))
      break;
  fill(y, RANKS * COUNT);
  check(!ghz_allreduce(MPI_IN_PLACE, y, RANKS * COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o), "an error");
  check_sum(y, 0, RANKS * COUNT);
  slow = 0;
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  x = malloc(LONG * sizeof *x);
  y = malloc(LONG * sizeof *y);
  if (!check(here.ranks == RANKS && x && y, "this test is for %d ranks, with memory", RANKS))
    return suite_end(NULL);
  first_call();
  for (int by = 0; by < RANKS; by++)
    slow_sends(by);
  free(x);
  free(y);
  return suite_end(NULL);
}
