/* arguments.h: what the arguments of a call mean on this rank, and whether they are right. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_ARGUMENTS_H
#define GHZ_MPI_ARGUMENTS_H

#include "request/collective.h"

/* Fills in what follows from the user's arguments, and makes the device of the buffers the current
 * one. Returns what is wrong as far as this rank can tell. `counts` and `places` are those of
 * blocks with counts of their own, else NULL. ghz_call_leave undoes it. */
error ghz_call_read(call *c, const MPI_Count *counts, const MPI_Count *places, const ghz_mpi_options *options);

void ghz_call_leave(call *c);

#endif
