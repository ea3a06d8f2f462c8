/* halving.c: recursive doubling and halving, in which ranks that differ in a bit exchange; ranks beyond
 * the largest power of two are folded in first. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "schedules/schedule.h"

/* Of the first 2 * extra ranks the even ones hand theirs to the odd ones, and get the result in the
 * end. */
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

/* ---- Doubling -------------------------------------------------------------------------------- */

/* In round k, ranks that differ in bit k exchange the sums that they have. */
void ghz_doubling_allreduce(position at, int segment, schedule *s) {
  fold f = fold_of(at);
  (void)segment;
  fold_in(at, &f, s);
  uint32_t round = 1;
  for (int bit = 1; f.member >= 0 && bit < f.members; bit *= 2, round++) {
    int peer = fold_rank(&f, f.member ^ bit);
    schedule_add(s, STEP_SEND, peer, round);
    schedule_add(s, STEP_RECV_REDUCE, peer, round);
  }
  fold_out(at, &f, s);
}

/* ---- Halving --------------------------------------------------------------------------------- */

/* Segment s is summed at member s and spreads from there again. In a halving round two members
 * share the segments that both hold: each keeps those that agree with it in one more bit of the
 * segment's number. Doubling runs the same rounds backwards, with copies of the finished sums. */

int ghz_halving_segments(int ranks) {
  return fold_members(ranks);
}

/* Returns the round that follows. */
static uint32_t halve(const fold *f, int segment, schedule *s) {
  uint32_t round = 1;
  int here = 1;
  for (int bit = f->members / 2; bit; bit /= 2, round++) {
    int peer = fold_rank(f, f->member ^ bit);
    if (here)
      schedule_add(s, (segment ^ f->member) & bit ? STEP_SEND : STEP_RECV_REDUCE, peer, round);
    here = here && !((segment ^ f->member) & bit);
  }
  return round;
}

static void double_up(const fold *f, int segment, uint32_t round, schedule *s) {
  int apart = segment ^ f->member;
  for (int bit = 1; bit < f->members; bit *= 2, round++) {
    int peer = fold_rank(f, f->member ^ bit);
    if (apart < bit)
      schedule_add(s, STEP_SEND, peer, round);
    else if (apart < 2 * bit)
      schedule_add(s, STEP_RECV, peer, round);
  }
}

void ghz_halving_allreduce(position at, int segment, schedule *s) {
  fold f = fold_of(at);
  fold_in(at, &f, s);
  if (f.member >= 0)
    double_up(&f, segment, halve(&f, segment, s), s);
  fold_out(at, &f, s);
}
