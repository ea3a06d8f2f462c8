/* engine.c: the loop that runs a plan.
 *
 * Arrivals and starts go first, in the order of keys, since other ranks wait for what follows from
 * them. Pieces that are complete are decoded when there is nothing else to do. Between any two
 * operations of the codec MPI gets a chance to move messages. The loop polls the operations of a
 * device as it polls requests; it never waits for one.
 *
 * Deadlock freedom. All ranks order messages alike, by (key, piece), and a message depends only on
 * smaller ones. Take the smallest incomplete message:
 *   - Its receive is posted. Receives are posted in order, and those before it are complete. The
 *     window does not exclude it: all that comes before it is finished, as operations of the codec
 *     and of a device wait for no message. (If two ranks exchange a piece, two messages are the
 *     smallest. Then the start of the piece may come before the receive, unfinished. A window of
 *     two events has room for both.)
 *   - It is sent. Its content follows from smaller messages, which are complete. Only starts are
 *     ever held back: by the window, as above; by sends in flight, or operations for them, that
 *     come before it, of which there are none.
 * So it completes. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "engine/internal.h"

#include <string.h>

/* ---- The first failure ----------------------------------------------------------------------- */

static const char abort_magic[4] = {'G', 'H', 'Z', '!'};

/* The first one counts, except that one of MPI replaces it: then nothing can be sent any more. */
static void note(engine *e, failure f) {
  if (!engine_failed(e)) {
    abort_message *told = &e->space->abort;
    memcpy(told->magic, abort_magic, sizeof abort_magic);
    told->rank = f.rank;
    told->status = f.status;
  }
  if (!engine_failed(e) || f.mpi_code != MPI_SUCCESS)
    e->failure = f;
}

void ghz_engine_check(engine *e, ghz_status status) {
  if (status != GHZ_OK)
    note(e, (failure){e->job->rank, MPI_SUCCESS, status});
}

int ghz_engine_mpi_fails(engine *e, int code) {
  if (code != MPI_SUCCESS)
    note(e, (failure){e->job->rank, code, GHZ_OK});
  return code != MPI_SUCCESS;
}

int ghz_engine_read_abort(engine *e, const void *message) {
  abort_message d;
  memcpy(&d, message, ABORT_MESSAGE_SIZE);
  if (memcmp(d.magic, abort_magic, sizeof d.magic) != 0)
    return 0;
  note(e, (failure){d.rank, MPI_SUCCESS, d.status ? (ghz_status)d.status : GHZ_ECORRUPT});
  return 1;
}

/* ---- Starts ---------------------------------------------------------------------------------- */

enum {
  SENDS = 2,       /* in flight when a start is held back: more would share the link, and all arrive late */
  ASYNC_SENDS = 6, /* the same where a device encodes, counting its operations: kernels overlap */
  UNDECODED = 16   /* complete pieces at which decoding comes before starts */
};

/* Whether a message that comes before a start is in flight, or a device works for it. */
static int sends_before(const engine *e, size_t start) {
  for (int i = 0; i < e->active; i++)
    if (!e->transfers[i].is_receive && e->transfers[i].number <= start)
      return 1;
  for (int i = 0; i < e->async_count; i++) {
    const piece *p = &e->plan->pieces[e->async[i].piece];
    if (p->step < p->schedule->length) {
      const event at = ghz_plan_event(e->plan, e->async[i].piece, p->step);
      if (ghz_plan_number(e->plan, &at) <= start)
        return 1;
    }
  }
  return 0;
}

/* Whether the next piece may start: few sends are in flight, or none of them comes before it in the
 * order. A piece that exchanges no message holds no buffer before it is decoded, so the window need
 * not admit it. */
static int may_start(const engine *e) {
  const size_t start = e->next_start;
  int sends = e->active - e->receiving + e->async_count, most = e->payload->poll ? ASYNC_SENDS : SENDS;
  if (start == e->plan->event_count ||
      (e->plan->pieces[e->plan->events[start].piece].schedule->length && !ghz_window_admits(e, start)))
    return 0;
  return sends < most || !sends_before(e, start);
}

/* Whether the piece that may start has a smaller key than the next one that arrived. */
static int start_is_first(const engine *e) {
  const uint32_t number = e->arrived.pieces[e->arrived.head];
  const piece *p = &e->plan->pieces[number];
  return p->state == PIECE_WAITS && p->step < p->schedule->length &&
         e->plan->events[e->next_start].key < ghz_plan_event(e->plan, number, p->step).key;
}

/* The first event from `number` on that is a receive, or a start. */
static size_t next_event(const plan *p, size_t number, int receives) {
  while (number < p->event_count && event_receives(p, &p->events[number]) != receives)
    number++;
  return number;
}

/* An arrival may have started it already: other ranks can be ahead. */
static void start(engine *e) {
  piece *p = &e->plan->pieces[e->plan->events[e->next_start].piece];
  e->next_start = next_event(e->plan, e->next_start + 1, 0);
  ghz_engine_advance(e, p);
}

