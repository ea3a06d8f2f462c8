/* communicator.h: what the library keeps with a communicator, from the first call on it until it is freed. */
#ifndef GHZ_MPI_COMMUNICATOR_H
#define GHZ_MPI_COMMUNICATOR_H

#include "control/agree.h"
#include "control/tuner.h"
#include "engine/engine.h"
#include "payload/device.h"

enum { PREPARED = 16 };

/* What the memory for a call depends on, beside the rank. Without padding: compared byte by byte. */
typedef struct preparation {
  uint64_t call, contributions, placement;
  layout layout;
  variant how;
  reduction reduction;
  int root;
} preparation;
_Static_assert(sizeof(preparation) == 3 * sizeof(uint64_t) + sizeof(layout) + 4 * sizeof(int) &&
                   sizeof(layout) == 2 * sizeof(uint64_t) + 4 * sizeof(int),
               "no padding");

typedef struct communicator {
  MPI_Comm comm; /* a duplicate of the user's, for our messages alone */
  int rank, ranks;
  agreement agreement;
  ghz_context *codec; /* NULL: there was no memory for it */
  buffer_pool pool;
  plan plan;
  engine_space space;
  device *device;   /* NULL: no call has needed one yet */
  int device_calls; /* some rank has had device buffers in some call */
  tuner tuner;
  double last_seconds, last_agreeing, last_plain_seconds; /* of the last call, for the choice that is pending */
  preparation prepared[PREPARED];                         /* all ranks have had memory for these */
  unsigned prepared_count;
} communicator;

/* That of a communicator; made, by all its processes, at the first call. Returns an MPI error code, for which
 * the error handler has been called. */
int ghz_communicator_of(MPI_Comm comm, communicator **c);

#endif
