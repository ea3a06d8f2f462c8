/* agree.h: what all ranks have to know of each other before a call begins, in one small
 * allreduce. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_AGREE_H
#define GHZ_MPI_AGREE_H

#include "control/collective.h"
#include "control/tuner.h"

/* What must be the same on all ranks. */
enum identity {
  SAME_CALL,
  SAME_COUNT,
  SAME_SHAPE,
  SAME_TYPE,
  SAME_OPERATION,
  SAME_ROOT,
  SAME_BOUND,
  SAME_OPTIONS,
  IDENTITIES
};

/* Dims and extents: a ghz_shape without padding. */
typedef struct extents {
  uint64_t of[4];
} extents;

/* What one rank knows, and after ghz_agree, what all ranks know together. */
typedef struct record {
  uint64_t identity[IDENTITIES];
  uint64_t differing;     /* bit i: not all ranks have the same identity[i] */
  extents least, most;    /* the first and last shape of all ranks', by dims, then extents */
  int32_t error_class;    /* the error class of a rank that cannot take part; 0: all can */
  int32_t error_rank;     /* the lowest such rank */
  uint64_t contributions; /* sum over the ranks */
  uint64_t devices;       /* number of ranks with device buffers */
  uint64_t placement;     /* which ranks, and which of their buffers: a sum of hashes */
  double min, max;        /* of all finite values, in the second agreement */
  timing last;            /* of the call before, for the tuner */
} record;

/* The datatype and the operation of the allreduce. */
typedef struct agreement {
  MPI_Datatype type;
  MPI_Op op;
} agreement;

/* Return error codes of MPI. */
int ghz_agreement_make(agreement *a);
void ghz_agreement_free(agreement *a);

/* What this rank knows of a call. */
record ghz_agree_record(const call *c, const timing *last);

/* Combines the records of all ranks, on our duplicate of the communicator. `own` is what is wrong
 * on this rank. Returns an error if there is one on any rank, or if the ranks disagree. Collective:
 * every call on `comm` begins with it, whatever the call. */
error ghz_agree(const agreement *a, MPI_Comm comm, record *r, error own);

#endif
