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

void ghz_engine_post_receive(engine *e, uint32_t turn) {
  buffer *in = ghz_buffer_acquire(e->job->pool);
  e->receiving++;
  const int code = MPI_Irecv(in->memory, (int)in->capacity, MPI_BYTE, turn_step(e->plan, turn)->peer,
                             (int)e->plan->turns[turn].piece, e->comm, &e->requests[e->active]);
  keep_request(e, code, (transfer){in, turn});
}

static void count_message(engine *e, const piece *p, const buffer *out) {
  ghz_mpi_report *report = e->job->report;
  report->raw_bytes += ghz_piece_values(p) * e->job->value_size;
  report->sent_bytes += out->size;
  report->messages++;
}

void ghz_engine_send(engine *e, const piece *p) {
  buffer *out = engine_failed(e) ? NULL : p->current;
  const void *data = out ? out->memory : (const void *)&e->space->abort;
  size_t size = out ? out->size : ABORT_MESSAGE_SIZE;
  if (out) {
    out->refs++;
    count_message(e, p, out);
  }
  const int code = MPI_Isend(data, (int)size, MPI_BYTE, p->schedule->steps[p->step].peer,
                             (int)piece_number(e->plan, p), e->comm, &e->requests[e->active]);
  keep_request(e, code, (transfer){out, p->turns[p->step]});
}

/* ---- Completion ------------------------------------------------------------------------------ */

static int is_receive(const engine *e, const transfer *t) {
  return turn_step(e->plan, t->turn)->kind != STEP_SEND;
}

/* Keeps a message, to be looked at. */
static void arrive(engine *e, const transfer *t, const MPI_Status *status) {
  int size = 0;
  MPI_Get_count(status, MPI_BYTE, &size);
  t->buffer->size = size < 0 ? 0 : (size_t)size;
  e->arrived[t->turn % WINDOW] = t->buffer;
  e->receiving--;
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
  if (is_receive(e, t))
    arrive(e, t, status);
  else
    ghz_buffer_release(e->job->pool, t->buffer);
  finish(e, t->turn, REQUEST);
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

void ghz_engine_progress(engine *e) {
  int done = 0;
  if (e->active == 0)
    return;
  const int code = MPI_Testsome(e->active, e->requests, &done, e->indices, e->statuses),
            in_status = code == MPI_ERR_IN_STATUS;
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
      if (is_receive(e, &e->transfers[i]))
        MPI_Cancel(&e->requests[i]);
      MPI_Request_free(&e->requests[i]);
    }
}
