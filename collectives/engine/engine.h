/* engine.h: runs a plan: receives, reduces, sends on and decodes pieces, all at once, as messages
 * come; and how the other ranks hear of a failure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_ENGINE_H
#define GHZ_MPI_ENGINE_H

#include "engine/payload.h"

enum { ENGINE_RECEIVES = 8 }; /* posted at a time */

/* Why an engine could not finish its work. Zeros: it could. */
typedef struct failure {
  int rank;          /* where it happened first, as far as this rank knows */
  int mpi_code;      /* that MPI returned; else: */
  ghz_status status; /* GHZ_ECORRUPT, GHZ_EMISMATCH: of a message; else of the codec, or of the GPU */
} failure;

static inline int failure_is(const failure *f) {
  return f->mpi_code != MPI_SUCCESS || f->status != GHZ_OK;
}

/* The message in place of a piece, from a rank that cannot go on. */
typedef struct abort_message {
  char magic[4];
  int32_t rank, status;
  char end;
} abort_message;

/* No message of a payload has this size: they are longer. */
enum { ABORT_MESSAGE_SIZE = offsetof(abort_message, end) + 1 };

/* ---- Waiting for MPI without holding a core that another rank could use ---------------------- */

/* Between two polls: yields unless there were only few so far. Ranks that share cores get on much
 * faster. */
void ghz_backoff(int polls);

/* As MPI_Wait. */
int ghz_wait(MPI_Request *request);

/* ---- engine.c -------------------------------------------------------------------------------- */

/* What an engine keeps from call to call, and what MPI may still read if it failed. */
typedef struct engine_space {
  abort_message abort;
  growing arrays[6];
} engine_space;

/* Reserves everything that the plan needs, buffers included, so that nothing is allocated while
 * messages are in flight. Returns 0 if there is no memory; never for a plan and payload like those
 * that it returned 1 for before. */
int ghz_engine_prepare(engine_space *space, plan *p, const payload *kind, const payload_job *job);

void ghz_engine_free(engine_space *space);

/* Runs a plan on `comm`, where no other messages may be in flight, in a space that was prepared for
 * it. After a failure the ranks still exchange all messages, but short ones that report it: every
 * rank ends. (Unless MPI itself fails; then requests are given up.) */
failure ghz_engine_run(plan *p, const payload *kind, payload_job *job, engine_space *space, MPI_Comm comm);

#endif
