// squeeze.cuh: planes to squeezed bytes and back, four planes at a time.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_SQUEEZE_CUH
#define GHZ_SQUEEZE_CUH

#include "cuda/primitives/warp.cuh"

// Where bytes are read from.
struct shared_bytes { // shared memory, of which a few more bytes may be read
  const uint32_t *words;
  uint32_t start;
  METHOD uint32_t byte(uint32_t at) const {
    return reinterpret_cast<const uint8_t *>(words)[start + at];
  }
  METHOD uint32_t word(uint32_t at, uint32_t) const {
    return unaligned_word(words, start + at);
  }
};

struct global_bytes { // anywhere; nothing is read but the bytes that are asked for
  const uint8_t *bytes;
  METHOD uint32_t byte(uint32_t at) const {
    return bytes[at];
  }
  METHOD uint32_t word(uint32_t at, uint32_t count) const {
    uint32_t v = 0;
    for (uint32_t i = 0; i < count; i++)
      v |= (uint32_t)bytes[at + i] << 8 * i;
    return v;
  }
};

// How to un-squeeze four blocks, for each set of blocks that have a byte in the plane. A nibble
// says where each byte comes from: the squeezed bytes (0 to 3) or the plane below (4 to 7). Bit 16
// on has the number of blocks in the set. One table per thread block, in shared memory.
struct expansion {
  uint32_t selector[16];
};

DEVICE void make_expansion(expansion &e) {
  if (threadIdx.x < 16) {
    uint32_t selector = 0, taken = 0;
    for (uint32_t j = 0; j < 4; j++)
      selector |= (threadIdx.x >> j & 1 ? taken++ : 4 + j) << 4 * j;
    e.selector[threadIdx.x] = selector | taken << 16;
  }
}

// Where the bytes of the next four planes are.
struct plane_places {
  uint32_t ahead; // of each block: width + 127 - plane, so that the top bit says "there is a byte"
  uint32_t present[4];
  uint32_t before, total;   // bytes before this lane's, and of all lanes, in each of the four planes
  uint32_t at;              // of the next plane
  int plane, height, least; // planes below the least width are complete
  int lane;

  METHOD void open(uint32_t widths, int least_width, int planes, uint32_t start, int l) {
    ahead = widths + ~TOP_BITS;
    at = start;
    plane = 0;
    height = planes;
    least = least_width;
    lane = l;
  }
  METHOD bool complete() const {
    return plane + 4 <= least;
  }
  METHOD void locate() {
    UNROLLED for (int i = 0; i < 4; i++) present[i] = (ahead - (uint32_t)i * EACH_BYTE) & TOP_BITS;
    uint32_t low = __dp4a(present[0] >> 7, EACH_BYTE, __dp4a(present[1], 2 * EACH_BYTE, 0u));
    uint32_t high = __dp4a(present[2] >> 7, EACH_BYTE, __dp4a(present[3], 2 * EACH_BYTE, 0u));
    uint32_t mine = low + (high << 16);
    before = sum_before(mine, lane);
    total = __shfl_sync(ALL, before + mine, 31);
  }
  METHOD uint32_t bytes_before(int i) const {
    return before >> 8 * i & 255;
  }
  METHOD uint32_t bytes_total(int i) const {
    return total >> 8 * i & 255;
  }
  METHOD void next() {
    ahead -= 4 * EACH_BYTE;
    plane += 4;
  }
};

// Un-squeezes. Planes from the height on repeat the topmost.
template <class Bytes> struct plane_reader : plane_places {
  Bytes bytes;
  const expansion *expand;
  uint32_t below;

  METHOD void begin(const Bytes &b, const expansion *e, uint32_t widths, int least_width, int planes,
                    uint32_t start, int l) {
    open(widths, least_width, planes, start, l);
    bytes = b;
    expand = e;
    below = 0;
  }
  METHOD void take(uint32_t r[4]) {
    if (complete()) {
      UNROLLED for (int i = 0; i < 4; i++) r[i] = bytes.word(at + (uint32_t)(128 * i + 4 * lane), 4);
      below = r[3];
      at += 512;
    } else if (plane < height) {
      locate();
      UNROLLED for (int i = 0; i < 4; i++) {
        if (plane + i < height) {
          uint32_t x = bytes.word(at + bytes_before(i), (uint32_t)__popc(present[i]));
          below = __byte_perm(x, below, expand->selector[gather_top_bits(present[i])]);
          at += bytes_total(i);
        }
        r[i] = below;
      }
    } else {
      UNROLLED for (int i = 0; i < 4; i++) r[i] = below;
    }
    next();
  }
};

// Squeezes to `out`, shared or global memory. With Aligned, plane 0 begins at a multiple of 4.
template <bool Aligned> struct plane_writer : plane_places {
  uint8_t *out;

  METHOD void begin(uint8_t *o, uint32_t widths, int least_width, int planes, uint32_t start, int l) {
    open(widths, Aligned ? least_width : 0, planes, start, l);
    out = o;
  }
  METHOD void put(const uint32_t r[4]) {
    if (Aligned && complete()) {
      uint32_t *words = reinterpret_cast<uint32_t *>(out + at);
      UNROLLED for (int i = 0; i < 4; i++) words[32 * i + lane] = r[i];
      at += 512;
    } else {
      locate();
      UNROLLED for (int i = 0; i < 4; i++) if (plane + i < height) {
        uint8_t *o = out + at + bytes_before(i);
        if (present[i] & 0x80u)
          *o++ = (uint8_t)r[i];
        if (present[i] & 0x8000u)
          *o++ = (uint8_t)(r[i] >> 8);
        if (present[i] & 0x800000u)
          *o++ = (uint8_t)(r[i] >> 16);
        if (present[i] & 0x80000000u)
          *o = (uint8_t)(r[i] >> 24);
        at += bytes_total(i);
      }
    }
    next();
  }
};

#endif
