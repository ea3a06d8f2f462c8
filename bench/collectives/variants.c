/* variants.c: owns which algorithms are measured. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <stdio.h>
#include <string.h>

static bool add(options *o, ghz_mpi_algorithm algorithm) {
  if (o->n_variants == MAX_VARIANTS)
    return false;
  o->variants[o->n_variants++] = algorithm;
  return true;
}

/* All, and the automatic choice. */
static void add_usual(options *o) {
  for (int a = GHZ_MPI_RING; a <= GHZ_MPI_LINEAR; a++)
    if (has_algorithm(tested.what, (ghz_mpi_algorithm)a))
      add(o, (ghz_mpi_algorithm)a);
  add(o, GHZ_MPI_ALGORITHM_AUTO);
}

static bool add_item(options *o, const char *name) {
  for (int a = GHZ_MPI_ALGORITHM_AUTO; a <= GHZ_MPI_LINEAR; a++)
    if (!strcmp(ghz_mpi_algorithm_name((ghz_mpi_algorithm)a), name))
      return a == GHZ_MPI_NATIVE || /* is there already */
             ((a == GHZ_MPI_ALGORITHM_AUTO || has_algorithm(tested.what, (ghz_mpi_algorithm)a)) &&
              add(o, (ghz_mpi_algorithm)a));
  return false;
}

const char *variants_list(options *o) {
  static char message[100];
  add(o, GHZ_MPI_NATIVE);
  if (o->algorithms.n == 0)
    add_usual(o);
  for (int i = 0; i < o->algorithms.n; i++)
    if (!add_item(o, o->algorithms.word[i])) {
      snprintf(message, sizeof message, "--algorithm: %s does not have %s, or these are too many",
               collective_name(), o->algorithms.word[i]);
      return message;
    }
  return NULL;
}
