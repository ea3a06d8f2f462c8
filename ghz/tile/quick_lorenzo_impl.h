/* quick_lorenzo_impl.h: bricks without coefficients to values, in registers: integers are summed
 * along x in 16 bits, along y and z in 32 bits, and scaled. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* The largest height of residuals whose sums along x stay within 16 bits. A line of cubes has 16 of
 * them, of planes 32, of magnitudes of at most 2^(height - 1) below 0 and 1 less above:
 * 16 * 2^11 = 2^15. */
enum { SUMMED_PLANES_3 = 12, SUMMED_PLANES_2 = 11 };

/* Sums along lines of N16 blocks: inside each block, then of the blocks before it in its line. */
GHZ_INLINE void sum_lines_16(int dims, vec_16 v[BLOCK]) {
  GHZ_UNROLL_8 for (int t = 1; t < BLOCK; t++) v[t] += v[t - 1];
  const uvec_64 last = (uvec_64)v[BLOCK - 1];
  vec_16 before = (vec_16)((uvec_32)last << 16);
  if (dims == 2)
    before = (vec_16)(last << 16) + (vec_16)(last << 32) + (vec_16)(last << 48);
  GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) v[t] += before;
}

GHZ_INLINE vec_32 first_lane_of(vec_32 v) {
#define ZEROS_4 0, 0, 0, 0
#define ZEROS_8 ZEROS_4, ZEROS_4
#define ZEROS_16 ZEROS_8, ZEROS_8
  return __builtin_shufflevector(v, v, PASTE(ZEROS_, LANES_OF_32));
}

/* Registers of a line, at most; of cubes half as many. */
enum { LINE_REGS = 32 / FLOATS };

typedef struct sums_behind {
  vec_32 line[LINE_REGS];  /* the line before */
  vec_32 first[LINE_REGS]; /* the first line of the layer before */
  ALIGNED int32_t layer[BRICK_LAYER_BLOCKS * BLOCK];
} sums_behind;

/* Sums wrap, by design: those of damaged tiles may be of any size. */
GHZ_INLINE vec_32 wrapped_sum(vec_32 a, vec_32 b) {
  return (vec_32)((uvec_32)a + (uvec_32)b);
}

/* Line y of a layer, summed along x, to its integers. */
GHZ_INLINE void sum_line(int dims, int regs, int order, int y, int later, sums_behind *s, vec_32 *line) {
  for (int r = 0; r < regs; r++) {
    const vec_32 none = {0}, above = order == 3 && later ? none : s->first[r];
    vec_32 v = wrapped_sum(line[r], y ? s->line[r] : above);
    s->line[r] = v;
    if (order == 1)
      s->line[r] = first_lane_of(r ? s->line[0] : v);
    if (dims == 3 && y == 0)
      s->first[r] = s->line[r];
    if (dims == 3 && order == 3) {
      int32_t *before = s->layer + 16 * y + r * FLOATS;
      v = wrapped_sum(v, *(const vec_32 *)(const void *)before);
      vec_store(before, (vec_16)v);
    }
    line[r] = v;
  }
}

/* N16 blocks from one on, to values. */
GHZ_INLINE void put_lines(int dims, enum value_kind kind, brick_target t, int order, int block,
                          const vec_16 v[BLOCK], sums_behind *s) {
  const int n = dims == 3 ? 16 : 32, regs = n / FLOATS, lines = N16 * BLOCK / n;
  const size_t size = kind == TO_DOUBLE ? 2 * VEC : VEC;
  _Pragma("GCC unroll 16") for (int l = 0; l < lines; l++) {
    const int at = block * BLOCK / n + l, y = dims == 3 ? at % 8 : at, z = dims == 3 ? at / 8 : 0;
    char *to = t.to + (size_t)y * t.row + (size_t)z * t.plane;
    vec_32 line[LINE_REGS];
    GHZ_UNROLL_8 for (int r = 0; r < regs; r++) line[r] = widen_blocks(v, l * regs + r);
    if (order)
      sum_line(dims, regs, order, y, z, s, line);
    GHZ_UNROLL_8 for (int r = 0; r < regs; r++) put_integers(kind, t, line[r], to + (size_t)r * size);
  }
}

GHZ_INLINE void put_lattice(int dims, enum value_kind kind, brick_target t, const layer_header *h) {
  narrow_bytes bytes;
  sums_behind s = {0};
  bytes_of_layer(h, &bytes);
  for (int r = 0; r < LINE_REGS; r++)
    s.first[r] = (vec_32){0} + (int32_t)h->anchor;
  for (int b = 0; b < BLOCKS; b += N16) {
    vec_16 v[BLOCK];
    narrow_blocks(&bytes, b, v);
    if (h->order && b == 0)
      v[0] = without_first(v[0]); /* the anchor stands for it */
    if (h->order)
      sum_lines_16(dims, v);
    turn_blocks_16(v);
    put_lines(dims, kind, t, h->order, b, v, &s);
  }
}

#define DEFINE_PUT_LATTICE(dims, kind)                                                                         \
  static void put_lattice_##dims##_##kind(const brick_target *t, const layer_header *h) {                      \
    put_lattice(dims, kind, *t, h);                                                                            \
  }
DEFINE_PUT_LATTICE(2, IN_FLOAT)
DEFINE_PUT_LATTICE(2, TO_FLOAT)
DEFINE_PUT_LATTICE(2, TO_DOUBLE)
DEFINE_PUT_LATTICE(2, AS_THEY_ARE)
DEFINE_PUT_LATTICE(3, IN_FLOAT)
DEFINE_PUT_LATTICE(3, TO_FLOAT)
DEFINE_PUT_LATTICE(3, TO_DOUBLE)
DEFINE_PUT_LATTICE(3, AS_THEY_ARE)
#undef DEFINE_PUT_LATTICE
