/* quick_transform_impl.h: bricks with coefficients to values, in float64 that rounds nothing:
 * frequencies that are 0 are left out, scaled and stored by the last axis. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Whether float64 adds up coefficients without rounding. */
static int inverse_is_exact(const layer_header *h) {
  uint64_t sum = 0;
  if (h->height <= EXACT_WIDTH || !first_is_exact(h->anchor))
    return first_is_exact(h->anchor);
  for (int b = 0; b < BLOCKS; b++)
    sum += most_of_block(h->width[b]);
  return others_are_exact(sum);
}

/* ---- Coefficients ---------------------------------------------------------------------------- */

/* Coefficients in units of what R counts; rows of the first live ux of live groups alone are
 * set. */
typedef struct quick_coefficients {
  live_coefficients live;
  uint64_t places; /* a bit for each that has any, the first one included */
  double scale;    /* of one */
  double first;    /* the share of the first one along the last axis but x: it is not in c[] */
  ALIGNED double c[TILE];
} quick_coefficients;

enum { PLACE_REGS = PLACES / FLOATS };

GHZ_INLINE void put_scaled(vec_32 x, double scale, double *c) {
  const vec_f64 low = doubles_of(x, 0) * scale, high = doubles_of(x, 1) * scale;
  vec_store(c, (vec_16)low);
  vec_store(c + DOUBLES, (vec_16)high);
}

/* The places that have any, of a group. */
GHZ_INLINE uint64_t places_with_any(const vec_32 any[PLACE_REGS]) {
  uint64_t places = 0;
  for (int r = 0; r < PLACE_REGS; r++)
    places |= (uint64_t)top_bits_32((vec_32)(any[r] != 0)) << r * FLOATS;
  return places;
}

/* The first `rows` rows of N16 blocks; their bits are added by place. */
GHZ_INLINE void convert_rows(const vec_16 v[BLOCK], int rows, double scale, double *c, vec_32 any[PLACE_REGS]) {
  _Pragma("GCC unroll 16") for (int k = 0; k < 16; k++) {
    if (k / PLACE_REGS >= rows)
      continue;
    const vec_32 x = widen_blocks(v, k);
    put_scaled(x, scale, c + k * FLOATS);
    any[k % PLACE_REGS] |= x;
  }
}

/* A group's coefficients: which places have any. */
GHZ_INLINE uint64_t convert_group(const narrow_bytes *bytes, int block, int rows, double scale, double *c) {
  vec_32 any[PLACE_REGS] = {{0}};
  for (int b = block; rows > 0; b += N16, rows -= N16 / 2) {
    vec_16 v[BLOCK];
    narrow_blocks(bytes, b, v);
    if (b == 0)
      v[0] = without_first(v[0]); /* it has more bits */
    turn_blocks_16(v);
    convert_rows(v, rows, scale, c + b * BLOCK, any);
  }
  return places_with_any(any);
}

/* Their widths and the first one, which counts 2^16 times; `unit` in steps. */
static void begin_coefficients(int dims, const uint8_t width[BLOCKS], int64_t first, double unit,
                               quick_coefficients *q) {
  q->live = live_of(width, dims, first);
  q->places = first != 0;
  q->scale = (dims == 3 ? 0x1p-29 : 0x1p-21) / unit;
  q->first = (double)first * 0x1p16 * q->scale;
}

/* Those of 16 bits, in registers. */
static void narrow_coefficients_of(int dims, const layer_header *h, quick_coefficients *q) {
  narrow_bytes bytes;
  const int blocks = dims == 3 ? 32 : 64; /* of a group */
  bytes_of_layer(h, &bytes);
  for (int g = 0; g * blocks < q->live.blocks; g++)
    if (q->live.group[g])
      q->places |= convert_group(&bytes, g * blocks, (int)q->live.x, q->scale, q->c) << PLACES * g;
}

