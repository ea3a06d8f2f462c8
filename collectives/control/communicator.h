/* communicator.h: what the library keeps with a communicator, from the first call on it until it is
 * freed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_COMMUNICATOR_H
#define GHZ_MPI_COMMUNICATOR_H

#include "choice/tuner.h"
#include "control/channel.h"

typedef struct communicator {
  channel_hold on;
  tuner tuner;
  result_bytes last;                /* of the call before */
  growing pinned_send, pinned_recv; /* copies of device buffers, see host_copy.c */
} communicator;

/* Finds what is kept with a communicator, or makes it at the first call. Local. */
error ghz_communicator_of(MPI_Comm comm, communicator **c);

#endif
