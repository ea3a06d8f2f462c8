/* dispatch.c: decides which calls libghzmpi makes, and makes them.
 *
 * All processes of a call have to decide alike. For reductions they decide by what MPI requires to
 * be the same on all of them: count, datatype and operation. Where data move the sizes are the
 * same, but datatypes may differ (a row here, a column there): all ask whether all have arrays. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

#include <stdlib.h>

/* This thread is inside a call of libghzmpi. That library calls MPI by the names which entry.c
 * defines, so its agreements, and the calls that it passes on to MPI, arrive here as well: they go
 * straight to MPI. (They keep those names so that profilers see them in programs that do not
 * preload this library.) */
static _Thread_local bool busy;

/* ---- Datatypes ---- */

enum { NONE, DOUBLE = sizeof(double) /* and all below: no complex number */ };

/* What an array is of: the bytes of a number. */
static int number_of(MPI_Datatype type) {
  int parts;
  const int bytes = ghz_type_real(type, &parts);
  return parts == 1 ? bytes : bytes * DOUBLE;
}

/* Of a block here and a block there, which must be alike. */
static int number_of_both(const typed *a, const typed *b) {
  return a->count == b->count && number_of(a->type) == number_of(b->type) ? number_of(a->type) : NONE;
}

/* ---- Counts ---- */

static MPI_Count number_at(numbers list, int i) {
  return list.width == sizeof(int) ? ((const int *)list.of)[i] : ((const MPI_Count *)list.of)[i];
}

/* NULL if there is no list; or no memory, for which the call returns an error on all processes. */
static MPI_Count *widened(numbers list, int ranks) {
  MPI_Count *wide = list.of ? malloc((size_t)ranks * sizeof *wide) : NULL;
  for (int r = 0; r < ranks && wide; r++)
    wide[r] = number_at(list, r);
  return wide;
}

/* Of the larger buffer. Between groups there is none, and the type may be no handle. */
static double bytes_of(const collective *what, const typed *block, MPI_Comm comm) {
  int ranks = 1, between = 1;
  MPI_Count each = 0;
  if (comm != MPI_COMM_NULL)
    PMPI_Comm_test_inter(comm, &between);
  if (between || block->type == MPI_DATATYPE_NULL)
    return 0;
  PMPI_Type_size_x(block->type, &each);
  PMPI_Comm_size(comm, &ranks);
  double values = what->counted ? 0 : (double)block->count * (collective_has_blocks(what) ? ranks : 1);
  for (int r = 0; what->counted && r < ranks; r++)
    values += (double)number_at(block->counts, r);
  return values * (double)each;
}

/* ---- Who makes a call ---- */

static bool is_ours(MPI_Op op, int n) {
  return op == MPI_SUM || (n <= DOUBLE && (op == MPI_MIN || op == MPI_MAX));
}

static bool all_have(int n, MPI_Comm comm) {
  int both[2] = {n, -n};
  busy = true;
  const int code = PMPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MIN, comm);
  busy = false;
  return code == MPI_SUCCESS && both[0] != NONE && both[0] == -both[1];
}

/* Whether a call is taken: COMPRESSED; or why it goes to MPI. n: of this process's arrays; NONE: it
 * has something else. Where data move, bytes are the same everywhere, so all processes ask, or none
 * does. */
static fate fate_of(call_id c, int n, double bytes, MPI_Op op, MPI_Comm comm) {
  const bool reduces = ghz_collectives[c].reduces, is_small = bytes < (double)intercept.threshold;
  if (!intercept.takes[c])
    return UNWANTED;
  if (reduces && (n == NONE || is_small || !is_ours(op, n)))
    return n == NONE ? TYPE : is_small ? SMALL : OPERATION;
  const fate what = filter_fate(c, comm);
  if (what != COMPRESSED || reduces)
    return what;
  return is_small ? SMALL : all_have(n, comm) ? COMPRESSED : TYPE;
}

/* ---- A call ---- */

/* A process that sends another number of values than it is to send gives that as its count: then
 * the processes disagree. */
static int make(call_id c, const typed *send, const typed *recv, const typed *block, MPI_Op op, int root,
                MPI_Comm comm, const ghz_mpi_options *options) {
  const collective *what = &ghz_collectives[c];
  int rank, ranks;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  MPI_Count *counts = widened(recv->counts, ranks), *places = widened(recv->displs, ranks);
  const bool has_all = !recv->displs.of || places;
  if (counts && !what->reduces && send->buffer != MPI_IN_PLACE)
    counts[rank] = send->count;
  const int code = ghz_collective_run(c, send->buffer, recv->buffer, what->counted ? 0 : block->count,
                                      has_all ? counts : NULL, places, block->type, op, root, comm, options);
  free(counts);
  free(places);
  return code;
}

/* In a scatter or gather the root alone has arguments of the larger buffer, and if it is in place,
 * no others. */
bool dispatch(call_id c, const typed *send, const typed *recv, MPI_Op op, int root, MPI_Comm comm, int *code) {
  const bool one_sided = c == SCATTER || c == GATHER;
  int rank = -1;
  if (busy)
    return false;
  if (one_sided && comm != MPI_COMM_NULL)
    PMPI_Comm_rank(comm, &rank);
  const bool at_root = one_sided && rank == root;
  const typed *block = one_sided && at_root == (c == SCATTER) ? send : recv,
              *other = block == send ? recv : send;
  const bool both = at_root == one_sided && other->buffer != MPI_IN_PLACE;
  const double bytes = bytes_of(&ghz_collectives[c], block, comm);
  fate what = fate_of(c, both ? number_of_both(send, recv) : number_of(block->type), bytes, op, comm);
  ghz_mpi_report report;
  const bool taken = what == COMPRESSED;
  if (taken) {
    ghz_mpi_options options = GHZ_MPI_OPTIONS;
    report = (ghz_mpi_report){0};
    options.report = intercept.report ? &report : NULL;
    busy = true;
    *code = make(c, send, recv, block, op, root, comm, &options);
    busy = false;
    what = *code != MPI_SUCCESS ? FAILED : report.algorithm == GHZ_MPI_NATIVE ? BY_MPI : COMPRESSED;
  }
  if (intercept.report)
    stats_called(c, what, bytes, taken ? &report : NULL);
  return taken;
}
