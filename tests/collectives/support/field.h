/* field.h: test data: whole multiples of a unit, so that what they add up to is known exactly. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stdint.h>

typedef enum field_kind {
  FIELD_ZEROS,
  FIELD_CONSTANT, /* another one for each contribution */
  FIELD_SMOOTH,
  FIELD_STEPS,
  FIELD_NOISE,  /* 13 bits */
  FIELD_ROUGH,  /* 24 bits */
  FIELD_SPARSE, /* mostly zeros, some whole tiles of them */
  FIELD_TIES,   /* half-way between the steps of an absolute bound of 64 units */
  FIELD_WIDE,   /* 36 bits, 24 of them significant */
  FIELD_MIXED,  /* from 24 to 40 bits, from tile to tile and from contribution to contribution */
  FIELD_HUGE,   /* 52 bits, 24 of them significant: outside the lattice of most bounds */
  FIELD_CURVED, /* parabolas along lines of 64 values and 40 lines, with noise of 4 bits */
  FIELD_KINDS
} field_kind;

typedef struct field {
  field_kind kind;
  int exponent; /* the unit is 2^exponent */
  uint64_t seed;
} field;

extern const char *const field_names[FIELD_KINDS];

/* Value i of a contribution, in units. Below 2^53, and as a float exact. */
int64_t field_at(const field *f, uint64_t contribution, uint64_t i);

/* Writes `count` values of a contribution, from `first` on, to x, an array of floats or doubles. */
void field_fill(const field *f, uint64_t contribution, uint64_t first, uint64_t count, int is_double, void *x);
