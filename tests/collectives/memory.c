/* memory.c: memory that runs out on one rank, at every allocation in turn: an error or a right result, no hang, nothing lost, and
 * the communicator works when there is memory again. */
#include "alloc_log.h"
#include "suite.h"

#include <ghz_mpi.h>
#include <math.h>
#include <string.h>

enum { RANKS = 4, SMALL = 5000, LARGE = 150000, ROOM = LARGE * RANKS };

typedef struct way {
  const char *name;
  ghz_mpi_algorithm algorithm;
  int collective; /* 0 allreduce, 1 reduce, 2 reduce_scatter, 3 allgather, 4 bcast, 5 scatter, 6 gather */
} way;

static const way ways[] = {
    {"allreduce ring", GHZ_MPI_RING, 0},       {"allreduce doubling", GHZ_MPI_DOUBLING, 0},
    {"allreduce halving", GHZ_MPI_HALVING, 0}, {"reduce ring", GHZ_MPI_RING, 1},
    {"reduce tree", GHZ_MPI_TREE, 1},          {"reduce_scatter ring", GHZ_MPI_RING, 2},
    {"allgather ring", GHZ_MPI_RING, 3},       {"bcast tree", GHZ_MPI_TREE, 4},
    {"bcast chain", GHZ_MPI_CHAIN, 4},         {"scatter tree", GHZ_MPI_TREE, 5},
    {"scatter linear", GHZ_MPI_LINEAR, 5},     {"gather tree", GHZ_MPI_TREE, 6},
    {"gather linear", GHZ_MPI_LINEAR, 6}};

enum { WAYS = sizeof ways / sizeof *ways, ROOT = 1 };

static float send[ROOM], recv[ROOM];

static float value(int rank, int i) {
  return (float)(i % 1000 + 10 * rank);
}

static int make_call(const way *w, int n, ghz_mpi_mode mode, MPI_Comm comm) {
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_REL, 1e-4};
  o.algorithm = w->algorithm;
  o.mode = mode;
  switch (w->collective) {
  case 0:
    return ghz_allreduce(send, recv, n, MPI_FLOAT, MPI_SUM, comm, &o);
  case 1:
    return ghz_reduce(send, recv, n, MPI_FLOAT, MPI_SUM, ROOT, comm, &o);
  case 2:
    return ghz_reduce_scatter(send, recv, n, MPI_FLOAT, MPI_SUM, comm, &o);
  case 3:
    return ghz_allgather(send, recv, n, MPI_FLOAT, comm, &o);
  case 4:
    return ghz_bcast(recv, n, MPI_FLOAT, ROOT, comm, &o);
  case 5:
    return ghz_scatter(send, recv, n, MPI_FLOAT, ROOT, comm, &o);
  default:
    return ghz_gather(send, recv, n, MPI_FLOAT, ROOT, comm, &o);
  }
}

static void prepare(const way *w, int n) {
  memset(recv, 0, (size_t)n * RANKS * sizeof *recv);
  for (int i = 0; i < n && w->collective == 4 && here.rank == ROOT; i++)
    recv[i] = value(ROOT, i);
}

/* What element i of the result should be. */
static float expected(const way *w, int n, int i) {
  float sum = 0;
  for (int r = 0; r < RANKS; r++)
    sum += value(r, w->collective == 2 ? here.rank * n + i : i);
  if (w->collective <= 2)
    return sum;
  if (w->collective == 4 || w->collective == 5)
    return value(ROOT, w->collective == 5 ? here.rank * n + i : i);
  return value(i / n, i % n);
}

static void check_result(const way *w, int n) {
  int blocks = w->collective == 3 || w->collective == 6;
  if ((w->collective == 1 || w->collective == 6) && here.rank != ROOT)
    return;
  int i = 0, values = n * (blocks ? RANKS : 1);
  while (i < values && fabsf(recv[i] - expected(w, n, i)) < 1.0f)
    i++;
  check(i == values, "value %d is %g, should be %g", i, i < values ? (double)recv[i] : 0,
        i < values ? (double)expected(w, n, i) : 0);
}

/* One call while memory lasts for `left` allocations on one rank. Returns whether it ran out. */
static int starve(const way *w, int n, ghz_mpi_mode mode, int victim, long left, MPI_Comm comm) {
  prepare(w, n);
  if (here.rank == victim)
    alloc_log_fail_after(left);
  int code = make_call(w, n, mode, comm), ran_out = alloc_log_failed() && here.rank == victim;
  alloc_log_fail_after(-1);
  check(code == MPI_SUCCESS || ghz_mpi_error_class(code) == MPI_ERR_NO_MEM,
        "class %d instead of MPI_ERR_NO_MEM", ghz_mpi_error_class(code));
  if (code == MPI_SUCCESS)
    check_result(w, n);
  ran_out = on_any(ran_out, MPI_COMM_WORLD);
  check(ran_out || code == MPI_SUCCESS, "an error, though memory lasted");
  return ran_out;
}

static void recover(const way *w, int n, ghz_mpi_mode mode, MPI_Comm comm) {
  prepare(w, n);
  int code = make_call(w, n, mode, comm);
  if (check(code == MPI_SUCCESS, "with memory again, the call returns %d", code))
    check_result(w, n);
}

static MPI_Comm new_comm(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

/* `warm`: the communicator has served smaller calls before. */
static void starve_way(const way *w, ghz_mpi_mode mode, int victim, int warm) {
  int ran_out = 1;
  for (long left = 0; ran_out && left < 200; left += 1 + left / 16) {
    suite_case("%s %s: rank %d has memory for %ld allocations%s", w->name, ghz_mpi_mode_name(mode), victim,
               left, warm ? " more" : "");
    MPI_Comm comm = new_comm();
    if (warm)
      recover(w, SMALL, mode, comm);
    ran_out = starve(w, warm ? LARGE : SMALL, mode, victim, left, comm);
    recover(w, warm ? LARGE : SMALL, mode, comm);
    MPI_Comm_free(&comm);
  }
  check(!ran_out, "200 allocations are not enough");
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  if (!check(here.ranks == RANKS, "this test is for %d ranks", RANKS))
    return suite_end(NULL);
  for (int i = 0; i < ROOM; i++)
    send[i] = value(here.rank, i);
  for (int i = 0; i < WAYS; i++) {
    starve_way(&ways[i], GHZ_MPI_HOMOMORPHIC, i % RANKS, 0);
    starve_way(&ways[i], GHZ_MPI_HOMOMORPHIC, (i + 1) % RANKS, 0);
  }
  for (int i = 0; i < WAYS; i++) {
    starve_way(&ways[i], GHZ_MPI_HOMOMORPHIC, (i + 2) % RANKS, 1);
    starve_way(&ways[i], GHZ_MPI_PLAIN, (i + 3) % RANKS, 1);
  }
  return suite_end(NULL);
}
