/* sets.c: owns what is asked of any data set, whatever compressed it: its attributes, its type and
 * its extents. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* ---- Attributes ------------------------------------------------------------------------------ */

enum { NUMBERS_MAX = 64, TEXT_BYTES = 4096 };

typedef struct attribute {
  hid_t id, type, space;
  hssize_t count;
} attribute;

/* count: -1: it is not there, or cannot be read. */
static attribute open_attribute(hid_t object, const char *name) {
  attribute a = {-1, -1, -1, -1};
  a.id = H5(H5Aexists)(object, name) > 0 ? H5(H5Aopen)(object, name, H5P_DEFAULT) : -1;
  a.type = a.id < 0 ? -1 : H5(H5Aget_type)(a.id);
  a.space = a.type < 0 ? -1 : H5(H5Aget_space)(a.id);
  a.count = a.space < 0 ? -1 : H5(H5Sget_simple_extent_npoints)(a.space);
  return a;
}

static void close_attribute(const attribute *a) {
  h5_close(a->space, a->type, a->id);
}

bool attribute_text(hid_t object, const char *name, char *text, size_t size) {
  const attribute a = open_attribute(object, name);
  const bool one = a.count == 1 && H5(H5Tget_class)(a.type) == H5T_STRING;
  const size_t length = one ? H5(H5Tget_size)(a.type) : 0;
  char *own = length ? calloc(1, length + sizeof own) : NULL, *any = NULL;
  const bool read = own && H5(H5Aread)(a.id, a.type, own) >= 0, varies = H5(H5Tis_variable_str)(a.type) > 0;
  if (read && varies)
    memcpy(&any, own, sizeof any);
  snprintf(text, size, "%s", !read ? "" : varies ? any ? any : "" : own);
  if (read && varies)
    H5(H5Dvlen_reclaim)(a.type, a.space, H5P_DEFAULT, own);
  free(own);
  close_attribute(&a);
  return read;
}

int attribute_numbers(hid_t object, const char *name, double *numbers, int most) {
  const attribute a = open_attribute(object, name);
  const bool ok = a.count >= 0 && a.count <= most && H5(H5Aread)(a.id, h5.types[GHZ_F64], numbers) >= 0;
  close_attribute(&a);
  return ok ? (int)a.count : H5(H5Aexists)(object, name) == 0 ? 0 : -1;
}

static bool numbers_alike(double x, double y, bool narrow) {
  return x == y || (narrow && (float)x == (float)y) || (isnan(x) && isnan(y));
}

bool attributes_alike(hid_t a, hid_t b, const char *name, bool narrow) {
  double x[NUMBERS_MAX], y[NUMBERS_MAX];
  char one[TEXT_BYTES], two[TEXT_BYTES];
  const int count = attribute_numbers(a, name, x, NUMBERS_MAX);
  bool alike = attribute_numbers(b, name, y, NUMBERS_MAX) == count;
  for (int i = 0; alike && i < count; i++)
    alike = numbers_alike(x[i], y[i], narrow);
  return alike && (count >= 0 || (attribute_text(a, name, one, sizeof one) &&
                                  attribute_text(b, name, two, sizeof two) && strcmp(one, two) == 0));
}

bool attribute_references(hid_t object, const char *name, reference_visitor *see, void *user) {
  const attribute a = open_attribute(object, name);
  const hid_t base = a.count > 0 && H5(H5Tget_class)(a.type) == H5T_VLEN ? H5(H5Tget_super)(a.type) : -1;
  hvl_t *lists =
      base >= 0 && H5(H5Tequal)(base, h5.reference) > 0 ? calloc((size_t)a.count, sizeof *lists) : NULL;
  const bool read = lists && H5(H5Aread)(a.id, a.type, lists) >= 0;
  bool ok = true;
  for (hssize_t i = 0; read && i < a.count; i++)
    for (size_t k = 0; ok && k < lists[i].len; k++)
      ok = see((const hobj_ref_t *)lists[i].p + k, user);
  if (read)
    H5(H5Dvlen_reclaim)(a.type, a.space, H5P_DEFAULT, lists);
  free(lists);
  h5_close(base);
  close_attribute(&a);
  return ok;
}

