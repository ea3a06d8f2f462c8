/* conveyor.c: runs a plan.
 *
 * What has arrived or has to set out goes first, the smaller key before the larger, since somebody waits for it;
 * then what is complete is unpacked. Between any two operations of the codec MPI gets a chance to move messages.
 *
 * Why it cannot come to a standstill: all ranks order messages alike (event.key, then piece), and whatever a
 * message depends on has a smaller key. Take the smallest one that is not yet through: its receiver has posted
 * it, since it posts in that order; its sender has everything it needs, and sends it, since only starts are
 * ever held back, and those only while a message with a smaller key is under way.
 */

#include "conveyor.h"

#include <stddef.h>
#include <string.h>

#include "patience.h"

enum {
  RECEIVES = 8,    /* posted at a time */
  SENDS = 2,       /* that starts may have under way: more would share the link, and all arrive late */
  UNDELIVERED = 16 /* pieces that may wait to be unpacked while there is other work */
};

/* No message of a cargo is so long: compressed ones are longer, and plain ones are whole floats. */
enum { DISTRESS_SIZE = offsetof(distress, end) + 1 };

static const char distress_magic[4] = {'G', 'H', 'Z', '!'};

/* A request and what it is for. */
typedef struct transfer {
  parcel *parcel;
  const event *receipt; /* NULL: a send */
  uint32_t piece;
  uint64_t key;
} transfer;

typedef struct conveyor {
  plan *plan;
  const cargo *cargo;
  cargo_job *job;
  MPI_Comm comm;
  outcome outcome;
  MPI_Request *requests; /* under way, and what each is for */
  transfer *transfers;
  int *indices;
  MPI_Status *statuses;
  int active, receiving;
  size_t next_receipt, next_start;
  uint32_t *arrived, *complete; /* queues of pieces: with a receipt to look at; to be delivered */
  size_t arrived_head, arrived_tail, complete_head, complete_tail;
  conveyor_space *space;
} conveyor;

/* ---- Faults ------------------------------------------------------------------------------------------ */

/* The first fault counts, but for one of MPI: then nothing can be sent any more. */
static void note(conveyor *c, outcome o) {
  if (c->outcome.fault == FAULT_NONE) {
    c->outcome = o;
    memcpy(c->space->distress.magic, distress_magic, sizeof distress_magic);
    c->space->distress.fault = o.fault;
    c->space->distress.rank = o.rank;
    c->space->distress.status = o.status;
  }
  if (o.fault == FAULT_MPI)
    c->outcome = o;
}

static void fail(conveyor *c, fault f, ghz_status status) {
  note(c, (outcome){f, c->plan->at.rank, MPI_SUCCESS, status});
}

static void check(conveyor *c, ghz_status status) {
  if (status != GHZ_OK)
    fail(c, status == GHZ_ENOMEM ? FAULT_MEMORY : FAULT_CODEC, status);
}

static int mpi_failed(conveyor *c, int code) {
  if (code != MPI_SUCCESS)
    note(c, (outcome){FAULT_MPI, c->plan->at.rank, code, GHZ_OK});
  return code != MPI_SUCCESS;
}

static int stopped(const conveyor *c) {
  return c->outcome.fault == FAULT_MPI;
}

static int read_distress(conveyor *c, const parcel *p) {
  distress d;
  if (p->size != DISTRESS_SIZE)
    return 0;
  memcpy(&d, p->data, DISTRESS_SIZE);
  if (memcmp(d.magic, distress_magic, sizeof d.magic))
    return 0;
  note(c, (outcome){d.fault == FAULT_MEMORY || d.fault == FAULT_CODEC ? (fault)d.fault : FAULT_MESSAGE, d.rank,
                    MPI_SUCCESS, (ghz_status)d.status});
  return 1;
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
  parcel *out = c->outcome.fault ? NULL : p->cargo;
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

/* ---- Pieces ------------------------------------------------------------------------------------------ */

/* Has a cargo make a new parcel, which becomes what the piece is. */
static void become(conveyor *c, piece *p, parcel *made, ghz_status status) {
  check(c, status);
  drop(c, p->cargo);
  p->cargo = made;
}

static void load(conveyor *c, piece *p) {
  parcel *out = new_parcel(c);
  if (out)
    become(c, p, out, c->cargo->load(c->job, p, out));
}

static void take(conveyor *c, piece *p, parcel *in) {
  const route *r = p->route;
  int moves_on = p->hop + 1 < r->length && r->hops[p->hop + 1].kind == HOP_SEND;
  if (!c->cargo->relay || !moves_on) {
    in->holds++;
    become(c, p, in, GHZ_OK);
    return;
  }
  parcel *out = new_parcel(c);
  if (out)
    become(c, p, out, c->cargo->relay(c->job, p, in, out));
}

static void merge(conveyor *c, piece *p, parcel *in) {
  parcel *out = new_parcel(c);
  if (out)
    become(c, p, out, c->cargo->merge(c->job, p, p->cargo, in, out));
}

/* Looks at what arrived for the present hop. */
static void use(conveyor *c, piece *p, parcel *in) {
  if (c->outcome.fault || read_distress(c, in))
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

/* Goes on with a piece until it has to wait. */
static void advance(conveyor *c, piece *p) {
  const route *r = p->route;
  if (p->finished)
    return;
  while (p->hop < r->length && !stopped(c)) {
    const hop *h = &r->hops[p->hop];
    if (h->kind == HOP_SEND) {
      if (!p->cargo && !c->outcome.fault)
        load(c, p);
      send(c, p, h);
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
  if (!stopped(c))
    finish(c, p);
}

static void deliver(conveyor *c, piece *p) {
  if (!p->cargo && !c->outcome.fault)
    load(c, p);
  if (!c->outcome.fault)
    check(c, c->cargo->deliver(c->job, p, p->cargo));
  drop(c, p->cargo);
  p->cargo = NULL;
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

/* Whether the next start may set out: few sends are under way, or none of them comes before it in the order. */
static int may_start(const conveyor *c) {
  const event *e = &c->plan->starts[c->next_start];
  int sends = c->active - c->receiving, before = 0;
  for (int i = 0; sends >= SENDS && i < c->active && !before; i++) {
    const transfer *t = &c->transfers[i];
    before = !t->receipt && (t->key < e->key || (t->key == e->key && t->piece < e->piece));
  }
  return sends < SENDS || !before;
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

/* Whenever it waits, all receives that may be posted are: `work` had nothing to do, so nothing has arrived. */
static void run(conveyor *c) {
  while (!stopped(c)) {
    post_receives(c);
    progress(c, 0);
    if (work(c))
      continue;
    if (c->active == 0)
      return;
    progress(c, 1);
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
  return c->requests && c->transfers && c->indices && c->statuses && c->arrived && c->complete &&
         transfers < INT32_MAX;
}

int ghz_conveyor_prepare(conveyor_space *space, plan *p, size_t room) {
  conveyor c = {.plan = p};
  return lay_out(&c, space) && grow(&space->sink, room, 1);
}

void ghz_conveyor_free(conveyor_space *space) {
  for (int i = 0; i < 6; i++)
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
  conveyor c = {.plan = p, .cargo = kind, .job = job, .comm = comm, .space = space};
  if (lay_out(&c, space)) {
    run(&c);
    give_up(&c);
    clear(&c);
  } else
    fail(&c, FAULT_MEMORY, GHZ_ENOMEM);
  return c.outcome;
}
