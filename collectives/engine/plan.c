/* plan.c: cutting a call into pieces. All ranks cut alike, from numbers that they have agreed
 * on. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "engine/plan.h"

#include <stdlib.h>
#include <string.h>

#define TILES_PER_CHUNK (GHZ_CHUNK / GHZ_TILE)

/* Where cut i of n falls among `tiles` tiles: between chunks if there are enough, else between
 * tiles. */
static uint64_t cut(uint64_t tiles, uint64_t i, uint64_t n) {
  uint64_t grain = tiles / TILES_PER_CHUNK >= n ? TILES_PER_CHUNK : 1, units = tiles / grain;
  return i == n ? tiles : (units / n * i + units % n * i / n) * grain;
}

/* Pieces of each segment. */
static uint64_t columns_of(const layout *l, const ghz_shape *shape) {
  uint64_t n = ghz_shape_count(shape) / (uint64_t)l->segments / l->piece_values;
  return n ? n : 1;
}

uint64_t ghz_piece_values(const piece *q) {
  const ghz_slice slice = {.shape = q->part->shape, .first = q->first, .tiles = q->tiles};
  return ghz_slice_count(&slice);
}

/* Segments take turns along the array, so that what compresses badly is not all in one of them.
 * Pieces without tiles do not exist, on any rank. */
static void cut_part(plan *p, int index) {
  const layout *l = &p->layout;
  const ghz_shape *shape = &p->parts[index].shape;
  uint64_t all = ghz_shape_tiles(shape), segments = (uint64_t)l->segments, n = segments * columns_of(l, shape);
  for (uint64_t i = 0; i < n; i++) {
    uint64_t begin = cut(all, i, n), size = cut(all, i + 1, n) - begin;
    if (size == 0)
      continue;
    p->pieces[p->piece_count++] =
        (piece){.part = &p->parts[index],
                .schedule = &p->schedules[l->parts > 1 ? (uint64_t)index : i % segments],
                .first = begin,
                .tiles = size,
                .column = (unsigned)(i / segments)};
    p->piece_tiles = size > p->piece_tiles ? size : p->piece_tiles;
  }
}

/* ---- The order ------------------------------------------------------------------------------- */

static int compare_events(const void *a, const void *b) {
  const event *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->piece != y->piece ? (x->piece < y->piece ? -1 : 1) : (x->step > y->step) - (x->step < y->step);
}

event ghz_plan_event(const plan *p, uint32_t number, unsigned index) {
  const schedule *s = p->pieces[number].schedule;
  uint64_t column = p->pieces[number].column, round = s->length ? s->steps[index].round : LAST_ROUND;
  return (event){p->layout.columns_first ? column << 32 | round : round << 32 | column, number, index};
}

size_t ghz_plan_number(const plan *p, const event *e) {
  size_t low = 0, high = p->event_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_events(&p->events[middle], e) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* A piece without steps has a start where its part lies in a buffer of this rank. */
static int has_start(const piece *q) {
  return q->schedule->length ? q->schedule->steps[0].kind == STEP_SEND : q->part->has_starts;
}

static void list_events(plan *p, uint32_t number) {
  const schedule *s = p->pieces[number].schedule;
  if (has_start(&p->pieces[number]))
    p->events[p->event_count++] = ghz_plan_event(p, number, 0);
  for (unsigned i = 0; i < s->length; i++)
    if (s->steps[i].kind != STEP_SEND)
      p->events[p->event_count++] = ghz_plan_event(p, number, i);
}

static void order_events(plan *p) {
  p->event_count = p->held = 0;
  for (uint32_t i = 0; i < p->piece_count; i++) {
    p->pieces[i].start = NO_EVENT;
    list_events(p, i);
  }
  qsort(p->events, p->event_count, sizeof *p->events, compare_events);
  for (size_t i = 0; i < p->event_count; i++)
    if (!event_receives(p, &p->events[i]))
      p->pieces[p->events[i].piece].start = i;
}

/* ---- The plan -------------------------------------------------------------------------------- */

static void count_messages(plan *p) {
  p->receive_count = p->send_count = 0;
  for (uint32_t i = 0; i < p->piece_count; i++)
    for (unsigned h = 0; h < p->pieces[i].schedule->length; h++)
      ++*(p->pieces[i].schedule->steps[h].kind == STEP_SEND ? &p->send_count : &p->receive_count);
}

/* Returns how many steps there are. `steps`: memory for all; NULL: they are only counted. */
static size_t build_schedules(plan *p, size_t schedules, const int *places, schedule_builder build,
                              step *steps) {
  step scratch[SCHEDULE_MAX_STEPS];
  size_t count = 0;
  for (size_t s = 0; s < schedules; s++) {
    p->schedules[s] = (schedule){0, scratch};
    build(p->at, places && p->layout.parts > 1 ? places[s] : (int)s, &p->schedules[s]);
    if (steps)
      p->schedules[s].steps = memcpy(steps + count, scratch, p->schedules[s].length * sizeof *steps);
    count += p->schedules[s].length;
  }
  return count;
}

int ghz_plan_cut(plan *p, const layout *l, const uint64_t *counts, const int *places, position at,
                 schedule_builder build) {
  const size_t schedules = (size_t)(l->parts > 1 ? l->parts : l->segments);
  const uint64_t count = ghz_shape_count(&l->shape),
                 most = columns_of(l, &l->shape) * (uint64_t)l->segments * (uint64_t)l->parts;
  p->layout = *l;
  p->at = at;
  p->at.segments = l->segments;
  p->piece_count = 0;
  p->piece_tiles = 0;
  p->parts = grow(&p->memory[0], (size_t)l->parts, sizeof *p->parts);
  p->schedules = grow(&p->memory[1], schedules, sizeof *p->schedules);
  p->pieces = most < INT32_MAX ? grow(&p->memory[2], most, sizeof *p->pieces) : NULL;
  if (!p->parts || !p->schedules || !p->pieces)
    return 0;
  step *steps = grow(&p->memory[4], build_schedules(p, schedules, places, build, NULL), sizeof *steps);
  if (!steps)
    return 0;
  build_schedules(p, schedules, places, build, steps);
  for (int i = 0; i < l->parts; i++) {
    p->parts[i].has_starts = -1;
    p->parts[i].shape = !counts || counts[i] == count ? l->shape : ghz_flat(counts[i]);
    cut_part(p, i);
  }
  count_messages(p);
  return 1;
}

int ghz_plan_order(plan *p) {
  int changed = 0;
  p->events = grow(&p->memory[3], p->piece_count + p->receive_count, sizeof *p->events);
  for (int i = 0; i < p->layout.parts; i++) {
    const int here = p->parts[i].source || p->parts[i].target;
    changed |= here != p->parts[i].has_starts;
    p->parts[i].has_starts = here;
  }
  if (p->events && changed)
    order_events(p);
  return p->events != NULL;
}

void ghz_plan_free(plan *p) {
  for (int i = 0; i < 5; i++)
    grow_free(&p->memory[i]);
}
