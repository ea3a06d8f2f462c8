/* cases.h: arrays that checks of the GPU half are made of, flat ones and bricks, and streams of
 * them by the CPU. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "gpu_support.h"

/* Lengths around the borders of blocks, tiles and chunks; whole bricks and cut ones, one value
 * thick, long, and empty. */
enum { FLATS = 33, BRICK_SHAPES = 18, ARRAYS = FLATS + BRICK_SHAPES };
extern const ghz_shape brick_shapes[BRICK_SHAPES];
/* Large ones every fourth turn alone, for they take their time. */
ghz_shape array_of_turn(size_t i, unsigned turn);

/* What a field is made of: smooth, rough, cut, torn, with infinities; wide, raw in part, zeros; and
 * from there on the makers of inputs.h. */
enum { SMOOTH, NOISY, CUT, TORN, DOTTED, HUGE_NOISE, RAW_IN_PART, NOTHING, TEXTURES };
size_t fields_in_all(void);

void *field_of(const ghz_lattice *l, const ghz_shape *s, size_t made_of, uint64_t seed);
ref_bytes stream_of_field(trial *t, const ghz_lattice *l, int order, const ghz_shape *s, size_t made_of,
                          uint64_t seed);
const char *field_name(size_t made_of);

/* Combinations: both layers at higher modes and orders, many terms. */
ref_bytes combined(trial *t, const ghz_lattice *l, const ghz_shape *s, size_t k, const int64_t *c,
                   uint64_t seed);

/* Of any field and order, or a combination. */
ref_bytes any_stream(trial *t, const ghz_lattice *l, const ghz_shape *s, uint64_t *state);

/* How many of a stream's bricks have coefficients, so that checks know what they check. */
uint64_t bricks_with_coefficients(trial *t, ref_bytes stream);

/* Reads all of a stream, in every type that it can be had in. */
void read_all(trial *t, ref_bytes stream, ghz_type type, const ghz_shape *s, const char *what);
