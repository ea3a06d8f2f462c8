/* many.c: a correct program with many communicators, and one large allreduce on each.
 *
 *   mpiexec -n R many BOUND kept|freed COUNT      duplicates of MPI_COMM_WORLD
 *   mpiexec -n R many BOUND pairs COUNT           pairs of its ranks
 *
 * Fails if a sum is further off than BOUND for each of its terms. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 65536, PHASES = 1000, MOST = 4096 };

static float wave[VALUES + PHASES], x[VALUES], y[VALUES];
static MPI_Comm comms[MOST];
static int rank, ranks;

static void add_up(MPI_Comm comm, int call, double bound) {
  int own, all;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &all);
  const float *from = wave + call % PHASES, factor = (float)(all * (all + 1)) / 2;
  for (int i = 0; i < VALUES; i++)
    x[i] = (float)(own + 1) * from[i];
  MPI_Allreduce(x, y, VALUES, MPI_FLOAT, MPI_SUM, comm);
  float worst = 0;
  for (int i = 0; i < VALUES; i++) {
    float off = fabsf(y[i] - factor * from[i]);
    worst = off > worst ? off : worst;
  }
  if ((double)worst > all * bound + 1e-5) {
    fprintf(stderr, "many: sum %d is off by %g\n", call, (double)worst);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static MPI_Comm make(int i, int pairs) {
  MPI_Comm comm;
  if (!pairs) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return comm;
  }
  int a = i % ranks, b = (a + 1 + i / ranks % (ranks - 1)) % ranks, mine = rank == a || rank == b;
  MPI_Comm_split(MPI_COMM_WORLD, mine ? 0 : MPI_UNDEFINED, rank, &comm);
  return comm;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double bound = argc == 4 ? atof(argv[1]) : 0;
  int count = argc == 4 ? atoi(argv[3]) : 0, freed = argc == 4 && strcmp(argv[2], "freed") == 0;
  if (count < 1 || count > MOST) {
    fprintf(stderr, "usage: many BOUND kept|freed|pairs COUNT\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  for (int i = 0; i < VALUES + PHASES; i++)
    wave[i] = sinf((float)i * 0.001F);
  for (int i = 0; i < count; i++) {
    comms[i] = make(i, strcmp(argv[2], "pairs") == 0);
    if (comms[i] != MPI_COMM_NULL)
      add_up(comms[i], i, bound);
    if (freed)
      MPI_Comm_free(&comms[i]);
  }
  for (int i = 0; i < count; i++)
    if (comms[i] != MPI_COMM_NULL)
      MPI_Comm_free(&comms[i]);
  MPI_Finalize();
  return 0;
}
