// constant.cuh: tiles of one value that the lattice misses, by a warp (FORMAT.md, "One value").
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_CONSTANT_CUH
#define GHZ_CONSTANT_CUH

#include "cuda/primitives/decode.cuh"
#include "rules/parse.h"

// ---- Values to such a tile ----------------------------------------------------------------------

// Whether the first values in shared memory, of which `inside` has the columns, leave it open that
// there is one value, and not 0, beside specials.
template <class Real> DEVICE bool may_be_constant(const uint32_t *buffer, uint32_t inside, int lane) {
  typedef real_type<Real> type;
  const typename type::bits b =
      bits_of(reinterpret_cast<const Real *>(buffer)[value_rows<Real>::place_of_value(lane)]);
  const typename type::bits first = __shfl_sync(ALL, b, 0), magnitude = first & ~type::SIGN;
  const bool same = b == first || (b & type::EXPONENT) == type::EXPONENT || !(inside >> lane & 1);
  return magnitude && (magnitude >= type::EXPONENT || __all_sync(ALL, same));
}

// Writes a tile of one value that the lattice misses over its values in shared memory. Returns its
// size, or the limit if it has no less; 0, and changes nothing, if it is no such tile.
template <class Real, class Values>
SELDOM uint32_t form_constant(const ghz_lattice l, int order, const Values values, uint32_t *buffer,
                              uint32_t limit, int lane) {
  typedef typename real_type<Real>::bits bits;
  value_integers<Real, Values> v;
  tile_shape t;
  int same = 1;
  if (v.begin(l, values, lane) == RAW)
    return 0;
  const bits x = __shfl_sync(ALL, v.hidden, 0); // the first one that is not special
  ROLLED for (int i = 0; i < LANE_VALUES; i++) same &= !v.has(i) || !v.finite(v.value(i)) || v.value(i) == x;
  if (!__all_sync(ALL, same) || !lattice_misses(&l, (double)real_of(x)))
    return 0;
  t.lead = {};
  t.lead.mode = v.mode;
  t.lead.special = v.special;
  t.lead.anchor = v.quantise(x);
  t.lead.order = t.lead.anchor == 0 ? 0 : max(order, 1);
  t.plus = v.plus;
  t.minus = v.minus;
  t.widths = 0;
  const uint32_t head = constant_head(l.type), size = head + finish_shape(t, 0);
  if (size >= limit)
    return limit;
  uint8_t *out = reinterpret_cast<uint8_t *>(buffer);
  __syncwarp(); // all lanes have read the values
  if ((uint32_t)lane < head)
    out[lane] = lane ? (uint8_t)(x >> 8 * (lane - 1)) : (uint8_t)CONSTANT_TILE;
  if (size > head)
    put_header(out + head, t, lane);
  __syncwarp();
  return size;
}

// ---- And back -----------------------------------------------------------------------------------

// Opens a tile of one value, whose bits it gives; parse(bytes, size) takes apart the tile that
// stands behind it, and tells whether it is sound. Returns 0 if one of them is damaged.
template <class Parse>
DEVICE int open_constant_tile(const ghz_lattice &l, uint32_t terms, const uint8_t *data, uint32_t size,
                              uint64_t &bits, Parse parse) {
  const uint32_t head = constant_head(l.type);
  return open_constant(&l, terms, data, size, &bits) &&
         (size == head || parse(global_bytes{data + head}, size - head));
}

// The value of a tile and the specials of the one behind it, to shared memory.
template <class Out>
SELDOM void put_constant(uint32_t *buffer, const ghz_lattice l, uint64_t bits, const tile_shape &t, int lane) {
  const Out y = (Out)number_of_bits(l.type, bits);
  ROLLED for (int i = 0; i < LANE_VALUES;
              i++) reinterpret_cast<Out *>(buffer)[value_rows<Out>::place_of_value(LANE_VALUES * lane + i)] = y;
  put_specials<Out>(buffer, l, t, lane);
  __syncwarp();
}

#endif
