/* elements.c: owns the walk through compounds, arrays and lists, and simple attributes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "elements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values ---------------------------------------------------------------------------------- */

typedef struct walk {
  element_visitor *see;
  void *user;
} walk;

static bool each(const walk *w, hid_t type, unsigned char *a, unsigned char *b, size_t count);

static bool each_member(const walk *w, hid_t type, unsigned char *a, unsigned char *b) {
  const int members = H5(H5Tget_nmembers)(type);
  bool ok = members >= 0;
  for (int i = 0; ok && i < members; i++) {
    const hid_t member = H5(H5Tget_member_type)(type, (unsigned)i);
    const size_t at = H5(H5Tget_member_offset)(type, (unsigned)i);
    ok = member >= 0 && each(w, member, a + at, b + at, 1);
    h5_close(member);
  }
  return ok;
}

static bool each_of_list(const walk *w, hid_t base, const unsigned char *a, const unsigned char *b) {
  hvl_t one, two;
  memcpy(&one, a, sizeof one);
  memcpy(&two, b, sizeof two);
  return one.len == two.len && (one.len == 0 || each(w, base, one.p, two.p, one.len));
}

static bool each(const walk *w, hid_t type, unsigned char *a, unsigned char *b, size_t count) {
  const H5T_class_t class = H5(H5Tget_class)(type);
  const size_t size = H5(H5Tget_size)(type);
  const hid_t base = class == H5T_ARRAY || class == H5T_VLEN ? H5(H5Tget_super)(type) : -1;
  bool ok = size > 0;
  if (class == H5T_ARRAY)
    ok = base >= 0 && each(w, base, a, b, count * (size / H5(H5Tget_size)(base)));
  else if (class != H5T_VLEN && class != H5T_COMPOUND)
    ok = w->see(type, a, b, count, w->user);
  else
    for (size_t i = 0; ok && i < count; i++, a += size, b += size)
      ok = class == H5T_COMPOUND ? each_member(w, type, a, b) : base >= 0 && each_of_list(w, base, a, b);
  h5_close(base);
  return ok;
}

bool elements_each(hid_t type, unsigned char *a, unsigned char *b, size_t count, element_visitor *see,
                   void *user) {
  return each(&(walk){see, user}, type, a, b, count);
}

bool type_has_any_length(hid_t type) {
  const bool text = H5(H5Tget_class)(type) == H5T_STRING;
  return H5(H5Tis_variable_str)(type) > 0 || H5(H5Tdetect_class)(type, H5T_VLEN) > 0 ||
         (!text && H5(H5Tdetect_class)(type, H5T_STRING) > 0);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

bool attribute_each(hid_t object, const char *name, element_visitor *see, void *user) {
  const hid_t attribute = H5(H5Aexists)(object, name) > 0 ? H5(H5Aopen)(object, name, H5P_DEFAULT) : -1;
  const hid_t type = attribute < 0 ? -1 : H5(H5Aget_type)(attribute);
  const hid_t space = type < 0 ? -1 : H5(H5Aget_space)(attribute);
  const hssize_t count = space < 0 ? 0 : H5(H5Sget_simple_extent_npoints)(space);
  const size_t size = count > 0 ? H5(H5Tget_size)(type) : 0;
  unsigned char *values = size && (uint64_t)count <= SIZE_MAX / size ? calloc((size_t)count, size) : NULL;
  const bool read = values && H5(H5Aread)(attribute, type, values) >= 0;
  const bool ok = read && elements_each(type, values, values, (size_t)count, see, user);
  if (read)
    H5(H5Dvlen_reclaim)(type, space, H5P_DEFAULT, values);
  free(values);
  h5_close(space, type, attribute);
  return ok;
}

typedef struct line {
  char *text;
  size_t size;
} line;

static bool take_text(hid_t type, unsigned char *a, unsigned char *b, size_t count, void *user) {
  const line *to = user;
  const size_t size = H5(H5Tget_size)(type);
  const char *text = (const char *)a;
  (void)b;
  if (H5(H5Tget_class)(type) != H5T_STRING || count != 1)
    return false;
  if (H5(H5Tis_variable_str)(type) > 0)
    memcpy(&text, a, sizeof text);
  snprintf(to->text, to->size, "%.*s", text == (char *)a && size < to->size ? (int)size : (int)to->size,
           text ? text : "");
  return true;
}

bool attribute_text(hid_t object, const char *name, char *text, size_t size) {
  text[0] = '\0';
  return attribute_each(object, name, take_text, &(line){text, size}) && text[0];
}

int attribute_numbers(hid_t object, const char *name, double *numbers, int most) {
  const htri_t exists = H5(H5Aexists)(object, name);
  const hid_t attribute = exists > 0 ? H5(H5Aopen)(object, name, H5P_DEFAULT) : -1;
  const hid_t space = attribute < 0 ? -1 : H5(H5Aget_space)(attribute);
  const hssize_t count = space < 0 ? -1 : H5(H5Sget_simple_extent_npoints)(space);
  const bool ok = count >= 0 && count <= most && H5(H5Aread)(attribute, h5.types[GHZ_F64], numbers) >= 0;
  h5_close(space, attribute);
  return exists == 0 ? 0 : ok ? (int)count : -1;
}
