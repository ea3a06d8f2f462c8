/* parse.h: what the bytes of a tile say, and what makes them corrupt: the checks 8 to 15 of
 * FORMAT.md, "Reading hostile input" (law L5, docs/LAWS.md). In the common subset of C and CUDA
 * C++. A reader loads bytes and adds up widths in the way that suits its machine, and asks the
 * functions here, in this order, what they mean. Each returns 0 for damage. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_PARSE_H
#define GHZ_PARSE_H

#include <stddef.h>

#include "rules/lead.h"

/* Of a tile that is not empty. */
GHZ_RULE int first_says_raw(unsigned first) {
  return (first >> 3 & 3) == RAW;
}

/* Checks 8 and 9, of a raw tile. */
GHZ_RULE int raw_tile_valid(ghz_type type, uint32_t terms, unsigned first, size_t size, unsigned n) {
  return terms != 0 && first == RAW_TILE && size == 1 + n * value_bytes(type);
}

/* Where the anchors begin, from the beginning of the tile, and how long they are. */
typedef struct anchor_place {
  unsigned at, anchor, slope;
} anchor_place;

/* Bytes of an anchor, by the code of its length. */
GHZ_RULE unsigned anchor_bytes_of(unsigned code) {
  return code + (code == 7);
}

/* What the extra byte says; in a brick its middle bits stand for coefficients and for a turned
 * plane instead of a slope. */
GHZ_RULE int open_extra(unsigned dims, unsigned extra, tile_lead *h, anchor_place *p) {
  const unsigned middle = extra >> 3 & 7;
  p->anchor = anchor_bytes_of(extra & 7);
  p->slope = dims == 1 ? anchor_bytes_of(middle) : 0;
  h->coefficients = dims != 1 && middle & 1;
  h->turned = dims != 1 && middle & 2;
  h->special = (int)(extra >> 6 & 1);
  h->squeezed = not_guessed((int)(extra >> 7));
  return (dims == 1 || middle <= 3) && !(h->turned && (dims != 2 || h->order == 0)) &&
         !(h->order == 0 && p->anchor) && !(h->order != 2 && p->slope) &&
         !(h->squeezed && h->width_planes == 0);
}

/* Checks 8, 10 and 11: the first two bytes of a tile that is neither empty nor raw. They give
 * everything of *h but the values of the anchors. `second` counts only if there is one. Squeezed
 * width planes are inside the tile as far as their maps; more is known when these are. */
GHZ_RULE int open_lead(const ghz_lattice *l, uint32_t terms, unsigned dims, unsigned first, unsigned second,
                       size_t size, tile_lead *h, anchor_place *p) {
  const unsigned announced = first >> 2 & 1, extra = second & (0u - (announced & (size > 1)));
  h->order = (int)(first & 3);
  h->mode = (int)(first >> 3 & 3);
  h->width_planes = first >> 5;
  p->at = 1 + announced;
  const int right = open_extra(dims, extra, h, p); /* even of a tile that is refused: all is set */
  if (terms == 0 || l->step == 0 || h->order >= orders_of(dims) || h->mode == RAW || h->width_planes == 7 ||
      (announced && extra == 0) || !right)
    return 0;
  return size - p->at >= p->anchor + p->slope + width_planes_size(h->width_planes, 0, h->squeezed);
}

GHZ_RULE int64_t low_bytes(uint64_t v, unsigned bytes) {
  return bytes ? (int64_t)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes) : 0;
}

/* Whether v needs all of so many bytes. */
GHZ_RULE int anchor_least(int64_t v, unsigned bytes) {
  const unsigned fewer = bytes - 1 - (bytes == 8);
  return bytes == 0 || low_bytes((uint64_t)v, fewer) != v;
}

/* Checks 11 and 15: the anchors, each in the low bytes of a number, have no byte too many; and the
 * tile is not the one byte that would be an empty tile in another spelling. */
GHZ_RULE int open_anchors(tile_lead *h, const anchor_place *p, uint64_t anchor, uint64_t slope) {
  h->anchor = low_bytes(anchor, p->anchor);
  h->slope = low_bytes(slope, p->slope);
  return anchor_least(h->anchor, p->anchor) && anchor_least(h->slope, p->slope) &&
         !(p->at == 1 && lead_says_empty(h));
}

GHZ_RULE unsigned widths_at(const anchor_place *p) {
  return p->at + p->anchor + p->slope;
}

/* Check 12: the width planes, `nonzero` bytes of which their maps announce, are inside the tile,
 * which has so many bytes from there on. */
GHZ_RULE int width_planes_fit(const tile_lead *h, unsigned nonzero, size_t room) {
  return room >= width_planes_size(h->width_planes, nonzero, h->squeezed);
}

/* Whether a tile may have coefficients: one with n values inside, in a stream whose header may say
 * `transform`. */
GHZ_RULE int coefficients_allowed(int transform, unsigned n) {
  return transform && n >= COEFFICIENT_VALUES;
}

/* Whether a tile with n values inside may be as its lead says. */
GHZ_RULE int turning_allowed(const tile_lead *h, unsigned n) {
  return !h->turned || n == TILE;
}

/* The head of the coefficients: what it says of their first one, whose length it gives, and of the
 * width planes. `size` bytes begin with the head. */
GHZ_RULE int open_coefficients(unsigned head, size_t size, tile_lead *h, unsigned *anchor) {
  *anchor = anchor_bytes_of(head >> 3 & 7);
  h->width_planes = head & 7;
  h->squeezed = (int)(head >> 7);
  return !(head & 64) && h->width_planes != 7 && !(h->squeezed && h->width_planes == 0) &&
         size >= 1 + *anchor + width_planes_size(h->width_planes, 0, h->squeezed);
}

GHZ_RULE int coefficient_height_valid(uint32_t terms, const tile_lead *h, unsigned height) {
  return bit_length(height) == h->width_planes && height <= coefficient_width_limit(terms);
}

/* Check 12, of the largest width, in a mode whose integers have so many bits. (The width of every
 * block from blocks_of(n) on is 0.) */
GHZ_RULE int height_fits(unsigned bits, uint32_t terms, const tile_lead *h, unsigned height) {
  return bit_length_32(height) == h->width_planes && height <= width_of_bits(bits, h->order, terms);
}

GHZ_RULE int height_valid(const ghz_lattice *l, uint32_t terms, const tile_lead *h, unsigned height) {
  return height_fits(integer_bits(l, h->mode), terms, h, height);
}

GHZ_RULE unsigned blocks_of(unsigned n) {
  return (n + BLOCK - 1) / BLOCK;
}

/* Check 15: from where the planes begin on, the tile has as many bytes as its widths add up to. */
GHZ_RULE int planes_fit(size_t size, size_t planes_at, unsigned sum_of_widths) {
  return size - planes_at == sum_of_widths;
}

#endif
