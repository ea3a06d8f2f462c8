/* many.c: many communicators, kept and freed, of one group and of many, in threads: few of ours are
 * kept. Where MPI has none left, on one rank or on all, every rank goes to MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"
#include <ghz/mpi.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { VALUES = 3000, ALL = 300, PAIRS = 1200, WINDOW = 100, MOST = 4096, OURS_KEPT = 16 };

/* ---- Communicators of the library, counted, and refused on a rank at will ---- */
static atomic_int held;
static int refused_rank = -1;

#define VISIBLE __attribute__((visibility("default")))

/* One of a node, which the library frees at once. */
VISIBLE int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *node) {
  const int code = PMPI_Comm_split_type(comm, type, key, info, node);
  held += code == MPI_SUCCESS;
  return code;
}

/* The library alone makes its communicators by this call. */
VISIBLE int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *ours) {
  int code = PMPI_Comm_split(comm, color, key, ours);
  if (code != MPI_SUCCESS)
    return code;
  if (here.rank == refused_rank) {
    PMPI_Comm_free(ours);
    return MPI_ERR_OTHER;
  }
  held++;
  return code;
}

/* The tests free theirs by PMPI_Comm_free. */
VISIBLE int MPI_Comm_free(MPI_Comm *ours) {
  held--;
  return PMPI_Comm_free(ours);
}

/* ---- One allreduce ---- */
static float value(int rank, int i, int call) { return (float)(rank + 1) + sinf((float)(i + call) * 0.01F); }

/* Fills x, and returns the code of the call that adds it up in y. */
static int add_up(MPI_Comm comm, int index, float *x, float *y, ghz_mpi_options *o) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < VALUES; i++)
    x[i] = value(rank, i, index);
  o->bound = (ghz_bound){GHZ_ABS, 1e-3};
  o->mode = GHZ_MPI_HOMOMORPHIC;
  return ghz_allreduce(x, y, VALUES, MPI_FLOAT, MPI_SUM, comm, o);
}

/* Whether the call was compressed. Its result is right in any case. */
static int shot(MPI_Comm comm, int index) {
  float *x = malloc(sizeof *x * VALUES), *y = malloc(sizeof *y * VALUES);
  ghz_mpi_report report;
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  int ranks, wrong = 0;
  MPI_Comm_size(comm, &ranks);
  o.report = &report;
  int code = x && y ? add_up(comm, index, x, y, &o) : MPI_ERR_NO_MEM;
  for (int i = 0; i < VALUES && code == MPI_SUCCESS; i++) {
    float want = 0;
    for (int r = 0; r < ranks; r++)
      want += value(r, i, index);
    wrong += !(fabsf(y[i] - want) <= 1.1e-3F * (float)ranks);
  }
  check(code == MPI_SUCCESS && wrong == 0, "call %d: code %d, %d sums are wrong", index, code, wrong);
  free(x);
  free(y);
  return code == MPI_SUCCESS && report.algorithm != GHZ_MPI_NATIVE;
}

/* ---- Of one group ---- */
static void kept(void) {
  static MPI_Comm comms[ALL];
  int compressed = 0;
  suite_case("%d duplicates of the world, all kept", ALL);
  for (int i = 0; i < ALL; i++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    compressed += shot(comms[i], i);
  }
  check(compressed == ALL, "%d calls are compressed, not %d", compressed, ALL);
  check(held == OURS_KEPT, "%d communicators are held for %d", held, ALL);
  for (int i = ALL - 1; i >= 0; i--) {
    if (i % 10 == 0) /* one that has none of ours any more, mostly */
      check(shot(comms[i], i), "call %d is not compressed", i);
    PMPI_Comm_free(&comms[i]);
  }
  check(held == 0, "%d communicators are held of %d that were freed", held, ALL);
}

/* ---- Of many groups ---- */
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

/* Some of them at a time. */
static void pairs(void) {
  static MPI_Comm comms[PAIRS];
  int mine = 0, compressed = 0;
  suite_case("%d pairs of ranks, of which %d are kept", PAIRS, WINDOW);
  for (int i = 0; i < PAIRS; i++) {
    comms[i] = make_pair(i);
    mine += comms[i] != MPI_COMM_NULL;
    compressed += comms[i] != MPI_COMM_NULL && shot(comms[i], i);
    if (i >= WINDOW && comms[i - WINDOW] != MPI_COMM_NULL)
      PMPI_Comm_free(&comms[i - WINDOW]);
  }
  check(compressed == mine, "%d calls are compressed, not %d", compressed, mine);
  check(held <= OURS_KEPT, "%d communicators are held", held);
  for (int i = PAIRS - WINDOW; i < PAIRS; i++)
    if (comms[i] != MPI_COMM_NULL)
      PMPI_Comm_free(&comms[i]);
  check(held == 0, "%d communicators are held of %d that were freed", held, mine);
}

