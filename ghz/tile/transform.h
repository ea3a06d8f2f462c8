/* transform.h: the cosine transform of a brick, forward and inverse, in vectors (FORMAT.md,
 * "Coefficients"). Part of codec.h.
 *
 * Bricks stand in memory in brick order: lines of 16 or 32 values. Coefficients stand in the order
 * in which they are coded: rows of 16 neighbouring places, one row for each ux of a group.
 *
 * The forward transform decides bytes: every machine does the same float operations in the same
 * order. The inverse decides values, and is exact: its sums of products are integers below 2^53, so
 * any order of operations gives the same, fused or not. It leaves out what is zero. */
/* SPDX-License-Identifier: BSD-3-Clause */

enum { FLOATS = VEC / 4, DOUBLES = VEC / 8 };

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

/* x - 0 is x, which compilers know. */
static inline vec_f64 splat_f64(double x) {
  return x - (vec_f64){0};
}

/* ---- Forward --------------------------------------------------------------------------------- */

/* Odd frequencies of length n, from half = n / 2 differences; out has the frequencies `stride`
 * apart. */
GHZ_INLINE void forward_odd(const vec_f32 *d, int half, int stride, vec_f32 *out) {
  _Pragma("GCC unroll 16") for (int j = 0; j < half; j++) {
    vec_f32 sum = d[0] * forward_factor(2 * (unsigned)half, (unsigned)j, 0);
    _Pragma("GCC unroll 16") for (int i = 1; i < half; i++) sum =
        sum + d[i] * forward_factor(2 * (unsigned)half, (unsigned)j, (unsigned)i);
    out[(2 * j + 1) * stride] = sum;
  }
}

/* One halving: v[0 .. 2 half - 1] to sums, in place, and the odd frequencies. */
GHZ_INLINE void forward_halve(vec_f32 *v, int half, int stride, vec_f32 *out) {
  vec_f32 d[16];
  _Pragma("GCC unroll 16") for (int i = 0; i < half; i++) {
    vec_f32 a = v[i], b = v[2 * half - 1 - i];
    d[i] = a - b;
    v[i] = a + b;
  }
  forward_odd(d, half, stride, out);
}

/* n values of each lane, `from` apart, to n frequencies, `to` apart. */
GHZ_INLINE void forward_axis(int n, const float *x, int from, float *y, int to) {
  vec_f32 v[32], out[32];
  _Pragma("GCC unroll 32") for (int i = 0; i < n; i++) v[i] = load_f32(x + i * from);
  if (n == 32)
    forward_halve(v, 16, 1, out);
  if (n >= 16)
    forward_halve(v, 8, n / 16, out);
  forward_halve(v, 4, n / 8, out);
  forward_halve(v, 2, n / 4, out);
  forward_halve(v, 1, n / 2, out);
  out[0] = v[0];
  _Pragma("GCC unroll 32") for (int u = 0; u < n; u++) memcpy(y + u * to, &out[u], VEC);
}

/* The last axis, x, of a group: 16 lines of n values, by their places, to n rows of 16
 * coefficients. */
GHZ_INLINE void forward_lines(int n, const float *const line[PLACES], int32_t *c) {
  ALIGNED float turned[32 * PLACES], out[32 * PLACES];
  for (int x = 0; x < n; x += PLACES) {
    const void *rows[PLACES];
    for (int l = 0; l < PLACES; l++)
      rows[l] = line[l] + x;
    transpose_32(rows, turned + x * PLACES);
  }
  for (int l = 0; l < PLACES; l += FLOATS)
    forward_axis(n, turned + l, PLACES, out + l, PLACES);
  for (int i = 0; i < n * PLACES; i++)
    c[i] = round_f32(out[i]);
}

/* Whether all coefficients of these lines of n values round to 0: none is larger than n times the
 * largest factor times the largest magnitude. */
static inline int lines_vanish(int n, const float *const line[PLACES]) {
  const vec_32 magnitude = (vec_32){0} + 0x7fffffff; /* magnitudes compare as their bits do */
  vec_32 v, largest = {0};
  int32_t bits = 0;
  for (int l = 0; l < PLACES; l++)
    for (int i = 0; i < n; i += FLOATS) {
      memcpy(&v, line[l] + i, VEC);
      largest = max_32(v & magnitude, largest);
    }
  for (int i = 0; i < FLOATS; i++)
    bits = largest[i] > bits ? largest[i] : bits;
  return from_bits_f32((uint32_t)bits) * (float)n * 1.5F < 0.5F;
}

