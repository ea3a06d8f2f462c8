/* entry.c: the MPI functions that replace those of the MPI library. Without a bound, each is one
 * branch and a jump to MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "intercept/intercept.h"

/* Calls that only move data take any datatype. */
static bool moves(void) {
  return intercept.takes[BCAST] || intercept.takes[SCATTER] || intercept.takes[GATHER] ||
         intercept.takes[ALLGATHER] || intercept.takes[ALLGATHERV];
}

static void start(void) {
  environment_start();
  if (!intercept.on)
    return;
  signature_start();
  filter_start();
  if (moves())
    array_start();
}

/* MPI can be initialised only once, but a program may try again. */
static int started(int code) {
  static bool before;
  if (code == MPI_SUCCESS && !before) {
    before = true;
    start();
  }
  return code;
}

GHZ_API int MPI_Init(int *argc, char ***argv) {
  environment_check_mpi();
  return started(PMPI_Init(argc, argv));
}

GHZ_API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  environment_check_mpi();
  return started(PMPI_Init_thread(argc, argv, required, provided));
}

GHZ_API int MPI_Finalize(void) {
  int finalized = 0;
  PMPI_Finalized(&finalized);
  if (!finalized)
    stats_report();
  if (intercept.on && !finalized) {
    if (moves())
      array_stop();
    filter_stop();
    signature_stop();
  }
  intercept.on = intercept.report = intercept.counts = false;
  return PMPI_Finalize();
}

/* ---- Collectives ---- */

static typed typed_of(const void *buffer, MPI_Count count, MPI_Datatype type) {
  return (typed){(void *)buffer, count, type};
}

#define NAME(function) function
#define NUMBER int
#define PLACE int
#include "intercept/entry.inc"

#if MPI_VERSION >= 4
#undef NAME
#undef NUMBER
#undef PLACE
#define NAME(function) function##_c
#define NUMBER MPI_Count
#define PLACE MPI_Aint
_Static_assert(sizeof(MPI_Count) == sizeof(MPI_Aint), "as wide: see numbers");
#include "intercept/entry.inc"
#endif
