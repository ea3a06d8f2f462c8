/* variants.c: owns which variants are measured. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { ALGORITHMS = GHZ_MPI_LINEAR + 1 };

bool is_native(variant v) {
  return v.algorithm == GHZ_MPI_NATIVE;
}

static bool add(options *o, ghz_mpi_algorithm algorithm, ghz_mpi_mode mode) {
  if (o->n_variants == MAX_VARIANTS)
    return false;
  o->variants[o->n_variants++] = (variant){algorithm, mode};
  return true;
}

/* Plain where that may be fastest, all algorithms compressed, the automatic one. */
static void add_usual(options *o) {
  const ghz_mpi_algorithm *a = tested.algorithms;
  for (int i = 0; a[i]; i++)
    if (a[i] != GHZ_MPI_DOUBLING && a[i] != GHZ_MPI_HALVING)
      add(o, a[i], GHZ_MPI_PLAIN);
  for (int i = 0; a[i]; i++)
    add(o, a[i], GHZ_MPI_HOMOMORPHIC);
  add(o, GHZ_MPI_ALGORITHM_AUTO, GHZ_MPI_MODE_AUTO);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static const char *algorithm_name(int i) {
  return ghz_mpi_algorithm_name((ghz_mpi_algorithm)i);
}

const char *mode_name(int mode) {
  return ghz_mpi_mode_name((ghz_mpi_mode)mode);
}

/* The index of the name that `text` is; -1: there is none. */
static int find(const char *text, const char *(*name_of)(int), int names) {
  for (int i = 0; i < names; i++)
    if (!strcmp(name_of(i), text))
      return i;
  return -1;
}

/* Adds an algorithm with the mode; with -1 compressed and plain, or automatic. */
static bool add_modes(options *o, ghz_mpi_algorithm algorithm, int mode) {
  if (mode >= 0)
    return add(o, algorithm, (ghz_mpi_mode)mode);
  if (algorithm == GHZ_MPI_ALGORITHM_AUTO)
    return add(o, algorithm, GHZ_MPI_MODE_AUTO);
  return add(o, algorithm, GHZ_MPI_HOMOMORPHIC) && add(o, algorithm, GHZ_MPI_PLAIN);
}

/* ALGORITHM or ALGORITHM/MODE. */
static bool add_item(options *o, const char *item) {
  char name[32] = "";
  size_t length = strcspn(item, "/");
  bool has_mode = item[length] == '/';
  memcpy(name, item, length < sizeof name ? length : 0);
  int algorithm = find(name, algorithm_name, ALGORITHMS),
      mode = has_mode ? find(item + length + 1, mode_name, MODES) : -1;
  if (algorithm == GHZ_MPI_NATIVE && !has_mode)
    return true; /* is there already */
  if (algorithm < 0 || (has_mode && mode < 0) || !collective_has((ghz_mpi_algorithm)algorithm))
    return false;
  return add_modes(o, (ghz_mpi_algorithm)algorithm, mode);
}

const char *variants_list(options *o) {
  static char message[100];
  add(o, GHZ_MPI_NATIVE, GHZ_MPI_PLAIN);
  if (o->algorithms.n == 0)
    add_usual(o);
  for (int i = 0; i < o->algorithms.n; i++)
    if (!add_item(o, o->algorithms.word[i])) {
      snprintf(message, sizeof message, "--algorithm: %s does not have %s, or these are too many", tested.name,
               o->algorithms.word[i]);
      return message;
    }
  return NULL;
}