/* ---- None left ---- */
static void refused(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (refused_rank = 0; refused_rank < here.ranks; refused_rank++) {
    suite_case("rank %d gets no communicator", refused_rank);
    check(!shot(comm, refused_rank), "the call is compressed");
    check(held == 0, "%d communicators are held", held);
    static float x[2 * VALUES], y[VALUES];
    ghz_mpi_options o = GHZ_MPI_OPTIONS;
    o.contributions = here.rank == 1 ? 2 : 1;
    int code = add_up(comm, 0, x, y, &o);
    check(ghz_mpi_error_class(code) == MPI_ERR_OTHER, "what MPI cannot do has class %d",
          ghz_mpi_error_class(code));
  }
  refused_rank = -1;
  suite_case("communicators again");
  check(shot(comm, 1), "the call is not compressed");
  PMPI_Comm_free(&comm);
}

static int make_all(MPI_Comm *comms) {
  int count = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (count < MOST && MPI_Comm_dup(MPI_COMM_WORLD, &comms[count]) == MPI_SUCCESS)
    count++;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  return count;
}

/* The program takes all that MPI has, as far as that can be reached. */
static void exhausted(void) {
  static MPI_Comm comms[MOST];
  suite_case("as many communicators as MPI has");
  int count = make_all(comms), limited = count < MOST;
  if (limited) {
    check(!shot(comms[count / 2], 0), "a call without a communicator of ours is compressed");
    for (int i = 0; i <= OURS_KEPT; i++)
      PMPI_Comm_free(&comms[--count]);
  }
  for (int i = 0; i < count; i += 100)
    check(shot(comms[i], i), "a call with a communicator of ours is not compressed");
  for (int i = 0; i < count; i++)
    PMPI_Comm_free(&comms[i]);
  check(held == 0, "%d communicators are held of %d that were freed", held, count);
}

/* ---- In threads ---- */
enum { THREADS = 3, EACH = 12, ROUNDS = 6 };

typedef struct worker {
  pthread_t thread;
  MPI_Comm comms[EACH];
  int compressed;
} worker;

static void *work(void *argument) {
  worker *w = argument;
  for (int i = 0; i < ROUNDS * EACH; i++)
    w->compressed += shot(w->comms[i % EACH], i);
  return NULL;
}

/* The second time, frees while others call, and makes calls on what is new. */
static void *come_and_go(void *argument) {
  worker *w = argument;
  for (int i = 0; i < EACH; i++) {
    w->compressed += shot(w->comms[i], i);
    PMPI_Comm_free(&w->comms[i]);
  }
  return NULL;
}

static void threads(void *(*doing)(void *), int calls) {
  worker workers[THREADS] = {0};
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i < EACH; i++)
      MPI_Comm_dup(MPI_COMM_WORLD, &workers[t].comms[i]);
  for (int t = 0; t < THREADS; t++)
    check(pthread_create(&workers[t].thread, NULL, doing, &workers[t]) == 0, "no thread");
  for (int t = 0; t < THREADS; t++) {
    pthread_join(workers[t].thread, NULL);
    check(workers[t].compressed == calls, "%d calls are compressed, not %d", workers[t].compressed, calls);
  }
  check(held <= OURS_KEPT + THREADS, "%d communicators are held", held);
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i < EACH; i++)
      if (workers[t].comms[i] != MPI_COMM_NULL)
        PMPI_Comm_free(&workers[t].comms[i]);
  check(held == 0, "%d communicators are held of those that were freed", held);
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_MULTIPLE);
  kept();
  pairs();
  refused();
  exhausted();
  if (here.threads == MPI_THREAD_MULTIPLE) {
    suite_case("threads with several communicators each");
    threads(work, ROUNDS * EACH);
    for (int i = 0; i < 5; i++) {
      suite_case("threads that free communicators");
      threads(come_and_go, EACH);
    }
  }
  return suite_end(NULL);
}
