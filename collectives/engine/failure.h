/* failure.h: why a engine could not finish its work, and how the other ranks hear of it. */
#ifndef GHZ_MPI_FAILURE_H
#define GHZ_MPI_FAILURE_H

#include <ghz.h>

#include <stddef.h>

typedef enum failure_kind {
  FAILURE_NONE = 0,
  FAILURE_MEMORY,  /* no memory for a buffer */
  FAILURE_CODEC,   /* the codec refused a piece, or the GPU failed */
  FAILURE_MESSAGE, /* a message was not what it should be */
  FAILURE_MPI      /* MPI returned an error */
} failure_kind;

typedef struct failure {
  failure_kind kind;
  int rank;          /* where it happened first, as far as this rank knows */
  int mpi_code;      /* FAILURE_MPI */
  ghz_status status; /* FAILURE_CODEC, FAILURE_MESSAGE */
} failure;

/* The message in place of a piece, from a rank that cannot go on. */
typedef struct abort_message {
  char magic[4];
  int32_t kind, rank, status;
  char end;
} abort_message;

/* No message of a payload is so long: compressed ones are longer, and plain ones are whole floats. */
enum { ABORT_MESSAGE_SIZE = offsetof(abort_message, end) + 1 };

/* What has gone wrong so far, and what to tell the others. */
typedef struct failures {
  failure first;
  abort_message *abort;
  int rank; /* of this process */
} failures;

/* The first failure counts, but for one of MPI: then nothing can be sent any more. */
void ghz_failure_note(failures *f, failure o);

/* The same for what happened here. */
void ghz_failure_local(failures *f, failure_kind what, ghz_status status);

/* Notes a status that is not GHZ_OK. */
void ghz_failure_check(failures *f, ghz_status status);

/* Notes a code that is not MPI_SUCCESS. Returns whether it is such. */
int ghz_failure_of_mpi(failures *f, int code);

/* Notes what a message of ABORT_MESSAGE_SIZE bytes says. Returns 0 if that is nothing of the kind. */
int ghz_failure_read(failures *f, const void *message);

#endif
