/* poll.c: polling that gives way. A file of its own: bench/simulate has another. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "engine/engine.h"

#include <sched.h>

/* Before the first yield: what comes at once is not made to wait for the scheduler. */
enum { EAGER_POLLS = 32 };

void ghz_backoff(int polls) {
  if (polls >= EAGER_POLLS)
    sched_yield();
}

int ghz_wait(MPI_Request *request) {
  for (int polls = 0;; polls++) {
    int done = 0, code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || done)
      return code;
    ghz_backoff(polls);
  }
}
