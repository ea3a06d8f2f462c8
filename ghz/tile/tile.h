/* tile.h: what the drivers know of the tile codec: one table of functions per instruction set, all
 * giving the same bytes. A tile is at most 1024 values, in a row or of a brick (FORMAT.md, "Tile").
 *
 * A destination of tile bytes has room for the bound of its tiles (ghz_tile_bound) + SLACK bytes.
 * Sources may hold anything: damage is reported as GHZ_ECORRUPT. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_TILE_H
#define GHZ_TILE_H

#include "rules/parse.h"
#include "rules/shape.h"
#include "tile/wide_sum.h"

/* Where the values of a tile lie in an array, from its first one on: `row` values from line to
 * line, `plane` values from plane to plane. */
typedef struct tile_place {
  tile_extent extent;
  size_t row, plane;
} tile_place;

/* The values inside one after the other. */
static inline tile_place packed_place(tile_extent e) {
  return (tile_place){e, e.x, (size_t)e.y * e.x};
}

/* A tile of an operand: its bytes, and what counts of the stream that it belongs to. */
typedef struct tile_source {
  const uint8_t *data;
  size_t size;
  uint32_t terms;
  int transform;  /* it may have coefficients */
  int short_tail; /* fewer than SLACK readable bytes follow: wide loads need a copy */
} tile_source;

/* Whether a tile is one of one value, which stands before the tile of its integers. */
static inline int is_constant(const tile_source *src) {
  return src->size > 0 && first_says_constant(src->data[0]);
}

/* Takes the value off such a tile. Returns 0 if it is damaged. */
static inline int parse_value(const ghz_lattice *l, tile_source *src, uint64_t *bits) {
  const unsigned head = constant_head(l->type);
  if (!open_constant(l, src->terms, src->data, src->size, bits))
    return 0;
  src->data += head;
  src->size -= head;
  return 1;
}

/* An operand on a lattice of its own, which is a multiple of that of the sum. Its coefficient
 * counts integers; the weight counts values, for those that stay raw. */
typedef struct own_lattice {
  ghz_lattice lattice;
  int64_t weight;
  uint64_t factor; /* the coefficient is weight * factor */
} own_lattice;

/* sum of coefficient[i] * operand[i], times `factor`, divided by `divisor`. */
typedef struct tile_op {
  size_t k;
  const int64_t *coefficients; /* NULL: all 1 */
  const own_lattice *own;      /* of each operand; NULL: all are on the job's lattice */
  double factor, divisor;
  int scaled;        /* factor or divisor is in use: the result has another step than the operands */
  int beside_others; /* more than one operand has a coefficient that is not 0 */
  uint32_t terms;    /* of the result */
  size_t tile_bound; /* of the result's tiles */
} tile_op;

/* One tile of a result: the operands' tiles of that number, without the value of those of one, and
 * where it goes. */
typedef struct tile_job {
  const ghz_lattice *lattice; /* of the sum, and of operands without one of their own */
  const tile_source *src;
  tile_extent extent;
  uint8_t *dst;
  size_t *size;
  int *inexact; /* set to 1 where floating-point values had to be stored */
} tile_job;

/* What a tile was before some of its values changed. */
typedef struct old_tile {
  const ghz_lattice *lattice;
  tile_source src;
} old_tile;

/* Axes of a tile. */
enum { AXIS_X = 1, AXIS_Y = 2, AXIS_Z = 4 };

/* Sums of a tile's integers along some axes, of whole tiles: columns outside and specials count 0.
 * In the order of the columns that are left, in units of 2^shift of what wide_sum.h has. */
typedef struct tile_sums {
  unsigned shift;
  int wide;              /* which sums are set */
  double most;           /* unless wide: none is larger in magnitude, but of damaged tiles */
  int specials;          /* whether there are any: */
  int16_t missing[TILE]; /* how many each sum lacks */
  int64_t sum[TILE];
  int128 wide_sum[TILE];
} tile_sums;

struct page_model;

