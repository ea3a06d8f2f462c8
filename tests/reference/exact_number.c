/* exact_number.c: rounding, checked by comparisons of exact integers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "exact_number.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Whether the number is below, at or above v, which is in units of 2^-BIG_UNIT. */
static int number_to(const exact_number *e, const big *v) {
  static const big zero;
  big side = *v;
  if (e->root && big_compare(v, &zero) < 0)
    return 1;
  if (e->root)
    side = big_product(v, v);
  else if (e->second)
    side = big_shift(v, BIG_UNIT);
  side = big_product(&side, &e->divisor);
  return big_compare(&e->x, &side);
}

int number_to_double(const exact_number *e, double v) {
  if (isinf(v))
    return v > 0 ? -1 : 1;
  big exact = big_of_double(v, BIG_UNIT);
  return number_to(e, &exact);
}

/* As number_to_double, of the middle between v and the next number towards `end`. */
static int number_to_middle(const exact_number *e, double v, double end) {
  double next = nextafter(v, end), far = isinf(next) ? (next > 0 ? 0x1p1023 : -0x1p1023) : next;
  big a = big_of_double(v, BIG_UNIT - 1), b = big_of_double(far, BIG_UNIT - 1);
  if (isinf(next)) /* beyond the largest: 2^1024 */
    b = big_shift(&b, 1);
  big middle = big_sum(&a, &b);
  return number_to(e, &middle);
}

static int is_even(double v) {
  uint64_t bits;
  memcpy(&bits, &v, 8);
  return !(bits & 1);
}

int is_nearest(const exact_number *e, double v) {
  if (isinf(v))
    return v > 0 ? number_to_middle(e, DBL_MAX, INFINITY) >= 0 : number_to_middle(e, -DBL_MAX, -INFINITY) <= 0;
  int below = number_to_middle(e, v, -INFINITY), above = number_to_middle(e, v, INFINITY);
  return (below > 0 || (below == 0 && is_even(v))) && (above < 0 || (above == 0 && is_even(v)));
}
