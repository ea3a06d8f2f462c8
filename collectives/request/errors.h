/* errors.h: why a call fails, and how MPI's error handlers are told.
 *
 * What is wrong travels up as a value. It is raised once, at the end of the call: see
 * ghz_collective_run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_ERRORS_H
#define GHZ_MPI_ERRORS_H

#include <ghz/ghz.h>
#include <mpi.h>

/* Whose error it is. */
typedef enum error_origin {
  ERROR_OURS,   /* code is an error class; the sentence is text */
  ERROR_OF_MPI, /* code came from MPI on our own communicator, whose handler only returns */
  ERROR_RAISED  /* code came from MPI on the user's communicator, whose handler has been called */
} error_origin;

typedef struct error {
  int code; /* MPI_SUCCESS: there is none */
  error_origin origin;
  char text[208];
} error;

/* What the last use of a device on this thread returned: no error for GHZ_OK. */
error ghz_error_of_device(ghz_status status);

/* Calls the error handler of comm, or that of MPI_COMM_WORLD for MPI_COMM_NULL, unless MPI has done
 * so. An error of ours gets a code that MPI_Error_string explains as "call: text". Returns the
 * code. Thread-safe as far as MPI is. */
int ghz_error_raise(MPI_Comm comm, const char *call, const error *e);

#endif
