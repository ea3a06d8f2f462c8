/* ring.c: rings: every rank sends to the next one and receives from the one before.
 *
 * A sum for owner o starts at rank o + 1, gathers what the ranks on its way give, and is complete at o. Then
 * copies of it go round in the same direction. Position d on such a path sends at step d, so that all links
 * work all the time.
 */

#include "route.h"

int ghz_ring_segments(int ranks) {
  return ranks;
}

static int next(place at) {
  return (at.rank + 1) % at.ranks;
}

static int previous(place at) {
  return (at.rank + at.ranks - 1) % at.ranks;
}

static int distance(int from, int to, int ranks) {
  return (to - from + ranks) % ranks;
}

/* One pass over all ranks, from `first` on. */
static void pass(place at, int first, enum hop_kind arrival, int step, route *r) {
  int d = distance(first, at.rank, at.ranks);
  if (d > 0)
    route_add(r, arrival, previous(at), (uint32_t)(step + d - 1));
  if (d < at.ranks - 1)
    route_add(r, HOP_SEND, next(at), (uint32_t)(step + d));
}

void ghz_ring_reduce_scatter(place at, int segment, route *r) {
  pass(at, (segment + 1) % at.ranks, HOP_MERGE, 0, r);
}

void ghz_ring_allgather(place at, int segment, route *r) {
  pass(at, segment, HOP_TAKE, 0, r);
}

void ghz_ring_allreduce(place at, int segment, route *r) {
  ghz_ring_reduce_scatter(at, segment, r);
  pass(at, segment, HOP_TAKE, at.ranks - 1, r);
}

void ghz_ring_reduce(place at, int segment, route *r) {
  ghz_ring_reduce_scatter(at, segment, r);
  if (segment == at.root)
    return;
  if (at.rank == segment)
    route_add(r, HOP_SEND, at.root, (uint32_t)at.ranks - 1);
  if (at.rank == at.root)
    route_add(r, HOP_TAKE, segment, (uint32_t)at.ranks - 1);
}
