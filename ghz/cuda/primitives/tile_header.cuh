// tile_header.cuh: how a warp takes apart and checks the header of a tile, and writes it
// (FORMAT.md, "Tile").
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_TILE_HEADER_CUH
#define GHZ_TILE_HEADER_CUH

#include "cuda/primitives/squeeze.cuh"
#include "rules/parse.h"

// A lattice tile: what its header says, and this lane's part of its widths and specials.
struct tile_shape {
  tile_lead lead;
  uint32_t widths;      // of the lane's four blocks, one in a byte
  int height, least;    // the largest and the least width
  uint32_t plus, minus; // the lane's columns of the planes of specials
  uint32_t planes_at;   // where the planes begin, from the beginning of the tile
  uint32_t sum;         // bytes of the planes
};

// ---- Widths -------------------------------------------------------------------------------------

DEVICE void measure_extremes(tile_shape &t) {
  uint32_t even = t.widths & 0x00ff00ffu, odd = t.widths >> 8 & 0x00ff00ffu;
  uint32_t most = __vmaxu2(even, odd), least = __vminu2(even, odd);
  t.height = (int)__reduce_max_sync(ALL, max(most & 0xffffu, most >> 16));
  t.least = (int)__reduce_min_sync(ALL, min(least & 0xffffu, least >> 16));
}

DEVICE void measure_widths(tile_shape &t) {
  measure_extremes(t);
  t.sum = __reduce_add_sync(ALL, __dp4a(t.widths, EACH_BYTE, 0u));
}

// The bytes of the width planes that lane j < 16 holds: byte j of plane k from bit k of the widths
// of blocks 8 j .. 8 j + 7.
struct width_bytes {
  uint32_t low, high;
  METHOD void gather(uint32_t widths, int lane) {
    low = __shfl_sync(ALL, widths, 2 * lane & 31);
    high = __shfl_sync(ALL, widths, (2 * lane + 1) & 31);
  }
  METHOD uint32_t plane(unsigned k) const {
    return gather_top_bits((low >> k & EACH_BYTE) << 7) | gather_top_bits((high >> k & EACH_BYTE) << 7) << 4;
  }
};

// The map of a plane of which every byte is there; and a width that no block has.
constexpr uint32_t WHOLE_MAP = 0xffffu, WIDTH_OF_NONE = 255;

// The width planes in which a lane's widths have a bit, as the bits of a number.
DEVICE uint32_t planes_in_use(uint32_t widths) {
  const uint32_t halves = widths | widths >> 16;
  return (halves | halves >> 8) & 255;
}

// How many bytes of the width planes are not 0.
DEVICE uint32_t width_bytes_in_use(uint32_t widths, int lane) {
  const uint32_t mine = planes_in_use(widths), pair = mine | __shfl_xor_sync(ALL, mine, 1);
  return __reduce_add_sync(ALL, lane & 1 ? 0u : (uint32_t)__popc(pair));
}

// Reads the width planes from `at` on, which it moves past them. Plain planes are squeezed ones of
// which every byte is there. Returns 0 if they end after `end`; where a byte of a map's is 0, the
// widths are such that no tile has.
template <class Bytes>
DEVICE int parse_widths(const Bytes &b, uint32_t &at, uint32_t end, const tile_lead &h, uint32_t &widths,
                        int lane) {
  const uint32_t below = (1u << lane / 2) - 1;
  uint32_t maps = at, damaged = 0;
  widths = 0;
  at += h.squeezed ? 2 * h.width_planes : 0;
  ROLLED for (unsigned k = 0; k < h.width_planes; k++, maps += 2) {
    const uint32_t map = h.squeezed ? b.word(maps, 2) & WHOLE_MAP : WHOLE_MAP, count = (uint32_t)__popc(map);
    if (end - at < count)
      return 0;
    const uint32_t there = map >> lane / 2 & 1, byte = there ? b.byte(at + (uint32_t)__popc(map & below)) : 0;
    damaged |= (uint32_t)h.squeezed & there & (byte == 0);
    widths |= ((byte >> 4 * (lane & 1) & 15) * 0x00204081u & EACH_BYTE) << k;
    at += count;
  }
  widths |= damaged ? WIDTH_OF_NONE : 0;
  return 1;
}

