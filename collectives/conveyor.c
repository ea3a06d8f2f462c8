/* conveyor.c: runs a plan.
 *
 * What has arrived or has to set out goes first, the smaller key before the larger, since somebody waits for it;
 * then what is complete is unpacked. Between any two operations of the codec MPI gets a chance to move messages.
 *
 * A cargo may run errands on a device: then an operation only begins when it is called, its piece stands still until it has
 * ended, and the conveyor turns to other pieces meanwhile. It asks for the ends of errands as it asks MPI for messages.
 *
 * Why it cannot come to a standstill: all ranks order messages alike (event.key, then piece), and whatever a
 * message depends on has a smaller key. Take the smallest one that is not yet through: its receiver has posted
 * it, since it posts in that order; its sender has everything it needs, but maybe for an errand, which waits for no
 * message, and sends it, since only starts are ever held back, and those only while a message with a smaller key is under
 * way or an errand is run for it.
 */

#include "conveyor.h"

#include "patience.h"

enum {
  RECEIVES = 8,     /* posted at a time */
  SENDS = 2,        /* that starts may have under way: more would share the link, and all arrive late */
  UNDELIVERED = 16, /* pieces that may wait to be unpacked while there is other work */
  ERRAND_SENDS =
      6,    /* as SENDS, with those that a device still compresses: kernels overlap. Not yet measured. */
  ASKED = 8 /* errands asked for at a time, the oldest; those behind them can hardly have ended */
};

/* A request and what it is for. */
typedef struct transfer {
  parcel *parcel;
  const event *receipt; /* NULL: a send */
  uint32_t piece;
  uint64_t key;
} transfer;

/* A piece of work that a device does, and what it does it for. It holds the parcel. */
typedef struct errand {
  parcel *parcel;
  uint32_t piece;
  double *seconds; /* of the report: what it is when there is nothing to do but wait for it */
} errand;

typedef struct conveyor {
  plan *plan;
  const cargo *cargo;
  cargo_job *job;
  MPI_Comm comm;
  faults faults;
  MPI_Request *requests; /* under way, and what each is for */
  transfer *transfers;
  int *indices;
  MPI_Status *statuses;
  int active, receiving;
  size_t next_receipt, next_start;
  uint32_t *arrived, *complete; /* queues of pieces: with a receipt to look at; to be delivered */
  size_t arrived_head, arrived_tail, complete_head, complete_tail;
  errand *errands; /* under way, the oldest first */
  int errand_count;
  int idle_polls; /* since there was something to do */
  double idle_since;
  conveyor_space *space;
} conveyor;

/* ---- Faults ------------------------------------------------------------------------------------------ */

static void fail(conveyor *c, fault f, ghz_status status) {
  ghz_fault_fail(&c->faults, f, status);
}

static int mpi_failed(conveyor *c, int code) {
  return ghz_fault_of_mpi(&c->faults, code);
}

static int failed(const conveyor *c) {
  return c->faults.outcome.fault != FAULT_NONE;
}

static int stopped(const conveyor *c) {
  return c->faults.outcome.fault == FAULT_MPI;
}

static int read_distress(conveyor *c, const parcel *p) {
  distress d;
  const void *message = p->data;
  if (p->size != DISTRESS_SIZE)
    return 0;
  if (c->job->errands) {
    ghz_fault_check(&c->faults, c->job->errands->peek(c->job, p, &d, DISTRESS_SIZE));
    message = &d;
  }
  return failed(c) || ghz_fault_read(&c->faults, message);
}

/* ---- Messages ---------------------------------------------------------------------------------------- */

static parcel *new_parcel(conveyor *c) {
  parcel *p = ghz_parcel_take(c->job->pool);
  if (!p)
    fail(c, FAULT_MEMORY, GHZ_ENOMEM);
  return p;
}

static void drop(conveyor *c, parcel *p) {
  ghz_parcel_drop(c->job->pool, p);
}

