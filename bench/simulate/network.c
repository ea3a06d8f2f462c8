/* network.c: owns virtual time, and the calls of MPI that the engine makes, in it.
 *
 * The rank with the least time runs, until it has more than another. A message up to 16 KiB leaves
 * at once, a longer one when its receive is posted. Posting or asking takes a core 0.3 us. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate.h"

#include "engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "../common/support.h"

enum { EAGER = 16 << 10, STACK = 256 << 10 };
static const double call = 0.3e-6, call_for_each = 10e-9; /* seconds of a core */
static const double memory = 100e9, copy = 10e9;          /* bytes per second of a node, and of a core */
static const double latency_in_node = 1.5e-6;

static machine cluster;
static void (*program)(void);

/* ---- Time ------------------------------------------------------------------------------------ */

static double now[RANKS_MOST], due[RANKS_MOST], soonest; /* due: INFINITY: it runs, or waits for others */
static int me, running;
static ucontext_t contexts[RANKS_MOST], home;

static int find_next(void) {
  int next = 0;
  for (int r = 1; r < cluster.ranks; r++)
    next = due[r] < due[next] ? r : next;
  return next;
}

static void enter(int r, ucontext_t *from) {
  if (due[r] == INFINITY)
    die("deadlock", "no rank can go on");
  now[r] = due[r];
  due[me = r] = INFINITY;
  soonest = due[find_next()];
  if (from != &contexts[r])
    swapcontext(from, &contexts[r]);
}

int simulated_rank(void) {
  return me;
}

void simulated_work(double seconds) {
  now[me] += seconds;
  if (now[me] <= soonest)
    return;
  due[me] = now[me];
  enter(find_next(), &contexts[me]);
}

static void run(void) {
  program();
  if (--running == 0)
    setcontext(&home);
  enter(find_next(), &contexts[me]);
}

/* ---- Messages -------------------------------------------------------------------------------- */

typedef struct message {
  int from, to, tag, is_send, is_eager, users;
  void *data;
  double head; /* the first bytes, all that a receiver looks at */
  size_t size;
  double posted, arrives, done; /* done < 0: not yet known */
  struct message *next;
} message;

static message *waiting[RANKS_MOST];                                              /* by receiver */
static double out_free[RANKS_MOST], in_free[RANKS_MOST], memory_free[RANKS_MOST]; /* by node */

/* Sets when the sender is rid of it, and when it arrives. */
static void carry(message *m, double at) {
  const int a = m->from / cluster.per_node, b = m->to / cluster.per_node;
  const double size = (double)m->size;
  if (a == b) {
    memory_free[a] = fmax(at, memory_free[a]) + size / memory;
    m->done = fmax(memory_free[a], at + size / copy);
    m->arrives = m->done + latency_in_node;
    return;
  }
  const double begin = fmax(at, out_free[a]);
  m->done = out_free[a] = begin + size / cluster.link;
  in_free[b] = fmax(begin, in_free[b]) + size / cluster.link;
  m->arrives = fmax(in_free[b], m->done) + cluster.latency;
}

static void drop(message *m) {
  if (--m->users == 0)
    free(m);
}

static void match(message *send, message *receive, int owner) {
  receive->size = send->size;
  memcpy(receive->data, &send->head, sizeof send->head);
  if (!send->is_eager)
    carry(send, fmax(send->posted, receive->posted));
  receive->done = fmax(send->arrives, receive->posted);
  const message *other = owner == send->from ? send : receive;
  if (other->users > 1) /* its owner has not forgotten it */
    due[owner] = fmin(due[owner], fmax(other->done, now[owner]));
  soonest = fmin(soonest, due[owner]);
}

static MPI_Request post(int is_send, void *data, int size, int from, int to, int tag) {
  simulated_work(call);
  message *m = touched(sizeof *m), **at = &waiting[to], *other;
  *m = (message){from,    to, tag, is_send, is_send && size <= EAGER, 1, data, 0, (size_t)size,
                 now[me], 0,  -1,  NULL};
  if (is_send)
    memcpy(&m->head, data, sizeof m->head);
  if (m->is_eager)
    carry(m, now[me]);
  while (*at && ((*at)->is_send == is_send || (*at)->from != from || (*at)->tag != tag))
    at = &(*at)->next;
  if ((other = *at)) {
    *at = other->next;
    match(is_send ? m : other, is_send ? other : m, is_send ? to : from);
    drop(other);
  } else {
    m->users++;
    *at = m;
  }
  return (MPI_Request)(void *)m;
}

/* ---- MPI ------------------------------------------------------------------------------------- */

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r) {
  (void)type, (void)comm;
  *r = post(1, (void *)(uintptr_t)data, n, me, to, tag);
  return MPI_SUCCESS;
}

int MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *r) {
  (void)type, (void)comm;
  *r = post(0, data, n, from, me, tag);
  return MPI_SUCCESS;
}

int MPI_Testsome(int n, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses) {
  *done = 0;
  simulated_work(call + call_for_each * n);
  for (int i = 0; i < n; i++) {
    message *m = (message *)(void *)requests[i];
    if (m->done < 0 || m->done > now[me])
      continue;
    statuses[*done].MPI_TAG = (int)m->size;
    indices[(*done)++] = i;
    requests[i] = MPI_REQUEST_NULL;
    drop(m);
  }
  return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *n) {
  (void)type;
  *n = status->MPI_TAG;
  return MPI_SUCCESS;
}

double MPI_Wtime(void) {
  return now[me];
}

/* These three stand for poll.c. */

int ghz_wait_some(int n, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses) {
  while (MPI_Testsome(n, requests, done, indices, statuses), !*done) {
    for (int i = 0; i < n; i++) {
      const message *m = (message *)(void *)requests[i];
      due[me] = m->done >= 0 ? fmin(due[me], fmax(m->done, now[me])) : due[me];
    }
    enter(find_next(), &contexts[me]);
  }
  return MPI_SUCCESS;
}

int ghz_wait(MPI_Request *request) {
  (void)request;
  die("ghz_wait", "no engine calls it");
}

void ghz_backoff(int polls) {
  (void)polls;
}

double simulated(const machine *m, void (*rank)(void)) {
  static char *stacks;
  double end = 0;
  if (!stacks && !(stacks = malloc((size_t)STACK * RANKS_MOST)))
    die("stacks", "no memory");
  cluster = *m;
  program = rank;
  running = m->ranks;
  for (int r = 0; r < m->ranks; r++) {
    now[r] = due[r] = out_free[r] = in_free[r] = memory_free[r] = 0;
    getcontext(&contexts[r]);
    contexts[r].uc_stack.ss_sp = stacks + (size_t)STACK * (size_t)r;
    contexts[r].uc_stack.ss_size = STACK;
    makecontext(&contexts[r], run, 0);
  }
  enter(0, &home);
  for (int r = 0; r < m->ranks; r++)
    end = fmax(end, now[r]);
  return end;
}
