/* medley.c: so many calls of so many collectives, of so many bytes: for the report to tell.
 *
 *   mpiexec -n 4 medley [noise [LARGE EVERY]]      every so many values are a large one
 *   mpiexec -n R medley once FILE                  six collectives once each, on a plate
 *
 * Once: rank 0 writes what it got to FILE: the plate, the sum and the maximum over plates, and its
 * block of the sum. Fails if ranks have different bits in what they share. R divides 512. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, FIELD = 100000, SOME = 50000, SIDE = 512, PLATE = SIDE * SIDE, SMALL = 5 };

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

/* ---- Once ---- */
static void stop(const char *why) {
  fprintf(stderr, "medley: %s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check_shared(const float *x, const char *name) {
  uint64_t mine[2] = {0}, other[2];
  for (int i = 0; i < PLATE; i++) {
    uint32_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    mine[0] = mine[0] * 1099511628211u + bits;
  }
  mine[1] = ~mine[0];
  MPI_Allreduce(mine, other, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (other[0] != mine[0] || other[1] != mine[1])
    stop(name);
}

static void save(FILE *f, const float *x, int values) {
  if (f && fwrite(x, sizeof *x, (size_t)values, f) != (size_t)values)
    stop("cannot write");
}

static void once(int rank, int ranks, const char *name) {
  static float plate[PLATE], source[PLATE], own[PLATE], result[PLATE];
  const int part = PLATE / ranks;
  FILE *f = rank == 0 ? fopen(name, "wb") : NULL;
  if (rank == 0 && !f)
    stop("cannot open the output");
  for (int i = 0; i < PLATE && rank == 0; i++) {
    double x = (double)(i / SIDE) / SIDE, y = (double)(i % SIDE) / SIDE;
    plate[i] = (float)(sin(9 * x) * cos(7 * y));
    source[i] = (float)(0.1 * sin(4 * x + 3 * y));
  }
  MPI_Scatter(plate, part, MPI_FLOAT, own, part, MPI_FLOAT, 0, MPI_COMM_WORLD);
  MPI_Bcast(source, PLATE, MPI_FLOAT, 0, MPI_COMM_WORLD);
  MPI_Allgather(own, part, MPI_FLOAT, plate, part, MPI_FLOAT, MPI_COMM_WORLD);
  times(SMALL, add_one);
  check_shared(plate, "ranks have different plates");
  for (int i = 0; i < PLATE; i++)
    own[i] = (plate[i] + source[i]) * (float)(1 - 0.1 * rank) * (rank % 3 == 2 ? -1.0F : 1.0F);
  save(f, plate, PLATE);
  MPI_Allreduce(own, result, PLATE, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  check_shared(result, "ranks have different sums");
  save(f, result, PLATE);
  MPI_Reduce(own, result, PLATE, MPI_FLOAT, MPI_MAX, 0, MPI_COMM_WORLD);
  save(f, result, PLATE);
  MPI_Reduce_scatter_block(own, result, part, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  save(f, result, part);
  if (f && fclose(f))
    stop("cannot write");
}

/* ---- The medley ---- */
static void medley(void) {
  times(3, add_field);
  times(1, add_complex);
  times(1, add_integers);
  times(7, add_one);
  times(1, multiply);
  times(2, broadcast);
  times(1, gather_uneven);
}

int main(int argc, char **argv) {
  int rank, ranks;
  setlocale(LC_ALL, ""); /* as programs with a window do */
  MPI_Init(&argc, &argv);
#ifdef __GLIBC__
  feenableexcept(FE_INVALID | FE_DIVBYZERO); /* as programs in Fortran do */
#endif
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 3 && strcmp(argv[1], "once") == 0) {
    once(rank, ranks, argv[2]);
    MPI_Finalize();
    return 0;
  }
  if (ranks != RANKS)
    MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 0; i < FIELD; i++)
    field[i] = argc > 3 && i % atoi(argv[3]) == 0 ? strtof(argv[2], NULL)
               : argc > 1                         ? (float)rand() / (float)RAND_MAX
                                                  : sinf((float)i * 0.001F);
  medley();
  MPI_Finalize();
  return 0;
}
