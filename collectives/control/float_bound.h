/* float_bound.h: GHZ_MPI_FLOAT: lattices whose sums are as accurate as those of floats. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_FLOAT_BOUND_H
#define GHZ_MPI_FLOAT_BOUND_H

#include "payload/bins.h"

enum { EXPONENTS = 256 };

/* How many values have each biased exponent: 0 denormals, 255 what is not finite, and zeros. */
typedef struct exponents {
  uint64_t count[EXPONENTS];
} exponents;

/* Counts x[0..n) in, but for what is equal to `fill`; NaN: there is no fill. */
void ghz_exponents_add(exponents *e, const float *x, size_t n, float fill);

/* Makes the lattices for the sum of so many arrays, whose values these are. The same counts give
 * the same lattices everywhere. One bin without a scale is for all values; if its step is 0, they
 * are summed as they are. Returns 0 if there is none. */
int ghz_float_bins(const exponents *e, uint64_t arrays, bins *made);

#endif
