/* tally.h: what is in a tally, and how the sums of one stream after another go into it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_TALLY_H
#define GHZ_TALLY_H

#include <string.h>

#include "context/context.h"
#include "numbers/exact.h"
#include "rules/fill.h"

enum tally_kind { TALLY_OF_NONE, TALLY_OF_ONE, TALLY_OF_PAIRS };

/* The sums of a tally: of values (of pairs: of differences), of their squares, and of products;
 * each with what the bounds add. */
enum first_sum { SUM, SUM_ERROR, FIRST_SUMS };
enum second_sum { SQUARES, SQUARES_ERROR, PRODUCT, PRODUCT_ERROR, SECOND_SUMS };

typedef struct tally {
  uint64_t kind, positions, count, specials, mismatches, inexact, index;
  double error;
  uint64_t first[FIRST_SUMS][FIRST_LIMBS], largest[FIRST_LIMBS], second[SECOND_SUMS][SECOND_LIMBS];
} tally;

_Static_assert(sizeof(tally) == sizeof(ghz_tally), "a tally is what is in it");

static inline tally tally_inside(const ghz_tally *t) {
  tally inside;
  memcpy(&inside, t, sizeof inside);
  return inside;
}

static inline fixed first_sum(tally *t, enum first_sum i) {
  return first_power(t->first[i]);
}

static inline fixed second_sum(tally *t, enum second_sum i) {
  return second_power(t->second[i]);
}

/* Notes that values may be off by so much. Bits are in the order of numbers from 0 on, even where
 * denormals are flushed. */
static inline void note_error(tally *t, double error) {
  if (double_bits(error) > double_bits(t->error))
    t->error = error;
}

/* *to += *from, two's complement. */
void ghz_add_words(uint64_t *to, const uint64_t *from, unsigned words);

/* Everything but positions and kind; indices count from `first` on. */
void ghz_add_tally(tally *to, const tally *from, uint64_t first);

/* Whether so many positions of that kind may be added. */
ghz_status ghz_tally_admit(ghz_context *ctx, const tally *t, enum tally_kind kind, uint64_t positions);

/* What a tally of streams says, and one of pairs (numbers.h). */
void ghz_summarise(tally *t, ghz_summary *summary);
void ghz_compare_pairs(tally *t, const ghz_shape *shape, ghz_comparison *comparison);

/* Notes a difference of that magnitude, if it is the largest so far, or the same as the largest
 * and at a smaller index. */
void ghz_note_largest(tally *t, const uint64_t magnitude[FIRST_LIMBS], uint64_t index);

#endif
