/* engine.c: runs a plan.
 *
 * What has arrived or has to set out goes first, the smaller key before the larger, since somebody waits for it;
 * then what is complete is unpacked. Between any two operations of the codec MPI gets a chance to move messages.
 *
 * A payload may run async ops on a device: then an operation only begins when it is called, its piece stands still until it has
 * ended, and the engine turns to other pieces meanwhile. It asks for the ends of async ops as it asks MPI for messages.
 *
 * Why it cannot come to a standstill: all ranks order messages alike (event.key, then piece), and whatever a
 * message depends on has a smaller key. Take the smallest one that is not yet through: its receiver has posted
 * it, since it posts in that order; its sender has everything it needs, but maybe for an async op, which waits for no
 * message, and sends it, since only starts are ever held back, and those only while a message with a smaller key is under
 * way or an async op is run for it.
 */

#include "engine/engine.h"

#include "engine/poll.h"

enum {
  RECEIVES = 8,    /* posted at a time */
  SENDS = 2,       /* that starts may have under way: more would share the link, and all arrive late */
  UNDECODED = 16,  /* pieces that may wait to be unpacked while there is other work */
  ASYNC_SENDS = 6, /* as SENDS, with those that a device still compresses: kernels overlap. Not yet measured. */
  POLLED = 8       /* async ops asked for at a time, the oldest; those behind them can hardly have ended */
};

/* A request and what it is for. */
typedef struct transfer {
  buffer *buffer;
  const event *receive; /* NULL: a send */
  uint32_t piece;
  uint64_t key;
} transfer;

/* A piece of work that a device does, and what it does it for. It holds the buffer. */
typedef struct async_op {
  buffer *buffer;
  uint32_t piece;
  double *seconds; /* of the report: what it is when there is nothing to do but wait for it */
} async_op;

typedef struct engine {
  plan *plan;
  const payload *payload;
  payload_job *job;
  MPI_Comm comm;
  failures failures;
  MPI_Request *requests; /* under way, and what each is for */
  transfer *transfers;
  int *indices;
  MPI_Status *statuses;
  int active, receiving;
  size_t next_receive, next_start;
  uint32_t *arrived, *complete; /* queues of pieces: with a receive to look at; to be delivered */
  size_t arrived_head, arrived_tail, complete_head, complete_tail;
  async_op *async; /* under way, the oldest first */
  int async_count;
  int idle_polls; /* since there was something to do */
  double idle_since;
  engine_space *space;
} engine;

/* ---- Faults ------------------------------------------------------------------------------------------ */

static void fail(engine *c, failure_kind f, ghz_status status) {
  ghz_failure_local(&c->failures, f, status);
}

static int mpi_fails(engine *c, int code) {
  return ghz_failure_of_mpi(&c->failures, code);
}

static int failed(const engine *c) {
  return c->failures.first.kind != FAILURE_NONE;
}

static int stopped(const engine *c) {
  return c->failures.first.kind == FAILURE_MPI;
}

static int read_abort_message(engine *c, const buffer *p) {
  abort_message d;
  const void *message = p->data;
  if (p->size != ABORT_MESSAGE_SIZE)
    return 0;
  if (c->job->async) {
    ghz_failure_check(&c->failures, c->job->async->peek(c->job, p, &d, ABORT_MESSAGE_SIZE));
    message = &d;
  }
  return failed(c) || ghz_failure_read(&c->failures, message);
}

/* ---- Messages ---------------------------------------------------------------------------------------- */

static buffer *new_buffer(engine *c) {
  buffer *p = ghz_buffer_acquire(c->job->pool);
  if (!p)
    fail(c, FAILURE_MEMORY, GHZ_ENOMEM);
  return p;
}

static void drop(engine *c, buffer *p) {
  ghz_buffer_release(c->job->pool, p);
}

