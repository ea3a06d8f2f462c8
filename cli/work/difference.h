/* difference.h: how far two sequences of values are apart. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_DIFFERENCE_H
#define GHZ_CLI_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct difference {
  uint64_t count;           /* values compared */
  uint64_t finite;          /* of them finite on both sides */
  uint64_t mismatches;      /* positions where NaN or infinities differ */
  uint64_t first_mismatch;  /* the first of them */
  double error, error_rest; /* the largest |x - y| is exactly their sum */
  uint64_t error_at;
  double min, max;     /* range of the finite values of x */
  long double squares; /* sum of (x - y)^2 */
  long double sum;     /* sum of y - x */
} difference;

void difference_begin(difference *d);
void difference_add(difference *d, const double *x, const double *y, size_t n);

/* Whether the largest error is above the bound, decided exactly. */
bool difference_exceeds(const difference *d, double bound);

/* Root of the mean square error, and the mean of y - x; NaN without finite values. */
double difference_rms(const difference *d);
double difference_bias(const difference *d);

/* Root of the mean square error over the range of x; NaN without finite values, or if all are the
 * same. */
double difference_nrmse(const difference *d);

/* Peak signal-to-noise ratio in dB; infinite if there is no error, NaN where difference_nrmse
 * is. */
double difference_psnr(const difference *d);

#endif
