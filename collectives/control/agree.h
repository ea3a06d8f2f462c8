/* agree.h: what all ranks have to know of each other before a call begins, in one small
 * allreduce. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_AGREE_H
#define GHZ_MPI_AGREE_H

#include "choice/tuner.h"
#include "request/collective.h"

/* What must be the same on all ranks. */
enum identity {
  SAME_CALL,
  SAME_COUNT,
  SAME_SHAPE,
  SAME_TYPE,
  SAME_OPERATION,
  SAME_ROOT,
  SAME_BOUND,
  SAME_FILL,
  SAME_OPTIONS,
  IDENTITIES
};

/* Numbers of ranks, see communicator.c. */
typedef struct ours {
  uint64_t fresh;   /* with other memory than in the call before */
  uint64_t crowded; /* that have too many communicators of ours */
  uint64_t refused; /* to which MPI gave none */
  uint64_t insists; /* whose call MPI cannot make instead */
} ours;

/* What one rank knows, and after ghz_agree, what all ranks know together. */
typedef struct record {
  uint64_t identity[IDENTITIES], most[IDENTITIES]; /* the least and the most of all ranks' */
  int32_t error_class;    /* the error class of a rank that cannot take part; 0: all can */
  int32_t error_rank;     /* the lowest such rank */
  uint64_t contributions; /* sum over the ranks */
  uint64_t devices;       /* number of ranks with device buffers */
  uint64_t placement;     /* which ranks, and which of their buffers: a sum of hashes */
  double min, max;        /* of all finite values, where that is asked: see range.h */
  result_bytes last;      /* of the call before, for the tuner */
  uint64_t isa;           /* the slowest rank's instruction set: see choice/cost.h */
  ours ours;
} record;

/* What this rank knows of a call. */
record ghz_agree_record(const call *c, const result_bytes *last);

/* Combines the records of all ranks, on the program's own communicator. `own` is what is wrong on
 * this rank. Returns an error if there is one on any rank, or if the ranks disagree. Collective:
 * every call on `comm` begins with it, whatever the call. */
error ghz_agree(MPI_Comm comm, record *r, error own);

#endif