static void post_receive(engine *c, const event *e) {
  piece *p = &c->plan->pieces[e->piece];
  const step *h = &p->schedule->steps[e->step];
  buffer *in = new_buffer(c);
  size_t size = ghz_piece_values(c->plan, p) * c->job->value_size;
  int may_be_direct = in && h->kind == STEP_RECV && c->payload->direct_receive && size >= ABORT_MESSAGE_SIZE;
  uint8_t *direct = may_be_direct ? c->payload->direct_receive(c->job, p) : NULL;
  size_t capacity = direct ? size : in ? in->capacity : c->space->sink.bytes;
  if (in)
    in->data = direct ? direct : in->memory;
  c->transfers[c->active] = (transfer){in, e, e->piece, e->key};
  c->receiving++;
  if (!mpi_fails(c, MPI_Irecv(in ? in->data : c->space->sink.data, (int)capacity, MPI_BYTE, h->peer,
                              piece_tag(c->plan, p), c->comm, &c->requests[c->active])))
    c->active++;
  else
    drop(c, in);
}

static void post_receives(engine *c) {
  while (!stopped(c) && c->receiving < RECEIVES && c->next_receive < c->plan->receive_count)
    post_receive(c, &c->plan->receives[c->next_receive++]);
}

/* Sends what the piece is, or an abort message in its place. */
static void send(engine *c, piece *p, const step *h) {
  ghz_mpi_report *report = c->job->report;
  buffer *out = failed(c) ? NULL : p->current;
  const void *data = out ? out->data : (const void *)&c->space->abort;
  size_t size = out ? out->size : ABORT_MESSAGE_SIZE;
  if (out) {
    out->refs++;
    report->raw_bytes += ghz_piece_values(c->plan, p) * c->job->value_size;
    report->sent_bytes += out->size;
    report->messages++;
  }
  c->transfers[c->active] =
      (transfer){out, NULL, (uint32_t)(p - c->plan->pieces), ghz_plan_key(c->plan, p, h->round)};
  if (!mpi_fails(c, MPI_Isend(data, (int)size, MPI_BYTE, h->peer, piece_tag(c->plan, p), c->comm,
                              &c->requests[c->active])))
    c->active++;
  else
    drop(c, out);
}

/* ---- Async ops ----------------------------------------------------------------------------------------- */

static uint32_t piece_number(const engine *c, const piece *p) {
  return (uint32_t)(p - c->plan->pieces);
}

/* What a buffer is made from is not needed any more. */
static void release_operands(engine *c, buffer *q) {
  for (int i = 0; i < 2; i++) {
    drop(c, q->operands[i]);
    q->operands[i] = NULL;
  }
}

/* Notes how an operation went, and if it has only begun, that a device is at it. */
static void note_begun(engine *c, const piece *p, buffer *q, ghz_status status, double *seconds) {
  ghz_failure_check(&c->failures, status);
  if (!q->pending) {
    release_operands(c, q);
    return;
  }
  q->refs++;
  c->async[c->async_count++] = (async_op){q, piece_number(c, p), seconds};
}

/* Whether a piece has to wait for a device. After a failure nobody waits for what will not be used. */
static int is_waiting(const engine *c, const piece *p) {
  return p->current && p->current->pending && !failed(c);
}

/* Whether what a piece is lies where MPI can send it from; if not, it will. */
static int is_sendable(engine *c, piece *p) {
  if (failed(c))
    return 1;
  if (!is_waiting(c, p) && c->job->async)
    note_begun(c, p, p->current, c->job->async->make_sendable(c->job, p, p->current), &c->job->report->wait);
  return !is_waiting(c, p);
}

/* ---- Pieces ------------------------------------------------------------------------------------------ */

/* A buffer becomes what the piece is. */
static void replace_current(engine *c, piece *p, buffer *made) {
  drop(c, p->current);
  p->current = made;
}

static void encode(engine *c, piece *p) {
  buffer *out = new_buffer(c);
  if (!out)
    return;
  note_begun(c, p, out, c->payload->encode(c->job, p, out), &c->job->report->compress);
  replace_current(c, p, out);
}

static void receive(engine *c, piece *p, buffer *in) {
  const schedule *r = p->schedule;
  int moves_on = p->step + 1 < r->length && r->steps[p->step + 1].kind == STEP_SEND;
  if (!c->payload->forward || !moves_on) {
    in->refs++;
    replace_current(c, p, in);
    return;
  }
  buffer *out = new_buffer(c);
  if (!out)
    return;
  note_begun(c, p, out, c->payload->forward(c->job, p, in, out), &c->job->report->compress);
  replace_current(c, p, out);
}

/* What is reduced is held until that has ended. */
static void keep_operands(buffer *out, buffer *mine, buffer *theirs) {
  if (mine) {
    mine->refs++;
    out->operands[0] = mine;
  }
  theirs->refs++;
  out->operands[1] = theirs;
}

