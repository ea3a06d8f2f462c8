/* payload.h: the interface to what is in the buffers: how a contribution is encoded, how two are
 * reduced, how a result is decoded. The engine moves buffers through schedules and does not know
 * their content; a payload does not know ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_PAYLOAD_H
#define GHZ_MPI_PAYLOAD_H

#include "engine/plan.h"
#include <ghz/mpi.h>

typedef enum reduction { REDUCE_NONE, REDUCE_SUM, REDUCE_MIN, REDUCE_MAX } reduction;

typedef struct payload_job payload_job;

enum { ENGINE_ASYNC_OPS = 16 }; /* under way at a time: two for each of a device's streams */

/* What a call does with values. */
struct payload_job {
  ghz_context *codec;
  buffer_pool *pool; /* of the engine's buffers and of the payload's scratch */
  const plan *plan;
  int rank; /* of this process, as failures name it */
  ghz_lattice lattice;
  const struct bins *bins; /* NULL: the lattice is for all values; else it says the type and the fill alone */
  int order;               /* of prediction, for compression */
  reduction reduction;
  int contributions;            /* arrays that this rank contributes, */
  size_t stride;                /* so many bytes apart */
  uint64_t total_contributions; /* of all ranks */
  int average;
  size_t value_size;
  uint64_t result, result_compressed; /* bytes of the results that were decoded, as values and compressed */
  int has_clock;                      /* whether a report wants the codec's seconds */
  ghz_mpi_report *report;             /* these, and `inexact`, are added to it */
  struct device *device;              /* that works, on buffers in its memory; NULL: the host does */
  struct team *team;                  /* NULL: the calling thread alone works */
  ghz_status early_status; /* a failure that this rank knows of before the first message, and others do not */
};

/* Operations return GHZ_OK or why they failed. `out` is an empty buffer with its own memory. */
typedef struct payload {
  /* The most bytes of a message of so many tiles. */
  size_t (*capacity)(const payload_job *job, uint64_t tiles);
  /* Encodes this rank's contribution to a piece. */
  ghz_status (*encode)(payload_job *job, const piece *p, buffer *out);
  /* Checks what arrived. */
  ghz_status (*validate)(payload_job *job, const piece *p, buffer *in);
  /* Combines what arrived with what is here; mine is NULL where that is this rank's contribution,
   * not yet encoded. */
  ghz_status (*reduce)(payload_job *job, const piece *p, const buffer *mine, const buffer *theirs, buffer *out);
  /* Decodes the result to its target. */
  ghz_status (*decode)(payload_job *job, const piece *p, const buffer *result);
  /* The most buffers that one operation takes from the pool. */
  int scratch;

  /* If operations only begin work, on a device or on a team: the buffer that it produces, reads or
   * moves is `pending` until poll has reported whether and how it has ended, which never waits. A
   * buffer has one such operation at a time. NULL: an operation has ended when it returns. */
  int (*poll)(payload_job *job, const piece *p, buffer *b, ghz_status *status);
  /* Moves a buffer's bytes to where MPI can send them from; NULL: there they are. */
  ghz_status (*make_sendable)(payload_job *job, const piece *p, buffer *b);
  /* Copies the first bytes of a message that arrived, and waits for them. NULL: as
   * make_sendable. */
  ghz_status (*peek)(payload_job *job, const buffer *in, void *dst, size_t size);
  /* Does some of the work in this thread. Returns 0 if none waits. NULL: threads cannot help. */
  int (*help)(payload_job *job);
} payload;

extern const payload ghz_payload_homomorphic; /* compressed, and stays so */
extern const payload ghz_payload_team;        /* the same, for jobs with a team */
extern const payload ghz_payload_device;      /* the same, on a GPU */

#endif
