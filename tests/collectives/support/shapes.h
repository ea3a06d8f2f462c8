/* shapes.h: shapes for calls. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <ghz/ghz.h>

/* Draws a shape of 1 to 3 dimensions, of at most `count` values and about as many. */
ghz_shape shape_draw(uint64_t *d, int dims, uint64_t count);

/* The tile of a value of an array. */
uint64_t shape_tile(const ghz_shape *s, uint64_t i);
