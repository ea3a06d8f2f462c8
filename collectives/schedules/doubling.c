/* doubling.c: recursive doubling: in round k, ranks that differ in bit k exchange the sums that
 * they have.
 *
 * Ranks beyond the largest power of two are folded in first: of the first 2 * extra ranks, the even
 * ones hand theirs to the odd ones, and get the result in the end. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "schedules/fold.h"

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
