/* residual_impl.h: the residual of a brick, R = rint(x / step - P), where P is what its
 * coefficients give, in float32 where that is proved to give what float64 gives. Part of codec.h.
 *
 * With v = x / step in float64, as P is, d = v - P is formed in float32, off by less than
 *   e = 2^-24 (roundings * factors * S + 4 M / step) + 2^-16
 * Sums along x are exact (inverse_impl.h). Along another axis of length n a value has n / 2 sums
 * of even terms and as many of odd ones, side by side, one sum of both, and one product that is
 * rounded apart where nothing is fused: n / 2 + 2 roundings. Each is at most 2^-24 of the sum of
 * magnitudes so far, which is at most S times the largest factors of all axes, S the sum of all
 * |c|. 4 M: two roundings of v and two of v less the first coefficient's share, which has twice the
 * magnitude; 2^-16: the last rounding, of |d| < 64. So where d is further than e from all n + 1/2,
 * rint(d) is R. Blocks where it is not are formed in float64. */
/* SPDX-License-Identifier: BSD-3-Clause */

enum { EXACT_LINE_3 = (1 << 24) / LARGEST_16, EXACT_LINE_2 = (1 << 24) / LARGEST_32 };

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

/* Residuals of predictors 1 and up. What lies before the first block is read, and masked. */
typedef struct brick_residuals {
  struct {
    int64_t before[BRICK_LAYER_BLOCKS];
    ALIGNED int64_t r[TILE];
  } at[PREDICTORS_MAX];
} brick_residuals;

/* Values and integers of a brick on their way. */
typedef struct brick {
  const ghz_lattice *lattice;
  const tile_extent *extent;
  const brick_layout *grid;
  const void *values;     /* in brick order, without NaN and infinities */
  const uint8_t *outside; /* of a cut brick: by position, 1 where a column is outside */
  integers integers;
  void *r[PREDICTORS_MAX]; /* residuals of every predictor; of 0: the integers */
  brick_residuals residuals;
} brick;

/* Rounded coefficients. */
typedef struct float_coefficients {
  float *c; /* but the first */
  double first;
  live_coefficients live;
  uint64_t places; /* a bit for each that has any */
  float line, all; /* sums of magnitudes, rounded up: the largest of a line, of all lines */
} float_coefficients;

GHZ_INLINE eight_f32 magnitudes_of(eight_f32 v) {
  return (eight_f32)((eight_32)v & INT32_MAX);
}

/* Rounds the coefficients of a block that has a width; those of others are 0. No branch: a
 * processor cannot guess which. */
GHZ_INLINE eight_f32 round_block(const float *e, const tile_widths *w, int b) {
  const eight_f32 v = load_eight(e + BLOCK * b) + ROUND_F32 - ROUND_F32;
  return (eight_f32)((eight_32)v & -(w->width[b] != 0));
}

GHZ_INLINE eight_f32 larger_of(eight_f32 a, eight_f32 b) {
  const eight_32 more = a > b;
  return (eight_f32)(((eight_32)a & more) | ((eight_32)b & ~more));
}

/* A bit for each of 16 that is not 0. */
static inline unsigned places_of(eight_f32 low, eight_f32 high) {
  const eight_32 bit = {1, 2, 4, 8, 16, 32, 64, 128}, any = ((low != 0) & bit) | ((high != 0) & (bit << 8));
  unsigned places = 0;
  for (int i = 0; i < 8; i++)
    places |= (unsigned)any[i];
  return places;
}

/* Rounds the coefficients of a layer whose widths are known, in place: the first cache is small. */
static void round_layer(int dims, float *e, const tile_widths *w, float_coefficients *f) {
  eight_f32 all = {0}, largest = {0};
  const int rows = dims == 3 ? 16 : 32; /* of a group: two blocks each */
  f->c = e;
  f->c[0] = 0; /* the first is apart */
  f->first = (double)w->lead.anchor;
  f->live = live_of(w->width, dims, w->lead.anchor);
  f->places = 0;
  for (int g = 0; 2 * rows * g < f->live.blocks; g++) {
    eight_f32 low = {0}, high = {0};
    for (int b = 2 * rows * g; b < 2 * (rows * g + (int)f->live.x); b += 2) {
      const eight_f32 v = round_block(e, w, b), u = round_block(e, w, b + 1);
      store_eight(f->c + BLOCK * b, v);
      store_eight(f->c + BLOCK * b + BLOCK, u);
      low += magnitudes_of(v);
      high += magnitudes_of(u);
    }
    f->places |= (uint64_t)places_of(low, high) << PLACES * g;
    largest = larger_of(largest, larger_of(low, high));
    all += low + high;
  }
  f->line = f->all = 0;
  for (int i = 0; i < 8; i++) {
    f->line = largest[i] > f->line ? largest[i] : f->line;
    f->all += all[i];
  }
  f->line *= 1.001F, f->all *= 1.001F;
}

