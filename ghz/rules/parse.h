/* parse.h: the bytes of a tile: its lead, exact size and the choice of its order (FORMAT.md,
 * "Tile"); what its bytes say, and what makes them corrupt; tiles of one value ("One value"). In
 * the common subset of C and CUDA C++. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_PARSE_H
#define GHZ_PARSE_H

#include <stddef.h>

#include "rules/lattice_rules.h"
#include "rules/quantise.h"
#include "rules/rules.h"

/* ---- The lead, and sizes --------------------------------------------------------------------- */

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

/* With the byte that may follow. */
GHZ_RULE uint8_t lead_first(const tile_lead *h, unsigned extra) {
  return (uint8_t)((unsigned)h->order | (unsigned)(extra != 0) << 2 | (unsigned)h->mode << 3 |
                   h->width_planes << 5);
}

GHZ_RULE unsigned lead_size_of(const tile_lead *h, anchor_sizes a) {
  return 1u + (lead_extra_of(h, a) != 0) + a.anchor + a.slope;
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

/* ---- Untrusted bytes ------------------------------------------------------------------------- */
/* The checks 8 to 15 of FORMAT.md, "Reading hostile input" (law L5, docs/LAWS.md). A reader loads
 * bytes and adds up widths in the way that suits its machine, and asks the functions here, in this
 * order, what they mean. Each returns 0 for damage. */

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

/* ---- One value ------------------------------------------------------------------------------- */

/* Of a tile that is not empty. To be asked before first_says_raw. */
GHZ_RULE int first_says_constant(unsigned first) {
  return first == CONSTANT_TILE;
}

/* Bytes before the tile of the integers. */
GHZ_RULE unsigned constant_head(ghz_type type) {
  return 1 + value_bytes(type);
}

/* A value of the type, which every double holds. */
GHZ_RULE double number_of_bits(ghz_type type, uint64_t bits) {
  const uint32_t low = (uint32_t)bits;
  double wide;
  float narrow;
  memcpy(&narrow, &low, sizeof narrow);
  memcpy(&wide, &bits, sizeof wide);
  return type == GHZ_F64 ? wide : (double)narrow;
}

/* Whether bits are those of a value that is neither special nor missing. */
GHZ_RULE int bits_are_finite(ghz_type type, fill_test fill, uint64_t bits) {
  const uint64_t exponent = type == GHZ_F64 ? UINT64_C(0x7ff) << 52 : UINT64_C(0xff) << 23;
  return (bits & exponent) != exponent && !is_fill(fill, bits);
}

/* ---- Encoding -------------------------------------------------------------------------------- */

/* Whether a tile of this value alone lies on the lattice and comes back as another one. */
GHZ_RULE int lattice_misses(const ghz_lattice *l, double x) {
  const double size = x < 0 ? -x : x;
  const int mode = mode_for(l, size);
  if (mode == RAW || is_grid(l)) /* those that lie on a grid come back */
    return 0;
  const double factor = quantising_factor(l->type, l->step, mode);
  const int64_t q = quantises_in_float(l, size) ? round_f32((float)x * (float)factor) : round_f64(x * factor);
  const double y = (double)q * mode_unit(l->type, l->step, mode);
  return (l->type == GHZ_F32 ? (double)(float)y : y) != x;
}

/* ---- Reading --------------------------------------------------------------------------------- */

GHZ_RULE uint64_t little_endian(const uint8_t *p, unsigned bytes) {
  uint64_t v = 0;
  for (unsigned i = 0; i < bytes; i++)
    v |= (uint64_t)p[i] << 8 * i;
  return v;
}

/* The integer of a tile without widths and slope that is not raw. Returns 0 if it is no such tile;
 * what else is wrong with it parsing finds. */
GHZ_RULE int only_integer(const uint8_t *data, size_t size, int *mode, int64_t *q) {
  *mode = COARSE;
  *q = 0;
  if (size == 0)
    return 1;
  const unsigned first = data[0], at = 1 + (first >> 2 & 1), extra = at == 2 && size > 1 ? data[1] : 0;
  const unsigned bytes = anchor_bytes_of(extra & 7);
  *mode = (int)(first >> 3 & 3);
  if (first_says_raw(first) || first >> 5 || extra >> 3 & 7 || size < at + bytes)
    return 0;
  *q = low_bytes(little_endian(data + at, bytes), bytes);
  return 1;
}

/* Check 9, of a tile that begins as one of one value: the bits of the value, which is finite and as
 * near to its integer as the lattice promises. The tile of the integers, from constant_head on, is
 * still to be parsed. Returns 0 for damage. */
GHZ_RULE int open_constant(const ghz_lattice *l, uint32_t terms, const uint8_t *data, size_t size,
                           uint64_t *bits) {
  const unsigned head = constant_head(l->type);
  int mode;
  int64_t q;
  if (terms != 1 || l->step == 0 || is_grid(l) || size < head ||
      !only_integer(data + head, size - head, &mode, &q))
    return 0;
  *bits = little_endian(data + 1, head - 1);
  const double difference = number_of_bits(l->type, *bits) - (double)q * mode_unit(l->type, l->step, mode);
  return bits_are_finite(l->type, fill_test_of(l), *bits) &&
         (difference < 0 ? -difference : difference) <= l->eb;
}

#endif
