/* bench.h: the types and calls that the parts of ghz_mpi_bench share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_COLLECTIVES_BENCH_H
#define BENCH_COLLECTIVES_BENCH_H

#include "../common/options.h"
#include "../common/support.h"
#include "request.h"
#include "suite.h"

#include <ghz/mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- options.c ------------------------------------------------------------------------------- */

enum { MAX_VARIANTS = GHZ_MPI_LINEAR + 1 };

typedef struct options {
  collective what;
  double min, max; /* bytes of the largest buffer of a rank */
  int factor;      /* from one size to the next */
  int iterations, warm_up, learn, check, root, threads;
  int type;
  ghz_bound bound;
  const char *bound_text;
  ghz_shape shape;          /* of what a call counts; all zeros: flat */
  const char *extents_text; /* the same as it was given */
  int of_result;
  const char *field, *field_file, *cache, *interface;
  word_list algorithms;                     /* empty: all */
  ghz_mpi_algorithm variants[MAX_VARIANTS]; /* AUTO: the library's choice; NATIVE: MPI's call */
  int n_variants;
} options;

/* Reads the command line. Returns OPTIONS_OK, or the exit status. */
int options_of(int argc, char **argv, options **o);
/* Of values. */
MPI_Datatype type_of(const options *o);
size_t type_bytes(const options *o);

/* ---- input.c --------------------------------------------------------------------------------- */

bool field_exists(const char *name);
/* Whether a field that is made here has rows of these extents, or a file may have. */
bool field_has(const options *o, const ghz_shape *shape);
/* The first of the middle `count` of `there` values: a whole number of planes lies before it. */
size_t field_middle(const options *o, size_t there, size_t count);
/* This rank's input: `count` values, other ones on each rank. All ranks call it, with count 0 where
 * there is no input; then NULL. */
void *input_make(const options *o, size_t count);

/* ---- job.c ----------------------------------------------------------------------------------- */

/* One size: the buffers of this rank and what is in them. */
typedef struct job {
  const options *options;
  size_t count;                     /* the argument of the call */
  size_t input_count, result_count; /* values of this rank's input, and of its result */
  const char *input;                /* of this rank, or NULL */
  char *receive;                    /* what calls write to */
  MPI_Comm comms[2];                /* for variants with a fixed algorithm; for those that choose */
} job;

/* The bytes of the largest buffer of a rank, for calls that count so many values. */
double job_bytes(const options *o, uint64_t count);
/* Sets the counts to those of the size nearest to `bytes`. */
void job_size(job *j, double bytes);
/* Fills the buffers anew, the result's place with NaN, and returns the arguments of the call. */
test_request job_call(const job *j, bool chooses);

/* ---- reference.c ----------------------------------------------------------------------------- */

typedef struct reference {
  double *result;     /* of this rank, by MPI in doubles; NULL if nothing is to be checked */
  double least, most; /* finite values of all inputs */
  double promise;     /* largest error that a compressed result may have */
} reference;

reference reference_make(const job *j);
void reference_free(reference *r);
double value_at(const options *o, const void *values, size_t i);

/* ---- check.c --------------------------------------------------------------------------------- */

typedef enum sameness { SAME_UNKNOWN, SAME, SAME_NOT, SAME_OTHER } sameness;

typedef struct verdict {
  bool done, compressed, inexact; /* by the reports */
  bool promised;                  /* the library promised the same bits */
  double error;                   /* the largest */
  uint64_t wrong;                 /* values whose error is too large */
  sameness same;                  /* bits on all ranks; OTHER: but not those of the other variants */
  uint64_t bits;                  /* a hash of the results of all ranks */
} verdict;

/* All ranks call it, after the call that the report is about; `report` NULL: the call of MPI. */
verdict check_result(const job *j, const reference *r, const ghz_mpi_report *report);

/* ---- measure.c ------------------------------------------------------------------------------- */

enum figure { RAW_BYTES, SENT_BYTES, WIRE, CPU, AGREE, COMPRESS, COMBINE, DECOMPRESS, WAIT, FIGURES };

/* The result of a variant at a size. */
typedef struct finding {
  bool failed;                         /* the call returned an error, which has been printed */
  ghz_mpi_algorithm algorithm;         /* of the last call */
  double median, least, most;          /* seconds of the slowest rank */
  double sum[FIGURES], worst[FIGURES]; /* per call: over all ranks, and of the worst one */
  verdict verdict;
} finding;

void measure(const job *j, const reference *r, finding *findings);

/* ---- report.c -------------------------------------------------------------------------------- */

void report_begin(const options *o);
void report_size(const job *j, const reference *r, const finding *findings);
/* Returns the exit status. */
int report_end(const options *o);

#endif
