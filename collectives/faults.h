/* faults.h: why a conveyor could not finish its work, and how the other ranks hear of it. */
#ifndef GHZ_MPI_FAULTS_H
#define GHZ_MPI_FAULTS_H

#include <ghz.h>

#include <stddef.h>

typedef enum fault {
  FAULT_NONE = 0,
  FAULT_MEMORY,  /* no memory for a parcel */
  FAULT_CODEC,   /* the codec refused a piece, or the GPU failed */
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

/* No message of a cargo is so long: compressed ones are longer, and plain ones are whole floats. */
enum { DISTRESS_SIZE = offsetof(distress, end) + 1 };

/* What has gone wrong so far, and what to tell the others. */
typedef struct faults {
  outcome outcome;
  distress *distress;
  int rank; /* of this process */
} faults;

/* The first fault counts, but for one of MPI: then nothing can be sent any more. */
void ghz_fault_note(faults *f, outcome o);

/* The same for what happened here. */
void ghz_fault_fail(faults *f, fault what, ghz_status status);

/* Notes a status that is not GHZ_OK. */
void ghz_fault_check(faults *f, ghz_status status);

/* Notes a code that is not MPI_SUCCESS. Returns whether it is such. */
int ghz_fault_of_mpi(faults *f, int code);

/* Notes what a message of DISTRESS_SIZE bytes says. Returns 0 if that is nothing of the kind. */
int ghz_fault_read(faults *f, const void *message);

#endif
