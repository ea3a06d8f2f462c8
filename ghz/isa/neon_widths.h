/* neon_widths.h: widths and their planes, for 64-bit ARM. Part of neon.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

static inline unsigned sum_of_bytes(const part w[PARTS]) {
  uint16x8_t sum = vpaddlq_u8(w[0]);
  for (int i = 1; i < PARTS; i++)
    sum = vpadalq_u8(sum, w[i]);
  return vaddvq_u16(sum);
}

static inline unsigned largest_byte(const part w[PARTS]) {
  part most = w[0];
  for (int i = 1; i < PARTS; i++)
    most = vmaxq_u8(most, w[i]);
  return vmaxvq_u8(most);
}

static inline void load_parts(const uint8_t width[BLOCKS], part w[PARTS]) {
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
static inline part width_plane(const part w[PARTS], unsigned k) {
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
static inline part mask_of(unsigned map) {
  const part each = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
  return vtstq_u8(vcombine_u8(vdup_n_u8((uint8_t)map), vdup_n_u8((uint8_t)(map >> 8))), each);
}

/* The bits of a plane that belong to part i: each becomes 1 << k in a byte, or 0. */
static inline part bits_to_bytes(part plane, int i, unsigned k) {
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
