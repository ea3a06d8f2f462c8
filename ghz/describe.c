/* describe.c: shapes that a caller gives: checked, and in words; types in words. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "describe.h"

#include <stdio.h>

#include "rules/shape.h"
#include "rules/types.h"

const char *ghz_describe_type(ghz_type type) {
  static const char *const names[] = {"float32", "float64", "int8",   "int16", "int32",
                                      "int64",   "uint8",   "uint16", "uint32"};
  return type_known(type) ? names[type] : "unknown type";
}

shape_text ghz_describe_shape(const ghz_shape *s) {
  shape_text t;
  const unsigned long long z = s->extent[0], y = s->extent[1], x = s->extent[2];
  if (!shape_valid(s))
    snprintf(t.text, sizeof t.text, "dims %d, extents %llu x %llu x %llu", s->dims, z, y, x);
  else if (s->dims == 1)
    snprintf(t.text, sizeof t.text, "%llu values", x);
  else if (s->dims == 3)
    snprintf(t.text, sizeof t.text, "shape %llu x %llu x %llu", z, y, x);
  else if (z == 1)
    snprintf(t.text, sizeof t.text, "shape %llu x %llu", y, x);
  else
    snprintf(t.text, sizeof t.text, "%llu planes of %llu x %llu", z, y, x);
  return t;
}

ghz_status ghz_shape_check(ghz_context *ctx, const ghz_shape *shape) {
  if (!shape)
    return ghz_fail(ctx, GHZ_EINVAL, "shape is NULL");
  return shape_valid(shape) ? GHZ_OK
                            : ghz_fail(ctx, GHZ_EINVAL, "no shape: %s", ghz_describe_shape(shape).text);
}
