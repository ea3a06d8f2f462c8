/* lattice.h: lattices that were checked, and descriptions of results. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_LATTICE_H
#define GHZ_LATTICE_H

#include "context/context.h"
#include "rules/lattice_rules.h"

/* A lattice that values may be quantised on: the step has the precision that the bound is proved
 * for. */
int ghz_lattice_fresh(const ghz_lattice *lattice);

/* Whether a bound refers to the range of the values. */
static inline int ghz_bound_is_relative(ghz_bound_kind kind) {
  return kind == GHZ_REL || kind == GHZ_PSNR;
}

/* ghz_lattice_make, whose message goes to a context. */
ghz_status ghz_lattice_make_in(ghz_context *ctx, ghz_type type, ghz_bound bound, double min, double max,
                               ghz_lattice *lattice);

/* ghz_lattice_set_fill, likewise. */
ghz_status ghz_lattice_fill_in(ghz_context *ctx, ghz_lattice *lattice, double fill);

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
