/* coefficients_impl.h: the coefficients of a brick to a layer of planes and back (FORMAT.md,
 * "Coefficients"). Part of codec.h.
 *
 * Of smooth bricks only the first groups differ from 0, so work stops behind the last one that
 * does. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Coefficients of one ux stand side by side in groups of 16 places. */
enum { PLACES = 16, GROUPS_MAX = 4 };

/* A layer whose planes are not squeezed. Fresh integers need no more planes than they have bits. */
typedef struct fresh_layer {
  tile_widths widths;
  bit_plane planes[PLANES_MAX];
} fresh_layer;

/* Every lane to the nearest integer, ties to even. */
static void round_coefficients(const float *e, int count, int32_t *c) {
  for (int i = 0; i < count; i += VEC / 4) {
    vec_f32 v;
    memcpy(&v, e + i, sizeof v);
    const vec_32 rounded = round_lanes(v);
    memcpy(c + i, &rounded, sizeof rounded);
  }
}

/* What a block's coefficients save in error, as block_is_dropped has it; small ones. */
static int energy_of_block(const float *e, const int32_t *c, int first) {
  int energy = 0;
  for (int t = first; t < BLOCK; t++)
    energy += c[t] * (2 * round_f32(64 * e[t]) - 64 * c[t]);
  return energy;
}

/* Sets blocks to 0 that are not worth their bits: their coefficients, these by position, and their
 * widths. The first coefficient is not one of its block. */
static void drop_blocks(const float *e, int blocks, int32_t *c, int32_t *r, uint8_t width[BLOCKS]) {
  for (int b = 0; b < blocks; b++) {
    if (width[b] - 1U > 1 || !block_is_dropped(width[b], energy_of_block(e + 8 * b, c + 8 * b, b == 0)))
      continue;
    width[b] = 0;
    for (int t = b == 0; t < BLOCK; t++)
      c[8 * b + t] = r[t * BLOCKS + b] = 0;
  }
}

/* The layer of e rounded to c, of which only the first `blocks` blocks may differ from 0. */
static void layer_of_coefficients(const float *e, int blocks, int32_t *c, fresh_layer *layer) {
  ALIGNED int32_t r[TILE];
  tile_widths *w = &layer->widths;
  round_coefficients(e, blocks * BLOCK, c);
  memset(c + blocks * BLOCK, 0, (size_t)(TILE - blocks * BLOCK) * sizeof *c);
  split_32(c, r);
  r[0] = 0;
  widths_of_32(r, w->width);
  drop_blocks(e, blocks, c, r, w->width);
  w->height = widths_largest(w->width);
  planes_of_32(r, (w->height + 7) / 8, layer->planes);
}

/* Which coefficients may differ from 0. */
typedef struct live_coefficients {
  unsigned x;                 /* none has ux from here on; even */
  unsigned group[GROUPS_MAX]; /* whether this group of 16 places has any */
  int blocks;                 /* none is in blocks from here on; ends a group */
} live_coefficients;

/* A bit for each of 64 widths that is not 0. These are below 128: adding 127 sets the top bit,
 * and the product brings those of eight together. */
static inline uint64_t nonzero_widths(const uint8_t width[64]) {
  uint64_t bits = 0;
  for (unsigned k = 0; k < 64; k += 8) {
    const uint64_t tops = (load_u64(width + k) + UINT64_C(0x7f7f7f7f7f7f7f7f)) & UINT64_C(0x8080808080808080);
    bits |= ((tops >> 7) * UINT64_C(0x0102040810204080) >> 56) << k;
  }
  return bits;
}

/* How many blocks have a width. */
static inline unsigned widths_present(const uint8_t width[BLOCKS]) {
  return (unsigned)(__builtin_popcountll(nonzero_widths(width)) +
                    __builtin_popcountll(nonzero_widths(width + 64)));
}

/* As a layer's widths tell, most of which are 0; without branches, which a processor could not
 * guess. */
static live_coefficients live_of(const uint8_t width[BLOCKS], int dims, int64_t first) {
  live_coefficients live = {0};
  const unsigned rows = dims == 3 ? 16 : 32, groups = 64 / rows; /* of a group: two blocks each */
  const uint64_t low = nonzero_widths(width) | (first != 0), high = nonzero_widths(width + 64);
  uint64_t any = low | high;
  if (dims == 3)
    any = (any | any >> 32) & UINT32_MAX;
  live.x = (bit_length(any) + 3) / 4 * 2;
  for (unsigned g = 0; g < groups; g++) {
    const uint64_t half = g < groups / 2 ? low : high;
    live.group[g] = dims == 3 ? (uint32_t)(half >> 32 * (g % 2)) != 0 : half != 0;
    live.blocks = live.group[g] ? (int)(2 * rows * (g + 1)) : live.blocks;
  }
  return live;
}

/* Coefficients of 32 bits from planes that are not squeezed, which they overwrite up to the next
 * multiple of 8. */
static void coefficients_of_planes(bit_plane planes[], unsigned height, int64_t first, int blocks, int32_t *c) {
  ALIGNED int32_t r[TILE];
  const unsigned octets = (height + 7) / 8;
  for (unsigned p = height; p < 8 * octets; p++)
    memcpy(planes[p], planes[height - 1], PLANE_BYTES);
  for (unsigned k = 0; k < octets; k++)
    transpose_bits(planes + 8 * k);
  const uint8_t *top = (const uint8_t *)planes + (octets ? octets - 1 : 0) * TILE;
  for (int t = 0; t < BLOCK; t++)
    for (int b = 0; b < blocks; b++)
      r[t * BLOCKS + b] = octets ? (int8_t)top[t * BLOCKS + b] : 0;
  for (const uint8_t *next = top; octets && next != (const uint8_t *)planes;) {
    next -= TILE;
    for (int t = 0; t < BLOCK; t++)
      for (int b = 0; b < blocks; b++)
        r[t * BLOCKS + b] = (int32_t)((uint32_t)r[t * BLOCKS + b] << 8 | next[t * BLOCKS + b]);
  }
  r[0] = (int32_t)first;
  merge_blocks_32(r, c, blocks, 0);
}
