/* window.c: how far the engine may run ahead of its oldest unfinished work, and so how many buffers
 * it takes.
 *
 * An event is finished when its piece waits for the next one, or is done. The window begins at the
 * first event that is not finished, or at the first send in flight if that comes earlier in the
 * order of all messages. Only the WINDOW events from there on may begin: their receives are posted,
 * their pieces started.
 *
 * So these buffers can be in use at a time, and no others:
 *   - for each event of the window one: posted to MPI, arrived, or the content that it gave its
 *     piece;
 *   - for events before the window the contents that are still needed: by a send or by the
 *     reduction with the next message that comes in the window or after it. How many these are
 *     follows from the plan;
 *   - for each operation of the codec its result, and the payload's scratch. A piece has one
 *     operation at a time. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "engine/internal.h"

#include <string.h>

enum { WINDOW = 32 };
_Static_assert(WINDOW >= 2, "two ranks that exchange a piece have two smallest messages: see engine.c");

/* A content made by one event, and used for the last time before or by another, is left when the
 * window begins in between. */
static void count_lifetime(int32_t *change, size_t made, size_t last) {
  if (made != NO_EVENT && last > made) {
    change[made + 1]++;
    change[last + 1]--;
  }
}

static void count_lifetimes(const plan *p, uint32_t number, int32_t *change) {
  const schedule *s = p->pieces[number].schedule;
  size_t made = NO_EVENT, last = 0;
  for (unsigned i = 0; i < s->length; i++) {
    const event here = ghz_plan_event(p, number, i);
    const size_t at = ghz_plan_number(p, &here);
    if (s->steps[i].kind != STEP_RECV)
      last = at;
    if (s->steps[i].kind != STEP_SEND) {
      count_lifetime(change, made, last);
      made = last = at;
    } else if (i == 0)
      made = at;
  }
  count_lifetime(change, made, last);
}

static size_t count_held(const plan *p, int32_t *change) {
  int64_t left = 0, most = 0;
  memset(change, 0, (p->event_count + 2) * sizeof *change);
  for (uint32_t i = 0; i < p->piece_count; i++)
    count_lifetimes(p, i, change);
  for (size_t begin = 0; begin < p->event_count; begin++) {
    size_t events = p->event_count - begin;
    left += change[begin];
    int64_t held = left + (int64_t)(events < WINDOW ? events : WINDOW);
    most = held > most ? held : most;
  }
  return (size_t)most;
}

size_t ghz_window_buffers(plan *p, const payload *kind, int32_t *change) {
  size_t at_once = !kind->poll ? 1 : p->piece_count < ENGINE_ASYNC_OPS ? p->piece_count : ENGINE_ASYNC_OPS;
  if (!p->held)
    p->held = count_held(p, change);
  return p->held + at_once * (size_t)(1 + kind->scratch);
}

int ghz_window_admits(const engine *e, size_t number) {
  size_t begin = e->oldest;
  for (int i = 0; i < e->active; i++)
    if (!e->transfers[i].is_receive && e->transfers[i].number < begin)
      begin = e->transfers[i].number;
  return number < begin + WINDOW;
}

void ghz_window_finish(engine *e, const piece *p) {
  if (p->event != NO_EVENT)
    e->finished[p->event] = 1;
  while (e->oldest < e->plan->event_count && e->finished[e->oldest])
    e->oldest++;
}
