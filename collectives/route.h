/* route.h: what one rank does with one segment of an array, step by step: the form that every schedule has. */
#ifndef GHZ_MPI_ROUTE_H
#define GHZ_MPI_ROUTE_H

#include <stdint.h>

enum hop_kind {
  HOP_SEND,  /* send what is here to `peer` */
  HOP_TAKE,  /* receive from `peer`: it replaces what is here */
  HOP_MERGE, /* receive from `peer`: it is added to what is here, the rank's own contribution if nothing else */
};

/* `step` is the same number at both ends of a message; it orders a rank's work, and grows along every route. */
typedef struct hop {
  enum hop_kind kind;
  int peer;
  uint32_t step;
} hop;

#define ROUTE_HOPS 100             /* 31 exchanges, folding in and out, 31 children of a tree: all below */
#define ROUTE_LAST_STEP UINT32_MAX /* later than any step */

typedef struct route {
  unsigned length;
  hop hops[ROUTE_HOPS];
} route;

static inline void route_add(route *r, enum hop_kind kind, int peer, uint32_t step) {
  r->hops[r->length++] = (hop){kind, peer, step};
}

/* Where a rank stands: enough to find its route without knowing anything of the others. */
typedef struct place {
  int rank, ranks, root;
} place;

/* Sets the route of a segment. `segment` is its number: the block of a rank where arrays are made of blocks. */
typedef void (*schedule)(place at, int segment, route *r);

/* One file each. The number of segments that an array is cut into is that of ranks for rings,
 * ghz_halving_segments for halving, and 1 for all else. */
void ghz_ring_reduce_scatter(place at, int segment, route *r); /* block s ends at rank s */
void ghz_ring_allgather(place at, int segment, route *r);      /* block s begins at rank s */
void ghz_ring_allreduce(place at, int segment, route *r);
void ghz_ring_reduce(place at, int segment, route *r);
void ghz_doubling_allreduce(place at, int segment, route *r);
void ghz_halving_allreduce(place at, int segment, route *r);
int ghz_ring_segments(int ranks);
int ghz_halving_segments(int ranks);
void ghz_tree_reduce(place at, int segment, route *r);
void ghz_tree_bcast(place at, int segment, route *r);
void ghz_tree_scatter(place at, int segment, route *r);
void ghz_tree_gather(place at, int segment, route *r);
void ghz_chain_bcast(place at, int segment, route *r);
void ghz_straight_scatter(place at, int segment, route *r);
void ghz_straight_gather(place at, int segment, route *r);

#endif
