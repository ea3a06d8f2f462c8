/* sweep.c: small calls of every collective, their right results, and their failures. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep.h"
#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const way sweep_ways[SWEEP_WAYS] = {
    {"allreduce ring", ALLREDUCE, GHZ_MPI_RING, {GHZ_REL, 1e-4}, 0, 0, 0},
    {"allreduce ring of bricks", ALLREDUCE, GHZ_MPI_RING, {GHZ_ABS, 0.1}, 0, 0, 3},
    {"allreduce doubling, average", ALLREDUCE, GHZ_MPI_DOUBLING, {GHZ_ABS, 0.1}, 1, 1, 0},
    {"allreduce halving", ALLREDUCE, GHZ_MPI_HALVING, {GHZ_REL, 1e-4}, 0, 0, 0},
    {"allreduce ring in bins, average", ALLREDUCE, GHZ_MPI_RING, {GHZ_MPI_FLOAT, 0}, 1, 0, 0},
    {"reduce ring", REDUCE, GHZ_MPI_RING, {GHZ_ABS, 0.1}, 0, 0, 0},
    {"reduce tree", REDUCE, GHZ_MPI_TREE, {GHZ_REL, 1e-4}, 0, 0, 0},
    {"reduce tree of bricks in bins", REDUCE, GHZ_MPI_TREE, {GHZ_MPI_FLOAT, 0}, 0, 0, 3},
    {"reduce_scatter in place", REDUCE_SCATTER, GHZ_MPI_RING, {GHZ_REL, 1e-4}, 0, 1, 0},
    {"reduce_scatterv", REDUCE_SCATTERV, GHZ_MPI_RING, {GHZ_REL, 1e-4}, 0, 0, 0},
    {"allgather", ALLGATHER, GHZ_MPI_RING, {GHZ_REL, 1e-4}, 0, 0, 0},
    {"allgatherv", ALLGATHERV, GHZ_MPI_RING, {GHZ_ABS, 0.1}, 0, 0, 0},
    {"bcast tree", BCAST, GHZ_MPI_TREE, {GHZ_ABS, 0.1}, 0, 0, 0},
    {"bcast chain", BCAST, GHZ_MPI_CHAIN, {GHZ_REL, 1e-4}, 0, 0, 0},
    {"scatter tree", SCATTER, GHZ_MPI_TREE, {GHZ_REL, 1e-4}, 0, 0, 0},
    {"scatter tree of planes", SCATTER, GHZ_MPI_TREE, {GHZ_ABS, 0.1}, 0, 0, 2},
    {"scatter linear", SCATTER, GHZ_MPI_LINEAR, {GHZ_REL, 1e-4}, 0, 0, 0},
    {"gather tree", GATHER, GHZ_MPI_TREE, {GHZ_REL, 1e-4}, 0, 0, 0},
    {"gather linear", GATHER, GHZ_MPI_LINEAR, {GHZ_ABS, 0.1}, 0, 0, 0},
    {"allgather MPI", ALLGATHER, GHZ_MPI_NATIVE, {GHZ_ABS, 0.1}, 0, 0, 0},
    {"allreduce MPI", ALLREDUCE, GHZ_MPI_NATIVE, {GHZ_ABS, 0.1}, 0, 0, 0},
};

/* ---- Values ---- */
static int turn; /* of the data: what is left of an earlier call is wrong */

/* Value i that a rank gives; with GHZ_MPI_FLOAT some are too large for the others' lattice. */
static float given(const way *w, int rank, int i) {
  return w->bound.kind == GHZ_MPI_FLOAT && i % 1000 == 3 ? 1e20f : (float)(i % 1000 + 10 * rank + turn % 50);
}

/* What element i of the result should be. */
static float expected(const way *w, int n, int i) {
  const int first = scatters_sums(w->what) ? (int)block_place(w->what, (uint64_t)n, here.rank, w->dims) : 0;
  float sum = 0;
  if (w->what == BCAST || w->what == SCATTER)
    return given(w, SWEEP_ROOT, w->what == SCATTER ? here.rank * n + i : i);
  if (!reduces(w->what))
    return given(w, i / n, i % n);
  for (int r = 0; r < here.ranks; r++)
    sum += given(w, r, first + i);
  return w->average ? sum / (float)here.ranks : sum;
}

static float *room(int n) {
  float *x = malloc((size_t)n * (size_t)here.ranks * sizeof *x);
  if (!x)
    MPI_Abort(MPI_COMM_WORLD, 3);
  return x;
}

