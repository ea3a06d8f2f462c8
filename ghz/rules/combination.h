/* combination.h: what the result of a linear combination is in one tile: the rules 1 to 6 of
 * FORMAT.md, "Computing", in their order. In the common subset of C and CUDA C++. */
#ifndef GHZ_COMBINATION_H
#define GHZ_COMBINATION_H

#include "rules/rules.h"

/* Of the operands' tiles those that take part: they are not empty, and their coefficient is not
 * 0. */
typedef struct participants {
  unsigned count;      /* one more than 1 may stand for more */
  int64_t coefficient; /* the rest is of the first one: its coefficient, and */
  int raw;             /* whether it is raw */
  int scaled;          /* the result has another step than the operands */
  int beside_others;   /* more than one operand of the call has a coefficient other than 0 */
} participants;

enum result_kind { RESULT_EMPTY, RESULT_COPIED, RESULT_SUM, RESULT_RAW };

/* `outside`: a raw operand lies outside the lattice. Before the operands are opened it is 0; they
 * are opened for a RESULT_SUM, and where that finds one outside, this function is asked again.
 * *inexact is set where rule 3 says so. */
GHZ_RULE enum result_kind result_of(const participants *p, int outside, int *inexact) {
  const int alone = p->count == 1 && p->coefficient == 1;
  if (p->count == 0) /* 1 */
    return RESULT_EMPTY;
  if (outside) { /* 3: of the raw operands that 2 encodes, one cannot be */
    const int copied = alone && !p->scaled;
    *inexact |= !copied || p->beside_others;
    return copied ? RESULT_COPIED : RESULT_RAW;
  }
  if (alone && !p->raw) /* 4; 2 encodes a raw tile even if it is alone: R + (R - R) must be (R + R) - R */
    return RESULT_COPIED;
  return RESULT_SUM; /* 5, and 6 when it is written */
}

#endif
