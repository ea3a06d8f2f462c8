/* inverse_float.h: the inverse transform in float32, but for the first coefficient: near enough to
 * say what coefficients leave of most values (left.h). Part of codec.h.
 *
 * Sums along x are exact: c are integers whose magnitudes sum up, in each line, to less than
 * EXACT_LINE, so all partial sums are integers below 2^24. Along another axis of length n a value
 * has n / 2 sums of even terms and as many of odd ones, side by side, one sum of both, and one
 * product that is rounded apart where nothing is fused: n / 2 + 2 roundings. Each is at most 2^-24
 * of the sum of magnitudes so far, which is at most S times the largest factors of all axes, S the
 * sum of all |c|. */
/* SPDX-License-Identifier: BSD-3-Clause */

static const ALIGNED float inverse_floats_8[8][4] = {INVERSE_8};
static const ALIGNED float inverse_floats_16[16][8] = {INVERSE_16};
static const ALIGNED float inverse_floats_32[32][16] = {INVERSE_32};

enum { EXACT_LINE_3 = (1 << 24) / LARGEST_16, EXACT_LINE_2 = (1 << 24) / LARGEST_32 };

GHZ_INLINE const float *inverse_floats(int n, int u) {
  return n == 8 ? inverse_floats_8[u] : n == 16 ? inverse_floats_16[u] : inverse_floats_32[u];
}

enum { OUTPUTS = VEC == 64 ? 4 : 2, MOST_REGS = 2 };

/* Two outputs from i on, or four, of n, and those that mirror them, of `regs` registers of lanes, from the
 * first `live` frequencies, an even number, `from` apart. */
GHZ_INLINE void inverse_two(int n, const float *c, int from, int live, int i, int regs, float *y, int to) {
  vec_f32 even[OUTPUTS][MOST_REGS], odd[OUTPUTS][MOST_REGS];
  for (int k = 0; k < OUTPUTS; k++)
    for (int r = 0; r < regs; r++)
      even[k][r] = odd[k][r] = (vec_f32){0};
  _Pragma("GCC unroll 1") for (int u = 0; u < live; u += 2) {
    const float *h = inverse_floats(n, u) + i, *g = inverse_floats(n, u + 1) + i;
    for (int r = 0; r < regs; r++) {
      const vec_f32 a = load_f32(c + u * from + r * FLOATS), b = load_f32(c + (u + 1) * from + r * FLOATS);
      for (int k = 0; k < OUTPUTS; k++) {
        even[k][r] = fma_f32(a, splat_f32(h[k]), even[k][r]);
        odd[k][r] = fma_f32(b, splat_f32(g[k]), odd[k][r]);
      }
    }
  }
  for (int k = 0; k < OUTPUTS; k++)
    for (int r = 0; r < regs; r++) {
      const vec_f32 first = even[k][r] + odd[k][r], last = even[k][r] - odd[k][r];
      vec_store(y + (i + k) * to + r * FLOATS, (vec_16)first);
      vec_store(y + (n - 1 - i - k) * to + r * FLOATS, (vec_16)last);
    }
}

/* Of so many lanes. */
GHZ_INLINE void inverse_lanes(int n, int lanes, const float *c, int from, int live, float *y, int to) {
  const int regs = lanes >= 2 * FLOATS ? 2 : 1;
  for (int l = 0; l < lanes; l += regs * FLOATS)
    for (int i = 0; i < n / 2; i += OUTPUTS)
      inverse_two(n, c + l, from, live, i, regs, y + l, to);
}

/* The axis x of a group: its rows, one for each ux, of which `live` count, to a line for each
 * place. */
GHZ_INLINE void inverse_group(int n, const float *c, int live, float scale, float *const line[PLACES]) {
  ALIGNED float turned[32 * PLACES], columns[32 * PLACES];
  inverse_lanes(n, PLACES, c, PLACES, live, turned, PLACES);
  for (int x = 0; x < n; x += PLACES) {
    const void *rows[PLACES];
    for (int l = 0; l < PLACES; l++)
      rows[l] = turned + (x + l) * PLACES;
    transpose_32(rows, columns);
    for (int l = 0; l < PLACES; l++)
      for (int i = 0; i < PLACES; i += FLOATS) {
        const vec_f32 v = load_f32(columns + l * PLACES + i) * scale;
        vec_store(line[l] + x + i, (vec_16)v);
      }
  }
}

/* How many uz there are with each uy in the first groups, as pairs are sorted. */
static const uint8_t depth_of_groups[GROUPS_MAX + 1][8] = {{0},
                                                           {7, 3, 2, 1, 1, 1, 1, 0},
                                                           {8, 7, 5, 3, 3, 2, 2, 2},
                                                           {8, 8, 8, 7, 5, 5, 4, 3},
                                                           {8, 8, 8, 8, 8, 8, 8, 8}};

/* Behind the last group that lives. */
static inline int groups_of(const live_coefficients *live) {
  int groups = 0;
  for (int g = 0; g < GROUPS_MAX; g++)
    groups = live->group[g] ? g + 1 : groups;
  return groups;
}

/* The lines of frequencies, exact; those of groups before the last that lives are all set. */
static void float_lines(int dims, const float *c, const live_coefficients *live, float *lines) {
  const int n = dims == 3 ? 16 : 32, groups = groups_of(live);
  for (int g = 0; g < groups; g++) {
    float *line[PLACES];
    for (int l = 0; l < PLACES; l++)
      line[l] = lines + n * (dims == 3 ? frequency_pairs[PLACES * g + l] : PLACES * g + l);
    if (!live->group[g])
      for (int l = 0; l < PLACES; l++)
        memset(line[l], 0, (size_t)n * sizeof *lines);
    else if (dims == 3)
      inverse_group(16, c + 256 * g, (int)live->x, 0x1p-29F, line);
    else
      inverse_group(32, c + 512 * g, (int)live->x, 0x1p-21F, line);
  }
}

/* The other axes of cubes. Frequencies come in pairs: the second one of the last may lack. */
static void float_cube(float *lines, const uint8_t depth[8], float *y) {
  ALIGNED float b[TILE];
  for (int u = 0; u < 8; u++) {
    const int even = depth[u] + depth[u] % 2;
    if (depth[u] % 2)
      memset(lines + 16 * (8 * depth[u] + u), 0, 16 * sizeof *lines);
    inverse_lanes(8, 16, lines + 16 * u, 128, even, b + 16 * u, 128); /* zeros from none */
  }
  for (int z = 0; z < TILE; z += 128)
    inverse_lanes(8, 16, b + z, 16, 8, y + z, 16);
}

/* The values, from lines. */
static void float_values(int dims, float *lines, const live_coefficients *live, float *y) {
  const int groups = groups_of(live);
  if (dims == 3)
    float_cube(lines, depth_of_groups[groups], y);
  else
    inverse_lanes(32, 32, lines, 32, PLACES * groups, y, 32);
}
