/* long_life.h: arrays of every habit, a stream that they are added to, and what it must be. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "quad.h"
#include "support.h"

typedef __int128 exact;

enum { TILES = 9, LAST = 3, N = (TILES - 1) * GHZ_TILE + LAST, POOL = 32 };

/* Values are multiples of 2^-40, so that a million of them add up exactly in 128 bits. */
#define GRAIN 0x1p-40

/* The arrays that are added, as values and as streams. */
typedef struct pool {
  ghz_lattice lattice;
  double *x[POOL];
  ref_bytes stream[POOL];
} pool;

/* How often each was added. */
typedef struct history {
  int64_t count[POOL];
  uint32_t terms;
} history;

/* The stream, and the arrays that went into it. */
typedef struct life {
  const pool *pool;
  ghz_context *ctx;
  history past;
  ref_bytes sum; /* size is what is used of capacity */
  size_t capacity;
  uint64_t state;
} life;

/* The same arrays for each type, on a lattice with cap 35, in scratch memory. */
pool *pool_new(ghz_context *ctx, ghz_type type);

/* Begins with array 0, in a buffer for as many terms as there will be. */
life life_begin(const pool *p, ghz_context *ctx, uint32_t most);
/* Adds another array and returns its number; `before` is that of the one before. */
int life_add(life *l, int before);
/* The sum against the reference's, byte for byte, the exact sum of values, and a combination. */
void life_check(const life *l, const char *what);
/* A whole life of so many terms, checked on the way. */
void live(ghz_type type, const char *isa, uint32_t terms);

/* Adds two arrays in turn until the limit of terms is reached; then nothing more goes in. */
void live_to_the_limit(ghz_type type, int cap);

/* Values within the bound that the stream states, of `factor` times the exact sum: strictly as
 * float64, with the last rounding as float32. */
void check_values(ghz_context *ctx, const pool *p, const history *h, ref_bytes sum, quad factor,
                  const char *what);

/* The stream of values that are rounded to the type of the lattice. */
ref_bytes make_stream(ghz_context *ctx, const ghz_lattice *l, int order, const double *x, size_t n);
/* sum += x, without Criterion, which takes longer to count an assertion than an addition takes. */
void accumulate(ghz_context *ctx, ref_bytes *sum, size_t capacity, ref_bytes x);
