// team.cuh: four tiles to a warp, eight lanes to a tile. What is done once per tile (headers,
// places, sums over lanes) is then done once for four.
//
// Lane l of a team holds blocks 16 l .. 16 l + 15, and of every bit plane four words.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_TEAM_CUH
#define GHZ_TEAM_CUH

#include "cuda/primitives/squeeze.cuh"
#include "cuda/primitives/stage.cuh"
#include "cuda/primitives/tile_header.cuh"

namespace team {

enum { LANES = 8, WORDS = 4, TEAMS = 4 }; // of a team, of a lane, of a warp
enum { PARTS = WORDS };
constexpr uint32_t EACH_NIBBLE = 0x0f0f0f0fu; // the lower one of each byte

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

// The bytes of a tile, some of which are in shared memory: those from where they were brought on
// to before `end`.
struct tile_bytes {
  const uint8_t *data; // in global memory
  uint32_t size, end;
  shared_address first; // where the tile's first byte is, or would be

  // Starts to bring bytes from `from` on to a window, as many as have room there, which is a
  // multiple of 16. By the team's lanes; they have to wait. Reads nothing behind the tile.
  METHOD void bring(uint32_t from, shared_address window, uint32_t room) {
    const uint8_t *begin = data + from;
    const uint32_t skew = (uint32_t)(reinterpret_cast<uintptr_t>(begin) & 15);
    const uint32_t bytes = size > from ? min(skew + size - from, room) : 0;
    first = window + skew - from;
    end = from + room - skew;
    begin -= skew;
    ROLLED for (uint32_t i = 16 * (uint32_t)lane_of(); i < bytes; i += 16 * LANES)
        copy_first_of_16(window + i, begin + i, min(bytes - i, 16u));
  }
  METHOD uint32_t word(uint32_t at) const {
    return unaligned_word(first + at);
  }
  METHOD uint32_t byte(uint32_t at) const {
    return in_memory<uint8_t>(first + at);
  }
};

// Waits for what a team has brought.
DEVICE void bytes_arrived() {
  copies_arrived();
  __syncwarp();
}

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

// Bytes of a window, of which a tile's first ones are brought at once: as many as both headers of a
// brick take, or four planes, from any byte on. Planes that do not lie in it whole are brought when
// they are needed. Behind it are as many as a word may reach beyond.
enum { WINDOW = 592, WINDOW_BEHIND = 16 };

// Un-squeezes. A block without a byte in a plane repeats the one below. With widths of 0 no byte of
// the tile is used.
struct plane_reader : plane_places {
  tile_bytes bytes;
  shared_address window;
  uint32_t plane[WORDS];

