/* communicators.c: what is kept of a communicator ends with it, and is no more than said, be it one
 * or many, of one group or of many, in threads. Where MPI has none left for ours, on one rank or on
 * all, every rank goes to MPI. Tests make and free theirs by PMPI_: the log has the library's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "alloc_log.h"
#include "expected.h"
#include "suite.h"
#include <pthread.h>

/* ---- Calls to make ---- */
/* The i-th of many calls, all different. */
static call some_shot(uint64_t i, int ranks) {
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
  while (!has_algorithm(s.what, s.algorithm))
    s.algorithm = (ghz_mpi_algorithm)(GHZ_MPI_RING + draw_below(&state, GHZ_MPI_LINEAR - GHZ_MPI_RING + 1));
  return s;
}

/* Makes the i-th call, whose result is right in any case. Returns whether it was compressed. */
static int shot(MPI_Comm comm, uint64_t i, const char *where) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  call s = some_shot(i, ranks);
  suite_case("%s: %s", where, call_text(&s));
  call_result l = make_call(&s, comm);
  const int is_ours = compressed(&l);
  s.algorithm = is_ours ? s.algorithm : GHZ_MPI_NATIVE;
  check_expected(&s, &l, comm);
  check_same_bits(&s, &l, comm);
  call_result_free(&l);
  return is_ours;
}

static void make_calls(MPI_Comm comm, uint64_t first, int calls, const char *where) {
  for (int i = 0; i < calls; i++)
    check(shot(comm, first + (uint64_t)i, where), "it is not compressed");
}

/* The communicators of the library that there are. */
static int held(void) { return (int)alloc_log_now().objects; }