static void post_receive(conveyor *c, const event *e) {
  piece *p = &c->plan->pieces[e->piece];
  const hop *h = &p->route->hops[e->hop];
  parcel *in = new_parcel(c);
  size_t size = ghz_piece_values(c->plan, p) * c->job->value_size;
  int may_land = in && h->kind == HOP_TAKE && c->cargo->landing && size >= DISTRESS_SIZE;
  uint8_t *landing = may_land ? c->cargo->landing(c->job, p) : NULL;
  size_t room = landing ? size : in ? in->room : c->space->sink.bytes;
  if (in)
    in->data = landing ? landing : in->memory;
  c->transfers[c->active] = (transfer){in, e, e->piece, e->key};
  c->receiving++;
  if (!mpi_failed(c, MPI_Irecv(in ? in->data : c->space->sink.data, (int)room, MPI_BYTE, h->peer,
                               piece_tag(c->plan, p), c->comm, &c->requests[c->active])))
    c->active++;
  else
    drop(c, in);
}

static void post_receives(conveyor *c) {
  while (!stopped(c) && c->receiving < RECEIVES && c->next_receipt < c->plan->receipt_count)
    post_receive(c, &c->plan->receipts[c->next_receipt++]);
}

/* Sends what the piece is, or a distress in its place. */
static void send(conveyor *c, piece *p, const hop *h) {
  ghz_mpi_report *report = c->job->report;
  parcel *out = failed(c) ? NULL : p->cargo;
  const void *data = out ? out->data : (const void *)&c->space->distress;
  size_t size = out ? out->size : DISTRESS_SIZE;
  if (out) {
    out->holds++;
    report->raw_bytes += ghz_piece_values(c->plan, p) * c->job->value_size;
    report->sent_bytes += out->size;
    report->messages++;
  }
  c->transfers[c->active] =
      (transfer){out, NULL, (uint32_t)(p - c->plan->pieces), ghz_plan_key(c->plan, p, h->step)};
  if (!mpi_failed(c, MPI_Isend(data, (int)size, MPI_BYTE, h->peer, piece_tag(c->plan, p), c->comm,
                               &c->requests[c->active])))
    c->active++;
  else
    drop(c, out);
}

/* ---- Errands ----------------------------------------------------------------------------------------- */

static uint32_t number(const conveyor *c, const piece *p) {
  return (uint32_t)(p - c->plan->pieces);
}

/* What a parcel is made from is not needed any more. */
static void let_go(conveyor *c, parcel *q) {
  for (int i = 0; i < 2; i++) {
    drop(c, q->made_from[i]);
    q->made_from[i] = NULL;
  }
}

/* Notes how an operation went, and if it has only begun, that a device is at it. */
static void began(conveyor *c, const piece *p, parcel *q, ghz_status status, double *seconds) {
  ghz_fault_check(&c->faults, status);
  if (!q->pending) {
    let_go(c, q);
    return;
  }
  q->holds++;
  c->errands[c->errand_count++] = (errand){q, number(c, p), seconds};
}

/* Whether a piece has to wait for a device. After a fault nobody waits for what will not be used. */
static int is_waiting(const conveyor *c, const piece *p) {
  return p->cargo && p->cargo->pending && !failed(c);
}

/* Whether what a piece is lies where MPI can send it from; if not, it will. */
static int is_staged(conveyor *c, piece *p) {
  if (failed(c))
    return 1;
  if (!is_waiting(c, p) && c->job->errands)
    began(c, p, p->cargo, c->job->errands->stage(c->job, p, p->cargo), &c->job->report->wait);
  return !is_waiting(c, p);
}

/* ---- Pieces ------------------------------------------------------------------------------------------ */

/* A parcel becomes what the piece is. */
static void become(conveyor *c, piece *p, parcel *made) {
  drop(c, p->cargo);
  p->cargo = made;
}

static void load(conveyor *c, piece *p) {
  parcel *out = new_parcel(c);
  if (!out)
    return;
  began(c, p, out, c->cargo->load(c->job, p, out), &c->job->report->compress);
  become(c, p, out);
}

static void take(conveyor *c, piece *p, parcel *in) {
  const route *r = p->route;
  int moves_on = p->hop + 1 < r->length && r->hops[p->hop + 1].kind == HOP_SEND;
  if (!c->cargo->relay || !moves_on) {
    in->holds++;
    become(c, p, in);
    return;
  }
  parcel *out = new_parcel(c);
  if (!out)
    return;
  began(c, p, out, c->cargo->relay(c->job, p, in, out), &c->job->report->compress);
  become(c, p, out);
}

