/* reference_parts.h: what the parts of the reference codec know of each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "reference.h"

typedef __int128 ref_wide;

/* Extents of a whole tile, as a brick: those of a flat one are 1, 1, 1024. */
typedef struct ref_brick {
  int z, y, x;
} ref_brick;
ref_brick ref_brick_of(int dims);
int ref_orders(int dims); /* how many there are */

/* ---- reference_values.c ---- */
/* The largest finite magnitude. */
double ref_largest(const ref_header *h, const ref_tile *t);
double ref_coarse_limit(const ref_header *h);
/* With the coefficients that it has, R = rint(x / step - P) for q. Returns the largest magnitude
 * before it is rounded. */
double ref_tile_leave(const ref_header *h, ref_tile *t);

/* ---- reference_stream.c ---- */
/* The bits of the values of a tile, of an array. */
void ref_tile_read(const ref_header *h, uint64_t number, const void *x, ref_tile *t);

/* ---- reference_residuals.c ---- */
/* The column in which residual i is stored, and the other way round. */
int ref_stored_at(const ref_tile *tile, int i);
void ref_residuals(const ref_tile *tile, int64_t *r, int64_t *anchor, int64_t *slope);
/* Modulo 2^64, or 2^32 where the integers are known to fit. */
void ref_integrate(ref_tile *tile, const int64_t *r, int64_t anchor, int64_t slope, int narrow);

/* ---- reference_transform.c ---- */
int ref_transform_shift(int dims); /* s: values of coefficients are multiples of 2^-s step */
/* The column in which coefficient u = (uz, uy, ux) is stored. */
int ref_column_of(int dims, int u);
/* k = H(c), both in columns. */
void ref_inverse(int dims, const int64_t *c, ref_wide *k);
/* Transforms the values e to frequencies, in columns. */
void ref_forward(int dims, float *e);
/* c: those rounded to integers, and 0 where a block of them is too cheap to keep. */
void ref_keep(int dims, const float *e, int64_t *c);
