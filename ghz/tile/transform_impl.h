/* transform_impl.h: the forward transform of a brick, in vectors (FORMAT.md, "Coefficients"). Part
 * of codec.h.
 *
 * Bricks stand in memory in brick order: lines of 16 or 32 values. Coefficients stand in the order
 * in which they are coded: rows of 16 neighbouring places, one row for each ux of a group.
 *
 * It decides bytes: every machine does the same float operations in the same order. */
/* SPDX-License-Identifier: BSD-3-Clause */

enum { FLOATS = VEC / 4, DOUBLES = VEC / 8, OUTPUTS = VEC == 64 ? 4 : 2 };

static inline vec_f32 load_f32(const float *x) {
  vec_f32 v;
  memcpy(&v, x, sizeof v);
  return v;
}

static inline vec_f64 load_f64s(const double *x) {
  vec_f64 v;
  memcpy(&v, x, sizeof v);
  return v;
}

/* x - 0 is x, which compilers know; of x + 0 they make an addition. */
static inline vec_f64 splat_f64(double x) {
  return x - (vec_f64){0};
}

static inline vec_f32 splat_f32(float x) {
  return x - (vec_f32){0};
}

static inline int any_lane(vec_16 v) {
  part bits[1];
  memcpy(bits, &v, sizeof v);
  return !part_equal(bits[0], part_zero());
}

/* ---- Forward --------------------------------------------------------------------------------- */

/* n values of each lane, `from` apart, times `scale`, to n frequencies, `to` apart: odd ones
 * from the differences of values that mirror each other, even ones from their sums. These are
 * taken less the last sum, whose own factor is what the others lack to 0. */
GHZ_INLINE void forward_axis(int n, const float *x, int from, float scale, float *y, int to) {
  vec_f32 d[16], s[16];
  const int half = n / 2;
  _Pragma("GCC unroll 16") for (int i = 0; i < half; i++) {
    const vec_f32 a = load_f32(x + i * from) * scale, b = load_f32(x + (n - 1 - i) * from) * scale;
    d[i] = a - b;
    s[i] = a + b;
  }
  _Pragma("GCC unroll 16") for (int u = 1; u < n; u += 2) {
    vec_f32 sum = d[0] * forward_factor((unsigned)n, (unsigned)u, 0);
    _Pragma("GCC unroll 16") for (int i = 1; i < half; i++) sum =
        sum + d[i] * forward_factor((unsigned)n, (unsigned)u, (unsigned)i);
    vec_store(y + u * to, (vec_16)sum);
  }
  vec_f32 all = s[0];
  _Pragma("GCC unroll 16") for (int i = 1; i < half; i++) all = all + s[i];
  vec_store(y, (vec_16)all);
  _Pragma("GCC unroll 16") for (int i = 0; i < half - 1; i++) s[i] = s[i] - s[half - 1];
  _Pragma("GCC unroll 16") for (int u = 2; u < n; u += 2) {
    vec_f32 sum = s[0] * forward_factor((unsigned)n, (unsigned)u, 0);
    _Pragma("GCC unroll 16") for (int i = 1; i < half - 1; i++) sum =
        sum + s[i] * forward_factor((unsigned)n, (unsigned)u, (unsigned)i);
    vec_store(y + u * to, (vec_16)sum);
  }
}

/* `count` frequencies from u on, every second one, of `regs` registers of lanes, from `terms`
 * sums or differences. */
GHZ_INLINE void forward_some_32(int u, int count, const vec_f32 (*v)[2], int terms, int regs, float *y,
                                int to) {
  vec_f32 sum[5][2];
  _Pragma("GCC unroll 5") for (int k = 0; k < count; k++) for (int r = 0; r < regs; r++) sum[k][r] =
      v[0][r] * forward_32[u + 2 * k][0];
  _Pragma("GCC unroll 1") for (int i = 1; i < terms; i++)
      _Pragma("GCC unroll 5") for (int k = 0; k < count; k++) {
    const float f = forward_32[u + 2 * k][i];
    for (int r = 0; r < regs; r++)
      sum[k][r] = sum[k][r] + v[i][r] * f;
  }
  _Pragma("GCC unroll 5") for (int k = 0; k < count; k++) for (int r = 0; r < regs; r++)
      vec_store(y + (u + 2 * k) * to + r * FLOATS, (vec_16)sum[k][r]);
}

/* As forward_axis, of length 32 and one or two registers of lanes: factors are loaded once for
 * both. Loops are rolled: factors that are spread to registers would fill the first cache. */
