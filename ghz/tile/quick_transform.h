/* quick_transform.h: bricks with coefficients to values: along x exactly in float32, along other
 * axes in float64 as transform.h, scaled and stored by the last one. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Sums of products of coefficients and the transform's integers stay below 2^53 if the first one is
 * at most 2^28, whose factor is 2^24, and the others' magnitudes sum up to less than 2^25, whose
 * factors are below 428^2 * 522. A width w stands for magnitudes of 2^(w - 1) at most. */
static int inverse_is_exact(const layer_header *h) {
  uint64_t sum = 0;
  if (h->anchor > INT64_C(1) << 28 || h->anchor < -(INT64_C(1) << 28))
    return 0;
  if (h->height <= 16) /* 1023 * 2^15 */
    return 1;
  for (int b = 0; b < BLOCKS; b++)
    sum += h->width[b] ? (uint64_t)BLOCK << (h->width[b] - 1) : 0;
  return sum < UINT64_C(1) << 25;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Two or four outputs at once and those that mirror them, as many as registers are there for, of
 * two registers of lanes. */
enum { WIDE_OUTPUTS = VEC == 64 ? 4 : 2 };

typedef struct mirrored_sums {
  vec_f64 first[WIDE_OUTPUTS][2], last[WIDE_OUTPUTS][2];
} mirrored_sums;

/* To a register: compilers would load it again for each product. */
GHZ_INLINE vec_f64 load_once(const double *x) {
  return *(const volatile vec_f64 *)(const volatile void *)x;
}

/* Outputs i and on of n, from `start` and the first `live` frequencies, an even number, `from`
 * apart. */
GHZ_INLINE mirrored_sums inverse_wide(int n, const double *c, int from, int live, double start, int i) {
  vec_f64 even[WIDE_OUTPUTS][2], odd[WIDE_OUTPUTS][2];
  mirrored_sums s;
  GHZ_UNROLL_8 for (int k = 0; k < WIDE_OUTPUTS; k++) for (int r = 0; r < 2; r++) {
    even[k][r] = splat_f64(start);
    odd[k][r] = (vec_f64){0};
  }
  _Pragma("GCC unroll 1") for (int u = 0; u < live; u += 2) {
    const double *h = inverse_row(n, u) + i, *g = inverse_row(n, u + 1) + i;
    for (int r = 0; r < 2; r++) {
      const vec_f64 a = load_once(c + u * from + r * DOUBLES), b = load_once(c + (u + 1) * from + r * DOUBLES);
      GHZ_UNROLL_8 for (int k = 0; k < WIDE_OUTPUTS; k++) {
        even[k][r] = fma_f64(a, splat_f64(h[k]), even[k][r]);
        odd[k][r] = fma_f64(b, splat_f64(g[k]), odd[k][r]);
      }
    }
  }
  GHZ_UNROLL_8 for (int k = 0; k < WIDE_OUTPUTS; k++) for (int r = 0; r < 2; r++) {
    s.first[k][r] = even[k][r] + odd[k][r];
    s.last[k][r] = even[k][r] - odd[k][r];
  }
  return s;
}

/* ---- Coefficients ---------------------------------------------------------------------------- */

/* Coefficients but the first, as floats; rows of the first live ux of live groups alone are set. */
typedef struct quick_coefficients {
  live_coefficients live;
  uint64_t places; /* a bit for each that has any, the first one included */
  vec_32 line;     /* floats, which compare as their bits: the largest sums of magnitudes of
                      lines, exact */
  ALIGNED float c[TILE];
} quick_coefficients;

/* The rows of N16 blocks to floats; magnitudes are added by place. */
GHZ_INLINE void convert_rows(const vec_16 v[BLOCK], float *c, vec_f32 sum[PLACES / FLOATS]) {
  const vec_32 magnitude = (vec_32){0} + INT32_MAX;
  _Pragma("GCC unroll 16") for (int k = 0; k < 16; k++) {
    const vec_f32 x = __builtin_convertvector(widen_blocks(v, k), vec_f32);
    vec_store(c + k * FLOATS, (vec_16)x);
    sum[k % (PLACES / FLOATS)] += (vec_f32)((vec_32)x & magnitude);
  }
}

/* Notes what a group's sums tell. */
GHZ_INLINE void note_sums(const vec_f32 sum[PLACES / FLOATS], int group, quick_coefficients *q) {
  for (int r = 0; r < PLACES / FLOATS; r++) {
    const uint64_t any = top_bits_32((vec_32)(sum[r] > 0.F));
    q->line = max_32(q->line, (vec_32)sum[r]);
    q->places |= any << (PLACES * group + r * FLOATS);
  }
}

static void quick_coefficients_of(int dims, const layer_header *h, quick_coefficients *q) {
  narrow_bytes bytes;
  const int rows = dims == 3 ? 16 : 32; /* of a group: two blocks each */
  bytes_of_layer(h, &bytes);
  q->live = live_of(h->width, dims, h->anchor);
  q->places = h->anchor != 0;
  q->line = (vec_32){0};
  for (int g = 0; g * 2 * rows < q->live.blocks; g++) {
    vec_f32 sum[PLACES / FLOATS];
    for (int r = 0; r < PLACES / FLOATS; r++)
      sum[r] = (vec_f32){0};
    for (int b = g * 2 * rows; q->live.group[g] && b < 2 * (g * rows + (int)q->live.x); b += N16) {
      vec_16 v[BLOCK];
      narrow_blocks(&bytes, b, v);
      if (b == 0)
        v[0] = without_first(v[0]); /* it has more bits, and joins where doubles are */
      turn_blocks_16(v);
      convert_rows(v, q->c + b * BLOCK, sum);
    }
    note_sums(sum, g, q);
  }
}

/* ---- What coefficients leave ----------------------------------------------------------------- */

/* R of order 0, in brick order: of eighths of a brick where it may differ from 0. */
typedef struct quick_left {
  unsigned live; /* a bit for each eighth */
  ALIGNED int32_t q[TILE];
} quick_left;

enum { EIGHTH = TILE / 8 };

static unsigned eighths_with_widths(const uint8_t width[BLOCKS]) {
  unsigned live = 0;
  for (int k = 0; k < 8; k++)
    live |= (unsigned)((load_u64(width + 16 * k) | load_u64(width + 16 * k + 8)) != 0) << k;
  return live;
}

static void quick_left_of(const layer_header *h, quick_left *left) {
  const unsigned at_once = N16 > 16 ? N16 / 16 : 1; /* eighths */
  narrow_bytes bytes;
  left->live = eighths_with_widths(h->width);
  if (left->live == 0)
    return;
  bytes_of_layer(h, &bytes);
  for (int b = 0; b < BLOCKS; b += N16) {
    vec_16 v[BLOCK];
    if (!(left->live >> b / 16 & ((1U << at_once) - 1)))
      continue;
    narrow_blocks(&bytes, b, v);
    turn_blocks_16(v);
    _Pragma("GCC unroll 16") for (int k = 0; k < 16; k++)
        vec_store(left->q + b * BLOCK + k * FLOATS, (vec_16)widen_blocks(v, k));
  }
}

/* ---- The last axis --------------------------------------------------------------------------- */

/* Sums of a register's columns, from one on; what is left joins them where it may differ from 0. */
GHZ_INLINE void put_sums(enum value_kind kind, brick_target t, const quick_left *left, int column,
                         const vec_f64 sum[2], char *to) {
  vec_f64 low = sum[0], high = sum[1];
  if (left && left->live >> column / EIGHTH & 1) {
    const vec_32 q = *(const vec_32 *)(const void *)(left->q + column);
    low += doubles_of(q, 0);
    high += doubles_of(q, 1);
  }
  put_doubles(kind, t, low, high, to);
}

/* The axis y of n values, of lines of `line` values, the first of which is at a column, from the
 * first `live` frequencies. */
GHZ_INLINE void put_axis(int n, int line, enum value_kind kind, brick_target t, const quick_left *left,
                         int column, const double *b, int live, double start, char *to) {
  const size_t size = kind == TO_DOUBLE ? 2 * VEC : VEC;
  for (int x = column; x < column + line; x += FLOATS, to += size) {
    char *first = to, *last = to + (size_t)(n - 1) * t.row;
    for (int i = 0; i < n / 2; i += WIDE_OUTPUTS) {
      const mirrored_sums s = inverse_wide(n, b + x - column, line, live, start, i);
      GHZ_UNROLL_8 for (int k = 0; k < WIDE_OUTPUTS; k++, first += t.row, last -= t.row) {
        put_sums(kind, t, left, x + (i + k) * line, s.first[k], first);
        put_sums(kind, t, left, x + (n - 1 - i - k) * line, s.last[k], last);
      }
    }
  }
}

/* The axis z of one uy, of which `depth` frequencies may differ from 0. */
GHZ_INLINE void inverse_depth(const float *lines, int depth, double start, double *b) {
  ALIGNED double column[8 * 16];
  for (int u = 0; u < depth; u++)
    for (int x = 0; x < 16; x++)
      column[16 * u + x] = (double)lines[128 * u + x];
  for (int x = 0; depth % 2 && x < 16; x++)
    column[16 * depth + x] = 0;
  for (int x = 0; x < 16; x += FLOATS)
    for (int i = 0; i < 4; i += WIDE_OUTPUTS) {
      const mirrored_sums s = inverse_wide(8, column + x, 16, depth + depth % 2, start, i);
      GHZ_UNROLL_8 for (int k = 0; k < WIDE_OUTPUTS; k++) for (int r = 0; r < 2; r++) {
        vec_store(b + x + 128 * (i + k) + r * DOUBLES, (vec_16)s.first[k][r]);
        vec_store(b + x + 128 * (7 - i - k) + r * DOUBLES, (vec_16)s.last[k][r]);
      }
    }
}

/* How many uz of each uy may differ from 0; up to which uy, an even number. */
static int depth_of_places(uint64_t places, uint8_t depth[8]) {
  unsigned uys = 0;
  memset(depth, 0, 8);
  for (uint64_t left = places; left; left &= left - 1) { /* uz rise, for each uy */
    const unsigned pair = frequency_pairs[__builtin_ctzll(left)], uy = pair % 8;
    depth[uy] = (uint8_t)(pair / 8 + 1);
    uys = uy > uys ? uy : uys;
  }
  return (int)(uys / 2 * 2 + 2);
}

/* The axes z and y of cubes. `first` is the first coefficient's share along z. */
GHZ_INLINE void put_cube(enum value_kind kind, brick_target t, const quick_left *left, const float *lines,
                         uint64_t places, double first) {
  ALIGNED double b[TILE];
  uint8_t depth[8];
  const int uys = depth_of_places(places, depth);
  for (int u = 0; u < uys; u++)
    inverse_depth(lines + 16 * u, depth[u], u ? 0 : first, b + 16 * u);
  for (int z = 0; z < 8; z++, t.to += t.plane)
    if (left->live >> z & 1)
      put_axis(8, 16, kind, t, left, EIGHTH * z, b + 128 * z, uys, 0, t.to);
    else
      put_axis(8, 16, kind, t, NULL, 0, b + 128 * z, uys, 0, t.to);
}

/* The axis y of planes, alike. */
GHZ_INLINE void put_plane(enum value_kind kind, brick_target t, const quick_left *left, const float *lines,
                          uint64_t places, double first) {
  ALIGNED double a[TILE];
  const int uys = (int)(bit_length(places) + 1) / 2 * 2;
  for (int i = 0; i < 32 * uys; i++)
    a[i] = (double)lines[i];
  if (left->live)
    put_axis(32, 32, kind, t, left, 0, a, uys, first, t.to);
  else
    put_axis(32, 32, kind, t, NULL, 0, a, uys, first, t.to);
}

#define DEFINE_PUT_SUMS(name, kind)                                                                            \
  static void name##_##kind(const brick_target *t, const quick_left *left, const float *lines,                 \
                            uint64_t places, double first) {                                                   \
    name(kind, *t, left, lines, places, first);                                                                \
  }
