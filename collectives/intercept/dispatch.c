/* dispatch.c: decides which calls libghzmpi makes, and makes them.
 *
 * All processes of a call have to decide alike. They decide by what MPI requires to be the same on
 * all of them: for reductions count, datatype and operation; for calls that move data the type
 * signature alone, see signature.c. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

#include <stdlib.h>

/* This thread is inside a call of libghzmpi. That library calls MPI by the names which entry.c
 * defines, so its agreements, and the calls that it passes on to MPI, arrive here as well: they go
 * straight to MPI. (They keep those names so that profilers see them in programs that do not
 * preload this library.) */
static _Thread_local bool busy;

bool dispatch_is_busy(void) {
  return busy;
}

static bool pass(call_id c, reason why, MPI_Count bytes) {
  stats_passed(c, why, (double)bytes);
  return false;
}

/* ---- One call of the library ---- */

typedef struct attempt {
  call_id call;
  MPI_Count bytes;
  ghz_mpi_options options;
  ghz_mpi_report report;
  double start;
} attempt;

static const ghz_mpi_options *begin(attempt *a, call_id c, MPI_Count bytes) {
  *a = (attempt){.call = c, .bytes = bytes, .options = GHZ_MPI_OPTIONS, .start = PMPI_Wtime()};
  a->options.threshold = intercept.threshold;
  a->options.report = &a->report;
  busy = true;
  return &a->options;
}

/* The time includes the copies of buffers with gaps. */
static bool end(attempt *a, int result, int *code) {
  busy = false;
  a->report.seconds = PMPI_Wtime() - a->start;
  stats_called(a->call, (double)a->bytes, &a->report, result);
  *code = result;
  return true;
}

/* The bytes of the larger buffer, which has a block for each rank in four of the calls. */
static MPI_Count bytes_of(call_id c, MPI_Count count, MPI_Count each, MPI_Comm comm) {
  int ranks = 1;
  if ((c == SCATTER || c == GATHER || c == ALLGATHER || c == REDUCE_SCATTER_BLOCK) && comm != MPI_COMM_NULL)
    PMPI_Comm_size(comm, &ranks);
  return count * each * ranks;
}

/* The same of any datatype. Between groups, it may be no handle. */
static MPI_Count bytes_of_type(call_id c, MPI_Count count, MPI_Datatype type, MPI_Comm comm) {
  int between = 1;
  MPI_Count each = 0;
  if (!intercept.counts || comm == MPI_COMM_NULL || type == MPI_DATATYPE_NULL)
    return 0;
  PMPI_Comm_test_inter(comm, &between);
  if (!between)
    PMPI_Type_size_x(type, &each);
  return bytes_of(c, count, each, comm);
}

/* ---- Reductions ---- */

static bool is_ours(MPI_Op op, int values) {
  return op == MPI_SUM || (values == 1 && (op == MPI_MIN || op == MPI_MAX));
}

/* Sets *bytes. */
static bool wants_reduction(call_id c, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                            MPI_Count *bytes) {
  reason why;
  int values;
  const value_kind k = signature_number(type, &values);
  if (!intercept.takes[c] || k == KIND_OTHER)
    return pass(c, intercept.takes[c] ? TYPE : UNWANTED, bytes_of_type(c, count, type, comm));
  *bytes = bytes_of(c, count, values * signature_bytes(k), comm);
  if (*bytes < intercept.threshold)
    return pass(c, SMALL, *bytes);
  if (!is_ours(op, values))
    return pass(c, OPERATION, *bytes);
  return filter_admits(comm, &why) || pass(c, why, *bytes);
}

bool dispatch_reduction(call_id c, const void *send, void *recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                        int root, MPI_Comm comm, int *code) {
  MPI_Count bytes;
  attempt a;
  if (busy || !wants_reduction(c, count, type, op, comm, &bytes))
    return false;
  const ghz_mpi_options *o = begin(&a, c, bytes);
  int result = c == ALLREDUCE ? ghz_allreduce(send, recv, count, type, op, comm, o)
               : c == REDUCE  ? ghz_reduce(send, recv, count, type, op, root, comm, o)
                              : ghz_reduce_scatter(send, recv, count, type, op, comm, o);
  return end(&a, result, code);
}

/* ---- Moving data ---- */

/* Over an intercommunicator some arguments have no meaning, and the datatype may be no handle at
 * all: before the communicator is known, it is compared and not looked into. Sets *k and *bytes. */
