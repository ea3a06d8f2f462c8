/* baseline.c: counts the bytes of fZ-light's coding, with which ratios are compared. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu.h"

#include <math.h>
#include <stdlib.h>

#define BLOCK 32

static int bit_length(unsigned long long value) {
  int bits = 0;
  while (value >> bits && bits < 64)
    bits++;
  return bits;
}

static long long quantise(float x, double step) {
  return isfinite(x) ? llround((double)x / step) : 0;
}

/* One byte for the length c of the longest magnitude; unless c is 0, 1 + c bits for each value. */
static size_t block_size(const float *x, size_t n, double step, long long *previous) {
  unsigned long long all = 0;
  for (size_t i = 0; i < n; i++) {
    long long q = quantise(x[i], step);
    all |= (unsigned long long)llabs(q - *previous);
    *previous = q;
  }
  size_t c = (size_t)bit_length(all);
  return c ? 1 + (n + 7) / 8 + (c * n + 7) / 8 : 1;
}

size_t baseline_size(const float *x, size_t n, double eb) {
  if (n == 0)
    return 0;
  long long previous = quantise(x[0], 2 * eb);
  size_t size = sizeof(int); /* the first value of the stream */
  for (size_t i = 0; i < n; i += BLOCK)
    size += block_size(x + i, n - i < BLOCK ? n - i : BLOCK, 2 * eb, &previous);
  return size;
}
