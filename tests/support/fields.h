/* fields.h: arrays of two and three dimensions for tests: smooth waves, with and without what
 * disturbs them, alike on every machine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "streams.h"

/* WAVES are smooth; ROUGH has noise of a few steps; LAND has NaN in a quarter, infinities at its
 * coast; SHOCK jumps; PATCHES are noise in some bricks, waves in others, zeros in the rest. */
typedef enum field_kind { WAVES, ROUGH, LAND, SHOCK, PATCHES, FIELD_KINDS } field_kind;

/* Of `amount` times the step of the lattice; scratch memory. */
void *field_make(field_kind kind, const ghz_lattice *l, const ghz_shape *shape, double amount, uint64_t seed);

/* Shapes of whole, cut and tiny bricks, of no values and of flat arrays. */
extern const ghz_shape field_shapes[];
extern const size_t field_shape_count;
/* One of them, or a flat one of any of the lengths that matter. */
ghz_shape shape_any(uint64_t *state);

/* Hides values: by NaN of any kind or the fill, with infinities among them, or by those alone. */
void hide_value(const ghz_lattice *l, void *x, size_t i, int infinities, uint64_t *state);
/* In pieces of any form: some here and there, runs, squares in planes and cubes, all before some
 * value, all, all but one. */
void hide_any(const ghz_lattice *l, const ghz_shape *shape, void *x, uint64_t *state);

/* A field, or an input, of any magnitude, with values hidden. */
void *values_any(const ghz_lattice *l, const ghz_shape *shape, uint64_t *state);
/* Every second one is the best. */
int order_any(const ghz_shape *shape, uint64_t *state);
ref_bytes stream_any(ghz_context *ctx, const ghz_lattice *l, const ghz_shape *shape, uint64_t *state);

ref_header header_shaped(const ghz_lattice *l, const ghz_shape *shape);
const char *shape_text(const ghz_shape *shape);
/* The last of the orders that bricks of a shape have. */
int order_most(const ghz_shape *shape);
