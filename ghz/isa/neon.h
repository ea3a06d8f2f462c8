/* neon.h: the primitives (primitives.h) for 64-bit ARM: a plane is eight registers. NEON has no
 * mask of a register's bytes: bytes are spread by their ranks, which four shifted additions count,
 * and packed eight at a time by shuffles from a table of 256. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_ISA_NEON_H
#define GHZ_ISA_NEON_H

#include <arm_neon.h>

#define VEC 16
typedef uint8x16_t part;
#define LARGE_INLINE GHZ_INLINE
#define MANY_REGISTERS 1
#include "isa/primitives.h"
#include "isa/shuffle.h"

GHZ_INLINE int part_equal(part a, part b) {
  return vmaxvq_u32(vreinterpretq_u32_u8(veorq_u8(a, b))) == 0;
}

/* The bytes from *src on, spread to where `mask` is all ones; the others become `plane`. */
GHZ_INLINE part spread(part plane, const uint8_t **src, part mask) {
  const part zero = part_zero(), one = vandq_u8(mask, vdupq_n_u8(1));
  part rank = vaddq_u8(one, vextq_u8(zero, one, 15));
  rank = vaddq_u8(rank, vextq_u8(zero, rank, 14));
  rank = vaddq_u8(rank, vextq_u8(zero, rank, 12));
  rank = vaddq_u8(rank, vextq_u8(zero, rank, 8));
  const part next = vqtbl1q_u8(vld1q_u8(*src), vsubq_u8(rank, one));
  *src += vaddvq_u8(one);
  return vbslq_u8(mask, next, plane);
}

GHZ_INLINE part part_expand(part plane, const uint8_t **src, part width, int p) {
  return spread(plane, src, vcgtq_u8(width, vdupq_n_u8((uint8_t)p)));
}

/* Bit i of the result is a bit of byte i of the mask. */
GHZ_INLINE unsigned bits_of(part mask) {
  const part each = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
  part v = vandq_u8(mask, each);
  v = vpaddq_u8(v, v);
  v = vpaddq_u8(v, v);
  v = vpaddq_u8(v, v);
  return vgetq_lane_u16(vreinterpretq_u16_u8(v), 0);
}

/* Appends the bytes of v that `bits` has. */
GHZ_INLINE void pack_bytes(part v, uint8_t **dst, unsigned bits) {
  vst1_u8(*dst, vtbl1_u8(vget_low_u8(v), vld1_u8(squeeze_table[bits & 255])));
  *dst += byte_count[bits & 255];
  vst1_u8(*dst, vtbl1_u8(vget_high_u8(v), vld1_u8(squeeze_table[bits >> 8])));
  *dst += byte_count[bits >> 8];
}

GHZ_INLINE void part_squeeze(part plane, uint8_t **dst, part width, int p) {
  const unsigned bits = bits_of(vcgtq_u8(width, vdupq_n_u8((uint8_t)p)));
  if (bits == 0)
    return;
  if (bits == 0xffff) {
    part_store(*dst, plane);
    *dst += PART_BYTES;
    return;
  }
  pack_bytes(plane, dst, bits);
}

GHZ_INLINE part part_widen(part width, part plane, part below, unsigned p, uint64_t *changes) {
  const part same = vceqq_u8(plane, below);
  *changes |= (uint64_t)(vminvq_u8(same) != 255) << p;
  return vbslq_u8(same, width, vdupq_n_u8((uint8_t)(p + 1)));
}

GHZ_INLINE vec_f64 fma_f64(vec_f64 a, vec_f64 b, vec_f64 c) {
  return (vec_f64)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}

GHZ_INLINE vec_32 round_lanes(vec_f32 v) {
  return (vec_32)vcvtnq_s32_f32((float32x4_t)v);
}

