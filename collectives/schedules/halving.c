/* halving.c: recursive halving, then doubling: segment s is summed at member s and spreads from
 * there again.
 *
 * In a halving round two members share the segments that both hold: each keeps those that agree
 * with it in one more bit of the segment's number. Doubling runs the same rounds backwards, with
 * copies of the finished sums. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "schedules/fold.h"

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
