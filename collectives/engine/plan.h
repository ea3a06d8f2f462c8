/* plan.h: a call cut into pieces: what this rank does with each, and in which order it expects
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_PLAN_H
#define GHZ_MPI_PLAN_H

#include "engine/buffer.h"
#include "schedules/schedule.h"
#include <stdlib.h>

/* ---- Arrays that are kept from call to call, and only ever grow ------------------------------ */

typedef struct growing {
  void *data;
  size_t bytes;
} growing;

/* An array of count elements, contents unspecified; NULL if there is no memory, and then the old
 * one is still there. */
static inline void *grow(growing *g, size_t count, size_t each) {
  size_t bytes;
  if (__builtin_mul_overflow(count + !count, each, &bytes))
    return NULL;
  if (bytes > g->bytes) {
    void *data = malloc(bytes);
    if (!data)
      return NULL;
    free(g->data);
    *g = (growing){data, bytes};
  }
  return g->data;
}

static inline void grow_free(growing *g) {
  free(g->data);
  *g = (growing){0};
}

/* ---- The plan -------------------------------------------------------------------------------- */

/* An array that a call moves or reduces, as this rank sees it. */
typedef struct part {
  const uint8_t *source; /* this rank's contribution; NULL: none, or not from here */
  uint8_t *target;       /* where the result goes; NULL: nowhere */
  ghz_shape shape;
} part;

/* What a call looks like before it is cut. */
typedef struct layout {
  ghz_shape shape;       /* of each part, or of the largest */
  uint64_t piece_values; /* about so many values per piece */
  ghz_type type;
  int parts;         /* arrays: 1, or one per rank */
  int segments;      /* schedules that the pieces of a part take in turn; 1 where there are several parts */
  int columns_first; /* which piece goes first: 0: the one in an earlier round; 1: the one further left */
} layout;

/* A piece waits for a message (or, where it begins with a send, for its turn) until its schedule is
 * through; then for its decoder:
 *
 *   PIECE_WAITS --last step--> PIECE_COMPLETE --decoded, or nothing to decode--> PIECE_DONE
 *
 * While a device works on its current buffer it stands still in any state but the last. */
typedef enum piece_state { PIECE_WAITS, PIECE_COMPLETE, PIECE_DONE } piece_state;

/* A range of tiles of a part, the unit that travels. */
typedef struct piece {
  const part *part;
  const schedule *schedule;
  const uint32_t *turns; /* of its steps: their numbers in the order */
  uint64_t first, tiles; /* of the part */
  unsigned step;         /* the next one of the schedule */
  piece_state state;
  buffer *current; /* its content here and now; NULL: this rank's contribution, not yet encoded */
} piece;

/* A step of a piece. */
typedef struct plan_turn {
  uint32_t piece, step;
} plan_turn;

/* Receives are posted, and pieces begin, in so many turns from the oldest unfinished one on: see
 * engine.c. */
enum { WINDOW = 36 };

typedef struct plan {
  layout layout;
  position at;
  part *parts;
  schedule *schedules;
  piece *pieces; /* column by column */
  uint32_t piece_count;
  uint64_t piece_tiles; /* of the largest piece */
  plan_turn *turns;     /* in the order that all ranks share: by round, then piece; column by column if these go
                           first */
  uint32_t turn_count, rounds;
  size_t send_count;
  size_t held;       /* contents in use at a time, at most */
  uint32_t *numbers; /* of the turns, by piece and step */
  int32_t *scratch;
  growing memory[7]; /* of the arrays */
} plan;

/* Cuts a call into pieces, and puts their steps in order. `counts`: the values of each part, which
 * is flat where these are fewer than the layout's; NULL: all have as many. `places`: the ranks that
 * several parts belong to; NULL: each to that of its number. Where the parts lie is left to the
 * caller. All zeros is a plan that was never made. Returns 0 if there is no memory; never for a
 * layout and schedule that a plan was made for before. */
int ghz_plan_cut(plan *p, const layout *l, const uint64_t *counts, const int *places, position at,
                 schedule_builder build);

void ghz_plan_free(plan *p);

/* Values of a piece. */
uint64_t ghz_piece_values(const piece *q);

/* The step whose turn it is. */
static inline const step *turn_step(const plan *p, uint32_t number) {
  const plan_turn *t = &p->turns[number];
  return &p->pieces[t->piece].schedule->steps[t->step];
}

/* Where a part lies on this rank. */
static inline void part_lies(part *p, const void *source, void *target) {
  p->source = source;
  p->target = target;
}

static inline uint32_t piece_number(const plan *p, const piece *q) {
  return (uint32_t)(q - p->pieces);
}

#endif