/* Returns whether any coefficient may differ from 0. */
static int forward_group(int n, const float *const line[PLACES], int32_t *c) {
  const int vanish = lines_vanish(n, line);
  if (vanish)
    memset(c, 0, (size_t)n * PLACES * sizeof *c);
  else if (n == 16)
    forward_lines(16, line, c);
  else
    forward_lines(32, line, c);
  return !vanish;
}

/* Returns the number of blocks behind which all coefficients are 0. */
static int forward_cubes(const float *x, int32_t *c) {
  ALIGNED float a[TILE], b[TILE];
  int blocks = 0;
  for (int i = 0; i < 128; i += FLOATS)
    forward_axis(8, x + i, 128, a + i, 128);
  for (int z = 0; z < TILE; z += 128)
    for (int i = 0; i < 16; i += FLOATS)
      forward_axis(8, a + z + i, 16, b + z + i, 16);
  for (int g = 0; g < 4; g++) {
    const float *line[PLACES];
    for (int l = 0; l < PLACES; l++)
      line[l] = b + 16 * frequency_pairs[PLACES * g + l];
    if (forward_group(16, line, c + g * 256))
      blocks = 32 * (g + 1);
  }
  return blocks;
}

static int forward_planes(const float *x, int32_t *c) {
  ALIGNED float a[TILE];
  int blocks = 0;
  for (int i = 0; i < 32; i += FLOATS)
    forward_axis(32, x + i, 32, a + i, 32);
  for (int g = 0; g < 2; g++) {
    const float *line[PLACES];
    for (int l = 0; l < PLACES; l++)
      line[l] = a + 32 * (PLACES * g + l);
    if (forward_group(32, line, c + g * 512))
      blocks = 64 * (g + 1);
  }
  return blocks;
}

/* ---- Inverse --------------------------------------------------------------------------------- */

/* inverse_factor(32, u, x), the first half of each line; the rest follows by symmetry. Length 16
 * uses every second row, and length 8 every fourth. The slow reference of the tests makes these
 * numbers itself, and decoded values are compared with its. */
static const ALIGNED double inverse_rows[32][16] = {
    {128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128},
    {181, 179, 176, 170, 164, 155, 145, 134, 122, 108, 93, 77, 61, 44, 27, 9},
    {180, 173, 160, 140, 115, 85, 53, 18, -18, -53, -85, -115, -140, -160, -173, -180},
    {179, 164, 134, 93, 44, -9, -61, -108, -145, -170, -181, -176, -155, -122, -77, -27},
    {178, 151, 101, 35, -35, -101, -151, -178, -178, -151, -101, -35, 35, 101, 151, 178},
    {176, 134, 61, -27, -108, -164, -181, -155, -93, -9, 77, 145, 179, 170, 122, 44},
    {173, 115, 18, -85, -160, -180, -140, -53, 53, 140, 180, 160, 85, -18, -115, -173},
    {170, 93, -27, -134, -181, -145, -44, 77, 164, 176, 108, -9, -122, -179, -155, -61},
    {167, 69, -69, -167, -167, -69, 69, 167, 167, 69, -69, -167, -167, -69, 69, 167},
    {164, 44, -108, -181, -122, 27, 155, 170, 61, -93, -179, -134, 9, 145, 176, 77},
    {160, 18, -140, -173, -53, 115, 180, 85, -85, -180, -115, 53, 173, 140, -18, -160},
    {155, -9, -164, -145, 27, 170, 134, -44, -176, -122, 61, 179, 108, -77, -181, -93},
    {151, -35, -178, -101, 101, 178, 35, -151, -151, 35, 178, 101, -101, -178, -35, 151},
    {145, -61, -181, -44, 155, 134, -77, -179, -27, 164, 122, -93, -176, -9, 170, 108},
    {140, -85, -173, 18, 180, 53, -160, -115, 115, 160, -53, -180, -18, 173, 85, -140},
    {134, -108, -155, 77, 170, -44, -179, 9, 181, 27, -176, -61, 164, 93, -145, -122},
    {128, -128, -128, 128, 128, -128, -128, 128, 128, -128, -128, 128, 128, -128, -128, 128},
    {122, -145, -93, 164, 61, -176, -27, 181, -9, -179, 44, 170, -77, -155, 108, 134},
    {115, -160, -53, 180, -18, -173, 85, 140, -140, -85, 173, 18, -180, 53, 160, -115},
    {108, -170, -9, 176, -93, -122, 164, 27, -179, 77, 134, -155, -44, 181, -61, -145},
    {101, -178, 35, 151, -151, -35, 178, -101, -101, 178, -35, -151, 151, 35, -178, 101},
    {93, -181, 77, 108, -179, 61, 122, -176, 44, 134, -170, 27, 145, -164, 9, 155},
    {85, -180, 115, 53, -173, 140, 18, -160, 160, -18, -140, 173, -53, -115, 180, -85},
    {77, -176, 145, -9, -134, 179, -93, -61, 170, -155, 27, 122, -181, 108, 44, -164},
    {69, -167, 167, -69, -69, 167, -167, 69, 69, -167, 167, -69, -69, 167, -167, 69},
    {61, -155, 179, -122, 9, 108, -176, 164, -77, -44, 145, -181, 134, -27, -93, 170},
    {53, -140, 180, -160, 85, 18, -115, 173, -173, 115, -18, -85, 160, -180, 140, -53},
    {44, -122, 170, -179, 145, -77, -9, 93, -155, 181, -164, 108, -27, -61, 134, -176},
    {35, -101, 151, -178, 178, -151, 101, -35, -35, 101, -151, 178, -178, 151, -101, 35},
    {27, -77, 122, -155, 176, -181, 170, -145, 108, -61, 9, 44, -93, 134, -164, 179},
    {18, -53, 85, -115, 140, -160, 173, -180, 180, -173, 160, -140, 115, -85, 53, -18},
    {9, -27, 44, -61, 77, -93, 108, -122, 134, -145, 155, -164, 170, -176, 179, -181}};

