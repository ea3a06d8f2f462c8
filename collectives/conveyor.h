/* conveyor.h: runs a plan: receives, merges, sends on and delivers pieces, all at once, as they come. */
#ifndef GHZ_MPI_CONVEYOR_H
#define GHZ_MPI_CONVEYOR_H

#include "cargo.h"

/* Why a conveyor could not finish its work. */
typedef enum fault {
  FAULT_NONE = 0,
  FAULT_MEMORY,  /* no memory for a parcel */
  FAULT_CODEC,   /* the codec refused a piece */
  FAULT_MESSAGE, /* a message was not what it should be */
  FAULT_MPI      /* MPI returned an error */
} fault;

typedef struct outcome {
  fault fault;
  int rank;          /* where it happened first, as far as this rank knows */
  int mpi_code;      /* FAULT_MPI */
  ghz_status status; /* FAULT_CODEC, FAULT_MESSAGE */
} outcome;

/* The message in place of a piece, from a rank that cannot go on. */
typedef struct distress {
  char magic[4];
  int32_t fault, rank, status;
  char end;
} distress;

/* What a conveyor keeps from call to call, and what MPI may still read if it failed. */
typedef struct conveyor_space {
  distress distress;
  growing arrays[6];
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
