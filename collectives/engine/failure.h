/* failure.h: why an engine could not finish its work, and how the other ranks hear of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_FAILURE_H
#define GHZ_MPI_FAILURE_H

#include <ghz/ghz.h>

#include <stddef.h>

/* The numbers are those of the abort message. */
typedef enum failure_kind {
  FAILURE_NONE = 0,
  FAILURE_CODEC = 2,   /* the codec refused a piece, or the GPU failed */
  FAILURE_MESSAGE = 3, /* a message was not what it should be */
  FAILURE_MPI = 4      /* MPI returned an error */
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

/* No message of a payload has this size: compressed ones are longer, and plain ones are whole
 * floats. */
enum { ABORT_MESSAGE_SIZE = offsetof(abort_message, end) + 1 };

/* What has gone wrong so far, and what to send to the others. */
typedef struct failures {
  failure first;
  abort_message *abort;
  int rank; /* of this process */
} failures;

/* Notes a failure. The first one counts, except that one of MPI replaces it: then nothing can be
 * sent any more. */
void ghz_failure_note(failures *f, failure o);

/* The same for a failure of this rank. */
void ghz_failure_local(failures *f, failure_kind kind, ghz_status status);

/* Notes a status that is not GHZ_OK. */
void ghz_failure_check(failures *f, ghz_status status);

/* Notes a code that is not MPI_SUCCESS. Returns whether it is one. */
int ghz_failure_of_mpi(failures *f, int code);

/* Notes the content of a message of ABORT_MESSAGE_SIZE bytes. Returns 0 if that is no abort
 * message. */
int ghz_failure_read(failures *f, const void *message);

#endif
