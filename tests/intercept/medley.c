/* medley.c: so many calls of so many collectives, of so many bytes: for the report to tell.
 *
 *   mpiexec -n 4 medley [noise [LARGE EVERY]]      every so many values are a large one */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 4, FIELD = 100000, SOME = 50000 };

static float field[FIELD], sum[FIELD];
static int whole[FIELD], total[FIELD];
static double some[SOME];

static void times(int n, void (*call)(void)) {
  for (int i = 0; i < n; i++)
    call();
}

static void add_field(void) { MPI_Allreduce(field, sum, FIELD, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }
static void add_complex(void) {
  MPI_Allreduce(field, sum, FIELD / 2, MPI_C_FLOAT_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
}
static void add_integers(void) { MPI_Allreduce(whole, total, FIELD, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static void add_one(void) { MPI_Allreduce(field, sum, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }
static void multiply(void) { MPI_Allreduce(field, sum, FIELD, MPI_FLOAT, MPI_PROD, MPI_COMM_WORLD); }
static void broadcast(void) { MPI_Bcast(some, SOME, MPI_DOUBLE, 0, MPI_COMM_WORLD); }

static void gather_uneven(void) {
  static const int counts[RANKS] = {1, 2, 3, 4}, places[RANKS] = {0, 1, 3, 6};
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allgatherv(field, rank + 1, MPI_FLOAT, sum, counts, places, MPI_FLOAT, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  int ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != RANKS)
    MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 0; i < FIELD; i++)
    field[i] = argc > 3 && i % atoi(argv[3]) == 0 ? strtof(argv[2], NULL)
               : argc > 1                         ? (float)rand() / (float)RAND_MAX
                                                  : sinf((float)i * 0.001F);
  times(3, add_field);
  times(1, add_complex);
  times(1, add_integers);
  times(7, add_one);
  times(1, multiply);
  times(2, broadcast);
  times(1, gather_uneven);
  MPI_Finalize();
  return 0;
}
