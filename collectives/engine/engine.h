/* engine.h: runs a plan: receives, merges, sends on and delivers pieces, all at once, as they come. */
#ifndef GHZ_MPI_ENGINE_H
#define GHZ_MPI_ENGINE_H

#include "engine/failure.h"
#include "engine/payload.h"

/* What a engine keeps from call to call, and what MPI may still read if it failed. */
typedef struct engine_space {
  abort_message abort;
  growing arrays[7];
  growing sink; /* where messages go when there is no memory for a buffer */
} engine_space;

/* Makes room for a plan whose buffers have so much of it. Returns 0 if there is no memory; never for a plan like one
 * that it was called for before. */
int ghz_engine_prepare(engine_space *space, plan *p, size_t capacity);

void ghz_engine_free(engine_space *space);

/* Runs it on `comm`, where no other messages may be under way, in a space that was prepared for it. After a
 * failure the ranks still exchange all messages, but short ones that say so: every rank ends. (Unless MPI itself
 * fails; then requests are given up.) */
failure ghz_engine_run(plan *p, const payload *kind, payload_job *job, engine_space *space, MPI_Comm comm);

#endif