/* As many integers as there are doubles in a register. */
typedef int32_t half_32 __attribute__((vector_size(VEC / 2)));

static inline int all_zero(const int32_t c[PLACES]) {
  part any = part_zero();
  for (unsigned i = 0; i < PLACES * sizeof *c; i += PART_BYTES)
    any = part_or(any, part_load((const uint8_t *)c + i));
  return part_equal(any, part_zero());
}

/* `live` integers of a line, or a few more, times `scale`. */
static inline void convert_line(const int32_t *c, unsigned live, double scale, double *line) {
  for (unsigned u = 0; u < live; u += DOUBLES) {
    half_32 v;
    memcpy(&v, c + u, sizeof v);
    const vec_f64 y = __builtin_convertvector(v, vec_f64) * scale;
    memcpy(line + u, &y, sizeof y);
  }
}

/* Rows of a group, one for each ux, to lines times `scale`, one for each place. Returns a bit for
 * each line that is not 0; the others are not set. */
static unsigned turn_group(const int32_t *c, unsigned live, double scale, double lines[PLACES][32]) {
  ALIGNED int32_t turned[2][PLACES][PLACES];
  const unsigned halves = live > PLACES ? 2 : 1;
  unsigned any = 0;
  for (unsigned h = 0; h < halves; h++) {
    const void *rows[PLACES];
    for (unsigned u = 0; u < PLACES; u++)
      rows[u] = c + (h * PLACES + u) * PLACES;
    transpose_32(rows, turned[h]);
  }
  for (unsigned l = 0; l < PLACES; l++) {
    if (all_zero(turned[0][l]) && (halves == 1 || all_zero(turned[1][l])))
      continue;
    any |= 1U << l;
    convert_line(turned[0][l], halves == 1 ? live : PLACES, scale, lines[l]);
    if (halves == 2)
      convert_line(turned[1][l], live - PLACES, scale, lines[l] + PLACES);
  }
  return any;
}

/* n frequencies of each lane, `from` apart, of which those with a bit in `live` count, to n values,
 * `to` apart. */
