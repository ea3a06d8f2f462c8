/* types.h: the datatypes of MPI whose values the library takes, by all their names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_TYPES_H
#define GHZ_MPI_TYPES_H

#include <mpi.h>
#include <stddef.h>

/* Each may be MPI_DATATYPE_NULL, and those of Fortran may have other sizes. */
#define GHZ_MPI_REALS MPI_FLOAT, MPI_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8
#define GHZ_MPI_COMPLEXES                                                                                      \
  MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_COMPLEX,       \
      MPI_DOUBLE_COMPLEX, MPI_COMPLEX8, MPI_COMPLEX16

static inline int ghz_type_is_among(MPI_Datatype type, const MPI_Datatype *types, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (type == types[i] && type != MPI_DATATYPE_NULL)
      return 1;
  return 0;
}

#endif
