/* range.h: the range of all values; and the second agreement, on whether all ranks have what they
 * need. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_RANGE_H
#define GHZ_MPI_RANGE_H

#include "control/prepare.h"

/* Finds this rank's part of the range that the first agreement brings, if it does and there is
 * nothing wrong yet. Local. */
error ghz_range_early(const call *c, ghz_context *codec, error own, record *r);

/* Agrees where there is something to agree on: a range for a relative bound that the first
 * agreement did not bring, exponents for GHZ_MPI_FLOAT, or memory for a new plan; and for bins.
 * Sets the lattice of the task, or its bins. `own` is what is wrong on this rank so far. */
error ghz_agree_on_range(const call *c, communicator *with, task *t, error own);

#endif
