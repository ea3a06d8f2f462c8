/* link.c: what the system says of this node's link to others, and of its cores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* sched_getaffinity */

#include "control/control.h"

#include "ghz/numerals.h"

#include <glob.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* The largest number in the files of a pattern, of those whose first lines beside them, in the file
 * `state`, have `word`. */
static double most_of(const char *sys, const char *pattern, const char *state, const char *word) {
  char path[512], text[64];
  double most = 0, value;
  glob_t found;
  snprintf(path, sizeof path, "%s/%s", sys, pattern);
  if (glob(path, 0, NULL, &found) != 0)
    return 0;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    const char *name = found.gl_pathv[i];
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(name, '/') - name), name, state);
    FILE *says = fopen(path, "r"), *number = fopen(name, "r");
    if (says && number && fgets(text, sizeof text, says) && strstr(text, word) &&
        fscanf(number, "%lf", &value) == 1 && value > most)
      most = value;
    if (says)
      fclose(says);
    if (number)
      fclose(number);
  }
  globfree(&found);
  return most;
}

/* What is no hardware, as bridges and ends of virtual links, says any number, and has no driver. */
double ghz_link_of(const char *sys) {
  const locale_t programs = numerals_begin();
  double bits = 1e9 * most_of(sys, "class/infiniband/*/ports/*/rate", "state", "ACTIVE");
  if (bits == 0)
    bits = 1e6 * most_of(sys, "class/net/*/speed", "device/uevent", "DRIVER");
  numerals_end(programs);
  return bits;
}

/* A container's share of the processor's time, in cores. */
static double quota(void) {
  unsigned long time, period;
  FILE *f = fopen("/sys/fs/cgroup/cpu.max", "r");
  const int limited = f && fscanf(f, "%lu %lu", &time, &period) == 2 && period > 0;
  if (f)
    fclose(f);
  return limited ? (double)time / (double)period : INFINITY;
}

double ghz_link_cores(MPI_Comm node) {
  cpu_set_t own, all;
  int ranks = 1;
  MPI_Comm_size(node, &ranks);
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  all = own;
  MPI_Allreduce(MPI_IN_PLACE, &all, sizeof all, MPI_BYTE, MPI_BOR, node);
  const double share = fmin(CPU_COUNT(&all), quota()) / ranks;
  return CPU_COUNT(&own) ? fmin(CPU_COUNT(&own), share) : 1;
}
