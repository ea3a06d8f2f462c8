/* communicator.h: what the library keeps with a communicator, from the first call on it until it is
 * freed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_COMMUNICATOR_H
#define GHZ_MPI_COMMUNICATOR_H

#include "control/agree.h"
#include "control/tuner.h"
#include "engine/engine.h"
#include "payload/device.h"

/* What the memory for a call depends on, beside the rank. Without padding: compared byte by
 * byte. */
typedef struct footprint {
  uint64_t call, contributions, placement;
  layout layout;
  variant how;
  reduction reduction;
  int root;
} footprint;
_Static_assert(sizeof(footprint) == 3 * sizeof(uint64_t) + sizeof(layout) + 4 * sizeof(int) &&
                   sizeof(layout) == 5 * sizeof(uint64_t) + 4 * sizeof(int),
               "no padding");

enum { FOOTPRINTS = 16 };

typedef struct communicator {
  MPI_Comm comm; /* a duplicate of the user's, for our messages alone */
  int rank, ranks;
  agreement agreement;
  ghz_context *codec; /* NULL: there was no memory for it */
  buffer_pool pool;
  plan plan;
  engine_space space;
  device *device; /* NULL: no call has needed one yet */
  tuner tuner;
  timing last;                      /* of the call before */
  footprint footprints[FOOTPRINTS]; /* all ranks have had memory for these */
  unsigned footprint_count;         /* counts on: the oldest is overwritten */
} communicator;

/* Finds what is kept with a communicator. At the first call all its processes make it. */
error ghz_communicator_of(MPI_Comm comm, communicator **c);

#endif
