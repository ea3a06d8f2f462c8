/* team.c: operations of a payload side by side, on threads of the library's own. An operation only
 * begins, and the engine asks for its end, as it asks a device.
 *
 * A team belongs to a workspace, so to one call at a time. Its threads sleep where nothing waits
 * for them. Each has a codec, scratch and figures of its own, the calling thread too, which is
 * the first member and works while the engine has nothing else to do. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "payload/payloads.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* To encode a piece; to reduce it, if there is something of theirs; to decode it; or a share. */
typedef struct task {
  _Atomic int *outcome; /* as in buffer */
  const piece *piece;
  const buffer *mine, *theirs;
  buffer *out; /* of a decoding: what is read */
  int decodes;
  team_work *work; /* of a share: */
  void *user;
  int share;
} task;

typedef struct member {
  team *team;
  pthread_t thread; /* but of the first */
  ghz_context *codec;
  buffer_pool scratch;
  payload_job job;
  ghz_mpi_report report;
  double cpu; /* of all tasks of a call */
} member;

struct team {
  pthread_mutex_t lock;
  pthread_cond_t wake; /* there is a task, or it is the end */
  int size, active;    /* members; those of this call */
  int refused, ends;
  unsigned first, last; /* first == last: no task waits */
  task tasks[ENGINE_ASYNC_OPS];
  member members[TEAM_MOST];
};

/* ---- Members --------------------------------------------------------------------------------- */

static ghz_status operate(member *m, const task *k) {
  const payload *p = &ghz_payload_homomorphic;
  return k->work      ? k->work(m->codec, k->user, k->share, m->team->active)
         : k->decodes ? p->decode(&m->job, k->piece, k->out)
         : k->theirs  ? p->reduce(&m->job, k->piece, k->mine, k->theirs, k->out)
                      : p->encode(&m->job, k->piece, k->out);
}

/* Does the next task, while it gives up the lock. Returns 0 if none waits. */
static int work(member *m) {
  team *t = m->team;
  if (t->first == t->last || m - t->members >= t->active)
    return 0;
  const task k = t->tasks[t->first++ % ENGINE_ASYNC_OPS];
  pthread_mutex_unlock(&t->lock);
  const double start = payload_seconds(m->job.has_clock);
  const ghz_status status = operate(m, &k);
  m->cpu += payload_seconds(m->job.has_clock) - start;
  atomic_store_explicit(k.outcome, 1 - (int)status, memory_order_release);
  pthread_mutex_lock(&t->lock);
  return 1;
}

/* In the default floating-point environment, as the calling thread: law L3. */
static void *live(void *user) {
  member *m = user;
  team *t = m->team;
  fesetenv(FE_DFL_ENV);
  pthread_mutex_lock(&t->lock);
  while (!t->ends)
    if (!work(m))
      pthread_cond_wait(&t->wake, &t->lock);
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

/* Signals are the program's. */
static int start(member *m) {
  sigset_t all, programs;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &programs);
  const int code = pthread_create(&m->thread, NULL, live, m);
  pthread_sigmask(SIG_SETMASK, &programs, NULL);
  return code == 0;
}

/* One more, if the system gives it. */
static int join(team *t) {
  static atomic_flag told = ATOMIC_FLAG_INIT;
  member *m = &t->members[t->size];
  m->team = t;
  if (ghz_context_create(&m->codec, 1) != GHZ_OK)
    return 0;
  if (t->size == 0 || start(m))
    return ++t->size;
  ghz_context_free(m->codec);
  t->refused = 1;
  if (!atomic_flag_test_and_set(&told))
    fprintf(stderr, "libghzmpi: the system gives no more threads: %d of this process compress\n", t->size);
  return 0;
}

/* ---- A workspace's --------------------------------------------------------------------------- */

team *ghz_team_of(team **kept, int threads, int has_clock) {
  team *t = *kept;
  if (threads < 2)
    return NULL;
  if (!t) {
    t = *kept = calloc(1, sizeof *t);
    if (!t)
      return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
  }
  threads = threads < TEAM_MOST ? threads : TEAM_MOST;
  while (t->size < threads && !t->refused && join(t))
    ;
  pthread_mutex_lock(&t->lock);
  t->active = t->size < threads ? t->size : threads;
  for (int i = 0; i < t->active; i++)
    t->members[i].job.has_clock = has_clock;
  pthread_mutex_unlock(&t->lock);
  return t->active > 1 ? t : NULL;
}

int ghz_team_reserve(team *t, const payload_job *job, uint64_t tiles, uint32_t terms) {
  const payload *p = &ghz_payload_homomorphic;
  int enough = 1;
  for (int i = 0; i < t->active; i++) {
    member *m = &t->members[i];
    enough = enough && ghz_buffer_pool_reserve(&m->scratch, p->capacity(job, tiles), (size_t)p->scratch) &&
             ghz_slice_reserve(m->codec, &(ghz_shape){.dims = 1}, tiles, job->lattice.type, terms) == GHZ_OK;
  }
  return enough;
}

