// team.cuh: four tiles to a warp, eight lanes to a tile. What is done once per tile (headers,
// places, sums over lanes) is then done once for four.
//
// Lane l of a team holds blocks 16 l .. 16 l + 15, and of every bit plane four words.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_TEAM_CUH
#define GHZ_TEAM_CUH

#include "cuda/primitives/squeeze.cuh"
#include "cuda/primitives/tile_header.cuh"

namespace team {

enum { LANES = 8, WORDS = 4, TEAMS = 4 }; // of a team, of a lane, of a warp
enum { PARTS = WORDS };

// The lane's number in its team.
DEVICE int lane_of() {
  return (int)(threadIdx.x & (LANES - 1));
}

template <class T> DEVICE T sum_of(T v) {
  UNROLLED for (int d = 1; d < LANES; d *= 2) v += __shfl_xor_sync(ALL, v, d);
  return v;
}

DEVICE uint32_t largest_of(uint32_t v) {
  UNROLLED for (int d = 1; d < LANES; d *= 2) v = max(v, __shfl_xor_sync(ALL, v, d));
  return v;
}

// y = x moved up by one column.
DEVICE void plane_shift(const part x[PARTS], part y[PARTS]) {
  const uint32_t before = __shfl_up_sync(ALL, x[WORDS - 1] >> 31, 1, LANES);
  UNROLLED for (int w = 0; w < WORDS; w++) y[w] = x[w] << 1 | (w ? x[w - 1] >> 31 : lane_of() ? before : 0u);
}

typedef uint32_t column_bits; // sums of more planes are left to a whole warp
typedef int32_t column_value;

DEVICE part all_but(unsigned columns) {
  return lane_of() ? ALL : ALL << columns;
}

DEVICE column_bits of_first_lane(column_bits bits) {
  return __shfl_sync(ALL, bits, 0, LANES);
}

#include "rules/plane_arithmetic.h"

// ---- Where bytes are ----------------------------------------------------------------------------

// Words at any byte of a tile in global memory. The eight bytes after the tile must be readable.
struct tile_bytes {
  const uint32_t *words;
  uint32_t start;

  METHOD void begin(const uint8_t *data) {
    start = (uint32_t)(reinterpret_cast<uintptr_t>(data) & 3);
    words = reinterpret_cast<const uint32_t *>(data - start);
  }
  METHOD uint32_t word(uint32_t at) const {
    return unaligned_word(words, start + at);
  }
};

// Where the bytes of planes are, for four planes at a time.
struct plane_places {
  uint32_t ahead[WORDS]; // of each block: width + 127 - plane, so that the top bit says "there is a byte"
  uint32_t before, total, at;

  METHOD void open(const uint32_t widths[WORDS], uint32_t start) {
    UNROLLED for (int w = 0; w < WORDS; w++) ahead[w] = widths[w] + ~TOP_BITS;
    at = start;
  }
  // The top bits of the blocks of a word that have a byte in the plane.
  METHOD uint32_t present(int w) const {
    return ahead[w] & TOP_BITS;
  }
  METHOD uint32_t present_after(int planes, int w) const {
    return (ahead[w] - (uint32_t)planes * EACH_BYTE) & TOP_BITS;
  }
  // Counts bytes in the next four planes: of the lanes before this one, and of all.
  METHOD void locate() {
    uint32_t low = 0, high = 0;
    UNROLLED for (int w = 0; w < WORDS; w++) {
      low = __dp4a(present(w) >> 7, EACH_BYTE, __dp4a(present_after(1, w), 2 * EACH_BYTE, low));
      high = __dp4a(present_after(2, w) >> 7, EACH_BYTE, __dp4a(present_after(3, w), 2 * EACH_BYTE, high));
    }
    const uint32_t mine = low + (high << 16);
    uint32_t sum = mine;
    UNROLLED for (int d = 1; d < LANES; d *= 2) {
      const uint32_t other = __shfl_up_sync(ALL, sum, (unsigned)d, LANES);
      sum += lane_of() >= d ? other : 0;
    }
    before = sum - mine;
    total = __shfl_sync(ALL, sum, LANES - 1, LANES);
  }
  // Where this lane's bytes of the plane are.
  METHOD uint32_t place() const {
    return at + (before & 255);
  }
  METHOD void next() {
    at += total & 255;
    before >>= 8;
    total >>= 8;
    UNROLLED for (int w = 0; w < WORDS; w++) ahead[w] -= EACH_BYTE;
  }
};

// Un-squeezes. A block without a byte in a plane repeats the one below. With widths of 0 only the
// first bytes of the tile are read.
struct plane_reader : plane_places {
  tile_bytes bytes;
  uint32_t plane[WORDS];

