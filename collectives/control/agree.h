/* agree.h: what all ranks have to know of each other before a call begins, in one small allreduce. */
#ifndef GHZ_MPI_AGREE_H
#define GHZ_MPI_AGREE_H

#include <mpi.h>
#include <stdint.h>

/* What must be the same on all ranks. */
enum identity {
  SAME_CALL,
  SAME_COUNT,
  SAME_TYPE,
  SAME_OPERATION,
  SAME_ROOT,
  SAME_BOUND,
  SAME_OPTIONS,
  IDENTITIES
};

/* What a rank says, and after ghz_agree, what all said together. */
typedef struct record {
  uint64_t identity[IDENTITIES];
  uint64_t differing;     /* bit i: not all said the same identity[i] */
  int32_t error_class;    /* a rank that cannot take part says why: an MPI error class; 0: all can */
  int32_t error_rank;     /* the lowest such */
  uint64_t contributions; /* of all together */
  uint64_t devices;       /* ranks with device buffers */
  uint64_t placement;     /* which ones, and which buffers: a sum of hashes */
  double min, max;        /* of all finite values */
  double seconds;         /* that the last call took: of the slowest rank */
  double agreeing;        /* that the agreement before it took: of the rank that waited least */
  double plain_seconds; /* that it would have taken at least without compression, as the least rank believes */
} record;

/* What the MPI side of it needs. */
typedef struct agreement {
  MPI_Datatype type;
  MPI_Op op;
} agreement;

int ghz_agreement_make(agreement *a);
void ghz_agreement_free(agreement *a);

/* Puts all ranks' records together. Collective; every call on `comm` begins with it, whatever the call. */
int ghz_agree(const agreement *a, record *r, MPI_Comm comm);

/* "the ranks disagree on ..."; NULL: they do not. */
const char *ghz_disagreement(const record *r);

#endif