/* The same as integers, with the first. */
static void integers_of_floats(int dims, const float_coefficients *f, int32_t *c) {
  const int rows = dims == 3 ? 16 : 32;
  memset(c, 0, (size_t)f->live.blocks * BLOCK * sizeof *c);
  for (int g = 0; 2 * rows * g < f->live.blocks; g++)
    for (int i = g * rows * PLACES; i < (g * rows + (int)f->live.x) * PLACES; i++)
      c[i] = (int32_t)f->c[i];
  c[0] = (int32_t)f->first;
}

/* How far d may be off; 1 if nothing is proved. */
static float float_error(int dims, const float_coefficients *f, double largest) {
  const float factors = dims == 3 ? (float)LARGEST_8 * LARGEST_8 * LARGEST_16 * 0x1p-29F
                                  : (float)LARGEST_32 * LARGEST_32 * 0x1p-21F,
              roundings = dims == 3 ? 2 * 6 : 18;
  const int exact = f->line < (float)(dims == 3 ? EXACT_LINE_3 : EXACT_LINE_2) && largest < 0x1p19;
  return exact ? 0x1p-24F * (roundings * factors * f->all + 4.01F * (float)largest) + 0x1p-16F : 1;
}

/* Values in steps. */
GHZ_INLINE vec_f32 steps_of(int wide, const void *x, int i, double inverse) {
  typedef double wide_lanes __attribute__((vector_size(2 * VEC)));
  wide_lanes v;
  if (!wide)
    return load_f32((const float *)x + i) * (float)inverse;
  memcpy(&v, (const double *)x + i, sizeof v);
  return __builtin_convertvector(v * inverse, vec_f32);
}

/* The axis y, of lines of frequencies: v - P of all values, in steps. Returns pieces of 16 blocks
 * where any may round to more than 0: of cubes a layer, of planes four lines. */
GHZ_INLINE live_pieces residual_of_lines(int dims, int wide, const void *x, double inverse, float first,
                                         float limit, const float *lines, int live, float *residual) {
  const int n = dims == 3 ? 8 : 32, line = dims == 3 ? 16 : 32;
  const vec_32 magnitude = (vec_32){0} + INT32_MAX;
  live_pieces pieces = 0;
  for (int p = 0; p < (dims == 3 ? 8 : 4); p++) {
    const int begin = dims == 3 ? 128 * p : 0, from = dims == 3 ? 0 : 4 * p;
    vec_32 low = {0}, high = {0};
    for (int l = begin; l < begin + line; l += REGS_f32 * FLOATS)
      for (int i = from; i < from + 4; i += OUTPUTS) {
        const mirrored_sums_f32 s = inverse_some_f32(n, lines + l, line, live, 0, i, REGS_f32);
        GHZ_UNROLL_8 for (int k = 0; k < OUTPUTS; k++) for (int r = 0; r < REGS_f32; r++) {
          const int at = l + (i + k) * line + r * FLOATS, mirror = l + (n - 1 - i - k) * line + r * FLOATS;
          const vec_f32 d = steps_of(wide, x, at, inverse) - first - s.first[k][r],
                        e = steps_of(wide, x, mirror, inverse) - first - s.last[k][r];
          vec_store(residual + at, (vec_16)d);
          vec_store(residual + mirror, (vec_16)e);
          low = max_32(low, (vec_32)d & magnitude);
          high = max_32(high, (vec_32)e & magnitude);
        }
      }
    const int first_lives = any_lane((vec_16)((vec_f32)low >= limit)),
              last_lives = any_lane((vec_16)((vec_f32)high >= limit));
    pieces = (live_pieces)(pieces | first_lives << p | last_lives << (dims == 3 ? p : 7 - p));
  }
  return pieces;
}

#define DEFINE_LEFT_IN(name, dims, wide)                                                                       \
  static live_pieces name(const void *x, double inverse, float first, float limit, const float *lines,         \
                          int live, float *residual) {                                                         \
    return residual_of_lines(dims, wide, x, inverse, first, limit, lines, live, residual);                     \
  }
DEFINE_LEFT_IN(residual_in_plane_f32, 2, 0)
DEFINE_LEFT_IN(residual_in_plane_f64, 2, 1)
DEFINE_LEFT_IN(residual_in_cube_f32, 3, 0)
DEFINE_LEFT_IN(residual_in_cube_f64, 3, 1)
#undef DEFINE_LEFT_IN

