/* raw_numbers.h: the sums that threads make of the tiles of streams, before they go into a tally;
 * those of raw tiles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_RAW_NUMBERS_H
#define GHZ_RAW_NUMBERS_H

#include "numbers/tally.h"
#include "tile/tile.h"

/* What one thread makes of its tiles. Of `tally` it leaves out what the bounds add. */
typedef struct number_sums {
  tally tally;
  uint64_t off[4]; /* pairs of finite values that are off the originals: bit 0 of the index: a is,
                      bit 1: b is. Of one stream: a. */
  uint64_t magnitude[2][FIRST_LIMBS]; /* sums of |a| where b is off, of |b| where a is */
  lattice_comparison largest;         /* where lattice integers differ most: its last three fields */
  exact unit;                         /* of those */
} number_sums;

/* A value of a raw tile, which needs no alignment; NaN where it is the fill. */
double ghz_raw_value(const ghz_lattice *l, const uint8_t *p);

/* A raw tile, whose first byte comes last before its values. */
typedef struct raw_room {
  _Alignas(64) uint8_t bytes[64 + TILE * 8];
} raw_room;

/* Makes a tile of one value a raw one, in the room, so that the value counts as it is; others stay.
 * Damage is reported as GHZ_ECORRUPT. */
ghz_status ghz_spell_out(const tile_codec *tiles, const ghz_lattice *l, const tile_extent *e, raw_room *room,
                         tile_source *src);

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