GHZ_INLINE void inverse_axis(int n, const double *c, int from, uint32_t live, double *y, int to) {
  vec_f64 even[16], odd[16];
  _Pragma("GCC unroll 16") for (int i = 0; i < n / 2; i++) even[i] = odd[i] = (vec_f64){0};
  for (uint32_t left = live & 0x55555555; left; left &= left - 1) {
    const int u = __builtin_ctz(left);
    const vec_f64 v = load_f64s(c + u * from);
    _Pragma("GCC unroll 16") for (int i = 0; i < n / 2; i++) even[i] =
        fma_f64(v, splat_f64(inverse_rows[u * (32 / n)][i]), even[i]);
  }
  for (uint32_t left = live & 0xaaaaaaaa; left; left &= left - 1) {
    const int u = __builtin_ctz(left);
    const vec_f64 v = load_f64s(c + u * from);
    _Pragma("GCC unroll 16") for (int i = 0; i < n / 2; i++) odd[i] =
        fma_f64(v, splat_f64(inverse_rows[u * (32 / n)][i]), odd[i]);
  }
  _Pragma("GCC unroll 16") for (int i = 0; i < n / 2; i++) {
    const vec_f64 first = even[i] + odd[i], last = even[i] - odd[i];
    memcpy(y + i * to, &first, VEC);
    memcpy(y + (n - 1 - i) * to, &last, VEC);
  }
}

/* A line of n frequencies, of which the first `live` count, to n values. */
GHZ_INLINE void inverse_line(int n, const double *c, unsigned live, double *y) {
  vec_f64 even[8], odd[8];
  const int pieces = n / 2 / DOUBLES;
  _Pragma("GCC unroll 8") for (int k = 0; k < pieces; k++) even[k] = odd[k] = (vec_f64){0};
  const double *row = inverse_rows[0];
  for (const double *end = c + live; c < end; c += 2, row += 2 * 16 * (32 / n)) {
    const double *next = row + 16 * (32 / n);
    _Pragma("GCC unroll 8") for (int k = 0; k < pieces; k++) {
      even[k] = fma_f64(splat_f64(c[0]), load_f64s(row + k * DOUBLES), even[k]);
      odd[k] = fma_f64(splat_f64(c[1]), load_f64s(next + k * DOUBLES), odd[k]);
    }
  }
  _Pragma("GCC unroll 8") for (int k = 0; k < pieces; k++) {
    const vec_f64 first = even[k] + odd[k], last = reversed_f64(even[k] - odd[k]);
    memcpy(y + k * DOUBLES, &first, VEC);
    memcpy(y + n - (k + 1) * DOUBLES, &last, VEC);
  }
}

/* H(C) * 2^-26, in brick order. The first axis is x: of smooth bricks few lines are left then. */
static void inverse_cubes(const int32_t *c, const live_coefficients *live, double *y) {
  ALIGNED double lines[PLACES][32], b[TILE];
  uint32_t live_z[8] = {0}, live_y = 0; /* of each uy, of all */
  for (int g = 0; g < 4; g++) {
    const unsigned any = live->group[g] ? turn_group(c + 256 * g, live->x, 0x1p-26, lines) : 0;
    for (unsigned left = any; left; left &= left - 1) {
      const int l = __builtin_ctz(left);
      const unsigned pair = frequency_pairs[PLACES * g + l];
      inverse_line(16, lines[l], live->x, y + 16 * pair);
      live_z[pair % 8] |= 1U << pair / 8;
    }
  }
  for (int u = 0; u < 8; u++) {
    live_y |= (uint32_t)(live_z[u] != 0) << u;
    for (int i = 0; i < 16 && live_z[u]; i += DOUBLES)
      inverse_axis(8, y + 16 * u + i, 128, live_z[u], b + 16 * u + i, 128);
  }
  for (int z = 0; z < TILE; z += 128)
    for (int i = 0; i < 16; i += DOUBLES)
      inverse_axis(8, b + z + i, 16, live_y, y + z + i, 16);
}

/* H(C) * 2^-19. */
static void inverse_planes(const int32_t *c, const live_coefficients *live, double *y) {
  ALIGNED double lines[PLACES][32], a[TILE];
  uint32_t live_y = 0;
  for (int g = 0; g < 2; g++) {
    const unsigned any = live->group[g] ? turn_group(c + 512 * g, live->x, 0x1p-19, lines) : 0;
    live_y |= any << PLACES * g;
    for (unsigned left = any; left; left &= left - 1) {
      const int l = __builtin_ctz(left);
      inverse_line(32, lines[l], live->x, a + 32 * (PLACES * g + l));
    }
  }
  for (int i = 0; i < 32; i += DOUBLES)
    inverse_axis(32, a + i, 32, live_y, y + i, 32);
}
