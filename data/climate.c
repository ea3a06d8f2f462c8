/* climate.c: owns the climate field: a temperature on a latitude-longitude grid. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "random.h"
#include "spectral.h"

#include <stdlib.h>

enum { WEATHER_SEED = 3, NOISE_SEED = 4 };

/* The mean temperature in kelvin at a latitude, which is given as the share of the way from pole to
 * pole. */
static double zonal_mean(double share) {
  double c = cos((share - 0.5) * RANDOM_TWO_PI / 2);
  return 288.0 + 50.0 * (c * c - 0.5);
}

bool make_climate(const run *r) {
  size_t ny = (1800 * r->n + 128) / 256, nx = 2 * ny;
  shape dims = {{1, ny, nx}};
  float *values = gaussian_field(dims, -2.2, run_seed(r, WEATHER_SEED), "climate");
  if (!values)
    return false;
#pragma omp parallel for
  for (size_t y = 0; y < ny; y++) {
    double mean = zonal_mean((double)y / (double)(ny - 1));
    for (size_t i = y * nx; i < (y + 1) * nx; i++)
      values[i] = (float)(mean + 8.0 * (double)values[i] + 0.02 * random_normal(run_seed(r, NOISE_SEED), i));
  }
  bool good = run_save(r, "climate", dims, values);
  free(values);
  return good;
}
