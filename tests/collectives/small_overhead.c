/* small_overhead.c: how much longer a small call takes than MPI's own. Not a test: prints figures.
 *
 * usage: mpiexec -n N mpi_small_overhead N [SEED] */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"
#include <ghz_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 401, LARGEST = 16384 };

static float send[LARGEST], recv[LARGEST];

/* A batch of calls that takes some 50 us or more, so that the clock does not matter. */
static double batch(int ours, int count, int calls, const ghz_mpi_options *o) {
  double start = MPI_Wtime();
  for (int i = 0; i < calls; i++)
    if (ours)
      ghz_allreduce(send, recv, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, o);
    else
      MPI_Allreduce(send, recv, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  return (MPI_Wtime() - start) / calls;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, int n) {
  qsort(x, (size_t)n, sizeof *x, ascending);
  return x[n / 2];
}

static int calls_for(int count) {
  double least = 1;
  for (int i = 0; i < 20; i++) {
    double once = batch(0, count, 20, NULL);
    least = once < least ? once : least;
  }
  int calls = least > 0 ? (int)(50e-6 / least) : 1000;
  calls = calls < 4 ? 4 : calls > 1000 ? 1000 : calls;
  MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return calls;
}

/* Ours and MPI's in turn, in either order; the middle one of the ratios of neighbours. */
static void compare(int count) {
  static double ratios[ROUNDS], ours[ROUNDS], theirs[ROUNDS];
  ghz_mpi_options o = GHZ_MPI_OPTIONS;
  o.bound = (ghz_bound){GHZ_REL, 1e-4};
  int calls = calls_for(count);
  suite_case("%d floats", count);
  for (int i = 0; i < ROUNDS; i++) {
    for (int k = 0; k < 2; k++) {
      int first = (i + k) % 2;
      MPI_Barrier(MPI_COMM_WORLD);
      *(first ? &ours[i] : &theirs[i]) = batch(first, count, calls, &o);
    }
    ratios[i] = ours[i] / theirs[i];
  }
  double us = median(ours, ROUNDS), them = median(theirs, ROUNDS), pairs = median(ratios, ROUNDS);
  if (here.rank == 0)
    printf("%6d %5d %10.3f %10.3f %8.4f %8.4f\n", count, calls, them * 1e6, us * 1e6, pairs, us / them);
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  if (here.rank == 0)
    printf("allreduce of floats, microseconds a call, medians of %d batches\n"
           " count calls        MPI       ours  of pairs of medians\n",
           ROUNDS);
  for (int count = 1; count <= LARGEST; count *= 4)
    compare(count);
  check(1, "no checks");
  return suite_end(NULL);
}
