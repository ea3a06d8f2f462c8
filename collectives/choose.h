/* choose.h: which algorithm, and whether to compress: by what calls like this one took before. */
#ifndef GHZ_MPI_CHOOSE_H
#define GHZ_MPI_CHOOSE_H

#include <stdint.h>

#include "ghz_mpi.h"

enum { CANDIDATES = 8, RECENT = 8, CLASSES = 32 };

/* A way to do a call. */
typedef struct candidate {
  ghz_mpi_algorithm algorithm;
  ghz_mpi_mode mode;
} candidate;

/* What it took: the last times, in seconds, of the slowest rank. */
typedef struct experience {
  unsigned trials;
  double recent[RECENT];
} experience;

/* Calls of one kind: the same collective, type, operation, bound and size up to a factor of 2. */
typedef struct call_class {
  uint64_t key, last_use;
  int count;
  candidate candidates[CANDIDATES];
  experience experience[CANDIDATES];
  double plain_seconds; /* at least, for what is not compressed; 0: not known */
  unsigned calls;
  unsigned straight; /* so many of the next calls go to MPI without asking anybody */
} call_class;

/* One per communicator. All ranks feed it the same numbers, so that all make the same choices. */
typedef struct choices {
  call_class classes[CLASSES];
  uint64_t clock;
  call_class *pending; /* the class of the last call, whose time the next agreement brings */
  int pending_candidate;
  int settled; /* it was what is best, not a trial */
} choices;

/* Picks one of n candidates, the likeliest first, and expects to be told what it took. Returns its index. The same key always
 * comes with the same candidates. */
int ghz_choose(choices *c, uint64_t key, const candidate *candidates, int n);

/* Whether a call of this kind goes straight to MPI, without any agreement: MPI was found to be the best by far too little time
 * to spend some of it on agreeing. Counts as one of the calls for which that was decided. */
int ghz_choice_is_straight(choices *c, uint64_t key);

/* What the last choice took, and the agreement before it, and what it would have taken at least without compression (0: not known). */
void ghz_choice_took(choices *c, double seconds, double agreeing, double plain_seconds);

#endif
