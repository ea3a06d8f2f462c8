/* conveyor.h: runs a plan: receives, merges, sends on and delivers pieces, all at once, as they come. */
#ifndef GHZ_MPI_CONVEYOR_H
#define GHZ_MPI_CONVEYOR_H

#include "cargo.h"
#include "faults.h"

/* What a conveyor keeps from call to call, and what MPI may still read if it failed. */
typedef struct conveyor_space {
  distress distress;
  growing arrays[7];
  growing sink; /* where messages go when there is no memory for a parcel */
} conveyor_space;

/* Makes room for a plan whose parcels have so much of it. Returns 0 if there is no memory; never for a plan like one
 * that it was called for before. */
int ghz_conveyor_prepare(conveyor_space *space, plan *p, size_t room);

void ghz_conveyor_free(conveyor_space *space);

/* Runs it on `comm`, where no other messages may be under way, in a space that was prepared for it. After a
 * fault the ranks still exchange all messages, but short ones that say so: every rank ends. (Unless MPI itself
 * fails; then requests are given up.) */
outcome ghz_conveyor_run(plan *p, const cargo *kind, cargo_job *job, conveyor_space *space, MPI_Comm comm);

#endif