  METHOD void begin(const uint8_t *data, const uint32_t widths[WORDS], uint32_t planes_at) {
    bytes.begin(data);
    open(widths, planes_at);
    UNROLLED for (int w = 0; w < WORDS; w++) plane[w] = 0;
  }
  METHOD void take(const expansion &e) {
    uint32_t from = place();
    UNROLLED for (int w = 0; w < WORDS; w++) {
      const uint32_t how = e.selector[gather_top_bits(present(w))];
      plane[w] = bytes_of(bytes.word(from), plane[w], how); // unlike __byte_perm it takes no mask
      from += how >> 16;
    }
    next();
  }
};

// Squeezes to shared memory.
struct plane_writer : plane_places {
  uint8_t *out;

  METHOD void put(const uint32_t plane[WORDS]) {
    uint8_t *o = out + place();
    UNROLLED for (int w = 0; w < WORDS; w++) {
      const uint32_t there = present(w);
      if (there & 0x80u)
        *o++ = (uint8_t)plane[w];
      if (there & 0x8000u)
        *o++ = (uint8_t)(plane[w] >> 8);
      if (there & 0x800000u)
        *o++ = (uint8_t)(plane[w] >> 16);
      if (there & 0x80000000u)
        *o++ = (uint8_t)(plane[w] >> 24);
    }
    next();
  }
};

// ---- Headers ------------------------------------------------------------------------------------

// A lattice tile without specials: what its header says, and this lane's part of its widths.
struct team_shape {
  tile_lead lead;
  uint32_t widths[WORDS];
  uint32_t height, sum, planes_at;
};

// Returns the sum of the lanes' `other`, which is less than 2^16.
DEVICE uint32_t measure_widths(team_shape &t, uint32_t other = 0) {
  uint32_t most = 0, sum = other << 16;
  UNROLLED for (int w = 0; w < WORDS; w++) {
    most = __vmaxu2(most, __vmaxu2(t.widths[w] & 0x00ff00ffu, t.widths[w] >> 8 & 0x00ff00ffu));
    sum = __dp4a(t.widths[w], EACH_BYTE, sum);
  }
  t.height = largest_of(max(most & 0xffffu, most >> 16));
  sum = sum_of(sum);
  t.sum = sum & 0xffff;
  return sum >> 16;
}

// Reads the width planes from planes_at on, which it moves past them. Plain planes are squeezed
// ones of which every byte is there. Returns 0 if they end after the tile; where a byte of a map's
// is 0, the widths are such that no tile has. Reads nothing unless `right`.
DEVICE int take_widths(const tile_bytes &b, uint32_t size, int right, team_shape &t) {
  const unsigned planes = right ? t.lead.width_planes : 0;
  const uint32_t below = (1u << 2 * lane_of()) - 1;
  uint32_t maps = t.planes_at, at = maps + (right && t.lead.squeezed ? 2 * planes : 0), damaged = 0;
  UNROLLED for (int w = 0; w < WORDS; w++) t.widths[w] = 0;
  ROLLED for (unsigned k = 0; k < planes; k++, maps += 2) {
    const uint32_t map = t.lead.squeezed ? b.word(maps) & WHOLE_MAP : WHOLE_MAP, count = (uint32_t)__popc(map);
    const uint32_t mine = map >> 2 * lane_of() & 3;
    if (size - at < count)
      return 0;
    const uint32_t two = b.word(at + (uint32_t)__popc(map & below));
    // The second byte is the next one, or without a first one the same.
    const uint32_t first = mine & 1 ? two & 255 : 0, second = mine & 2 ? two >> 8 * (mine & 1) & 255 : 0;
    const uint32_t bits = first | second << 8;
    damaged |= ((mine & 1) && !first) | ((mine & 2) && !second);
    UNROLLED for (int w = 0; w < WORDS; w++) t.widths[w] |= ((bits >> 4 * w & 15) * 0x00204081u & EACH_BYTE)
                                                            << k;
    at += count;
  }
  t.planes_at = at;
  t.widths[0] |= damaged && t.lead.squeezed ? WIDTH_OF_NONE : 0;
  return 1;
}

// Takes apart what stands before the planes of a full tile. All teams of a warp do so together;
// size 0 means that a team has none. Returns 0 if the tile is damaged or raw, or has specials or an
// anchor of more than 32 bits.
DEVICE int parse_lead(const ghz_lattice &l, uint32_t terms, unsigned dims, const tile_bytes &b, uint32_t size,
                      team_shape &t) {
  anchor_place at;
  const uint32_t first = size ? b.word(0) : 0;
  int right = size && open_lead(&l, terms, dims, first & 255, first >> 8 & 255, size, &t.lead, &at) &&
              at.anchor <= 4 && at.slope <= 4;
  at = right ? at : anchor_place{0, 0, 0};
  right = open_anchors(&t.lead, &at, at.anchor ? b.word(at.at) : 0, at.slope ? b.word(at.at + at.anchor) : 0) &&
          right && !t.lead.special;
  t.planes_at = widths_at(&at);
  right = take_widths(b, size, right, t) && right;
  __syncwarp();
  measure_widths(t);
  return right && height_valid(&l, terms, &t.lead, t.height);
}

// Takes apart a flat tile, likewise.
DEVICE int parse_tile(const ghz_lattice &l, uint32_t terms, const uint8_t *data, uint32_t size, team_shape &t) {
  tile_bytes b;
  b.begin(data);
  return parse_lead(l, terms, 1, b, size, t) && planes_fit(size, t.planes_at, t.sum);
}

// The coefficients of a brick, whose other layer is `lattice`: c. Nothing is read unless `right`,
// and none are there but where lattice.lead says so. Both layers' planes_at become those of their
// planes. Returns 0 if they are damaged, or the first one has more than 32 bits.
DEVICE int parse_coefficients(uint32_t terms, const tile_bytes &b, uint32_t size, int right,
                              team_shape &lattice, team_shape &c) {
  const int there = right && lattice.lead.coefficients;
  const uint32_t at = lattice.planes_at, room = there && at < size ? size - at : 0;
  unsigned anchor = 0;
  c.lead = {};
  int opened = room && open_coefficients(b.word(at) & 255, room, &c.lead, &anchor) && anchor <= 4;
  c.lead.anchor = opened && anchor ? low_bytes(b.word(at + 1), anchor) : 0;
  c.planes_at = at + (opened ? 1 + anchor : 0);
  opened = opened && anchor_least(c.lead.anchor, anchor);
  opened = take_widths(b, size, opened, c) && opened;
  __syncwarp();
  measure_widths(c);
  opened = opened && coefficient_height_valid(terms, &c.lead, c.height);
  lattice.planes_at = c.planes_at;
  c.planes_at += lattice.sum;
  return right && opened == there;
}

// How many of the lane's bytes of the width planes are not 0.
DEVICE uint32_t width_bytes_in_use(const team_shape &t) {
  const uint32_t first = planes_in_use(t.widths[0] | t.widths[1]),
                 second = planes_in_use(t.widths[2] | t.widths[3]);
  return (uint32_t)__popc(first | second << 8);
}

// Completes a shape whose order, mode, anchors and widths are known; returns the size of the tile.
DEVICE uint32_t finish_shape(team_shape &t) {
  const uint32_t used = measure_widths(t, width_bytes_in_use(t));
  t.lead.width_planes = bit_length(t.height);
  t.lead.special = t.lead.squeezed = t.lead.coefficients = t.lead.turned = 0;
  t.lead.anchor = t.lead.order ? t.lead.anchor : 0;
  t.lead.slope = t.lead.order == 2 ? t.lead.slope : 0;
  t.planes_at = choose_squeezing(&t.lead, used);
  return lead_says_empty(&t.lead) ? 0 : t.planes_at + t.sum;
}

// Bit 2 j of the result is bit j of the low half, bit 2 j + 1 bit j of the high half.
DEVICE uint32_t interleave(uint32_t low, uint32_t high) {
  uint32_t v = low | high << 16;
  v = (v | v << 4) & 0x0f0f0f0fu;
  v = (v | v << 2) & 0x33333333u;
  v = (v | v << 1) & 0x55555555u;
  return (v | v >> 15) & WHOLE_MAP;
}

// The map of a plane of which the lane has two bytes. All teams of the warp come here together.
DEVICE uint32_t map_of(uint32_t bytes) {
  const int team = LANES * (lane_of_thread() / LANES);
  const uint32_t first = __ballot_sync(ALL, (bytes & 255) != 0) >> team & 255,
                 second = __ballot_sync(ALL, bytes >> 8 != 0) >> team & 255;
  return interleave(first, second);
}

// Writes the width planes; there are none unless `there`.
DEVICE void put_widths(uint8_t *out, const team_shape &t, bool there) {
  const unsigned planes = there ? t.lead.width_planes : 0;
  uint32_t at = t.lead.squeezed ? 2 * planes : 0;
  const unsigned most = __reduce_max_sync(ALL, planes);
  ROLLED for (unsigned k = 0; k < most; k++) {
    uint32_t bytes = 0;
    UNROLLED for (int w = 0; w < WORDS; w++) bytes |= gather_top_bits((t.widths[w] >> k & EACH_BYTE) << 7)
                                                      << 4 * w;
    const uint32_t used = map_of(bytes), map = k >= planes ? 0 : t.lead.squeezed ? used : WHOLE_MAP;
    uint32_t to = at + (uint32_t)__popc(map & ((1u << 2 * lane_of()) - 1));
    if (map >> 2 * lane_of() & 1)
      out[to++] = (uint8_t)bytes;
    if (map >> 2 * lane_of() & 2)
      out[to] = (uint8_t)(bytes >> 8);
    if (t.lead.squeezed && k < planes && lane_of() < 2)
      out[2 * k + (unsigned)lane_of()] = (uint8_t)(map >> 8 * lane_of());
    at += (uint32_t)__popc(map);
  }
}

// `there`: the team has a tile.
DEVICE void put_header(uint8_t *out, const team_shape &t, bool there) {
  const unsigned lead = lead_size(&t.lead);
  if (there)
    ROLLED for (unsigned i = (unsigned)lane_of(); i < lead; i += LANES) out[i] = lead_byte(&t.lead, i);
  put_widths(out + lead, t, there);
}

// The same of coefficients.
DEVICE void put_coefficients_header(uint8_t *out, const team_shape &c, bool there) {
  const unsigned bytes = anchor_size(c.lead.anchor);
  if (there)
    ROLLED for (unsigned i = (unsigned)lane_of(); i <= bytes; i += LANES) out[i] =
        i ? (uint8_t)((uint64_t)c.lead.anchor >> 8 * (i - 1)) : coefficients_head(&c.lead);
  put_widths(out + 1 + bytes, c, there);
}

} // namespace team

#endif
