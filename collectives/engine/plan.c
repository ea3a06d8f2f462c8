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

/* A piece of each segment. Segments take turns along the array, so that what compresses badly is
 * not all in one of them. Pieces without tiles do not exist, on any rank. */
static void cut_column(plan *p, int index, uint64_t column) {
  const layout *l = &p->layout;
  const ghz_shape *shape = &p->parts[index].shape;
  const uint64_t all = ghz_shape_tiles(shape), segments = (uint64_t)l->segments, first = column * segments,
                 n = segments * columns_of(l, shape);
  for (uint64_t i = first; i < first + segments && i < n; i++) {
    const uint64_t begin = cut(all, i, n), size = cut(all, i + 1, n) - begin;
    if (size == 0)
      continue;
    p->pieces[p->piece_count++] = (piece){.part = &p->parts[index],
                                          .schedule = &p->schedules[l->parts > 1 ? (uint64_t)index : i - first],
                                          .first = begin,
                                          .tiles = size};
    p->piece_tiles = size > p->piece_tiles ? size : p->piece_tiles;
  }
}

/* ---- The order ------------------------------------------------------------------------------- */

/* Puts the steps of the pieces from `first` on behind all others, by their rounds. */
static void order_steps(plan *p, uint32_t first) {
  int32_t *next = p->scratch;
  memset(next, 0, (p->rounds + 1) * sizeof *next);
  next[0] = (int32_t)p->turn_count;
  for (const piece *q = p->pieces + first; q < p->pieces + p->piece_count; q++)
    for (unsigned i = 0; i < q->schedule->length; i++)
      next[q->schedule->steps[i].round + 1]++;
  for (size_t r = 0; r < p->rounds; r++)
    next[r + 1] += next[r];
  for (piece *q = p->pieces + first; q < p->pieces + p->piece_count; q++) {
    q->turns = p->numbers + p->turn_count;
    for (unsigned i = 0; i < q->schedule->length; i++) {
      const uint32_t number = (uint32_t)next[q->schedule->steps[i].round]++;
      p->turns[number] = (plan_turn){piece_number(p, q), i};
      p->numbers[p->turn_count++] = number;
      p->send_count += q->schedule->steps[i].kind == STEP_SEND;
    }
  }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* A content is here from when its turn comes into the window until that begins behind its last use:
 * a send, or the message that is added to it. */
static void count_contents(const piece *q, int32_t *change) {
  const schedule *s = q->schedule;
  for (unsigned i = 0, last; i < s->length; i++) {
    if (i > 0 && s->steps[i].kind == STEP_SEND)
      continue;
    for (last = i; last + 1 < s->length && s->steps[last + 1].kind == STEP_SEND; last++)
      ;
    last += last + 1 < s->length && s->steps[last + 1].kind == STEP_RECV_REDUCE;
    change[q->turns[i] < WINDOW ? 0 : q->turns[i] - WINDOW + 1]++;
    change[q->turns[last] + 1]--;
  }
}

/* The most contents at a time, wherever the window begins. */
static size_t count_held(const plan *p, int32_t *change) {
  int64_t held = 0, most = 0;
  memset(change, 0, (p->turn_count + 1) * sizeof *change);
  for (uint32_t i = 0; i < p->piece_count; i++)
    count_contents(&p->pieces[i], change);
  for (uint32_t begin = 0; begin < p->turn_count; begin++) {
    held += change[begin];
    most = held > most ? held : most;
  }
  return (size_t)most;
}

/* ---- The plan -------------------------------------------------------------------------------- */

/* Returns how many steps there are. `steps`: memory for all; NULL: they are only counted. */
static size_t build_schedules(plan *p, size_t schedules, const int *places, schedule_builder build,
                              step *steps) {
  step scratch[SCHEDULE_MAX_STEPS];
  size_t count = 0;
  for (size_t i = 0; i < schedules; i++) {
    schedule *s = &p->schedules[i];
    *s = (schedule){0, scratch};
    build(p->at, places && p->layout.parts > 1 ? places[i] : (int)i, s);
    if (s->length && s->steps[s->length - 1].round >= p->rounds)
      p->rounds = s->steps[s->length - 1].round + 1;
    if (steps)
      s->steps = memcpy(steps + count, scratch, s->length * sizeof *steps);
    count += s->length;
  }
  return count;
}

/* Schedules, and memory for what is made of them. */
static int prepare(plan *p, const int *places, schedule_builder build) {
  const layout *l = &p->layout;
  const size_t schedules = (size_t)(l->parts > 1 ? l->parts : l->segments);
  const uint64_t columns = columns_of(l, &l->shape),
                 pieces = columns * (uint64_t)l->segments * (uint64_t)l->parts;
  p->parts = grow(&p->memory[0], (size_t)l->parts, sizeof *p->parts);
  p->schedules = grow(&p->memory[1], schedules, sizeof *p->schedules);
  p->pieces = pieces < INT32_MAX ? grow(&p->memory[2], pieces, sizeof *p->pieces) : NULL;
  if (!p->parts || !p->schedules || !p->pieces)
    return 0;
  const size_t count = build_schedules(p, schedules, places, build, NULL), turns = columns * count;
  step *steps = grow(&p->memory[3], count, sizeof *steps);
  p->turns = turns < INT32_MAX ? grow(&p->memory[4], turns, sizeof *p->turns) : NULL;
  p->numbers = grow(&p->memory[5], turns, sizeof *p->numbers);
  p->scratch = grow(&p->memory[6], (turns > p->rounds ? turns : p->rounds) + 1, sizeof *p->scratch);
  if (steps && p->turns && p->numbers && p->scratch)
    build_schedules(p, schedules, places, build, steps);
  return steps && p->turns && p->numbers && p->scratch;
}

int ghz_plan_cut(plan *p, const layout *l, const uint64_t *counts, const int *places, position at,
                 schedule_builder build) {
  const uint64_t count = ghz_shape_count(&l->shape), columns = columns_of(l, &l->shape);
  p->layout = *l;
  p->at = at;
  p->at.segments = l->segments;
  p->piece_count = p->turn_count = p->rounds = 0;
  p->piece_tiles = p->send_count = 0;
  if (!prepare(p, places, build))
    return 0;
  for (int i = 0; i < l->parts; i++)
    p->parts[i].shape = !counts || counts[i] == count ? l->shape : ghz_flat(counts[i]);
  for (uint64_t c = 0; c < columns; c++) {
    const uint32_t first = l->columns_first ? p->piece_count : 0;
    for (int i = 0; i < l->parts; i++)
      cut_column(p, i, c);
    if (l->columns_first || c + 1 == columns)
      order_steps(p, first);
  }
  p->held = count_held(p, p->scratch);
  return 1;
}

void ghz_plan_free(plan *p) {
  for (int i = 0; i < 7; i++)
    grow_free(&p->memory[i]);
}
