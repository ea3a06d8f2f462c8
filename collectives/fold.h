/* fold.h: any number of ranks made a power of two, for the schedules that need one. */
#ifndef GHZ_MPI_FOLD_H
#define GHZ_MPI_FOLD_H

#include "route.h"

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

static inline fold fold_of(place at) {
  int members = fold_members(at.ranks), extra = at.ranks - members;
  int member = at.rank >= 2 * extra ? at.rank - extra : at.rank % 2 ? at.rank / 2 : -1;
  return (fold){members, extra, member};
}

static inline int fold_rank(const fold *f, int member) {
  return member < f->extra ? 2 * member + 1 : member + f->extra;
}

static inline void fold_in(place at, const fold *f, route *r) {
  if (f->member < 0)
    route_add(r, HOP_SEND, at.rank + 1, 0);
  else if (at.rank < 2 * f->extra)
    route_add(r, HOP_MERGE, at.rank - 1, 0);
}

#define FOLD_LAST 100 /* a step behind all others */

static inline void fold_out(place at, const fold *f, route *r) {
  if (f->member < 0)
    route_add(r, HOP_TAKE, at.rank + 1, FOLD_LAST);
  else if (at.rank < 2 * f->extra)
    route_add(r, HOP_SEND, at.rank - 1, FOLD_LAST);
}

#endif