/* A bit for each of two blocks' values that is not proved to round as float64 would. */
static inline unsigned doubtful(const float *residual, float limit) {
  unsigned bits = 0;
  GHZ_UNROLL_8 for (int i = 0; i < 2 * (int)BLOCK; i += FLOATS) {
    const vec_f32 d = load_f32(residual + i), off = d - (d + ROUND_F32 - ROUND_F32);
    bits |= top_bits_32((vec_32)((vec_f32)((vec_32)off & INT32_MAX) >= limit)) << i;
  }
  return bits;
}

typedef float half_f32 __attribute__((vector_size(VEC / 2), aligned(4), may_alias));

GHZ_INLINE vec_f64 widened(const float *x) {
  return __builtin_convertvector(*(const half_f32 *)(const void *)x, vec_f64);
}

/* The coefficients' values of block i, but for the first, exactly. `lines` are exact. */
GHZ_INLINE void exact_values(int dims, const float_coefficients *f, const float *lines, int i,
                             vec_f64 p[BLOCK / DOUBLES]) {
  const int n = dims == 3 ? 16 : 32, row = 8 * i / n;
  const unsigned y = (unsigned)(dims == 3 ? row % 8 : row), z = (unsigned)row / 8;
  for (uint64_t rest = f->places; rest; rest &= rest - 1) {
    const unsigned k = (unsigned)__builtin_ctzll(rest), pair = dims == 3 ? frequency_pairs[k] : k;
    const float *line = lines + (int)pair * n + 8 * i % n;
    const vec_f64 h =
        splat_f64(dims == 3 ? (double)(inverse_factor(8, pair / 8, z) * inverse_factor(8, pair % 8, y))
                            : (double)inverse_factor(32, pair, y));
    GHZ_UNROLL_8 for (int l = 0; l < BLOCK / DOUBLES; l++) p[l] = fma_f64(widened(line + l * DOUBLES), h, p[l]);
  }
}

/* Block i, exactly as float64 has it, rounded. */
static void exact_block(const brick *b, const float_coefficients *f, const float *lines, int i,
                        float *residual) {
  const double inverse = 1 / b->lattice->step, *wide = (const double *)b->values + 8 * i;
  const float *narrow = (const float *)b->values + 8 * i;
  vec_f64 p[BLOCK / DOUBLES];
  GHZ_UNROLL_8 for (int l = 0; l < BLOCK / DOUBLES; l++) p[l] = splat_f64(f->first * 0x1p-5);
  if (b->grid->dims == 3)
    exact_values(3, f, lines, i, p);
  else
    exact_values(2, f, lines, i, p);
  GHZ_UNROLL_8 for (int l = 0; l < BLOCK / DOUBLES; l++) {
    const int at = l * DOUBLES;
    const vec_f64 v = b->lattice->type == GHZ_F64 ? load_f64s(wide + at) : widened(narrow + at),
                  d = v * inverse - p[l] + ROUND_F64 - ROUND_F64;
    *(half_f32 *)(void *)(residual + 8 * i + at) = __builtin_convertvector(d, half_f32);
  }
}

/* R, and its widths. Returns 0 if float32 does not tell. */
static int residual_in_float(const brick *b, const float_coefficients *f, narrow_integers *r, tile_widths *w) {
  ALIGNED float lines[TILE], layers[TILE], residual[TILE];
  const int dims = b->grid->dims;
  const double inverse = 1 / b->lattice->step;
  const float limit = 0.5F - float_error(dims, f, b->integers.largest * inverse),
              first = (float)(f->first * 0x1p-5);
  if (limit < 0.25F)
    return 0;
  const int wide = b->lattice->type == GHZ_F64;
  live_pieces live;
  if (dims == 3) {
    const int uys = layers_of_cubes_f32(f->c, f->places, f->live.x, 0x1p-29F, 0, lines, layers);
    live = (wide ? residual_in_cube_f64 : residual_in_cube_f32)(b->values, inverse, first, limit, layers, uys,
                                                                residual);
  } else {
    const int uys = lines_of_planes_f32(f->c, f->places, f->live.x, 0x1p-21F, lines);
    live = (wide ? residual_in_plane_f64 : residual_in_plane_f32)(b->values, inverse, first, limit, lines, uys,
                                                                  residual);
  }
  for (int piece = 0; piece < 8; piece++)
    for (int i = 16 * piece; live >> piece & 1 && i < 16 * piece + 16; i += 2) {
      const unsigned bits = doubtful(residual + 8 * i, limit);
      for (int k = 0; k < 2; k++)
        if (bits >> 8 * k & 0xff)
          exact_block(b, f, lines, i + k, residual);
    }
  if (live)
    return narrow_layer(residual, live, 0, b->outside, r, w) && w->height <= 7;
  w->height = 0;
  clear_widths(w->width);
  return 1;
}
