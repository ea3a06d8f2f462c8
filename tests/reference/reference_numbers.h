/* reference_numbers.h: what streams and arrays hold, value by value, and sums over it, exactly. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "big.h"
#include "reference.h"

/* special: 0, or 1 for +Inf, 2 for -Inf, 3 for NaN. value in units of 2^-BIG_UNIT. off: it may be
 * off the original, by terms * eb. */
typedef struct ref_number {
  int special, off;
  big value;
} ref_number;

/* The values of a stream, one after the other, in memory that the caller frees. The stream must not
 * be BAD. */
ref_number *ref_numbers(const uint8_t *stream);

/* Sums over the finite values, or pairs of finite values. With one array b is zeros. */
typedef struct ref_totals {
  uint64_t count, specials, mismatches;
  big sum, squares;                                       /* of a - b, (a - b)^2 */
  big product;                                            /* a * b */
  big error, error_squares, product_error, largest_error; /* what the bounds add to each */
  big largest;                                            /* |a - b| */
  uint64_t index;                                         /* the first */
} ref_totals;
ref_totals ref_total(const ref_number *a, const ref_number *b, uint64_t n, const big *error_a,
                     const big *error_b);
