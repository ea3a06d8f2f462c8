/* difference.c: owns the statistics of the error: the exact largest error, NRMSE, PSNR. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "difference.h"

#include <math.h>

void difference_begin(difference *d) {
  *d = (difference){.min = INFINITY, .max = -INFINITY};
}

static bool same_special(double x, double y) {
  return (isnan(x) && isnan(y)) || x == y;
}

/* |x - y| = high + rest exactly, by the two-sum of Knuth; high is |x - y| rounded to nearest. */
static void exact_distance(double x, double y, double *high, double *rest) {
  double s = x - y, v = s - x;
  double e = (x - (s - v)) - (y + v);
  *high = fabs(s);
  *rest = isinf(s) ? 0 : s < 0 ? -e : e;
}

static void add_finite(difference *d, double x, double y) {
  double high, rest;
  exact_distance(x, y, &high, &rest);
  if (d->finite++ == 0 || high > d->error || (high == d->error && rest > d->error_rest)) {
    d->error = high;
    d->error_rest = rest;
    d->error_at = d->count;
  }
  d->min = x < d->min ? x : d->min;
  d->max = x > d->max ? x : d->max;
  d->squares += (long double)high * high;
  d->sum += (long double)y - x;
}

void difference_add(difference *d, const double *x, const double *y, size_t n) {
  for (size_t i = 0; i < n; i++, d->count++) {
    if (isfinite(x[i]) && isfinite(y[i]))
      add_finite(d, x[i], y[i]);
    else if (!same_special(x[i], y[i]) && d->mismatches++ == 0)
      d->first_mismatch = d->count;
  }
}

bool difference_exceeds(const difference *d, double bound) {
  return d->error > bound || (d->error == bound && d->error_rest > 0);
}

double difference_rms(const difference *d) {
  return d->finite ? (double)sqrtl(d->squares / (long double)d->finite) : NAN;
}

double difference_bias(const difference *d) {
  return d->finite ? (double)(d->sum / (long double)d->finite) : NAN;
}

double difference_nrmse(const difference *d) {
  if (d->finite == 0)
    return NAN;
  long double error = sqrtl(d->squares / (long double)d->finite), range = (long double)d->max - d->min;
  return range > 0 ? (double)(error / range) : NAN;
}

double difference_psnr(const difference *d) {
  return -20 * log10(difference_nrmse(d));
}
