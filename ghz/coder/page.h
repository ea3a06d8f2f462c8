/* page.h: a page of packing level 2 while it is coded: up to 1024 tiles as symbols of small
 * alphabets, and what is known beside them (FILE_FORMAT.md, "Pages").
 *
 * symbols_impl.h and tiles_impl.h make symbols of tiles and lanes_impl.h words of symbols, each
 * also back; they are compiled once for each instruction set. tables.c chooses frequencies and
 * heads.c codes what is no symbol, both in the bits of side.h. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CODER_PAGE_H
#define GHZ_CODER_PAGE_H

#include "rules/shape.h"

enum {
  PAGE_TILES = 1024, /* of a page, but for the last one */
  LANES = 8,         /* symbols that are coded in one step */
  TURNS = 4,         /* vectors of states, which take turns, so that a step need not wait for the last */
  STATES = LANES * TURNS,
  STATE_LEAST = 1 << 15, /* of a state, which is below 2^31 */
  SLOT_BITS = 9,
  SLOTS = 1 << SLOT_BITS, /* what the frequencies of a context add up to */
  SYMBOL_BITS = 5,
  SYMBOLS = 1 << SYMBOL_BITS, /* of a context, at most */
  WIDTH_CODED = SYMBOLS - 1,  /* a tile with a wider block stays as it is */
  TOP_PLANES = 5              /* of a value that are a symbol, from the sign down; those below stay bytes */
};

/* Layers, as contexts tell them apart: residuals beside coefficients are few. */
enum { COEFFICIENTS = 0, RESIDUALS_BESIDE = 1, RESIDUALS = 2, LAYERS = 3 };

/* Contexts: of widths, by layer and by widths in tiles before and in this tile; of values, by
 * layer, width and magnitudes near them. The last one has one symbol, which costs nothing: it fills
 * up turns. */
enum {
  AROUND_CLASSES = 5,
  NEAR_CLASSES = 8,
  WIDTH_CLASSES = 7,
  SIZE_CLASSES = 5,
  WIDTH_CONTEXTS = LAYERS * AROUND_CLASSES * NEAR_CLASSES,
  VALUE_CONTEXTS = LAYERS * WIDTH_CLASSES * SIZE_CLASSES,
  CONTEXTS = WIDTH_CONTEXTS + VALUE_CONTEXTS,
  TOKENS = (CONTEXTS + 1) * SYMBOLS /* a token: a context and a symbol */
};

/* The symbols that a context may have: numbers below this. */
static inline unsigned alphabet_of(unsigned context) {
  const unsigned width = (context - WIDTH_CONTEXTS) / SIZE_CLASSES % WIDTH_CLASSES + 1;
  return context < WIDTH_CONTEXTS ? SYMBOLS : 1U << (width < TOP_PLANES ? width : TOP_PLANES);
}

enum tile_kind { TILE_EMPTY = 0, TILE_AS_IS = 1, TILE_CODED = 2 };

/* How the widths of a layer stand in a tile. */
enum widths_kind { NO_WIDTHS = 0, PLAIN_WIDTHS = 1, SQUEEZED_WIDTHS = 2 };

/* What is known of a tile beside its symbols. */
typedef struct page_tile {
  int64_t anchor, slope, first; /* the last: the first coefficient */
  uint32_t size;                /* of one that stays as it is */
  uint8_t kind, order, mode, special, turned;
  uint8_t transformed; /* it has coefficients */
  uint8_t widths[2];   /* of residuals, of coefficients */
} page_tile;

/* Magnitudes of a layer, with zeros before them that contexts see as neighbours. */
enum { SIZES_BEFORE = 128, SIZES_BYTES = SIZES_BEFORE + TILE };

/* A page; all of it is one thread's. Arrays have an element for each tile, unless it says so. */
typedef struct page_model {
  ghz_lattice lattice; /* that of the tiles */
  ghz_shape shape;     /* of the array */
  uint64_t first;      /* tile of the array */
  uint32_t terms;
  int transform;
  unsigned tiles;
  int values;    /* values are symbols; otherwise their planes stay bytes */
  int by_blocks; /* these are block after block; otherwise as in the tile */
  page_tile *tile;
  uint8_t (*width)[2][BLOCKS];   /* of residuals, of coefficients, in the order of coding */
  uint8_t (*sizes)[SIZES_BYTES]; /* of coefficients, likewise; and behind PAGE_TILES of them of residuals */
  uint16_t *token;               /* packing: steps of LANES tokens */
  size_t tokens;
  uint32_t (*count)[TOKENS]; /* packing: four arrays, whose sums count; one of them alone would be waited for */
  uint32_t *table;           /* packing: [TOKENS]; unpacking: [CONTEXTS * SLOTS]; see lanes_impl.h */
  uint16_t *word;            /* words, which steps take in turn; packing: up to the end of room for them */
  size_t words;
  uint8_t *byte; /* low planes, specials, tiles as they are; with SLACK behind */
  size_t bytes;
} page_model;

/* How many planes of a layer's blocks are no symbols. */
static inline void low_planes(const page_model *p, const uint8_t width[BLOCKS], uint8_t low[BLOCKS]) {
  const uint8_t top = p->values ? TOP_PLANES : 0;
  for (int b = 0; b < BLOCKS; b++)
    low[b] = (uint8_t)(width[b] - (width[b] < top ? width[b] : top));
}

/* ---- The grid of tiles ----------------------------------------------------------------------- */

/* Where a tile lies in the grid of the array's tiles: z, y, x. */
typedef struct page_walk {
  uint64_t grid[3], at[3];
} page_walk;

static inline page_walk begin_walk(const page_model *p, unsigned tile) {
  page_walk w = {{0}, {0}};
  bricks_along(&p->shape, w.grid);
  const uint64_t n = p->first + tile, line = n / w.grid[2];
  w.at[0] = line / w.grid[1];
  w.at[1] = line % w.grid[1];
  w.at[2] = n % w.grid[2];
  return w;
}

static inline void step_walk(page_walk *w) {
  for (int a = 2; ++w->at[a] == w->grid[a] && a > 0; a--)
    w->at[a] = 0;
}

/* How many tiles before tile i the one before it along x, y or z (0, 1, 2) stands; 0 if that is not
 * in the page. */
static inline unsigned steps_back(const page_walk *w, unsigned i, int axis) {
  const uint64_t back = axis == 0 ? 1 : axis == 1 ? w->grid[2] : w->grid[2] * w->grid[1];
  return w->at[2 - axis] > 0 && back <= i ? (unsigned)back : 0;
}

#endif
