/* engines.c: many engines in one process, without MPI: every schedule on 1 to 64 ranks, over a
 * network on which a message leaves when its receiver has asked for it and no sooner, and news of
 * that come late. A thread is a rank. Nothing hangs, every result is right, a rank that cannot
 * begin or go on is known to all that wait for it, and all buffers are there for the next call. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/engine.h"
#include "payload/payloads.h"
#include "shows.h"
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64, PIECE = 2048, VALUES = 24 * PIECE };

#define VISIBLE __attribute__((visibility("default")))

/* ---- The network ----------------------------------------------------------------------------- */

typedef struct message {
  int from, to, tag, is_send;
  void *data;
  size_t size; /* of a receive: room; once matched, what came */
  int matched, late;
  struct message *next;
} message;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static message *waiting[MOST]; /* by receiver: sends and receives that nothing matches yet */
static uint64_t dice = 1;
static _Thread_local int me;

static unsigned draw(unsigned below) {
  dice = dice * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(dice >> 33) % below;
}

static MPI_Request post(int is_send, void *data, int size, int from, int to, int tag) {
  message *m = malloc(sizeof *m), **at;
  *m = (message){from, to, tag, is_send, data, (size_t)size, 0, 0, NULL};
  pthread_mutex_lock(&lock);
  m->late = (int)draw(6);
  for (at = &waiting[to]; *at; at = &(*at)->next)
    if ((*at)->is_send != is_send && (*at)->from == from && (*at)->tag == tag)
      break;
  if (*at) { /* the oldest of the pair, as MPI has it */
    message *other = *at, *send = is_send ? m : other, *receive = is_send ? other : m;
    *at = other->next;
    if (send->size > receive->size)
      abort();
    memcpy(receive->data, send->data, send->size);
    receive->size = send->size;
    m->matched = other->matched = 1;
  } else {
    *at = m;
  }
  pthread_mutex_unlock(&lock);
  return (MPI_Request)(void *)m;
}

VISIBLE int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                      MPI_Request *r) {
  (void)type, (void)comm;
  *r = post(1, (void *)(uintptr_t)data, n, me, to, tag);
  return MPI_SUCCESS;
}

VISIBLE int MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *r) {
  (void)type, (void)comm;
  *r = post(0, data, n, from, me, tag);
  return MPI_SUCCESS;
}

VISIBLE int MPI_Testsome(int n, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses) {
  *done = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < n; i++) {
    message *m = (message *)(void *)requests[i];
    if (!m->matched || m->late-- > 0)
      continue;
    statuses[*done].MPI_TAG = (int)m->size;
    indices[(*done)++] = i;
    requests[i] = MPI_REQUEST_NULL;
    free(m);
  }
  pthread_mutex_unlock(&lock);
  sched_yield();
  return MPI_SUCCESS;
}

VISIBLE int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *n) {
  (void)type;
  *n = status->MPI_TAG;
  return MPI_SUCCESS;
}

