/* fold.h: any number of ranks made a power of two, for the schedules that need one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_FOLD_H
#define GHZ_MPI_FOLD_H

#include "schedules/schedule.h"

typedef struct fold {
  int members; /* the largest power of two that is not larger than the number of ranks */
  int extra;   /* ranks beyond it */
  int member;  /* the number of this rank among the members; -1: it is folded into the next rank */
} fold;

static inline int fold_members(int ranks) {
  int m = 1;
  while (m <= ranks / 2)
    m *= 2;
  return m;
}

static inline fold fold_of(position at) {
  int members = fold_members(at.ranks), extra = at.ranks - members;
  int member = at.rank >= 2 * extra ? at.rank - extra : at.rank % 2 ? at.rank / 2 : -1;
  return (fold){members, extra, member};
}

static inline int fold_rank(const fold *f, int member) {
  return member < f->extra ? 2 * member + 1 : member + f->extra;
}

static inline void fold_in(position at, const fold *f, schedule *s) {
  if (f->member < 0)
    schedule_add(s, STEP_SEND, at.rank + 1, 0);
  else if (at.rank < 2 * f->extra)
    schedule_add(s, STEP_RECV_REDUCE, at.rank - 1, 0);
}

#define FOLD_LAST_ROUND 100 /* a round behind all others */

static inline void fold_out(position at, const fold *f, schedule *s) {
  if (f->member < 0)
    schedule_add(s, STEP_RECV, at.rank + 1, FOLD_LAST_ROUND);
  else if (at.rank < 2 * f->extra)
    schedule_add(s, STEP_SEND, at.rank - 1, FOLD_LAST_ROUND);
}

#endif
