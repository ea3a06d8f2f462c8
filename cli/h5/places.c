/* places.c: owns finding the coordinates of variables, and comparing those of files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "report/report.h"
#include "report/text.h"

#define SAME_PLACES "only values of the same places can be combined; --differing-places combines any"

/* ---- Which there are ------------------------------------------------------------------------- */

typedef struct listing {
  const char *name;
  hid_t file;
  paths *to;
} listing;

/* What dimensions refer to, unless it is gone. */
static bool add_referred(const hobj_ref_t *reference, void *user) {
  const listing *l = user;
  char path[PATH_BYTES];
  return !path_of_reference(l->file, reference, path) || paths_include(l->to, path, l->name);
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

/* A neighbour of the variable, by its name; scalar: only if it is one number. */
static bool add_named(const listing *l, const char *var, const char *name, bool scalar) {
  char path[PATH_BYTES];
  const char *slash = strrchr(var, '/');
  snprintf(path, sizeof path, "%.*s%s", slash && slash > var ? (int)(slash + 1 - var) : 0, var, name);
  const hid_t set = H5(H5Oopen)(l->file, path, H5P_DEFAULT);
  const bool ok = set < 0 || H5(H5Iget_type)(set) != H5I_DATASET || (scalar && !is_number(set, true)) ||
                  paths_include(l->to, path, l->name);
  h5_close(set);
  return ok;
}

bool places_of_variable(const char *name, hid_t whole, const char *var, bool all, paths *p) {
  static const char *const levels[] = {"plev", "lev", "level", "height", "depth", "altitude", "pressure"},
                           *const attributes[] = {"coordinates",        "bounds",        "climatology",
                                                  "grid_mapping",       "cell_measures", "formula_terms",
                                                  "ancillary_variables"};
  char words[PATH_BYTES], *rest;
  listing l = {name, whole, p};
  const hid_t set = H5(H5Oopen)(whole, var, H5P_DEFAULT);
  bool ok = set < 0 || attribute_references(set, "DIMENSION_LIST", add_referred, &l);
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

typedef enum place_kind {
  PLACE_NONE, /* the number of a member, or a dimension without coordinates */
  PLACE_TIME,
  PLACE_WHERE
} place_kind;

static place_kind place_kind_of(hid_t set, const char *path) {
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

typedef struct contents {
  hid_t type, space;
  hssize_t count;
  size_t size;       /* of one */
  unsigned char *at; /* NULL: there are none, or they cannot be read */
} contents;

/* Numbers are read as doubles. */
static contents contents_of(hid_t set) {
  contents v = {.type = is_number(set, false) ? H5(H5Tcopy)(h5.types[GHZ_F64]) : H5(H5Dget_type)(set),
                .space = H5(H5Dget_space)(set)};
  v.count = v.space < 0 ? -1 : H5(H5Sget_simple_extent_npoints)(v.space);
  v.size = v.type < 0 ? 0 : H5(H5Tget_size)(v.type);
  v.at = v.count > 0 && v.size > 0 ? calloc((size_t)v.count, v.size) : NULL;
  if (v.at && H5(H5Dread)(set, v.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, v.at) < 0) {
    free(v.at);
    v.at = NULL;
  }
  return v;
}

static void contents_free(const contents *v) {
  if (v->at)
    H5(H5Dvlen_reclaim)(v->type, v->space, H5P_DEFAULT, v->at);
  free(v->at);
  h5_close(v->space, v->type);
}

static double number_at(const contents *v, hssize_t i) {
  double x;
  memcpy(&x, v->at + (size_t)i * sizeof x, sizeof x);
  return x;
}

/* Float and double have the same places to 7 digits of the largest, which a fill value is not, and
 * to a quarter of what lies between neighbours: grids of metres are shifted by less. */
static bool numbers_near(const contents *a, const contents *b, double rounding, hssize_t *at) {
  double most = 0, apart = 0;
  for (hssize_t i = 0; i < a->count; i++)
    if (fabs(number_at(a, i)) < 1e15) {
      most = fmax(most, fabs(number_at(a, i)));
      apart = fmax(apart, i > 0 ? fabs(number_at(a, i) - number_at(a, i - 1)) : 0);
    }
  for (*at = 0; *at < a->count; ++*at) {
    const double x = number_at(a, *at), y = number_at(b, *at);
    if (!(fabs(x - y) <= fmin(rounding * fmax(most, fabs(x)), apart > 0 ? apart / 4 : INFINITY)) && x != y &&
        !(isnan(x) && isnan(y)))
      return false;
  }
  return true;
}

static bool texts_same(const contents *a, const contents *b) {
  bool same = true;
  for (hssize_t i = 0; same && i < a->count; i++) {
    const char *one, *two;
    memcpy(&one, a->at + (size_t)i * sizeof one, sizeof one);
    memcpy(&two, b->at + (size_t)i * sizeof two, sizeof two);
    same = strcmp(one ? one : "", two ? two : "") == 0;
  }
  return same;
}

/* *at: the number that differs; -1: it is not one number. */
static bool contents_near(const contents *a, const contents *b, double rounding, hssize_t *at) {
  *at = -1;
  if (a->count != b->count || H5(H5Tequal)(a->type, b->type) <= 0 || !a->at != !b->at)
    return false;
  if (!a->at)
    return a->count == 0;
  if (H5(H5Tequal)(a->type, h5.types[GHZ_F64]) > 0)
    return numbers_near(a, b, rounding, at);
  return H5(H5Tis_variable_str)(a->type) > 0 ? texts_same(a, b)
                                             : memcmp(a->at, b->at, (size_t)a->count * a->size) == 0;
}

typedef struct comparison {
  const options *o;
  const paths *variables;
  hid_t file; /* the first of the command */
  paths places, differing;
} comparison;

static bool units_alike(hid_t a, hid_t b) {
  char one[7], two[7]; /* degree, degrees_north and degreesN are the same */
  attribute_text(a, "units", one, sizeof one);
  attribute_text(b, "units", two, sizeof two);
  return strcmp(one, two) == 0;
}

static bool compare_values(comparison *c, hid_t a, hid_t b, const char *path, const char *other) {
  const contents x = contents_of(a), y = contents_of(b);
  const bool time = place_kind_of(a, path) == PLACE_TIME;
  hssize_t at;
  bool ok = contents_near(&x, &y, time ? 0 : 1e-6, &at);
  const bool units = time ? attributes_alike(a, b, "units", false) && attributes_alike(a, b, "calendar", false)
                          : units_alike(a, b),
             name = at < 0 && x.count == 1 && y.count == 1; /* of a member, say */
  if (!(ok = ok && units) && (time || name || c->o->differing_places))
    ok = paths_include(&c->differing, path, c->o->files[0]);
  else if (!ok && !units)
    fail(other, "%s: has other units than in %s: " SAME_PLACES, path, c->o->files[0]);
  else if (!ok && (at < 0 || !x.at || !y.at))
    fail(other, "%s: differs from that in %s: " SAME_PLACES, path, c->o->files[0]);
  else if (!ok)
    fail(other, "%s: is %s at %lld, but %s in %s: " SAME_PLACES, path, text_double(number_at(&y, at)).text,
         (long long)at, text_double(number_at(&x, at)).text, c->o->files[0]);
  contents_free(&x);
  contents_free(&y);
  return ok;
}

static bool compare_place(comparison *c, hid_t whole, const char *path, const char *other) {
  const hid_t a = H5(H5Oopen)(c->file, path, H5P_DEFAULT), b = H5(H5Oopen)(whole, path, H5P_DEFAULT);
  const place_kind kind = place_kind_of(a < 0 ? b : a, path), theirs = place_kind_of(b < 0 ? a : b, path);
  bool ok = true;
  if (a < 0 || b < 0 || kind != theirs) /* one file has none */
    ok = (kind != PLACE_WHERE && theirs != PLACE_WHERE) || paths_include(&c->differing, path, c->o->files[0]);
  else if (kind != PLACE_NONE)
    ok = compare_values(c, a, b, path, other);
  h5_close(b, a);
  return ok;
}

/* Values on a grid as wide as high may be turned. */
static bool compare_dimensions(const comparison *c, hid_t whole, const char *var, const char *other) {
  paths one = {0}, two = {0};
  listing a = {c->o->files[0], c->file, &one}, b = {other, whole, &two};
  const hid_t x = H5(H5Oopen)(c->file, var, H5P_DEFAULT), y = H5(H5Oopen)(whole, var, H5P_DEFAULT);
  bool ok = attribute_references(x, "DIMENSION_LIST", add_referred, &a) &&
            attribute_references(y, "DIMENSION_LIST", add_referred, &b);
  for (size_t i = 0; ok && i < one.count && i < two.count; i++)
    ok = strcmp(one.at[i], two.at[i]) == 0 || !paths_have(&one, two.at[i]) || c->o->differing_places ||
         fail(other, "%s: has its dimensions in another order than in %s: " SAME_PLACES, var, a.name);
  h5_close(y, x);
  paths_free(&two);
  paths_free(&one);
  return ok;
}

static bool compare_file(comparison *c, const char *other) {
  const hid_t whole = h5_open(other, H5F_ACC_RDONLY);
  if (whole < 0)
    return false;
  bool ok = true;
  for (size_t i = 0; ok && i < c->variables->count; i++)
    ok = compare_dimensions(c, whole, c->variables->at[i], other) &&
         places_of_variable(other, whole, c->variables->at[i], false, &c->places);
  for (size_t i = 0; ok && i < c->places.count; i++)
    ok = compare_place(c, whole, c->places.at[i], other);
  H5(H5Fclose)(whole);
  return ok;
}

static void report(const comparison *c) {
  char list[1500] = "";
  size_t n = 0;
  for (size_t i = 0; i < c->differing.count && n < sizeof list; i++)
    n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", c->differing.at[i]);
  if (n > 0)
    note(LEVEL_NORMAL, "the files differ in it, and that of %s is taken: %s", c->o->files[0], list);
}

bool places_agree(const options *o, const paths *variables) {
  const char *name = o->files[0];
  comparison c = {.o = o, .variables = variables, .file = h5_open(name, H5F_ACC_RDONLY)};
  if (c.file < 0)
    return false;
  bool ok = true;
  for (size_t i = 0; ok && i < variables->count; i++)
    ok = places_of_variable(name, c.file, variables->at[i], false, &c.places);
  for (int i = 1; ok && i < o->file_count; i++)
    ok = compare_file(&c, o->files[i]);
  if (ok)
    report(&c);
  paths_free(&c.places);
  paths_free(&c.differing);
  H5(H5Fclose)(c.file);
  return ok;
}
