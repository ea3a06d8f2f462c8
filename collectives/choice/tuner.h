/* tuner.h: which algorithm, and whether to compress: by what calls like this one took before. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_TUNER_H
#define GHZ_MPI_TUNER_H

#include <stdint.h>

#include <ghz/mpi.h>

/* A way to make a call. */
typedef struct variant {
  ghz_mpi_algorithm algorithm;
  ghz_mpi_mode mode;
  int flat; /* compresses without the shape */
} variant;

enum {
  VARIANTS = 8, /* the most that a call has */
  RECENT = 8,   /* times that are kept of each: they tell close ones apart, and follow a change */
  KINDS = 32    /* that are remembered, the latest: programs make few kinds of calls */
};

/* Calls of one kind can be expected to take the same time: the same collective, operation, bound
 * and options, the same size up to a factor of 2. Without padding: compared byte by byte. */
typedef struct call_kind {
  uint64_t call, operation, bound, options, size, placement;
} call_kind;

/* What a variant took: the last times, in seconds, of the slowest rank. */
typedef struct experience {
  unsigned trials;
  double recent[RECENT];
} experience;

/* How long a call took. All ranks have agreed on the numbers. */
typedef struct timing {
  double seconds;  /* of the slowest rank, without the agreement */
  double agreeing; /* the agreement, on the rank that waited least */
  /* The least that the call would have taken without compression, by the lowest estimate of a
   * rank. */
  double plain_seconds;
  uint64_t raw, sent; /* bytes, of all ranks */
  /* Bytes of the results, wherever they were decoded, as values and compressed: the same by any
   * algorithm. 0: nothing was compressed. */
  uint64_t result, result_compressed;
} timing;

/* What compression is worth to a kind of calls, by the bytes of results alone. */
typedef struct worth {
  unsigned useless; /* calls on end that compression was worth nothing to */
  int mixed;        /* it has been worth something to others */
  unsigned spared;  /* so many of the next calls go uncompressed */
} worth;

typedef struct history {
  call_kind kind;
  uint64_t last_use; /* 0: this entry is empty */
  int count;
  variant variants[VARIANTS];
  experience experience[VARIANTS];
  double plain_seconds;   /* the least that a call takes without compression; 0: unknown */
  double ratio[VARIANTS]; /* of the last call; 0: unknown */
  worth worth;
  unsigned calls;
  unsigned bypasses; /* so many of the next calls go to MPI without agreement */
} history;

/* One for each communicator. All ranks give it the same numbers, so all select the same. */
typedef struct tuner {
  history histories[KINDS];
  uint64_t clock;
  history *pending; /* that of the call before, whose time the next agreement brings */
  int pending_variant;
  int by_bytes;    /* that call counts by its bytes, not by its time */
  int settled;     /* that call was made in the best way known, not as a trial */
  int has_devices; /* a rank has had device buffers: no call bypasses the agreement any more */
} tuner;

/* Chooses one of n variants, the likeliest first, and expects to learn what it took. Returns its
 * index. Calls of one kind always have the same variants. */
int ghz_tuner_pick(tuner *t, const call_kind *k, const variant *variants, int n);

/* The same where the speed of the network is known: the least of max(codec[i], network / ratio), in
 * seconds, the ratio that of the last call. One that no call has made counts with its codec alone,
 * so it is made once where that may be the least, and again from time to time. The clock has no
 * part in it. */
int ghz_tuner_pick_by_bytes(tuner *t, const call_kind *k, const variant *variants, int n, const double *codec,
                            double network);

/* Whether a call of this kind goes uncompressed, because compression was worth nothing to those
 * before; the clock has no part in it. */
int ghz_tuner_spares(const tuner *t, const call_kind *k);

/* Counts a call that goes uncompressed for that reason. */
void ghz_tuner_spare(tuner *t, const call_kind *k);

/* Learns what the variant took that was chosen last. */
void ghz_tuner_learn(tuner *t, const timing *took);

/* Whether a call of this kind goes to MPI without agreement: MPI is fastest, and the agreement
 * would cost more than 1 % of the call. Counts the call as one that was let through. */
int ghz_tuner_bypasses(tuner *t, const call_kind *k);

#endif
