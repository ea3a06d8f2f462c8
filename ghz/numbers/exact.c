/* exact.c: numbers without rounding, in limbs of 64 bits; one rounding at the end. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "numbers/exact.h"

#include <string.h>

__extension__ typedef unsigned __int128 uint128;

/* ---- Numbers --------------------------------------------------------------------------------- */

static void trim(exact *x) {
  while (x->n > 0 && x->limb[x->n - 1] == 0)
    x->n--;
}

void ghz_exact_integer(uint64_t v, int exponent, exact *x) {
  x->negative = 0;
  x->n = v != 0;
  x->exponent = exponent;
  x->limb[0] = v;
}

void ghz_exact_double(double v, exact *x) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  const int exponent = (int)(bits >> 52 & 0x7ff);
  const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  ghz_exact_integer(exponent ? fraction | UINT64_C(1) << 52 : fraction, (exponent ? exponent : 1) - 1075, x);
  x->negative = (int)(bits >> 63);
}

void ghz_exact_words(const uint64_t *word, unsigned words, int exponent, exact *x) {
  unsigned low = 0;
  while (low < words && word[low] == 0)
    low++;
  x->negative = (int)(word[words - 1] >> 63);
  x->n = words - low;
  x->exponent = exponent + 64 * (int)low;
  for (unsigned i = low; i < words; i++)
    x->limb[i - low] = !x->negative ? word[i] : i == low ? 0 - word[i] : ~word[i];
  trim(x);
}

