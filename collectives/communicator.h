/* communicator.h: what the library keeps with a communicator, from the first call on it until it is freed. */
#ifndef GHZ_MPI_COMMUNICATOR_H
#define GHZ_MPI_COMMUNICATOR_H

#include "agree.h"
#include "choose.h"
#include "conveyor.h"

enum { PREPARED = 16 };

/* A plan that memory is there for, on all ranks. */
typedef struct preparation {
  uint64_t call;
  layout layout;
  int root;
  candidate how;
} preparation;

typedef struct communicator {
  MPI_Comm comm; /* a duplicate of the user's, for our messages alone */
  int rank, ranks;
  agreement agreement;
  ghz_context *codec; /* NULL: there was no memory for it */
  parcel_pool pool;
  plan plan;
  conveyor_space space;
  choices choices;
  double last_seconds, last_plain_seconds; /* of the last call that was chosen automatically */
  preparation prepared[PREPARED];
  unsigned prepared_count;
} communicator;

/* That of a communicator; made, by all its processes, at the first call. Returns an MPI error code. */
int ghz_communicator_of(MPI_Comm comm, communicator **c);

#endif
