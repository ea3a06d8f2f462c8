/* differing.c: owns what becomes of that in which the files of a sum differ. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "differing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "elements.h"
#include "failure.h"
#include "places.h"
#include "report/report.h"
#include "report/text.h"

#define SAME_PLACES "only values of the same places can be combined; --differing-places combines any"

/* ---- What is found --------------------------------------------------------------------------- */

/* Attributes of HDF5 and netCDF themselves: of dimensions, and of who wrote the file. */
static bool is_bookkeeping(const char *attribute) {
  static const char *const names[] = {"CLASS",
                                      "NAME",
                                      "DIMENSION_LIST",
                                      "REFERENCE_LIST",
                                      "DIMENSION_LABELS",
                                      "_Netcdf4Dimid",
                                      "_Netcdf4Coordinates",
                                      "_nc3_strict",
                                      "_NCProperties"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(attribute, names[i]) == 0)
      return true;
  return false;
}

/* Attributes that say what numbers mean. (scale_factor and add_offset: data_sets_agree.) */
static const char *const meanings[] = {"units", "calendar", "_FillValue", "missing_value", "_Unsigned"};

/* As values of a data set's type, in which 1e20 and the nearest float are one number. */
static double value_in(hid_t set, double number) {
  const hid_t type = H5(H5Iget_type)(set) == H5I_DATASET ? H5(H5Dget_type)(set) : -1;
  const bool narrow = type >= 0 && H5(H5Tget_class)(type) == H5T_FLOAT && H5(H5Tget_size)(type) == 4;
  h5_close(type);
  return narrow ? (double)(float)number : number;
}

/* Texts and numbers may be stored in several ways. */
static bool meanings_same(hid_t a, hid_t b, const char *attribute) {
  char one[256], two[256];
  double x, y;
  return attributes_same(a, b, attribute) ||
         (attribute_text(a, attribute, one, sizeof one) && attribute_text(b, attribute, two, sizeof two) &&
          strcmp(one, two) == 0) ||
         (attribute_numbers(a, attribute, &x, 1) == 1 && attribute_numbers(b, attribute, &y, 1) == 1 &&
          value_in(a, x) == value_in(a, y));
}

/* The first of these attributes that differs, or NULL. */
static const char *other_meaning(hid_t a, hid_t b) {
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    if (!meanings_same(a, b, meanings[i]))
      return meanings[i];
  return NULL;
}

static bool have_attribute(const differing *d, const char *path, const char *attribute) {
  for (size_t i = 0; i < d->attributes.count; i++)
    if (strcmp(d->holders.at[i], path) == 0 && strcmp(d->attributes.at[i], attribute) == 0)
      return true;
  return false;
}

static bool note_object(differing *d, const options *o, const char *path, const char *other, htri_t same) {
  if (o->differing == DIFFERING_ERROR)
    return fail(other, "%s: %s that in %s (--differing=error)", path,
                same < 0 ? "cannot be compared with" : "differs from", d->first);
  return paths_add(&d->objects, path, d->first) && (same >= 0 || paths_add(&d->unread, path, d->first));
}

static bool note_kept(differing *d, const char *what) {
  return paths_have(&d->kept, what) || paths_add(&d->kept, what, d->first);
}

static bool note_attribute(differing *d, const options *o, const char *path, const char *attribute,
                           const char *other) {
  if (o->differing == DIFFERING_ERROR)
    return fail(other, "%s: its attribute %s differs from that in %s (--differing=error)", path, attribute,
                d->first);
  return paths_add(&d->holders, path, d->first) && paths_add(&d->attributes, attribute, d->first);
}

static bool compare_attributes(differing *d, const options *o, hid_t a, hid_t b, const char *path,
                               const char *other) {
  paths names = {0};
  bool ok = paths_of_attributes(d->first, a, &names);
  for (size_t i = 0; ok && i < names.count; i++)
    if (!is_bookkeeping(names.at[i]) && !have_attribute(d, path, names.at[i]) &&
        !attributes_same(a, b, names.at[i]))
      ok = note_attribute(d, o, path, names.at[i], other);
  paths_free(&names);
  return ok;
}

static bool compare_variable(differing *d, const options *o, hid_t a, hid_t b, const char *path,
                             const char *other) {
  static const char name[] = "standard_name";
  char what[PATH_BYTES];
  if (b < 0)
    return h5_fail(other, "no data set %s", path);
  const char *meaning = other_meaning(a, b);
  if (meaning)
    return fail(other,
                "%s: has another attribute %s than in %s: only values that mean the same can be combined", path,
                meaning, d->first);
  if (o->differing != DIFFERING_FIRST)
    return compare_attributes(d, o, a, b, path, other);
  snprintf(what, sizeof what, "attribute %s of %s", name, path);
  return H5(H5Aexists)(a, name) <= 0 || H5(H5Aexists)(b, name) <= 0 || meanings_same(a, b, name) ||
         note_kept(d, what);
}