GHZ_INLINE void forward_axis_32(const float *x, int from, float scale, int regs, float *y, int to) {
  vec_f32 d[16][2], s[16][2];
  for (int i = 0; i < 16; i++)
    for (int r = 0; r < regs; r++) {
      const vec_f32 a = load_f32(x + i * from + r * FLOATS) * scale,
                    b = load_f32(x + (31 - i) * from + r * FLOATS) * scale;
      d[i][r] = a - b;
      s[i][r] = a + b;
    }
  _Pragma("GCC unroll 1") for (int u = 1; u < 32; u += 8) forward_some_32(u, 4, d, 16, regs, y, to);
  for (int r = 0; r < regs; r++) {
    vec_f32 all = s[0][r];
    for (int i = 1; i < 16; i++)
      all = all + s[i][r];
    vec_store(y + r * FLOATS, (vec_16)all);
    for (int i = 0; i < 15; i++)
      s[i][r] = s[i][r] - s[15][r];
  }
  _Pragma("GCC unroll 1") for (int u = 2; u < 32; u += 10) forward_some_32(u, 5, s, 15, regs, y, to);
}

/* The last axis, x, of a group: 16 lines of n values, by their places, to n rows of 16
 * coefficients that are not rounded yet. */
GHZ_INLINE void forward_lines(int n, const float *const line[PLACES], float *e) {
  ALIGNED float turned[32 * PLACES];
  for (int x = 0; x < n; x += PLACES) {
    const void *rows[PLACES];
    for (int l = 0; l < PLACES; l++)
      rows[l] = line[l] + x;
    transpose_32(rows, turned + x * PLACES);
  }
  for (int l = 0; n == 16 && l < PLACES; l += FLOATS)
    forward_axis(n, turned + l, PLACES, 1, e + l, PLACES);
  const int regs = PLACES / FLOATS < 2 ? 1 : 2;
  for (int l = 0; n == 32 && l < PLACES; l += regs * FLOATS)
    forward_axis_32(turned + l, PLACES, 1, regs, e + l, PLACES);
}

/* Whether these lines of n values become 0. */
static inline int lines_vanish(int n, const float *const line[PLACES]) {
  const vec_32 magnitude = (vec_32){0} + 0x7fffffff; /* magnitudes compare as their bits do */
  for (int first = 0; first < PLACES; first += 4) {
    vec_32 v, largest = {0};
    for (int l = first; l < first + 4; l++)
      for (int i = 0; i < n; i += FLOATS) {
        memcpy(&v, line[l] + i, VEC);
        largest = max_32(v & magnitude, largest);
      }
    if (any_lane((vec_16)((vec_f32)largest >= LEAST_OF_LINES)))
      return 0;
  }
  return 1;
}

/* Group g, of 16 lines, to coefficients: those of groups that vanish are not set, unless one behind
 * them lives. Returns behind which block all are 0; before this group that was `blocks`. */
static int forward_group(int n, int g, const float *const line[PLACES], int blocks, float *e) {
  const int begin = g * n * PLACES;
  if (lines_vanish(n, line))
    return blocks;
  memset(e + blocks * BLOCK, 0, (size_t)(begin - blocks * BLOCK) * sizeof *e);
  if (n == 16)
    forward_lines(16, line, e + begin);
  else
    forward_lines(32, line, e + begin);
  return (begin + n * PLACES) / BLOCK;
}

/* Coefficients of values times `scale`, not rounded. Returns the number of blocks behind which
 * all round to 0; those are not set. Not inlined: with AVX-512 that takes 5 % longer to encode. */
__attribute__((noinline)) static int forward_cubes(const float *x, float scale, float *e) {
  ALIGNED float a[TILE], b[TILE];
  int blocks = 0;
  for (int i = 0; i < 128; i += FLOATS)
    forward_axis(8, x + i, 128, scale, a + i, 128);
  for (int z = 0; z < TILE; z += 128)
    for (int i = 0; i < 16; i += FLOATS)
      forward_axis(8, a + z + i, 16, 1, b + z + i, 16);
  for (int g = 0; g < 4; g++) {
    const float *line[PLACES];
    for (int l = 0; l < PLACES; l++)
      line[l] = b + 16 * frequency_pairs[PLACES * g + l];
    blocks = forward_group(16, g, line, blocks, e);
  }
  return blocks;
}

__attribute__((noinline)) static int forward_planes(const float *x, float scale, float *e) {
  ALIGNED float a[TILE];
  int blocks = 0;
  for (int i = 0; i < 32; i += 2 * FLOATS)
    forward_axis_32(x + i, 32, scale, 2, a + i, 32);
  for (int g = 0; g < 2; g++) {
    const float *line[PLACES];
    for (int l = 0; l < PLACES; l++)
      line[l] = a + 32 * (PLACES * g + l);
    blocks = forward_group(32, g, line, blocks, e);
  }
  return blocks;
}
