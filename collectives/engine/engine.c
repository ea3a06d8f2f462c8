/* engine.c: the loop that runs a plan.
 *
 * Pieces go on in the order of their turns, since other ranks wait for what follows. Those that are
 * complete are decoded when there is nothing else to do. Between any two operations of the codec
 * MPI gets a chance to move messages. The loop polls the operations of a device as it polls
 * requests; it never waits for one.
 *
 * The window. A turn is finished when its message is sent or here, and its piece waits for the next
 * message or is done. Receives are posted, and pieces begin, in the WINDOW turns from the first
 * unfinished one on. So the contents in use at a time are known before, see plan.c. Each operation
 * of the codec takes a buffer for its result, and the payload's scratch; a piece has one operation
 * at a time.
 *
 * Deadlock freedom. All ranks order messages alike, and a message depends only on smaller ones.
 * Take the smallest incomplete message:
 *   - Its receive is posted. Receives are posted in order, and those before it are complete. The
 *     window does not exclude it: all that comes before it is finished, as operations of the codec
 *     and of a device wait for no message. (If two ranks exchange a piece, two messages are the
 *     smallest. Then the send may come before the receive, unfinished. A window of two turns has
 *     room for both.)
 *   - It is sent. Its content follows from smaller messages, which are complete. Only the first
 *     sends of pieces are ever held back: by the window, as above; by sends in flight, or
 *     operations for them, that come before it, of which there are none.
 * So it completes. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "engine/internal.h"

#include <string.h>

_Static_assert(WINDOW >= 2, "two ranks that exchange a piece have two smallest messages");

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

/* ---- The order of work ----------------------------------------------------------------------- */

enum {
  SENDS = 2,      /* in flight when a piece is not begun: more would share the link, and all arrive late */
  ASYNC_SENDS = 6 /* the same where a device encodes, counting its operations: kernels overlap */
};

/* The first piece in the order that can go on: its message is here, or it begins. That it does
 * where few sends are in flight, or none of them comes before it; a device may work for some. */
static piece *next_piece(const engine *e) {
  const plan *p = e->plan;
  const int sends = e->active - e->receiving + e->async_count, most = e->payload->poll ? ASYNC_SENDS : SENDS,
            room = sends < most;
  int before = 0;
  for (uint32_t n = e->oldest; n < window_end(e); n++) {
    const plan_turn *t = &p->turns[n];
    piece *q = &p->pieces[t->piece];
    const int is_send = turn_step(p, n)->kind == STEP_SEND, is_next = q->step == t->step;
    if (is_next && !is_busy(q) &&
        (is_send ? t->step == 0 && (room || !before) : e->arrived[n % WINDOW] != NULL))
      return q;
    before |= is_next ? is_busy(q) : q->step > t->step && is_send && !(e->finished[n] & REQUEST);
  }
  return NULL;
}

/* ---- The loop -------------------------------------------------------------------------------- */

static void post_receives(engine *e) {
  for (; !engine_stopped(e) && e->receiving < ENGINE_RECEIVES && e->next < window_end(e); e->next++)
    if (turn_step(e->plan, e->next)->kind != STEP_SEND)
      ghz_engine_post_receive(e, e->next);
}

/* Does the most urgent thing. Returns 0 if there is nothing to do. */
static int work(engine *e) {
  if (ghz_engine_poll_async(e))
    return 1;
  if (e->async_count == ENGINE_ASYNC_OPS)
    return 0;
  piece *p = next_piece(e);
  if (p)
    ghz_engine_advance(e, p);
  else if (e->decoded < e->completed)
    ghz_engine_decode(e, &e->plan->pieces[e->complete[e->decoded++]]);
  else
    return 0;
  return 1;
}

/* Nothing to do but to poll MPI and who works, or to help. The time counts for a device's oldest
 * operation, or as waiting for messages; a team counts its own. */
static void idle(engine *e) {
  const double now = MPI_Wtime();
  const int helps = e->async_count && e->payload->help;
  if (e->idle_polls && !helps)
    *(e->async_count ? e->async[0].seconds : &e->job->report->wait) += now - e->idle_since;
  e->idle_since = now;
  if (helps && e->payload->help(e->job))
    e->idle_polls = 0;
  else
    ghz_backoff(e->idle_polls++);
}

static void loop(engine *e) {
  while (!engine_stopped(e)) {
    ghz_engine_progress(e);
    post_receives(e);
    if (work(e))
      e->idle_polls = 0;
    else if (e->async_count || e->active)
      idle(e);
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
  e->complete = grow(&a[4], p->piece_count, sizeof *e->complete);
  e->finished = grow(&a[5], p->turn_count, sizeof *e->finished);
  return e->requests && e->transfers && e->indices && e->statuses && e->complete && e->finished &&
         transfers < INT32_MAX;
}

int ghz_engine_prepare(engine_space *space, plan *p, const payload *kind, const payload_job *job) {
  engine e;
  const size_t at_once = !kind->poll                         ? 1
                         : p->piece_count < ENGINE_ASYNC_OPS ? p->piece_count
                                                             : ENGINE_ASYNC_OPS;
  return reserve_arrays(&e, p, space) &&
         ghz_buffer_pool_reserve(job->pool, kind->capacity(job, p->piece_tiles),
                                 p->held + at_once * (size_t)(1 + kind->scratch));
}

void ghz_engine_free(engine_space *space) {
  for (int i = 0; i < 6; i++)
    grow_free(&space->arrays[i]);
}

/* Waits for all operations: nothing must work on what others will use. */
static void drain(engine *e) {
  while (e->async_count)
    if (!ghz_engine_poll_async(e))
      idle(e);
}

/* As nothing had happened to them: a plan runs many times. Those that exchange no message are
 * complete. */
static void begin_pieces(engine *e) {
  for (piece *q = e->plan->pieces; q < e->plan->pieces + e->plan->piece_count; q++) {
    q->state = PIECE_WAITS;
    q->step = 0;
    q->current = NULL;
    if (q->schedule->length == 0)
      ghz_engine_advance(e, q);
  }
}

failure ghz_engine_run(plan *p, const payload *kind, payload_job *job, engine_space *space, MPI_Comm comm) {
  engine e = {.plan = p, .payload = kind, .job = job, .space = space, .comm = comm};
  reserve_arrays(&e, p, space);
  memset(e.finished, 0, p->turn_count * sizeof *e.finished);
  ghz_engine_check(&e, job->early_status);
  begin_pieces(&e);
  loop(&e);
  drain(&e);
  ghz_engine_cancel(&e);
  ghz_engine_release_pieces(&e);
  return e.failure;
}
