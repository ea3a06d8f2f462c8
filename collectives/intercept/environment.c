/* environment.c: whether and how to intercept.
 *
 * The variables of rank 0 of MPI_COMM_WORLD hold for all processes. Processes with different
 * settings would make different calls, and wait for each other for ever. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "ghz/numerals.h"

intercept_settings intercept;

enum { TIME_LIMIT = 60 /* seconds */ };

const char *environment_get(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/* MPI need not run any more: what started the processes says. */
bool environment_is_first(void) {
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
    if (environment_get(ranks[i]))
      return strcmp(environment_get(ranks[i]), "0") == 0;
  return true;
}

void environment_check_mpi(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
#ifdef OPEN_MPI
  const bool built_for_open_mpi = true;
#else
  const bool built_for_open_mpi = false;
#endif
  PMPI_Get_library_version(version, &length);
  if ((strncmp(version, "Open MPI", 8) == 0) == built_for_open_mpi)
    return;
  version[strcspn(version, "\n")] = '\0';
  fprintf(stderr, "ghzmpi_intercept: built for %s, but this program uses %s: do not preload it here\n",
          built_for_open_mpi ? "Open MPI" : "MPICH and its kin", version);
  exit(1);
}

/* ---- Agreement ---- */

static double time_limit(void) {
  const char *text = environment_get("GHZ_MPI_INIT_TIMEOUT");
  char *end;
  double seconds = text ? strtod(text, &end) : TIME_LIMIT;
  if (!text || (*end == '\0' && seconds > 0))
    return seconds;
  ghz_settings_note(
      "GHZ_MPI_INIT_TIMEOUT=%.200s is not understood and is ignored; it must be a number of seconds", text);
  return TIME_LIMIT;
}

/* A process that has not loaded this library never comes here: after a while, the others end the
 * job with a message, which launchers that are told to abort forget if they have not read it. */
static void meet(void) {
  const struct timespec pause = {0, 100000}, read = {0, 200000000};
  const double limit = PMPI_Wtime() + time_limit();
  MPI_Request request;
  int done = 0;
  PMPI_Ibarrier(MPI_COMM_WORLD, &request);
  while (PMPI_Test(&request, &done, MPI_STATUS_IGNORE), !done) {
    nanosleep(&pause, NULL);
    if (PMPI_Wtime() < limit)
      continue;
    fputs("ghzmpi_intercept: not every process has loaded it: give LD_PRELOAD to all of them, or to none\n",
          stderr);
    nanosleep(&read, NULL);
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* Calls inside a node are MPI's unless the user asks for something that MPI does not give: data
 * that are compressed there, a mode or an algorithm, or the accuracy of `float`. */
static bool spares_node(const settings *s) {
  const char *text = environment_get("GHZ_MPI_NODE");
  bool compress = text && strcasecmp(text, "compress") == 0;
  if (text && !compress && strcasecmp(text, "mpi") != 0)
    ghz_settings_note("GHZ_MPI_NODE=%.200s is not understood and is ignored; it must be mpi or compress", text);
  return !compress && s->mode == GHZ_MPI_MODE_AUTO && s->algorithm == GHZ_MPI_ALGORITHM_AUTO;
}

/* What differs from collective to collective: the bound, and what follows from it. False: the job
 * is to end. */
static bool choose(const settings *all) {
  const bool spares = spares_node(all);
  bool decides = false;
  const char *calls = environment_get("GHZ_MPI_CALLS");
  if (!choice_read(calls, intercept.takes)) {
    fprintf(stderr, "ghzmpi_intercept: GHZ_MPI_CALLS=%.200s is not understood: it must be %s\n", calls,
            choice_names);
    return false;
  }
  for (int c = 0; c < CALLS; c++) {
    settings s;
    ghz_settings_make(NULL, stats_calls[c], &s);
    const bool bounded = s.bound.value > 0, is_float = s.bound.kind == GHZ_MPI_FLOAT;
    const bool taken = intercept.takes[c] || (!calls && ghz_settings_has_bound(stats_calls[c]));
    intercept.takes[c] = taken && bounded;
    intercept.spares_node[c] = spares && !is_float;
    intercept.bounded = intercept.bounded || bounded;
    decides = decides || (intercept.takes[c] && !is_float);
  }
  if (calls && !intercept.bounded)
    fprintf(stderr, "ghzmpi_intercept: GHZ_MPI_CALLS is set and GHZ_MPI_BOUND is not: nothing is compressed; "
                    "set a bound, as in GHZ_MPI_BOUND=rel:1e-4\n");
  if (decides && all->threshold == 0)
    fprintf(stderr,
            "ghzmpi_intercept: GHZ_MPI_THRESHOLD=0 takes small calls, too, by which programs decide (time "
            "steps, residuals): each result is within the bound only; GHZ_MPI_BOUND=float keeps them\n");
  return true;
}

/* What rank 0 alone reads, and tells. */
static void read_settings(void) {
  settings s;
  const char *report = environment_get("GHZ_MPI_REPORT"), *bound = environment_get("GHZ_MPI_BOUND");
  ghz_settings_make(NULL, stats_calls[0], &s);
  intercept.refused = !choose(&s);
  intercept.report = !intercept.refused && report && strcmp(report, "0") != 0;
  snprintf(intercept.bound, sizeof intercept.bound, "%s", bound ? bound : "");
  intercept.threshold = (int64_t)s.threshold;
  intercept.check = s.check != CHECK_UNSET ? s.check : intercept.report ? INT_MAX : 0;
}

void environment_start(void) {
  const locale_t programs = numerals_begin();
  size_t bytes;
  int rank;
  meet();
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  void *shared = ghz_settings_shared(rank > 0, &bytes);
  PMPI_Bcast(shared, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank == 0)
    read_settings();
  PMPI_Bcast(&intercept, sizeof intercept, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (intercept.refused) { /* an abort by rank 0 could end the job before its message is read */
    PMPI_Finalize();
    exit(1);
  }
  intercept.on = intercept.bounded;
  numerals_end(programs);
}
