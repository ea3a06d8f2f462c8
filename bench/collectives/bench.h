/* bench.h: the types and calls that the parts of the ghz_*_bench programs share. */
#ifndef GHZ_BENCH_COLLECTIVES_H
#define GHZ_BENCH_COLLECTIVES_H

#include <ghz_mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The collective under test: one file each, allreduce.c to gather.c ---------------------------- */

/* Where the input, or the result, of a collective lies; a block is one rank's share of a whole. */
typedef enum place { WHOLE_ON_ALL, WHOLE_AT_ROOT, BLOCK_EACH } place;

/* The arguments of a call, as MPI has them. */
typedef struct call {
  const void *send; /* ignored by bcast, whose only buffer is `receive` */
  void *receive;
  size_t count;
  MPI_Datatype type;
  MPI_Op op;
  int root;
  MPI_Comm comm;
} call;

/* A route and what happens to the data on it. Both AUTO: the library's choice. GHZ_MPI_NATIVE: the call of MPI.
 */
typedef struct variant {
  ghz_mpi_algorithm algorithm;
  ghz_mpi_mode mode;
} variant;

enum { MAX_VARIANTS = 32 };

typedef struct collective {
  const char *name;
  place input, result;
  bool reduces;                       /* over all inputs */
  double (*bus_factor)(double ranks); /* busbw / algbw, as nccl-tests define it */
  int (*plain)(const call *c);        /* the call of MPI */
  int (*compressed)(const call *c, const ghz_mpi_options *o);
  ghz_mpi_algorithm algorithms[4]; /* what it has besides AUTO and NATIVE; ends with AUTO */
  variant usual[MAX_VARIANTS];     /* what is measured if nothing is said; ends with AUTO, AUTO */
} collective;

extern const collective tested;

/* ---- options.c ------------------------------------------------------------------------------------ */

typedef enum operation { OP_SUM, OP_AVERAGE, OP_MIN, OP_MAX } operation;

typedef struct options {
  uint64_t least, most, factor; /* bytes of the largest buffer of a rank, and the step between sizes */
  int iterations, warm_up, learn, check, root, threads;
  MPI_Datatype type;
  operation op;
  ghz_bound bound;
  const char *bound_text;
  int of_result;
  const char *field, *field_file, *cache, *csv, *interface;
  bool in_place, breakdown, quick_exit;
  variant variants[MAX_VARIANTS];
  int n_variants;
} options;

enum { GO_ON = -1, EXIT_USAGE = 2 };

/* Reads the command line. Returns GO_ON, or the exit status. */
int options_read(int argc, char **argv, options *o);
size_t type_bytes(const options *o);
const char *type_name(const options *o);
const char *op_name(const options *o);

/* ---- main.c --------------------------------------------------------------------------------------- */

int world_rank(void);
int world_size(void);
/* A message on stderr from this rank, and the end of all of them. */
_Noreturn void die(const char *what, const char *detail);
/* Memory that has been written to, so that page faults are not measured. */
void *touched(size_t bytes);
/* Waits for the other ranks without taking the processor from those that still work. */
void patient_barrier(void);

/* ---- variants.c ----------------------------------------------------------------------------------- */

bool variants_usual(options *o);
/* Every listed algorithm (ring, or ring/plain to name its mode) with every listed mode; NULL: all that there
 * are. False: said why. */
bool variants_listed(options *o, const char *algorithms, const char *modes);
bool is_native(variant v);

/* ---- input.c -------------------------------------------------------------------------------------- */

bool field_exists(const char *name);
/* This rank's input, `count` values of the type of the options; other data on each rank. All ranks call it,
 * with count 0 where there is no input; then NULL. */
void *input_make(const options *o, size_t count);

/* ---- job.c ---------------------------------------------------------------------------------------- */

