/* stacking.h: what the parts of ghz_stacking share: options, snapshots, the ways of stacking, their quality. */
#ifndef GHZ_STACKING_H
#define GHZ_STACKING_H

#include <ghz_mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXIT_USAGE = 2, SIZE_MOST = 1024, MODES_MOST = 8, WAYS_MOST = MODES_MOST + 2, REPEAT_MOST = 101 };

typedef struct options {
  size_t size;         /* edge of the snapshots; 0: that of the first file */
  int per_rank, total; /* snapshots of each rank, or of all (0: per_rank counts) */
  char **files;
  int n_files;
  size_t shift; /* cells between snapshots that are made of the same file */
  double noise; /* standard deviation, as a part of the range of the field */
  ghz_bound bound;
  int of_result, average, threads, repeat;
  ghz_mpi_algorithm algorithm;
  ghz_mpi_mode modes[MODES_MOST];
  int n_modes;
  const char *out, *csv; /* folder of the pictures; file of the figures; NULL: none */
} options;

/* ---- options.c --------------------------------------------------------------------------------------- */

enum { GO_ON = -1 };

/* Reads the command line. Returns GO_ON, or the exit status; only rank 0 prints. */
int options_read(int argc, char **argv, options *o);

/* A line on stderr: "ghz_stacking: ...". Returns false. */
__attribute__((format(printf, 1, 2))) bool complain(const char *format, ...);

/* The rank in, and the size of, MPI_COMM_WORLD. */
int my_rank(void);
int ranks(void);

/* True if it is true on every rank. */
bool all_true(bool mine);

/* ---- input.c: the fields that snapshots are made of, on rank 0 ----------------------------------------- */

typedef struct inputs {
  const options *options;
  size_t size; /* their edge */
  int count;
} inputs;

/* Looks at the files; or will make a wave at so many moments. False: said why. */
bool inputs_open(inputs *in, const options *o, int moments);

/* Has the values only during the call. */
typedef void (*field_taker)(void *taker, const float *values);

/* Hands over field after field. False: said why, after fewer than `count`. */
bool inputs_each(const inputs *in, field_taker take, void *taker);

/* ---- snapshots.c ------------------------------------------------------------------------------------- */

typedef struct snapshots {
  size_t size, n;   /* edge, values of one */
  int total;        /* on all ranks */
  int first, count; /* those of this rank */
  float *values;    /* `count` of them, one behind the other */
  double min, max;  /* of all ranks' finite values */
} snapshots;

/* Collective. False on every rank: one of them said why, nothing to free. */
bool snapshots_make(snapshots *s, const options *o);

/* ---- quality.c --------------------------------------------------------------------------------------- */

/* The exact stack, on rank 0. */
typedef struct exact_stack {
  double *values; /* NULL elsewhere */
  size_t n;
  double min, max; /* of its finite values */
  double slack;    /* how far rounding may have taken the double sums from the exact ones */
} exact_stack;

typedef struct quality {
  double max_error, rmse, psnr, nrmse;
  uint64_t wrong; /* values beyond the bound, and NaN or infinities that are not where they belong */
  uint64_t hash;  /* XXH3 of the bytes */
} quality;

/* Collective. */
bool exact_make(exact_stack *e, const snapshots *s, const options *o);

/* What the stack y is worth if its values may be off by `bound` and, where `rounded`, half a unit in the last
 * place. Infinity: nothing is promised. Rank 0. */
quality quality_of(const exact_stack *e, const float *y, double bound, bool rounded);

uint64_t hash_of(const float *y, size_t n);

/* Draws a section through the middle: exact, stacked, error. Rank 0. */
bool quality_draw(const exact_stack *e, const float *y, size_t size, const char *path, double scale);

/* ---- stack.c ----------------------------------------------------------------------------------------- */

/* A report as numbers, so that ranks can be summed. */
enum { PART_AGREE, PART_COMPRESS, PART_COMBINE, PART_DECOMPRESS, PART_WAIT, PART_OTHER, PARTS };
extern const char *const part_names[PARTS];

/* One way of stacking, and what came of it; the latter on rank 0. */
typedef struct way {
  const char *name;
  bool native; /* the MPI call itself */
  ghz_mpi_algorithm algorithm;
  ghz_mpi_mode mode;
  double seconds[REPEAT_MOST];         /* of the slowest rank, ascending at the end */
  ghz_mpi_report reports[REPEAT_MOST]; /* of this rank */
  int median;                          /* the repetition whose time is the median */
  ghz_mpi_report report;               /* of that repetition */
  double mean[PARTS], most[PARTS];     /* over the ranks, seconds */
  double raw_bytes, sent_bytes;        /* of all ranks */
  bool compressed;
  double bound; /* that was asked for, of the stack */
  quality quality;
  bool good; /* same bits on every rank and every time, bound kept */
} way;

/* Runs every way once for its quality, then in turn `repeat` times for the time. Collective. Returns the number
 * of ways; 0 if memory or a picture failed. */
int stack_run(way ways[WAYS_MOST], const snapshots *s, const exact_stack *e, const options *o);

/* ---- report.c ---------------------------------------------------------------------------------------- */

void report_print(const way *ways, int n, const snapshots *s, const options *o);
bool report_csv(const way *ways, int n, const snapshots *s, const options *o);

#endif