void ghz_team_free(team *t) {
  if (!t)
    return;
  pthread_mutex_lock(&t->lock);
  t->ends = 1;
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->lock);
  for (int i = 0; i < t->size; i++) {
    if (i > 0)
      pthread_join(t->members[i].thread, NULL);
    ghz_context_free(t->members[i].codec);
    ghz_buffer_pool_free(&t->members[i].scratch);
  }
  pthread_cond_destroy(&t->wake);
  pthread_mutex_destroy(&t->lock);
  free(t);
}

/* ---- A call's -------------------------------------------------------------------------------- */

void ghz_team_enter(team *t) {
  for (int i = 0; t && i < t->size; i++)
    t->members[i].cpu = 0;
}

void ghz_team_begin(const payload_job *job) {
  team *t = job->team;
  for (int i = 0; t && i < t->active; i++) {
    member *m = &t->members[i];
    m->report = (ghz_mpi_report){0};
    m->job = *job;
    m->job.codec = m->codec;
    m->job.pool = &m->scratch;
    m->job.report = &m->report;
  }
}

/* Seconds are those of a thread, on average, but for `cpu`. That of the calling thread has its
 * shares of the agreement already. */
void ghz_team_end(payload_job *job) {
  team *t = job->team;
  if (!t) {
    job->report->threads = 1;
    job->report->cpu += job->report->compress + job->report->combine + job->report->decompress;
  }
  for (int i = 0; t && i < t->active; i++) {
    member *m = &t->members[i];
    job->report->threads++;
    job->report->cpu += i > 0 ? m->cpu : m->report.compress + m->report.combine + m->report.decompress;
    job->result += m->job.result;
    job->result_compressed += m->job.result_compressed;
    job->report->inexact |= m->report.inexact;
    job->report->compress += m->report.compress / t->active;
    job->report->combine += m->report.combine / t->active;
    job->report->decompress += m->report.decompress / t->active;
  }
}

/* There is room: the engine begins no more than so many, and a member has one share. */
static void put(team *t, task k) {
  atomic_store_explicit(k.outcome, 0, memory_order_relaxed);
  pthread_mutex_lock(&t->lock);
  t->tasks[t->last++ % ENGINE_ASYNC_OPS] = k;
  if (t->active == t->size)
    pthread_cond_signal(&t->wake);
  else /* or it may wake one that is not of this call */
    pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->lock);
}

static int has_ended(_Atomic int *outcome, ghz_status *status) {
  const int known = atomic_load_explicit(outcome, memory_order_acquire);
  *status = known ? (ghz_status)(1 - known) : GHZ_OK;
  return known;
}

/* ---- As a payload ---------------------------------------------------------------------------- */

static ghz_status begin(payload_job *job, task k) {
  k.out->pending = 1;
  k.outcome = &k.out->outcome;
  put(job->team, k);
  return GHZ_OK;
}

static ghz_status encode(payload_job *job, const piece *p, buffer *out) {
  return begin(job, (task){.piece = p, .out = out});
}

static ghz_status reduce(payload_job *job, const piece *p, const buffer *mine, const buffer *theirs,
                         buffer *out) {
  return begin(job, (task){.piece = p, .mine = mine, .theirs = theirs, .out = out});
}

static ghz_status decode(payload_job *job, const piece *p, const buffer *result) {
  return begin(job, (task){.piece = p, .out = (buffer *)(uintptr_t)result, .decodes = 1});
}

static int poll(payload_job *job, const piece *p, buffer *b, ghz_status *status) {
  (void)job, (void)p;
  return has_ended(&b->outcome, status);
}

static int work_here(team *t) {
  pthread_mutex_lock(&t->lock);
  const int worked = work(&t->members[0]);
  pthread_mutex_unlock(&t->lock);
  return worked;
}

static int help(payload_job *job) {
  return work_here(job->team);
}

/* Scratch is the members' own. */
const payload ghz_payload_team = {.capacity = ghz_payload_capacity,
                                  .encode = encode,
                                  .validate = ghz_payload_validate,
                                  .reduce = reduce,
                                  .decode = decode,
                                  .poll = poll,
                                  .help = help};

/* ---- Shares ---------------------------------------------------------------------------------- */

ghz_status ghz_team_each(team *t, team_work *share, void *user) {
  _Atomic int outcomes[TEAM_MOST];
  ghz_status first = GHZ_OK, status;
  for (int i = 0; i < t->active; i++)
    put(t, (task){.outcome = &outcomes[i], .work = share, .user = user, .share = i});
  for (int i = 0; i < t->active; i++) {
    while (!has_ended(&outcomes[i], &status))
      if (!work_here(t))
        sched_yield();
    first = first == GHZ_OK ? status : first;
  }
  return first;
}
