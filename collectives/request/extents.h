/* extents.h: shapes as users write them, and as they are listed by count. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_EXTENTS_H
#define GHZ_MPI_EXTENTS_H

#include <ghz/ghz.h>
#include <mpi.h>
#include <stddef.h>

enum { EXTENTS_LISTED = 64 };

/* The shapes of GHZ_MPI_EXTENTS. */
typedef struct extents_list {
  int length;
  ghz_shape shapes[EXTENTS_LISTED];
} extents_list;

/* Reads 256x256x256,512x512. Returns 0 and changes nothing if the text is no such list. */
int ghz_extents_read(const char *text, extents_list *list);

/* The first shape of the list that has so many values; flat if there is none. */
ghz_shape ghz_extents_find(const extents_list *list, uint64_t count);

/* Whether a user's shape is one: known dims, fewer than 2^64 values. */
int ghz_extents_are_sound(const ghz_shape *shape);

/* Whether a user's shape is the absence of one: all zeros. */
int ghz_extents_are_absent(const ghz_shape *shape);

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
