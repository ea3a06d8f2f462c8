/* paths.c: owns lists of what an HDF5 file has: objects, variables. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "inside.h"

#include <hdf5/parameters.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

bool paths_add(paths *p, const char *path, const char *name) {
  if (p->count == p->capacity) {
    const size_t capacity = p->capacity ? 2 * p->capacity : 16;
    char **more = realloc(p->at, capacity * sizeof *more);
    if (!more)
      return fail(name, "out of memory");
    p->at = more;
    p->capacity = capacity;
  }
  char *copy = strdup(path);
  if (!copy)
    return fail(name, "out of memory");
  p->at[p->count++] = copy;
  return true;
}

bool paths_have(const paths *p, const char *path) {
  for (size_t i = 0; i < p->count; i++)
    if (strcmp(p->at[i], path) == 0)
      return true;
  return false;
}

bool paths_include(paths *p, const char *path, const char *name) {
  return paths_have(p, path) || paths_add(p, path, name);
}

void paths_free(paths *p) {
  for (size_t i = 0; i < p->count; i++)
    free(p->at[i]);
  free(p->at);
  *p = (paths){.count = 0};
}

/* ---- What there is --------------------------------------------------------------------------- */

typedef struct listing {
  const char *name;
  paths *to;
} listing;

static herr_t add_link(hid_t group, const char *path, const H5L_info_t *info, void *user) {
  const listing *l = user;
  (void)group;
  return info->type != H5L_TYPE_HARD || paths_add(l->to, path, l->name) ? 0 : -1;
}

bool paths_of_file(const char *name, hid_t whole, paths *p) {
  listing l = {name, p};
  return paths_add(p, "/", name) && (H5(H5Lvisit)(whole, H5_INDEX_NAME, H5_ITER_INC, add_link, &l) >= 0 ||
                                     h5_fail(name, "its groups cannot be read"));
}

/* ---- Variables ------------------------------------------------------------------------------- */

bool has_filter(hid_t whole, const char *path) {
  bool found = false;
  const hid_t object = H5(H5Oopen)(whole, path, H5P_DEFAULT);
  const hid_t plist =
      object >= 0 && H5(H5Iget_type)(object) == H5I_DATASET ? H5(H5Dget_create_plist)(object) : -1;
  const int filters = plist < 0 ? 0 : H5(H5Pget_nfilters)(plist);
  for (int i = 0; i < filters && !found; i++) {
    unsigned flags, configuration;
    size_t n = 0;
    found = H5(H5Pget_filter2)(plist, (unsigned)i, &flags, &n, NULL, 0, NULL, &configuration) == GHZ_H5_FILTER;
  }
  h5_close(plist, object);
  return found;
}

bool path_of_reference(hid_t whole, const hobj_ref_t *reference, char *path) {
  const ssize_t length = H5(H5Rget_name)(whole, H5R_OBJECT, reference, path, PATH_BYTES);
  if (length <= 0 || length >= PATH_BYTES)
    return false;
  memmove(path, path + (*path == '/'), (size_t)length + (*path != '/'));
  return true;
}

bool object_is_inside(hid_t object, hid_t whole, char *where) {
  char own[PATH_BYTES] = "";
  where[0] = '\0';
  return object >= 0 && H5(H5Fget_name)(whole, own, sizeof own) >= 0 &&
         H5(H5Fget_name)(object, where, PATH_BYTES) >= 0 && strcmp(own, where) == 0;
}

/* Adds the one path of an object that may have several; that which is given, where HDF5 has none,
 * or it is one of another file. */
static bool add_object(const char *name, hid_t whole, const char *given, paths *p) {
  char path[PATH_BYTES];
  hobj_ref_t at;
  const hid_t object = H5(H5Oopen)(whole, given, H5P_DEFAULT);
  const bool found = object_is_inside(object, whole, path) &&
                     H5(H5Rcreate)(&at, whole, given, H5R_OBJECT, -1) >= 0 &&
                     path_of_reference(whole, &at, path);
  h5_close(object);
  return found ? paths_include(p, path, name) : paths_add(p, given, name);
}

static bool add_variables(const char *name, hid_t whole, paths *p) {
  paths all = {0};
  bool ok = paths_of_file(name, whole, &all);
  for (size_t i = 0; ok && i < all.count; i++)
    ok = !has_filter(whole, all.at[i]) || add_object(name, whole, all.at[i], p);
  paths_free(&all);
  return ok && (p->count > 0 || fail(name, "no data set here is compressed by ghz: " H5_RECOMPRESS));
}

bool paths_of_variables(const char *name, const char *var, paths *p) {
  const hid_t whole = h5_open(name, H5F_ACC_RDONLY);
  if (whole < 0)
    return false;
  const bool ok = var ? add_object(name, whole, var, p) : add_variables(name, whole, p);
  H5(H5Fclose)(whole);
  return ok;
}
