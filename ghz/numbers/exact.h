/* exact.h: numbers without rounding: any sum or product of doubles and lattice values, and the
 * doubles next to it, its quotients and its root. Integer arithmetic alone, so that no
 * floating-point environment matters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_EXACT_H
#define GHZ_EXACT_H

#include <ghz/numbers.h>

enum {
  FIRST_LIMBS = 38,
  SECOND_LIMBS = 74,
  FIRST_EXPONENT = -18 * 64, /* of the lowest bit of a sum of values */
  SECOND_EXPONENT = 2 * FIRST_EXPONENT,
  EXACT_LIMBS = SECOND_LIMBS + 6
};

/* limb[0 .. n) * 2^exponent, limb[0] the lowest; 0 has n = 0, others a highest limb that is
 * not 0. */
typedef struct exact {
  int negative;
  unsigned n;
  int exponent;
  uint64_t limb[EXACT_LIMBS];
} exact;

void ghz_exact_integer(uint64_t v, int exponent, exact *x);

/* A finite double. */
void ghz_exact_double(double v, exact *x);

/* Two's complement in `words` words; at most SECOND_LIMBS. */
void ghz_exact_words(const uint64_t *word, unsigned words, int exponent, exact *x);

/* a * b, of together at most EXACT_LIMBS limbs. Not in place. */
void ghz_exact_multiply(const exact *a, const exact *b, exact *product);

/* A sum in fixed point, two's complement: the words of a tally. */
typedef struct fixed {
  uint64_t *word;
  unsigned words;
  int exponent; /* of its lowest bit */
} fixed;

static inline fixed first_power(uint64_t word[FIRST_LIMBS]) {
  return (fixed){word, FIRST_LIMBS, FIRST_EXPONENT};
}

/* *sum += x, or -= x. x has no bit below the sum's lowest. What lies above its highest is lost. */
void ghz_fixed_add(fixed sum, const exact *x);
void ghz_fixed_subtract(fixed sum, const exact *x);

/* *sum += limb[0 .. n) * 2^exponent, n > 0, or -= . */
void ghz_fixed_add_limbs(fixed sum, const uint64_t *limb, unsigned n, int exponent, int negative);

enum rounding { ROUND_DOWN = -1, ROUND_NEAREST = 0, ROUND_UP = 1 };

/* What is asked of a number x: x, x / n or x / n^2, or the root of it, which wants x >= 0. */
typedef struct query {
  uint64_t divisor; /* n > 0 */
  int divisions;    /* 0 to 2 */
  int root;
} query;

/* The answer as a double, which overflows and underflows as IEEE 754 says. */
double ghz_exact_answer(const exact *x, const query *q, enum rounding rounding);

#endif