/* What is merged is held until that has ended. */
static void hold_operands(parcel *out, parcel *mine, parcel *theirs) {
  if (mine) {
    mine->holds++;
    out->made_from[0] = mine;
  }
  theirs->holds++;
  out->made_from[1] = theirs;
}

static void merge(conveyor *c, piece *p, parcel *in) {
  parcel *out = new_parcel(c);
  if (!out)
    return;
  began(c, p, out, c->cargo->merge(c->job, p, p->cargo, in, out), &c->job->report->combine);
  if (out->pending)
    hold_operands(out, p->cargo, in);
  become(c, p, out);
}

/* Looks at what arrived for the present hop. */
static void use(conveyor *c, piece *p, parcel *in) {
  if (failed(c) || read_distress(c, in))
    return;
  ghz_status status = c->cargo->accept(c->job, p, in);
  if (status != GHZ_OK)
    fail(c, status == GHZ_ENOMEM ? FAULT_MEMORY : FAULT_MESSAGE, status);
  else if (p->route->hops[p->hop].kind == HOP_TAKE)
    take(c, p, in);
  else
    merge(c, p, in);
}

/* Whether the message for a hop came, and was lost. */
static int lost(const piece *p) {
  return (int)(p->lost[p->hop / 64] >> p->hop % 64 & 1);
}

/* What arrived for a hop, taken out of the piece's list; NULL: nothing yet. */
static parcel *arrival(piece *p) {
  for (parcel **link = &p->arrivals; *link; link = &(*link)->next)
    if ((*link)->hop == p->hop) {
      parcel *in = *link;
      *link = in->next;
      return in;
    }
  return NULL;
}

static void finish(conveyor *c, piece *p) {
  p->finished = 1;
  if (p->part->target)
    c->complete[c->complete_tail++] = (uint32_t)(p - c->plan->pieces);
  else {
    drop(c, p->cargo);
    p->cargo = NULL;
  }
}

/* Sends what the piece is, which nobody needs any more if something takes its place. Returns 0 if it has to wait. */
static int set_out(conveyor *c, piece *p, const hop *h) {
  if (!p->cargo && !failed(c))
    load(c, p);
  if (!is_staged(c, p))
    return 0;
  send(c, p, h);
  if (p->hop + 1 < p->route->length && h[1].kind == HOP_TAKE) {
    drop(c, p->cargo);
    p->cargo = NULL;
  }
  return 1;
}

/* Goes on with a piece until it has to wait. */
static void advance(conveyor *c, piece *p) {
  const route *r = p->route;
  if (p->finished)
    return;
  while (p->hop < r->length && !stopped(c) && !is_waiting(c, p)) {
    const hop *h = &r->hops[p->hop];
    if (h->kind == HOP_SEND) {
      if (!set_out(c, p, h))
        return;
    } else {
      parcel *in = arrival(p);
      if (!in && !lost(p))
        return;
      if (in)
        use(c, p, in);
      drop(c, in);
    }
    p->hop++;
  }
  if (!stopped(c) && !is_waiting(c, p))
    finish(c, p);
}

/* A rank's own contribution may first have to be loaded. */
static void deliver(conveyor *c, piece *p) {
  if (!p->cargo && !failed(c))
    load(c, p);
  if (is_waiting(c, p))
    return;
  if (p->cargo && !failed(c))
    began(c, p, p->cargo, c->cargo->deliver(c->job, p, p->cargo), &c->job->report->decompress);
  drop(c, p->cargo);
  p->cargo = NULL;
}

/* Goes on where an errand was run. */
static void end_errand(conveyor *c, int index, ghz_status status) {
  errand e = c->errands[index];
  piece *p = &c->plan->pieces[e.piece];
  for (int i = index; i + 1 < c->errand_count; i++)
    c->errands[i] = c->errands[i + 1];
  c->errand_count--;
  e.parcel->pending = 0;
  let_go(c, e.parcel);
  drop(c, e.parcel);
  ghz_fault_check(&c->faults, status);
  if (p->finished && p->cargo)
    deliver(c, p);
  else
    advance(c, p);
}

