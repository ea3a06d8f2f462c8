/* gradient.c: owns the gradient-like field: Laplace-distributed values whose scale jumps from block
 * to block. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "random.h"

#include <stdlib.h>

enum { BLOCK = 4096, VALUES_SEED = 5, SCALES_SEED = 6 };

bool make_gradient(const run *r) {
  size_t count = r->n * r->n * r->n;
  float *values = floats_new(count, "gradient");
  if (!values)
    return false;
#pragma omp parallel for
  for (size_t block = 0; block < (count + BLOCK - 1) / BLOCK; block++) {
    double scale = pow(10.0, -5.0 + 3.0 * random_uniform(run_seed(r, SCALES_SEED), block));
    size_t end = (block + 1) * BLOCK < count ? (block + 1) * BLOCK : count;
    for (size_t i = block * BLOCK; i < end; i++)
      values[i] = (float)(scale * random_laplace(run_seed(r, VALUES_SEED), i));
  }
  bool good = run_save(r, "gradient", (shape){{1, 1, count}}, values);
  free(values);
  return good;
}
