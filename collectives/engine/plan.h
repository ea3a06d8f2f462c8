/* plan.h: a call cut into pieces: what this rank does with each, and in which order it expects them. */
#ifndef GHZ_MPI_PLAN_H
#define GHZ_MPI_PLAN_H

#include "engine/buffer.h"
#include "engine/grow.h"
#include "schedules/schedule.h"

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
  int segments;      /* schedules that the pieces of a part take in turn; 1 where there are several parts */
  int columns_first; /* which piece goes first: 0: the one at an earlier round; 1: the one that lies further left */
} layout;

/* A range of tiles of a part, the unit that travels. */
typedef struct piece {
  const part *part;
  const schedule *schedule;
  uint64_t first, tiles; /* of the part */
  unsigned step;         /* the next one of the schedule */
  unsigned column;       /* its place in its segment */
  int finished;          /* its schedule has been gone */
  uint64_t lost[2];      /* steps whose message came when there was no memory for it: one bit each */
  buffer *current;       /* what it is here and now; NULL: the rank's own contribution, not yet compressed */
  buffer *arrivals;      /* for later steps, or not yet looked at */
} piece;

/* Something to receive, or to begin: a step of a piece, in the order of `key`. */
typedef struct event {
  uint64_t key;
  uint32_t piece;
  unsigned step;
} event;

typedef struct plan {
  layout layout;
  position at;
  part *parts;
  schedule *schedules;
  piece *pieces;
  uint32_t piece_count;
  uint64_t piece_tiles; /* of the largest piece */
  event *receives;      /* sorted: what to receive */
  event *starts;        /* sorted: pieces that begin by sending, or need nothing from others */
  size_t receive_count, start_count, send_count;
  growing memory[5]; /* of the arrays */
} plan;

/* Cuts a call; the parts are left for the caller to fill in. All zeros is a plan that was never made. Returns 0
 * if there is no memory; never for a layout and schedule that it was made for before. */
int ghz_plan_make(plan *p, const layout *l, position at, schedule_builder build);

/* Lists what to receive and to begin, once the parts are filled in. */
void ghz_plan_order(plan *p);

void ghz_plan_free(plan *p);

/* Values of a piece, and its first value. */
uint64_t ghz_piece_values(const plan *p, const piece *q);

/* The place of a round of a piece in the order that all ranks share. */
uint64_t ghz_plan_key(const plan *p, const piece *q, uint32_t round);

/* The tag of its messages. */
static inline int piece_tag(const plan *p, const piece *q) {
  return (int)(q - p->pieces);
}

#endif
