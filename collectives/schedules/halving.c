/* halving.c: recursive halving, then doubling, the nearest peer first: ranks of a node stand beside
 * each other, so that little is left of an array when it goes from node to node.
 *
 * In a halving round two members share the segments that both hold: each keeps those that agree
 * with it in one more bit of the segment's number. Where there are fewer segments than members,
 * what is left is one segment, which goes whole in the rounds that follow: members exchange the
 * sums that they have, as in recursive doubling, which is this with one segment. Then the halving
 * rounds run backwards, with copies of the finished sums.
 *
 * Ranks beyond the largest power of two are folded in first: of the first 2 * extra ranks, the even
 * ones hand theirs to the odd ones, and get the result in the end. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "schedules/schedule.h"

typedef struct fold {
  int members; /* the largest power of two that is not larger than the number of ranks */
  int extra;   /* ranks beyond it */
  int member;  /* the number of this rank among the members; -1: it is folded into the next rank */
} fold;

static fold fold_of(int rank, int ranks) {
  const int members = 1 << (31 - __builtin_clz((unsigned)ranks)), extra = ranks - members;
  return (fold){members, extra, rank >= 2 * extra ? rank - extra : rank % 2 ? rank / 2 : -1};
}

static int rank_of(const fold *f, int member) {
  return member < f->extra ? 2 * member + 1 : member + f->extra;
}

/* The step of a rank that is folded in, and that of the one that takes it in. */
static void exchange(position at, const fold *f, enum step_kind folded, enum step_kind host, uint32_t round,
                     schedule *s) {
  if (f->member < 0)
    schedule_add(s, folded, at.rank + 1, round);
  else if (at.rank < 2 * f->extra)
    schedule_add(s, host, at.rank - 1, round);
}

int ghz_halving_segments(int ranks, uint64_t tiles) {
  enum { TILES = 2 }; /* of a segment, at least: below, a message costs more than its bytes */
  int segments = fold_of(0, ranks).members;
  while (segments > 1 && tiles / TILES < (uint64_t)segments)
    segments /= 2;
  return segments;
}

void ghz_halving_allreduce(position at, int segment, schedule *s) {
  const fold f = fold_of(at.rank, at.ranks);
  const int apart = (segment ^ f.member) & (at.segments - 1);
  uint32_t round = 1;
  exchange(at, &f, STEP_SEND, STEP_RECV_REDUCE, 0, s);
  for (int bit = 1; f.member >= 0 && bit < f.members; bit *= 2, round++) {
    const int peer = rank_of(&f, f.member ^ bit), whole = bit >= at.segments;
    if (apart & (bit - 1)) /* another member has taken it */
      continue;
    if (whole || apart & bit)
      schedule_add(s, STEP_SEND, peer, round);
    if (whole || !(apart & bit))
      schedule_add(s, STEP_RECV_REDUCE, peer, round);
  }
  for (int bit = at.segments / 2; f.member >= 0 && bit; bit /= 2, round++) {
    const int peer = rank_of(&f, f.member ^ bit);
    if (!(apart & (2 * bit - 1)))
      schedule_add(s, STEP_SEND, peer, round);
    else if (!(apart & (bit - 1)))
      schedule_add(s, STEP_RECV, peer, round);
  }
  exchange(at, &f, STEP_RECV, STEP_SEND, 2 * 31 + 1, s); /* later than any exchange of members */
}
