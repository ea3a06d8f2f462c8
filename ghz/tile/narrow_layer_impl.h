/* narrow_layer_impl.h: floats, rounded to integers of 16 bits, to a layer of planes: coefficients,
 * and what they leave. Part of codec.h.
 *
 * Pieces of 16 blocks that hold nothing but zeros are known before, and left out. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Bit k: blocks 16 k to 16 k + 15 may differ from 0. */
typedef uint8_t live_pieces;

static inline int piece_lives(live_pieces live, int block, int blocks) {
  return live >> block / 16 & ((1 << (blocks + 15) / 16) - 1);
}

/* Whether any of the floats of N16 blocks may round to more than 0. */
GHZ_INLINE int any_rounds(const float *x) {
  const vec_32 magnitude = (vec_32){0} + INT32_MAX;
  vec_32 largest = {0};
  for (int i = 0; i < N16 * BLOCK; i += FLOATS)
    largest = max_32(largest, (vec_32)load_f32(x + i) & magnitude);
  return any_lane((vec_16)((vec_f32)largest >= 0.5F));
}

/* Blocks of N16 x 8 floats times `by`, rounded, position-major. */
GHZ_INLINE void round_blocks_16(const float *x, float by, vec_16 v[BLOCK]) {
  ALIGNED int16_t linear[N16 * BLOCK];
  for (int i = 0; i < N16 * BLOCK; i += N16) {
    const vec_16 narrow =
        narrow_lanes(round_lanes(load_f32(x + i) * by), round_lanes(load_f32(x + i + FLOATS) * by));
    vec_store(linear + i, narrow);
  }
  split_registers_16(linear, v);
}

/* Blocks that are dropped (block_is_dropped): lanes of ones. c are coefficients, `folded` the
 * bits of the widest ones. Of wider blocks the sums may wrap: they do not count. */
GHZ_INLINE vec_16 dropped_lanes(const float *e, const vec_16 c[BLOCK], vec_16 folded) {
  vec_16 fine[BLOCK];
  uvec_16 sum = {0};
  round_blocks_16(e, 64, fine);
  GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) {
    const uvec_16 kept = (uvec_16)c[t];
    sum += kept * ((uvec_16)fine[t] * 2 - kept * 64);
  }
  const vec_16 energy = (vec_16)sum;
  return ((folded == 1) & (energy < DROPPED_1)) | ((folded > 1) & (folded < 4) & (energy < DROPPED_2));
}

GHZ_INLINE vec_16 fold_blocks(const vec_16 v[BLOCK]) {
  extremes_16 e = {v[0], v[0]};
  GHZ_UNROLL_8 for (int t = 1; t < BLOCK; t++) e = (extremes_16){min_16(e.low, v[t]), max_16(e.high, v[t])};
  return fold_extremes(e);
}

/* Integers of 16 bits, by position; those of pieces that are 0 may be unset. */
typedef struct narrow_integers {
  ALIGNED int16_t q[TILE];
} narrow_integers;

/* Those of x rounded, of which the pieces in `live` may differ from 0, and their widths.
 * Coefficients: column 0 is left out, and blocks are dropped. Returns 0 if they need 16 bits or
 * more. */
GHZ_INLINE int narrow_layer(const float *x, live_pieces live, int coefficients, const uint8_t *outside,
                            narrow_integers *n, tile_widths *w) {
  ALIGNED uint16_t m[BLOCKS];
  vec_16 most = {0};
  for (int b = 0; b < BLOCKS; b += N16) {
    vec_16 v[BLOCK], folded = {0};
    if (piece_lives(live, b, N16) && any_rounds(x + 8 * b)) {
      round_blocks_16(x + 8 * b, 1, v);
      if (coefficients && b == 0)
        v[0] = without_first(v[0]);
      for (int t = 0; outside && t < BLOCK; t++)
        v[t] = inside_16(outside + t * BLOCKS + b, v[t]);
      folded = fold_blocks(v);
      if (coefficients && any_lane((folded > 0) & (folded < 4))) {
        const vec_16 dropped = dropped_lanes(x + 8 * b, v, folded);
        folded &= ~dropped;
        GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) v[t] &= ~dropped;
      }
      most |= folded;
      GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) vec_store(n->q + t * BLOCKS + b, v[t]);
    }
    vec_store(m + b, folded);
  }
  if (any_lane(most < 0))
    return 0;
  bit_lengths_16(m, w->width);
  w->height = widths_largest(w->width);
  return 1;
}

/* Whether blocks of a part have a width of this and more, 1 or 8. */
static inline int part_has_width(const uint8_t *width, unsigned least) {
  uint64_t any = 0;
  for (int i = 0; i < PART_BYTES; i += 8)
    any |= load_u64(width + i);
  return (any & UINT64_C(0x0101010101010101) * (128 - least)) != 0;
}

/* Their planes, as far as widths reach: nothing reads the bytes of other blocks. */
static void narrow_planes(const narrow_integers *n, fresh_layer *layer) {
  for (unsigned k = 0; k < (layer->widths.height + 7) / 8; k++)
    for (int b = 0; b < BLOCKS; b += PART_BYTES) {
      if (!part_has_width(layer->widths.width + b, k ? 8 : 1))
        continue;
      for (int t = 0; t < BLOCK; t++)
        for (int i = b; i < b + PART_BYTES; i++)
          layer->planes[8 * k + (unsigned)t][i] = (uint8_t)(n->q[t * BLOCKS + i] >> (8 * k));
      transpose_part(layer->planes + 8 * k, b, (uint8_t *)(layer->planes + 8 * k) + b);
    }
}
