/* plan.c: cutting a call into pieces. All ranks cut alike, from numbers that they have agreed on. */

#include "engine/plan.h"

#include <stdlib.h>

#define TILES_PER_CHUNK (GHZ_CHUNK / GHZ_TILE)

/* Where cut i of n falls among `tiles` tiles: between chunks if there are enough, else between tiles. */
static uint64_t cut(uint64_t tiles, uint64_t i, uint64_t n) {
  uint64_t grain = tiles / TILES_PER_CHUNK >= n ? TILES_PER_CHUNK : 1, units = tiles / grain;
  return i == n ? tiles : (units / n * i + units % n * i / n) * grain;
}

/* Pieces of each segment. */
static uint64_t columns_of(const layout *l) {
  uint64_t n = l->count / (uint64_t)l->segments / l->piece_values;
  return n ? n : 1;
}

uint64_t ghz_piece_values(const plan *p, const piece *q) {
  uint64_t begin = q->first * GHZ_TILE, left = p->layout.count - begin;
  return q->tiles * GHZ_TILE < left ? q->tiles * GHZ_TILE : left;
}

/* Segments take turns along the array, so that what compresses badly is not all in one of them. Pieces without tiles do not
 * exist, on any rank. */
static void cut_part(plan *p, int index) {
  const layout *l = &p->layout;
  uint64_t all = GHZ_TILE_COUNT(l->count), segments = (uint64_t)l->segments, n = segments * columns_of(l);
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

static int compare_events(const void *a, const void *b) {
  const event *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->piece != y->piece ? (x->piece < y->piece ? -1 : 1) : (x->step > y->step) - (x->step < y->step);
}

uint64_t ghz_plan_key(const plan *p, const piece *q, uint32_t round) {
  uint64_t column = q->column;
  return p->layout.columns_first ? column << 32 | round : (uint64_t)round << 32 | column;
}

/* Appends the events of a piece: those that wait for others, and the one that begins it. */
static void list_events(plan *p, uint32_t index, size_t *receives) {
  const piece *q = &p->pieces[index];
  const schedule *r = q->schedule;
  if (r->length == 0 ? q->part->source || q->part->target : r->steps[0].kind == STEP_SEND)
    p->starts[p->start_count++] =
        (event){ghz_plan_key(p, q, r->length ? r->steps[0].round : LAST_ROUND), index, 0};
  for (unsigned h = 0; h < r->length; h++)
    if (r->steps[h].kind != STEP_SEND)
      p->receives[(*receives)++] = (event){ghz_plan_key(p, q, r->steps[h].round), index, h};
}

static void count_messages(plan *p) {
  p->receive_count = p->send_count = 0;
  for (uint32_t i = 0; i < p->piece_count; i++)
    for (unsigned h = 0; h < p->pieces[i].schedule->length; h++)
      ++*(p->pieces[i].schedule->steps[h].kind == STEP_SEND ? &p->send_count : &p->receive_count);
}

static void build_schedules(plan *p, int schedules, schedule_builder build) {
  for (int s = 0; s < schedules; s++) {
    p->schedules[s].length = 0;
    build(p->at, s, &p->schedules[s]);
  }
}

int ghz_plan_make(plan *p, const layout *l, position at, schedule_builder build) {
  int schedules = l->parts > 1 ? l->parts : l->segments;
  uint64_t most = columns_of(l) * (uint64_t)l->segments * (uint64_t)l->parts;
  p->layout = *l;
  p->at = at;
  p->piece_count = 0;
  p->piece_tiles = 0;
  p->parts = grow(&p->memory[0], (size_t)l->parts, sizeof *p->parts);
  p->schedules = grow(&p->memory[1], (size_t)schedules, sizeof *p->schedules);
  p->pieces = most < INT32_MAX ? grow(&p->memory[2], most, sizeof *p->pieces) : NULL;
  p->starts = most < INT32_MAX ? grow(&p->memory[3], most, sizeof *p->starts) : NULL;
  if (!p->parts || !p->schedules || !p->pieces || !p->starts)
    return 0;
  build_schedules(p, schedules, build);
  for (int i = 0; i < l->parts; i++)
    cut_part(p, i);
  count_messages(p);
  p->receives = grow(&p->memory[4], p->receive_count, sizeof *p->receives);
  return p->receives != NULL;
}

void ghz_plan_order(plan *p) {
  size_t receives = 0;
  p->start_count = 0;
  for (uint32_t i = 0; i < p->piece_count; i++)
    list_events(p, i, &receives);
  qsort(p->receives, p->receive_count, sizeof *p->receives, compare_events);
  qsort(p->starts, p->start_count, sizeof *p->starts, compare_events);
}

void ghz_plan_free(plan *p) {
  for (int i = 0; i < 5; i++)
    grow_free(&p->memory[i]);
}
