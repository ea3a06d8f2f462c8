/* tally.h: a tally as the sums of one stream after another go into it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_TALLY_H
#define GHZ_TALLY_H

#include "context/context.h"
#include "numbers/exact.h"

enum tally_kind { TALLY_OF_NONE, TALLY_OF_ONE, TALLY_OF_PAIRS };

/* *to += *from, two's complement. */
void ghz_add_words(uint64_t *to, const uint64_t *from, unsigned words);

/* Everything but positions and kind; indices count from `first` on. */
void ghz_add_tally(ghz_tally *to, const ghz_tally *from, uint64_t first);

/* Whether so many positions of that kind may be added. */
ghz_status ghz_tally_admit(ghz_context *ctx, const ghz_tally *t, enum tally_kind kind, uint64_t positions);

/* Notes a difference of that magnitude, if it is the largest so far, or the same as the largest
 * and at a smaller index. */
void ghz_note_largest(ghz_tally *t, const uint64_t magnitude[FIRST_LIMBS], uint64_t index);

#endif
