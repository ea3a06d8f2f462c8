/* tuner.h: which algorithm, and whether to compress: by what calls like this one took before. */
#ifndef GHZ_MPI_TUNER_H
#define GHZ_MPI_TUNER_H

#include <stdint.h>

#include "ghz_mpi.h"

enum { VARIANTS = 8, RECENT = 8, KINDS = 32 };

/* A way to do a call. */
typedef struct variant {
  ghz_mpi_algorithm algorithm;
  ghz_mpi_mode mode;
} variant;

/* What it took: the last times, in seconds, of the slowest rank. */
typedef struct timings {
  unsigned trials;
  double recent[RECENT];
} timings;

/* Calls of one kind: the same collective, type, operation, bound and size up to a factor of 2. */
typedef struct call_kind {
  uint64_t key, last_use;
  int count;
  variant variants[VARIANTS];
  timings timings[VARIANTS];
  double plain_seconds; /* at least, for what is not compressed; 0: not known */
  unsigned calls;
  unsigned bypasses; /* so many of the next calls go to MPI without asking anybody */
} call_kind;

/* One per communicator. All ranks feed it the same numbers, so that all make the same tuner. */
typedef struct tuner {
  call_kind kinds[KINDS];
  uint64_t clock;
  call_kind *pending; /* the class of the last call, whose time the next agreement brings */
  int pending_variant;
  int was_best; /* it was what is best, not a trial */
} tuner;

/* Picks one of n variants, the likeliest first, and expects to be told what it took. Returns its index. The same key always
 * comes with the same variants. */
int ghz_tuner_pick(tuner *c, uint64_t key, const variant *variants, int n);

/* Whether a call of this kind goes bypasses to MPI, without any agreement: MPI was found to be the best by far too little time
 * to spend some of it on agreeing. Counts as one of the calls for which that was decided. */
int ghz_tuner_bypasses(tuner *c, uint64_t key);

/* What the last choice took, and the agreement before it, and what it would have taken at least without compression (0: not known). */
void ghz_tuner_record(tuner *c, double seconds, double agreeing, double plain_seconds);

#endif