/* Of 32 bits, as they are coded. */
static void coefficients_of_integers(int dims, const int32_t *c, quick_coefficients *q) {
  const int rows = dims == 3 ? 16 : 32; /* of a group */
  const double scale = q->scale;
  for (int g = 0; 2 * rows * g < q->live.blocks; g++) {
    vec_32 any[PLACE_REGS] = {{0}};
    const int begin = rows * PLACES * g, end = begin + (q->live.group[g] ? (int)q->live.x * PLACES : 0);
    for (int i = begin; i < end; i += PLACES)
      for (int r = 0; r < PLACE_REGS; r++) {
        const vec_32 x = *(const vec_32 *)(const void *)(c + i + r * FLOATS);
        put_scaled(x, scale, q->c + i + r * FLOATS);
        any[r] |= x;
      }
    q->places |= places_with_any(any) << PLACES * g;
  }
  q->c[0] = 0;
}

/* Apart: its memory would part what the common case has side by side. */
static __attribute__((noinline)) void coefficients_of_layer(int dims, const layer_header *h,
                                                            quick_coefficients *q) {
  ALIGNED int32_t c[TILE];
  narrow_coefficients(h, &q->live, c);
  coefficients_of_integers(dims, c, q);
}

static void quick_coefficients_of(int dims, const layer_header *h, double unit, quick_coefficients *q) {
  begin_coefficients(dims, h->width, h->anchor, unit, q);
  if (h->height <= NARROW_PLANES)
    narrow_coefficients_of(dims, h, q);
  else
    coefficients_of_layer(dims, h, q);
}

/* ---- What coefficients leave ----------------------------------------------------------------- */

/* R, in brick order: of eighths of a brick where it may differ from 0. */
typedef struct quick_residual {
  unsigned live; /* a bit for each eighth */
  ALIGNED int32_t q[TILE];
} quick_residual;

enum { EIGHTH = TILE / 8 };

static unsigned eighths_with_widths(const uint8_t width[BLOCKS]) {
  unsigned live = 0;
  for (int k = 0; k < 8; k++)
    live |= (unsigned)((load_u64(width + 16 * k) | load_u64(width + 16 * k + 8)) != 0) << k;
  return live;
}

/* Those of order 0 and of 16 bits, in registers. */
static void read_narrow_residual(const layer_header *h, quick_residual *residual) {
  const unsigned at_once = N16 > 16 ? N16 / 16 : 1; /* eighths */
  narrow_bytes bytes;
  residual->live = eighths_with_widths(h->width);
  if (residual->live == 0)
    return;
  bytes_of_layer(h, &bytes);
  for (int b = 0; b < BLOCKS; b += N16) {
    vec_16 v[BLOCK];
    if (!(residual->live >> b / 16 & ((1U << at_once) - 1)))
      continue;
    narrow_blocks(&bytes, b, v);
    turn_blocks_16(v);
    _Pragma("GCC unroll 16") for (int k = 0; k < 16; k++)
        vec_store(residual->q + b * BLOCK + k * FLOATS, (vec_16)widen_blocks(v, k));
  }
}

static void read_quick_residual(const layer_header *h, int dims, quick_residual *residual) {
  if (h->order == 0 && h->height <= NARROW_PLANES) {
    read_narrow_residual(h, residual);
  } else {
    residual->live = 0xff;
    brick_integers(h, &brick_layouts[dims], 0, (int64_t *)(void *)residual->q);
  }
}

/* ---- The last axis --------------------------------------------------------------------------- */

/* Sums of a register's columns, from one on; what is left joins them where it may differ from 0. */
GHZ_INLINE void put_sums(enum value_kind kind, brick_target t, const quick_residual *residual, int column,
                         const vec_f64 sum[2], char *to) {
  vec_f64 low = sum[0], high = sum[1];
  if (residual && residual->live >> column / EIGHTH & 1) {
    const vec_32 q = *(const vec_32 *)(const void *)(residual->q + column);
    low += doubles_of(q, 0);
    high += doubles_of(q, 1);
  }
  put_doubles(kind, t, low, high, to);
}

/* The axis y of n values, of lines of `line` values, the first of which is at a column, from the
 * first `live` frequencies. */