/* One size: the buffers of this rank and what is in them. */
typedef struct job {
  const options *options;
  size_t total, block; /* values of a whole; of a block of it, 0 where the collective has no blocks */
  const char *input;   /* of this rank, or NULL */
  size_t input_count;
  char *receive;     /* what calls write to */
  MPI_Comm comms[2]; /* for the variants whose route is fixed; for those that choose */
} job;

/* The size in values that comes nearest to `bytes`. */
size_t job_values(const options *o, uint64_t bytes);
/* The count argument. */
size_t job_count(const job *j);
/* Values that this rank gives; that the result has here. */
size_t job_input_count(const options *o, size_t total);
size_t job_result_count(const job *j);
/* Fills the buffers anew, poisoned where the result is to be, and says how the call has to be made. */
call job_call(const job *j, bool chooses);
const void *job_result(const job *j);
/* First value and number of values of a rank's share of the whole. */
size_t share_first(size_t total, int rank);
size_t share_count(size_t total, int rank);

/* ---- reference.c ---------------------------------------------------------------------------------- */

/* Exact values of this rank's share of the result, high + low; NULL if nothing is to be checked. */
typedef struct reference {
  double *high, *low;
  double least, most; /* finite values of all inputs */
  double promise;     /* what a compressed result may be off by */
} reference;

reference reference_make(const job *j);
void reference_free(reference *r);
double value_at(const options *o, const void *values, size_t i);

/* Values of a share that begin at `first` in it. */
typedef void piece_taker(void *user, size_t first, const void *values, size_t count);

/* Hands every rank its share of the whole that rank `from` has. All ranks call it. */
void deliver_shares(const job *j, const void *whole, int from, piece_taker *take, void *user);
/* Values that travel together, of `count` from `at` on. */
int piece_count(size_t count, size_t at);

/* ---- check.c -------------------------------------------------------------------------------------- */

typedef enum sameness { SAME_UNKNOWN, SAME, SAME_NOT, SAME_OTHER } sameness;

typedef struct verdict {
  bool done, compressed, inexact; /* by the reports */
  bool promised;                  /* the library promised the same bits */
  double error;                   /* the largest */
  uint64_t wrong;                 /* values that are off by more than they may */
  sameness same; /* bits on all ranks; OTHER: but not those of the other homomorphic variants */
  uint64_t bits; /* a hash of the results of all ranks */
} verdict;

/* All ranks call it, after the call that the report is about; `report` NULL: the call of MPI. */
verdict check_result(const job *j, const reference *r, variant v, const ghz_mpi_report *report);
/* Compares the bits of variants that are to give the same. */
void check_across(const options *o, verdict *verdicts);

/* ---- measure.c ------------------------------------------------------------------------------------ */

enum figure {
  RAW_BYTES,
  SENT_BYTES,
  MESSAGES,
  WIRE_SENT,
  WIRE_RECEIVED,
  CPU,
  AGREE,
  COMPRESS,
  COMBINE,
  DECOMPRESS,
  WAIT,
  FIGURES
};

/* What was found out about a variant at a size. */
typedef struct finding {
  bool failed; /* the call returned an error, which has been printed */
  ghz_mpi_algorithm algorithm;
  ghz_mpi_mode mode;
  double chosen;                       /* the share of the rounds that these two were used in */
  double median, least, most;          /* seconds of the slowest rank */
  double sum[FIGURES], worst[FIGURES]; /* per call: over all ranks, and of the worst one */
  verdict verdict;
} finding;

void measure(const job *j, const reference *r, finding *findings);

/* ---- wire.c --------------------------------------------------------------------------------------- */

typedef struct wire {
  double sent, received; /* bytes */
} wire;

/* Counters of a network interface, as the kernel has them; zeros without a name. */
wire wire_read(const char *interface);

/* ---- report.c ------------------------------------------------------------------------------------- */

void report_head(const options *o);
void report_size(const job *j, const reference *r, const finding *findings);
/* Returns the exit status. */
int report_foot(const options *o);

#endif
