/* tally.h: what is in a tally, how the sums of one stream after another go into it, and what
 * threads make of the tiles of streams before; those of raw tiles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_TALLY_H
#define GHZ_TALLY_H

#include <string.h>

#include "context/context.h"
#include "numbers/exact.h"
#include "rules/lattice_rules.h"
#include "tile/tile.h"

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
  return (fixed){t->second[i], SECOND_LIMBS, SECOND_EXPONENT};
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

/* Notes a difference, if it is the largest so far in magnitude, or the same as the largest and at a
 * smaller index. */
void ghz_note_difference(tally *t, const exact *difference, uint64_t index);

/* ---- Before they go into a tally ------------------------------------------------------------- */

/* What one thread makes of its tiles: those of the lattice are in sums of their own, until the end.
 * Of `tally` it leaves out what the bounds add. */
typedef struct number_sums {
  tally tally;
  uint64_t off[4]; /* pairs of finite values that are off the originals: bit 0 of the index: a is,
                      bit 1: b is. Of one stream: a. */
  uint64_t magnitude[2][FIRST_LIMBS]; /* sums of |a| where b is off, of |b| where a is */
  lattice_moments one;                /* of one stream, */
  lattice_comparison two;             /* of pairs */
  exact unit;                         /* of lattice integers */
} number_sums;

/* A value of a raw tile, which needs no alignment; NaN where it is the fill. */
double ghz_raw_value(const ghz_lattice *l, const uint8_t *p);

/* A raw tile, whose first byte comes last before its values. */
typedef struct raw_room {
  _Alignas(64) uint8_t bytes[64 + TILE * 8];
} raw_room;

/* Makes a tile of one value a raw one, in the room, so that the value counts as it is; others stay.
 * Damage is reported as GHZ_ECORRUPT. */
ghz_status ghz_constant_to_raw(const tile_codec *tiles, const ghz_lattice *l, const tile_extent *e,
                               raw_room *room, tile_source *src);

/* A raw tile of one stream, of n values. It was checked. */
void ghz_raw_moments(const ghz_lattice *l, const uint8_t *tile, unsigned n, number_sums *s);

/* One side of a pair of tiles. */
typedef struct raw_side {
  const uint8_t *raw;     /* a raw tile; NULL: not raw */
  const int128 *k;        /* lattice integers; NULL: zeros */
  const uint8_t *special; /* with `k`: 1 for +Inf, 2 for -Inf, 3 for NaN */
  int off;                /* the originals may be something else */
} raw_side;

/* Pairs of values of which one is raw at least, in the order of the place. `first` is the index of
 * the first. */
void ghz_raw_comparison(const ghz_lattice *l, const raw_side side[2], const tile_place *place, uint64_t first,
                        number_sums *s);

#endif
