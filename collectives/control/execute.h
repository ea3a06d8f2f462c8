/* execute.h: runs what was prepared and agreed on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_EXECUTE_H
#define GHZ_MPI_EXECUTE_H

#include "control/prepare.h"

/* Has the engine move all data of a task. Adds to *report what it did. */
error ghz_execute(const call *c, communicator *with, task *t, ghz_mpi_report *report);

#endif
