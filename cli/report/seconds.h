/* seconds.h: a clock that only goes forward. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_SECONDS_H
#define GHZ_CLI_SECONDS_H

#include <time.h>

static inline double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
