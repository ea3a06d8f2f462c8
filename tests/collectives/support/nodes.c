/* nodes.c: makes up nodes on one machine: with GHZ_TEST_NODES=N ranks are dealt to N in turn. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdlib.h>

__attribute__((visibility("default"))) int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                                               MPI_Comm *made) {
  const char *nodes = getenv("GHZ_TEST_NODES");
  int rank;
  if (!nodes)
    return PMPI_Comm_split_type(comm, type, key, info, made);
  MPI_Comm_rank(comm, &rank);
  return PMPI_Comm_split(comm, rank % atoi(nodes), key, made);
}