static void reduce(engine *c, piece *p, buffer *in) {
  buffer *out = new_buffer(c);
  if (!out)
    return;
  note_begun(c, p, out, c->payload->reduce(c->job, p, p->current, in, out), &c->job->report->combine);
  if (out->pending)
    keep_operands(out, p->current, in);
  replace_current(c, p, out);
}

/* Looks at what arrived for the present step. */
static void look_at(engine *c, piece *p, buffer *in) {
  if (failed(c) || read_abort_message(c, in))
    return;
  ghz_status status = c->payload->validate(c->job, p, in);
  if (status != GHZ_OK)
    fail(c, status == GHZ_ENOMEM ? FAILURE_MEMORY : FAILURE_MESSAGE, status);
  else if (p->schedule->steps[p->step].kind == STEP_RECV)
    receive(c, p, in);
  else
    reduce(c, p, in);
}

/* Whether the message for a step came, and was lost. */
static int lost(const piece *p) {
  return (int)(p->lost[p->step / 64] >> p->step % 64 & 1);
}

/* What arrived for a step, taken out of the piece's list; NULL: nothing yet. */
static buffer *arrival(piece *p) {
  for (buffer **link = &p->arrivals; *link; link = &(*link)->next)
    if ((*link)->step == p->step) {
      buffer *in = *link;
      *link = in->next;
      return in;
    }
  return NULL;
}

static void finish(engine *c, piece *p) {
  p->finished = 1;
  if (p->part->target)
    c->complete[c->complete_tail++] = (uint32_t)(p - c->plan->pieces);
  else {
    drop(c, p->current);
    p->current = NULL;
  }
}

/* Sends what the piece is, which nobody needs any more if something takes its place. Returns 0 if it has to wait. */
static int send_step(engine *c, piece *p, const step *h) {
  if (!p->current && !failed(c))
    encode(c, p);
  if (!is_sendable(c, p))
    return 0;
  send(c, p, h);
  if (p->step + 1 < p->schedule->length && h[1].kind == STEP_RECV) {
    drop(c, p->current);
    p->current = NULL;
  }
  return 1;
}

/* Goes on with a piece until it has to wait. */
static void advance(engine *c, piece *p) {
  const schedule *r = p->schedule;
  if (p->finished)
    return;
  while (p->step < r->length && !stopped(c) && !is_waiting(c, p)) {
    const step *h = &r->steps[p->step];
    if (h->kind == STEP_SEND) {
      if (!send_step(c, p, h))
        return;
    } else {
      buffer *in = arrival(p);
      if (!in && !lost(p))
        return;
      if (in)
        look_at(c, p, in);
      drop(c, in);
    }
    p->step++;
  }
  if (!stopped(c) && !is_waiting(c, p))
    finish(c, p);
}

/* A rank's own contribution may first have to be loaded. */
static void decode(engine *c, piece *p) {
  if (!p->current && !failed(c))
    encode(c, p);
  if (is_waiting(c, p))
    return;
  if (p->current && !failed(c))
    note_begun(c, p, p->current, c->payload->decode(c->job, p, p->current), &c->job->report->decompress);
  drop(c, p->current);
  p->current = NULL;
}

/* Goes on where an async op was run. */
static void end_async(engine *c, int index, ghz_status status) {
  async_op e = c->async[index];
  piece *p = &c->plan->pieces[e.piece];
  for (int i = index; i + 1 < c->async_count; i++)
    c->async[i] = c->async[i + 1];
  c->async_count--;
  e.buffer->pending = 0;
  release_operands(c, e.buffer);
  drop(c, e.buffer);
  ghz_failure_check(&c->failures, status);
  if (p->finished && p->current)
    decode(c, p);
  else
    advance(c, p);
}

/* Asks for async ops, and goes on with the first one that has ended. Returns 0 if none has. */
static int poll_async(engine *c) {
  for (int i = 0; i < c->async_count && i < POLLED; i++) {
    const async_op *e = &c->async[i];
    ghz_status status = GHZ_OK;
    if (c->job->async->poll(c->job, &c->plan->pieces[e->piece], e->buffer, &status)) {
      end_async(c, i, status);
      return 1;
    }
  }
  return 0;
}

