/* inspect.h: the range of an array, for calls that have their context already. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_INSPECT_H
#define GHZ_INSPECT_H

#include "context.h"

/* As ghz_range, or ghz_range_without where the lattice has a fill. */
ghz_status ghz_range_of(ghz_context *ctx, const ghz_lattice *l, const void *x, size_t n, double *min,
                        double *max);

#endif
