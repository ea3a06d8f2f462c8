/* transfer.c: the requests of MPI: posts them, and hands on what has completed. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "engine/internal.h"

/* The last of the requests, if MPI has taken it. */
static void keep_request(engine *e, int code, transfer t) {
  if (ghz_engine_mpi_fails(e, code))
    ghz_buffer_release(e->job->pool, t.buffer);
  else
    e->transfers[e->active++] = t;
}

/* ---- Posting --------------------------------------------------------------------------------- */

void ghz_engine_post_receive(engine *e, size_t number) {
  const event *at = &e->plan->events[number];
  const int peer = e->plan->pieces[at->piece].schedule->steps[at->step].peer;
  buffer *in = ghz_buffer_acquire(e->job->pool);
  in->event = number;
  e->receiving++;
  const int code = MPI_Irecv(in->memory, (int)in->capacity, MPI_BYTE, peer, (int)at->piece, e->comm,
                             &e->requests[e->active]);
  keep_request(e, code, (transfer){in, number, 1});
}

static void count_message(engine *e, const piece *p, const buffer *out) {
  ghz_mpi_report *report = e->job->report;
  report->raw_bytes += ghz_piece_values(p) * e->job->value_size;
  report->sent_bytes += out->size;
  report->messages++;
}

void ghz_engine_send(engine *e, const piece *p) {
  const event at = ghz_plan_event(e->plan, piece_number(e->plan, p), p->step);
  buffer *out = engine_failed(e) ? NULL : p->current;
  const void *data = out ? out->data : (const void *)&e->space->abort;
  size_t size = out ? out->size : ABORT_MESSAGE_SIZE;
  if (out) {
    out->refs++;
    count_message(e, p, out);
  }
  const int code = MPI_Isend(data, (int)size, MPI_BYTE, p->schedule->steps[p->step].peer, (int)at.piece,
                             e->comm, &e->requests[e->active]);
  keep_request(e, code, (transfer){out, ghz_plan_number(e->plan, &at), 0});
}

/* ---- Completion ------------------------------------------------------------------------------ */

/* Puts a message beside its piece, to be looked at. */
static void arrive(engine *e, buffer *in, const MPI_Status *status) {
  const event *at = &e->plan->events[in->event];
  piece *p = &e->plan->pieces[at->piece];
  int size = 0;
  MPI_Get_count(status, MPI_BYTE, &size);
  in->size = size < 0 ? 0 : (size_t)size;
  in->next = p->arrivals;
  p->arrivals = in;
  e->receiving--;
  queue_push(&e->arrived, at->piece);
}

/* Deals with a request that has completed. A message that is too long for its buffer is a damaged
 * one. */
static void retire(engine *e, const transfer *t, const MPI_Status *status, int has_error) {
  int class = MPI_SUCCESS;
  if (has_error && status->MPI_ERROR != MPI_SUCCESS)
    MPI_Error_class(status->MPI_ERROR, &class);
  if (class == MPI_ERR_TRUNCATE)
    ghz_engine_check(e, GHZ_ECORRUPT);
  else if (class != MPI_SUCCESS && class != MPI_ERR_PENDING)
    ghz_engine_mpi_fails(e, status->MPI_ERROR);
  if (t->is_receive)
    arrive(e, t->buffer, status);
  else
    ghz_buffer_release(e->job->pool, t->buffer);
}

static void compact(engine *e) {
  int kept = 0;
  for (int i = 0; i < e->active; i++)
    if (e->requests[i] != MPI_REQUEST_NULL) {
      e->requests[kept] = e->requests[i];
      e->transfers[kept++] = e->transfers[i];
    }
  e->active = kept;
}

static int test_some(engine *e, int wait, int *done) {
  if (!wait)
    return MPI_Testsome(e->active, e->requests, done, e->indices, e->statuses);
  double start = MPI_Wtime();
  int code = ghz_wait_some(e->active, e->requests, done, e->indices, e->statuses);
  e->job->report->wait += MPI_Wtime() - start;
  return code;
}

void ghz_engine_progress(engine *e, int wait) {
  int done = 0;
  if (e->active == 0)
    return;
  int code = test_some(e, wait, &done), in_status = code == MPI_ERR_IN_STATUS;
  if ((!in_status && ghz_engine_mpi_fails(e, code)) || done == MPI_UNDEFINED)
    return;
  for (int i = 0; i < done; i++)
    retire(e, &e->transfers[e->indices[i]], &e->statuses[i], in_status);
  if (done)
    compact(e);
}

/* The buffers of these requests are lost, since MPI may still use them. */
void ghz_engine_cancel(engine *e) {
  for (int i = 0; i < e->active; i++)
    if (e->requests[i] != MPI_REQUEST_NULL) {
      if (e->transfers[i].is_receive)
        MPI_Cancel(&e->requests[i]);
      MPI_Request_free(&e->requests[i]);
    }
}
