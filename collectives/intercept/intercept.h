/* intercept.h: what the files of libghzmpi_intercept, the library to preload, share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_INTERCEPT_H
#define GHZ_INTERCEPT_H

#include "request/collective.h"

#include <stdbool.h>
#include <stdio.h>

/* In the order of ghz_collectives. */
typedef enum call_id {
  ALLREDUCE,
  REDUCE,
  BCAST,
  SCATTER,
  GATHER,
  ALLGATHER,
  ALLGATHERV,
  REDUCE_SCATTER_BLOCK,
  REDUCE_SCATTER,
  CALLS
} call_id;

/* Why a call goes to MPI unchanged; REASONS: it does not. */
typedef enum reason { SMALL, TYPE, OPERATION, COMMUNICATOR, NODE, UNWANTED, REASONS } reason;

/* ---- environment.c ---- */

typedef struct intercept_settings {
  bool on;                 /* `bounded`, from the time on when all processes know */
  bool refused;            /* rank 0 said why: the job ends */
  bool bounded;            /* some collective has a bound */
  bool report;             /* all processes add up their figures in MPI_Finalize */
  bool takes[CALLS];       /* GHZ_MPI_CALLS, of those that have a bound */
  bool spares_node[CALLS]; /* those of processes that share a node are MPI's */
  int64_t threshold;
  int check;       /* as in options */
  char bound[200]; /* as the user wrote it */
} intercept_settings;

extern intercept_settings intercept;

bool environment_is_first(void);               /* this process is rank 0 of its job, or has no rank */
void environment_check_mpi(void);              /* before MPI_Init: refuses another MPI */
void environment_start(void);                  /* after MPI_Init, on all processes */
const char *environment_get(const char *name); /* NULL: unset, or empty */

/* ---- verdict.c: which collectives are taken ---- */

/* Reads a list of names; NULL: the reductions. Returns false for what is none. */
bool choice_read(const char *text, bool takes[CALLS]);
extern const char *const choice_names; /* for messages */

/* ---- filter.c ---- */

void filter_start(void);
void filter_stop(void);
reason filter_reason(call_id c, MPI_Comm comm); /* on all its processes alike */

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
/* The bytes of a call are those of its larger buffer, as the threshold has them. */

void stats_passed(call_id c, reason why, double bytes);
void stats_called(call_id c, double bytes, const ghz_mpi_report *r, int code);
void stats_report(void); /* on all processes if intercept.report */

/* Doubles, so that one MPI_Reduce adds up counts and times. They count to 2^53. What becomes of a
 * call: its fate, up to RAW, and from VOLUME on the bytes of calls of that fate; TAKEN: of these
 * calls the bound took the data, or they met a fill value which nobody named. */
enum { COMPRESSED, BY_MPI, FAILED, PASSED, FATES = PASSED + REASONS };
enum { RAW = FATES, SENT, INEXACT, TAKEN, VOLUME, TIMES = VOLUME + FATES };
enum { TOTAL = TIMES, AGREE, COMPRESS, COMBINE, DECOMPRESS, WAIT, CPU, PER_THREAD, SPENT, ACCURACY };
/* Of results: values looked at, squares, values below the bound. Of checked calls: their number,
 * seconds of theirs and of MPI's; of results that were compared and have a bound, or a range: their
 * number, and squares of rms errors by it. (PER_THREAD and SPENT: `cpu` of compressed calls.) */
enum {
  SEEN = ACCURACY,
  SQUARES,
  BELOW,
  CHECKED,
  OURS,
  MPIS,
  WITH_BOUND,
  ERRORS,
  WITH_RANGE,
  ERRORS_OF_RANGE,
  FIGURES
};
/* What is the largest of all, of results and of checked calls. */
enum { BOUND, LARGEST, MINUS_LEAST, WORST, WORST_OF_RANGE, MOSTS };

typedef struct summary {
  double of[CALLS + 1][FIGURES]; /* the last row: of all calls */
  double most[CALLS][MOSTS];
  ghz_loss loss; /* of the first call that has one */
  double link;   /* bits per second that calls went by, the least; 0: none did */
} summary;

extern const char *const stats_calls[CALLS + 1];
extern const char *const stats_reasons[REASONS];

/* ---- report.c: the report, on rank 0 ---- */

void report_print(const summary *sum);

/* ---- verdict.c: its last part ---- */

void verdict_print(FILE *f, const summary *sum);

#endif
