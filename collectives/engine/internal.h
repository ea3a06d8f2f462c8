/* internal.h: the state of an engine, and what its files do for each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_INTERNAL_H
#define GHZ_MPI_INTERNAL_H

#include "engine/engine.h"

/* A request of MPI, and what it is for. */
typedef struct transfer {
  buffer *buffer; /* NULL: an abort message */
  size_t number;  /* a receive: its event; a send: how many events come before it */
  int is_receive;
} transfer;

/* An operation that a device works on. It holds the buffer. */
typedef struct async_op {
  buffer *buffer;
  uint32_t piece;
  double *seconds; /* the figure of the report that waiting for it counts for */
} async_op;

/* Pieces, by number, in the order in which they are to be looked at. */
typedef struct queue {
  uint32_t *pieces;
  size_t head, tail;
} queue;

typedef struct engine {
  plan *plan;
  const payload *payload;
  payload_job *job;
  engine_space *space;
  MPI_Comm comm;
  failure failure; /* the first one, which space->abort tells the others */

  MPI_Request *requests; /* in flight; transfers[i] belongs to requests[i] */
  transfer *transfers;
  int *indices; /* of MPI_Testsome */
  MPI_Status *statuses;
  int active, receiving; /* requests; receives among them */

  uint8_t *finished; /* one flag an event */
  size_t oldest;     /* the first event that is not finished */

  size_t next_receive, next_start;  /* events */
  queue arrived, complete;          /* pieces with an arrival to look at; pieces to be decoded */
  async_op async[ENGINE_ASYNC_OPS]; /* the oldest first */
  int async_count;
  int idle_polls; /* since there was something to do */
  double idle_since;
} engine;

static inline int engine_failed(const engine *e) {
  return failure_is(&e->failure);
}

/* MPI failed: no message can be relied on any more. */
static inline int engine_stopped(const engine *e) {
  return e->failure.mpi_code != MPI_SUCCESS;
}

static inline void queue_push(queue *q, uint32_t number) {
  q->pieces[q->tail++] = number;
}

/* ---- engine.c: the first failure ------------------------------------------------------------- */

/* Notes a status of this rank that is not GHZ_OK. */
void ghz_engine_check(engine *e, ghz_status status);

/* Notes a code that is not MPI_SUCCESS. Returns whether it is one. */
int ghz_engine_mpi_fails(engine *e, int code);

/* Notes the content of a message of ABORT_MESSAGE_SIZE bytes. Returns 0 if that is no abort
 * message. */
int ghz_engine_read_abort(engine *e, const void *message);

/* ---- transfer.c ------------------------------------------------------------------------------ */

/* Posts the receive of an event. */
void ghz_engine_post_receive(engine *e, size_t number);

/* Sends the current buffer of a piece to the peer of its present step; after a failure, an abort
 * message. */
void ghz_engine_send(engine *e, const piece *p);

/* Lets MPI work, and retires the requests that have completed; with `wait`, until one has. */
void ghz_engine_progress(engine *e, int wait);

/* Gives up the requests that MPI still has after it failed. */
void ghz_engine_cancel(engine *e);

/* ---- piece.c --------------------------------------------------------------------------------- */

/* Goes through the steps of a piece until it has to wait. */
void ghz_engine_advance(engine *e, piece *p);

/* Decodes a piece that is complete. */
void ghz_engine_decode(engine *e, piece *p);

/* Looks for an operation of a device that has ended, and goes on with its piece. Returns 0 if there
 * is none. */
int ghz_engine_poll_async(engine *e);

/* Releases what pieces still hold after a failure. */
void ghz_engine_release_pieces(engine *e);

/* ---- window.c -------------------------------------------------------------------------------- */

/* The most buffers that a plan takes at a time. `change` is scratch for one number more than there
 * are events, and one more. */
size_t ghz_window_buffers(plan *p, const payload *kind, int32_t *change);

/* Whether the work of an event may begin. */
int ghz_window_admits(const engine *e, size_t number);

/* The last event that a piece went through is finished. */
void ghz_window_finish(engine *e, const piece *p);

#endif
