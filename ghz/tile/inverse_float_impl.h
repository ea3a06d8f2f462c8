/* inverse_float_impl.h: the inverse transform in float32, but for the first coefficient: near
 * enough to say what coefficients leave of most values (residual_impl.h). Part of codec.h.
 *
 * Sums along x are exact: c are integers whose magnitudes sum up, in each line, to less than
 * EXACT_LINE, so all partial sums are integers below 2^24. Along another axis of length n a
 * value has n / 2 sums of even terms and as many of odd ones, side by side, one sum of both, and
 * one product that is rounded apart where nothing is fused: n / 2 + 2 roundings. Each is at most
 * 2^-24 of the sum of magnitudes so far, which is at most S times the largest factors of all
 * axes, S the sum of all |c|. */
/* SPDX-License-Identifier: BSD-3-Clause */

static const ALIGNED float inverse_floats_8[8][4] = {INVERSE_8};
static const ALIGNED float inverse_floats_16[16][8] = {INVERSE_16};
static const ALIGNED float inverse_floats_32[32][16] = {INVERSE_32};

enum { EXACT_LINE_3 = (1 << 24) / LARGEST_16, EXACT_LINE_2 = (1 << 24) / LARGEST_32 };

GHZ_INLINE const float *inverse_floats(int n, int u) {
  return n == 8 ? inverse_floats_8[u] : n == 16 ? inverse_floats_16[u] : inverse_floats_32[u];
}

typedef float eight_f32 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t eight_32 __attribute__((vector_size(32), aligned(4), may_alias));

/* By pointers: of copies compilers make two halves in memory, which a load of the whole waits
 * for. */
GHZ_INLINE eight_f32 load_eight(const float *x) {
  return *(const eight_f32 *)(const void *)x;
}

static inline void store_eight(float *x, eight_f32 v) {
  *(eight_f32 *)(void *)x = v;
}

enum { OUTPUTS = VEC == 64 ? 4 : 2, MOST_REGS = 2 };

/* Outputs from i on of n, and those that mirror them, of `regs` registers of lanes, from the first
 * `live` frequencies, an even number, `from` apart. */
typedef struct float_sums {
  vec_f32 first[OUTPUTS][MOST_REGS], last[OUTPUTS][MOST_REGS];
} float_sums;

GHZ_INLINE float_sums inverse_some(int n, const float *c, int from, int live, int i, int regs) {
  vec_f32 even[OUTPUTS][MOST_REGS], odd[OUTPUTS][MOST_REGS];
  float_sums s;
  GHZ_UNROLL_8 for (int k = 0; k < OUTPUTS; k++) for (int r = 0; r < regs; r++) even[k][r] = odd[k][r] =
      (vec_f32){0};
  _Pragma("GCC unroll 1") for (int u = 0; u < live; u += 2) {
    const float *h = inverse_floats(n, u) + i, *g = inverse_floats(n, u + 1) + i;
    for (int r = 0; r < regs; r++) {
      const vec_f32 a = load_f32(c + u * from + r * FLOATS), b = load_f32(c + (u + 1) * from + r * FLOATS);
      GHZ_UNROLL_8 for (int k = 0; k < OUTPUTS; k++) {
        even[k][r] = fma_f32(a, splat_f32(h[k]), even[k][r]);
        odd[k][r] = fma_f32(b, splat_f32(g[k]), odd[k][r]);
      }
    }
  }
  GHZ_UNROLL_8 for (int k = 0; k < OUTPUTS; k++) for (int r = 0; r < regs; r++) {
    s.first[k][r] = even[k][r] + odd[k][r];
    s.last[k][r] = even[k][r] - odd[k][r];
  }
  return s;
}

enum { FLOAT_REGS = 16 / FLOATS < MOST_REGS ? 1 : MOST_REGS };

/* The axis z of lines of 16. */
GHZ_INLINE void float_depth(const float *c, int live, float *y) {
  for (int l = 0; l < 16; l += FLOAT_REGS * FLOATS)
    for (int i = 0; i < 4; i += OUTPUTS) {
      const float_sums s = inverse_some(8, c + l, 128, live, i, FLOAT_REGS);
      GHZ_UNROLL_8 for (int k = 0; k < OUTPUTS; k++) for (int r = 0; r < FLOAT_REGS; r++) {
        vec_store(y + 128 * (i + k) + l + r * FLOATS, (vec_16)s.first[k][r]);
        vec_store(y + 128 * (7 - i - k) + l + r * FLOATS, (vec_16)s.last[k][r]);
      }
    }
}

/* A line of n frequencies, PLACES apart, the first `live`, which is even, to values by `scale`. */
GHZ_INLINE void float_line(int n, const float *c, unsigned live, float scale, float *y) {
  eight_f32 even[2] = {{0}}, odd[2] = {{0}};
  const float *row = inverse_floats(n, 0);
  for (unsigned u = 0; u < live; u += 2, c += 2 * PLACES, row += n)
    for (int k = 0; k < n / 16; k++) {
      even[k] += c[0] * load_eight(row + 8 * k);
      odd[k] += c[PLACES] * load_eight(row + n / 2 + 8 * k);
    }
  for (int k = 0; k < n / 16; k++) {
    const eight_f32 last = (even[k] - odd[k]) * scale;
    store_eight(y + 8 * k, (even[k] + odd[k]) * scale);
    store_eight(y + n - 8 - 8 * k, __builtin_shufflevector(last, last, 7, 6, 5, 4, 3, 2, 1, 0));
  }
}

/* The axes x and z of cubes: lines of frequencies, which are exact, and of each layer's. Axes take
 * frequencies in pairs: lines between live ones become 0. Returns up to which uy there are any. */
static int float_layers(const float *c, uint64_t places, unsigned x, float *lines, float *layers) {
  uint64_t pairs = 0;
  int depth[8] = {0}, uys = 0; /* up to which uz of each uy, and up to which uy, even numbers */
  for (uint64_t rest = places; rest; rest &= rest - 1) { /* uz rise, for each uy */
    const int l = __builtin_ctzll(rest), pair = frequency_pairs[l], uy = pair % 8;
    float_line(16, c + l / PLACES * 256 + l % PLACES, x, 0x1p-29F, lines + 16 * pair);
    pairs |= UINT64_C(1) << pair;
    depth[uy] = pair / 16 * 2 + 2;
    uys = uy >= uys ? uy / 2 * 2 + 2 : uys;
  }
  for (int u = 0; u < uys; u++) {
    for (int z = 0; z < depth[u]; z++)
      if (!(pairs >> (8 * z + u) & 1))
        memset(lines + 128 * z + 16 * u, 0, 16 * sizeof *lines);
    float_depth(lines + 16 * u, depth[u], layers + 16 * u); /* zeros from none */
  }
  return uys;
}

/* The axis x of planes. */
static int float_lines(const float *c, uint64_t places, unsigned x, float *lines) {
  const int uys = (int)(bit_length(places) + 1) / 2 * 2;
  for (int l = 0; l < uys; l++)
    if (places >> l & 1)
      float_line(32, c + l / PLACES * 512 + l % PLACES, x, 0x1p-21F, lines + 32 * l);
    else
      memset(lines + 32 * l, 0, 32 * sizeof *lines);
  return uys;
}
