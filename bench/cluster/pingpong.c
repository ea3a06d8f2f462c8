/* pingpong.c: what the links of the emulated cluster carry, measured with plain MPI.
 *
 * usage: pingpong           latency and bandwidth between ranks 0 and 1, and of all ranks at once
 *        pingpong --total   only the Gbit/s of all ranks together when each sends to the next */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIB ((size_t)1 << 20)
#define MOST_ROUNDS 400
#define SECONDS 0.2 /* of a measurement */
#define MEDIAN 0.5
#define FASTEST 0.0

typedef void step(int bytes, int peer);

static int rank, ranks;
static char *out, *in;

static void round_trip(int bytes, int peer) {
  if (rank < peer)
    MPI_Send(out, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
  MPI_Recv(in, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank > peer)
    MPI_Send(out, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
}

/* The empty answer confirms that everything arrived. */
static void one_way(int bytes, int peer) {
  if (rank < peer) {
    MPI_Send(out, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(in, 0, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 0, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
  }
}

static void to_the_next(int bytes, int peer) {
  (void)peer;
  MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + 1) % ranks, 0, in, bytes, MPI_BYTE, (rank + ranks - 1) % ranks, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The barrier keeps buffers of MPI from hiding that a rank has not sent yet. */
static void all_to_the_next(int bytes, int peer) {
  to_the_next(bytes, peer);
  MPI_Barrier(MPI_COMM_WORLD);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Seconds of a step on rank 0: of the round at `part` of the way from the fastest to the slowest.
 * The first round decides how many fit; it counts only if it is so slow that no other does. */
static double measure(step *run, int bytes, int peer, MPI_Comm comm, double part) {
  static double seconds[MOST_ROUNDS];
  double start = MPI_Wtime();
  run(bytes, peer);
  seconds[0] = MPI_Wtime() - start;
  double wish = SECONDS / (seconds[0] + 1e-9);
  int rounds = wish < 1 ? 0 : wish > MOST_ROUNDS ? MOST_ROUNDS : (int)wish;
  MPI_Bcast(&rounds, 1, MPI_INT, 0, comm);
  for (int i = 0; i < rounds; i++) {
    start = MPI_Wtime();
    run(bytes, peer);
    seconds[i] = MPI_Wtime() - start;
  }
  rounds = rounds ? rounds : 1;
  qsort(seconds, (size_t)rounds, sizeof seconds[0], ascending);
  return seconds[(int)(part * (rounds - 1))];
}

static double gbits(int bytes, double seconds) {
  return 8e-9 * bytes / seconds;
}

static void pair(MPI_Comm comm) {
  int peer = 1 - rank, small = (int)MIB, large = (int)(16 * MIB);
  double latency = measure(round_trip, 1, peer, comm, MEDIAN) / 2;
  double short_way = measure(one_way, small, peer, comm, MEDIAN);
  double long_way = measure(one_way, large, peer, comm, MEDIAN);
  if (rank != 0)
    return;
  printf("# ping-pong      1 B one way   %8.1f us\n", 1e6 * latency);
  printf("# ping-pong    1 MiB one way   %8.3f Gbit/s\n", gbits(small, short_way));
  printf("# ping-pong   16 MiB one way   %8.3f Gbit/s\n", gbits(large, long_way));
  fflush(stdout);
}

/* Waiting ranks leave the cores to the pair. */
static void wait_for_the_pair(void) {
  MPI_Request done;
  int flag = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &done);
  while (MPI_Test(&done, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void report(void) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &comm);
  if (rank < 2)
    pair(comm);
  MPI_Comm_free(&comm);
  wait_for_the_pair();
  double all = measure(to_the_next, (int)(16 * MIB), 0, MPI_COMM_WORLD, MEDIAN);
  if (rank == 0)
    printf("# ring        16 MiB to next   %8.3f Gbit/s per rank, all %d at once\n",
           gbits((int)(16 * MIB), all), ranks);
}

/* The fastest round: what the machine can do without other programs. */
static void report_total(void) {
  int bytes = (int)(4 * MIB);
  double seconds = measure(all_to_the_next, bytes, 0, MPI_COMM_WORLD, FASTEST);
  if (rank == 0)
    printf("total %.3f\n", ranks * gbits(bytes, seconds));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  out = calloc(16, MIB);
  in = calloc(16, MIB);
  if (ranks < 2 || !out || !in) {
    fprintf(stderr, "pingpong: %s\n", ranks < 2 ? "needs 2 ranks" : "no memory");
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
  memset(out, rank + 1, 16 * MIB);
  if (argc > 1 && strcmp(argv[1], "--total") == 0)
    report_total();
  else
    report();
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
