/* quality.c: owns ratio, error and PSNR of decompressed values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu.h"

#include <math.h>
#include <stdlib.h>

/* True if a value that is not finite came back. */
static bool kept(float x, float y) {
  return isnan(x) ? isnan(y) : x == y;
}

/* Returns the largest |x - y| and adds the squares to *squares. Long double has 64 bits of mantissa
 * on x86: the difference of two floats is exact in it, unless one is far below the other. */
static double compare(const float *x, const float *y, size_t n, double *squares) {
  double most = 0, sum = 0;
#pragma omp parallel for reduction(max : most) reduction(+ : sum)
  for (size_t i = 0; i < n; i++) {
    double error = 0;
    if (isfinite(x[i]))
      error = (double)fabsl((long double)x[i] - (long double)y[i]);
    else if (!kept(x[i], y[i]))
      error = HUGE_VAL;
    if (!(error <= most))
      most = isnan(error) ? HUGE_VAL : error;
    sum += error * error;
  }
  *squares += sum;
  return most;
}

quality quality_of(const pair *p, float *const y[2], size_t compressed, double eb, double range) {
  double squares = 0;
  double error = compare(p->a.x, y[0], p->a.n, &squares);
  error = fmax(error, compare(p->b.x, y[1], p->b.n, &squares));
  size_t n = p->a.n + p->b.n;
  return (quality){.ratio = (double)(n * sizeof(float)) / (double)compressed,
                   .error = error / eb,
                   .psnr = 10 * log10(range * range / (squares / (double)n))};
}

static double worst_of_sum(const float *a, const float *b, const double *sum, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    long double exact = (long double)a[i] + (long double)b[i];
    double error = isfinite(a[i]) && isfinite(b[i]) ? (double)fabsl(exact - (long double)sum[i]) : 0;
    if (!(error <= most))
      most = isnan(error) ? HUGE_VAL : error;
  }
  return most;
}

double quality_of_sum(ghz_context *ctx, const pair *p, ghz_bytes sum) {
  ghz_info info;
  if (ghz_info_read(sum, &info) != GHZ_OK)
    die("ghz_info_read refuses a sum", p->name);
  double *y = touched(p->a.n * sizeof *y);
  if (ghz_decompress(ctx, sum, GHZ_F64, y, p->a.n) != GHZ_OK)
    die("ghz_decompress", ghz_context_message(ctx));
  double most = worst_of_sum(p->a.x, p->b.x, y, p->a.n);
  free(y);
  return most / info.bound;
}