static bool wants_move(call_id c, const typed *x, MPI_Comm comm, value_kind *k, MPI_Count *bytes) {
  MPI_Count each = 0;
  int values;
  reason why;
  if (!intercept.takes[c])
    return pass(c, UNWANTED, bytes_of_type(c, x->count, x->type, comm));
  *k = signature_number(x->type, &values);
  if (*k == KIND_OTHER && x->type != MPI_DATATYPE_NULL) {
    if (!filter_admits(comm, &why))
      return pass(c, why, bytes_of_type(c, x->count, x->type, comm));
    *k = signature_of(x->type)->kind;
  }
  if (*k != KIND_FLOAT && *k != KIND_DOUBLE)
    return pass(c, TYPE, bytes_of_type(c, x->count, x->type, comm));
  PMPI_Type_size_x(x->type, &each);
  *bytes = bytes_of(c, x->count, each, comm);
  if (*bytes < intercept.threshold)
    return pass(c, SMALL, *bytes);
  return filter_admits(comm, &why) || pass(c, why, *bytes);
}

/* The values of x, if they are as many as a block of the other buffer. Else NULL, for which the
 * call returns an error on all processes. */
static void *matching(const array *x, const array *other, MPI_Count blocks) {
  return x->count * blocks == other->count ? x->values : NULL;
}

bool dispatch_bcast(const typed *x, int root, MPI_Comm comm, int *code) {
  attempt a;
  value_kind k;
  MPI_Count bytes;
  int rank, result;
  if (busy || !wants_move(BCAST, x, comm, &k, &bytes))
    return false;
  PMPI_Comm_rank(comm, &rank);
  const ghz_mpi_options *o = begin(&a, BCAST, bytes);
  array values = array_open(x, k);
  if (rank == root)
    array_load(&values);
  result = ghz_bcast(values.values, values.count, signature_basic(k), root, comm, o);
  if (result == MPI_SUCCESS && !(rank == root && intercept.keep_root))
    array_store(&values);
  array_close(&values);
  return end(&a, result, code);
}

/* Only the root has send arguments. It has no receive arguments if it is in place. */
static int scatter_at_root(const typed *send, const typed *recv, value_kind k, int root, MPI_Comm comm,
                           const ghz_mpi_options *o) {
  int ranks, result;
  PMPI_Comm_size(comm, &ranks);
  array all = array_open(&(typed){send->buffer, send->count * ranks, send->type}, k);
  MPI_Count count = all.count / ranks;
  array_load(&all);
  if (recv->buffer == MPI_IN_PLACE) {
    result = ghz_scatter(all.values, MPI_IN_PLACE, count, signature_basic(k), root, comm, o);
  } else {
    array own = array_open(recv, k);
    result = ghz_scatter(all.values, matching(&own, &all, ranks), count, signature_basic(k), root, comm, o);
    if (result == MPI_SUCCESS)
      array_store(&own);
    array_close(&own);
  }
  array_close(&all);
  return result;
}

bool dispatch_scatter(const typed *send, const typed *recv, int root, MPI_Comm comm, int *code) {
  attempt a;
  value_kind k;
  MPI_Count bytes;
  int rank = -1, result;
  if (busy)
    return false;
  if (comm != MPI_COMM_NULL)
    PMPI_Comm_rank(comm, &rank);
  bool at_root = rank == root;
  if (!wants_move(SCATTER, at_root ? send : recv, comm, &k, &bytes))
    return false;
  const ghz_mpi_options *o = begin(&a, SCATTER, bytes);
  if (at_root)
    return end(&a, scatter_at_root(send, recv, k, root, comm, o), code);
  array own = array_open(recv, k);
  result = ghz_scatter(NULL, own.values, own.count, signature_basic(k), root, comm, o);
  if (result == MPI_SUCCESS)
    array_store(&own);
  array_close(&own);
  return end(&a, result, code);
}

/* On the root, or in an allgather on any process: others have no receive arguments. There are no
 * send arguments in place. */
static int gather_all(call_id c, const typed *send, const typed *recv, value_kind k, int root, MPI_Comm comm,
                      const ghz_mpi_options *o) {
  int ranks;
  PMPI_Comm_size(comm, &ranks);
  bool in_place = send->buffer == MPI_IN_PLACE;
  array all = array_open(&(typed){recv->buffer, recv->count * ranks, recv->type}, k), own = {0};
  if (in_place)
    array_load(&all);
  else
    array_load_from(&own, send, k);
  const void *from = in_place ? MPI_IN_PLACE : matching(&own, &all, ranks);
  MPI_Count count = all.count / ranks;
  int result = c == GATHER ? ghz_gather(from, all.values, count, signature_basic(k), root, comm, o)
                           : ghz_allgather(from, all.values, count, signature_basic(k), comm, o);
  array_close(&own);
  if (result == MPI_SUCCESS)
    array_store(&all);
  array_close(&all);
  return result;
}

