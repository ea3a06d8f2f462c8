/* delays.c: takes the place of two MPI calls between the library and MPI: sends set out late, and
 * of the requests that are through, tests report one at a time, in any order, or none. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "delays.h"
#include "suite.h"
#include <time.h>

static uint64_t state;

void delays(uint64_t seed) { state = seed; }

static void sleep_for(uint64_t microseconds) {
  nanosleep(&(struct timespec){.tv_nsec = (long)microseconds * 1000}, NULL);
}

void delays_pause(void) {
  if (state)
    sleep_for(draw_below(&state, 2000));
}

#define VISIBLE __attribute__((visibility("default")))

VISIBLE int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                      MPI_Request *request) {
  if (state && draw_below(&state, 4) == 0)
    sleep_for(draw_below(&state, 300));
  return PMPI_Isend(data, n, type, to, tag, comm, request);
}

VISIBLE int MPI_Testsome(int n, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses) {
  if (!state || n < 1)
    return PMPI_Testsome(n, requests, done, indices, statuses);
  int i = (int)draw_below(&state, (uint64_t)n), flag = 0;
  *done = 0;
  if (requests[i] == MPI_REQUEST_NULL || draw_below(&state, 3) == 0)
    return MPI_SUCCESS;
  int code = PMPI_Test(&requests[i], &flag, &statuses[0]);
  if (flag) {
    *done = 1;
    indices[0] = i;
  }
  return code;
}
