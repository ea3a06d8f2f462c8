/* references.c: owns the attributes of copied files, and where their references lead. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "references.h"

#include <stdlib.h>
#include <string.h>

#include "paths.h"

enum { NAME_BYTES = 4096 }; /* of a path */

bool type_hides_references(hid_t type) {
  return h5.H5Tget_class(type) != H5T_REFERENCE && h5.H5Tdetect_class(type, H5T_REFERENCE) > 0;
}

/* ---- Values ---------------------------------------------------------------------------------- */

typedef struct translation {
  hid_t from, to; /* the file, and the copy of its root group */
} translation;

static bool translate(const translation *t, hid_t type, unsigned char *value);

static bool translate_reference(const translation *t, hid_t type, unsigned char *value) {
  char path[NAME_BYTES] = "";
  hobj_ref_t reference;
  if (h5.H5Tequal(type, h5.reference) <= 0)
    return false;
  memcpy(&reference, value, sizeof reference);
  if (reference == 0) /* none */
    return true;
  const ssize_t length = h5.H5Rget_name(t->from, H5R_OBJECT, &reference, path, sizeof path);
  if (length <= 0 || (size_t)length >= sizeof path)
    return false;
  const char *below = path[0] != '/' ? path : path[1] ? path + 1 : ".";
  if (h5.H5Rcreate(&reference, t->to, below, H5R_OBJECT, -1) < 0)
    return false;
  memcpy(value, &reference, sizeof reference);
  return true;
}

/* `count` values of the base of a type. */
static bool translate_elements(const translation *t, hid_t type, unsigned char *values, size_t count) {
  const hid_t base = h5.H5Tget_super(type);
  const size_t size = base < 0 ? 0 : h5.H5Tget_size(base);
  bool ok = size > 0;
  for (size_t i = 0; ok && i < count; i++)
    ok = translate(t, base, values + i * size);
  if (base >= 0)
    h5.H5Tclose(base);
  return ok;
}

static bool translate_array(const translation *t, hid_t type, unsigned char *value) {
  const hid_t base = h5.H5Tget_super(type);
  const size_t size = base < 0 ? 0 : h5.H5Tget_size(base), all = h5.H5Tget_size(type);
  if (base >= 0)
    h5.H5Tclose(base);
  return size > 0 && translate_elements(t, type, value, all / size);
}

static bool translate_members(const translation *t, hid_t type, unsigned char *value) {
  const int members = h5.H5Tget_nmembers(type);
  bool ok = members >= 0;
  for (int i = 0; ok && i < members; i++) {
    const hid_t member = h5.H5Tget_member_type(type, (unsigned)i);
    ok = member >= 0 && translate(t, member, value + h5.H5Tget_member_offset(type, (unsigned)i));
    if (member >= 0)
      h5.H5Tclose(member);
  }
  return ok;
}

static bool translate(const translation *t, hid_t type, unsigned char *value) {
  hvl_t list;
  if (h5.H5Tdetect_class(type, H5T_REFERENCE) == 0)
    return true;
  switch (h5.H5Tget_class(type)) {
  case H5T_REFERENCE:
    return translate_reference(t, type, value);
  case H5T_ARRAY:
    return translate_array(t, type, value);
  case H5T_COMPOUND:
    return translate_members(t, type, value);
  case H5T_VLEN:
    memcpy(&list, value, sizeof list);
    return translate_elements(t, type, list.p, list.len);
  default:
    return false;
  }
}

/* ---- Attributes ------------------------------------------------------------------------------ */

/* The attribute of the copy, which is made like that of the original where there is none. */
static hid_t open_copy(hid_t attribute, const char *name, hid_t type, hid_t space, hid_t copy) {
  if (h5.H5Aexists(copy, name) > 0)
    return h5.H5Aopen(copy, name, H5P_DEFAULT);
  const hid_t plist = h5.H5Aget_create_plist(attribute);
  const hid_t made = plist < 0 ? -1 : h5.H5Acreate2(copy, name, type, space, plist, H5P_DEFAULT);
  if (plist >= 0)
    h5.H5Pclose(plist);
  return made;
}

static bool copy_values(hid_t attribute, hid_t to, hid_t type, hid_t space, const translation *t) {
  const hssize_t count = h5.H5Sget_simple_extent_npoints(space);
  const size_t size = h5.H5Tget_size(type);
  if (count == 0)
    return true;
  if (count < 0 || size == 0 || (uint64_t)count > SIZE_MAX / size)
    return false;
  unsigned char *values = calloc((size_t)count, size);
  bool ok = values && h5.H5Aread(attribute, type, values) >= 0;
  const bool read = ok;
  for (hssize_t i = 0; ok && i < count; i++)
    ok = translate(t, type, values + (size_t)i * size);
  ok = ok && h5.H5Awrite(to, type, values) >= 0;
  if (read)
    h5.H5Dvlen_reclaim(type, space, H5P_DEFAULT, values);
  free(values);
  return ok;
}

bool attribute_copy(hid_t object, const char *name, hid_t copy, hid_t copies) {
  const translation t = {object, copies};
  const hid_t attribute = h5.H5Aopen(object, name, H5P_DEFAULT);
  const hid_t type = attribute < 0 ? -1 : h5.H5Aget_type(attribute);
  const hid_t space = type < 0 ? -1 : h5.H5Aget_space(attribute);
  const hid_t to = space < 0 ? -1 : open_copy(attribute, name, type, space, copy);
  bool ok = to >= 0;
  if (ok && h5.H5Sget_simple_extent_type(space) != H5S_NULL)
    ok = copy_values(attribute, to, type, space, &t);
  if (to >= 0)
    ok &= h5.H5Aclose(to) >= 0;
  if (space >= 0)
    h5.H5Sclose(space);
  if (type >= 0)
    h5.H5Tclose(type);
  if (attribute >= 0)
    h5.H5Aclose(attribute);
  return ok;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool attribute_hides_references(hid_t object, const char *name) {
  const hid_t attribute = h5.H5Aopen(object, name, H5P_DEFAULT);
  const hid_t type = attribute < 0 ? -1 : h5.H5Aget_type(attribute);
  const bool hides = type >= 0 && type_hides_references(type);
  if (type >= 0)
    h5.H5Tclose(type);
  if (attribute >= 0)
    h5.H5Aclose(attribute);
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
    const hid_t object = h5.H5Oopen(whole, all.at[i], H5P_DEFAULT);
    const hid_t copy = object < 0 ? -1 : h5.H5Oopen(copies, all.at[i], H5P_DEFAULT);
    ok = copy >= 0 && repair_object(object, copy, copies);
    if (copy >= 0)
      ok &= h5.H5Oclose(copy) >= 0;
    if (object >= 0)
      h5.H5Oclose(object);
  }
  paths_free(&all);
  return ok;
}
