/* range.h: ranges, and arrays of integers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_RANGE_H
#define GHZ_RANGE_H

#include <math.h>

#include "compress.h"
#include "context/context.h"

/* Least and greatest per thread, a cache line each. */
typedef struct thread_range {
  _Alignas(64) double min, max;
} thread_range;

static const thread_range no_values = {INFINITY, -INFINITY};

static inline void widen_range(thread_range *r, double min, double max) {
  r->min = min < r->min ? min : r->min;
  r->max = max > r->max ? max : r->max;
}

/* The range of all threads, in that of the first. */
const thread_range *ghz_merge_ranges(thread_range *ranges, int threads);

/* As ghz_range, or ghz_range_without where the lattice has a fill. */
ghz_status ghz_range_of(ghz_context *ctx, const ghz_lattice *l, const void *x, size_t n, double *min,
                        double *max);

/* ghz_lattice_for, within a call. */
ghz_status ghz_lattice_of(ghz_context *ctx, ghz_type type, ghz_bound bound, const double *fill, size_t k,
                          const void *const *arrays, size_t n, ghz_lattice *lattice);

/* ---- Integers -------------------------------------------------------------------------------- */

/* The integers of a lattice's type inside a place, one after the other, as values of the
 * storage type. */
void ghz_integers_in(ghz_type type, const tile_place *place, const void *x, void *stored);

/* Values of a lattice to n integers of type `out`. Returns how many are such integers, up to the
 * first that is none: it is not finite, beyond the type or beyond what doubles hold, and not the
 * fill. */
size_t ghz_integers_out(const ghz_lattice *lattice, ghz_type out, const double *values, size_t n, void *x);

/* ERANGE if one of the values that are to be compressed is beyond every lattice of its type, and
 * not the fill. */
ghz_status ghz_integers_check(ghz_context *ctx, const compression *c);

#endif