/* ---- The loop ---------------------------------------------------------------------------------------- */

static void arrive(engine *c, const transfer *t, const MPI_Status *status) {
  piece *p = &c->plan->pieces[t->piece];
  unsigned at = t->receive->step;
  int size = 0;
  c->receiving--;
  c->arrived[c->arrived_tail++] = t->piece;
  if (!t->buffer) {
    p->lost[at / 64] |= UINT64_C(1) << at % 64;
    return;
  }
  MPI_Get_count(status, MPI_BYTE, &size);
  t->buffer->size = size < 0 ? 0 : (size_t)size;
  t->buffer->step = at;
  t->buffer->next = p->arrivals;
  p->arrivals = t->buffer;
}

/* Deals with a request that is through. A message for which there was no room counts as one that says nothing.
 */
static void retire(engine *c, int index, const MPI_Status *status, int failed) {
  const transfer *t = &c->transfers[index];
  int class = MPI_SUCCESS;
  if (failed && status->MPI_ERROR != MPI_SUCCESS)
    MPI_Error_class(status->MPI_ERROR, &class);
  if (class == MPI_ERR_TRUNCATE && t->buffer)
    fail(c, FAILURE_MESSAGE, GHZ_ECORRUPT);
  else if (class != MPI_SUCCESS && class != MPI_ERR_TRUNCATE && class != MPI_ERR_PENDING)
    mpi_fails(c, status->MPI_ERROR);
  if (t->receive)
    arrive(c, t, status);
  else
    drop(c, t->buffer);
}

static void compact(engine *c) {
  int kept = 0;
  for (int i = 0; i < c->active; i++)
    if (c->requests[i] != MPI_REQUEST_NULL) {
      c->requests[kept] = c->requests[i];
      c->transfers[kept++] = c->transfers[i];
    }
  c->active = kept;
}

/* Lets MPI work; with `wait`, until a request is through. */
static void progress(engine *c, int wait) {
  int done = 0, code;
  double start = MPI_Wtime();
  if (c->active == 0)
    return;
  if (wait)
    code = ghz_wait_some(c->active, c->requests, &done, c->indices, c->statuses);
  else
    code = MPI_Testsome(c->active, c->requests, &done, c->indices, c->statuses);
  if (wait)
    c->job->report->wait += MPI_Wtime() - start;
  int in_status = code == MPI_ERR_IN_STATUS;
  if ((!in_status && mpi_fails(c, code)) || done == MPI_UNDEFINED)
    return;
  for (int i = 0; i < done; i++)
    retire(c, c->indices[i], &c->statuses[i], in_status);
  if (done)
    compact(c);
}

static int is_before(uint64_t key, uint32_t index, const event *e) {
  return key < e->key || (key == e->key && index < e->piece);
}

/* Whether an async op is run for a message that comes before a start in the order. */
static int async_before(const engine *c, const event *e) {
  for (int i = 0; i < c->async_count; i++) {
    const piece *p = &c->plan->pieces[c->async[i].piece];
    if (p->step < p->schedule->length &&
        is_before(ghz_plan_key(c->plan, p, p->schedule->steps[p->step].round), c->async[i].piece, e))
      return 1;
  }
  return 0;
}

/* Whether the next start may set out: few sends are under way, or none of them comes before it in the order. */
static int may_start(const engine *c) {
  const event *e = &c->plan->starts[c->next_start];
  int sends = c->active - c->receiving + c->async_count, most = c->job->async ? ASYNC_SENDS : SENDS;
  int before = sends >= most && async_before(c, e);
  for (int i = 0; sends >= most && i < c->active && !before; i++)
    before = !c->transfers[i].receive && is_before(c->transfers[i].key, c->transfers[i].piece, e);
  return sends < most || !before;
}

/* Whether a piece that can start has a smaller key than the next one that arrived. */
static int start_is_first(const engine *c) {
  const piece *p = &c->plan->pieces[c->arrived[c->arrived_head]];
  return !p->finished &&
         c->plan->starts[c->next_start].key < ghz_plan_key(c->plan, p, p->schedule->steps[p->step].round);
}

static void start(engine *c) {
  advance(c, &c->plan->pieces[c->plan->starts[c->next_start++].piece]);
}

