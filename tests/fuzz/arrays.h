/* arrays.h: lattices and arrays of values made from choices. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "fields.h"
#include "fuzz.h"

/* Any absolute bound, as a lattice; float64 sometimes with cap 35. */
ghz_lattice choose_lattice(choices *c);

/* A flat array, mostly near the sizes of blocks and tiles, or a few bricks. */
ghz_shape choose_shape(choices *c);

/* Values around the lattice: a field or input of the tests, with some values in it chosen one by
 * one. */
void *choose_values(choices *c, const ghz_lattice *l, const ghz_shape *shape);

/* A prediction order, GHZ_ORDER_BEST among them. */
int choose_order(choices *c, const ghz_shape *shape);

/* Compresses with every context; the bytes are those of the reference. */
ref_bytes compress_everywhere(const ghz_lattice *l, int order, const void *x, const ghz_shape *shape);
