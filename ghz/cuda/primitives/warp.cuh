// warp.cuh: what the 32 lanes of a warp do together, and the parts of a bit plane that they hold.
//
// A warp works on a tile. Lane l holds values 32 l .. 32 l + 31, that is blocks 4 l .. 4 l + 3, and
// of every bit plane the word with these columns.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_WARP_CUH
#define GHZ_WARP_CUH

#include "cuda/primitives/launch.cuh"

#include "rules/rules.h"

enum { LANE_VALUES = 32, LANE_BLOCKS = 4 };

constexpr uint32_t ALL = 0xffffffffu, EACH_BYTE = 0x01010101u, TOP_BITS = 0x80808080u;
typedef unsigned long long u64;

DEVICE int lane_of_thread() {
  return (int)(threadIdx.x & 31);
}

// ---- Bytes of words -----------------------------------------------------------------------------

// Four bytes of a and b by the nibbles of `selector`: bit 3 of a nibble asks for the byte's sign
// instead.
DEVICE uint32_t bytes_of(uint32_t a, uint32_t b, uint32_t selector) {
#ifdef __CUDA_ARCH__
  uint32_t r;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(selector));
  return r;
#else
  uint64_t v = uint64_t(b) << 32 | a;
  uint32_t r = 0;
  for (int i = 0; i < 4; i++) {
    uint32_t nibble = selector >> 4 * i & 15, byte = uint32_t(v >> 8 * (nibble & 7)) & 255;
    r |= (nibble & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * i;
  }
  return r;
#endif
}

// The word that begins at any byte of an array of words. Reads the two words around it.
DEVICE uint32_t unaligned_word(const uint32_t *words, uint32_t at) {
  const uint32_t *p = words + (at >> 2);
  return __funnelshift_r(p[0], p[1], at << 3);
}

// Bit i is the top bit of byte i.
DEVICE uint32_t gather_top_bits(uint32_t top) {
  return top * 0x00204081u >> 28;
}

// Transposes 8 x 8 bits in each of the four bytes: bit t of byte b of x[p] becomes bit p of byte b
// of x[t].
DEVICE void transpose_bits(uint32_t x[8]) {
  const uint32_t mask[3] = {0x0f0f0f0fu, 0x33333333u, 0x55555555u};
  UNROLLED for (int k = 0; k < 3; k++) {
    const int s = 4 >> k;
    UNROLLED for (int j = 0; j < 8; j++) if (!(j & s)) {
      uint32_t a = x[j], b = x[j + s];
      x[j] = (a & mask[k]) | (b << s & ~mask[k]);
      x[j + s] = (a >> s & mask[k]) | (b & ~mask[k]);
    }
  }
}

// Optimisation barrier: materialises v in a register here, so that the compiler keeps neither its
// longer source nor values derived from it.
DEVICE void keep_as_it_is(uint32_t &v) {
#ifdef __CUDA_ARCH__
  asm volatile("" : "+r"(v));
#else
  (void)v;
#endif
}

// Optimisation barrier: loads do not move across it. Without it the compiler interleaves both sides
// and needs more registers.
DEVICE void one_after_the_other() {
#ifdef __CUDA_ARCH__
  asm volatile("" ::: "memory");
#endif
}

DEVICE void keep_as_it_is(int32_t &v) {
  uint32_t u = (uint32_t)v;
  keep_as_it_is(u);
  v = (int32_t)u;
}

// ---- Lanes --------------------------------------------------------------------------------------

// The sum of the values of the lanes before this one.
template <class T> DEVICE T sum_before(T v, int lane) {
  T sum = v;
  UNROLLED for (int d = 1; d < 32; d *= 2) {
    T other = __shfl_up_sync(ALL, sum, (unsigned)d);
    if (lane >= d)
      sum += other;
  }
  return sum - v;
}

// The value of the lane before this one; `first` in lane 0.
template <class T> DEVICE T from_before(T v, T first, int lane) {
  T other = __shfl_up_sync(ALL, v, 1);
  return lane ? other : first;
}

// ---- Planes -------------------------------------------------------------------------------------

// What rules/plane_arithmetic.h needs.
enum { PARTS = 1 };
typedef uint32_t part;
typedef uint64_t column_bits;
typedef int64_t column_value;

DEVICE part part_zero() {
  return 0;
}

DEVICE part part_not(part a) {
  return ~a;
}

DEVICE part part_and(part a, part b) {
  return a & b;
}

DEVICE part part_or(part a, part b) {
  return a | b;
}

DEVICE part part_sum(part a, part b, part carry) {
  return a ^ b ^ carry;
}

DEVICE part part_carry(part a, part b, part carry) {
  return (a & b) | (carry & (a | b));
}

DEVICE uint32_t part_low(part a) {
  return a;
}

// Sets the width to p + 1 where plane p differs from the one below it; bit p of *changes, if it
// does in this lane.
DEVICE part part_widen(part width, part plane, part below, unsigned p, uint64_t *changes) {
  uint32_t d = plane ^ below, differs = bytes_of(((d & ~TOP_BITS) + ~TOP_BITS) | d, 0, 0xba98);
  *changes |= (uint64_t)(d != 0) << p;
  return (width & ~differs) | ((p + 1) * EACH_BYTE & differs);
}

// y = x moved up by one column; 0 comes in at column 0.
DEVICE void plane_shift(const part x[PARTS], part y[PARTS]) {
  y[0] = x[0] << 1 | from_before(x[0] >> 31, 0u, lane_of_thread());
}

DEVICE part all_but(unsigned columns) {
  return lane_of_thread() ? ALL : ALL << columns;
}

DEVICE column_bits of_first_lane(column_bits bits) {
  return __shfl_sync(ALL, bits, 0);
}

#define GHZ_PLANE DEVICE
#include "rules/plane_arithmetic.h"

// ---- Words that blocks tell each other things by ------------------------------------------------

// Loads a word that other blocks change.
template <class T> DEVICE T watch(const T *word) {
#ifdef __CUDA_ARCH__
  T value;
  if constexpr (sizeof(T) == 8)
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  else
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
#else
  return __ldcg(word);
#endif
}

DEVICE void tell(u64 *word, u64 value) {
#ifdef __CUDA_ARCH__
  asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
#else
  __stcg(word, value);
#endif
}

#endif
