/* attributes.c: owns the reading of attributes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "attributes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
