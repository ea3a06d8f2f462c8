/* op.h: what the result of an op, a linear combination, is in one tile: the rules 1 to 6 of
 * FORMAT.md, "Computing", in their order. In the common subset of C and CUDA C++. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_OP_H
#define GHZ_OP_H

#include "rules/rules.h"

/* The operands' tiles that take part: not empty, with a coefficient other than 0. */
typedef struct participants {
  unsigned count;      /* 2 may stand for more */
  int64_t coefficient; /* of the first one */
  int raw;             /* whether the first one is raw */
  int scaled;          /* the result has another step than the operands */
  int beside_others;   /* more than one operand of the call has a coefficient other than 0 */
} participants;

/* What opening an operand found: integers of the lattice, a raw tile beyond the lattice, or
 * damage. */
enum opened_tile { ON_LATTICE, OUTSIDE, DAMAGED };

enum result_kind { RESULT_EMPTY, RESULT_COPIED, RESULT_SUM, RESULT_RAW };

/* Decides what the result is. First with outside = 0: only a RESULT_SUM needs its operands opened.
 * If opening finds a raw one that lies outside the lattice, decides again, with outside = 1.
 * Sets *inexact where rule 3 says so. */
GHZ_RULE enum result_kind result_of(const participants *p, int outside, int *inexact) {
  const int alone = p->count == 1 && p->coefficient == 1;
  if (p->count == 0) /* 1 */
    return RESULT_EMPTY;
  if (outside) { /* 3, after 2 found a raw operand that cannot be encoded */
    const int copied = alone && !p->scaled;
    *inexact |= !copied || p->beside_others;
    return copied ? RESULT_COPIED : RESULT_RAW;
  }
  if (alone && !p->raw) /* 4. 2 encodes even a raw tile that is alone: R + (R - R) is (R + R) - R */
    return RESULT_COPIED;
  return RESULT_SUM; /* 5; 6 applies when the sum is written */
}

#endif
