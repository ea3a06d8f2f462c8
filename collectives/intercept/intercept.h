/* intercept.h: what the files of libghzmpi_intercept, the library to preload, share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_INTERCEPT_H
#define GHZ_INTERCEPT_H

#include "request/collective.h"

#include <stdbool.h>
#include <stdio.h>

/* What becomes of a call: from SMALL on it goes to MPI unchanged. */
typedef enum fate { COMPRESSED, BY_MPI, FAILED, SMALL, TYPE, OPERATION, FOREIGN, NODE, UNWANTED, FATES } fate;

/* ---- environment.c ---- */

typedef struct intercept_settings {
  bool on;                 /* `bounded`, from the time on when all processes know */
  bool bounded;            /* some collective has a bound */
  bool report;             /* all processes add up their figures in MPI_Finalize */
  bool takes[CALLS];       /* GHZ_MPI_CALLS, of those that have a bound */
  bool spares_node[CALLS]; /* those of processes that share a node are MPI's */
  int64_t threshold;
} intercept_settings;

extern intercept_settings intercept;

bool environment_is_first(void);  /* this process is rank 0 of its job, or has no rank */
void environment_check_mpi(void); /* before MPI_Init: refuses another MPI */
void environment_start(void);     /* after MPI_Init, on all processes */

/* ---- filter.c ---- */

void filter_start(void);
void filter_stop(void);
fate filter_fate(call_id c, MPI_Comm comm); /* on all its processes alike; COMPRESSED, FOREIGN or NODE */

/* ---- dispatch.c ---- */

/* Counts or displacements, a number for each rank: ints, or MPI_Counts, or addresses as wide as
 * those. */
typedef struct numbers {
  const void *of; /* NULL: there are none */
  size_t width;
} numbers;

typedef struct typed {
  void *buffer;
  MPI_Count count; /* of what is received in blocks with counts of their own: that of what is sent */
  MPI_Datatype type;
  numbers counts, displs;
} typed;

/* Returns true and sets *code if libghzmpi made the call. Else MPI has to make it. A broadcast is
 * in place, and has a root; so have REDUCE, SCATTER and GATHER. */
bool dispatch(call_id c, const typed *send, const typed *recv, MPI_Op op, int root, MPI_Comm comm, int *code);

/* ---- stats.c: counts calls and bytes of this process, and adds up those of all ---- */
/* The bytes of a call are those of its larger buffer, as the threshold has them. r: of a call that
 * was taken, else NULL. */
void stats_called(call_id c, fate what, double bytes, const ghz_mpi_report *r);
void stats_report(void); /* on all processes if intercept.report */

/* Doubles, so that MPI_Reduce adds up counts and times. They count to 2^53. By tables of the
 * report: first is what becomes of calls. Bound, range and errors are the largest of a call. */
enum { RAW = FATES, SENT, RATIO };
enum { BOUND = RATIO + 1, RANGE, RMS, BELOW, INEXACT };
enum { CHECKED = INEXACT + 1, WORST, ERRORS, WORST_OF_RANGE, ERRORS_OF_RANGE, OURS, MPIS };
enum { TOTAL = MPIS + 1, AGREE, COMPRESS, COMBINE, DECOMPRESS, WAIT, CPU, TABLES_END };
/* Values looked at; checked results that have a bound, or a range; calls of which the bound took
 * the data, or that met a fill value which nobody named; `cpu` of compressed calls, by threads and
 * of all; bytes by fates. */
enum { SEEN = TABLES_END, WITH_BOUND, WITH_RANGE, TAKEN, PER_THREAD, SPENT, VOLUME, FIGURES = VOLUME + FATES };

typedef struct summary {
  double of[CALLS + 1][FIGURES]; /* the last row: of all calls */
  ghz_loss loss;                 /* of the first call that has one */
  double link;                   /* bits per second that calls went by, the least; 0: none did */
} summary;

/* ---- report.c: the report, on rank 0 ---- */

void report_print(const summary *sum);
const char *report_name(int c); /* of a call in MPI, or `all` */

/* ---- verdict.c: its last part ---- */

void verdict_print(FILE *f, const summary *sum);

#endif
