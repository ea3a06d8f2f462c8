/* poll.h: waiting for MPI without holding a core that another rank could use. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_POLL_H
#define GHZ_MPI_POLL_H

#include <mpi.h>

/* Between two polls: yields unless there were only few so far. */
void ghz_backoff(int polls);

/* As MPI_Waitsome, but polls, and yields between polls: ranks that share cores get on much
 * faster. */
int ghz_wait_some(int n, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses);

/* As MPI_Wait. */
int ghz_wait(MPI_Request *request);

#endif
