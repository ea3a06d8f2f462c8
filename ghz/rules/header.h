/* header.h: the first bytes of a lattice tile, its exact size, and the choice of its order
 * (FORMAT.md, "Tile"). In the common subset of C and CUDA C++. */
#ifndef GHZ_HEADER_H
#define GHZ_HEADER_H

#include "rules/rules.h"

/* What stands before the width planes. */
typedef struct tile_lead {
  int order, mode;
  unsigned width_planes;
  int special; /* planes of specials follow the width planes */
  int64_t anchor, slope;
} tile_lead;

enum { LEAD_MAX = 18 }; /* its bytes at most */

/* Bytes of the shortest two's complement of v: 0 for 0, never 7. */
GHZ_RULE unsigned anchor_size(int64_t v) {
  unsigned bytes = v ? (bit_length((uint64_t)(v ^ (v >> 63))) + 8) / 8 : 0;
  return bytes == 7 ? 8 : bytes;
}

GHZ_RULE unsigned anchor_code(unsigned bytes) {
  return bytes == 8 ? 7 : bytes;
}

GHZ_RULE uint8_t lead_extra(const tile_lead *h) {
  return (uint8_t)(anchor_code(anchor_size(h->anchor)) | anchor_code(anchor_size(h->slope)) << 3 |
                   (unsigned)(h->special != 0) << 6);
}

/* With the byte that may follow. */
GHZ_RULE uint8_t lead_first(const tile_lead *h, unsigned extra) {
  return (uint8_t)((unsigned)h->order | (unsigned)(extra != 0) << 2 | (unsigned)h->mode << 3 |
                   h->width_planes << 5);
}

GHZ_RULE unsigned lead_size(const tile_lead *h) {
  return 1u + (lead_extra(h) != 0) + anchor_size(h->anchor) + anchor_size(h->slope);
}

/* What the first two bytes of a tile say that is neither empty nor raw: where the anchors begin,
 * how long they are, and all but their values. Returns 0 if that is damaged, or the anchors and
 * width planes do not fit in `size`. `second` counts only if there is one. */
GHZ_RULE int lead_open(unsigned first, unsigned second, size_t size, tile_lead *h, unsigned *at, unsigned *la,
                       unsigned *ls) {
  unsigned extra = 0;
  h->order = (int)(first & 3);
  h->mode = (int)(first >> 3 & 3);
  h->width_planes = first >> 5;
  *at = 1;
  if (h->order == 3 || h->mode == 3 || h->width_planes == 7)
    return 0;
  if (first & 4) {
    extra = size > 1 ? second : 0;
    *at = 2;
    if (extra == 0 || extra >> 7)
      return 0;
  }
  *la = (extra & 7) + ((extra & 7) == 7);
  *ls = (extra >> 3 & 7) + ((extra >> 3 & 7) == 7);
  h->special = (int)(extra >> 6);
  return !((h->order == 0 && *la) || (h->order != 2 && *ls)) && size - *at >= *la + *ls + 16 * h->width_planes;
}

/* The number in the low bytes of v. */
GHZ_RULE int64_t anchor_value(uint64_t v, unsigned bytes) {
  return bytes ? (int64_t)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes) : 0;
}

/* Whether the anchors are as short as they can be. */
GHZ_RULE int anchors_minimal(const tile_lead *h, unsigned la, unsigned ls) {
  return anchor_size(h->anchor) == la && anchor_size(h->slope) == ls;
}

/* Byte i of those before the width planes, i < lead_size. */
GHZ_RULE uint8_t lead_byte(const tile_lead *h, unsigned i) {
  unsigned extra = lead_extra(h), la = anchor_size(h->anchor);
  if (i == 0)
    return lead_first(h, extra);
  if (extra && i == 1)
    return (uint8_t)extra;
  i -= extra ? 2 : 1;
  return (uint8_t)((uint64_t)(i < la ? h->anchor : h->slope) >> 8 * (i < la ? i : i - la));
}

/* Zeros in coarse mode and order 0 without specials are no bytes at all. */
GHZ_RULE int lead_says_empty(const tile_lead *h) {
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