VISIBLE double MPI_Wtime(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static const show *now;
static int ranks, root, in_bins;
static int fails; /* the rank that fails; -1: none */
static int after; /* so many operations; -1: before the first message */
static ghz_status fails_with;
static atomic_int struck;
static int wrong;

static int reduces(void) { return now->gives == BY_ALL; }

/* ---- A payload that fails -------------------------------------------------------------------- */

static const payload *works = &ghz_payload_homomorphic;
static _Thread_local int left; /* operations of this rank until one fails */

static ghz_status sabotaged(void) {
  if (me != fails || after < 0 || left-- != 0)
    return GHZ_OK;
  struck = 1;
  return fails_with;
}

static ghz_status encode(payload_job *job, const piece *p, buffer *out) {
  const ghz_status status = sabotaged();
  return status == GHZ_OK ? works->encode(job, p, out) : status;
}

/* What arrives is cut short; the size of its first bin is wrong, or it has a byte of no bin. */
static ghz_status validate(payload_job *job, const piece *p, buffer *in) {
  if (sabotaged() != GHZ_OK) {
    if (fails_with != GHZ_ECORRUPT || !in_bins)
      in->size /= 2;
    else if (in->size % 2)
      memset(in->memory, 0xff, 8);
    else
      in->size++;
  }
  return works->validate(job, p, in);
}

static ghz_status reduce(payload_job *job, const piece *p, const buffer *mine, const buffer *theirs,
                         buffer *out) {
  const ghz_status status = sabotaged();
  return status == GHZ_OK ? works->reduce(job, p, mine, theirs, out) : status;
}

static ghz_status decode(payload_job *job, const piece *p, const buffer *result) {
  const ghz_status status = sabotaged();
  return status == GHZ_OK ? works->decode(job, p, result) : status;
}

static const payload saboteur = {.capacity = ghz_payload_capacity,
                                 .encode = encode,
                                 .validate = validate,
                                 .reduce = reduce,
                                 .decode = decode,
                                 .scratch = 3};

/* ---- One rank -------------------------------------------------------------------------------- */

/* With bins some values are set apart. */
static float given(int rank, int block, size_t i) {
  return in_bins && i % 5000 == 0 ? 1e25f : (float)((i * 7 + (size_t)block * 13) % 100 + (size_t)rank);
}

static void complain(int rank, const char *what) {
  fprintf(stderr, "%s on %d ranks, root %d, %d fails after %d operations with %d, bins %d: rank %d: %s\n",
          now->name, ranks, root, fails, after, (int)fails_with, in_bins, rank, what);
  wrong = 1;
}

static void check(int rank, int parts, size_t n, const float *y) {
  for (int b = 0; b < parts; b++)
    for (size_t i = 0; i < n && has(now->gets, rank, b, root); i++) {
      float want = 0;
      for (int r = 0; r < ranks; r++)
        if (reduces() || has(now->gives, r, b, root))
          want += given(r, b, i);
      if (!(fabsf(y[(size_t)b * n + i] - want) <= (in_bins ? 1e-6f * want : 0))) {
        complain(rank, "another result");
        return;
      }
    }
}

/* Buffers that nobody holds. */
static int idle(const buffer_pool *pool) {
  int n = 0;
  for (const buffer *b = pool->idle; b; b = b->next)
    n++;
  return n;
}

static layout layout_of(int parts, size_t n) {
  layout l = {.shape = ghz_flat(n),
              .type = GHZ_F32,
              .parts = parts,
              .segments = 1,
              .piece_values = PIECE,
              .columns_first = now->columns_first};
  if (now->cut == IN_SEGMENTS)
    l.segments = ranks;
  if (now->cut == BY_HALVING)
    l.segments = ghz_halving_segments(ranks, ghz_shape_tiles(&l.shape));
  return l;
}

static void *run(void *argument) {
  const int rank = (int)(intptr_t)argument, parts = now->cut == IN_BLOCKS ? ranks : 1;
  const size_t n = parts > 1 ? 3 * PIECE : VALUES;
  buffer_pool pool = {0};
  plan p = {0};
  engine_space space = {0};
  ghz_mpi_report report = {0};
  float *x = malloc((size_t)parts * n * sizeof *x), *y = calloc((size_t)parts * n, sizeof *y);
  const layout l = layout_of(parts, n);
  bins b = {0};
  exponents counts = {.failed = 0};
  me = rank;
  left = after;
  payload_job job = {.pool = &pool,
                     .plan = &p,
                     .rank = rank,
                     .order = GHZ_ORDER_BEST,
                     .reduction = reduces() ? REDUCE_SUM : REDUCE_NONE,
                     .contributions = 1,
                     .total_contributions = (uint64_t)ranks,
                     .value_size = sizeof(float),
                     .report = &report,
                     .early_status = rank == fails && after < 0 ? fails_with : GHZ_OK};
  int ok = ghz_context_create(&job.codec, 1) == GHZ_OK &&
           ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 0.5 * 64 / 63}, 0, 0, &job.lattice) == GHZ_OK &&
           ghz_plan_cut(&p, &l, NULL, NULL, (position){rank, ranks, root, 0}, now->build);
  for (int k = 0; k < parts && ok; k++) {
    for (size_t i = 0; i < n; i++)
      x[(size_t)k * n + i] = given(rank, k, i);
    part_lies(&p.parts[k], has(now->gives, rank, k, root) ? x + (size_t)k * n : NULL,
              has(now->gets, rank, k, root) ? y + (size_t)k * n : NULL);
  }
  if (in_bins) { /* the same on all ranks */
    for (size_t i = 0; i < n; i++)
      y[i] = given(0, 0, i);
    ghz_exponents_add(&counts, y, n, NAN);
    ok &= ghz_float_bins(&counts, MOST, &b) && b.count == 2;
    job.bins = &b;
  }
  if (!ok || !ghz_engine_prepare(&space, &p, &saboteur, &job))
    complain(rank, "no plan");
  const int buffers = idle(&pool);
  const failure f = ghz_engine_run(&p, &saboteur, &job, &space, MPI_COMM_WORLD);
  if (idle(&pool) != buffers)
    complain(rank, "a buffer is lost");
  if (failure_is(&f) && (fails < 0 || f.rank != fails))
    complain(rank, "a failure without a reason");
  if (fails == rank && (after < 0 || left < 0) && !failure_is(&f))
    complain(rank, "its failure is lost");
  if (!failure_is(&f) && fails < 0)
    check(rank, parts, n, y);
  ghz_context_free(job.codec);
  ghz_buffer_pool_free(&pool);
  ghz_plan_free(&p);
  ghz_engine_free(&space);
  free(x);
  free(y);
  return NULL;
}

static void run_all(void) {
  pthread_t threads[MOST];
  alarm(120);
  for (int r = 0; r < ranks; r++)
    pthread_create(&threads[r], NULL, run, (void *)(intptr_t)r);
  for (int r = 0; r < ranks; r++)
    pthread_join(threads[r], NULL);
  for (int r = 0; r < ranks; r++)
    if (waiting[r])
      complain(r, "a message that nobody receives");
}

/* A rank that cannot go on, at some operation. */
static void fail_some(void) {
  for (int t = 0; t < 8; t++) {
    root = (int)draw((unsigned)ranks);
    in_bins = reduces() && t % 2;
    fails = (int)draw((unsigned)ranks);
    after = (int)draw(t < 4 ? 8 : 40);
    fails_with = t % 4 < 2 ? GHZ_ENOMEM : GHZ_ECORRUPT;
    run_all();
  }
  in_bins = reduces();
  fails = -1;
  run_all();
  in_bins = 0;
}

int main(void) {
  static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 23, 64};
  for (int s = 0; s < SHOWS; s++)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      now = &shows[s];
      ranks = sizes[k];
      for (int turn = ranks == 1; turn < 2; turn++) {
        root = ranks * turn / 2;
        fails = turn ? ranks / 3 : -1;
        after = -1;
        fails_with = GHZ_ENOMEM;
        run_all();
      }
      if (ranks < 6)
        fail_some();
    }
  if (!struck)
    fputs("no operation failed\n", stderr);
  return wrong || !struck;
}