// Writes them and returns how many bytes they take.
DEVICE uint32_t put_widths(uint8_t *out, uint32_t widths, const tile_lead &h, int lane) {
  uint32_t at = h.squeezed ? 2 * h.width_planes : 0;
  width_bytes bytes;
  bytes.gather(widths, lane);
  ROLLED for (unsigned k = 0; k < h.width_planes; k++) {
    const uint32_t byte = bytes.plane(k), used = __ballot_sync(ALL, byte != 0) & WHOLE_MAP;
    const uint32_t map = h.squeezed ? used : WHOLE_MAP;
    if (map >> lane & 1)
      out[at + (uint32_t)__popc(map & ((1u << lane) - 1))] = (uint8_t)byte;
    if (h.squeezed && lane < 2)
      out[2 * k + (unsigned)lane] = (uint8_t)(map >> 8 * lane);
    at += (uint32_t)__popc(map);
  }
  return at;
}

// ---- Specials -----------------------------------------------------------------------------------

// One bit per byte of a plane's word that is not 0.
DEVICE uint32_t bytes_in_use(uint32_t plane) {
  return gather_top_bits((((plane & ~TOP_BITS) + ~TOP_BITS) | plane) & TOP_BITS);
}

// Bytes of a plane of specials: a map of its bytes that are not 0, then those bytes.
DEVICE uint32_t special_plane_size(uint32_t plane) {
  return 16 + __reduce_add_sync(ALL, (uint32_t)__popc(bytes_in_use(plane)));
}

// Writes it and returns its size.
DEVICE uint32_t put_special_plane(uint8_t *out, uint32_t plane, int lane) {
  uint32_t used = bytes_in_use(plane), next = __shfl_down_sync(ALL, used, 1), count = (uint32_t)__popc(used);
  if (!(lane & 1))
    out[lane / 2] = (uint8_t)(used | next << 4);
  uint8_t *o = out + 16 + sum_before(count, lane);
  ROLLED for (int j = 0; j < 4; j++) if (used >> j & 1) *o++ = (uint8_t)(plane >> 8 * j);
  return 16 + __reduce_add_sync(ALL, count);
}

// Reads it from `at` on, which it moves past it. Returns 0 if it is damaged or ends after `end`.
template <class Bytes>
DEVICE int parse_special_plane(const Bytes &b, uint32_t &at, uint32_t end, uint32_t &plane, int lane) {
  plane = 0;
  if (end - at < 16)
    return 0;
  uint32_t used = b.byte(at + (uint32_t)lane / 2) >> 4 * (lane & 1) & 15, count = (uint32_t)__popc(used);
  uint32_t from = at + 16 + sum_before(count, lane), total = __reduce_add_sync(ALL, count);
  if (end - at - 16 < total)
    return 0;
  int damaged = 0;
  ROLLED for (int j = 0; j < 4; j++) if (used >> j & 1) {
    uint32_t byte = b.byte(from++);
    damaged |= byte == 0;
    plane |= byte << 8 * j;
  }
  at += 16 + total;
  return !__any_sync(ALL, damaged);
}

// ---- The whole header ---------------------------------------------------------------------------

// The lane's columns from n on.
DEVICE uint32_t columns_beyond(unsigned n, int lane) {
  int left = (int)n - LANE_VALUES * lane;
  return left >= LANE_VALUES ? 0 : left <= 0 ? ALL : ALL << left;
}

// Specials, none of them in the lane's columns outside.
template <class Bytes>
DEVICE int parse_specials(const Bytes &b, uint32_t &at, uint32_t size, uint32_t outside, tile_shape &t,
                          int lane) {
  if (!parse_special_plane(b, at, size, t.plus, lane) || !parse_special_plane(b, at, size, t.minus, lane))
    return 0;
  return __any_sync(ALL, (t.plus | t.minus) != 0) && !__any_sync(ALL, ((t.plus | t.minus) & outside) != 0);
}