/* Asks for errands, and goes on with the first one that has ended. Returns 0 if none has. */
static int finish_errand(conveyor *c) {
  for (int i = 0; i < c->errand_count && i < ASKED; i++) {
    const errand *e = &c->errands[i];
    ghz_status status = GHZ_OK;
    if (c->job->errands->ended(c->job, &c->plan->pieces[e->piece], e->parcel, &status)) {
      end_errand(c, i, status);
      return 1;
    }
  }
  return 0;
}

/* ---- The loop ---------------------------------------------------------------------------------------- */

static void arrive(conveyor *c, const transfer *t, const MPI_Status *status) {
  piece *p = &c->plan->pieces[t->piece];
  unsigned at = t->receipt->hop;
  int size = 0;
  c->receiving--;
  c->arrived[c->arrived_tail++] = t->piece;
  if (!t->parcel) {
    p->lost[at / 64] |= UINT64_C(1) << at % 64;
    return;
  }
  MPI_Get_count(status, MPI_BYTE, &size);
  t->parcel->size = size < 0 ? 0 : (size_t)size;
  t->parcel->hop = at;
  t->parcel->next = p->arrivals;
  p->arrivals = t->parcel;
}

/* Deals with a request that is through. A message for which there was no room counts as one that says nothing.
 */
static void retire(conveyor *c, int index, const MPI_Status *status, int failed) {
  const transfer *t = &c->transfers[index];
  int class = MPI_SUCCESS;
  if (failed && status->MPI_ERROR != MPI_SUCCESS)
    MPI_Error_class(status->MPI_ERROR, &class);
  if (class == MPI_ERR_TRUNCATE && t->parcel)
    fail(c, FAULT_MESSAGE, GHZ_ECORRUPT);
  else if (class != MPI_SUCCESS && class != MPI_ERR_TRUNCATE && class != MPI_ERR_PENDING)
    mpi_failed(c, status->MPI_ERROR);
  if (t->receipt)
    arrive(c, t, status);
  else
    drop(c, t->parcel);
}

static void compact(conveyor *c) {
  int kept = 0;
  for (int i = 0; i < c->active; i++)
    if (c->requests[i] != MPI_REQUEST_NULL) {
      c->requests[kept] = c->requests[i];
      c->transfers[kept++] = c->transfers[i];
    }
  c->active = kept;
}

/* Lets MPI work; with `wait`, until a request is through. */
static void progress(conveyor *c, int wait) {
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
  if ((!in_status && mpi_failed(c, code)) || done == MPI_UNDEFINED)
    return;
  for (int i = 0; i < done; i++)
    retire(c, c->indices[i], &c->statuses[i], in_status);
  if (done)
    compact(c);
}

static int is_before(uint64_t key, uint32_t index, const event *e) {
  return key < e->key || (key == e->key && index < e->piece);
}

/* Whether an errand is run for a message that comes before a start in the order. */
static int errand_before(const conveyor *c, const event *e) {
  for (int i = 0; i < c->errand_count; i++) {
    const piece *p = &c->plan->pieces[c->errands[i].piece];
    if (p->hop < p->route->length &&
        is_before(ghz_plan_key(c->plan, p, p->route->hops[p->hop].step), c->errands[i].piece, e))
      return 1;
  }
  return 0;
}

/* Whether the next start may set out: few sends are under way, or none of them comes before it in the order. */
static int may_start(const conveyor *c) {
  const event *e = &c->plan->starts[c->next_start];
  int sends = c->active - c->receiving + c->errand_count, most = c->job->errands ? ERRAND_SENDS : SENDS;
  int before = sends >= most && errand_before(c, e);
  for (int i = 0; sends >= most && i < c->active && !before; i++)
    before = !c->transfers[i].receipt && is_before(c->transfers[i].key, c->transfers[i].piece, e);
  return sends < most || !before;
}

/* Whether a piece that can start has a smaller key than the next one that arrived. */
static int start_is_first(const conveyor *c) {
  const piece *p = &c->plan->pieces[c->arrived[c->arrived_head]];
  return !p->finished &&
         c->plan->starts[c->next_start].key < ghz_plan_key(c->plan, p, p->route->hops[p->hop].step);
}

static void start(conveyor *c) {
  advance(c, &c->plan->pieces[c->plan->starts[c->next_start++].piece]);
}