void ghz_exact_multiply(const exact *a, const exact *b, exact *product) {
  product->negative = a->negative ^ b->negative;
  product->exponent = a->exponent + b->exponent;
  product->n = a->n && b->n ? a->n + b->n : 0;
  memset(product->limb, 0, product->n * sizeof *product->limb);
  for (unsigned i = 0; product->n && i < a->n; i++) {
    uint64_t carry = 0;
    for (unsigned k = 0; k < b->n; k++) {
      const uint128 sum = (uint128)a->limb[i] * b->limb[k] + product->limb[i + k] + carry;
      product->limb[i + k] = (uint64_t)sum;
      carry = (uint64_t)(sum >> 64);
    }
    product->limb[i + b->n] = carry;
  }
  trim(product);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Adds or subtracts a carry from word `at` on. */
static void carry_on(const fixed *sum, unsigned at, int negative) {
  if (negative)
    while (at < sum->words && sum->word[at]-- == 0)
      at++;
  else
    while (at < sum->words && ++sum->word[at] == 0)
      at++;
}

void ghz_fixed_add_limbs(fixed sum, const uint64_t *limb, unsigned n, int exponent, int negative) {
  const unsigned up = (unsigned)(exponent - sum.exponent), shift = up % 64, first = up / 64;
  uint64_t before = 0;
  unsigned carry = 0;
  for (unsigned i = 0; i <= n && first + i < sum.words; i++) {
    const uint64_t v = i < n ? limb[i] : 0, part = shift ? v << shift | before >> (64 - shift) : v;
    uint64_t *to = &sum.word[first + i];
    const uint128 result = negative ? (uint128)*to - part - carry : (uint128)*to + part + carry;
    *to = (uint64_t)result;
    carry = (unsigned)(result >> 64) & 1;
    before = v;
  }
  if (carry)
    carry_on(&sum, first + n + 1, negative);
}

void ghz_fixed_add(fixed sum, const exact *x) {
  if (x->n)
    ghz_fixed_add_limbs(sum, x->limb, x->n, x->exponent, x->negative);
}

void ghz_fixed_subtract(fixed sum, const exact *x) {
  if (x->n)
    ghz_fixed_add_limbs(sum, x->limb, x->n, x->exponent, !x->negative);
}

/* ---- Rounding -------------------------------------------------------------------------------- */

/* m * 2^exponent, and a little more if `more`; the highest bit of m is set. */
typedef struct leading {
  uint128 m;
  int exponent, more;
} leading;

/* Limbs, lowest first, of which the highest is not 0. */
static leading leading_bits(const uint64_t *limb, unsigned n, int exponent, int more) {
  const uint64_t top = limb[n - 1], next = n > 1 ? limb[n - 2] : 0, last = n > 2 ? limb[n - 3] : 0;
  const int shift = __builtin_clzll(top);
  leading l = {(uint128)top << 64 | next, exponent + 64 * ((int)n - 2) - shift, more};
  if (shift) {
    l.m = l.m << shift | last >> (64 - shift);
    l.more |= last << shift != 0;
  } else {
    l.more |= last != 0;
  }
  for (unsigned i = 0; i + 3 < n; i++)
    l.more |= limb[i] != 0;
  return l;
}

/* limb[0 .. n) divided in place; returns whether there was a remainder. */
static int divide(uint64_t *limb, unsigned n, uint64_t divisor) {
  uint64_t rest = 0;
  for (unsigned i = n; i-- > 0;) {
    const uint128 v = (uint128)rest << 64 | limb[i];
    limb[i] = (uint64_t)(v / divisor);
    rest = (uint64_t)(v % divisor);
  }
  return rest != 0;
}

/* The quotient to 128 bits at least: each division takes at most a limb from the front. */
static leading quotient(const exact *x, const query *q) {
  enum { BEHIND = 4 };
  uint64_t limb[EXACT_LIMBS + BEHIND] = {0};
  unsigned n = x->n + BEHIND;
  int more = 0;
  memcpy(limb + BEHIND, x->limb, x->n * sizeof *limb);
  for (int i = 0; i < q->divisions; i++)
    more |= divide(limb, n, q->divisor);
  while (limb[n - 1] == 0)
    n--;
  return leading_bits(limb, n, x->exponent - 64 * BEHIND, more);
}

/* The root: 64 bits of it. */
static leading square_root(leading l) {
  uint128 root = 0, rest, bit = (uint128)1 << 126;
  if (l.exponent % 2) {
    l.more |= (int)(l.m & 1);
    l.m >>= 1;
    l.exponent++;
  }
  for (rest = l.m; bit; bit >>= 2) {
    const int one = rest >= root + bit;
    rest -= one ? root + bit : 0;
    root = (root >> 1) + (one ? bit : 0);
  }
  const int shift = __builtin_clzll((uint64_t)root);
  return (leading){root << (64 + shift), l.exponent / 2 - 64 - shift, l.more || rest != 0};
}

/* The double at or below: its bits; *rest tells what is cut off: 0 nothing, 1 less than half a
 * unit, 2 half, 3 more. */
static uint64_t cut(const leading *l, int *rest) {
  const int top = l->exponent + 127; /* the exponent of the highest bit */
  if (top > 1023) {
    *rest = 3;
    return UINT64_C(0x7fefffffffffffff);
  }
  const int keep = top >= -1022 ? 53 : top + 1075 > 0 ? top + 1075 : 0, dropped = 128 - keep;
  const int far = top < -1075; /* less than half of the least */
  const uint128 below = dropped == 128 ? l->m : l->m & (((uint128)1 << dropped) - 1),
                half = (uint128)1 << (dropped - 1);
  const int more = l->more || far;
  *rest = far ? 1 : below == half && !more ? 2 : below >= half ? 3 : below || more ? 1 : 0;
  const uint64_t kept = dropped < 128 ? (uint64_t)(l->m >> dropped) : 0;
  return top >= -1022 ? ((uint64_t)(top + 1022) << 52) + kept : kept; /* the leading bit adds 1 */
}

static double to_double(const leading *l, int negative, enum rounding rounding) {
  int rest;
  uint64_t bits = cut(l, &rest);
  const int away = negative ? rounding == ROUND_DOWN : rounding == ROUND_UP;
  bits += (uint64_t)(rounding == ROUND_NEAREST ? rest == 3 || (rest == 2 && bits & 1) : away && rest);
  bits |= (uint64_t)negative << 63;
  double v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

double ghz_exact_answer(const exact *x, const query *q, enum rounding rounding) {
  if (x->n == 0)
    return 0;
  leading l = quotient(x, q);
  if (q->root)
    l = square_root(l);
  return to_double(&l, x->negative, rounding);
}
