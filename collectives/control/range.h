/* range.h: the second agreement: on the range of all values, and on whether all ranks have what
 * they need. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_RANGE_H
#define GHZ_MPI_RANGE_H

#include "control/prepare.h"

/* Agrees where there is something to agree on: a range for a relative bound, or memory for a new
 * plan. Sets the lattice of the task. `own` is what is wrong on this rank so far. */
error ghz_agree_on_range(const call *c, communicator *with, task *t, error own);

#endif