/* One thing to do, the most urgent. Returns 0 if there is none. */
static int work(conveyor *c) {
  size_t waiting = c->complete_tail - c->complete_head;
  if (c->errand_count && finish_errand(c))
    return 1;
  int can_start = c->next_start < c->plan->start_count && may_start(c),
      arrived = c->arrived_head < c->arrived_tail;
  if (arrived && can_start && start_is_first(c))
    start(c);
  else if (arrived)
    advance(c, &c->plan->pieces[c->arrived[c->arrived_head++]]);
  else if (can_start && waiting < UNDELIVERED)
    start(c);
  else if (waiting)
    deliver(c, &c->plan->pieces[c->complete[c->complete_head++]]);
  else
    return 0;
  return 1;
}

/* Nothing to do but ask again, MPI and the device: the time goes to what the device has been at for longest. */
static void idle(conveyor *c) {
  double now = MPI_Wtime();
  if (c->idle_polls)
    *c->errands[0].seconds += now - c->idle_since;
  c->idle_since = now;
  ghz_give_way(c->idle_polls++);
}

/* Whenever it waits, all receives that may be posted are: `work` had nothing to do, so nothing has arrived. */
static void run(conveyor *c) {
  while (!stopped(c)) {
    post_receives(c);
    progress(c, 0);
    if (work(c))
      c->idle_polls = 0;
    else if (c->errand_count)
      idle(c);
    else if (c->active)
      progress(c, 1);
    else
      return;
  }
}

/* ---- Beginning and end ------------------------------------------------------------------------------- */

static int lay_out(conveyor *c, conveyor_space *space) {
  const plan *p = c->plan;
  growing *a = space->arrays;
  size_t transfers = p->send_count + RECEIVES;
  c->requests = grow(&a[0], transfers, sizeof *c->requests);
  c->transfers = grow(&a[1], transfers, sizeof *c->transfers);
  c->indices = grow(&a[2], transfers, sizeof *c->indices);
  c->statuses = grow(&a[3], transfers, sizeof *c->statuses);
  c->arrived = grow(&a[4], p->receipt_count, sizeof *c->arrived);
  c->complete = grow(&a[5], p->piece_count, sizeof *c->complete);
  c->errands = grow(&a[6], p->piece_count, sizeof *c->errands);
  return c->requests && c->transfers && c->indices && c->statuses && c->arrived && c->complete && c->errands &&
         transfers < INT32_MAX;
}

int ghz_conveyor_prepare(conveyor_space *space, plan *p, size_t room) {
  conveyor c = {.plan = p};
  return lay_out(&c, space) && grow(&space->sink, room, 1);
}

void ghz_conveyor_free(conveyor_space *space) {
  for (int i = 0; i < 7; i++)
    grow_free(&space->arrays[i]);
  grow_free(&space->sink);
}

/* Gives up what MPI still has after it failed. The buffers of those requests are lost, since MPI may still use
 * them. */
static void give_up(conveyor *c) {
  for (int i = 0; i < c->active; i++)
    if (c->requests[i] != MPI_REQUEST_NULL) {
      if (c->transfers[i].receipt)
        MPI_Cancel(&c->requests[i]);
      MPI_Request_free(&c->requests[i]);
    }
}

/* Waits for the device, which must not work on what others will use. */
static void call_back(conveyor *c) {
  for (int polls = 0; c->errand_count; polls++)
    if (!finish_errand(c))
      ghz_give_way(polls);
}

/* After a fault pieces may still hold parcels. */
static void clear(conveyor *c) {
  for (uint32_t i = 0; i < c->plan->piece_count; i++) {
    piece *p = &c->plan->pieces[i];
    for (parcel *in = p->arrivals, *next; in; in = next) {
      next = in->next;
      drop(c, in);
    }
    drop(c, p->cargo);
  }
}

outcome ghz_conveyor_run(plan *p, const cargo *kind, cargo_job *job, conveyor_space *space, MPI_Comm comm) {
  conveyor c = {.plan = p,
                .cargo = kind,
                .job = job,
                .comm = comm,
                .faults = {.distress = &space->distress, .rank = p->at.rank},
                .space = space};
  if (lay_out(&c, space)) {
    ghz_fault_check(&c.faults, job->trouble);
    run(&c);
    call_back(&c);
    give_up(&c);
    clear(&c);
  } else
    fail(&c, FAULT_MEMORY, GHZ_ENOMEM);
  return c.faults.outcome;
}
