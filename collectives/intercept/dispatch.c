/* dispatch.c: decides which calls libghzmpi makes, and makes them.
 *
 * All processes of a call have to decide alike. For reductions they decide by what MPI requires to
 * be the same on all of them: count, datatype and operation. Where data move the sizes are the
 * same, but datatypes may differ (a row here, a column there): all ask whether all have arrays. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

#include <stdlib.h>

#include "request/settings.h"

/* This thread is inside a call of libghzmpi. That library calls MPI by the names which entry.c
 * defines, so its agreements, and the calls that it passes on to MPI, arrive here as well: they go
 * straight to MPI. (They keep those names so that profilers see them in programs that do not
 * preload this library.) */
static _Thread_local bool busy;

/* ---- Datatypes ---- */

/* What an array is of. Fortran's types may have other sizes. */
typedef enum number { NONE, REAL_FLOAT, REAL_DOUBLE, COMPLEX_FLOAT, COMPLEX_DOUBLE } number;

static number number_of(MPI_Datatype type) {
  const MPI_Datatype reals[] = {GHZ_MPI_REALS}, complexes[] = {GHZ_MPI_COMPLEXES};
  int bytes = 0;
  const bool is_real = ghz_type_is_among(type, reals, sizeof reals / sizeof *reals);
  if (!is_real && !ghz_type_is_among(type, complexes, sizeof complexes / sizeof *complexes))
    return NONE;
  PMPI_Type_size(type, &bytes);
  if (is_real)
    return bytes == sizeof(float) ? REAL_FLOAT : bytes == sizeof(double) ? REAL_DOUBLE : NONE;
  return bytes == 2 * sizeof(float) ? COMPLEX_FLOAT : bytes == 2 * sizeof(double) ? COMPLEX_DOUBLE : NONE;
}

/* Of a block here and a block there, which must be alike. */
static number number_of_both(const typed *a, const typed *b) {
  return a->count == b->count && number_of(a->type) == number_of(b->type) ? number_of(a->type) : NONE;
}

/* ---- One call of the library ---- */

typedef struct attempt {
  call_id call;
  double bytes; /* of the larger buffer, which has a block for each rank in four of the calls */
  ghz_mpi_options options;
  ghz_mpi_report report;
} attempt;

/* Between groups there is no larger buffer, and the type may be no handle. */
static attempt attempt_of(call_id c, MPI_Count count, MPI_Datatype type, MPI_Comm comm) {
  attempt a = {.call = c, .options = GHZ_MPI_OPTIONS};
  int ranks = 1, between = 1;
  MPI_Count each = 0;
  if (comm != MPI_COMM_NULL)
    PMPI_Comm_test_inter(comm, &between);
  if (between || type == MPI_DATATYPE_NULL)
    return a;
  PMPI_Type_size_x(type, &each);
  if (c == SCATTER || c == GATHER || c == ALLGATHER || c == REDUCE_SCATTER_BLOCK)
    PMPI_Comm_size(comm, &ranks);
  a.bytes = (double)count * (double)each * ranks;
  return a;
}

static bool pass(const attempt *a, reason why) {
  stats_passed(a->call, why, a->bytes);
  return false;
}

static bool is_small(const attempt *a) {
  return a->bytes < (double)intercept.threshold;
}

static bool begin(attempt *a) {
  a->options.threshold = intercept.threshold;
  a->options.report = intercept.report ? &a->report : NULL;
  a->options.check = intercept.check;
  return busy = true;
}

static bool end(attempt *a, int result, int *code) {
  busy = false;
  if (a->options.report)
    stats_called(a->call, a->bytes, &a->report, result);
  *code = result;
  return true;
}

/* ---- Reductions ---- */

static bool is_ours(MPI_Op op, number n) {
  return op == MPI_SUM || (n <= REAL_DOUBLE && (op == MPI_MIN || op == MPI_MAX));
}

/* The communicator comes last: where it is foreign, most calls have been passed on before. */
static bool begin_reduction(attempt *a, call_id c, MPI_Count count, MPI_Datatype type, MPI_Op op,
                            MPI_Comm comm) {
  reason why;
  if (busy)
    return false;
  const number n = number_of(type);
  *a = attempt_of(c, count, type, comm);
  if (!intercept.takes[c])
    return pass(a, UNWANTED);
  if (n == NONE)
    return pass(a, TYPE);
  if (is_small(a))
    return pass(a, SMALL);
  if (!is_ours(op, n))
    return pass(a, OPERATION);
  return filter_admits(c, comm, &why) ? begin(a) : pass(a, why);
}

bool dispatch_reduction(call_id c, const void *send, void *recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                        int root, MPI_Comm comm, int *code) {
  attempt a;
  if (!begin_reduction(&a, c, count, type, op, comm))
    return false;
  const ghz_mpi_options *o = &a.options;
  int result = c == ALLREDUCE ? ghz_allreduce(send, recv, count, type, op, comm, o)
               : c == REDUCE  ? ghz_reduce(send, recv, count, type, op, root, comm, o)
                              : ghz_reduce_scatter(send, recv, count, type, op, comm, o);
  return end(&a, result, code);
}

/* ---- Moving data ---- */

