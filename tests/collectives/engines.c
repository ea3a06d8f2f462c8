/* engines.c: many engines in one process, without MPI: every schedule on 2 to 64 ranks, over a
 * network on which a message leaves when its receiver has asked for it and no sooner, and news of
 * that come late. A thread is a rank. Nothing hangs, every result is right, and a rank that fails
 * is known to all that wait for it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/engine.h"
#include <pthread.h>
#include <sched.h>
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

typedef enum holders { BY_ALL, BY_OWNER, BY_ROOT } holders; /* as in collective.h */

static const struct show {
  const char *name;
  schedule_builder build;
  int segments; /* 0: as many as ranks; -1: those of halving; -2: a part for each rank */
  int columns_first, reduces;
  holders gives, gets;
} shows[] = {{"ring allreduce", ghz_ring_allreduce, 0, 0, 1, BY_ALL, BY_ALL},
             {"halving allreduce", ghz_halving_allreduce, -1, 1, 1, BY_ALL, BY_ALL},
             {"doubling allreduce", ghz_halving_allreduce, 1, 1, 1, BY_ALL, BY_ALL},
             {"ring reduce", ghz_ring_reduce, 0, 0, 1, BY_ALL, BY_ROOT},
             {"tree reduce", ghz_tree_reduce, 1, 1, 1, BY_ALL, BY_ROOT},
             {"tree bcast", ghz_tree_bcast, 1, 1, 0, BY_ROOT, BY_ALL},
             {"chain bcast", ghz_chain_bcast, 1, 1, 0, BY_ROOT, BY_ALL},
             {"ring reduce_scatter", ghz_ring_reduce_scatter, -2, 0, 1, BY_ALL, BY_OWNER},
             {"ring allgather", ghz_ring_allgather, -2, 0, 0, BY_OWNER, BY_ALL},
             {"tree scatter", ghz_tree_scatter, -2, 0, 0, BY_ROOT, BY_OWNER},
             {"linear scatter", ghz_linear_scatter, -2, 1, 0, BY_ROOT, BY_OWNER},
             {"tree gather", ghz_tree_gather, -2, 0, 0, BY_OWNER, BY_ROOT},
             {"linear gather", ghz_linear_gather, -2, 1, 0, BY_OWNER, BY_ROOT}};

enum { SHOWS = sizeof shows / sizeof *shows };

static const struct show *show;
static int ranks, root, fails; /* the rank that fails; -1: none */
static int wrong;

static int has(holders h, int rank, int block) {
  return h == BY_ALL || (h == BY_OWNER ? rank == block : rank == root);
}

static float given(int rank, int block, size_t i) {
  return (float)((i * 7 + (size_t)block * 13) % 100 + (size_t)rank);
}

static void complain(int rank, const char *what) {
  fprintf(stderr, "%s on %d ranks, root %d, failing %d: rank %d: %s\n", show->name, ranks, root, fails, rank,
          what);
  wrong = 1;
}

static void check(int rank, int parts, size_t n, const float *y) {
  for (int b = 0; b < parts; b++)
    for (size_t i = 0; i < n && has(show->gets, rank, b); i++) {
      float want = 0;
      for (int r = 0; r < ranks; r++)
        if (show->reduces || has(show->gives, r, b))
          want += given(r, b, i);
      if (y[(size_t)b * n + i] != want) {
        complain(rank, "another result");
        return;
      }
    }
}

static layout layout_of(int parts, size_t n) {
  const ghz_shape flat = ghz_flat(n);
  layout l = {.type = GHZ_F32,
              .parts = parts,
              .segments = 1,
              .piece_values = PIECE,
              .columns_first = show->columns_first};
  ghz_layout_set_shape(&l, &flat);
  if (show->segments <= 0 && show->segments > -2)
    l.segments = show->segments ? ghz_halving_segments(ranks, ghz_shape_tiles(&flat)) : ranks;
  return l;
}

static void *run(void *argument) {
  const int rank = (int)(intptr_t)argument, parts = show->segments == -2 ? ranks : 1;
  const size_t n = parts > 1 ? 3 * PIECE : VALUES;
  buffer_pool pool = {0};
  plan p = {0};
  engine_space space = {0};
  ghz_mpi_report report = {0};
  float *x = malloc((size_t)parts * n * sizeof *x), *y = calloc((size_t)parts * n, sizeof *y);
  const layout l = layout_of(parts, n);
  me = rank;
  payload_job job = {.pool = &pool,
                     .plan = &p,
                     .rank = rank,
                     .order = GHZ_ORDER_BEST,
                     .reduction = show->reduces ? REDUCE_SUM : REDUCE_NONE,
                     .contributions = 1,
                     .total_contributions = (uint64_t)ranks,
                     .value_size = sizeof(float),
                     .report = &report,
                     .early_status = rank == fails ? GHZ_ENOMEM : GHZ_OK};
  int ok = ghz_context_create(&job.codec, 1) == GHZ_OK &&
           ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 0.5 * 64 / 63}, 0, 0, &job.lattice) == GHZ_OK &&
           ghz_plan_cut(&p, &l, NULL, NULL, (position){rank, ranks, root, 0}, show->build);
  for (int b = 0; b < parts && ok; b++) {
    for (size_t i = 0; i < n; i++)
      x[(size_t)b * n + i] = given(rank, b, i);
    part_lies(&p.parts[b], has(show->gives, rank, b) ? x + (size_t)b * n : NULL,
              has(show->gets, rank, b) ? y + (size_t)b * n : NULL);
  }
  if (!ok || !ghz_plan_order(&p) || !ghz_engine_prepare(&space, &p, &ghz_payload_homomorphic, &job))
    complain(rank, "no plan");
  const failure f = ghz_engine_run(&p, &ghz_payload_homomorphic, &job, &space, MPI_COMM_WORLD);
  if (failure_is(&f) && (fails < 0 || f.rank != fails))
    complain(rank, "a failure without a reason");
  if (fails == rank && !failure_is(&f))
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

int main(void) {
  static const int sizes[] = {2, 3, 4, 5, 7, 8, 16, 23, 64};
  pthread_t threads[MOST];
  for (int s = 0; s < SHOWS; s++)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
      for (int turn = 0; turn < 2; turn++) {
        alarm(120);
        show = &shows[s];
        ranks = sizes[k];
        root = ranks * turn / 2;
        fails = turn ? (ranks + 1) / 3 : -1;
        for (int r = 0; r < ranks; r++)
          pthread_create(&threads[r], NULL, run, (void *)(intptr_t)r);
        for (int r = 0; r < ranks; r++)
          pthread_join(threads[r], NULL);
        for (int r = 0; r < ranks; r++)
          if (waiting[r])
            complain(r, "a message that nobody receives");
      }
  return wrong;
}