/* Whether values of the two files belong together. *same: 1 also where a coordinate is rounded
 * otherwise. */
static bool compare_places(differing *d, const options *o, hid_t a, hid_t b, const char *path,
                           const char *other, htri_t *same) {
  double x, y;
  hssize_t at;
  const place_kind kind = place_kind_of(a, path);
  if (b < 0 || place_kind_of(b, path) != kind) /* the other file has none */
    return kind != PLACE_WHERE || note_kept(d, path);
  if (kind == PLACE_NONE)
    return true;
  if (kind == PLACE_TIME)
    return (*same > 0 && meanings_same(a, b, "units") && meanings_same(a, b, "calendar")) || note_kept(d, path);
  if (*same > 0 || places_near(a, b, &at, &x, &y))
    return (*same = 1, true);
  if (o->differing_places)
    return note_kept(d, path);
  if (at < 0)
    return fail(other, "%s: differs from that in %s: " SAME_PLACES, path, d->first);
  return fail(other, "%s: is %s at %lld, but %s in %s: " SAME_PLACES, path, text_double(y).text, (long long)at,
              text_double(x).text, d->first);
}

static bool compare_opened(differing *d, const options *o, hid_t a, hid_t b, const char *path,
                           const char *other) {
  const bool noted = paths_have(&d->objects, path), place = paths_have(&d->places, path);
  if (noted && !place)
    return true;
  htri_t same = b < 0 ? 0 : objects_same(a, b);
  if (place && !compare_places(d, o, a, b, path, other, &same))
    return false;
  if (noted || o->differing == DIFFERING_FIRST)
    return true;
  if (same <= 0 || (H5(H5Iget_type)(a) == H5I_DATASET && other_meaning(a, b)))
    return note_object(d, o, path, other, same);
  return compare_attributes(d, o, a, b, path, other);
}

static bool compare_object(differing *d, const options *o, hid_t first, hid_t whole, const char *path,
                           bool variable, const char *other) {
  const hid_t a = H5(H5Oopen)(first, path, H5P_DEFAULT), b = H5(H5Oopen)(whole, path, H5P_DEFAULT);
  bool ok = a >= 0 || h5_fail(d->first, "%s: cannot be opened", path);
  ok = ok && (variable ? compare_variable : compare_opened)(d, o, a, b, path, other);
  h5_close(b, a);
  return ok;
}

