/* ring.c: rings: every rank sends to the next one and receives from the one before; and lines: a
 * chain, which is a ring that is cut before the root, and the root to every other rank.
 *
 * A sum for owner o starts at rank o + 1, gathers what the ranks on its way give, and is complete
 * at o. Then copies of it go round in the same direction. Position d on such a path sends at round
 * d, so that all links work all the time. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "schedules/schedule.h"

int ghz_ring_segments(int ranks, uint64_t tiles) {
  (void)tiles;
  return ranks;
}

/* One pass over all ranks, from `first` on. */
static void pass(position at, int first, enum step_kind arrival, int round, schedule *s) {
  const int d = (at.rank - first + at.ranks) % at.ranks;
  if (d > 0)
    schedule_add(s, arrival, (at.rank + at.ranks - 1) % at.ranks, (uint32_t)(round + d - 1));
  if (d < at.ranks - 1)
    schedule_add(s, STEP_SEND, (at.rank + 1) % at.ranks, (uint32_t)(round + d));
}

/* One message, unless it has arrived already. */
static void straight(position at, int from, int to, int round, schedule *s) {
  if (at.rank == from && from != to)
    schedule_add(s, STEP_SEND, to, (uint32_t)round);
  if (at.rank == to && from != to)
    schedule_add(s, STEP_RECV, from, (uint32_t)round);
}

void ghz_ring_reduce_scatter(position at, int segment, schedule *s) {
  pass(at, (segment + 1) % at.ranks, STEP_RECV_REDUCE, 0, s);
}

void ghz_ring_allgather(position at, int segment, schedule *s) {
  pass(at, segment, STEP_RECV, 0, s);
}

void ghz_ring_allreduce(position at, int segment, schedule *s) {
  ghz_ring_reduce_scatter(at, segment, s);
  pass(at, segment, STEP_RECV, at.ranks - 1, s);
}

void ghz_ring_reduce(position at, int segment, schedule *s) {
  ghz_ring_reduce_scatter(at, segment, s);
  straight(at, segment, at.root, at.ranks - 1, s);
}

void ghz_linear_scatter(position at, int segment, schedule *s) {
  straight(at, at.root, segment, 0, s);
}

void ghz_linear_gather(position at, int segment, schedule *s) {
  straight(at, segment, at.root, 0, s);
}

void ghz_chain_bcast(position at, int segment, schedule *s) {
  (void)segment;
  pass(at, at.root, STEP_RECV, 0, s);
}
