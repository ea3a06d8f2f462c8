/* link.c: what the system says of this node's link to others, and of its cores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* sched_getaffinity */

#include "control/control.h"

#include "ghz/numerals.h"

#include <glob.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The share of the processor's time that the group of this process has, in cores. */
static double quota(void) {
  unsigned long time, period;
  char group[256], path[320];
  FILE *own = fopen("/proc/self/cgroup", "r"), *f;
  const int named = own && fscanf(own, "0::%255s", group) == 1;
  if (own)
    fclose(own);
  snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", named ? group : "");
  f = fopen(path, "r");
  f = f ? f : fopen("/sys/fs/cgroup/cpu.max", "r"); /* a container's */
  const int limited = f && fscanf(f, "%lu %lu", &time, &period) == 2 && period > 0;
  if (f)
    fclose(f);
  return limited ? (double)time / (double)period : INFINITY;
}

/* The lowest hardware thread of a thread's core. */
static unsigned core_of(unsigned thread) {
  static _Atomic unsigned known[CPU_SETSIZE]; /* and 1; 0: not read yet */
  char path[96];
  unsigned core = known[thread];
  if (core)
    return core - 1;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", thread);
  FILE *f = fopen(path, "r");
  if (!f || fscanf(f, "%u", &core) != 1 || core >= CPU_SETSIZE)
    core = thread;
  if (f)
    fclose(f);
  known[thread] = core + 1;
  return core;
}

/* The cores that this thread may use, each by the lowest of its hardware threads. */
static cpu_set_t cores_here(void) {
  cpu_set_t threads, cores;
  CPU_ZERO(&threads);
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof threads, &threads);
  for (unsigned i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &threads))
      CPU_SET(core_of(i), &cores);
  return cores;
}

/* Ranks of the program on this node, of which the communicator may have a part, as its launcher
 * says; 0: it does not. */
static int ranks_here(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                      "MV2_COMM_WORLD_LOCAL_SIZE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *text = getenv(names[i]);
    const int ranks = text ? atoi(text) : 0;
    if (ranks > 0)
      return ranks;
  }
  return 0;
}

double ghz_link_cores(MPI_Comm node, int is_part) {
  cpu_set_t own = cores_here(), all = own;
  int members = 1;
  MPI_Comm_size(node, &members);
  MPI_Allreduce(MPI_IN_PLACE, &all, sizeof all, MPI_BYTE, MPI_BOR, node);
  const int there = ranks_here(), ranks = there > members ? there : members;
  const double share = fmin(CPU_COUNT(&all), quota()) / ranks;
  return CPU_COUNT(&own) == 0 || (is_part && !there) ? fmin(1, share) : fmin(CPU_COUNT(&own), share);
}
