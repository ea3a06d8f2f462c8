/* memory.c: memory that runs out on one rank, at every allocation in turn: an error or a right
 * result, no hang, nothing lost, and the communicator works when there is memory again. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator.h"
#include "suite.h"
#include "sweep.h"
#include <limits.h>

enum { RANKS = 4, SMALL = 5000, LARGE = 150000, ROOM = LARGE * RANKS };

static const way ways[] = {
#define WAY(name, what, algorithm) SHAPED(name, what, algorithm, 0)
#define SHAPED(name, what, algorithm, dims)                                                                    \
  { name, what, algorithm, GHZ_MPI_HOMOMORPHIC, {GHZ_REL, 1e-4}, 0, 0, dims }
    WAY("allreduce ring", ALLREDUCE, GHZ_MPI_RING),
    SHAPED("allreduce ring of bricks", ALLREDUCE, GHZ_MPI_RING, 3),
    WAY("allreduce doubling", ALLREDUCE, GHZ_MPI_DOUBLING),
    WAY("allreduce halving", ALLREDUCE, GHZ_MPI_HALVING),
    WAY("reduce ring", REDUCE, GHZ_MPI_RING),
    WAY("reduce tree", REDUCE, GHZ_MPI_TREE),
    WAY("reduce_scatter ring", REDUCE_SCATTER, GHZ_MPI_RING),
    WAY("reduce_scatterv ring", REDUCE_SCATTERV, GHZ_MPI_RING),
    WAY("allgather ring", ALLGATHER, GHZ_MPI_RING),
    WAY("allgatherv ring", ALLGATHERV, GHZ_MPI_RING),
    WAY("bcast tree", BCAST, GHZ_MPI_TREE),
    WAY("bcast chain", BCAST, GHZ_MPI_CHAIN),
    WAY("scatter tree", SCATTER, GHZ_MPI_TREE),
    SHAPED("scatter tree of planes", SCATTER, GHZ_MPI_TREE, 2),
    WAY("scatter linear", SCATTER, GHZ_MPI_LINEAR),
    WAY("gather tree", GATHER, GHZ_MPI_TREE),
    WAY("gather linear", GATHER, GHZ_MPI_LINEAR),
    {"allreduce ring in bins", ALLREDUCE, GHZ_MPI_RING, GHZ_MPI_HOMOMORPHIC, {GHZ_MPI_FLOAT, 0}, 1, 0, 0},
    {"reduce tree of bricks in bins", REDUCE, GHZ_MPI_TREE, GHZ_MPI_HOMOMORPHIC, {GHZ_MPI_FLOAT, 0}, 0, 0, 3},
};

enum { WAYS = sizeof ways / sizeof *ways };

static float send[ROOM], recv[ROOM];

static int make_call(const way *w, int n, MPI_Comm comm) {
  sweep_prepare(w, recv, n, RANKS, 0);
  return sweep_call(w, send, recv, n, comm);
}

/* One call while memory lasts for `left` allocations on one rank. Returns whether it ran out. */
static int starve(const way *w, int n, int victim, long left, MPI_Comm comm) {
  if (here.rank == victim)
    allocator_refuse(left + 1, LONG_MAX);
  int code = make_call(w, n, comm), ran_out = (allocator_refused() > 0) && here.rank == victim;
  allocator_refuse(0, 0);
  check(code == MPI_SUCCESS || ghz_mpi_error_class(code) == MPI_ERR_NO_MEM,
        "class %d instead of MPI_ERR_NO_MEM", ghz_mpi_error_class(code));
  if (code == MPI_SUCCESS)
    sweep_check(w, recv, n, RANKS, 0);
  ran_out = on_any(ran_out, MPI_COMM_WORLD);
  check(ran_out || code == MPI_SUCCESS, "an error, though memory lasted");
  return ran_out;
}

static void recover(const way *w, int n, MPI_Comm comm) {
  int code = make_call(w, n, comm);
  if (check(code == MPI_SUCCESS, "with memory again, the call returns %d", code))
    sweep_check(w, recv, n, RANKS, 0);
}

/* `warm`: the communicator has served smaller calls before. */
static void starve_way(way w, ghz_mpi_mode mode, int victim, int warm) {
  const int dims = w.dims;
  w.mode = mode;
  for (int i = 0; i < ROOM; i++)
    send[i] = sweep_given(&w, here.rank, i, 0);
  int ran_out = 1;
  for (long left = 0; ran_out && left < 200; left += 1 + left / 16) {
    suite_case("%s %s: rank %d has memory for %ld allocations%s", w.name, ghz_mpi_mode_name(mode), victim, left,
               warm ? " more" : "");
    MPI_Comm comm = sweep_comm();
    if (warm)
      recover(&w, SMALL, comm);
    ran_out = starve(&w, warm ? LARGE : SMALL, victim, left, comm);
    recover(&w, warm ? LARGE : SMALL, comm);
    w.dims = w.dims ? 0 : 2; /* the shape is another one than that of the call before */
    recover(&w, warm ? LARGE : SMALL, comm);
    w.dims = dims;
    MPI_Comm_free(&comm);
  }
  check(!ran_out, "200 allocations are not enough");
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  if (!check(here.ranks == RANKS, "this test is for %d ranks", RANKS))
    return suite_end(NULL);
  for (int i = 0; i < WAYS; i++) {
    starve_way(ways[i], GHZ_MPI_HOMOMORPHIC, i % RANKS, 0);
    starve_way(ways[i], GHZ_MPI_HOMOMORPHIC, (i + 1) % RANKS, 0);
  }
  for (int i = 0; i < WAYS; i++)
    starve_way(ways[i], GHZ_MPI_HOMOMORPHIC, (i + 2) % RANKS, 1);
  return suite_end(NULL);
}
