/* tuner.h: which calls are better made by MPI, and which arrays are better sent without their
 * shape, by how those of the kind compressed before. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_TUNER_H
#define GHZ_MPI_TUNER_H

#include <stdint.h>

enum {
  SHAPED, /* compressed, with the shape if there is one */
  FLAT,   /* compressed without it */
  WAYS,
  BY_MPI = -1,
  KINDS = 32 /* that are remembered, the latest: programs make few kinds of calls */
};

/* Calls of one kind can be expected to compress alike: the same collective, operation, bound and
 * options, the same size up to a factor of 2. Without padding: compared byte by byte. */
typedef struct call_kind {
  uint64_t call, operation, bound, options, size;
} call_kind;

/* Bytes of the results of a call, wherever they were decoded, as values and compressed: the same by
 * any algorithm. All ranks have agreed on them. 0: nothing was compressed. */
typedef struct result_bytes {
  uint64_t values, compressed;
} result_bytes;

typedef struct history {
  call_kind kind;
  uint64_t last_use; /* 0: this entry is empty */
  double part[WAYS]; /* of their bytes that the last result took in this way; 0: unknown */
  unsigned calls;    /* that were not MPI's by `left` */
  int useless;       /* calls on end that compression was worth nothing to */
  int mixed;         /* it has been worth something to others */
  int left;          /* so many of the next calls are MPI's, */
  int rest;          /* and so many were the last time */
} history;

/* One for each communicator. All ranks give it the same numbers, so all choose the same. The clock
 * has no part in it, so all runs do. */
typedef struct tuner {
  history histories[KINDS];
  uint64_t uses;
  history *pending; /* that of the call before, whose bytes the next agreement brings; */
  int way;          /* how that was made, */
  double limit;     /* and the part above which that was worth nothing */
} tuner;

/* Whether the next call of a kind is MPI's without agreement. Counts it. */
int ghz_tuner_rests(tuner *t, const call_kind *k);

/* Chooses the least of max(codec[w] / network, part[w]), what a call costs as a part of what its
 * values cost the network, and of the lesser of both the share `alone`, which waits for the other;
 * or MPI, where no way costs less than 1. A way that no call has taken
 * costs its codec alone, so it is taken once where that may be the least. codec[w] < 0: there is no
 * such way. `network`: seconds; 0: unknown, and all but the worst parts pay. */
int ghz_tuner_pick(tuner *t, const call_kind *k, const double codec[WAYS], double network, double alone);

/* Learns the bytes of the call before. */
void ghz_tuner_learn(tuner *t, const result_bytes *last);

#endif
