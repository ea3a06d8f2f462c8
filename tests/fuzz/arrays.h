/* arrays.h: lattices and arrays of values made from choices. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "fuzz.h"

/* Any absolute bound, as a lattice; float64 sometimes with cap 35. */
ghz_lattice choose_lattice(choices *c);

/* A number of values, mostly near the sizes of blocks and tiles. */
size_t choose_count(choices *c);

/* n values around the lattice: an input of the tests, with some values in it chosen one by one. */
void *choose_values(choices *c, const ghz_lattice *l, size_t n);

/* A prediction order, GHZ_ORDER_BEST among them. */
int choose_order(choices *c);

/* Compresses with every context; the bytes are those of the reference. */
ref_bytes compress_everywhere(const ghz_lattice *l, int order, const void *x, size_t n);
