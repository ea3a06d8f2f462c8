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
  int has_starts; /* of pieces that exchange no message, as the events have it; -1: there are none yet */
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

/* A piece waits for a message (or, at first, for its start) until its schedule is through; then for
 * its decoder:
 *
 *   PIECE_WAITS --last step--> PIECE_COMPLETE --decoded, or nothing to decode--> PIECE_DONE
 *
 * While a device works on its current buffer it stands still in any state but the last. */
typedef enum piece_state { PIECE_WAITS, PIECE_COMPLETE, PIECE_DONE } piece_state;

/* A range of tiles of a part, the unit that travels. */
typedef struct piece {
  const part *part;
  const schedule *schedule;
  uint64_t first, tiles; /* of the part */
  unsigned column;       /* its place in its segment */
  unsigned step;         /* the next one of the schedule */
  piece_state state;
  size_t start;     /* its event, by number, or NO_EVENT: it has none */
  size_t event;     /* the one that its content is from: first its start */
  buffer *current;  /* its content here and now; NULL: this rank's contribution, not yet encoded */
  buffer *arrivals; /* received for later steps, or not yet looked at */
} piece;

#define NO_EVENT SIZE_MAX

/* Where a piece gets content: a receive; or its start, if it begins by sending, or has no steps at
 * all and its part is in this rank's buffers. */
typedef struct event {
  uint64_t key; /* all ranks order messages by key, then piece */
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
  event *events;        /* in the order of keys */
  size_t event_count, receive_count, send_count;
  size_t held;       /* buffers in use at a time, see window.c; 0: not counted yet */
  growing memory[5]; /* of the arrays */
} plan;

/* A plan is made in two steps, between which the caller fills in the parts; for a call like the one
 * before the second step is enough, and mostly finds all as it was. All zeros is a plan that was
 * never made. Both return 0 if there is no memory; never for a layout, schedule and parts that a
 * plan was made for before. */

/* Cuts a call into pieces. `counts`: the values of each part, which is flat where these are fewer
 * than the layout's; NULL: all have as many. `places`: the ranks that several parts belong to;
 * NULL: each to that of its number. */
int ghz_plan_cut(plan *p, const layout *l, const uint64_t *counts, const int *places, position at,
                 schedule_builder build);

/* Lists the events, in their order. Pieces of parts with neither source nor target that exchange no
 * message have none. */
int ghz_plan_order(plan *p);

void ghz_plan_free(plan *p);

/* Values of a piece. */
uint64_t ghz_piece_values(const piece *q);

/* A step of a piece, both by number, with its key. */
event ghz_plan_event(const plan *p, uint32_t number, unsigned index);

/* How many events come before a step in the order: the number of the event, if it is one. */
size_t ghz_plan_number(const plan *p, const event *e);

/* Whether an event is a receive, or a start. */
static inline int event_receives(const plan *p, const event *e) {
  const schedule *s = p->pieces[e->piece].schedule;
  return s->length > 0 && s->steps[e->step].kind != STEP_SEND;
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
