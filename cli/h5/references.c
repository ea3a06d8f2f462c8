/* references.c: owns the attributes of copied files, and where their references lead. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "references.h"

#include <stdlib.h>
#include <string.h>

#include "elements.h"
#include "paths.h"

bool type_hides_references(hid_t type) {
  return H5(H5Tget_class)(type) != H5T_REFERENCE && H5(H5Tdetect_class)(type, H5T_REFERENCE) > 0;
}

/* ---- Values ---------------------------------------------------------------------------------- */

typedef struct translation {
  hid_t from, to; /* the file, and the copy of its root group */
} translation;

static bool translate_one(const translation *t, unsigned char *value) {
  char path[PATH_BYTES] = "";
  hobj_ref_t reference;
  memcpy(&reference, value, sizeof reference);
  if (reference == 0) /* none */
    return true;
  const ssize_t length = H5(H5Rget_name)(t->from, H5R_OBJECT, &reference, path, sizeof path);
  if (length <= 0 || (size_t)length >= sizeof path)
    return false;
  const char *below = path[0] != '/' ? path : path[1] ? path + 1 : ".";
  if (H5(H5Rcreate)(&reference, t->to, below, H5R_OBJECT, -1) < 0)
    return false;
  memcpy(value, &reference, sizeof reference);
  return true;
}

static bool translate(hid_t type, unsigned char *values, unsigned char *same, size_t count, void *user) {
  (void)same;
  if (H5(H5Tget_class)(type) != H5T_REFERENCE)
    return true;
  bool ok = H5(H5Tequal)(type, h5.reference) > 0;
  for (size_t i = 0; ok && i < count; i++)
    ok = translate_one(user, values + i * sizeof(hobj_ref_t));
  return ok;
}

/* ---- Attributes ------------------------------------------------------------------------------ */

/* The attribute of the copy, which is made like that of the original where there is none. */
static hid_t open_copy(hid_t attribute, const char *name, hid_t type, hid_t space, hid_t copy) {
  if (H5(H5Aexists)(copy, name) > 0)
    return H5(H5Aopen)(copy, name, H5P_DEFAULT);
  const hid_t plist = H5(H5Aget_create_plist)(attribute);
  const hid_t made = plist < 0 ? -1 : H5(H5Acreate2)(copy, name, type, space, plist, H5P_DEFAULT);
  h5_close(plist);
  return made;
}

static bool copy_values(hid_t attribute, hid_t to, hid_t type, hid_t space, translation *t) {
  const hssize_t count = H5(H5Sget_simple_extent_npoints)(space);
  const size_t size = H5(H5Tget_size)(type);
  if (count == 0)
    return true;
  if (count < 0 || size == 0 || (uint64_t)count > SIZE_MAX / size)
    return false;
  unsigned char *values = calloc((size_t)count, size);
  bool ok = values && H5(H5Aread)(attribute, type, values) >= 0;
  const bool read = ok;
  ok = ok && elements_each(type, values, values, (size_t)count, translate, t) &&
       H5(H5Awrite)(to, type, values) >= 0;
  if (read)
    H5(H5Dvlen_reclaim)(type, space, H5P_DEFAULT, values);
  free(values);
  return ok;
}

bool attribute_copy(hid_t object, const char *name, hid_t copy, hid_t copies) {
  translation t = {object, copies};
  const hid_t attribute = H5(H5Aopen)(object, name, H5P_DEFAULT);
  const hid_t type = attribute < 0 ? -1 : H5(H5Aget_type)(attribute);
  const hid_t space = type < 0 ? -1 : H5(H5Aget_space)(attribute);
  const hid_t to = space < 0 ? -1 : open_copy(attribute, name, type, space, copy);
  bool ok = to >= 0;
  if (ok && H5(H5Sget_simple_extent_type)(space) != H5S_NULL)
    ok = copy_values(attribute, to, type, space, &t);
  ok &= h5_close(to);
  h5_close(space, type, attribute);
  return ok;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool attribute_hides_references(hid_t object, const char *name) {
  const hid_t attribute = H5(H5Aopen)(object, name, H5P_DEFAULT);
  const hid_t type = attribute < 0 ? -1 : H5(H5Aget_type)(attribute);
  const bool hides = type >= 0 && type_hides_references(type);
  h5_close(type, attribute);
  return hides;
}

static bool repair_object(hid_t object, hid_t copy, hid_t copies) {
  paths attributes = {0};
  bool ok = paths_of_attributes("", object, &attributes);
  for (size_t i = 0; ok && i < attributes.count; i++)
    ok = !attribute_hides_references(object, attributes.at[i]) ||
         attribute_copy(object, attributes.at[i], copy, copies);
  paths_free(&attributes);
  return ok;
}

bool references_repair(hid_t whole, hid_t copies) {
  paths all = {0};
  bool ok = paths_of_file("", whole, &all);
  for (size_t i = 0; ok && i < all.count; i++) {
    const hid_t object = H5(H5Oopen)(whole, all.at[i], H5P_DEFAULT);
    const hid_t copy = object < 0 ? -1 : H5(H5Oopen)(copies, all.at[i], H5P_DEFAULT);
    ok = copy >= 0 && repair_object(object, copy, copies);
    ok &= h5_close(copy);
    h5_close(object);
  }
  paths_free(&all);
  return ok;
}
