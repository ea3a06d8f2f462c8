/* pingpong.c: what the links of the emulated cluster carry, measured with plain MPI.
 *
 * usage: pingpong           Gbit/s from rank 0 to rank 1
 *        pingpong --total   those of all ranks together when each sends to the next */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (16 << 20)
#define MOST_ROUNDS 400
#define SECONDS 0.2 /* of a measurement */

static int rank, ranks;
static char *out, *in;

/* The empty answer confirms that everything arrived. */
static void one_way(int bytes) {
  if (rank == 0) {
    MPI_Send(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(in, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}

/* The barrier keeps buffers of MPI from hiding that a rank has not sent yet. */
static void all_to_the_next(int bytes) {
  MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + 1) % ranks, 0, in, bytes, MPI_BYTE, (rank + ranks - 1) % ranks, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Gbit/s of a step on rank 0: of the round at `part` of the way from the fastest to the slowest.
 * The first round decides how many fit; it counts only if it is so slow that no other does. */
static double measure(void (*step)(int bytes), int bytes, double part) {
  static double seconds[MOST_ROUNDS];
  double start = MPI_Wtime();
  step(bytes);
  seconds[0] = MPI_Wtime() - start;
  double wish = SECONDS / (seconds[0] + 1e-9);
  int rounds = wish < 1 ? 0 : wish > MOST_ROUNDS ? MOST_ROUNDS : (int)wish;
  MPI_Bcast(&rounds, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < rounds; i++) {
    start = MPI_Wtime();
    step(bytes);
    seconds[i] = MPI_Wtime() - start;
  }
  rounds = rounds ? rounds : 1;
  qsort(seconds, (size_t)rounds, sizeof seconds[0], ascending);
  return 8e-9 * bytes / seconds[(int)(part * (rounds - 1))];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  out = calloc(1, MOST_BYTES);
  in = calloc(1, MOST_BYTES);
  if (ranks < 2 || !out || !in) {
    fprintf(stderr, "pingpong: %s\n", ranks < 2 ? "needs 2 ranks" : "no memory");
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
  memset(out, rank + 1, MOST_BYTES);
  const int total = argc > 1 && strcmp(argv[1], "--total") == 0;
  /* Of all the fastest round: what the machine can do without other programs. */
  const double gbits = total ? measure(all_to_the_next, 4 << 20, 0) : measure(one_way, MOST_BYTES, 0.5);
  if (rank == 0 && total)
    printf("total %.3f\n", ranks * gbits);
  else if (rank == 0)
    printf("# ping-pong   16 MiB one way   %8.3f Gbit/s\n", gbits);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
