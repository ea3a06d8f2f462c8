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
#include <time.h>

intercept_settings intercept;

/* MPI need not run any more: what started the processes says. */
bool environment_is_first(void) {
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
  const char *rank;
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
    if ((rank = getenv(ranks[i])))
      return strcmp(rank, "0") == 0;
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

/* A process that has not loaded this library never comes here: after a while, the others end the
 * job with a message, which launchers that are told to abort forget if they have not read it. */
static void meet(double seconds) {
  const struct timespec pause = {0, 100000}, read = {0, 200000000};
  const double limit = PMPI_Wtime() + seconds;
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

/* What differs from collective to collective: the bound, and what follows from it. Calls inside a
 * node are MPI's unless the user asks for something that MPI does not give: data that are
 * compressed there, a mode or an algorithm, or the accuracy of `float`. */
static void choose(const environment *e) {
  const bool spares = e->value[SET_NODE] == 0 && e->value[SET_MODE] == 0 && e->value[SET_ALGORITHM] == 0;
  bool decides = false;
  for (int c = 0; c < CALLS; c++) {
    settings s;
    ghz_settings_make(NULL, &ghz_collectives[c], &s);
    const bool bounded = s.bound.value > 0, is_float = s.bound.kind == GHZ_MPI_FLOAT;
    intercept.takes[c] =
        bounded && (e->calls ? e->calls >> c & 1 : ghz_collectives[c].reduces || e->wishes[c].bound.value > 0);
    intercept.spares_node[c] = spares && !is_float;
    intercept.bounded = intercept.bounded || bounded;
    decides = decides || (intercept.takes[c] && !is_float);
  }
  if (e->calls && !intercept.bounded)
    ghz_settings_note(
        "GHZ_MPI_CALLS is set and GHZ_MPI_BOUND is not: nothing is compressed; set a bound, as in "
        "GHZ_MPI_BOUND=rel:1e-4");
  if (decides && e->value[SET_THRESHOLD] == 0)
    ghz_settings_note("GHZ_MPI_THRESHOLD=0 takes small calls, too, by which programs decide (time steps, "
                      "residuals): each result is within the bound only; GHZ_MPI_BOUND=float keeps them");
}

void environment_start(void) {
  environment *e = ghz_settings_environment();
  const char *report = ghz_settings_text(SET_REPORT);
  e->value[SET_REPORT] = report && strcmp(report, "0") != 0;
  if (e->value[SET_REPORT] != 0 && e->value[SET_CHECK] == CHECK_UNSET)
    e->value[SET_CHECK] = INT_MAX; /* the second call of a kind */
  meet(e->value[SET_INIT_TIMEOUT]);
  PMPI_Bcast(e, ENVIRONMENT_SHARED, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (e->refused) { /* an abort by rank 0 could end the job before its message is read */
    PMPI_Finalize();
    exit(1);
  }
  choose(e);
  intercept.report = e->value[SET_REPORT] != 0;
  intercept.threshold = (int64_t)e->value[SET_THRESHOLD];
  intercept.on = intercept.bounded;
}
