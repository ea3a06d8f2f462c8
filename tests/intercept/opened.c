/* opened.c: a program that opens MPI for itself, and calls the functions that it finds there, as
 * some packages of Python and Julia do: what is preloaded does not see it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
  int (*init)(int *, char ***) = NULL, (*finalize)(void) = NULL;
  void *mpi = dlopen(MPI_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!mpi)
    return fprintf(stderr, "opened: %s\n", dlerror()) != 0;
  *(void **)&init = dlsym(mpi, "MPI_Init");
  *(void **)&finalize = dlsym(mpi, "MPI_Finalize");
  return init(NULL, NULL) || finalize();
}
