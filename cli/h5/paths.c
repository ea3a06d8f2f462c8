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
  return paths_add(p, "/", name) && (h5.H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, add_link, &l) >= 0 ||
                                     h5_fail(name, "its groups cannot be read"));
}

/* Objects that do not know the order refuse to be asked for it. */
bool paths_of_links(const char *name, hid_t group, paths *p) {
  listing l = {name, p};
  return h5.H5Literate(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, add_any_link, &l) >= 0 ||
         h5.H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_any_link, &l) >= 0 ||
         h5_fail(name, "a group cannot be read");
}

bool paths_of_attributes(const char *name, hid_t object, paths *p) {
  listing l = {name, p};
  return h5.H5Aiterate2(object, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, add_attribute, &l) >= 0 ||
         h5.H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, add_attribute, &l) >= 0 ||
         h5_fail(name, "attributes cannot be read");
}

/* ---- Variables ------------------------------------------------------------------------------- */

static bool has_filter(hid_t whole, const char *path) {
  bool found = false;
  const hid_t object = h5.H5Oopen(whole, path, H5P_DEFAULT);
  const hid_t plist =
      object >= 0 && h5.H5Iget_type(object) == H5I_DATASET ? h5.H5Dget_create_plist(object) : -1;
  const int filters = plist < 0 ? 0 : h5.H5Pget_nfilters(plist);
  for (int i = 0; i < filters && !found; i++) {
    unsigned flags, configuration;
    size_t n = 0;
    found = h5.H5Pget_filter2(plist, (unsigned)i, &flags, &n, NULL, 0, NULL, &configuration) == GHZ_H5_FILTER;
  }
  if (plist >= 0)
    h5.H5Pclose(plist);
  if (object >= 0)
    h5.H5Oclose(object);
  return found;
}

static bool find_variables(const char *name, hid_t file, paths *p) {
  paths all = {0};
  bool ok = paths_of_file(name, file, &all);
  for (size_t i = 0; ok && i < all.count; i++)
    ok = !has_filter(file, all.at[i]) || paths_add(p, all.at[i], name);
  paths_free(&all);
  return ok && (p->count > 0 || fail(name, "no data set is compressed by ghz: compress with the command that "
                                           "`ghz h5args --abs E --var NAME` prints"));
}

bool paths_of_variables(const char *name, const char *var, paths *p) {
  if (var)
    return paths_add(p, var, name);
  const hid_t whole = h5.H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (whole < 0)
    return h5_fail(name, "cannot be opened as HDF5");
  const bool ok = find_variables(name, whole, p);
  h5.H5Fclose(whole);
  return ok;
}
