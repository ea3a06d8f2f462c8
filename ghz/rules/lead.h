/* lead.h: the first bytes of a lattice tile, its exact size, and the choice of its order
 * (FORMAT.md, "Tile"). In the common subset of C and CUDA C++. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_LEAD_H
#define GHZ_LEAD_H

#include "rules/rules.h"

/* What stands before the width planes. */
typedef struct tile_lead {
  int order, mode;
  unsigned width_planes;
  int squeezed;          /* so are the width planes */
  int special;           /* planes of specials follow them */
  int coefficients;      /* of a brick: it has some */
  int turned;            /* of a plane (FORMAT.md, "Residuals") */
  int64_t anchor, slope; /* bricks have no slope: it is 0 */
} tile_lead;

enum { LEAD_MAX = 18, LEAD_LEAST = 2 }; /* its bytes, at most, and at least where there are coefficients */

/* Bytes of the shortest two's complement of v: 0 for 0, never 7. */
GHZ_RULE unsigned anchor_size(int64_t v) {
  const uint64_t folded = (uint64_t)v << 1 ^ (uint64_t)(v >> 63); /* the sign as its lowest bit */
  const unsigned bytes = (bit_length(folded) + 7) / 8;
  return bytes + (bytes == 7);
}

GHZ_RULE unsigned anchor_size_32(int32_t v) {
  return (bit_length_32((uint32_t)v << 1 ^ (uint32_t)(v >> 31)) + 7) / 8;
}

/* The sizes of both: found once, where that takes long. */
typedef struct anchor_sizes {
  unsigned anchor, slope;
} anchor_sizes;

GHZ_RULE anchor_sizes sizes_of_anchors(const tile_lead *h) {
  const anchor_sizes sizes = {anchor_size(h->anchor), anchor_size(h->slope)};
  return sizes;
}

GHZ_RULE unsigned anchor_code(unsigned bytes) {
  return bytes - (bytes == 8);
}

GHZ_RULE uint8_t lead_extra_of(const tile_lead *h, anchor_sizes a) {
  return (uint8_t)(anchor_code(a.anchor) | anchor_code(a.slope) << 3 | (unsigned)(h->coefficients != 0) << 3 |
                   (unsigned)(h->turned != 0) << 4 | (unsigned)(h->special != 0) << 6 |
                   (unsigned)(h->squeezed != 0) << 7);
}

GHZ_RULE uint8_t lead_extra(const tile_lead *h) {
  return lead_extra_of(h, sizes_of_anchors(h));
}

/* With the byte that may follow. */
GHZ_RULE uint8_t lead_first(const tile_lead *h, unsigned extra) {
  return (uint8_t)((unsigned)h->order | (unsigned)(extra != 0) << 2 | (unsigned)h->mode << 3 |
                   h->width_planes << 5);
}

GHZ_RULE unsigned lead_size_of(const tile_lead *h, anchor_sizes a) {
  return 1u + (lead_extra_of(h, a) != 0) + a.anchor + a.slope;
}

GHZ_RULE unsigned lead_size(const tile_lead *h) {
  return lead_size_of(h, sizes_of_anchors(h));
}

/* Byte i of those before the width planes, i < lead_size. */
GHZ_RULE uint8_t lead_byte_of(const tile_lead *h, anchor_sizes a, unsigned i) {
  const unsigned extra = lead_extra_of(h, a), la = a.anchor;
  if (i == 0)
    return lead_first(h, extra);
  if (extra && i == 1)
    return (uint8_t)extra;
  i -= extra ? 2 : 1;
  return (uint8_t)((uint64_t)(i < la ? h->anchor : h->slope) >> 8 * (i < la ? i : i - la));
}

GHZ_RULE uint8_t lead_byte(const tile_lead *h, unsigned i) {
  return lead_byte_of(h, sizes_of_anchors(h), i);
}

/* Zeros in coarse mode and order 0 without specials or coefficients are no bytes at all. */
GHZ_RULE int lead_says_empty(const tile_lead *h) {
  return !h->coefficients && h->width_planes == 0 && h->order == 0 && h->mode == COARSE && !h->special;
}

/* ---- Width planes ---------------------------------------------------------------------------- */

/* Bytes of so many width planes, `nonzero` of which are not 0. Squeezed: a map of 16 bits for each
 * plane, then these bytes. */
GHZ_RULE unsigned width_planes_size(unsigned planes, unsigned nonzero, int squeezed) {
  const unsigned plain = 16 * planes, saved = plain - (2 * planes + nonzero);
  return plain - (saved & (0u - (unsigned)squeezed)); /* no branch: every other tile is squeezed */
}

/* Whether squeezing makes a tile smaller that has an extra byte, or something like it, in any
 * case. */
GHZ_RULE int squeezing_pays(unsigned planes, unsigned nonzero) {
  return width_planes_size(planes, nonzero, 1) < width_planes_size(planes, nonzero, 0);
}

/* Decides for a tile of which everything else is known whether squeezing makes it smaller; returns
 * the bytes up to the end of the width planes. */
GHZ_RULE unsigned choose_squeezing_of(tile_lead *h, anchor_sizes a, unsigned nonzero) {
  h->squeezed = 0; /* the extra byte counts: squeezed width planes always have one */
  const unsigned plain = (lead_extra_of(h, a) != 0) + width_planes_size(h->width_planes, nonzero, 0),
                 squeezed = 1 + width_planes_size(h->width_planes, nonzero, 1);
  h->squeezed = not_guessed(squeezed < plain);
  return 1 + a.anchor + a.slope + (plain - ((plain - squeezed) & (0u - (unsigned)h->squeezed)));
}

GHZ_RULE unsigned choose_squeezing(tile_lead *h, unsigned nonzero) {
  return choose_squeezing_of(h, sizes_of_anchors(h), nonzero);
}

/* The first byte of the coefficients: how their first one and their width planes are stored. */
GHZ_RULE uint8_t coefficients_head(const tile_lead *h) {
  return (uint8_t)(h->width_planes | anchor_code(anchor_size(h->anchor)) << 3 |
                   (unsigned)(h->squeezed != 0) << 7);
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* The predictors of a tile without coefficients: one for each order, and two for whole planes:
 * orders 1 and 2, turned. */
enum { PREDICTORS_MAX = 5 };

GHZ_RULE int predictors_of(unsigned dims, unsigned n) {
  return dims == 2 && n == TILE ? PREDICTORS_MAX : orders_of(dims);
}

enum { TURNED_PREDICTORS = 2 }; /* so many after an order comes the same, turned */

GHZ_RULE int predictor_of(int order, int turned) {
  return turned ? order + TURNED_PREDICTORS : order;
}

GHZ_RULE int order_of_predictor(unsigned dims, int predictor) {
  return predictor < orders_of(dims) ? predictor : predictor - TURNED_PREDICTORS;
}

GHZ_RULE int predictor_is_turned(unsigned dims, int predictor) {
  return predictor >= orders_of(dims);
}

/* The predictor of the smallest size, ties to the lower, or the order asked for; of zeros, 0.
 * `predictors` is a constant: unrolled, a GPU needs no array in memory. */
GHZ_RULE int choose_predictor(const unsigned *size, int predictors, int zeros, int asked) {
  int best = 0;
  unsigned least = size[0];
  for (int o = 1; o < predictors; o++) {
    best = size[o] < least ? o : best;
    least = size[o] < least ? size[o] : least;
  }
  return zeros ? 0 : asked >= 0 ? asked : best;
}

#endif
