/* remake.c: owns data sets that are made again in a copy, with their values and attributes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "remake.h"

#include <stdlib.h>

#include "elements.h"
#include "paths.h"
#include "references.h"

static bool needs_it(hid_t set) {
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  const hid_t type = H5(H5Dget_type)(set), plist = H5(H5Dget_create_plist)(set);
  const bool needs = type >= 0 && plist >= 0 && type_has_any_length(type) &&
                     H5(H5Pfill_value_defined)(plist, &defined) >= 0 && defined == H5D_FILL_VALUE_USER_DEFINED;
  h5_close(plist, type);
  return needs;
}

static bool copy_values(hid_t set, hid_t made, hid_t type, hid_t space) {
  const hssize_t count = H5(H5Sget_simple_extent_npoints)(space);
  const size_t size = H5(H5Tget_size)(type);
  if (count == 0)
    return true;
  if (count < 0 || size == 0 || (uint64_t)count > SIZE_MAX / size)
    return false;
  void *values = calloc((size_t)count, size);
  const bool read = values && H5(H5Dread)(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  const bool ok = read && H5(H5Dwrite)(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (read)
    H5(H5Dvlen_reclaim)(type, space, H5P_DEFAULT, values);
  free(values);
  return ok;
}

static bool copy_attributes(hid_t set, hid_t made, hid_t to) {
  paths attributes = {0};
  bool ok = paths_of_attributes("", set, &attributes);
  for (size_t i = 0; ok && i < attributes.count; i++)
    ok = attribute_copy(set, attributes.at[i], made, to);
  paths_free(&attributes);
  return ok;
}

/* Its type may be one that the old file has a name for, which no other file takes. */
static bool remake(hid_t set, hid_t to, const char *path) {
  const hid_t own = H5(H5Dget_type)(set), type = own < 0 ? -1 : H5(H5Tcopy)(own);
  const hid_t space = H5(H5Dget_space)(set), plist = H5(H5Dget_create_plist)(set);
  bool ok = type >= 0 && space >= 0 && plist >= 0 && H5(H5Ldelete)(to, path, H5P_DEFAULT) >= 0;
  const hid_t made = ok ? H5(H5Dcreate2)(to, path, type, space, H5P_DEFAULT, plist, H5P_DEFAULT) : -1;
  ok = made >= 0 && copy_values(set, made, type, space) && copy_attributes(set, made, to);
  ok &= h5_close(made);
  h5_close(plist, space, type, own);
  return ok;
}

bool sets_remake(hid_t from, hid_t to) {
  paths all = {0};
  bool ok = paths_of_file("", from, &all);
  for (size_t i = 0; ok && i < all.count; i++) {
    const hid_t object = H5(H5Oopen)(from, all.at[i], H5P_DEFAULT);
    ok = object >= 0;
    if (ok && H5(H5Iget_type)(object) == H5I_DATASET && needs_it(object))
      ok = remake(object, to, all.at[i]);
    h5_close(object);
  }
  paths_free(&all);
  return ok;
}