static bool all_have(number n, MPI_Comm comm) {
  int both[2] = {(int)n, -(int)n};
  busy = true;
  const int code = PMPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MIN, comm);
  busy = false;
  return code == MPI_SUCCESS && both[0] != NONE && both[0] == -both[1];
}

/* n: of this process's arrays; NONE: it has something else. Bytes are the same everywhere, so all
 * processes ask, or none does. */
static bool begin_move(attempt *a, call_id c, MPI_Count count, MPI_Datatype type, number n, MPI_Comm comm) {
  reason why;
  if (busy)
    return false;
  *a = attempt_of(c, count, type, comm);
  if (!intercept.takes[c])
    return pass(a, UNWANTED);
  if (!filter_admits(c, comm, &why))
    return pass(a, why);
  if (is_small(a))
    return pass(a, SMALL);
  return all_have(n, comm) ? begin(a) : pass(a, TYPE);
}

static bool is_root(int root, MPI_Comm comm) {
  int rank = -1;
  if (comm != MPI_COMM_NULL)
    PMPI_Comm_rank(comm, &rank);
  return rank == root;
}

bool dispatch_bcast(const typed *x, int root, MPI_Comm comm, int *code) {
  attempt a;
  if (!begin_move(&a, BCAST, x->count, x->type, number_of(x->type), comm))
    return false;
  return end(&a, ghz_bcast(x->buffer, x->count, x->type, root, comm, &a.options), code);
}

/* Only the root has arguments of the larger buffer, and if it is in place, no others. */
bool dispatch_rooted(call_id c, const typed *send, const typed *recv, int root, MPI_Comm comm, int *code) {
  attempt a;
  const bool at_root = is_root(root, comm), sends = at_root == (c == SCATTER);
  const typed *block = sends ? send : recv, *other = sends ? recv : send;
  const number n =
      at_root && other->buffer != MPI_IN_PLACE ? number_of_both(send, recv) : number_of(block->type);
  if (!begin_move(&a, c, block->count, block->type, n, comm))
    return false;
  int (*const call)(const void *, void *, MPI_Count, MPI_Datatype, int, MPI_Comm, const ghz_mpi_options *) =
      c == SCATTER ? ghz_scatter : ghz_gather;
  return end(&a, call(send->buffer, recv->buffer, block->count, block->type, root, comm, &a.options), code);
}

bool dispatch_allgather(const typed *send, const typed *recv, MPI_Comm comm, int *code) {
  attempt a;
  number n = send->buffer == MPI_IN_PLACE ? number_of(recv->type) : number_of_both(send, recv);
  if (!begin_move(&a, ALLGATHER, recv->count, recv->type, n, comm))
    return false;
  return end(&a, ghz_allgather(send->buffer, recv->buffer, recv->count, recv->type, comm, &a.options), code);
}

/* ---- Blocks with counts of their own ---- */

static MPI_Count number_at(numbers list, int i) {
  return list.width == sizeof(int) ? ((const int *)list.of)[i] : ((const MPI_Count *)list.of)[i];
}

/* 0 where the call has no such list of all ranks. */
static MPI_Count sum(numbers counts, MPI_Comm comm) {
  int between = 1, ranks;
  MPI_Count all = 0;
  if (comm != MPI_COMM_NULL)
    PMPI_Comm_test_inter(comm, &between);
  if (between)
    return 0;
  PMPI_Comm_size(comm, &ranks);
  for (int r = 0; r < ranks; r++)
    if (__builtin_add_overflow(all, number_at(counts, r), &all))
      return 0;
  return all;
}

/* NULL if there is no memory, for which the call returns an error on all processes. */
static MPI_Count *widened(numbers list, MPI_Comm comm) {
  int ranks;
  PMPI_Comm_size(comm, &ranks);
  MPI_Count *wide = malloc((size_t)ranks * sizeof *wide);
  for (int r = 0; r < ranks && wide; r++)
    wide[r] = number_at(list, r);
  return wide;
}

bool dispatch_reduce_scatter(const void *send, void *recv, numbers counts, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm, int *code) {
  attempt a;
  if (!begin_reduction(&a, REDUCE_SCATTER, sum(counts, comm), type, op, comm))
    return false;
  MPI_Count *wide = widened(counts, comm);
  int result = ghz_reduce_scatterv(send, recv, wide, type, op, comm, &a.options);
  free(wide);
  return end(&a, result, code);
}

/* A process that sends another number of values than it is to send gives that as its count: then
 * the processes disagree. */
bool dispatch_allgatherv(const typed *send, const typed *recv, numbers counts, numbers displs, MPI_Comm comm,
                         int *code) {
  attempt a;
  int rank = 0;
  const bool in_place = send->buffer == MPI_IN_PLACE;
  const number n = number_of(recv->type);
  if (!begin_move(&a, ALLGATHERV, sum(counts, comm), recv->type,
                  in_place || number_of(send->type) == n ? n : NONE, comm))
    return false;
  MPI_Count *wide = widened(counts, comm), *places = widened(displs, comm);
  PMPI_Comm_rank(comm, &rank);
  if (wide && !in_place)
    wide[rank] = send->count;
  int result =
      ghz_allgatherv(send->buffer, recv->buffer, places ? wide : NULL, places, recv->type, comm, &a.options);
  free(wide);
  free(places);
  return end(&a, result, code);
}
