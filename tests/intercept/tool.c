/* tool.c: a tool as profilers are made, to be preloaded beside the library: needs to see MPI_Init,
 * and calls PMPI_ for what the program wanted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int *calls; /* made in MPI_Init */

int MPI_Init(int *argc, char ***argv) {
  calls = calloc(2, sizeof *calls);
  return PMPI_Init(argc, argv);
}

int MPI_Barrier(MPI_Comm comm) {
  calls[0]++;
  return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  calls[1]++;
  return PMPI_Allreduce(sendbuf, recvbuf, count, type, op, comm);
}

/* libghzmpi's messages. */
int MPI_Isend(const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
  calls[0]++;
  return PMPI_Isend(buf, count, type, to, tag, comm, request);
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    fprintf(stderr, "tool: %d allreduces\n", calls[1]);
  free(calls);
  return PMPI_Finalize();
}