DEFINE_PUT_SUMS(put_cube, TO_FLOAT)
DEFINE_PUT_SUMS(put_cube, TO_DOUBLE)
DEFINE_PUT_SUMS(put_plane, TO_FLOAT)
DEFINE_PUT_SUMS(put_plane, TO_DOUBLE)
#undef DEFINE_PUT_SUMS

/* Returns 0 without having stored anything if a line may be inexact in float32: where magnitudes of
 * its coefficients sum up to EXACT_LINE and more. All sums are integers below 2^53 then, as
 * inverse_is_exact has it: of 16 bits, and the first one of 2^28, which joins times 256^2. */
static int put_transformed(int dims, const tile_header *b, ghz_type out, const brick_target *t) {
  quick_coefficients q;
  quick_left left;
  ALIGNED float lines[TILE];
  quick_coefficients_of(dims, &b->coefficients, &q);
  if (any_lane((vec_16)((vec_f32)q.line >= (float)(dims == 3 ? EXACT_LINE_3 : EXACT_LINE_2))))
    return 0;
  float_lines(dims, q.c, &q.live, lines);
  quick_left_of(&b->lattice, &left);
  const double first = (double)b->coefficients.anchor * (dims == 3 ? 0x1p-13 : 0x1p-5);
  if (dims == 3)
    (out == GHZ_F32 ? put_cube_TO_FLOAT : put_cube_TO_DOUBLE)(t, &left, lines, q.places, first);
  else
    (out == GHZ_F32 ? put_plane_TO_FLOAT : put_plane_TO_DOUBLE)(t, &left, lines, q.places, first);
  return 1;
}
