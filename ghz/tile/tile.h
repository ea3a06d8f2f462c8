/* tile.h: what the drivers know of the tile codec: one table of functions per instruction set, all
 * giving the same bytes. A tile is at most 1024 values (FORMAT.md, "Tile").
 *
 * A destination of tile bytes has room for the bound of its tiles (ghz_tile_bound) + SLACK bytes.
 * Sources may hold anything: damage is reported as GHZ_ECORRUPT. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_TILE_H
#define GHZ_TILE_H

#include "ghz.h"

/* A tile of an operand: its bytes, and the terms of the stream that it belongs to. */
typedef struct tile_source {
  const uint8_t *data;
  size_t size;
  uint32_t terms;
  int short_tail; /* fewer than SLACK readable bytes follow: wide loads need a copy */
} tile_source;

/* sum of coefficient[i] * operand[i], times `factor`, divided by `divisor`. */
typedef struct combination {
  size_t k;
  const int64_t *coefficients; /* NULL: all 1 */
  double factor, divisor;
  int scaled;        /* factor or divisor is in use: the result has another step than the operands */
  int beside_others; /* more than one operand has a coefficient that is not 0 */
  uint32_t terms;    /* of the result */
  size_t tile_bound; /* of the result's tiles */
} combination;

/* One tile of a result: the operands' tiles of that number, which have n values, and where it
 * goes. */
typedef struct tile_job {
  const ghz_lattice *lattice; /* of the operands */
  const tile_source *src;
  unsigned n;
  uint8_t *dst;
  size_t *size;
  int *inexact; /* set to 1 where floating-point values had to be stored */
} tile_job;

typedef struct tile_codec {
  const char *name;

  /* The least and greatest finite value of x[0..n). */
  void (*range)(ghz_type type, const void *x, size_t n, double *min, double *max);

  /* Compresses n values; returns the size, at most 1 + n * sizeof(value). */
  size_t (*encode)(const ghz_lattice *lattice, int order, const void *x, unsigned n, uint8_t *dst);

  /* Decompresses n values of type `out`. Writes those n values and no more; with streaming = 1 past
   * the caches, where that is possible: call fence before another thread reads them. */
  ghz_status (*decode)(const ghz_lattice *lattice, tile_source src, ghz_type out, unsigned n, int streaming,
                       void *dst);
  void (*fence)(void);

  /* The combination of the job's tiles. */
  ghz_status (*combine)(const tile_job *job, const combination *c);

  /* The smaller or larger of the job's two tiles, value by value. */
  ghz_status (*extremum)(const tile_job *job, int larger);

  /* Checks a tile and counts what it holds. */
  ghz_status (*scan)(const ghz_lattice *lattice, tile_source src, unsigned n, ghz_statistics *statistics);
} tile_codec;

extern const tile_codec ghz_tiles_scalar, ghz_tiles_avx2, ghz_tiles_avx512;

/* The codec for GHZ_ISA or the best of this machine; NULL if GHZ_ISA asks for what is not there. */
const tile_codec *ghz_tiles_choose(void);

#endif
