/* plan.h: a call cut into pieces: what this rank does with each, and in which order it expects them. */
#ifndef GHZ_MPI_PLAN_H
#define GHZ_MPI_PLAN_H

#include "grow.h"
#include "parcel.h"
#include "route.h"

/* An array that a call moves or reduces, as this rank sees it. */
typedef struct part {
  const uint8_t *source; /* what this rank gives; NULL: nothing, or not from here */
  uint8_t *target;       /* where the result goes; NULL: nowhere */
} part;

/* What a call looks like before it is cut. Without padding: layouts are compared byte by byte. */
typedef struct layout {
  uint64_t count;        /* values of each part */
  uint64_t piece_values; /* about so many values per piece */
  ghz_type type;
  int parts;         /* arrays: 1, or one per rank */
  int segments;      /* routes that the pieces of a part take in turn; 1 where there are several parts */
  int columns_first; /* which piece goes first: 0: the one at an earlier step; 1: the one that lies further left */
} layout;

/* A range of tiles of a part, the unit that travels. */
typedef struct piece {
  const part *part;
  const route *route;
  uint64_t first, tiles; /* of the part */
  unsigned hop;          /* the next one of the route */
  unsigned column;       /* its place in its segment */
  int finished;          /* its route has been gone */
  uint64_t lost[2];      /* hops whose message came when there was no memory for it: one bit each */
  parcel *cargo;         /* what it is here and now; NULL: the rank's own contribution, not yet compressed */
  parcel *arrivals;      /* for later hops, or not yet looked at */
} piece;

/* Something to receive, or to begin: a hop of a piece, in the order of `key`. */
typedef struct event {
  uint64_t key;
  uint32_t piece;
  unsigned hop;
} event;

typedef struct plan {
  layout layout;
  place at;
  part *parts;
  route *routes;
  piece *pieces;
  uint32_t piece_count;
  uint64_t piece_tiles; /* of the largest piece */
  event *receipts;      /* sorted: what to receive */
  event *starts;        /* sorted: pieces that begin by sending, or need nothing from others */
  size_t receipt_count, start_count, send_count;
  growing memory[5]; /* of the arrays */
} plan;

/* Cuts a call; the parts are left for the caller to fill in. All zeros is a plan that was never made. Returns 0
 * if there is no memory; never for a layout and schedule that it was made for before. */
int ghz_plan_make(plan *p, const layout *l, place at, schedule find_route);

/* Lists what to receive and to begin, once the parts are filled in. */
void ghz_plan_order(plan *p);

void ghz_plan_free(plan *p);

/* Values of a piece, and its first value. */
uint64_t ghz_piece_values(const plan *p, const piece *q);

/* The place of a step of a piece in the order that all ranks share. */
uint64_t ghz_plan_key(const plan *p, const piece *q, uint32_t step);

/* The tag of its messages. */
static inline int piece_tag(const plan *p, const piece *q) {
  return (int)(q - p->pieces);
}

#endif
