/* places.c: owns finding the coordinates of a variable, and comparing those of two files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "places.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"

/* ---- Which there are ------------------------------------------------------------------------- */

typedef struct listing {
  const char *name;
  hid_t file;
  paths *to;
} listing;

static bool add(const listing *l, const char *path) {
  path += *path == '/';
  return paths_have(l->to, path) || paths_add(l->to, path, l->name);
}

/* Of DIMENSION_LIST: a list of references for each dimension. */
static bool add_referred(hid_t type, unsigned char *a, unsigned char *b, size_t count, void *user) {
  const listing *l = user;
  char path[PATH_BYTES];
  bool ok = H5(H5Tequal)(type, h5.reference) > 0;
  (void)b;
  for (size_t i = 0; ok && i < count; i++) {
    const ssize_t length = H5(H5Rget_name)(l->file, H5R_OBJECT, a + i * sizeof(hobj_ref_t), path, sizeof path);
    ok = length <= 0 || (size_t)length >= sizeof path || add(l, path);
  }
  return ok;
}

static bool is_number(hid_t set, bool scalar) {
  const hid_t type = H5(H5Iget_type)(set) == H5I_DATASET ? H5(H5Dget_type)(set) : -1;
  const hid_t space = type < 0 ? -1 : H5(H5Dget_space)(set);
  const H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5(H5Tget_class)(type);
  const bool is = (class == H5T_FLOAT || class == H5T_INTEGER) && space >= 0 &&
                  (!scalar || H5(H5Sget_simple_extent_npoints)(space) == 1);
  h5_close(space, type);
  return is;
}

/* A neighbour of the variable, by its name. */
static bool add_named(const listing *l, const char *var, const char *name, bool scalar) {
  char path[PATH_BYTES];
  const char *slash = strrchr(var, '/');
  snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash + 1 - var) : 0, var, name);
  const hid_t set = H5(H5Oopen)(l->file, path, H5P_DEFAULT);
  const bool ok = set < 0 || !is_number(set, scalar) || add(l, path);
  h5_close(set);
  return ok;
}

bool places_of_variable(const char *name, hid_t file, const char *var, bool all, paths *p) {
  static const char *const levels[] = {"plev", "lev", "level", "height", "depth", "altitude", "pressure"},
                           *const attributes[] = {"coordinates",  "bounds",        "climatology",
                                                  "grid_mapping", "cell_measures", "formula_terms"};
  char words[PATH_BYTES], *rest;
  listing l = {name, file, p};
  const hid_t set = H5(H5Oopen)(file, var, H5P_DEFAULT);
  bool ok = true;
  if (set >= 0)
    attribute_each(set, "DIMENSION_LIST", add_referred, &l);
  for (size_t i = 0; set >= 0 && i < (all ? sizeof attributes / sizeof *attributes : 1); i++) {
    attribute_text(set, attributes[i], rest = words, sizeof words);
    for (const char *word; ok && (word = strtok_r(rest, " ", &rest));)
      ok = add_named(&l, var, word, false);
  }
  for (size_t i = 0; ok && i < sizeof levels / sizeof *levels; i++)
    ok = add_named(&l, var, levels[i], true);
  h5_close(set);
  return ok;
}

/* ---- What they are --------------------------------------------------------------------------- */

static bool begins(const char *text, const char *const *words) {
  while (*words && strncmp(text, *words, strlen(*words)) != 0)
    words++;
  return *words;
}

place_kind place_kind_of(hid_t set, const char *path) {
  static const char *const members[] = {"realization", "member", "ensemble", "number", NULL},
                           *const none[] = {"This is a netCDF dimension but not", NULL},
                           *const times[] = {"time", "forecast", NULL}, *const units[] = {"second", "minute",
                                                                                          "hour",   "day",
                                                                                          "month",  "year",
                                                                                          NULL};
  char text[256];
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  if (begins(name, members) || (attribute_text(set, "NAME", text, sizeof text) && begins(text, none)))
    return PLACE_NONE;
  if (begins(name, times) ||
      (attribute_text(set, "units", text, sizeof text) && (begins(text, units) || strstr(text, " since "))))
    return PLACE_TIME;
  return attribute_text(set, "axis", text, sizeof text) && strcmp(text, "T") == 0 ? PLACE_TIME : PLACE_WHERE;
}

/* ---- Whether they are the same --------------------------------------------------------------- */

/* The numbers of a data set; NULL where there are none. */
static double *read_numbers(hid_t set, hssize_t *count) {
  const hid_t space = is_number(set, false) ? H5(H5Dget_space)(set) : -1;
  *count = space < 0 ? 0 : H5(H5Sget_simple_extent_npoints)(space);
  double *x = *count > 0 ? calloc((size_t)*count, sizeof *x) : NULL;
  if (x && H5(H5Dread)(set, h5.types[GHZ_F64], H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0) {
    free(x);
    x = NULL;
  }
  h5_close(space);
  return x;
}

/* Float and double have the same places to 7 digits of the largest. */
static bool numbers_near(const double *x, const double *y, hssize_t count, hssize_t *at) {
  double most = 0;
  for (hssize_t i = 0; i < count; i++)
    most = fmax(most, fabs(x[i]));
  for (*at = 0; *at < count; ++*at)
    if (fabs(x[*at] - y[*at]) > 1e-6 * most)
      return false;
  return true;
}

bool places_near(hid_t a, hid_t b, hssize_t *at, double *x, double *y) {
  hssize_t count, other;
  double *one = read_numbers(a, &count), *two = read_numbers(b, &other);
  *at = -1;
  const bool comparable = one && two && count == other;
  const bool near = comparable && numbers_near(one, two, count, at);
  if (comparable && !near) {
    *x = one[*at];
    *y = two[*at];
  }
  free(one);
  free(two);
  return near;
}
