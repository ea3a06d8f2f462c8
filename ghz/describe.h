/* describe.h: shapes that a caller gives: checked, and in words; types in words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_DESCRIBE_H
#define GHZ_DESCRIBE_H

#include "context/context.h"

typedef struct shape_text {
  char text[112];
} shape_text;

/* "shape 256 x 256 x 256", of the axes that it has; of a flat array "16777216 values". */
shape_text ghz_describe_shape(const ghz_shape *shape);

/* "float32", "int16". */
const char *ghz_describe_type(ghz_type type);

/* EINVAL unless it is a shape. */
ghz_status ghz_shape_check(ghz_context *ctx, const ghz_shape *shape);

#endif
