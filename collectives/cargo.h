/* cargo.h: what is in the parcels: how a contribution is packed, how two are merged, how a result is unpacked.
 *
 * The conveyor moves parcels along routes and knows nothing of their content; a cargo knows nothing of ranks.
 */
#ifndef GHZ_MPI_CARGO_H
#define GHZ_MPI_CARGO_H

#include "ghz_mpi.h"
#include "plan.h"

typedef enum reduction { REDUCE_NONE, REDUCE_SUM, REDUCE_MIN, REDUCE_MAX } reduction;

typedef struct cargo_job cargo_job;

/* What a cargo has that starts work on a device and returns before it has ended. The parcel that this work makes, reads or
 * moves is `pending` until `ended` has said so. One piece of work at a time for a parcel. */
typedef struct cargo_errands {
  /* Whether the work on a pending parcel has ended, and how. Never waits. */
  int (*ended)(cargo_job *job, const piece *p, parcel *q, ghz_status *status);
  /* Has a parcel's bytes brought where MPI can send them from. */
  ghz_status (*stage)(cargo_job *job, const piece *p, parcel *q);
  /* Copies the first bytes of a message that arrived. Waits. */
  ghz_status (*peek)(cargo_job *job, const parcel *in, void *dst, size_t size);
} cargo_errands;

/* What a call does with values. */
struct cargo_job {
  ghz_context *codec;
  parcel_pool *pool; /* for parcels that hold what is half done */
  const plan *plan;
  ghz_lattice lattice;
  reduction reduction;
  int contributions;            /* arrays that this rank gives, */
  size_t stride;                /* so many bytes apart */
  uint64_t total_contributions; /* of all ranks */
  int average;
  size_t value_size;
  ghz_mpi_report *report;         /* seconds, and `inexact`, are added to it */
  const cargo_errands *errands;   /* NULL: all is done when a call of the cargo returns */
  struct device *device;          /* where errands are run */
  int source_there, target_there; /* in its memory */
  ghz_status trouble;             /* what this rank knows before it starts, and the others do not */
};

/* All return GHZ_OK or why not. `out` is an empty parcel with its own memory. */
typedef struct cargo {
  /* The most bytes that a parcel of so many tiles can take. */
  size_t (*room)(const cargo_job *job, uint64_t tiles);
  /* Packs this rank's contribution to a piece. */
  ghz_status (*load)(cargo_job *job, const piece *p, parcel *out);
  /* Checks what arrived. */
  ghz_status (*accept)(cargo_job *job, const piece *p, parcel *in);
  /* Merges what arrived with what is here; mine is NULL where that is this rank's contribution, not yet packed.
   */
  ghz_status (*merge)(cargo_job *job, const piece *p, const parcel *mine, const parcel *theirs, parcel *out);
  /* Makes from what arrived what is sent on; NULL: that is the same. */
  ghz_status (*relay)(cargo_job *job, const piece *p, const parcel *in, parcel *out);
  /* Unpacks the result to its target. */
  ghz_status (*deliver)(cargo_job *job, const piece *p, const parcel *result);
  /* Where to receive a piece that replaces what is here, if not in a parcel's own memory; NULL: never. */
  uint8_t *(*landing)(cargo_job *job, const piece *p);
} cargo;

extern const cargo ghz_cargo_homomorphic; /* compressed, and stays so */
extern const cargo ghz_cargo_recompress;  /* compressed, but added as values */
extern const cargo ghz_cargo_per_hop;     /* compressed anew for every hop */
extern const cargo ghz_cargo_plain;       /* the values themselves */
extern const cargo ghz_cargo_device;      /* as homomorphic, on a GPU; for jobs with errands */

/* ---- For cargoes ------------------------------------------------------------------------------------- */

/* The place of a piece's first value in an array of its part. */
static inline size_t piece_offset(const cargo_job *job, const piece *p) {
  return (size_t)p->first * GHZ_TILE * job->value_size;
}

static inline size_t piece_bytes(const cargo_job *job, const piece *p) {
  return (size_t)ghz_piece_values(job->plan, p) * job->value_size;
}

/* Compresses an array's values of a piece. `array` is where the array begins, though nothing but the piece is read. */
ghz_status ghz_cargo_compress(cargo_job *job, const piece *p, const void *array, parcel *out);

/* Views a message that arrived, having checked that it is the one expected. */
ghz_status ghz_cargo_accept(cargo_job *job, const piece *p, parcel *in);

/* The most bytes of a message that sums `terms` terms. */
size_t ghz_cargo_room(const cargo_job *job, uint64_t tiles, uint64_t terms);

/* into[i] = into[i] op from[i], for n values of the job's type. */
void ghz_cargo_operate(const cargo_job *job, void *into, const void *from, size_t n);

/* values[i] /= total_contributions, where the job averages. */
void ghz_cargo_average(const cargo_job *job, void *values, size_t n);

#endif
