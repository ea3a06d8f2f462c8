/* alloc_log.c: objects of MPI, counted; the memory is counted by allocator.c. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "alloc_log.h"
#include "allocator.h"
#include <mpi.h>

static long objects;
int alloc_log_unsplit = -1;

alloc_log alloc_log_now(void) {
  return (alloc_log){allocator_live(), allocator_bytes(), __atomic_load_n(&objects, __ATOMIC_RELAXED)};
}

#define VISIBLE __attribute__((visibility("default")))

static int count(int code, long by) {
  if (code == MPI_SUCCESS)
    __atomic_fetch_add(&objects, by, __ATOMIC_RELAXED);
  return code;
}

VISIBLE int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) { return count(PMPI_Comm_dup(comm, made), 1); }

VISIBLE int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) {
  int rank, code = count(PMPI_Comm_split(comm, color, key, made), 1);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != alloc_log_unsplit || code != MPI_SUCCESS)
    return code;
  MPI_Comm_free(made);
  return MPI_ERR_OTHER;
}

VISIBLE int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made) {
  return count(PMPI_Comm_split_type(comm, type, key, info, made), 1);
}

VISIBLE int MPI_Comm_free(MPI_Comm *comm) { return count(PMPI_Comm_free(comm), -1); }
