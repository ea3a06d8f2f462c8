/* mistakes.h: what can be wrong with a call, alone or beside other ranks', and that the error due
 * is the one that comes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "request.h"

typedef struct mistake {
  const char *what;
  int error_class;
  int alone;    /* wrong in itself; else other than the rest */
  int anywhere; /* in calls of any algorithm and mode */
  int (*fits)(collective what);
  void (*make)(test_request *r, int rank, int ranks, uint64_t dice);
} mistake;

/* What an error handler heard: how often, and the last error, of which communicator. */
typedef struct complaints {
  int count, code;
  MPI_Comm comm;
} complaints;

extern complaints heard;

/* Makes it the handler of a communicator. */
void listen_to(MPI_Comm comm);

/* Checks that a call ended with an error of this class, whose sentence names the call, and that the
 * handler, called `before` times until then, heard of it once. Keeps the sentence. */
void check_error(const test_request *r, int code, int want, int before);
extern char error_sentence[MPI_MAX_ERROR_STRING];

extern const mistake mistakes[];
extern const int mistake_count;