/* ---- The loop -------------------------------------------------------------------------------- */

static void post_receives(engine *e) {
  while (!engine_stopped(e) && e->receiving < ENGINE_RECEIVES && e->next_receive < e->plan->event_count &&
         ghz_window_admits(e, e->next_receive)) {
    ghz_engine_post_receive(e, e->next_receive);
    e->next_receive = next_event(e->plan, e->next_receive + 1, 1);
  }
}

static piece *pop(engine *e, queue *q) {
  return &e->plan->pieces[q->pieces[q->head++]];
}

/* Does the most urgent thing. Returns 0 if there is nothing to do. */
static int work(engine *e) {
  if (ghz_engine_poll_async(e))
    return 1;
  if (e->async_count == ENGINE_ASYNC_OPS)
    return 0;
  int can_start = may_start(e), has_arrived = e->arrived.head < e->arrived.tail;
  size_t undecoded = e->complete.tail - e->complete.head;
  if (has_arrived && !(can_start && start_is_first(e)))
    ghz_engine_advance(e, pop(e, &e->arrived));
  else if (can_start && (has_arrived || undecoded < UNDECODED))
    start(e);
  else if (undecoded)
    ghz_engine_decode(e, pop(e, &e->complete));
  else
    return 0;
  return 1;
}

/* Nothing to do but to poll MPI and who works, or to help. The time counts for a device's oldest
 * operation; a team counts its own. */
static void idle(engine *e) {
  double now = MPI_Wtime();
  int helps = e->payload->help != NULL;
  if (e->idle_polls && !helps)
    *e->async[0].seconds += now - e->idle_since;
  e->idle_since = now;
  if (helps && e->payload->help(e->job))
    e->idle_polls = 0;
  else
    ghz_backoff(e->idle_polls++);
}

/* Whenever it waits, all receives that the window admits are posted: since then nothing has
 * completed. */
static void loop(engine *e) {
  while (!engine_stopped(e)) {
    ghz_engine_progress(e, 0);
    post_receives(e);
    if (work(e))
      e->idle_polls = 0;
    else if (e->async_count)
      idle(e);
    else if (e->active)
      ghz_engine_progress(e, 1);
    else
      return;
  }
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static int reserve_arrays(engine *e, const plan *p, engine_space *space) {
  growing *a = space->arrays;
  size_t transfers = p->send_count + ENGINE_RECEIVES;
  e->requests = grow(&a[0], transfers, sizeof *e->requests);
  e->transfers = grow(&a[1], transfers, sizeof *e->transfers);
  e->indices = grow(&a[2], transfers, sizeof *e->indices);
  e->statuses = grow(&a[3], transfers, sizeof *e->statuses);
  e->arrived.pieces = grow(&a[4], p->receive_count, sizeof *e->arrived.pieces);
  e->complete.pieces = grow(&a[5], p->piece_count, sizeof *e->complete.pieces);
  e->finished = grow(&a[6], p->event_count, sizeof *e->finished);
  return e->requests && e->transfers && e->indices && e->statuses && e->arrived.pieces && e->complete.pieces &&
         e->finished && transfers < INT32_MAX;
}

int ghz_engine_prepare(engine_space *space, plan *p, const payload *kind, const payload_job *job) {
  engine e;
  int32_t *change = grow(&space->arrays[7], p->event_count + 2, sizeof *change);
  return change && reserve_arrays(&e, p, space) &&
         ghz_buffer_pool_reserve(job->pool, kind->capacity(job, p->piece_tiles),
                                 ghz_window_buffers(p, kind, change));
}

void ghz_engine_free(engine_space *space) {
  for (int i = 0; i < 8; i++)
    grow_free(&space->arrays[i]);
}

/* Waits for all operations: nothing must work on what others will use. */
static void drain(engine *e) {
  while (e->async_count)
    if (!ghz_engine_poll_async(e))
      idle(e);
}

/* As nothing had happened to them: a plan runs many times. */
static void begin_pieces(plan *p) {
  for (piece *q = p->pieces; q < p->pieces + p->piece_count; q++) {
    q->state = PIECE_WAITS;
    q->step = 0;
    q->event = q->start;
    q->current = q->arrivals = NULL;
  }
}

failure ghz_engine_run(plan *p, const payload *kind, payload_job *job, engine_space *space, MPI_Comm comm) {
  engine e = {.plan = p,
              .payload = kind,
              .job = job,
              .space = space,
              .comm = comm,
              .next_receive = next_event(p, 0, 1),
              .next_start = next_event(p, 0, 0)};
  reserve_arrays(&e, p, space);
  begin_pieces(p);
  memset(e.finished, 0, p->event_count * sizeof *e.finished);
  ghz_engine_check(&e, job->early_status);
  loop(&e);
  drain(&e);
  ghz_engine_cancel(&e);
  ghz_engine_release_pieces(&e);
  return e.failure;
}
