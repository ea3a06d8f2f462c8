/* unknown.c: collectives that the library does not know: counted, if there is to be a report, and
 * passed on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

#include "intercept/unknown.h"

#define BLOCKING(name, ...) "MPI_" #name,
#define NONBLOCKING BLOCKING
#define PERSISTENT BLOCKING
const char *const unknown_names[UNKNOWN] = {
#include "intercept/unknown.inc"
};

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

/* Those that a process receives from in a neighbourhood. */
static int neighbours_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, rank, n = 0, out, weighted;
  if (ranks_of(comm) > 0)
    PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    PMPI_Cartdim_get(comm, &n);
    n *= 2;
  } else if (kind == MPI_GRAPH) {
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &n);
  } else if (kind == MPI_DIST_GRAPH) {
    PMPI_Dist_graph_neighbors_count(comm, &n, &out, &weighted);
  }
  return n;
}

static double around(MPI_Count count, MPI_Datatype type, MPI_Comm comm) {
  return neighbours_of(comm) * values(count, type);
}

/* Counts are MPI_Count in the functions for large counts, else int. */
static double sum(const void *counts, size_t width, const MPI_Datatype *types, bool one_type, int n) {
  double bytes = 0;
  for (int r = n - 1; r >= 0; r--)
    bytes += values(width == sizeof(int) ? ((const int *)counts)[r] : ((const MPI_Count *)counts)[r],
                    types[one_type ? 0 : r]);
  return bytes;
}
#define SUM(counts, type, comm) sum(counts, sizeof *(counts), &(type), true, ranks_of(comm))
#define SUM_TYPES(counts, types, comm) sum(counts, sizeof *(counts), types, false, ranks_of(comm))
#define AROUND(counts, type, comm) sum(counts, sizeof *(counts), &(type), true, neighbours_of(comm))
#define AROUND_TYPES(counts, types, comm) sum(counts, sizeof *(counts), types, false, neighbours_of(comm))

/* ---- The functions --------------------------------------------------------------------------- */

/* Parameters that many of them have. */
#define SEND const void *sendbuf, NUMBER sendcount, MPI_Datatype sendtype
#define SENDS const void *sendbuf, const NUMBER sendcounts[], const PLACE sdispls[], MPI_Datatype sendtype
#define RECV void *recvbuf, NUMBER recvcount, MPI_Datatype recvtype
#define RECVS void *recvbuf, const NUMBER recvcounts[], const PLACE rdispls[], MPI_Datatype recvtype
#define ARRAYS const void *sendbuf, void *recvbuf, NUMBER count, MPI_Datatype type, MPI_Op op

/* Calls of the library itself are none of the program's. */
#define FUNCTION(name, bytes, parameters, arguments)                                                           \
  GHZ_API int NAME(MPI_##name) parameters {                                                                    \
    if (intercept.counts && !dispatch_is_busy())                                                               \
      stats_unknown(UNKNOWN_##name, bytes);                                                                    \
    return NAME(PMPI_##name) arguments;                                                                        \
  }
#define LIST(...) __VA_ARGS__
#define BLOCKING_FUNCTION(name, bytes, parameters, arguments)                                                  \
  FUNCTION(name, bytes, (LIST parameters, MPI_Comm comm), (LIST arguments, comm))
#define NONBLOCKING_FUNCTION(name, bytes, parameters, arguments)                                               \
  FUNCTION(name, bytes, (LIST parameters, MPI_Comm comm, MPI_Request * request),                               \
           (LIST arguments, comm, request))
#define PERSISTENT_FUNCTION(name, bytes, parameters, arguments)                                                \
  FUNCTION(name, bytes, (LIST parameters, MPI_Comm comm, MPI_Info info, MPI_Request * request),                \
           (LIST arguments, comm, info, request))

#define NAME(name) name
#define NUMBER int
#define PLACE int
#define BLOCKING BLOCKING_FUNCTION
#define NONBLOCKING NONBLOCKING_FUNCTION
#define PERSISTENT PERSISTENT_FUNCTION
#include "intercept/unknown.inc"

#if MPI_VERSION >= 4
#undef NAME
#undef NUMBER
#undef PLACE
#define NAME(name) name##_c
#define NUMBER MPI_Count
#define PLACE MPI_Aint
#define BLOCKING BLOCKING_FUNCTION
#define NONBLOCKING NONBLOCKING_FUNCTION
#define PERSISTENT PERSISTENT_FUNCTION
#include "intercept/unknown.inc"
#endif
