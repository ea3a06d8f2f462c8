/* paths.c: owns lists of what an HDF5 file has: objects, links, attributes, variables. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "paths.h"

#include <hdf5/parameters.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
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

static herr_t add_any_link(hid_t group, const char *path, const H5L_info_t *info, void *user) {
  const listing *l = user;
  (void)group, (void)info;
  return paths_add(l->to, path, l->name) ? 0 : -1;
}

static herr_t add_attribute(hid_t object, const char *attribute, const H5A_info_t *info, void *user) {
  const listing *l = user;
  (void)object, (void)info;
  return paths_add(l->to, attribute, l->name) ? 0 : -1;
}

bool paths_of_file(const char *name, hid_t file, paths *p) {
  listing l = {name, p};
  return paths_add(p, "/", name) && (H5(H5Lvisit)(file, H5_INDEX_NAME, H5_ITER_INC, add_link, &l) >= 0 ||
                                     h5_fail(name, "its groups cannot be read"));
}

/* Objects that do not know the order refuse to be asked for it. */
bool paths_of_links(const char *name, hid_t group, paths *p) {
  listing l = {name, p};
  return H5(H5Literate)(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, add_any_link, &l) >= 0 ||
         H5(H5Literate)(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_any_link, &l) >= 0 ||
         h5_fail(name, "a group cannot be read");
}

bool paths_of_attributes(const char *name, hid_t object, paths *p) {
  listing l = {name, p};
  return H5(H5Aiterate2)(object, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, add_attribute, &l) >= 0 ||
         H5(H5Aiterate2)(object, H5_INDEX_NAME, H5_ITER_INC, NULL, add_attribute, &l) >= 0 ||
         h5_fail(name, "attributes cannot be read");
}

/* ---- Variables ------------------------------------------------------------------------------- */

static bool has_filter(hid_t whole, const char *path) {
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

/* Whether a path leads to one of the objects `to`: a reference is the place of an object. */
static bool leads_to(hid_t file, const char *path, const paths *to) {
  hobj_ref_t one, other;
  bool same = paths_have(to, path);
  for (size_t i = 0; !same && i < to->count; i++)
    same = H5(H5Rcreate)(&one, file, path, H5R_OBJECT, -1) >= 0 &&
           H5(H5Rcreate)(&other, file, to->at[i], H5R_OBJECT, -1) >= 0 && one == other;
  return same;
}

bool paths_to(const char *name, hid_t file, const paths *to, paths *p) {
  paths all = {0};
  bool ok = paths_of_file(name, file, &all);
  for (size_t i = 0; ok && i < all.count; i++)
    ok = !leads_to(file, all.at[i], to) || paths_add(p, all.at[i], name);
  paths_free(&all);
  return ok;
}

bool object_is_inside(hid_t object, hid_t file, char *where) {
  char own[PATH_BYTES] = "";
  where[0] = '\0';
  return object >= 0 && H5(H5Fget_name)(file, own, sizeof own) >= 0 &&
         H5(H5Fget_name)(object, where, PATH_BYTES) >= 0 && strcmp(own, where) == 0;
}

/* The first path of the object that the user names; what was given, where that is none. */
static bool find_variable(const char *name, hid_t file, const char *var, paths *p) {
  char where[PATH_BYTES], *at = (char *)(uintptr_t)var;
  const paths given = {.at = &at, .count = 1};
  paths found = {0};
  const hid_t object = H5(H5Oopen)(file, var, H5P_DEFAULT);
  bool ok = !object_is_inside(object, file, where) || paths_to(name, file, &given, &found);
  ok = ok && paths_add(p, found.count ? found.at[0] : var, name);
  h5_close(object);
  paths_free(&found);
  return ok;
}

static bool find_variables(const char *name, hid_t file, paths *p) {
  paths all = {0};
  bool ok = paths_of_file(name, file, &all);
  for (size_t i = 0; ok && i < all.count; i++)
    ok = !has_filter(file, all.at[i]) || leads_to(file, all.at[i], p) || paths_add(p, all.at[i], name);
  paths_free(&all);
  return ok && (p->count > 0 || fail(name, "no data set here is compressed by ghz: " H5_RECOMPRESS));
}

bool paths_of_variables(const char *name, const char *var, paths *p) {
  const hid_t whole = H5(H5Fopen)(name, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (whole < 0)
    return h5_fail(name, "cannot be opened as HDF5");
  const bool ok = var ? find_variable(name, whole, var, p) : find_variables(name, whole, p);
  H5(H5Fclose)(whole);
  return ok;
}