/* ---- Calls ---- */
MPI_Comm sweep_comm(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

static void prepare(const sweep *s, const way *w, int n) {
  const int in_recv = w->in_place || (w->what == BCAST && here.rank == SWEEP_ROOT);
  const size_t bytes = (size_t)n * (size_t)here.ranks * sizeof(float);
  float *x = room(n);
  turn++;
  for (int i = 0; i < n * here.ranks; i++)
    x[i] = given(w, here.rank, i);
  s->copy(s->send, x, bytes);
  for (int i = 0; i < n * here.ranks && !in_recv; i++)
    x[i] = 0;
  s->copy(s->recv, x, bytes);
  free(x);
}

static int make(const sweep *s, const way *w, int n, MPI_Comm comm) {
  test_request r =
      request_of(w->what, w->in_place ? MPI_IN_PLACE : (void *)s->send, s->recv, n, MPI_FLOAT, comm);
  r.root = SWEEP_ROOT;
  r.options.bound = w->bound;
  r.options.algorithm = w->algorithm;
  r.options.mode = w->algorithm == GHZ_MPI_NATIVE ? GHZ_MPI_MODE_AUTO : GHZ_MPI_HOMOMORPHIC;
  r.options.average = w->average;
  if (w->dims)
    r.options.shape = (ghz_shape){w->dims, {(uint64_t)n / 1000, 10, 100}};
  return request_make(&r, &r.options);
}

int sweep_call(const sweep *s, const way *w, int n, MPI_Comm comm) {
  prepare(s, w, n);
  return make(s, w, n, comm);
}

static void check_result(const sweep *s, const way *w, int n) {
  const int own = (int)block_values(w->what, (uint64_t)n, here.rank, w->dims);
  int i = 0, values = gathers_all(w->what) || w->what == GATHER ? n * here.ranks : own;
  if (!gets_result(w->what, here.rank == SWEEP_ROOT))
    return;
  float *y = room(n);
  s->copy(y, s->recv, (size_t)values * sizeof *y);
  for (float want; i < values; i++)
    if (want = expected(w, n, i),
        (w->what != ALLGATHERV || i % n < (int)block_values(w->what, (uint64_t)n, i / n, w->dims)) &&
            !(fabsf(y[i] - want) < 1.0f + 1e-6f * fabsf(want)))
      break;
  check(i == values, "value %d is %g, should be %g", i, i < values ? (double)y[i] : 0,
        i < values ? (double)expected(w, n, i) : 0);
  free(y);
}

void sweep_recover(const sweep *s, const way *w, int n, MPI_Comm comm) {
  const int code = sweep_call(s, w, n, comm);
  if (check(code == MPI_SUCCESS, "where nothing fails, the call returns %d", code))
    check_result(s, w, n);
}

/* ---- Failures ---- */
static void check_error(int code, int victim) {
  char text[MPI_MAX_ERROR_STRING] = "", says[40];
  int length;
  MPI_Error_string(code, text, &length);
  snprintf(says, sizeof says, "rank %d ran out of memory", victim);
  check(ghz_mpi_error_class(code) == MPI_ERR_NO_MEM, "the class is %d: %s", ghz_mpi_error_class(code), text);
  check(here.rank == victim || strstr(text, says), "the sentence is: %s", text);
}

/* One call in which the nth fails. Returns whether it came to that. */
static int suffer(const sweep *s, const way *w, int victim, long nth, int n, MPI_Comm comm) {
  prepare(s, w, n);
  if (here.rank == victim)
    s->refuse(nth);
  const int code = make(s, w, n, comm), refused = here.rank == victim && s->refused(),
            any = on_any(refused, MPI_COMM_WORLD);
  s->refuse(0);
  if (code == MPI_SUCCESS)
    check_result(s, w, n);
  else if (check(any, "an error, though nothing failed") && s->is_memory)
    check_error(code, victim);
  return any;
}

void sweep_all(const sweep *s, const way *w, int victim, int before, int n) {
  way other = *w;
  other.dims = w->dims ? 0 : 2; /* the shape is another one than that of the call before */
  int refused = 1;
  for (long nth = 1; refused && nth < s->most; nth += 1 + nth / s->slower) {
    suite_case("%s: rank %d, %s %ld fails%s", w->name, victim, s->what, nth,
               before ? ", in a second call" : "");
    MPI_Comm comm = sweep_comm();
    if (before)
      sweep_recover(s, w, before, comm);
    refused = suffer(s, w, victim, nth, n, comm);
    sweep_recover(s, w, n, comm);
    sweep_recover(s, &other, n, comm);
    MPI_Comm_free(&comm);
  }
  check(!refused, "%ld are not enough", s->most);
}
