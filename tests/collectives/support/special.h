/* special.h: test data that is hard on a codec, and what sums and extrema of it must be. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "call.h"

typedef enum special {
  SPECIAL_NAN,      /* here and there */
  SPECIAL_INFINITE, /* here and there, of either sign, also meeting */
  SPECIAL_ZEROS,    /* of either sign */
  SPECIAL_DENORMAL,
  SPECIAL_HUGE,       /* sums overflow */
  SPECIAL_MIXED,      /* from 2^-60 to 2^60 */
  SPECIAL_BITS,       /* any bit pattern */
  SPECIAL_TIES,       /* half-way between steps, of either sign */
  SPECIAL_CONSTANT,   /* zeros from some, constants from the others */
  SPECIAL_CANCELLING, /* every second contribution cancels the one before it */
  SPECIAL_EDGES,      /* on, and just beside, where a tile's mode changes */
  SPECIAL_RAW,   /* some tiles too rough to compress, though on the lattice, beside smooth and empty ones */
  SPECIAL_NOISE, /* nothing special */
  SPECIALS
} special;

extern const char *const special_names[SPECIALS];

/* Bounds that the data are made for. */
#define SPECIAL_EB 64.0
#define SPECIAL_STEP 126.0

/* Makes a call's data special. All calls share the kind, and the index of the first value. */
void special_use(call *s, special kind, uint64_t seed, uint64_t shift);

/* Value i of a contribution. */
double special_at(const call *s, uint64_t contribution, uint64_t i);

/* Checks value by value: NaN in just the right places, infinities, all else within the bound. */
void check_special(const call *s, const call_result *l, int inexact);