bool dispatch_gather(const typed *send, const typed *recv, int root, MPI_Comm comm, int *code) {
  attempt a;
  value_kind k;
  MPI_Count bytes;
  int rank = -1;
  if (busy)
    return false;
  if (comm != MPI_COMM_NULL)
    PMPI_Comm_rank(comm, &rank);
  bool at_root = rank == root;
  if (!wants_move(GATHER, at_root ? recv : send, comm, &k, &bytes))
    return false;
  const ghz_mpi_options *o = begin(&a, GATHER, bytes);
  if (at_root)
    return end(&a, gather_all(GATHER, send, recv, k, root, comm, o), code);
  array own;
  array_load_from(&own, send, k);
  int result = ghz_gather(own.values, NULL, own.count, signature_basic(k), root, comm, o);
  array_close(&own);
  return end(&a, result, code);
}

bool dispatch_allgather(const typed *send, const typed *recv, MPI_Comm comm, int *code) {
  attempt a;
  value_kind k;
  MPI_Count bytes;
  if (busy || !wants_move(ALLGATHER, recv, comm, &k, &bytes))
    return false;
  const ghz_mpi_options *o = begin(&a, ALLGATHER, bytes);
  return end(&a, gather_all(ALLGATHER, send, recv, k, 0, comm, o), code);
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

/* All of them, times a factor. NULL if there is no memory, for which the call returns an error on
 * all processes. */
static MPI_Count *widened(numbers list, MPI_Count times, MPI_Comm comm) {
  int ranks;
  PMPI_Comm_size(comm, &ranks);
  MPI_Count *wide = malloc((size_t)ranks * sizeof *wide);
  for (int r = 0; r < ranks && wide; r++)
    if (__builtin_mul_overflow(number_at(list, r), times, &wide[r]))
      wide[r] = -1;
  return wide;
}

bool dispatch_reduce_scatter(const void *send, void *recv, numbers counts, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm, int *code) {
  MPI_Count bytes;
  attempt a;
  if (busy || !wants_reduction(REDUCE_SCATTER, sum(counts, comm), type, op, comm, &bytes))
    return false;
  const ghz_mpi_options *o = begin(&a, REDUCE_SCATTER, bytes);
  MPI_Count *wide = widened(counts, 1, comm);
  int result = ghz_reduce_scatterv(send, recv, wide, type, op, comm, o);
  free(wide);
  return end(&a, result, code);
}

/* Copies blocks between the program's buffer and an array that has them one behind the other: all
 * of them out of the array, or one block into it. */
static void copy_blocks(const array *all, numbers counts, numbers displs, int ranks, int into) {
  MPI_Aint lower, extent;
  MPI_Count bytes = 0;
  uint8_t *at = all->own;
  PMPI_Type_get_extent(all->home.type, &lower, &extent);
  PMPI_Type_size_x(all->home.type, &bytes);
  for (int r = 0; r < ranks && at; at += number_at(counts, r++) * bytes) {
    array block = {
        {(uint8_t *)all->home.buffer + number_at(displs, r) * extent, number_at(counts, r), all->home.type},
        all->kind,
        number_at(counts, r) * bytes / signature_bytes(all->kind),
        at,
        at};
    if (into < 0)
      array_store(&block);
    else if (into == r)
      array_load(&block);
  }
}

/* A process that sends another number of values than it is to send gives that as its count: then
 * the processes disagree. */
static int allgatherv(const typed *send, array *all, numbers counts, numbers displs, MPI_Comm comm,
                      const ghz_mpi_options *o) {
  int rank, ranks;
  MPI_Count bytes = 0;
  bool in_place = send->buffer == MPI_IN_PLACE;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  PMPI_Type_size_x(all->home.type, &bytes);
  MPI_Count each = bytes / signature_bytes(all->kind), *wide = widened(counts, each, comm),
            *places = all->own ? NULL : widened(displs, each, comm);
  array own = {0};
  if (in_place && wide && wide[rank] > 0)
    copy_blocks(all, counts, displs, ranks, rank);
  else if (!in_place)
    array_load_from(&own, send, all->kind);
  if (!in_place && wide)
    wide[rank] = own.count;
  int result = ghz_allgatherv(in_place ? MPI_IN_PLACE : own.values, all->values,
                              places || all->own ? wide : NULL, places, signature_basic(all->kind), comm, o);
  if (result == MPI_SUCCESS)
    copy_blocks(all, counts, displs, ranks, -1);
  array_close(&own);
  free(wide);
  free(places);
  return result;
}

bool dispatch_allgatherv(const typed *send, const typed *recv, numbers counts, numbers displs, MPI_Comm comm,
                         int *code) {
  attempt a;
  value_kind k;
  MPI_Count bytes;
  const typed blocks = {recv->buffer, sum(counts, comm), recv->type};
  if (busy || !wants_move(ALLGATHERV, &blocks, comm, &k, &bytes))
    return false;
  const ghz_mpi_options *o = begin(&a, ALLGATHERV, bytes);
  array all = array_open(&blocks, k);
  int result = allgatherv(send, &all, counts, displs, comm, o);
  array_close(&all);
  return end(&a, result, code);
}
