/* piece.c: takes pieces through their steps: encodes, receives, reduces, sends and decodes them.
 *
 * An operation of the payload may only begin work on a device. Then the buffer that it produces (or
 * reads, or moves) is pending, what that is made from is held, and the piece stands still until the
 * device is done. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "engine/internal.h"

enum { POLLED = 8 }; /* operations asked for at a time, the oldest; those behind them can hardly have ended */

static void release(engine *e, buffer *b) {
  ghz_buffer_release(e->job->pool, b);
}

/* ---- Operations ------------------------------------------------------------------------------ */

static void release_operands(engine *e, buffer *b) {
  for (int i = 0; i < 2; i++) {
    release(e, b->operands[i]);
    b->operands[i] = NULL;
  }
}

/* Notes how an operation went; and if it has only begun, that a device works on it. */
static void note_operation(engine *e, const piece *p, buffer *b, ghz_status status, double *seconds) {
  ghz_engine_check(e, status);
  if (!b->pending) {
    release_operands(e, b);
    return;
  }
  b->refs++;
  e->async[e->async_count++] = (async_op){b, piece_number(e->plan, p), seconds};
}

static void replace_current(engine *e, piece *p, buffer *by) {
  release(e, p->current);
  p->current = by;
}

/* This rank's contribution becomes the current buffer. */
static void encode(engine *e, piece *p) {
  buffer *out = ghz_buffer_acquire(e->job->pool);
  note_operation(e, p, out, e->payload->encode(e->job, p, out), &e->job->report->compress);
  replace_current(e, p, out);
}

/* ---- Receiving ------------------------------------------------------------------------------- */

/* The operands are held until a device is done with them. */
static void keep_operands(buffer *out, buffer *mine, buffer *theirs) {
  if (mine) {
    mine->refs++;
    out->operands[0] = mine;
  }
  theirs->refs++;
  out->operands[1] = theirs;
}

static void reduce(engine *e, piece *p, buffer *in) {
  buffer *out = ghz_buffer_acquire(e->job->pool);
  note_operation(e, p, out, e->payload->reduce(e->job, p, p->current, in, out), &e->job->report->combine);
  if (out->pending)
    keep_operands(out, p->current, in);
  replace_current(e, p, out);
}

static int is_abort_message(engine *e, const buffer *in) {
  abort_message message;
  const void *data = in->memory;
  if (in->size != ABORT_MESSAGE_SIZE)
    return 0;
  if (e->payload->peek) {
    ghz_engine_check(e, e->payload->peek(e->job, in, &message, ABORT_MESSAGE_SIZE));
    data = &message;
  }
  return engine_failed(e) || ghz_engine_read_abort(e, data);
}

/* Uses a message for the present step. After a failure messages are only counted. */
static void look_at(engine *e, piece *p, buffer *in) {
  if (engine_failed(e) || is_abort_message(e, in))
    return;
  ghz_engine_check(e, e->payload->validate(e->job, p, in));
  if (engine_failed(e))
    return;
  if (p->schedule->steps[p->step].kind == STEP_RECV) {
    in->refs++;
    replace_current(e, p, in);
  } else
    reduce(e, p, in);
}

/* The content that a piece has is not needed any more, but by what is in flight. */
static void pass(engine *e, const piece *p) {
  for (unsigned i = p->step; i-- > 0;) {
    finish(e, p->turns[i], PIECE);
    if (p->schedule->steps[i].kind != STEP_SEND)
      break;
  }
}

/* Returns 0 if the message is still to come. */
static int receive_step(engine *e, piece *p) {
  const uint32_t turn = p->turns[p->step];
  pass(e, p);
  buffer *in = turn < window_end(e) ? e->arrived[turn % WINDOW] : NULL;
  if (!in)
    return 0;
  e->arrived[turn % WINDOW] = NULL;
  look_at(e, p, in);
  release(e, in);
  return 1;
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* Whether the current buffer lies where MPI can send it from. If not, it will. */
static int is_sendable(engine *e, piece *p) {
  if (e->payload->make_sendable && !is_busy(p) && !engine_failed(e))
    note_operation(e, p, p->current, e->payload->make_sendable(e->job, p, p->current), &e->job->report->wait);
  return !is_busy(p);
}

/* A buffer that the next message replaces is needed by nobody but this send. Returns 0 if a device
 * works on it. */
static int send_step(engine *e, piece *p) {
  const schedule *s = p->schedule;
  if (!p->current && !engine_failed(e))
    encode(e, p);
  if (!is_sendable(e, p))
    return 0;
  ghz_engine_send(e, p);
  if (p->step + 1 < s->length && s->steps[p->step + 1].kind == STEP_RECV)
    replace_current(e, p, NULL);
  return 1;
}

/* ---- The end of a piece ---------------------------------------------------------------------- */

/* Whatever is still in flight holds buffers of its own. */
static void end(engine *e, piece *p) {
  int busy = is_busy(p);
  replace_current(e, p, NULL);
  p->state = PIECE_DONE;
  if (!busy)
    pass(e, p);
}

static void complete(engine *e, piece *p) {
  p->state = PIECE_COMPLETE;
  if (p->part->target)
    e->complete[e->completed++] = piece_number(e->plan, p);
  else
    end(e, p);
}

void ghz_engine_decode(engine *e, piece *p) {
  if (!p->current && !engine_failed(e)) /* a result that is this rank's own contribution */
    encode(e, p);
  if (is_busy(p))
    return;
  if (p->current && !engine_failed(e))
    note_operation(e, p, p->current, e->payload->decode(e->job, p, p->current), &e->job->report->decompress);
  end(e, p);
}

void ghz_engine_advance(engine *e, piece *p) {
  const schedule *s = p->schedule;
  for (; p->step < s->length && !engine_stopped(e) && !is_busy(p); p->step++)
    if (!(s->steps[p->step].kind == STEP_SEND ? send_step(e, p) : receive_step(e, p)))
      return;
  if (!engine_stopped(e) && !is_busy(p))
    complete(e, p);
}

void ghz_engine_release_pieces(engine *e) {
  for (int i = 0; i < WINDOW; i++)
    release(e, e->arrived[i]);
  for (uint32_t i = 0; i < e->plan->piece_count; i++)
    release(e, e->plan->pieces[i].current);
}

/* ---- Devices --------------------------------------------------------------------------------- */

/* Goes on where an operation has ended. */
static void end_async(engine *e, int index, ghz_status status) {
  async_op op = e->async[index];
  piece *p = &e->plan->pieces[op.piece];
  for (int i = index; i + 1 < e->async_count; i++)
    e->async[i] = e->async[i + 1];
  e->async_count--;
  op.buffer->pending = 0;
  release_operands(e, op.buffer);
  release(e, op.buffer);
  ghz_engine_check(e, status);
  if (p->state == PIECE_WAITS)
    ghz_engine_advance(e, p);
  else if (p->state == PIECE_COMPLETE)
    ghz_engine_decode(e, p);
  else
    pass(e, p);
}

int ghz_engine_poll_async(engine *e) {
  const int most = e->async_count == 0 ? 0 : e->payload->help ? ENGINE_ASYNC_OPS : POLLED;
  for (int i = 0; i < e->async_count && i < most; i++) {
    const async_op *op = &e->async[i];
    ghz_status status = GHZ_OK;
    if (e->payload->poll(e->job, &e->plan->pieces[op->piece], op->buffer, &status)) {
      end_async(e, i, status);
      return 1;
    }
  }
  return 0;
}
