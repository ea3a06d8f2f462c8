/* engine.h: runs a plan: receives, reduces, sends on and decodes pieces, all at once, as messages
 * come. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_ENGINE_H
#define GHZ_MPI_ENGINE_H

#include "engine/failure.h"
#include "engine/payload.h"

enum { ENGINE_RECEIVES = 8 }; /* posted at a time */

/* What an engine keeps from call to call, and what MPI may still read if it failed. */
typedef struct engine_space {
  abort_message abort;
  growing arrays[9];
} engine_space;

/* Reserves everything that the plan needs, buffers included, so that nothing is allocated while
 * messages are in flight. Returns 0 if there is no memory; never for a plan and payload like those
 * that it returned 1 for before. */
int ghz_engine_prepare(engine_space *space, const plan *p, const payload *kind, const payload_job *job);

void ghz_engine_free(engine_space *space);

/* Runs a plan on `comm`, where no other messages may be in flight, in a space that was prepared for
 * it. After a failure the ranks still exchange all messages, but short ones that report it: every
 * rank ends. (Unless MPI itself fails; then requests are given up.) */
failure ghz_engine_run(plan *p, const payload *kind, payload_job *job, engine_space *space, MPI_Comm comm);

#endif
