/* world.c: owns the ranks: who they are, how they wait, how they end, what their network counts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int world_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

static void abort_all(void) {
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

void world_begin(const char *collective) {
  static char name[64];
  snprintf(name, sizeof name, "ghz_mpi_bench %s: rank %d", collective, world_rank());
  program_begin(name, abort_all);
}

void world_barrier(void) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done)
      nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
}

static double counter(const char *interface, const char *name) {
  char path[256];
  unsigned long long value;
  int length = snprintf(path, sizeof path, "/sys/class/net/%s/statistics/%s", interface, name);
  if (length < 0 || (size_t)length >= sizeof path || strchr(interface, '/'))
    die("not a network interface", interface);
  FILE *file = fopen(path, "r");
  if (!file || fscanf(file, "%llu", &value) != 1)
    die("cannot read the counters", path);
  fclose(file);
  return (double)value;
}

wire wire_read(const char *interface) {
  if (!interface)
    return (wire){0, 0};
  return (wire){counter(interface, "tx_bytes"), counter(interface, "rx_bytes")};
}
