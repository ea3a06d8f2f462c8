/* select.h: whether MPI makes a call, by which algorithm we do, and whether with its shape. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_SELECT_H
#define GHZ_MPI_SELECT_H

#include "control/agree.h"

/* How a call is made. */
typedef struct variant {
  ghz_mpi_algorithm algorithm; /* GHZ_MPI_NATIVE: by MPI, uncompressed */
  int flat;                    /* compressed without the shape */
} variant;

/* Whether MPI makes a call without agreement, as compression was worth nothing to those before. All
 * ranks find the same. */
int ghz_select_rests(tuner *t, const call *c, const record *own);

/* Tells the tuner how the call before compressed, and selects how to make this one. */
variant ghz_select(tuner *t, const call *c, const record *agreed);

#endif