GHZ_INLINE void put_axis(int n, int line, enum value_kind kind, brick_target t, const quick_residual *residual,
                         int column, const double *b, int live, double start, char *to) {
  const size_t size = kind == TO_FLOAT ? VEC : 2 * VEC;
  for (int x = column; x < column + line; x += FLOATS, to += size) {
    char *first = to, *last = to + (size_t)(n - 1) * t.row;
    for (int i = 0; i < n / 2; i += OUTPUTS) {
      const mirrored_sums_f64 s = inverse_some_f64(n, b + x - column, line, live, start, i, 2);
      GHZ_UNROLL_8 for (int k = 0; k < OUTPUTS; k++, first += t.row, last -= t.row) {
        put_sums(kind, t, residual, x + (i + k) * line, s.first[k], first);
        put_sums(kind, t, residual, x + (n - 1 - i - k) * line, s.last[k], last);
      }
    }
  }
}

/* All axes of cubes. */
GHZ_INLINE void put_cube(enum value_kind kind, brick_target t, const quick_residual *residual,
                         const quick_coefficients *q) {
  ALIGNED double lines[TILE], b[TILE];
  const int uys = layers_of_cubes_f64(q->c, q->places, q->live.x, 1, q->first, lines, b);
  for (int z = 0; z < 8; z++, t.to += t.plane)
    if (residual->live >> z & 1)
      put_axis(8, 16, kind, t, residual, EIGHTH * z, b + 128 * z, uys, 0, t.to);
    else
      put_axis(8, 16, kind, t, NULL, 0, b + 128 * z, uys, 0, t.to);
}

/* Both axes of planes. */
GHZ_INLINE void put_plane(enum value_kind kind, brick_target t, const quick_residual *residual,
                          const quick_coefficients *q) {
  ALIGNED double lines[TILE];
  const int uys = lines_of_planes_f64(q->c, q->places, q->live.x, 1, lines);
  if (residual->live)
    put_axis(32, 32, kind, t, residual, 0, lines, uys, q->first, t.to);
  else
    put_axis(32, 32, kind, t, NULL, 0, lines, uys, q->first, t.to);
}

#define DEFINE_PUT_SUMS(name, kind)                                                                            \
  static void name##_##kind(const brick_target *t, const quick_residual *residual,                             \
                            const quick_coefficients *q) {                                                     \
    name(kind, *t, residual, q);                                                                               \
  }
DEFINE_PUT_SUMS(put_cube, TO_FLOAT)
DEFINE_PUT_SUMS(put_cube, TO_DOUBLE)
DEFINE_PUT_SUMS(put_cube, TO_INTEGER)
DEFINE_PUT_SUMS(put_plane, TO_FLOAT)
DEFINE_PUT_SUMS(put_plane, TO_DOUBLE)
DEFINE_PUT_SUMS(put_plane, TO_INTEGER)
#undef DEFINE_PUT_SUMS

/* The sums to their places. */
static void put_all_sums(int dims, enum value_kind kind, const quick_coefficients *q,
                         const quick_residual *residual, const brick_target *t) {
  if (kind == TO_FLOAT)
    (dims == 3 ? put_cube_TO_FLOAT : put_plane_TO_FLOAT)(t, residual, q);
  else if (kind == TO_DOUBLE)
    (dims == 3 ? put_cube_TO_DOUBLE : put_plane_TO_DOUBLE)(t, residual, q);
  else
    (dims == 3 ? put_cube_TO_INTEGER : put_plane_TO_INTEGER)(t, residual, q);
}

/* Where inverse_is_exact, all sums of coefficients are integers below 2^53, and R is added with one
 * rounding. `t` scales the integer 1 of the lattice. */
static void put_transformed(const ghz_lattice *l, int dims, const tile_header *b, enum value_kind kind,
                            const brick_target *t) {
  quick_coefficients q;
  quick_residual residual;
  quick_coefficients_of(dims, &b->coefficients, part_of_step(l->type, b->lattice.mode), &q);
  read_quick_residual(&b->lattice, dims, &residual);
  put_all_sums(dims, kind, &q, &residual, t);
}
