/* communicators.c: what is kept of a communicator ends with it, and is no more than said. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "alloc_log.h"
#include "expected.h"
#include "suite.h"
#include <pthread.h>
#include <stdio.h>

/* ---- Calls to make ---- */
/* The i-th of many calls, all different. */
static call some_shot(uint64_t i, int ranks) {
  static const ghz_mpi_algorithm algorithms[COLLECTIVES][2] = {
      {GHZ_MPI_RING, GHZ_MPI_HALVING}, {GHZ_MPI_TREE, GHZ_MPI_RING},   {GHZ_MPI_RING, GHZ_MPI_RING},
      {GHZ_MPI_RING, GHZ_MPI_RING},    {GHZ_MPI_RING, GHZ_MPI_RING},   {GHZ_MPI_RING, GHZ_MPI_RING},
      {GHZ_MPI_CHAIN, GHZ_MPI_TREE},   {GHZ_MPI_TREE, GHZ_MPI_LINEAR}, {GHZ_MPI_TREE, GHZ_MPI_LINEAR}};
  uint64_t state = mix(here.seed, i);
  call s = {.what = (collective)(i % COLLECTIVES),
            .mode = GHZ_MPI_HOMOMORPHIC,
            .type = (ghz_type)draw_below(&state, 2),
            .op = (operation)draw_below(&state, OPERATIONS),
            .in_place = (int)draw_below(&state, 2),
            .root = (int)draw_below(&state, (uint64_t)ranks),
            .count = 1 + draw_below(&state, 5000),
            .bound = {GHZ_ABS, 64},
            .data = {FIELD_NOISE, 0, i},
            .threads = 1};
  s.algorithm = algorithms[s.what][draw_below(&state, 2)];
  return s;
}

static void make_calls(MPI_Comm comm, uint64_t first, int calls, const char *where) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  for (int i = 0; i < calls; i++) {
    call s = some_shot(first + (uint64_t)i, ranks);
    suite_case("%s: %s", where, call_text(&s));
    call_result l = make_call(&s, comm);
    check_expected(&s, &l, comm);
    check_same_bits(&s, &l, comm);
    call_result_free(&l);
  }
}

/* ---- What is left of them ---- */
static void come_and_go(void) {
  enum { TIMES = 60 };
  alloc_log before = {0}, after;
  for (int i = 0; i <= TIMES; i++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    make_calls(comm, 700 + (uint64_t)i, i ? 2 : TIMES + 2, "comes and goes"); /* all calls at first */
    MPI_Comm_free(&comm);
    if (i == 0)
      before = alloc_log_now();
  }
  after = alloc_log_now();
  check(after.blocks == before.blocks, "%ld blocks of memory are left of %d communicators",
        after.blocks - before.blocks, TIMES);
  check(after.objects == before.objects, "%ld objects of MPI are left of %d communicators",
        after.objects - before.objects, TIMES);
}

/* What is kept from call to call: about a compressed copy, and a few pieces that are under way. */
static void memory(collective what, ghz_mpi_algorithm algorithm, field_kind kind, double eb) {
  MPI_Comm comm;
  call s = {.what = what,
            .algorithm = algorithm,
            .mode = GHZ_MPI_HOMOMORPHIC,
            .type = GHZ_F32,
            .count = has_blocks(what) ? 300000 : 1200000,
            .bound = {GHZ_ABS, eb},
            .data = {kind, 0, 5},
            .threads = 1};
  suite_case("memory: %s", call_text(&s));
  MPI_Comm_split(MPI_COMM_WORLD, 0, -here.rank, &comm); /* a duplicate would share the world's memory */
  alloc_log start = alloc_log_now();
  for (int i = 0; i < 5; i++) {
    call_result l = make_call(&s, comm);
    call_result_free(&l);
  }
  uint64_t values = s.count * (has_blocks(what) ? (uint64_t)here.ranks : 1);
  int64_t held = alloc_log_now().bytes - start.bytes,
          copy = (int64_t)ghz_size_bound(values, GHZ_F32, (uint32_t)here.ranks);
  check(held <= copy + copy / 4 + (20 << 20), "%lld bytes are kept, a compressed copy has at most %lld",
        (long long)held, (long long)copy);
  MPI_Comm_free(&comm);
}

static void memories(void) {
  for (int rough = 0; rough < 2; rough++) {
    field_kind kind = rough ? FIELD_ROUGH : FIELD_SMOOTH;
    double eb = rough ? 0.7 : 64;
    memory(ALLREDUCE, GHZ_MPI_RING, kind, eb);
    memory(ALLREDUCE, GHZ_MPI_DOUBLING, kind, eb);
    memory(ALLREDUCE, GHZ_MPI_HALVING, kind, eb);
    memory(REDUCE, GHZ_MPI_TREE, kind, eb);
    memory(REDUCE_SCATTER, GHZ_MPI_RING, kind, eb);
    memory(ALLGATHER, GHZ_MPI_RING, kind, eb);
    memory(BCAST, GHZ_MPI_CHAIN, kind, eb);
    memory(GATHER, GHZ_MPI_TREE, kind, eb);
    memory(SCATTER, GHZ_MPI_TREE, kind, eb);
  }
}

/* ---- Several at once ---- */
typedef struct worker {
  pthread_t thread;
  int index;
  MPI_Comm comm;
} worker;

static void *work(void *argument) {
  const worker *w = argument;
  make_calls(w->comm, 1000 + 100 * (uint64_t)w->index, 14, "threads");
  return NULL;
}

static void threads(void) {
  enum { WORKERS = 3 };
  worker workers[WORKERS];
  if (!check(here.threads == MPI_THREAD_MULTIPLE, "this MPI has no MPI_THREAD_MULTIPLE"))
    return;
  for (int i = 0; i < WORKERS; i++) {
    workers[i].index = i;
    MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
  }
  for (int i = 0; i < WORKERS; i++)
    check(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0, "no thread");
  for (int i = 0; i < WORKERS; i++)
    pthread_join(workers[i].thread, NULL);
  for (int i = 0; i < WORKERS; i++)
    MPI_Comm_free(&workers[i].comm);
}

/* ---- Between two groups ---- */
/* What is no small call is refused. */
static void between(void) {
  MPI_Comm half, inter;
  ghz_mpi_report report;
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  float x = 1, y = 0;
  suite_case("intercommunicator");
  MPI_Comm_split(MPI_COMM_WORLD, here.rank % 2, here.rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - here.rank % 2, 3, &inter);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  o.bound = (ghz_bound){GHZ_ABS, 1e-3};
  o.report = &report;
  int code = ghz_allreduce(&x, &y, 1, MPI_FLOAT, MPI_SUM, inter, &o);
  check(ghz_mpi_error_class(code) == MPI_ERR_COMM, "the class is %d", ghz_mpi_error_class(code));
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_MULTIPLE);
  make_calls(MPI_COMM_SELF, 50, 14, "self");
  make_calls(MPI_COMM_WORLD, 60, 14, "world");
  come_and_go();
  memories();
  between();
  threads();
  return suite_end(NULL);
}