typedef struct tile_codec {
  const char *name;

  /* The least and greatest finite value of x[0..n), of the lattice's type, that is not its fill. */
  void (*range)(const ghz_lattice *lattice, const void *x, size_t n, double *min, double *max);

  /* Compresses the n values inside the place; returns the size, at most 1 + n * sizeof(value). */
  size_t (*encode)(const ghz_lattice *lattice, int order, const tile_place *place, const void *x, uint8_t *dst);

  /* Compresses the values inside the place, of which those that equal what the old tile
   * decompresses to stay what they are (FORMAT.md, "Update"). */
  ghz_status (*update)(const ghz_lattice *lattice, int order, const tile_place *place, const void *x,
                       const old_tile *old, uint8_t *dst, size_t *size);

  /* Decompresses the values inside the place, to type `out`. Writes those values and no more; with
   * streaming = 1 past the caches, where that is possible: call fence before another thread reads
   * them. */
  ghz_status (*decode)(const ghz_lattice *lattice, const tile_source *src, ghz_type out,
                       const tile_place *place, int streaming, void *dst);
  void (*fence)(void);

  /* The op on the job's tiles. */
  ghz_status (*combine)(const tile_job *job, const tile_op *c);

  /* The smaller or larger of the job's two tiles, value by value. */
  ghz_status (*extremum)(const tile_job *job, int larger);

  /* Checks a tile and counts what it holds. */
  ghz_status (*scan)(const ghz_lattice *lattice, tile_source src, const tile_extent *extent,
                     ghz_statistics *statistics);

  /* Adds up the integers of a tile that is not raw; of two such tiles, of whose array `first` is
   * the index of the first value, and the place says where the others are. */
  ghz_status (*moments)(const ghz_lattice *lattice, tile_source src, const tile_extent *extent,
                        lattice_moments *m);
  ghz_status (*compare)(const ghz_lattice *lattice, const tile_source src[2], const tile_place *place,
                        uint64_t first, lattice_comparison *c);

  /* The integers of a tile that is not raw, in the order of its values inside; `special` is 1 for
   * +Inf, 2 for -Inf, 3 for NaN, otherwise 0. */
  ghz_status (*integers)(const ghz_lattice *lattice, tile_source src, const tile_extent *extent, int128 *k,
                         uint8_t *special);

  /* Sums along axes of a tile that is neither raw nor empty. */
  ghz_status (*sum_axes)(const ghz_lattice *lattice, tile_source src, const tile_extent *extent, unsigned axes,
                         tile_sums *sums);

  /* Takes tiles from .. to - 1 of a page apart (coder/page.h), to tokens, counts and bytes. The
   * first of them begins at the payload, which has SLACK readable bytes behind; returns the end of
   * the last. */
  const uint8_t *(*parse_tiles)(struct page_model *p, unsigned from, unsigned to, const uint8_t *sizes,
                                const uint8_t *payload);

  /* The tokens of a page to words, by its table. p->word is the end of room for them, and then
   * their beginning. */
  void (*encode_words)(struct page_model *p, uint32_t *state);

  /* Makes the tiles of a page of its heads, table, words and bytes: their sizes, u16 each, and
   * themselves, `room` bytes in all. Returns 0 for damage. */
  int (*make_tiles)(struct page_model *p, const uint32_t *state, uint8_t *sizes, uint8_t *payload, size_t room);
} tile_codec;

/* Bricks may go by the fast routines, which give what the general ones give: 1 always, but in tests
 * of that, which set it to 0. */
extern int ghz_quick_bricks;

extern const tile_codec ghz_tiles_scalar, ghz_tiles_avx2, ghz_tiles_avx512, ghz_tiles_neon;

/* The codec for GHZ_ISA or the best of this machine; NULL if GHZ_ISA asks for what is not there. */
const tile_codec *ghz_tiles_choose(void);

/* The names of those that this machine and build have: " scalar, avx2". */
typedef struct isa_names {
  char text[64];
} isa_names;
isa_names ghz_tiles_names(void);

#endif
