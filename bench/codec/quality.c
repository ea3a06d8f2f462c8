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

/* Largest error of the stream of a + b, of any shape, as a fraction of the bound that it states. */
static double error_of_sum(ghz_context *ctx, const operands *a) {
  ghz_info info;
  must(ghz_info_read(a->sum, &info), "ghz_info_read of a sum", NULL);
  double *y = touched(a->n * sizeof *y);
  must(ghz_decompress(ctx, a->sum, GHZ_F64, y, a->n), "ghz_decompress", ctx);
  const double most = worst_of_sum(a->x[0], a->x[1], y, a->n);
  free(y);
  return most == 0 ? 0 : most / info.bound;
}

quality quality_of(ghz_context *ctx, const operands *a) {
  double squares = 0, error = 0;
  for (int i = 0; i < 2; i++) {
    must(ghz_decompress(ctx, a->stream[i], GHZ_F32, a->y[i], a->n), "ghz_decompress", ctx);
    error = fmax(error, compare(a->x[i], a->y[i], a->n, &squares));
  }
  const double bytes = (double)a->bytes;
  return (quality){.ratio = 2 * bytes / (double)(a->stream[0].size + a->stream[1].size),
                   .error = error == 0 ? 0 : error / a->lattice.eb,
                   .psnr = 10 * log10(a->range * a->range / (squares / (2.0 * (double)a->n))),
                   .sum_ratio = bytes / (double)a->sum.size,
                   .sum_error = error_of_sum(ctx, a)};
}
