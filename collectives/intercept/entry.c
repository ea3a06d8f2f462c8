/* entry.c: the MPI functions that replace those of the MPI library. Without a bound, each is one
 * branch and a jump to MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "intercept/intercept.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- The line -------------------------------------------------------------------------------- */

/* Tools may stand in line before this library and after it. Those before it call the next function
 * of a name, or PMPI_'s, as Open MPI's Fortran does: so this library has both names, and what it
 * does not do itself the next one in line does. Its own calls of PMPI_Allreduce and the like
 * arrive here, too. */
static void *find(const char *name) {
  void *next = dlsym(RTLD_NEXT, name);
  if (next)
    return next;
  fprintf(stderr, "ghzmpi_intercept: no %s in any library that comes after this one\n", name);
  abort();
}

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define NEXT(name)                                                                                             \
  static void *_Atomic found;                                                                                  \
  __typeof__(name) *next;                                                                                      \
  if (!found)                                                                                                  \
    found = find(TEXT(name));                                                                                  \
  *(void **)&next = found

/* ---- Start and end --------------------------------------------------------------------------- */

static bool seen; /* MPI_Init */

/* MPI can be initialised only once, but a program may try again; and a tool that comes after this
 * library in line calls PMPI_Init. */
static int started(int code) {
  if (code == MPI_SUCCESS && !seen) {
    seen = true;
    environment_start();
    if (intercept.on)
      filter_start();
  }
  return code;
}

static void stop(void) {
  const bool was_on = intercept.on;
  int finalized = 0;
  PMPI_Finalized(&finalized);
  intercept.on = false; /* from here on calls are MPI's, the report's own, too */
  if (!finalized)
    stats_report();
  if (was_on && !finalized)
    filter_stop();
  intercept.report = false;
}

/* By either name, as a tool that is loaded before this library calls PMPI_Init. */
#define START_AND_STOP(INIT, INIT_THREAD, FINALIZE)                                                            \
  GHZ_API int INIT(int *argc, char ***argv) {                                                                  \
    NEXT(INIT);                                                                                                \
    environment_check_mpi();                                                                                   \
    return started(next(argc, argv));                                                                          \
  }                                                                                                            \
  GHZ_API int INIT_THREAD(int *argc, char ***argv, int required, int *provided) {                              \
    NEXT(INIT_THREAD);                                                                                         \
    environment_check_mpi();                                                                                   \
    return started(next(argc, argv, required, provided));                                                      \
  }                                                                                                            \
  GHZ_API int FINALIZE(void) {                                                                                 \
    NEXT(FINALIZE);                                                                                            \
    stop();                                                                                                    \
    return next();                                                                                             \
  }
START_AND_STOP(MPI_Init, MPI_Init_thread, MPI_Finalize)
START_AND_STOP(PMPI_Init, PMPI_Init_thread, PMPI_Finalize)

/* Programs that open MPI by dlopen, for themselves, do not find this library's functions. Shells
 * and tools that inherit LD_PRELOAD have MPI loaded by us, but do not use it: they are to hear
 * nothing. */
__attribute__((destructor)) static void say_if_unseen(void) {
  int used = 0;
  if (seen || !ghz_settings_text(SET_BOUND))
    return;
  PMPI_Initialized(&used);
  if (used && environment_is_first())
    fputs("ghzmpi_intercept: loaded, but MPI_Init was not seen: nothing was compressed\n", stderr);
}

/* ---- Collectives ----------------------------------------------------------------------------- */

#define TYPED(x, n, of) (&(typed){.buffer = (void *)(x), .count = n, .type = of})
#define BLOCKS(x, n, of, ...) (&(typed){(void *)(x), n, of, __VA_ARGS__})
#define NUMBERS(list) ((numbers){list, sizeof *(list)})

/* Both names of a function. */
#define ENTRY(function, ...)                                                                                   \
  GHZ_API __typeof__(NAME(function)) NAME(P##function) __attribute__((alias(TEXT(NAME(function)))));           \
  GHZ_API int NAME(function)(__VA_ARGS__)

/* A call of ours, or else the next one's in line. */
#define TAKE(function, call, send, recv, op, root, ...)                                                        \
  NEXT(NAME(P##function));                                                                                     \
  int code;                                                                                                    \
  return intercept.on && dispatch(call, send, recv, op, root, comm, &code) ? code : next(__VA_ARGS__)
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