/* One thing to do, the most urgent. Returns 0 if there is none. */
static int work(engine *c) {
  size_t waiting = c->complete_tail - c->complete_head;
  if (c->async_count && poll_async(c))
    return 1;
  int can_start = c->next_start < c->plan->start_count && may_start(c),
      arrived = c->arrived_head < c->arrived_tail;
  if (arrived && can_start && start_is_first(c))
    start(c);
  else if (arrived)
    advance(c, &c->plan->pieces[c->arrived[c->arrived_head++]]);
  else if (can_start && waiting < UNDECODED)
    start(c);
  else if (waiting)
    decode(c, &c->plan->pieces[c->complete[c->complete_head++]]);
  else
    return 0;
  return 1;
}

/* Nothing to do but ask again, MPI and the device: the time goes to what the device has been at for longest. */
static void idle(engine *c) {
  double now = MPI_Wtime();
  if (c->idle_polls)
    *c->async[0].seconds += now - c->idle_since;
  c->idle_since = now;
  ghz_give_way(c->idle_polls++);
}

/* Whenever it waits, all receives that may be posted are: `work` had nothing to do, so nothing has arrived. */
static void run(engine *c) {
  while (!stopped(c)) {
    post_receives(c);
    progress(c, 0);
    if (work(c))
      c->idle_polls = 0;
    else if (c->async_count)
      idle(c);
    else if (c->active)
      progress(c, 1);
    else
      return;
  }
}

/* ---- Beginning and end ------------------------------------------------------------------------------- */

static int reserve_arrays(engine *c, engine_space *space) {
  const plan *p = c->plan;
  growing *a = space->arrays;
  size_t transfers = p->send_count + RECEIVES;
  c->requests = grow(&a[0], transfers, sizeof *c->requests);
  c->transfers = grow(&a[1], transfers, sizeof *c->transfers);
  c->indices = grow(&a[2], transfers, sizeof *c->indices);
  c->statuses = grow(&a[3], transfers, sizeof *c->statuses);
  c->arrived = grow(&a[4], p->receive_count, sizeof *c->arrived);
  c->complete = grow(&a[5], p->piece_count, sizeof *c->complete);
  c->async = grow(&a[6], p->piece_count, sizeof *c->async);
  return c->requests && c->transfers && c->indices && c->statuses && c->arrived && c->complete && c->async &&
         transfers < INT32_MAX;
}

int ghz_engine_prepare(engine_space *space, plan *p, size_t capacity) {
  engine c = {.plan = p};
  return reserve_arrays(&c, space) && grow(&space->sink, capacity, 1);
}

void ghz_engine_free(engine_space *space) {
  for (int i = 0; i < 7; i++)
    grow_free(&space->arrays[i]);
  grow_free(&space->sink);
}

/* Gives up what MPI still has after it failed. The buffers of those requests are lost, since MPI may still look_at
 * them. */
static void cancel_requests(engine *c) {
  for (int i = 0; i < c->active; i++)
    if (c->requests[i] != MPI_REQUEST_NULL) {
      if (c->transfers[i].receive)
        MPI_Cancel(&c->requests[i]);
      MPI_Request_free(&c->requests[i]);
    }
}

/* Waits for the device, which must not work on what others will look_at. */
static void drain_async(engine *c) {
  for (int polls = 0; c->async_count; polls++)
    if (!poll_async(c))
      ghz_give_way(polls);
}

/* After a failure pieces may still hold buffers. */
static void clear(engine *c) {
  for (uint32_t i = 0; i < c->plan->piece_count; i++) {
    piece *p = &c->plan->pieces[i];
    for (buffer *in = p->arrivals, *next; in; in = next) {
      next = in->next;
      drop(c, in);
    }
    drop(c, p->current);
  }
}

failure ghz_engine_run(plan *p, const payload *kind, payload_job *job, engine_space *space, MPI_Comm comm) {
  engine c = {.plan = p,
              .payload = kind,
              .job = job,
              .comm = comm,
              .failures = {.abort = &space->abort, .rank = p->at.rank},
              .space = space};
  if (reserve_arrays(&c, space)) {
    ghz_failure_check(&c.failures, job->early_status);
    run(&c);
    drain_async(&c);
    cancel_requests(&c);
    clear(&c);
  } else
    fail(&c, FAILURE_MEMORY, GHZ_ENOMEM);
  return c.failures.first;
}
