/* entry.c: the MPI functions that replace those of the MPI library. Without a bound, each is one
 * branch and a jump to MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

/* Calls that only move data take any datatype. */
static bool moves(void) {
  return intercept.takes[BCAST] || intercept.takes[SCATTER] || intercept.takes[ALLGATHER];
}

static void start(void) {
  environment_start();
  if (!intercept.on)
    return;
  signature_start();
  filter_start();
  if (moves())
    array_start();
}

/* MPI can be initialised only once, but a program may try again. */
static int started(int code) {
  static bool before;
  if (code == MPI_SUCCESS && !before) {
    before = true;
    start();
  }
  return code;
}

GHZ_API int MPI_Init(int *argc, char ***argv) {
  environment_check_mpi();
  return started(PMPI_Init(argc, argv));
}

GHZ_API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  environment_check_mpi();
  return started(PMPI_Init_thread(argc, argv, required, provided));
}

GHZ_API int MPI_Finalize(void) {
  int finalized = 0;
  PMPI_Finalized(&finalized);
  if (!finalized)
    stats_report();
  if (intercept.on && !finalized) {
    if (moves())
      array_stop();
    filter_stop();
    signature_stop();
  }
  intercept.on = intercept.report = intercept.counts = false;
  return PMPI_Finalize();
}

/* ---- Collectives ---- */

static typed typed_of(const void *buffer, MPI_Count count, MPI_Datatype type) {
  return (typed){(void *)buffer, count, type};
}

GHZ_API int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm) {
  int code;
  if (intercept.on && dispatch_allreduce(sendbuf, recvbuf, count, type, op, comm, &code))
    return code;
  return PMPI_Allreduce(sendbuf, recvbuf, count, type, op, comm);
}

GHZ_API int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
                       MPI_Comm comm) {
  int code;
  if (intercept.on && dispatch_reduce(sendbuf, recvbuf, count, type, op, root, comm, &code))
    return code;
  return PMPI_Reduce(sendbuf, recvbuf, count, type, op, root, comm);
}

GHZ_API int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type,
                                     MPI_Op op, MPI_Comm comm) {
  int code;
  if (intercept.on && dispatch_reduce_scatter_block(sendbuf, recvbuf, recvcount, type, op, comm, &code))
    return code;
  return PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, type, op, comm);
}

GHZ_API int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  typed x = typed_of(buffer, count, type);
  int code;
  if (intercept.on && dispatch_bcast(&x, root, comm, &code))
    return code;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

GHZ_API int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                        MPI_Datatype recvtype, int root, MPI_Comm comm) {
  typed send = typed_of(sendbuf, sendcount, sendtype), recv = typed_of(recvbuf, recvcount, recvtype);
  int code;
  if (intercept.on && dispatch_scatter(&send, &recv, root, comm, &code))
    return code;
  return PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

GHZ_API int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                          int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  typed send = typed_of(sendbuf, sendcount, sendtype), recv = typed_of(recvbuf, recvcount, recvtype);
  int code;
  if (intercept.on && dispatch_allgather(&send, &recv, comm, &code))
    return code;
  return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

/* ---- With large counts ---- */

#if MPI_VERSION >= 4
GHZ_API int MPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                            MPI_Comm comm) {
  int code;
  if (intercept.on && dispatch_allreduce(sendbuf, recvbuf, count, type, op, comm, &code))
    return code;
  return PMPI_Allreduce_c(sendbuf, recvbuf, count, type, op, comm);
}

GHZ_API int MPI_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                         int root, MPI_Comm comm) {
  int code;
  if (intercept.on && dispatch_reduce(sendbuf, recvbuf, count, type, op, root, comm, &code))
    return code;
  return PMPI_Reduce_c(sendbuf, recvbuf, count, type, op, root, comm);
}

GHZ_API int MPI_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                                       MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int code;
  if (intercept.on && dispatch_reduce_scatter_block(sendbuf, recvbuf, recvcount, type, op, comm, &code))
    return code;
  return PMPI_Reduce_scatter_block_c(sendbuf, recvbuf, recvcount, type, op, comm);
}

GHZ_API int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  typed x = typed_of(buffer, count, type);
  int code;
  if (intercept.on && dispatch_bcast(&x, root, comm, &code))
    return code;
  return PMPI_Bcast_c(buffer, count, type, root, comm);
}

GHZ_API int MPI_Scatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  typed send = typed_of(sendbuf, sendcount, sendtype), recv = typed_of(recvbuf, recvcount, recvtype);
  int code;
  if (intercept.on && dispatch_scatter(&send, &recv, root, comm, &code))
    return code;
  return PMPI_Scatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

GHZ_API int MPI_Allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  typed send = typed_of(sendbuf, sendcount, sendtype), recv = typed_of(recvbuf, recvcount, recvtype);
  int code;
  if (intercept.on && dispatch_allgather(&send, &recv, comm, &code))
    return code;
  return PMPI_Allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
#endif
