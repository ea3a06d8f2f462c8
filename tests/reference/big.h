/* big.h: integers of 8192 bits, slow and obvious, for exact answers in tests. A double is a whole
 * number of 2^-BIG_UNIT, and so are sums of doubles; products of two are in units of 2^-2
 * BIG_UNIT. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stdint.h>

enum { BIG_DIGITS = 256, BIG_UNIT = 1210 };

typedef struct big {
  int negative;
  uint32_t digit[BIG_DIGITS]; /* the lowest first; overflow aborts */
} big;

big big_of_integer(__int128 v);
/* v in units of 2^-unit, of which it must be a whole number. */
big big_of_double(double v, int unit);
big big_shift(const big *a, unsigned up);
big big_negated(const big *a);
big big_magnitude(const big *a);
big big_sum(const big *a, const big *b);
big big_difference(const big *a, const big *b);
big big_product(const big *a, const big *b);
/* Below 0, 0 or above: as a is to b. */
int big_compare(const big *a, const big *b);