bool attribute_decoding(hid_t set, double *scale, double *offset) {
  *scale = 1;
  *offset = 0;
  return attribute_numbers(set, "scale_factor", scale, 1) >= 0 &&
         attribute_numbers(set, "add_offset", offset, 1) >= 0;
}

/* ---- Type and extents ------------------------------------------------------------------------ */

static const char *look_at_type(hid_t set, set_facts *f) {
  static const ghz_type signed_ones[] = {[1] = GHZ_I8, [2] = GHZ_I16, [4] = GHZ_I32, [8] = GHZ_I64},
                        unsigned_ones[] = {[1] = GHZ_U8, [2] = GHZ_U16, [4] = GHZ_U32};
  const hid_t own = H5(H5Dget_type)(set);
  const H5T_class_t class = own < 0 ? H5T_NO_CLASS : H5(H5Tget_class)(own);
  const size_t size = own < 0 ? 0 : H5(H5Tget_size)(own);
  const bool negative = class == H5T_INTEGER && H5(H5Tget_sign)(own) != H5T_SGN_NONE;
  const char *why = NULL;
  if (class != H5T_FLOAT && class != H5T_INTEGER)
    why = "holds no numbers";
  else if (class == H5T_INTEGER && size == 8 && !negative)
    why = "holds unsigned integers of 64 bits, which ghz does not read";
  else if (size != 4 && size != 8 && (class == H5T_FLOAT || (size != 1 && size != 2)))
    why = "holds numbers of a size that ghz does not read";
  else
    f->type = class == H5T_FLOAT ? size == 4 ? GHZ_F32 : GHZ_F64
              : negative         ? signed_ones[size]
                                 : unsigned_ones[size];
  f->exact = !why && H5(H5Tequal)(own, h5.types[f->type]) > 0;
  h5_close(own);
  return why;
}

static const char *look_at_extents(hid_t set, set_facts *f) {
  hsize_t extent[GHZ_FILE_NDIM];
  const hid_t space = H5(H5Dget_space)(set);
  const int rank = space < 0 ? -1 : H5(H5Sget_simple_extent_ndims)(space);
  const bool read =
      rank >= 0 && rank <= GHZ_FILE_NDIM && H5(H5Sget_simple_extent_dims)(space, extent, NULL) == rank;
  bool empty = read && H5(H5Sget_simple_extent_type)(space) == H5S_NULL;
  f->array.ndim = read ? (unsigned)rank : 0;
  for (unsigned i = 0; i < f->array.ndim; i++) {
    f->array.dims[i] = extent[i];
    empty |= extent[i] == 0;
  }
  h5_close(space);
  return !read       ? "has extents that cannot be read"
         : empty     ? "is empty"
         : rank == 0 ? "is one value without a dimension"
                     : NULL;
}

static void look_at_chunks(hid_t set, set_facts *f) {
  hsize_t chunk[GHZ_FILE_NDIM];
  const hid_t plist = H5(H5Dget_create_plist)(set);
  f->layout = plist < 0 ? H5D_LAYOUT_ERROR : H5(H5Pget_layout)(plist);
  const int rank = f->layout == H5D_CHUNKED ? H5(H5Pget_chunk)(plist, GHZ_FILE_NDIM, chunk) : 0;
  f->chunk.ndim = rank > 0 && rank <= GHZ_FILE_NDIM ? (unsigned)rank : 0;
  for (unsigned i = 0; i < f->chunk.ndim; i++)
    f->chunk.dims[i] = chunk[i];
  h5_close(plist);
}

const char *set_look(hid_t set, set_facts *f) {
  *f = (set_facts){.layout = H5D_LAYOUT_ERROR};
  if (set < 0 || H5(H5Iget_type)(set) != H5I_DATASET)
    return "is no data set";
  const char *extents = look_at_extents(set, f), *type = look_at_type(set, f);
  look_at_chunks(set, f);
  return extents ? extents : type;
}
