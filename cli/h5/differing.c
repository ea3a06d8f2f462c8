/* differing.c: owns what becomes of that in which the files of a sum differ. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "differing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "failure.h"
#include "report/report.h"

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

static bool fail_meaning(const differing *d, const char *other, const char *path, const char *attribute) {
  return fail(other, "%s: has another attribute %s than in %s: only values that mean the same can be combined",
              path, attribute, d->first);
}

static bool check_meaning(const differing *d, hid_t a, hid_t b, const char *path, const char *other) {
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    if (!attributes_same(a, b, meanings[i]))
      return fail_meaning(d, other, path, meanings[i]);
  return true;
}

static bool have_attribute(const differing *d, const char *path, const char *attribute) {
  for (size_t i = 0; i < d->attributes.count; i++)
    if (strcmp(d->holders.at[i], path) == 0 && strcmp(d->attributes.at[i], attribute) == 0)
      return true;
  return false;
}

static bool note_object(differing *d, const options *o, const char *path, const char *other) {
  if (o->differing == DIFFERING_ERROR)
    return fail(other, "%s: differs from that in %s (--differing=error)", path, d->first);
  return paths_add(&d->objects, path, d->first);
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

static bool compare_opened(differing *d, const options *o, hid_t a, hid_t b, const char *path, bool variable,
                           const char *other) {
  if (variable) /* which is there: it was opened */
    return check_meaning(d, a, b, path, other) &&
           (o->differing == DIFFERING_FIRST || compare_attributes(d, o, a, b, path, other));
  if (b < 0 || !objects_same(a, b))
    return note_object(d, o, path, other);
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    if (h5.H5Iget_type(a) == H5I_DATASET && !attributes_same(a, b, meanings[i]))
      return note_object(d, o, path, other);
  return compare_attributes(d, o, a, b, path, other);
}

static bool compare_object(differing *d, const options *o, hid_t first, hid_t whole, const char *path,
                           bool variable, const char *other) {
  const hid_t a = h5.H5Oopen(first, path, H5P_DEFAULT), b = h5.H5Oopen(whole, path, H5P_DEFAULT);
  const bool ok = a >= 0 ? compare_opened(d, o, a, b, path, variable, other)
                         : h5_fail(d->first, "%s: cannot be opened", path);
  if (b >= 0)
    h5.H5Oclose(b);
  if (a >= 0)
    h5.H5Oclose(a);
  return ok;
}

