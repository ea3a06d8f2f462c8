/* header.h: the first bytes of a lattice tile, its exact size, and the choice of its order
 * (FORMAT.md, "Tile"). In the common subset of C and CUDA C++. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_HEADER_H
#define GHZ_HEADER_H

#include "rules/rules.h"

/* What stands before the width planes. */
typedef struct tile_prefix {
  int order, mode;
  unsigned width_planes;
  int special; /* planes of specials follow the width planes */
  int64_t anchor, slope;
} tile_prefix;

enum { LEAD_MAX = 18 }; /* its bytes at most */

/* Bytes of the shortest two's complement of v: 0 for 0, never 7. */
GHZ_RULE unsigned anchor_size(int64_t v) {
  unsigned bytes = v ? (bit_length((uint64_t)(v ^ (v >> 63))) + 8) / 8 : 0;
  return bytes == 7 ? 8 : bytes;
}

GHZ_RULE unsigned anchor_code(unsigned bytes) {
  return bytes == 8 ? 7 : bytes;
}

GHZ_RULE uint8_t lead_extra(const tile_prefix *h) {
  return (uint8_t)(anchor_code(anchor_size(h->anchor)) | anchor_code(anchor_size(h->slope)) << 3 |
                   (unsigned)(h->special != 0) << 6);
}

/* With the byte that may follow. */
GHZ_RULE uint8_t lead_first(const tile_prefix *h, unsigned extra) {
  return (uint8_t)((unsigned)h->order | (unsigned)(extra != 0) << 2 | (unsigned)h->mode << 3 |
                   h->width_planes << 5);
}

GHZ_RULE unsigned lead_size(const tile_prefix *h) {
  return 1u + (lead_extra(h) != 0) + anchor_size(h->anchor) + anchor_size(h->slope);
}

/* Byte i of those before the width planes, i < lead_size. */
GHZ_RULE uint8_t lead_byte(const tile_prefix *h, unsigned i) {
  unsigned extra = lead_extra(h), la = anchor_size(h->anchor);
  if (i == 0)
    return lead_first(h, extra);
  if (extra && i == 1)
    return (uint8_t)extra;
  i -= extra ? 2 : 1;
  return (uint8_t)((uint64_t)(i < la ? h->anchor : h->slope) >> 8 * (i < la ? i : i - la));
}

/* Zeros in coarse mode and order 0 without specials are no bytes at all. */
GHZ_RULE int lead_says_empty(const tile_prefix *h) {
  return h->order == 0 && h->mode == COARSE && h->width_planes == 0 && !h->special;
}

/* The order of the smallest of three sizes, ties to the lower, or the one asked for; of zeros,
 * 0. */
GHZ_RULE int choose_order(const unsigned size[3], int zeros, int asked) {
  if (zeros)
    return 0;
  if (asked >= 0)
    return asked;
  int first = size[1] < size[0]; /* no index: a GPU would put the array in memory for it */
  return size[2] < (first ? size[1] : size[0]) ? 2 : first;
}

#endif