/* ---- What is left of them ---- */
static void come_and_go(void) {
  enum { TIMES = 60 };
  alloc_log before = {0}, after;
  for (int i = 0; i <= TIMES; i++) {
    MPI_Comm comm;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    make_calls(comm, 700 + (uint64_t)i, i ? 2 : TIMES + 2, "comes and goes"); /* all calls at first */
    PMPI_Comm_free(&comm);
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
  PMPI_Comm_split(MPI_COMM_WORLD, 0, -here.rank, &comm); /* a duplicate would share the world's memory */
  alloc_log start = alloc_log_now();
  for (int i = 0; i < 5; i++) {
    call_result l = make_call(&s, comm);
    call_result_free(&l);
  }
  uint64_t values = s.count * (has_blocks(what) ? (uint64_t)here.ranks : 1);
  int64_t bytes = alloc_log_now().bytes - start.bytes,
          copy = (int64_t)ghz_size_bound(values, GHZ_F32, (uint32_t)here.ranks);
  check(bytes <= copy + copy / 4 + (20 << 20), "%lld bytes are kept, a compressed copy has at most %lld",
        (long long)bytes, (long long)copy);
  PMPI_Comm_free(&comm);
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

/* ---- Many ---- */
enum { ALL = 60, PAIRS = 240, WINDOW = 60, MOST = 2200, OURS_KEPT = 16 };

static void kept(void) {
  static MPI_Comm comms[ALL];
  for (int i = 0; i < ALL; i++) {
    PMPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    make_calls(comms[i], (uint64_t)i, 1, "duplicates of the world, all kept");
  }
  check(held() == OURS_KEPT, "%d communicators are held for %d", held(), ALL);
  for (int i = ALL - 1; i >= 0; i--) {
    if (i % 10 == 0) /* one that has none of ours any more, mostly */
      make_calls(comms[i], (uint64_t)i, 1, "duplicates of the world, once more");
    PMPI_Comm_free(&comms[i]);
  }
  check(held() == 0, "%d communicators are held of %d that were freed", held(), ALL);
}

/* The i-th of the pairs of ranks that there are. */
static MPI_Comm make_pair(int i) {
  MPI_Comm comm;
  int a = 0, b = 1;
  for (i %= here.ranks * (here.ranks - 1) / 2; i > 0; i--)
    if (++b == here.ranks)
      b = ++a + 1;
  PMPI_Comm_split(MPI_COMM_WORLD, here.rank == a || here.rank == b ? 0 : MPI_UNDEFINED, here.rank, &comm);
  return comm;
}

/* Of many groups, some of them at a time. */
static void pairs(void) {
  static MPI_Comm comms[PAIRS];
  for (int i = 0; i < PAIRS + WINDOW; i++) {
    if (i < PAIRS && (comms[i] = make_pair(i)) != MPI_COMM_NULL)
      make_calls(comms[i], (uint64_t)i, 1, "pairs of ranks");
    if (i >= WINDOW && comms[i - WINDOW] != MPI_COMM_NULL)
      PMPI_Comm_free(&comms[i - WINDOW]);
    check(held() <= OURS_KEPT, "%d communicators are held", held());
  }
  check(held() == 0, "%d communicators are held of those that were freed", held());
}

/* ---- None left ---- */
static void refused(void) {
  static float x[2 * ALL], y[ALL];
  MPI_Comm comm;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int r = 0; r < here.ranks; r++) {
    alloc_log_unsplit = r;
    check(!shot(comm, (uint64_t)(r * (COLLECTIVES + 1)), "a rank gets no communicator"),
          "rank %d gets none, and the call is compressed", r);
    check(held() == 0, "%d communicators are held", held());
    ghz_mpi_options o = GHZ_MPI_OPTIONS;
    o.bound = (ghz_bound){GHZ_ABS, 1e-3};
    o.mode = GHZ_MPI_HOMOMORPHIC;
    o.contributions = here.rank == 1 ? 2 : 1;
    const int code = ghz_allreduce(x, y, ALL, MPI_FLOAT, MPI_SUM, comm, &o);
    check(ghz_mpi_error_class(code) == MPI_ERR_OTHER, "what MPI cannot do has class %d",
          ghz_mpi_error_class(code));
  }
  alloc_log_unsplit = -1;
  make_calls(comm, 1, 1, "communicators again");
  PMPI_Comm_free(&comm);
}

/* The program takes all that MPI has, as far as that can be reached. */
static void exhausted(void) {
  static MPI_Comm comms[MOST];
  int count = 0;
  suite_case("as many communicators as MPI has");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (count < MOST && PMPI_Comm_dup(MPI_COMM_WORLD, &comms[count]) == MPI_SUCCESS)
    count++;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (count < MOST) {
    check(!shot(comms[count / 2], 0, "none is left"), "a call without a communicator of ours is compressed");
    for (int i = 0; i <= OURS_KEPT; i++)
      PMPI_Comm_free(&comms[--count]);
  }
  for (int i = 0; i < count; i += 100)
    make_calls(comms[i], (uint64_t)i, 1, "some are left");
  for (int i = 0; i < count; i++)
    PMPI_Comm_free(&comms[i]);
  check(held() == 0, "%d communicators are held of %d that were freed", held(), count);
}

/* ---- In threads ---- */
enum { THREADS = 3, EACH = 12 };

typedef struct worker {
  pthread_t thread;
  uint64_t first;
  MPI_Comm comms[EACH];
} worker;

static void *work(void *argument) {
  worker *w = argument;
  for (int i = 0; i < 2 * EACH; i++)
    make_calls(w->comms[i % EACH], w->first + (uint64_t)i, 1, "threads with several communicators each");
  return NULL;
}

/* Frees while others call. */
static void *come_and_go_in_threads(void *argument) {
  worker *w = argument;
  for (int i = 0; i < EACH; i++) {
    make_calls(w->comms[i], w->first + (uint64_t)i, 1, "threads that free communicators");
    PMPI_Comm_free(&w->comms[i]);
  }
  return NULL;
}

static void threads(void *(*doing)(void *), uint64_t first) {
  worker workers[THREADS];
  for (int t = 0; t < THREADS; t++) {
    workers[t].first = first + 100 * (uint64_t)t;
    for (int i = 0; i < EACH; i++)
      PMPI_Comm_dup(MPI_COMM_WORLD, &workers[t].comms[i]);
  }
  for (int t = 0; t < THREADS; t++)
    check(pthread_create(&workers[t].thread, NULL, doing, &workers[t]) == 0, "no thread");
  for (int t = 0; t < THREADS; t++)
    pthread_join(workers[t].thread, NULL);
  check(held() <= OURS_KEPT + THREADS, "%d communicators are held", held());
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i < EACH; i++)
      if (workers[t].comms[i] != MPI_COMM_NULL)
        PMPI_Comm_free(&workers[t].comms[i]);
  check(held() == 0, "%d communicators are held of those that were freed", held());
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
  kept();
  pairs();
  refused();
  exhausted();
  if (check(here.threads == MPI_THREAD_MULTIPLE, "this MPI has no MPI_THREAD_MULTIPLE"))
    for (int i = 0; i < 4; i++)
      threads(i ? come_and_go_in_threads : work, 1000 + 500 * (uint64_t)i);
  make_calls(MPI_COMM_SELF, 50, 14, "self"); /* which are kept from here on */
  make_calls(MPI_COMM_WORLD, 60, 14, "world");
  come_and_go();
  memories();
  between();
  return suite_end(NULL);
}
