/* variants.c: owns which variants are measured. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { ALGORITHMS = GHZ_MPI_LINEAR + 1, MODES = GHZ_MPI_PLAIN + 1 };

bool is_native(variant v) {
  return v.algorithm == GHZ_MPI_NATIVE;
}

bool variants_usual(options *o) {
  o->variants[o->n_variants++] = (variant){GHZ_MPI_NATIVE, GHZ_MPI_PLAIN};
  for (int i = 0;; i++) {
    o->variants[o->n_variants++] = tested.usual[i];
    if (tested.usual[i].algorithm == GHZ_MPI_ALGORITHM_AUTO && tested.usual[i].mode == GHZ_MPI_MODE_AUTO)
      return true;
  }
}

static bool complain(const char *what, const char *item, int length) {
  if (world_rank() == 0)
    fprintf(stderr, "ghz_%s_bench: %s: %.*s\n", tested.name, what, length, item);
  return false;
}

static const char *algorithm_name(int i) {
  return ghz_mpi_algorithm_name((ghz_mpi_algorithm)i);
}

static const char *mode_name(int i) {
  return ghz_mpi_mode_name((ghz_mpi_mode)i);
}

/* The index of the name that the first `length` characters of `text` are; names: there is none. */
static int find(const char *text, size_t length, const char *(*name_of)(int), int names) {
  int i = 0;
  while (i < names && (strlen(name_of(i)) != length || memcmp(name_of(i), text, length) != 0))
    i++;
  return i;
}

/* The modes of a list as a set of bits. */
static bool parse_modes(const char *list, unsigned *set) {
  for (;; list++) {
    size_t length = strcspn(list, ",");
    int mode = find(list, length, mode_name, MODES);
    if (mode == MODES)
      return complain("there is no mode", list, (int)length);
    *set |= 1u << mode;
    list += length;
    if (!*list)
      return true;
  }
}

static bool has_algorithm(int algorithm) {
  for (int i = 0; tested.algorithms[i] != GHZ_MPI_ALGORITHM_AUTO; i++)
    if ((int)tested.algorithms[i] == algorithm)
      return true;
  return algorithm == GHZ_MPI_ALGORITHM_AUTO;
}

/* Adds a route with each of the modes; without any, with what it is for and with what it costs uncompressed. */
static bool add(options *o, int algorithm, unsigned modes) {
  if (modes == 0)
    modes = algorithm == GHZ_MPI_ALGORITHM_AUTO ? 1u << GHZ_MPI_MODE_AUTO
                                                : 1u << GHZ_MPI_HOMOMORPHIC | 1u << GHZ_MPI_PLAIN;
  for (int m = 0; m < MODES; m++) {
    if (!(modes & 1u << m))
      continue;
    if (o->n_variants == MAX_VARIANTS)
      return complain("too many variants, from", algorithm_name(algorithm), 20);
    o->variants[o->n_variants++] = (variant){(ghz_mpi_algorithm)algorithm, (ghz_mpi_mode)m};
  }
  return true;
}

/* ALGORITHM or ALGORITHM/MODE. */
static bool add_item(options *o, const char *item, size_t length, unsigned modes) {
  const char *slash = memchr(item, '/', length);
  size_t name = slash ? (size_t)(slash - item) : length;
  int algorithm = find(item, name, algorithm_name, ALGORITHMS);
  if (algorithm == GHZ_MPI_NATIVE && !slash)
    return true; /* is there already */
  if (algorithm == ALGORITHMS || !has_algorithm(algorithm))
    return complain("it does not have the algorithm", item, (int)name);
  if (slash) {
    int mode = find(slash + 1, length - name - 1, mode_name, MODES);
    if (mode == MODES)
      return complain("there is no mode", slash + 1, (int)(length - name - 1));
    modes = 1u << mode;
  }
  return add(o, algorithm, modes);
}

static bool add_all(options *o, unsigned modes) {
  for (int a = 0; a < ALGORITHMS; a++)
    if (has_algorithm(a) && !add(o, a, modes))
      return false;
  return true;
}

bool variants_listed(options *o, const char *algorithms, const char *modes) {
  unsigned set = 0;
  if (modes && !parse_modes(modes, &set))
    return false;
  o->variants[o->n_variants++] = (variant){GHZ_MPI_NATIVE, GHZ_MPI_PLAIN};
  if (!algorithms)
    return add_all(o, set);
  for (const char *item = algorithms;; item++) {
    size_t length = strcspn(item, ",");
    if (!add_item(o, item, length, set))
      return false;
    item += length;
    if (!*item)
      return true;
  }
}
