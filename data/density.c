/* density.c: owns the log-normal density field. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "spectral.h"

#include <math.h>
#include <stdlib.h>

/* A relative bound depends on the largest value, which differs much among seeds: from 21000 to
 * 69000 for seeds 1 to 14 at size 256. This seed gives 31413. */
enum { SEED = 2 };

bool make_density(const run *r) {
  shape dims = {{r->n, r->n, r->n}};
  size_t count = shape_count(dims);
  float *values = gaussian_field(dims, -1.5, run_seed(r, SEED), "density"); /* power k^-3 */
  if (!values)
    return false;
#pragma omp parallel for
  for (size_t i = 0; i < count; i++)
    values[i] = expf(2.0f * values[i]);
  bool good = run_save(r, "density", dims, values);
  free(values);
  return good;
}
