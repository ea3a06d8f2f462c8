/* unknown.c: collectives that the library does not know: counted, if there is to be a report, and
 * passed on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

#include "intercept/unknown.h"

#define NAMED(name) [UNKNOWN_##name] = "MPI_" #name
const char *const unknown_names[UNKNOWN] = {NAMED(Alltoall),
                                            NAMED(Alltoallv),
                                            NAMED(Alltoallw),
                                            NAMED(Allgatherv),
                                            NAMED(Gather),
                                            NAMED(Gatherv),
                                            NAMED(Scatterv),
                                            NAMED(Reduce_scatter),
                                            NAMED(Scan),
                                            NAMED(Exscan),
                                            NAMED(Iallreduce),
                                            NAMED(Ireduce),
                                            NAMED(Ibcast),
                                            NAMED(Iscatter),
                                            NAMED(Iallgather),
                                            NAMED(Igather),
                                            NAMED(Ialltoall),
                                            NAMED(Ialltoallv),
                                            NAMED(Iallgatherv),
                                            NAMED(Igatherv),
                                            NAMED(Iscatterv),
                                            NAMED(Ireduce_scatter),
                                            NAMED(Ireduce_scatter_block),
                                            NAMED(Iscan),
                                            NAMED(Iexscan)};

/* ---- Bytes ----------------------------------------------------------------------------------- */
/* Of the larger buffer, as far as this process knows it. Between groups arguments may have no
 * meaning: 0. */

static int ranks_of(MPI_Comm comm) {
  int between = 1, ranks = 0;
  if (comm != MPI_COMM_NULL)
    PMPI_Comm_test_inter(comm, &between);
  if (!between)
    PMPI_Comm_size(comm, &ranks);
  return ranks;
}

static bool is_root(int root, MPI_Comm comm) {
  int rank = -1;
  if (comm != MPI_COMM_NULL)
    PMPI_Comm_rank(comm, &rank);
  return rank == root;
}

static double values(MPI_Count count, MPI_Datatype type) {
  MPI_Count each = 0;
  if (count <= 0 || type == MPI_DATATYPE_NULL)
    return 0;
  PMPI_Type_size_x(type, &each);
  return (double)count * (double)each;
}

static double single(MPI_Count count, MPI_Datatype type, MPI_Comm comm) {
  return ranks_of(comm) > 0 ? values(count, type) : 0;
}

static double blocks(MPI_Count count, MPI_Datatype type, MPI_Comm comm) {
  int ranks = ranks_of(comm);
  return ranks > 0 ? ranks * values(count, type) : 0;
}

static double sum(const int *counts, MPI_Datatype type, MPI_Comm comm) {
  double bytes = 0;
  for (int r = ranks_of(comm) - 1; r >= 0; r--)
    bytes += values(counts[r], type);
  return bytes;
}

static double sum_types(const int *counts, const MPI_Datatype *types, MPI_Comm comm) {
  double bytes = 0;
  for (int r = ranks_of(comm) - 1; r >= 0; r--)
    bytes += values(counts[r], types[r]);
  return bytes;
}

/* ---- The functions --------------------------------------------------------------------------- */

/* Calls of the library itself are none of the program's. */
#define COUNT(name, bytes)                                                                                     \
  if (intercept.counts && !dispatch_is_busy())                                                                 \
  stats_unknown(UNKNOWN_##name, bytes)

#define NAME(name) name
#define NUMBER int
#define PLACE int
#define SUM sum
#define SUM_TYPES sum_types
#include "intercept/unknown.inc"

#if MPI_VERSION >= 4
#undef NAME
#undef NUMBER
#undef PLACE
#undef SUM
#undef SUM_TYPES

static double sum_c(const MPI_Count *counts, MPI_Datatype type, MPI_Comm comm) {
  double bytes = 0;
  for (int r = ranks_of(comm) - 1; r >= 0; r--)
    bytes += values(counts[r], type);
  return bytes;
}

static double sum_types_c(const MPI_Count *counts, const MPI_Datatype *types, MPI_Comm comm) {
  double bytes = 0;
  for (int r = ranks_of(comm) - 1; r >= 0; r--)
    bytes += values(counts[r], types[r]);
  return bytes;
}

#define NAME(name) name##_c
#define NUMBER MPI_Count
#define PLACE MPI_Aint
#define SUM sum_c
#define SUM_TYPES sum_types_c
#include "intercept/unknown.inc"
#endif
