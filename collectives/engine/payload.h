/* payload.h: what is in the buffers: how a contribution is packed, how two are reduced, how a result is unpacked.
 *
 * The engine moves buffers along schedules and knows nothing of their content; a payload knows nothing of ranks.
 */
#ifndef GHZ_MPI_PAYLOAD_H
#define GHZ_MPI_PAYLOAD_H

#include "engine/plan.h"
#include "ghz_mpi.h"

typedef enum reduction { REDUCE_NONE, REDUCE_SUM, REDUCE_MIN, REDUCE_MAX } reduction;

typedef struct payload_job payload_job;

/* What a payload has that starts work on a device and returns before it has ended. The buffer that this work makes, reads or
 * moves is `pending` until `ended` has said so. One piece of work at a time for a buffer. */
typedef struct async_ops {
  /* Whether the work on a pending buffer has ended, and how. Never waits. */
  int (*poll)(payload_job *job, const piece *p, buffer *q, ghz_status *status);
  /* Has a buffer's bytes brought where MPI can send them from. */
  ghz_status (*make_sendable)(payload_job *job, const piece *p, buffer *q);
  /* Copies the first bytes of a message that arrived. Waits. */
  ghz_status (*peek)(payload_job *job, const buffer *in, void *dst, size_t size);
} async_ops;

/* What a call does with values. */
struct payload_job {
  ghz_context *codec;
  buffer_pool *pool; /* for buffers that hold what is half done */
  const plan *plan;
  ghz_lattice lattice;
  reduction reduction;
  int contributions;            /* arrays that this rank gives, */
  size_t stride;                /* so many bytes apart */
  uint64_t total_contributions; /* of all ranks */
  int average;
  size_t value_size;
  ghz_mpi_report *report;                 /* seconds, and `inexact`, are added to it */
  const async_ops *async;                 /* NULL: all is done when a call of the payload returns */
  struct device *device;                  /* where async ops are run */
  int source_on_device, target_on_device; /* in its memory */
  ghz_status early_status;                /* what this rank knows before it starts, and the others do not */
};

/* All return GHZ_OK or why not. `out` is an empty buffer with its own memory. */
typedef struct payload {
  /* The most bytes that a buffer of so many tiles can take. */
  size_t (*capacity)(const payload_job *job, uint64_t tiles);
  /* Packs this rank's contribution to a piece. */
  ghz_status (*encode)(payload_job *job, const piece *p, buffer *out);
  /* Checks what arrived. */
  ghz_status (*validate)(payload_job *job, const piece *p, buffer *in);
  /* Merges what arrived with what is here; mine is NULL where that is this rank's contribution, not yet packed.
   */
  ghz_status (*reduce)(payload_job *job, const piece *p, const buffer *mine, const buffer *theirs, buffer *out);
  /* Makes from what arrived what is sent on; NULL: that is the same. */
  ghz_status (*forward)(payload_job *job, const piece *p, const buffer *in, buffer *out);
  /* Unpacks the result to its target. */
  ghz_status (*decode)(payload_job *job, const piece *p, const buffer *result);
  /* Where to receive a piece that replaces what is here, if not in a buffer's own memory; NULL: never. */
  uint8_t *(*direct_receive)(payload_job *job, const piece *p);
} payload;

extern const payload ghz_payload_homomorphic; /* compressed, and stays so */
extern const payload ghz_payload_plain;       /* the values themselves */
extern const payload ghz_payload_device;      /* as homomorphic, on a GPU; for jobs with async ops */

/* ---- For payloads ------------------------------------------------------------------------------------- */

/* The place of a piece's first value in an array of its part. */
static inline size_t piece_offset(const payload_job *job, const piece *p) {
  return (size_t)p->first * GHZ_TILE * job->value_size;
}

static inline size_t piece_bytes(const payload_job *job, const piece *p) {
  return (size_t)ghz_piece_values(job->plan, p) * job->value_size;
}

/* Compresses an array's values of a piece. `array` is where the array begins, though nothing but the piece is read. */
ghz_status ghz_payload_compress(payload_job *job, const piece *p, const void *array, buffer *out);

/* Views a message that arrived, having checked that it is the one expected. */
ghz_status ghz_payload_validate(payload_job *job, const piece *p, buffer *in);

/* The most bytes of a message that sums `terms` terms. */
size_t ghz_payload_capacity(const payload_job *job, uint64_t tiles, uint64_t terms);

/* into[i] = into[i] op from[i], for n values of the job's type. */
void ghz_values_reduce(const payload_job *job, void *into, const void *from, size_t n);

/* values[i] /= total_contributions, where the job averages. */
void ghz_values_average(const payload_job *job, void *values, size_t n);

#endif
