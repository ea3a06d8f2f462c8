/* sweep.c: small calls of every collective, and their right results. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep.h"
#include "suite.h"
#include <math.h>

float sweep_value(int rank, int i, int turn) { return (float)(i % 1000 + 10 * rank + turn % 50); }

float sweep_given(const way *w, int rank, int i, int turn) {
  return w->bound.kind == GHZ_MPI_FLOAT && i % 1000 == 3 ? 1e20f : sweep_value(rank, i, turn);
}

MPI_Comm sweep_comm(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

int sweep_call(const way *w, const float *send, float *recv, int n, MPI_Comm comm) {
  test_request r =
      request_of(w->what, w->in_place ? MPI_IN_PLACE : (const void *)send, recv, n, MPI_FLOAT, comm);
  r.root = SWEEP_ROOT;
  r.options.bound = w->bound;
  r.options.algorithm = w->algorithm;
  r.options.mode = w->mode;
  r.options.average = w->average;
  if (w->dims)
    r.options.shape = (ghz_shape){w->dims, {(uint64_t)n / 1000, 10, 100}};
  return request_make(&r, &r.options);
}

void sweep_prepare(const way *w, float *recv, int n, int ranks, int turn) {
  int given = w->in_place || (w->what == BCAST && here.rank == SWEEP_ROOT);
  for (int i = 0; i < n * ranks; i++)
    recv[i] = given ? sweep_given(w, here.rank, i, turn) : 0;
}

/* What element i of the result should be. */
static float expected(const way *w, int n, int ranks, int turn, int i) {
  float sum = 0;
  for (int r = 0; r < ranks; r++)
    sum += sweep_given(
        w, r, scatters_sums(w->what) ? (int)block_place(w->what, (uint64_t)n, here.rank, w->dims) + i : i,
        turn);
  if (reduces(w->what))
    return w->average ? sum / (float)ranks : sum;
  if (w->what == BCAST || w->what == SCATTER)
    return sweep_value(SWEEP_ROOT, w->what == SCATTER ? here.rank * n + i : i, turn);
  return sweep_value(i / n, i % n, turn);
}

void sweep_check(const way *w, const float *recv, int n, int ranks, int turn) {
  const int own = (int)block_values(w->what, (uint64_t)n, here.rank, w->dims);
  int i = 0, values = gathers_all(w->what) || w->what == GATHER ? n * ranks : own;
  if (!gets_result(w->what, here.rank == SWEEP_ROOT))
    return;
  for (float want; i < values; i++)
    if (want = expected(w, n, ranks, turn, i),
        (w->what != ALLGATHERV || i % n < (int)block_values(w->what, (uint64_t)n, i / n, w->dims)) &&
            !(fabsf(recv[i] - want) < 1.0f + 1e-6f * fabsf(want)))
      break;
  check(i == values, "value %d is %g, should be %g", i, i < values ? (double)recv[i] : 0,
        i < values ? (double)expected(w, n, ranks, turn, i) : 0);
}
