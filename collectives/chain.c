/* chain.c: schedules without a tree: from rank to rank, or straight between the root and everybody. */

#include "route.h"

void ghz_chain_bcast(place at, int segment, route *r) {
  int v = (at.rank - at.root + at.ranks) % at.ranks;
  (void)segment;
  if (v > 0)
    route_add(r, HOP_TAKE, (at.rank + at.ranks - 1) % at.ranks, (uint32_t)v - 1);
  if (v < at.ranks - 1)
    route_add(r, HOP_SEND, (at.rank + 1) % at.ranks, (uint32_t)v);
}

void ghz_straight_scatter(place at, int segment, route *r) {
  if (at.rank == at.root && segment != at.root)
    route_add(r, HOP_SEND, segment, 0);
  if (at.rank != at.root && segment == at.rank)
    route_add(r, HOP_TAKE, at.root, 0);
}

void ghz_straight_gather(place at, int segment, route *r) {
  if (at.rank != at.root && segment == at.rank)
    route_add(r, HOP_SEND, at.root, 0);
  if (at.rank == at.root && segment != at.root)
    route_add(r, HOP_TAKE, segment, 0);
}
