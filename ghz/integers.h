/* integers.h: arrays of integers to the values that tiles hold, and back: the one place in, and the
 * one place out (FORMAT.md, "Integer types"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_INTEGERS_H
#define GHZ_INTEGERS_H

#include "compress.h"

/* The integers of a lattice's type inside a place, one after the other, as values of the
 * carrier. */
void ghz_integers_in(ghz_type type, const tile_place *place, const void *x, void *carriers);

/* Values of a lattice to n integers of type `out`. Returns how many are such integers, up to the
 * first that is none: it is not finite, beyond the type or beyond what doubles hold, and not the
 * fill. */
size_t ghz_integers_out(const ghz_lattice *lattice, ghz_type out, const double *values, size_t n, void *x);

/* ERANGE if one of the values that are to be compressed is beyond every lattice of its type, and
 * not the fill. */
ghz_status ghz_integers_check(ghz_context *ctx, const compression *c);

#endif
