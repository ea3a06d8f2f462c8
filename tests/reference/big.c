/* big.c: integers of 8192 bits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "big.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_magnitudes(const big *a, const big *b) {
  for (int i = BIG_DIGITS - 1; i >= 0; i--)
    if (a->digit[i] != b->digit[i])
      return a->digit[i] > b->digit[i] ? 1 : -1;
  return 0;
}

static int is_zero(const big *a) {
  for (int i = 0; i < BIG_DIGITS; i++)
    if (a->digit[i])
      return 0;
  return 1;
}

/* The lowest n digits times 2^32 or so: digits that leave at the top must be 0. */
big big_shift(const big *a, unsigned up) {
  big r = {.negative = a->negative};
  for (int i = 0; i < BIG_DIGITS; i++) {
    uint64_t v = (uint64_t)a->digit[i] << up % 32;
    unsigned to = (unsigned)i + up / 32;
    if (v && to + 1 >= BIG_DIGITS)
      abort();
    if (v) {
      r.digit[to] |= (uint32_t)v;
      r.digit[to + 1] |= (uint32_t)(v >> 32);
    }
  }
  return r;
}

big big_of_integer(__int128 v) {
  big r = {.negative = v < 0};
  unsigned __int128 size = v < 0 ? 0 - (unsigned __int128)v : (unsigned __int128)v;
  for (int i = 0; i < 4; i++, size >>= 32)
    r.digit[i] = (uint32_t)size;
  return r;
}

big big_of_double(double v, int unit) {
  int exponent;
  double fraction = frexp(v, &exponent);
  big r = big_of_integer((int64_t)ldexp(fraction, 53));
  int up = exponent - 53 + unit;
  if (v == 0)
    return r;
  for (; up < 0; up++) { /* the mantissa's trailing zeros */
    if (r.digit[0] & 1)
      abort();
    for (int i = 0; i < BIG_DIGITS; i++)
      r.digit[i] = r.digit[i] >> 1 | (i + 1 < BIG_DIGITS ? r.digit[i + 1] << 31 : 0);
  }
  return big_shift(&r, (unsigned)up);
}

big big_negated(const big *a) {
  big r = *a;
  r.negative = !r.negative;
  return r;
}

big big_magnitude(const big *a) {
  big r = *a;
  r.negative = 0;
  return r;
}

/* |a| + |b|, or |a| - |b| where |a| >= |b|. */
static big magnitudes(const big *a, const big *b, int minus) {
  big r = {0};
  int64_t carry = 0;
  for (int i = 0; i < BIG_DIGITS; i++) {
    carry += (int64_t)a->digit[i] + (minus ? -(int64_t)b->digit[i] : (int64_t)b->digit[i]);
    r.digit[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry)
    abort();
  return r;
}

big big_sum(const big *a, const big *b) {
  if (a->negative == b->negative) {
    big r = magnitudes(a, b, 0);
    r.negative = a->negative;
    return r;
  }
  int larger = compare_magnitudes(a, b);
  big r = larger >= 0 ? magnitudes(a, b, 1) : magnitudes(b, a, 1);
  r.negative = larger >= 0 ? a->negative : b->negative;
  return r;
}

big big_difference(const big *a, const big *b) {
  big minus = big_negated(b);
  return big_sum(a, &minus);
}

big big_product(const big *a, const big *b) {
  big r = {.negative = a->negative != b->negative};
  for (int i = 0; i < BIG_DIGITS; i++) {
    uint64_t carry = 0;
    if (a->digit[i] == 0)
      continue;
    for (int k = 0; k < BIG_DIGITS; k++) {
      uint64_t v = (uint64_t)a->digit[i] * b->digit[k] + carry;
      if (i + k >= BIG_DIGITS) {
        if (v)
          abort();
        continue;
      }
      v += r.digit[i + k];
      r.digit[i + k] = (uint32_t)v;
      carry = v >> 32;
    }
  }
  return r;
}

int big_compare(const big *a, const big *b) {
  int zero_a = is_zero(a), zero_b = is_zero(b);
  if (zero_a || zero_b || a->negative != b->negative) {
    int sign_a = zero_a ? 0 : a->negative ? -1 : 1, sign_b = zero_b ? 0 : b->negative ? -1 : 1;
    return sign_a - sign_b;
  }
  int larger = compare_magnitudes(a, b);
  return a->negative ? -larger : larger;
}