static bool compare_file(differing *d, const options *o, hid_t first, const paths *all, const paths *variables,
                         const char *other) {
  const hid_t whole = H5(H5Fopen)(other, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (whole < 0)
    return h5_fail(other, "cannot be opened as HDF5");
  bool ok = true;
  for (size_t i = 0; ok && i < all->count; i++)
    ok = compare_object(d, o, first, whole, all->at[i], paths_have(variables, all->at[i]), other);
  H5(H5Fclose)(whole);
  return ok;
}

/* What of the first file is compared: with --differing=first the variables and their places. */
static bool list(const options *o, const paths *variables, hid_t first, differing *d, paths *all) {
  bool ok = o->differing == DIFFERING_FIRST || paths_of_file(d->first, first, all);
  for (size_t i = 0; ok && i < variables->count; i++)
    ok = places_of_variable(d->first, first, variables->at[i], false, &d->places) &&
         (o->differing != DIFFERING_FIRST || paths_add(all, variables->at[i], d->first));
  for (size_t i = 0; ok && o->differing == DIFFERING_FIRST && i < d->places.count; i++)
    ok = paths_have(variables, d->places.at[i]) || paths_add(all, d->places.at[i], d->first);
  return ok;
}

bool differing_find(differing *d, const options *o, const paths *variables) {
  paths all = {0}, names = {0}; /* names: those of variables, which may have several */
  *d = (differing){.first = o->files[0]};
  const hid_t first = H5(H5Fopen)(d->first, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (first < 0)
    return h5_fail(d->first, "cannot be opened as HDF5");
  bool ok = list(o, variables, first, d, &all) && paths_to(d->first, first, variables, &names);
  for (int i = 1; ok && i < o->file_count; i++)
    ok = compare_file(d, o, first, &all, &names, o->files[i]);
  paths_free(&names);
  paths_free(&all);
  H5(H5Fclose)(first);
  return ok;
}

/* ---- What becomes of it ---------------------------------------------------------------------- */

/* netCDF's name of a dimension that has no coordinates. */
#define NO_VARIABLE "This is a netCDF dimension but not a netCDF variable.%10llu"

static bool set_text(hid_t object, const char *attribute, const char *text) {
  const hid_t type = H5(H5Tcopy)(h5.text), space = H5(H5Screate)(H5S_SCALAR);
  bool ok = type >= 0 && space >= 0 && H5(H5Tset_size)(type, strlen(text) + 1) >= 0;
  const hid_t made = ok ? H5(H5Acreate2)(object, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
  ok = made >= 0 && H5(H5Awrite)(made, type, text) >= 0;
  ok &= h5_close(made);
  h5_close(space, type);
  return ok;
}

static bool drop_attributes(hid_t scale, const char *name) {
  paths all = {0};
  bool ok = paths_of_attributes(name, scale, &all);
  for (size_t i = 0; ok && i < all.count; i++)
    if (strcmp(all.at[i], "NAME") == 0 || !is_bookkeeping(all.at[i]))
      ok = H5(H5Adelete)(scale, all.at[i]) >= 0;
  paths_free(&all);
  return ok;
}

static bool write_zeros(hid_t scale, hid_t space) {
  const hid_t type = H5(H5Dget_type)(scale);
  const hssize_t count = H5(H5Sget_simple_extent_npoints)(space);
  const size_t size = type < 0 ? 0 : H5(H5Tget_size)(type);
  void *zeros = size && count > 0 && (uint64_t)count <= SIZE_MAX / size ? calloc((size_t)count, size) : NULL;
  const bool ok = count == 0 || (zeros && H5(H5Dwrite)(scale, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) >= 0);
  free(zeros);
  h5_close(type);
  return ok;
}

/* A dimension stays, without its values: variables have it. */
static bool hollow_out(hid_t scale, const char *name) {
  char text[sizeof NO_VARIABLE + 20];
  const hid_t space = H5(H5Dget_space)(scale);
  const hssize_t count = space < 0 ? -1 : H5(H5Sget_simple_extent_npoints)(space);
  snprintf(text, sizeof text, NO_VARIABLE, (unsigned long long)(count < 0 ? 0 : count));
  const bool ok =
      count >= 0 && write_zeros(scale, space) && drop_attributes(scale, name) && set_text(scale, "NAME", text);
  h5_close(space);
  return ok;
}

static bool drop_object(hid_t whole, const char *path, const char *name) {
  const hid_t object = H5(H5Oopen)(whole, path, H5P_DEFAULT);
  if (object < 0) /* below a group that was dropped */
    return true;
  const bool scale = H5(H5Iget_type)(object) == H5I_DATASET && H5(H5Aexists)(object, "REFERENCE_LIST") > 0;
  bool ok = !scale || hollow_out(object, name);
  ok &= h5_close(object);
  if (!scale)
    ok = H5(H5Ldelete)(whole, path, H5P_DEFAULT) >= 0;
  return ok || h5_fail(name, "%s: cannot be left out", path);
}

static bool drop_attribute(hid_t whole, const char *path, const char *attribute, const char *name) {
  const hid_t object = H5(H5Oopen)(whole, path, H5P_DEFAULT);
  bool ok = object < 0 || H5(H5Aexists)(object, attribute) == 0 || H5(H5Adelete)(object, attribute) >= 0;
  ok &= h5_close(object);
  return ok || h5_fail(name, "%s: attribute %s cannot be left out", path, attribute);
}

bool differing_drop(hid_t whole, const char *name, void *user) {
  const differing *d = user;
  bool ok = true;
  for (size_t i = 0; ok && i < d->attributes.count; i++)
    ok = drop_attribute(whole, d->holders.at[i], d->attributes.at[i], name);
  for (size_t i = 0; ok && i < d->objects.count; i++)
    ok = drop_object(whole, d->objects.at[i], name);
  return ok;
}

void differing_report(const differing *d) {
  char list[1500] = "", kept[1500] = "";
  size_t n = 0, k = 0;
  for (size_t i = 0; i < d->objects.count && n < sizeof list; i++)
    n += (size_t)snprintf(list + n, sizeof list - n, "%s%s%s", n ? ", " : "", d->objects.at[i],
                          paths_have(&d->unread, d->objects.at[i]) ? " (cannot be compared)" : "");
  for (size_t i = 0; i < d->attributes.count && n < sizeof list; i++)
    n += (size_t)snprintf(list + n, sizeof list - n, "%sattribute %s of %s", n ? ", " : "", d->attributes.at[i],
                          d->holders.at[i]);
  for (size_t i = 0; i < d->kept.count && k < sizeof kept; i++)
    if (!paths_have(&d->objects, d->kept.at[i]))
      k += (size_t)snprintf(kept + k, sizeof kept - k, "%s%s", k ? ", " : "", d->kept.at[i]);
  if (n > 0)
    note(LEVEL_NORMAL, "left out, because the files differ in it (--differing=first takes it from %s): %s",
         d->first, list);
  if (k > 0)
    note(LEVEL_NORMAL, "the files differ in it, and that of %s is taken: %s", d->first, kept);
}

void differing_free(differing *d) {
  paths *const all[] = {&d->objects, &d->unread, &d->places, &d->kept, &d->holders, &d->attributes};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    paths_free(all[i]);
}