  METHOD void begin(const tile_bytes &b, shared_address for_more, const uint32_t widths[WORDS],
                    uint32_t planes_at) {
    bytes = b;
    window = for_more;
    open(widths, planes_at);
    UNROLLED for (int w = 0; w < WORDS; w++) plane[w] = 0;
  }
  // Whether the window ends before the planes that were located.
  METHOD bool lacks() const {
    return __dp4a(total, EACH_BYTE, at) > bytes.end;
  }
  METHOD void refill() {
    if (lacks())
      bytes.bring(at, window, WINDOW);
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

// Locates the next four planes of two tiles, whose bytes are in shared memory then.
DEVICE void locate_both(plane_reader &a, plane_reader &b) {
  a.locate();
  b.locate();
  if (__any_sync(ALL, a.lacks() || b.lacks())) {
    __syncwarp(); // all that was there is read
    a.refill();
    b.refill();
    bytes_arrived();
  }
}

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

// Swaps planes and blocks: bit 8 k + j becomes bit 8 (j & 3) + 4 (j / 4) + k, for k < 4 and j < 8.
// Twice, everything is as it was.
DEVICE uint32_t turn_four_planes(uint32_t x) {
  const uint32_t far = (x ^ x >> 14) & 0x0000ccccu;
  x ^= far ^ far << 14;
  const uint32_t near = (x ^ x >> 7) & 0x00aa00aau;
  return x ^ near ^ near << 7;
}

// Four planes of 8 blocks, a plane in a byte, from two words of widths on, and back.
DEVICE uint32_t four_planes_of(uint32_t low, uint32_t high) {
  return turn_four_planes((low & EACH_NIBBLE) | (high & EACH_NIBBLE) << 4);
}

DEVICE void add_four_planes(uint32_t x, int first, uint32_t &low, uint32_t &high) {
  x = turn_four_planes(x);
  low |= (x & EACH_NIBBLE) << first;
  high |= (x >> 4 & EACH_NIBBLE) << first;
}

// Reads the width planes from planes_at on, which it moves past them. Plain planes are squeezed
// ones of which every byte is there. Returns 0 if they end after the tile; where a byte of a map's
// is 0, the widths are such that no tile has. Reads nothing unless `right`.
DEVICE int parse_widths(const tile_bytes &b, uint32_t size, int right, team_shape &t) {
  const int planes = right ? (int)t.lead.width_planes : 0;
  const uint32_t below = (1u << 2 * lane_of()) - 1;
  uint32_t maps = t.planes_at, at = maps + (right && t.lead.squeezed ? 2 * (uint32_t)planes : 0);
  bool damaged = false;
  UNROLLED for (int w = 0; w < WORDS; w++) t.widths[w] = 0;
  ROLLED for (int from = 0; from < planes; from += 4) {
    uint32_t x[2] = {0, 0}; // of 8 blocks each
    ROLLED for (int k = from; k < planes && k < from + 4; k++, maps += 2) {
      const uint32_t map = t.lead.squeezed ? b.byte(maps) | b.byte(maps + 1) << 8 : WHOLE_MAP;
      const uint32_t count = (uint32_t)__popc(map), mine = map >> 2 * lane_of();
      if (size - at < count)
        return 0;
      const uint32_t place = at + (uint32_t)__popc(map & below);
      const uint32_t first = mine & 1 ? b.byte(place) : 0, second = mine & 2 ? b.byte(place + (mine & 1)) : 0;
      damaged = damaged || ((mine & 1) && !first) || ((mine & 2) && !second);
      x[0] |= first << 8 * (k - from);
      x[1] |= second << 8 * (k - from);
      at += count;
    }
    UNROLLED for (int i = 0; i < 2; i++) add_four_planes(x[i], from, t.widths[2 * i], t.widths[2 * i + 1]);
  }
  t.planes_at = at;
  t.widths[0] |= damaged && t.lead.squeezed ? WIDTH_OF_NONE : 0;
  return 1;
}

// Takes apart what stands before the planes of a full tile. All teams of a warp do so together;
// size 0 means that a team has none. Returns 0 if the tile is damaged or raw, or has specials or an
// anchor of more than 32 bits. bits: integer_bits() of each mode, which takes long to find.
DEVICE int parse_lead(const ghz_lattice &l, const uint8_t *bits, uint32_t terms, unsigned dims,
                      const tile_bytes &b, uint32_t size, team_shape &t) {
  anchor_place at;
  const uint32_t first = size ? b.word(0) : 0;
  int right = size && open_lead(&l, terms, dims, first & 255, first >> 8 & 255, size, &t.lead, &at) &&
              at.anchor <= 4 && at.slope <= 4;
  at = right ? at : anchor_place{0, 0, 0};
  right = open_anchors(&t.lead, &at, at.anchor ? b.word(at.at) : 0, at.slope ? b.word(at.at + at.anchor) : 0) &&
          right && !t.lead.special;
  t.planes_at = widths_at(&at);
  right = parse_widths(b, size, right, t) && right;
  __syncwarp();
  measure_widths(t);
  return right && height_fits(bits[t.lead.mode], terms, &t.lead, t.height);
}

// Takes apart a flat tile, likewise.
DEVICE int parse_tile(const ghz_lattice &l, const uint8_t *bits, uint32_t terms, const tile_bytes &b,
                      team_shape &t) {
  return parse_lead(l, bits, terms, 1, b, b.size, t) && planes_fit(b.size, t.planes_at, t.sum);
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
  opened = parse_widths(b, size, opened, c) && opened;
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

// The maps of four planes of which the lane has two bytes: bit 2 j of half k says whether lane j's
// first byte of plane k is not 0, the next bit its second one.
struct plane_maps {
  uint32_t low, high;

  METHOD void of(uint32_t first, uint32_t second) {
    const uint32_t two = top_bits_in_use(first) >> 7 | top_bits_in_use(second) >> 6;
    low = __byte_perm(two, 0, 0x4140) << 2 * lane_of();
    high = __byte_perm(two, 0, 0x4342) << 2 * lane_of();
    UNROLLED for (int d = 1; d < LANES; d *= 2) {
      low |= __shfl_xor_sync(ALL, low, d);
      high |= __shfl_xor_sync(ALL, high, d);
    }
  }
  METHOD static uint32_t top_bits_in_use(uint32_t x) {
    return (((x & ~TOP_BITS) + ~TOP_BITS) | x) & TOP_BITS;
  }
  METHOD uint32_t next() {
    const uint32_t map = low & WHOLE_MAP;
    low = low >> 16 | high << 16;
    high >>= 16;
    return map;
  }
};

// Writes the width planes; there are none unless `there`.
DEVICE void put_widths(uint8_t *out, const team_shape &t, bool there) {
  const int planes = there ? (int)t.lead.width_planes : 0;
  uint32_t at = t.lead.squeezed ? 2 * (uint32_t)planes : 0;
  const int most = (int)__reduce_max_sync(ALL, (unsigned)planes);
  ROLLED for (int from = 0; from < most; from += 4) {
    uint32_t first = four_planes_of(t.widths[0] >> from, t.widths[1] >> from);
    uint32_t second = four_planes_of(t.widths[2] >> from, t.widths[3] >> from);
    plane_maps used;
    used.of(first, second);
    ROLLED for (int k = from; k < most && k < from + 4; k++, first >>= 8, second >>= 8) {
      const uint32_t map_used = used.next(), map = k >= planes ? 0 : t.lead.squeezed ? map_used : WHOLE_MAP;
      uint32_t to = at + (uint32_t)__popc(map & ((1u << 2 * lane_of()) - 1));
      if (map >> 2 * lane_of() & 1)
        out[to++] = (uint8_t)first;
      if (map >> 2 * lane_of() & 2)
        out[to] = (uint8_t)second;
      if (t.lead.squeezed && k < planes && lane_of() < 2)
        out[2 * k + lane_of()] = (uint8_t)(map >> 8 * lane_of());
      at += (uint32_t)__popc(map);
    }
  }
}

// `there`: the team has a tile.
DEVICE void put_header(uint8_t *out, const team_shape &t, bool there) {
  const anchor_sizes anchors = sizes_of_anchors(&t.lead);
  const unsigned lead = lead_size_of(&t.lead, anchors);
  if (there)
    ROLLED for (unsigned i = (unsigned)lane_of(); i < lead; i += LANES) out[i] =
        lead_byte_of(&t.lead, anchors, i);
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
