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

static int next(position at) {
  return (at.rank + 1) % at.ranks;
}

static int previous(position at) {
  return (at.rank + at.ranks - 1) % at.ranks;
}

static int distance(int from, int to, int ranks) {
  return (to - from + ranks) % ranks;
}

/* One pass over all ranks, from `first` on. */
static void pass(position at, int first, enum step_kind arrival, int round, schedule *s) {
  int d = distance(first, at.rank, at.ranks);
  if (d > 0)
    schedule_add(s, arrival, previous(at), (uint32_t)(round + d - 1));
  if (d < at.ranks - 1)
    schedule_add(s, STEP_SEND, next(at), (uint32_t)(round + d));
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
  if (segment == at.root)
    return;
  if (at.rank == segment)
    schedule_add(s, STEP_SEND, at.root, (uint32_t)at.ranks - 1);
  if (at.rank == at.root)
    schedule_add(s, STEP_RECV, segment, (uint32_t)at.ranks - 1);
}

void ghz_linear_scatter(position at, int segment, schedule *s) {
  if (at.rank == at.root && segment != at.root)
    schedule_add(s, STEP_SEND, segment, 0);
  if (at.rank != at.root && segment == at.rank)
    schedule_add(s, STEP_RECV, at.root, 0);
}

void ghz_linear_gather(position at, int segment, schedule *s) {
  if (at.rank != at.root && segment == at.rank)
    schedule_add(s, STEP_SEND, at.root, 0);
  if (at.rank == at.root && segment != at.root)
    schedule_add(s, STEP_RECV, segment, 0);
}

void ghz_chain_bcast(position at, int segment, schedule *s) {
  int v = (at.rank - at.root + at.ranks) % at.ranks;
  (void)segment;
  if (v > 0)
    schedule_add(s, STEP_RECV, (at.rank + at.ranks - 1) % at.ranks, (uint32_t)v - 1);
  if (v < at.ranks - 1)
    schedule_add(s, STEP_SEND, (at.rank + 1) % at.ranks, (uint32_t)v);
}
