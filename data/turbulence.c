/* turbulence.c: owns the turbulence field: one velocity component with Kolmogorov's spectrum. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "spectral.h"

#include <stdlib.h>

enum { SEED = 11 };

bool make_turbulence(const run *r) {
  shape dims = {{r->n, r->n, r->n}};
  size_t count = shape_count(dims);
  /* Energy k^-5/3 over shells of area k^2 is power k^-11/3 in a mode, amplitude k^-11/6. */
  float *values = gaussian_field(dims, -11.0 / 6.0, run_seed(r, SEED), "turbulence");
  if (!values)
    return false;
#pragma omp parallel for
  for (size_t i = 0; i < count; i++)
    values[i] *= 12.5f; /* metres per second, root mean square */
  bool good = run_save(r, "turbulence", dims, values);
  free(values);
  return good;
}
