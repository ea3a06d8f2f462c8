/* stats.h: the figures of the report. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_INTERCEPT_STATS_H
#define GHZ_INTERCEPT_STATS_H

#include <stdio.h>

#include "intercept/intercept.h"

/* Doubles, so that one MPI_Reduce adds up counts and times. They count to 2^53. What becomes of a
 * call: its fate, up to RAW, and from VOLUME on the bytes of calls of that fate; TAKEN: of these
 * calls the bound took the data, or they met a fill value which nobody named. */
enum { COMPRESSED, BY_MPI, FAILED, PASSED, FATES = PASSED + REASONS };
enum { RAW = FATES, SENT, INEXACT, TAKEN, VOLUME, TIMES = VOLUME + FATES };
enum { TOTAL = TIMES, AGREE, COMPRESS, COMBINE, DECOMPRESS, WAIT, FIGURES };

typedef struct summary {
  double of[CALLS + 1][FIGURES]; /* the last row: of all calls */
  double bound[CALLS + 1];       /* the largest, of results */
  ghz_loss loss;                 /* of the first call that has one */
  double link;                   /* bits per second that calls went by, the least; 0: none did */
} summary;

extern const char *const stats_calls[CALLS + 1];
extern const char *const stats_reasons[REASONS];

/* ---- report.c: the report, on rank 0 ---- */

void report_print(const summary *sum);

/* ---- verdict.c: its last part ---- */

void verdict_print(FILE *f, const summary *sum);

#endif
