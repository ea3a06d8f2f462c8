/* bricks.h: arrays of two and three dimensions for checks of the GPU half, and streams of them
 * by the CPU. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "gpu_support.h"

/* Whole bricks and cut ones, one value thick, long, and empty. */
enum { BRICK_SHAPES = 18 };
extern const ghz_shape brick_shapes[BRICK_SHAPES];

/* What a field is made of: smooth, rough, cut, torn, with infinities; wide, raw in part, zeros. */
enum { SMOOTH, NOISY, CUT, TORN, DOTTED, HUGE_NOISE, RAW_IN_PART, NOTHING, TEXTURES };

void *brick_field(const ghz_lattice *l, const ghz_shape *s, int made_of, uint64_t seed);
ref_bytes stream_of_field(trial *t, const ghz_lattice *l, int order, const ghz_shape *s, int made_of,
                          uint64_t seed);

/* Combinations: both layers at higher modes and orders, many terms. */
ref_bytes combined(trial *t, const ghz_lattice *l, const ghz_shape *s, size_t k, const int64_t *c,
                   uint64_t seed);

/* How many of a stream's bricks have coefficients, so that checks know what they check. */
uint64_t bricks_with_coefficients(trial *t, ref_bytes stream);

/* Reads a stream of a shape in every way. */
void read_all(trial *t, ref_bytes stream, ghz_type type, const ghz_shape *s, const char *what);
