/* schedule.h: what one rank does with one segment of an array, round by round: the form that every
 * schedule has. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_SCHEDULE_H
#define GHZ_MPI_SCHEDULE_H

#include <stdint.h>

enum step_kind {
  STEP_SEND,        /* send what is here to `peer` */
  STEP_RECV,        /* receive from `peer`: it replaces what is here */
  STEP_RECV_REDUCE, /* receive from `peer`: it is added to what is here, the rank's own contribution if nothing else */
};

/* `round` is the same number at both ends of a message; it orders a rank's work, and grows along
 * every schedule. */
typedef struct step {
  enum step_kind kind;
  int peer;
  uint32_t round;
} step;

#define SCHEDULE_MAX_STEPS 100 /* 31 exchanges, folding in and out, 31 children of a tree: all below */

typedef struct schedule {
  unsigned length;
  step *steps; /* room for SCHEDULE_MAX_STEPS while it is built */
} schedule;

static inline void schedule_add(schedule *s, enum step_kind kind, int peer, uint32_t round) {
  s->steps[s->length++] = (step){kind, peer, round};
}

/* Where a rank stands: enough to find its schedule without knowing anything of the others. */
typedef struct position {
  int rank, ranks, root, segments;
} position;

/* Sets the schedule of a segment. `segment` is its number: the block of a rank where arrays are
 * made of blocks. */
typedef void (*schedule_builder)(position at, int segment, schedule *s);

/* The number of segments that an array is cut into is that of ranks for rings,
 * ghz_halving_segments for halving, and 1 for all else. Halving with one is recursive doubling. */
void ghz_ring_reduce_scatter(position at, int segment, schedule *s); /* block s ends at rank s */
void ghz_ring_allgather(position at, int segment, schedule *s);      /* block s begins at rank s */
void ghz_ring_allreduce(position at, int segment, schedule *s);
void ghz_ring_reduce(position at, int segment, schedule *s);
void ghz_halving_allreduce(position at, int segment, schedule *s);
int ghz_ring_segments(int ranks, uint64_t tiles);
int ghz_halving_segments(int ranks, uint64_t tiles);
void ghz_tree_reduce(position at, int segment, schedule *s);
void ghz_tree_bcast(position at, int segment, schedule *s);
void ghz_tree_scatter(position at, int segment, schedule *s);
void ghz_tree_gather(position at, int segment, schedule *s);
void ghz_chain_bcast(position at, int segment, schedule *s);
void ghz_linear_scatter(position at, int segment, schedule *s);
void ghz_linear_gather(position at, int segment, schedule *s);

#endif
