/* scalar.h: the primitives (primitives.h) in plain C: a plane is sixteen words of eight blocks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_ISA_SCALAR_H
#define GHZ_ISA_SCALAR_H

#include <stdint.h>

#define VEC 16
enum { PARTS = 16, PART_BYTES = 8 };
typedef uint64_t part;
#define LARGE_INLINE static
#define MANY_REGISTERS 0
#include "isa/primitives.h"

/* SSE2, which every x86-64 has, picks no 16-bit lanes out of two registers, but narrows 32-bit
 * ones. */
#if defined(__SSE2__)
#include <emmintrin.h>
#define HAS_EVEN_16

static inline vec_16 even_16(vec_16 a, vec_16 b) {
  return (vec_16)_mm_packs_epi32(_mm_srai_epi32(_mm_slli_epi32((__m128i)a, 16), 16),
                                 _mm_srai_epi32(_mm_slli_epi32((__m128i)b, 16), 16));
}

static inline vec_16 odd_16(vec_16 a, vec_16 b) {
  return (vec_16)_mm_packs_epi32(_mm_srai_epi32((__m128i)a, 16), _mm_srai_epi32((__m128i)b, 16));
}
#endif

#include "isa/shuffle.h"
#define SQUEEZE_SHIFTS
#include "isa/squeeze_table.h"

#define EACH_BYTE UINT64_C(0x0101010101010101)
#define TOP_BITS (EACH_BYTE << 7)

static inline part part_load(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, 8);
  return v;
}

static inline void part_store(uint8_t *p, part v) {
  memcpy(p, &v, 8);
}

static inline part part_zero(void) {
  return 0;
}

static inline int part_equal(part a, part b) {
  return a == b;
}

static inline part part_not(part a) {
  return ~a;
}

static inline part part_sum(part a, part b, part carry) {
  return a ^ b ^ carry;
}

static inline part part_carry(part a, part b, part carry) {
  return (a & b) | (carry & (a | b));
}

/* The top bit of each byte that is not 0. */
static inline uint64_t nonzero_bytes(uint64_t v) {
  return (((v & ~TOP_BITS) + ~TOP_BITS) | v) & TOP_BITS;
}

/* The top bit of each byte whose width is greater than p; widths are at most 64. */
static inline uint64_t wider(part width, int p) {
  return (width + (uint64_t)(127 - p) * EACH_BYTE) & TOP_BITS;
}

/* Bit i of the result is the top bit of byte i. */
static inline unsigned gather_top_bits(uint64_t top) {
  return (unsigned)((top >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

static inline part part_and(part a, part b) {
  return a & b;
}

static inline part part_or(part a, part b) {
  return a | b;
}

static inline uint64_t part_low(part a) {
  return a;
}

/* Bytes of v, taken from where the eight shifts say. */
static inline uint64_t pick(uint64_t v, const uint8_t shift[8]) {
  uint64_t even = (v >> shift[0] & 255) | (v >> shift[2] & 255) << 16 | (v >> shift[4] & 255) << 32 |
                  (v >> shift[6] & 255) << 48;
  uint64_t odd = (v >> shift[1] & 255) | (v >> shift[3] & 255) << 16 | (v >> shift[5] & 255) << 32 |
                 (v >> shift[7] & 255) << 48;
  return even | odd << 8;
}

static inline part part_expand(part plane, const uint8_t **src, part width, int p) {
  uint64_t top = wider(width, p);
  if (top == 0)
    return plane;
  uint64_t next = part_load(*src);
  if (top == TOP_BITS) {
    *src += 8;
    return next;
  }
  unsigned mask = gather_top_bits(top);
  uint64_t taken = (top >> 7) * 255;
  *src += squeeze_count[mask];
  return (plane & ~taken) | (pick(next, expand_table[mask]) & taken);
}

static inline void part_squeeze(part plane, uint8_t **dst, part width, int p) {
  uint64_t top = wider(width, p);
  if (top == 0)
    return;
  if (top == TOP_BITS) {
    part_store(*dst, plane);
    *dst += 8;
    return;
  }
  unsigned mask = gather_top_bits(top);
  part_store(*dst, pick(plane, squeeze_table[mask]));
  *dst += squeeze_count[mask];
}

static inline part part_widen(part width, part plane, part below, unsigned p, uint64_t *changes) {
  uint64_t d = plane ^ below;
  uint64_t differs = nonzero_bytes(d) >> 7;
  *changes |= (uint64_t)(d != 0) << p;
  return (width & ~(differs * 255)) | (differs * (uint64_t)(p + 1));
}

static inline void plane_shift(const part x[PARTS], part y[PARTS]) {
  part last = 0;
  for (int i = 0; i < PARTS; i++) {
    y[i] = x[i] << 1 | last >> 63;
    last = x[i];
  }
}

static inline vec_f64 fma_f64(vec_f64 a, vec_f64 b, vec_f64 c) {
  return a * b + c;
}

static inline vec_32 max_32(vec_32 a, vec_32 b) {
  vec_32 greater = a > b;
  return (a & greater) | (b & ~greater);
}

static inline vec_64 max_64(vec_64 a, vec_64 b) {
  vec_64 greater = a > b;
  return (a & greater) | (b & ~greater);
}

#include "isa/bit_lengths.h"
#include "isa/plane_back.h"

/* Plain C has no stores that pass the caches by. */
static inline void vec_stream(void *to, const void *v) {
  memcpy(to, v, VEC);
}

static inline void stream_fence(void) {}

#include "isa/scalar_widths.h"

#endif