static bool compare_file(differing *d, const options *o, hid_t first, const paths *all, const paths *variables,
                         const char *other) {
  const hid_t whole = h5.H5Fopen(other, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (whole < 0)
    return h5_fail(other, "cannot be opened as HDF5");
  bool ok = true;
  for (size_t i = 0; ok && i < all->count; i++)
    ok = paths_have(&d->objects, all->at[i]) ||
         compare_object(d, o, first, whole, all->at[i], paths_have(variables, all->at[i]), other);
  h5.H5Fclose(whole);
  return ok;
}

bool differing_find(differing *d, const options *o, const paths *variables) {
  paths all = {0};
  *d = (differing){.first = o->files[0]};
  const hid_t first = h5.H5Fopen(d->first, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (first < 0)
    return h5_fail(d->first, "cannot be opened as HDF5");
  bool ok = o->differing == DIFFERING_FIRST ? true : paths_of_file(d->first, first, &all);
  for (int i = 1; ok && i < o->file_count; i++)
    ok = compare_file(d, o, first, o->differing == DIFFERING_FIRST ? variables : &all, variables, o->files[i]);
  paths_free(&all);
  h5.H5Fclose(first);
  return ok;
}

/* ---- What becomes of it ---------------------------------------------------------------------- */

/* netCDF's name of a dimension that has no coordinates. */
#define NO_VARIABLE "This is a netCDF dimension but not a netCDF variable.%10llu"

static bool set_text(hid_t object, const char *attribute, const char *text) {
  const hid_t type = h5.H5Tcopy(h5.text), space = h5.H5Screate(H5S_SCALAR);
  bool ok = type >= 0 && space >= 0 && h5.H5Tset_size(type, strlen(text) + 1) >= 0;
  const hid_t made = ok ? h5.H5Acreate2(object, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
  ok = made >= 0 && h5.H5Awrite(made, type, text) >= 0;
  if (made >= 0)
    ok &= h5.H5Aclose(made) >= 0;
  if (space >= 0)
    h5.H5Sclose(space);
  if (type >= 0)
    h5.H5Tclose(type);
  return ok;
}

static bool drop_attributes(hid_t scale, const char *name) {
  paths all = {0};
  bool ok = paths_of_attributes(name, scale, &all);
  for (size_t i = 0; ok && i < all.count; i++)
    if (strcmp(all.at[i], "NAME") == 0 || !is_bookkeeping(all.at[i]))
      ok = h5.H5Adelete(scale, all.at[i]) >= 0;
  paths_free(&all);
  return ok;
}

static bool write_zeros(hid_t scale, hid_t space) {
  const hid_t type = h5.H5Dget_type(scale);
  const hssize_t count = h5.H5Sget_simple_extent_npoints(space);
  const size_t size = type < 0 ? 0 : h5.H5Tget_size(type);
  void *zeros = size && count > 0 && (uint64_t)count <= SIZE_MAX / size ? calloc((size_t)count, size) : NULL;
  const bool ok = count == 0 || (zeros && h5.H5Dwrite(scale, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) >= 0);
  free(zeros);
  if (type >= 0)
    h5.H5Tclose(type);
  return ok;
}

/* A dimension stays, without its values: variables have it. */
static bool hollow_out(hid_t scale, const char *name) {
  char text[sizeof NO_VARIABLE + 20];
  const hid_t space = h5.H5Dget_space(scale);
  const hssize_t count = space < 0 ? -1 : h5.H5Sget_simple_extent_npoints(space);
  snprintf(text, sizeof text, NO_VARIABLE, (unsigned long long)(count < 0 ? 0 : count));
  const bool ok =
      count >= 0 && write_zeros(scale, space) && drop_attributes(scale, name) && set_text(scale, "NAME", text);
  if (space >= 0)
    h5.H5Sclose(space);
  return ok;
}

static bool drop_object(hid_t whole, const char *path, const char *name) {
  const hid_t object = h5.H5Oopen(whole, path, H5P_DEFAULT);
  if (object < 0) /* below a group that was dropped */
    return true;
  const bool scale = h5.H5Iget_type(object) == H5I_DATASET && h5.H5Aexists(object, "REFERENCE_LIST") > 0;
  bool ok = !scale || hollow_out(object, name);
  ok &= h5.H5Oclose(object) >= 0;
  if (!scale)
    ok = h5.H5Ldelete(whole, path, H5P_DEFAULT) >= 0;
  return ok || h5_fail(name, "%s: cannot be left out", path);
}

static bool drop_attribute(hid_t whole, const char *path, const char *attribute, const char *name) {
  const hid_t object = h5.H5Oopen(whole, path, H5P_DEFAULT);
  bool ok = object < 0 || h5.H5Aexists(object, attribute) == 0 || h5.H5Adelete(object, attribute) >= 0;
  if (object >= 0)
    ok &= h5.H5Oclose(object) >= 0;
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
  char list[1500] = "";
  size_t n = 0;
  for (size_t i = 0; i < d->objects.count && n < sizeof list; i++)
    n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", d->objects.at[i]);
  for (size_t i = 0; i < d->attributes.count && n < sizeof list; i++)
    n += (size_t)snprintf(list + n, sizeof list - n, "%sattribute %s of %s", n ? ", " : "", d->attributes.at[i],
                          d->holders.at[i]);
  if (n > 0)
    note(LEVEL_NORMAL, "left out, because the files differ in it (--differing=first takes it from %s): %s",
         d->first, list);
}

void differing_free(differing *d) {
  paths_free(&d->objects);
  paths_free(&d->holders);
  paths_free(&d->attributes);
}