// An anchor's bytes.
template <class Bytes> DEVICE uint64_t anchor_bytes(const Bytes &b, uint32_t at, unsigned bytes) {
  return bytes ? b.word(at, min(bytes, 4u)) | (bytes > 4 ? (uint64_t)b.word(at + 4, bytes - 4) << 32 : 0) : 0;
}

// Whether blocks without a column inside have a width.
DEVICE int blocks_outside(uint32_t widths, uint32_t inside) {
  int outside = 0;
  UNROLLED for (int b = 0; b < LANE_BLOCKS; b++) outside |= (widths >> 8 * b & 255) && !(inside >> 8 * b & 255);
  return __any_sync(ALL, outside);
}

// Takes apart a lattice tile of n values, and checks all of it but the planes' bytes, which may be
// anything. Returns 0 if it is damaged. The tile is not empty. bits_of(mode) gives the bits of its
// integers.
template <class Bytes, class Bits>
DEVICE int parse_tile(const ghz_lattice &l, uint32_t terms, Bits bits_of, const Bytes &b, uint32_t size,
                      unsigned n, tile_shape &t, int lane) {
  anchor_place at;
  t.plus = t.minus = 0;
  if (!open_lead(&l, terms, 1, b.byte(0), size > 1 ? b.byte(1) : 0, size, &t.lead, &at) ||
      !open_anchors(&t.lead, &at, anchor_bytes(b, at.at, at.anchor),
                    anchor_bytes(b, at.at + at.anchor, at.slope)))
    return 0;
  uint32_t p = widths_at(&at);
  if (!parse_widths(b, p, size, t.lead, t.widths, lane))
    return 0;
  measure_widths(t);
  if (!height_fits(bits_of(t.lead.mode), terms, &t.lead, (unsigned)t.height) ||
      (n < TILE && blocks_outside(t.widths, ~columns_beyond(n, lane))))
    return 0;
  if (t.lead.special && !parse_specials(b, p, size, columns_beyond(n, lane), t, lane))
    return 0;
  t.planes_at = p;
  return planes_fit(size, p, t.sum);
}

template <class Bytes>
DEVICE int parse_tile(const ghz_lattice &l, uint32_t terms, const Bytes &b, uint32_t size, unsigned n,
                      tile_shape &t, int lane) {
  return parse_tile(
      l, terms, [&](int mode) { return integer_bits(&l, mode); }, b, size, n, t, lane);
}

// Completes a shape whose order, mode, anchors, widths and specials are known, and so many bytes of
// the width planes that are not 0; returns the size of the tile.
DEVICE uint32_t finish_shape(tile_shape &t, uint32_t used) {
  measure_widths(t);
  t.lead.width_planes = bit_length((uint64_t)t.height);
  t.lead.squeezed = t.lead.coefficients = t.lead.turned = 0;
  t.lead.anchor = t.lead.order ? t.lead.anchor : 0;
  t.lead.slope = t.lead.order == 2 ? t.lead.slope : 0;
  t.planes_at = choose_squeezing(&t.lead, used);
  if (lead_says_empty(&t.lead))
    return 0;
  if (t.lead.special)
    t.planes_at += special_plane_size(t.plus) + special_plane_size(t.minus);
  return t.planes_at + t.sum;
}

// Writes everything of a tile without specials but its planes; returns the number of bytes.
DEVICE uint32_t put_plain_header(uint8_t *out, const tile_shape &t, anchor_sizes anchors, int lane) {
  unsigned bytes = lead_size_of(&t.lead, anchors);
  if ((unsigned)lane < bytes)
    out[lane] = lead_byte_of(&t.lead, anchors, (unsigned)lane);
  return bytes + put_widths(out + bytes, t.widths, t.lead, lane);
}

DEVICE uint32_t put_plain_header(uint8_t *out, const tile_shape &t, int lane) {
  return put_plain_header(out, t, sizes_of_anchors(&t.lead), lane);
}

// The same of any tile; returns where it ends.
DEVICE uint8_t *put_header(uint8_t *out, const tile_shape &t, int lane) {
  out += put_plain_header(out, t, lane);
  if (t.lead.special) {
    out += put_special_plane(out, t.plus, lane);
    out += put_special_plane(out, t.minus, lane);
  }
  return out;
}

#endif
