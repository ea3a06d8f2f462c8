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

/* The first line of a file beside another; "" if there is none. */
static void read_beside(const char *path, const char *name, char text[64]) {
  char beside[512];
  snprintf(beside, sizeof beside, "%.*s%s", (int)(strrchr(path, '/') + 1 - path), path, name);
  FILE *f = fopen(beside, "r");
  *text = '\0';
  if (f && !fgets(text, 64, f))
    *text = '\0';
  if (f)
    fclose(f);
}

/* The largest number in the files of a pattern that have `word` in the file `state` beside them. */
static double most_of(const char *sys, const char *pattern, const char *state, const char *word) {
  char all[512], text[64];
  double most = 0, value;
  glob_t found;
  snprintf(all, sizeof all, "%s/%s", sys, pattern);
  if (glob(all, 0, NULL, &found) != 0)
    return 0;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    read_beside(found.gl_pathv[i], state, text);
    if (!strstr(text, word))
      continue;
    read_beside(found.gl_pathv[i], strrchr(pattern, '/') + 1, text);
    most = sscanf(text, "%lf", &value) == 1 && value > most ? value : most;
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
  double time, period;
  char text[64];
  read_beside("/sys/fs/cgroup/", "cpu.max", text);
  return sscanf(text, "%lf %lf", &time, &period) == 2 && time > 0 && period > 0 ? time / period : INFINITY;
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
