/* reference_numbers.h: exact numbers: integers of 8192 bits, slow and obvious; what doubles they
 * round to; what streams and arrays hold, value by value, and sums over it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "reference.h"

/* ---- Integers ---- */
/* A double is a whole number of 2^-BIG_UNIT, and so are sums of doubles; products of two are in
 * units of 2^-2 BIG_UNIT. */
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

/* ---- Rounding ---- */
/* x / divisor, or the root of it: x in units of 2^-BIG_UNIT, or of 2^-2 BIG_UNIT if `second`. */
typedef struct exact_number {
  big x, divisor;
  int second, root;
} exact_number;

/* Whether the number is below, at or above v: less than 0, 0, more. */
int number_to_double(const exact_number *e, double v);

/* Whether v is the number rounded to nearest, ties to even. */
int is_nearest(const exact_number *e, double v);

/* ---- Streams ---- */
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
  big sum, squares;         /* of a - b, (a - b)^2 */
  big product;              /* a * b */
  big error, product_error; /* what the bounds add to sum and product */
  big largest;              /* |a - b| */
  uint64_t index;           /* the first */
} ref_totals;
ref_totals ref_total(const ref_number *a, const ref_number *b, uint64_t n, const big *error_a,
                     const big *error_b);
