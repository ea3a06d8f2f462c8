/* entry_fortran.c: the Fortran functions that do not call those of entry.c.
 *
 * Open MPI's Fortran interface calls PMPI_ functions. Its own functions are named mpi_bcast_ (spelt
 * in one of four ways) for `use mpi` and mpif.h, and ompi_bcast_f for `use mpi_f08`. MPICH's calls
 * the MPI_ functions of C, except for those of mpi_f08 that have no buffer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

static void answer(MPI_Fint *code, int result) {
  if (code)
    *code = result;
}

#ifdef OPEN_MPI

extern int mpi_fortran_in_place_, mpi_fortran_bottom_;

/* In Fortran these constants are variables. */
static void *address(const void *buffer) {
  if (buffer == &mpi_fortran_in_place_)
    return MPI_IN_PLACE;
  return buffer == &mpi_fortran_bottom_ ? MPI_BOTTOM : (void *)buffer;
}

/* Compilers decorate a name in one of four ways. */
#define SAME(name) __attribute__((alias(name)))
#define FORTRAN(lower, UPPER, ...)                                                                             \
  GHZ_API void ompi_##lower##_f(__VA_ARGS__);                                                                  \
  GHZ_API void mpi_##lower(__VA_ARGS__) SAME("ompi_" #lower "_f");                                             \
  GHZ_API void mpi_##lower##_(__VA_ARGS__) SAME("ompi_" #lower "_f");                                          \
  GHZ_API void mpi_##lower##__(__VA_ARGS__) SAME("ompi_" #lower "_f");                                         \
  GHZ_API void MPI_##UPPER(__VA_ARGS__) SAME("ompi_" #lower "_f");                                             \
  void ompi_##lower##_f(__VA_ARGS__)

FORTRAN(init, INIT, MPI_Fint *code) {
  answer(code, MPI_Init(NULL, NULL));
}

FORTRAN(init_thread, INIT_THREAD, const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *code) {
  int level = MPI_THREAD_SINGLE;
  answer(code, MPI_Init_thread(NULL, NULL, *required, &level));
  *provided = level;
}

FORTRAN(finalize, FINALIZE, MPI_Fint *code) {
  answer(code, MPI_Finalize());
}

FORTRAN(allreduce, ALLREDUCE, const void *sendbuf, void *recvbuf, const MPI_Fint *count, const MPI_Fint *type,
        const MPI_Fint *op, const MPI_Fint *comm, MPI_Fint *code) {
  answer(code, MPI_Allreduce(address(sendbuf), address(recvbuf), *count, PMPI_Type_f2c(*type), PMPI_Op_f2c(*op),
                             PMPI_Comm_f2c(*comm)));
}

FORTRAN(reduce, REDUCE, const void *sendbuf, void *recvbuf, const MPI_Fint *count, const MPI_Fint *type,
        const MPI_Fint *op, const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *code) {
  answer(code, MPI_Reduce(address(sendbuf), address(recvbuf), *count, PMPI_Type_f2c(*type), PMPI_Op_f2c(*op),
                          *root, PMPI_Comm_f2c(*comm)));
}

FORTRAN(reduce_scatter_block, REDUCE_SCATTER_BLOCK, const void *sendbuf, void *recvbuf,
        const MPI_Fint *recvcount, const MPI_Fint *type, const MPI_Fint *op, const MPI_Fint *comm,
        MPI_Fint *code) {
  answer(code, MPI_Reduce_scatter_block(address(sendbuf), address(recvbuf), *recvcount, PMPI_Type_f2c(*type),
                                        PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)));
}

FORTRAN(bcast, BCAST, void *buffer, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *root,
        const MPI_Fint *comm, MPI_Fint *code) {
  answer(code, MPI_Bcast(address(buffer), *count, PMPI_Type_f2c(*type), *root, PMPI_Comm_f2c(*comm)));
}

FORTRAN(scatter, SCATTER, const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
        void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype, const MPI_Fint *root,
        const MPI_Fint *comm, MPI_Fint *code) {
  answer(code, MPI_Scatter(address(sendbuf), *sendcount, PMPI_Type_f2c(*sendtype), address(recvbuf), *recvcount,
                           PMPI_Type_f2c(*recvtype), *root, PMPI_Comm_f2c(*comm)));
}

FORTRAN(gather, GATHER, const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype, void *recvbuf,
        const MPI_Fint *recvcount, const MPI_Fint *recvtype, const MPI_Fint *root, const MPI_Fint *comm,
        MPI_Fint *code) {
  answer(code, MPI_Gather(address(sendbuf), *sendcount, PMPI_Type_f2c(*sendtype), address(recvbuf), *recvcount,
                          PMPI_Type_f2c(*recvtype), *root, PMPI_Comm_f2c(*comm)));
}

FORTRAN(allgather, ALLGATHER, const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
        void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype, const MPI_Fint *comm,
        MPI_Fint *code) {
  answer(code, MPI_Allgather(address(sendbuf), *sendcount, PMPI_Type_f2c(*sendtype), address(recvbuf),
                             *recvcount, PMPI_Type_f2c(*recvtype), PMPI_Comm_f2c(*comm)));
}

/* Fortran's integers are ints. */
FORTRAN(allgatherv, ALLGATHERV, const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
        void *recvbuf, const MPI_Fint *recvcounts, const MPI_Fint *displs, const MPI_Fint *recvtype,
        const MPI_Fint *comm, MPI_Fint *code) {
  answer(code, MPI_Allgatherv(address(sendbuf), *sendcount, PMPI_Type_f2c(*sendtype), address(recvbuf),
                              recvcounts, displs, PMPI_Type_f2c(*recvtype), PMPI_Comm_f2c(*comm)));
}

FORTRAN(reduce_scatter, REDUCE_SCATTER, const void *sendbuf, void *recvbuf, const MPI_Fint *recvcounts,
        const MPI_Fint *type, const MPI_Fint *op, const MPI_Fint *comm, MPI_Fint *code) {
  answer(code, MPI_Reduce_scatter(address(sendbuf), address(recvbuf), recvcounts, PMPI_Type_f2c(*type),
                                  PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)));
}

#else

GHZ_API void mpi_init_f08_(MPI_Fint *code);
GHZ_API void mpi_init_thread_f08_(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *code);
GHZ_API void mpi_finalize_f08_(MPI_Fint *code);

void mpi_init_f08_(MPI_Fint *code) {
  answer(code, MPI_Init(NULL, NULL));
}

void mpi_init_thread_f08_(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *code) {
  answer(code, MPI_Init_thread(NULL, NULL, *required, provided));
}

void mpi_finalize_f08_(MPI_Fint *code) {
  answer(code, MPI_Finalize());
}

#endif