GHZ_INLINE vec_f32 fma_f32(vec_f32 a, vec_f32 b, vec_f32 c) {
  return (vec_f32)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

GHZ_INLINE vec_16 narrow_lanes(vec_32 a, vec_32 b) {
  return (vec_16)vcombine_s16(vqmovn_s32((int32x4_t)a), vqmovn_s32((int32x4_t)b));
}

GHZ_INLINE vec_16 min_16(vec_16 a, vec_16 b) {
  return (vec_16)vminq_s16((int16x8_t)a, (int16x8_t)b);
}

GHZ_INLINE vec_16 max_16(vec_16 a, vec_16 b) {
  return (vec_16)vmaxq_s16((int16x8_t)a, (int16x8_t)b);
}

GHZ_INLINE vec_32 max_32(vec_32 a, vec_32 b) {
  return (vec_32)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
}

GHZ_INLINE vec_64 max_64(vec_64 a, vec_64 b) {
  const int64x2_t x = (int64x2_t)a, y = (int64x2_t)b;
  return (vec_64)vbslq_s64(vcgtq_s64(x, y), x, y);
}

GHZ_INLINE unsigned top_bits_32(vec_32 v) {
  static const int32_t places[4] = {0, 1, 2, 3};
  return vaddvq_u32(vshlq_u32(vshrq_n_u32((uint32x4_t)v, 31), vld1q_s32(places)));
}

GHZ_INLINE unsigned top_bits_64(vec_64 v) {
  static const int64_t places[2] = {0, 1};
  return (unsigned)vaddvq_u64(vshlq_u64(vshrq_n_u64((uint64x2_t)v, 63), vld1q_s64(places)));
}

#include "isa/plain_lanes.h"

/* ---- Widths and their planes ----------------------------------------------------------------- */

GHZ_INLINE unsigned sum_of_bytes(const part w[PARTS]) {
  uint16x8_t sum = vpaddlq_u8(w[0]);
  for (int i = 1; i < PARTS; i++)
    sum = vpadalq_u8(sum, w[i]);
  return vaddvq_u16(sum);
}

GHZ_INLINE unsigned largest_byte(const part w[PARTS]) {
  part most = w[0];
  for (int i = 1; i < PARTS; i++)
    most = vmaxq_u8(most, w[i]);
  return vmaxvq_u8(most);
}

GHZ_INLINE void load_parts(const uint8_t width[BLOCKS], part w[PARTS]) {
  for (int i = 0; i < PARTS; i++)
    w[i] = part_load(width + PART_BYTES * i);
}

GHZ_INLINE unsigned widths_sum(const uint8_t width[BLOCKS]) {
  part w[PARTS];
  load_parts(width, w);
  return sum_of_bytes(w);
}

GHZ_INLINE unsigned widths_largest(const uint8_t width[BLOCKS]) {
  part w[PARTS];
  load_parts(width, w);
  return largest_byte(w);
}

/* Neighbouring lanes of two registers, ORed: half as many lanes of each. */
#define OR_PAIRS(bits, a, b)                                                                                   \
  vreinterpretq_u8_u##bits(                                                                                    \
      vorrq_u##bits(vuzp1q_u##bits(vreinterpretq_u##bits##_u8(a), vreinterpretq_u##bits##_u8(b)),              \
                    vuzp2q_u##bits(vreinterpretq_u##bits##_u8(a), vreinterpretq_u##bits##_u8(b))))

/* A byte of plane k is not 0 where the OR of its eight widths has bit k. */
GHZ_INLINE unsigned widths_nonzero(const uint8_t width[BLOCKS]) {
  part w[PARTS];
  load_parts(width, w);
  for (int i = 0; i < 4; i++)
    w[i] = OR_PAIRS(32, w[2 * i], w[2 * i + 1]);
  for (int i = 0; i < 2; i++)
    w[i] = OR_PAIRS(16, w[2 * i], w[2 * i + 1]);
  const part any = vorrq_u8(vuzp1q_u8(w[0], w[1]), vuzp2q_u8(w[0], w[1]));
  return vaddvq_u8(vcntq_u8(any));
}
#undef OR_PAIRS

/* Plane k: bit k of each width, moved to where its block is in a byte; eight neighbours add up to a
 * byte. */
GHZ_INLINE part width_plane(const part w[PARTS], unsigned k) {
  static const int8_t bit[16] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
  const int8x16_t up = vsubq_s8(vld1q_s8(bit), vdupq_n_s8((int8_t)k));
  const part of_k = vdupq_n_u8((uint8_t)(1 << k));
  part v[PARTS];
  for (int i = 0; i < PARTS; i++)
    v[i] = vshlq_u8(vandq_u8(w[i], of_k), up);
  for (int left = PARTS / 2; left; left /= 2)
    for (int i = 0; i < left; i++)
      v[i] = vpaddq_u8(v[2 * i], v[2 * i + 1]);
  return v[0];
}

GHZ_INLINE uint8_t *widths_store(const uint8_t width[BLOCKS], unsigned planes, int squeezed, uint8_t *dst) {
  uint8_t *bytes = dst + maps_size(planes, squeezed);
  part w[PARTS];
  load_parts(width, w);
  for (unsigned k = 0; k < planes; k++) {
    const part v = width_plane(w, k);
    const unsigned map = squeezed ? bits_of(vtstq_u8(v, v)) : 0xffff;
    if (squeezed)
      store_u16(dst + 2 * k, (uint16_t)map);
    pack_bytes(v, &bytes, map);
  }
  return bytes;
}

/* All ones in the bytes whose bits the map has. */
GHZ_INLINE part mask_of(unsigned map) {
  const part each = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
  return vtstq_u8(vcombine_u8(vdup_n_u8((uint8_t)map), vdup_n_u8((uint8_t)(map >> 8))), each);
}

/* The bits of a plane that belong to part i: each becomes 1 << k in a byte, or 0. */
GHZ_INLINE part bits_to_bytes(part plane, int i, unsigned k) {
  const part each = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
  const part at = vcombine_u8(vdup_n_u8((uint8_t)(2 * i)), vdup_n_u8((uint8_t)(2 * i + 1)));
  return vandq_u8(vtstq_u8(vqtbl1q_u8(plane, at), each), vdupq_n_u8((uint8_t)(1 << k)));
}

GHZ_INLINE loaded_widths widths_load(const uint8_t *src, unsigned planes, int squeezed, uint8_t width[BLOCKS]) {
  const uint8_t *first = src + maps_size(planes, squeezed), *bytes = first;
  const unsigned all = ((unsigned)squeezed - 1) & 0xffff;
  part w[PARTS], missing = part_zero();
  for (int i = 0; i < PARTS; i++)
    w[i] = part_zero();
  for (unsigned k = 0; k < planes; k++) {
    const part mask = mask_of(load_u16(src + 2 * k) | all), plane = spread(part_zero(), &bytes, mask);
    missing = vorrq_u8(missing, vandq_u8(mask, vceqzq_u8(plane)));
    for (int i = 0; i < PARTS; i++)
      w[i] = vorrq_u8(w[i], bits_to_bytes(plane, i, k));
  }
  for (int i = 0; i < PARTS; i++)
    part_store(width + PART_BYTES * i, w[i]);
  return (loaded_widths){sum_of_bytes(w), largest_byte(w),
                         squeezed && !part_equal(missing, part_zero()) ? (unsigned)DAMAGED_WIDTHS
                                                                       : (unsigned)(bytes - first)};
}

/* A register of bytes from four or two of leading zeros. */
GHZ_INLINE void bit_lengths_16(const uint16_t *m, uint8_t width[BLOCKS]) {
  for (int b = 0; b < BLOCKS; b += 16) {
    const uint8x8_t low = vmovn_u16(vclzq_u16(vld1q_u16(m + b))),
                    high = vmovn_u16(vclzq_u16(vld1q_u16(m + b + 8)));
    vst1q_u8(width + b, vsubq_u8(vdupq_n_u8(16), vcombine_u8(low, high)));
  }
}

GHZ_INLINE void bit_lengths_32(const uint32_t *m, uint8_t width[BLOCKS]) {
  for (int b = 0; b < BLOCKS; b += 16) {
    uint16x4_t zeros[4];
    for (int i = 0; i < 4; i++)
      zeros[i] = vmovn_u32(vclzq_u32(vld1q_u32(m + b + 4 * i)));
    const part v =
        vcombine_u8(vmovn_u16(vcombine_u16(zeros[0], zeros[1])), vmovn_u16(vcombine_u16(zeros[2], zeros[3])));
    vst1q_u8(width + b, vsubq_u8(vdupq_n_u8(32), v));
  }
}

#endif
