/* collective.h: what the collectives have in common: each describes itself, and ghz_collective_run does the
 * work. */
#ifndef GHZ_MPI_COLLECTIVE_H
#define GHZ_MPI_COLLECTIVE_H

#include "control/settings.h"
#include "engine/plan.h"
#include "payload/device.h"
#include "schedules/schedule.h"

enum { ALGORITHMS = GHZ_MPI_LINEAR + 1 };

typedef struct collective collective;

/* A call as the user made it. */
typedef struct call {
  const collective *collective;
  const void *send;
  void *recv;
  MPI_Count count;
  MPI_Datatype type;
  MPI_Op op;
  int root;
  MPI_Comm comm;
  settings set;
  position at;        /* filled in by ghz_collective_run, as what follows */
  int is_real;        /* the type is one of ours: */
  ghz_type real;      /* this one */
  size_t value_size;  /* of any type */
  buffer_location on; /* of the buffers that are used on this rank */
} call;

/* How much of the buffers a call uses on this rank, in arrays of `count` values. */
typedef struct extent {
  uint64_t send, recv;
  int reads_recv; /* not only writes it */
} extent;

/* How an algorithm does a collective. build NULL: not at all. */
typedef struct algorithm {
  schedule_builder build;
  int (*segments)(int ranks); /* of a part; NULL: 1 */
  int columns_first;
} algorithm;

struct collective {
  const char *name; /* of the function */
  int reduces;      /* has an operation */
  int rooted;
  int blocks; /* moves an array per rank, not one array */
  algorithm algorithms[ALGORITHMS];
  ghz_mpi_algorithm preferred[4]; /* what is tried, in this order; 0 ends it */
  /* Whether a buffer that is used on this rank is missing. */
  int (*lacks_buffer)(const call *c);
  extent (*extent)(const call *c);
  /* Where the parts lie on this rank. */
  void (*arrange)(const call *c, part *parts);
  /* What is left to do on this rank after the result has been delivered; may be NULL. */
  ghz_status (*finish)(const call *c);
  /* The MPI call of the same name, for counts that fit an int. */
  int (*native)(const call *c);
};

/* Does it. Returns an MPI error code that has been given to the error handler. */
int ghz_collective_run(const call *c, const ghz_mpi_options *options);

/* Whether a call is so small, and asks for so little, that it must not notice us: it goes straight to MPI, which checks it
 * alone. `blocks` as in collective. */
static inline int ghz_collective_bypass(const void *send, const void *recv, MPI_Count count, MPI_Datatype type,
                                        MPI_Comm comm, int blocks, const ghz_mpi_options *options) {
  int ranks = 1, size = type == MPI_FLOAT ? 4 : 8;
  if (count < 0 || count > INT32_MAX || (type != MPI_FLOAT && type != MPI_DOUBLE) || comm == MPI_COMM_NULL)
    return 0;
  if (blocks)
    MPI_Comm_size(comm, &ranks);
  return ghz_settings_bypass(options, (uint64_t)count * (uint64_t)(size * ranks)) &&
         !ghz_device_forbids(send, recv);
}

/* ---- For collectives --------------------------------------------------------------------------------- */

/* Whether there is nowhere to put a result. */
static inline int call_lacks_target(const call *c) {
  return !c->recv || c->recv == MPI_IN_PLACE;
}

static inline int call_is_root(const call *c) {
  return c->at.rank == c->root;
}

/* Value `count * block` of a buffer. */
static inline const uint8_t *call_block(const call *c, const void *array, int block) {
  return (const uint8_t *)array + (size_t)block * (size_t)c->count * c->value_size;
}

static inline uint8_t *call_target(const call *c, void *array, int block) {
  return (uint8_t *)array + (size_t)block * (size_t)c->count * c->value_size;
}

#endif
