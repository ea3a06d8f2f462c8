/* internal.h: the state of an engine, and what its files do for each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_INTERNAL_H
#define GHZ_MPI_INTERNAL_H

#include "engine/engine.h"

/* A request of MPI, and what it is for. */
typedef struct transfer {
  buffer *buffer; /* NULL: an abort message */
  uint32_t turn;
} transfer;

/* An operation that a device works on. It holds the buffer. */
typedef struct async_op {
  buffer *buffer;
  uint32_t piece;
  double *seconds; /* the figure of the report that waiting for it counts for */
} async_op;

enum { REQUEST = 1, PIECE = 2 };

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

  uint8_t *finished;                /* of each turn: its REQUEST, and its PIECE, which goes on without it */
  uint32_t oldest;                  /* the first turn that is not finished; */
  uint32_t next;                    /* that to be posted next, if it is a receive */
  buffer *arrived[WINDOW];          /* messages of the turns in the window, modulo, not looked at yet */
  uint32_t *complete;               /* pieces to be decoded, of which */
  size_t completed, decoded;        /* so many there are, and so many are */
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

static inline int is_busy(const piece *p) {
  return p->current && p->current->pending;
}

static inline uint32_t window_end(const engine *e) {
  const uint32_t all = e->plan->turn_count;
  return all - e->oldest < WINDOW ? all : e->oldest + WINDOW;
}

/* What of a turn is finished. */
static inline void finish(engine *e, uint32_t number, uint8_t what) {
  e->finished[number] |= what;
  while (e->oldest < e->plan->turn_count && e->finished[e->oldest] == (REQUEST | PIECE))
    e->oldest++;
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

void ghz_engine_post_receive(engine *e, uint32_t turn);

/* Sends the current buffer of a piece to the peer of its present step; after a failure, an abort
 * message. */
void ghz_engine_send(engine *e, const piece *p);

/* Lets MPI work, and retires the requests that have completed. */
void ghz_engine_progress(engine *e);

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

#endif
