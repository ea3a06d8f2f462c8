/* mistakes.h: what can be wrong with a call, alone or beside other ranks', and the error due. */
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

extern const mistake mistakes[];
extern const int mistake_count;

/* By which ranks disagree about the call itself. */
void make_another_call(test_request *r, uint64_t dice);
