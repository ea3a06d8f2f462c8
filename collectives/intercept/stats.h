/* stats.h: the figures of the report. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_INTERCEPT_STATS_H
#define GHZ_INTERCEPT_STATS_H

#include <stdio.h>

#include "intercept/intercept.h"

/* Doubles, so that one MPI_Reduce adds up counts and times. They count to 2^53. What becomes of a
 * call: its fate, up to RAW, and from VOLUME on the bytes of calls of that fate. Bytes sent and
 * seconds in the codec of calls whose arrays had a shape stand by themselves, too; and the calls
 * whose bound took the data, or that met a fill value which nobody named. */
enum { COMPRESSED, BY_MPI, FAILED, PASSED, FATES = PASSED + REASONS };
enum {
  RAW = FATES,
  SENT,
  INEXACT,
  BOUND,
  VOLUME,
  SHAPED_TO = VOLUME + FATES,
  SHAPED_CODEC,
  TAKEN,
  TIMES
};
enum { TOTAL = TIMES, AGREE, COMPRESS, COMBINE, DECOMPRESS, WAIT, FIGURES };

typedef struct summary {
  double of[CALLS + 1][FIGURES];
} summary;

extern const char *const stats_calls[CALLS + 1];
extern const char *const stats_reasons[REASONS];

/* ---- report.c: the report, on rank 0; `loss`: what a process has to say ---- */

void report_print(const summary *sum, const summary *most, const ghz_loss *loss);

/* ---- verdict.c: its last part ---- */

void verdict_print(FILE *f, const summary *sum, const ghz_loss *loss);

#endif
