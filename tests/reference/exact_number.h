/* exact_number.h: numbers that are known exactly, and whether a double is what they round to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "big.h"

/* x / divisor, or the root of it: x in units of 2^-BIG_UNIT, or of 2^-2 BIG_UNIT if `second`. */
typedef struct exact_number {
  big x, divisor;
  int second, root;
} exact_number;

/* Whether the number is below, at or above v: less than 0, 0, more. */
int number_to_double(const exact_number *e, double v);

/* Whether v is the number rounded to nearest, ties to even. */
int is_nearest(const exact_number *e, double v);
