/* variants.c: owns which variants are measured. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { ALGORITHMS = GHZ_MPI_LINEAR + 1, MODES = GHZ_MPI_PLAIN + 1 };

bool is_native(variant v) {
  return v.algorithm == GHZ_MPI_NATIVE;
}

static bool add(options *o, ghz_mpi_algorithm algorithm, ghz_mpi_mode mode) {
  if (o->n_variants == MAX_VARIANTS)
    return false;
  o->variants[o->n_variants++] = (variant){algorithm, mode};
  return true;
}

/* Plain where that may be fastest, compressed by every algorithm, the comparison by the first, automatic. */
static void add_usual(options *o) {
  const ghz_mpi_algorithm *a = tested.algorithms;
  for (int i = 0; a[i]; i++)
    if (a[i] != GHZ_MPI_DOUBLING && a[i] != GHZ_MPI_HALVING)
      add(o, a[i], GHZ_MPI_PLAIN);
  for (int i = 0; a[i]; i++)
    add(o, a[i], GHZ_MPI_HOMOMORPHIC);
  add(o, a[0], collective_compared_mode());
  add(o, GHZ_MPI_ALGORITHM_AUTO, GHZ_MPI_MODE_AUTO);
}

/* ---- Lists ------------------------------------------------------------------------------------------- */

static const char *algorithm_name(int i) {
  return ghz_mpi_algorithm_name((ghz_mpi_algorithm)i);
}

static const char *mode_name(int i) {
  return ghz_mpi_mode_name((ghz_mpi_mode)i);
}

/* The index of the name that `text` is; -1: there is none. */
static int find(const char *text, const char *(*name_of)(int), int names) {
  for (int i = 0; i < names; i++)
    if (!strcmp(name_of(i), text))
      return i;
  return -1;
}

/* Adds the modes of a list to a set of bits. Returns NULL, or the wrong item. */
static const char *read_modes(char *list, unsigned *set) {
  for (char *item = strtok(list, ","); item; item = strtok(NULL, ",")) {
    int mode = find(item, mode_name, MODES);
    if (mode < 0)
      return item;
    *set |= 1u << mode;
  }
  return NULL;
}

/* Adds an algorithm with each of the modes; without any, compressed and plain. */
static bool add_modes(options *o, int algorithm, unsigned modes) {
  if (modes == 0)
    modes = algorithm == GHZ_MPI_ALGORITHM_AUTO ? 1u << GHZ_MPI_MODE_AUTO
                                                : 1u << GHZ_MPI_HOMOMORPHIC | 1u << GHZ_MPI_PLAIN;
  for (int m = 0; m < MODES; m++)
    if ((modes & 1u << m) && !add(o, (ghz_mpi_algorithm)algorithm, (ghz_mpi_mode)m))
      return false;
  return true;
}

/* ALGORITHM or ALGORITHM/MODE. */
static bool add_item(options *o, char *item, unsigned modes) {
  char *slash = strchr(item, '/');
  if (slash)
    *slash = '\0';
  int algorithm = find(item, algorithm_name, ALGORITHMS), mode = slash ? find(slash + 1, mode_name, MODES) : 0;
  if (algorithm == GHZ_MPI_NATIVE && !slash)
    return true; /* is there already */
  if (algorithm < 0 || mode < 0 || !collective_has((ghz_mpi_algorithm)algorithm))
    return false;
  return add_modes(o, algorithm, slash ? 1u << mode : modes);
}

static const char *add_listed(options *o, unsigned modes) {
  for (char *item = strtok(o->algorithms, ","); item; item = strtok(NULL, ","))
    if (!add_item(o, item, modes))
      return item;
  return NULL;
}

static const char *add_all(options *o, unsigned modes) {
  for (int a = 0; a < ALGORITHMS; a++)
    if (collective_has((ghz_mpi_algorithm)a) && !add_modes(o, a, modes))
      return "too many";
  return NULL;
}

const char *variants_list(options *o) {
  static char message[100];
  unsigned modes = 0;
  const char *wrong = o->modes ? read_modes(o->modes, &modes) : NULL;
  add(o, GHZ_MPI_NATIVE, GHZ_MPI_PLAIN);
  if (!o->algorithms && !o->modes)
    add_usual(o);
  else if (!wrong)
    wrong = o->algorithms ? add_listed(o, modes) : add_all(o, modes);
  if (!wrong)
    return NULL;
  snprintf(message, sizeof message, "variants that %s does not have, or too many: %s", tested.name, wrong);
  return message;
}
