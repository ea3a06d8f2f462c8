/* axis_sums_impl.h: the integers of a tile, summed along some of its axes. Part of codec.h.
 *
 * Whole bricks with coefficients are summed before they are transformed: along an axis all rows of
 * the matrices but the first sum up to 0, and that one to 256 n. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Columns of a tile along z, y and x. */
typedef struct column_grid {
  int z, y, x;
} column_grid;

static inline column_grid columns_of(unsigned dims) {
  const tile_extent e = whole_tile((int)dims);
  return (column_grid){(int)e.z, (int)e.y, (int)e.x};
}

static inline int summed_columns(column_grid g, unsigned axes) {
  return (axes & AXIS_Z ? g.z : 1) * (axes & AXIS_Y ? g.y : 1) * (axes & AXIS_X ? g.x : 1);
}

/* v, in brick order, to its sums along axes, one after the other. Sums wrap, by design: those of
 * damaged tiles may be of any size. */
#define DEFINE_SUM_COLUMNS(name, INT, UINT)                                                                    \
  static void name(INT *v, column_grid g, unsigned axes) {                                                     \
    UINT *u = (UINT *)v;                                                                                       \
    const int layer = g.y * g.x;                                                                               \
    for (int i = layer; axes & AXIS_Z && i < g.z * layer; i += layer)                                          \
      for (int k = 0; k < layer; k++)                                                                          \
        u[k] = (UINT)(u[k] + u[i + k]);                                                                        \
    const int layers = axes & AXIS_Z ? 1 : g.z;                                                                \
    for (int z = 0; axes & AXIS_Y && z < layers; z++) {                                                        \
      UINT *from = u + z * layer;                                                                              \
      for (int i = g.x; i < layer; i += g.x)                                                                   \
        for (int k = 0; k < g.x; k++)                                                                          \
          from[k] = (UINT)(from[k] + from[i + k]);                                                             \
      for (int k = 0; k < g.x; k++)                                                                            \
        u[z * g.x + k] = from[k];                                                                              \
    }                                                                                                          \
    const int lines = layers * (axes & AXIS_Y ? 1 : g.y);                                                      \
    for (int l = 0; axes & AXIS_X && l < lines; l++) {                                                         \
      UINT sum = 0;                                                                                            \
      for (int k = 0; k < g.x; k++)                                                                            \
        sum = (UINT)(sum + u[l * g.x + k]);                                                                    \
      u[l] = sum;                                                                                              \
    }                                                                                                          \
  }

DEFINE_SUM_COLUMNS(sum_columns_16, int16_t, uint16_t)
DEFINE_SUM_COLUMNS(sum_columns_32, int32_t, uint32_t)
DEFINE_SUM_COLUMNS(sum_columns_64, int64_t, uint64_t)
DEFINE_SUM_COLUMNS(sum_columns_128, int128, uint128)
#undef DEFINE_SUM_COLUMNS

/* ---- Whole bricks with coefficients ---------------------------------------------------------- */

/* n frequencies, of which the first `live` count, an even number, to n values, of so many lanes. */
GHZ_INLINE void values_along(int n, int lanes, const double *c, int from, int live, double *y, int to) {
  for (int i = 0; i < n / 2; i++) {
    double even[16] = {0}, odd[16] = {0};
    for (int u = 0; u < live; u += 2) {
      const double h = inverse_row_f64(n, u)[i], g = inverse_row_f64(n, u + 1)[i];
      for (int k = 0; k < lanes; k++) {
        even[k] += c[u * from + k] * h;
        odd[k] += c[(u + 1) * from + k] * g;
      }
    }
    for (int k = 0; k < lanes; k++) {
      y[i * to + k] = even[k] + odd[k];
      y[(n - 1 - i) * to + k] = even[k] - odd[k];
    }
  }
}

/* What the values of frequency 0 sum up to along axes of 8, 16 and 32. */
#define SUM_8 (256.0 * 8)
#define SUM_16 (256.0 * 16)
#define SUM_32 (256.0 * 32)

/* The lines of cubes along x, or their sums, for the frequencies that count, at [uz][uy][x]. */
static void lines_to_sum(const quick_coefficients *q, unsigned axes, double *lines) {
  const int n = axes & AXIS_X ? 1 : 16;
  memset(lines, 0, 64 * (size_t)n * sizeof *lines);
  for (uint64_t rest = q->places; rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest), pair = frequency_pairs[l];
    const double *c = q->c + l / PLACES * 256 + l % PLACES;
    if ((axes & AXIS_Z && pair / 8) || (axes & AXIS_Y && pair % 8))
      continue;
    if (n == 1)
      lines[pair] = q->live.x ? c[0] * SUM_16 : 0;
    else
      inverse_line_f64(16, c, PLACES, q->live.x, 1, lines + 16 * pair);
  }
}

/* Along z, of so many lanes for each uy, and along y. */
GHZ_INLINE void sums_along_zy(int n, unsigned axes, const double *lines, double *y) {
  ALIGNED double b[TILE];
  const int layers = axes & AXIS_Z ? 1 : 8, uys = axes & AXIS_Y ? 1 : 8;
  for (int i = 0; axes & AXIS_Z && i < uys * n; i++)
    b[i] = lines[i] * SUM_8;
  for (int u = 0; !(axes & AXIS_Z) && u < uys; u++)
    values_along(8, n, lines + u * n, 8 * n, 8, b + u * n, uys * n);
  for (int z = 0; z < layers; z++)
    if (axes & AXIS_Y)
      for (int k = 0; k < n; k++)
        y[z * n + k] = b[z * n + k] * SUM_8;
    else
      values_along(8, n, b + 8 * z * n, n, 8, y + 8 * z * n, n);
}

static void sum_cube(const quick_coefficients *q, unsigned axes, double *y) {
  ALIGNED double lines[TILE];
  lines_to_sum(q, axes, lines);
  if (axes & AXIS_X)
    sums_along_zy(1, axes, lines, y);
  else
    sums_along_zy(16, axes, lines, y);
}

static void sum_plane(const quick_coefficients *q, unsigned axes, double *y) {
  ALIGNED double lines[32] = {0}, line[32];
  const int rows = axes & AXIS_Y ? 1 : 32;
  for (int l = 0; l < rows; l++)
    if (q->places >> l & 1 && q->live.x)
      lines[l] = q->c[l / PLACES * 512 + l % PLACES] * SUM_32;
  if (!(axes & AXIS_X)) { /* along y alone */
    inverse_line_f64(32, q->c, PLACES, q->places & 1 ? q->live.x : 0, 1, line);
    for (int k = 0; k < 32; k++)
      y[k] = line[k] * SUM_32;
  } else if (axes & AXIS_Y) {
    y[0] = lines[0] * SUM_32;
  } else {
    inverse_line_f64(32, lines, 1, 32, 1, y);
  }
}

/* No sum of products of coefficients but the first is larger, in integers. */
static double most_of_others(const layer_header *c, unsigned dims, unsigned axes) {
  uint64_t sum = c->height ? (uint64_t)TILE << (c->height - 1) : 0;
  const double x = dims == 3 ? (axes & AXIS_X ? SUM_16 : LARGEST_16) : (axes & AXIS_X ? SUM_32 : LARGEST_32),
               y = dims == 3 ? (axes & AXIS_Y ? SUM_8 : LARGEST_8) : (axes & AXIS_Y ? SUM_32 : LARGEST_32),
               z = dims == 3 ? (axes & AXIS_Z ? SUM_8 : LARGEST_8) : 1;
  if ((double)sum * x * y * z >= 0x1p53) {
    sum = 0;
    for (int b = 0; b < BLOCKS; b++)
      sum += most_of_block(c->width[b]);
  }
  return (double)sum * x * y * z;
}

/* Coefficients, what they leave, and the first one, whose share is the same everywhere. Returns 0
 * for a brick that is summed as integers. */
static int sum_whole(const ghz_lattice *l, const tile_header *t, const tile_extent *e, uint32_t terms,
                     unsigned axes, tile_sums *s) {
  const int dims = (int)e->dims;
  const column_grid g = columns_of(e->dims);
  const double others = t->transformed ? most_of_others(&t->coefficients, e->dims, axes) : 0;
  if (!t->transformed || t->lattice.specials || e->n < TILE || !axes || others >= 0x1p53 || t->lattice.order ||
      t->lattice.height > NARROW_PLANES || mode_shift(l->type, t->lattice.mode) ||
      !is_quick(l, t, terms, e->dims))
    return 0;
  const int summed = summed_columns(g, axes);
  const int64_t one = INT64_C(1) << transform_bits(e->dims);
  const int64_t first = t->coefficients.anchor * summed * (dims == 3 ? 1 << 24 : 1 << 16);
  quick_coefficients q;
  quick_residual residual;
  ALIGNED double y[TILE];
  quick_coefficients_of(dims, &t->coefficients, 1, &q);
  read_narrow_residual(&t->lattice, &residual);
  (dims == 3 ? sum_cube : sum_plane)(&q, axes, y);
  for (int k = 0; k < 8; k++)
    if (!(residual.live >> k & 1))
      memset(residual.q + k * EIGHTH, 0, EIGHTH * sizeof *residual.q);
  sum_columns_32(residual.q, g, axes);
  for (int i = 0; i < TILE / summed; i++)
    s->sum[i] = (int64_t)(y[i] * (double)one) + first + residual.q[i] * one;
  s->most = others + fabs((double)first) + 0x1p15 * summed * (double)one;
  s->wide = s->specials = 0;
  s->shift = lattice_bits(l->type, dims) - transform_bits(e->dims);
  return 1;
}

/* ---- Integers -------------------------------------------------------------------------------- */

/* How many specials each sum lacks. */
static void sum_missing(const tile_integers *t, column_grid g, unsigned axes, tile_sums *s) {
  s->specials = t->special;
  for (unsigned i = 0; t->special && i < TILE; i++)
    s->missing[i] = (int16_t)(column_in(t->specials.plus, i) | column_in(t->specials.minus, i));
  if (t->special)
    sum_columns_16(s->missing, g, axes);
}

/* In 32 bits where no sum leaves them. No integer is larger than `most` but in damaged tiles. */
static void sum_32(int32_t *q, column_grid g, unsigned axes, double most, tile_sums *s) {
  const int summed = summed_columns(g, axes);
  s->most = most * summed;
  if (s->most < 0x1p31) {
    sum_columns_32(q, g, axes);
    for (int i = 0; i < TILE / summed; i++)
      s->sum[i] = q[i];
    return;
  }
  for (int i = 0; i < TILE; i++)
    s->sum[i] = q[i];
  sum_columns_64(s->sum, g, axes);
}

/* Of integers in the sums' place, likewise. */
static void sum_64(column_grid g, unsigned axes, tile_sums *s) {
  uint64_t any = 0;
  for (int i = 0; i < TILE; i++)
    any |= (uint64_t)(s->sum[i] < 0 ? ~s->sum[i] : s->sum[i]);
  s->most = (double)(UINT64_C(1) << bit_length(any)) * summed_columns(g, axes);
  s->wide = s->most >= 0x1p62;
  for (int i = 0; s->wide && i < TILE; i++)
    s->wide_sum[i] = s->sum[i];
  if (!s->wide)
    sum_columns_64(s->sum, g, axes);
}

/* Flat tiles, whose sums are of all integers or of none, need an order for the latter alone. */
static void sum_integers(tile_integers *t, column_grid g, unsigned axes, double most, tile_sums *s) {
  const int merge = !t->linear && !axes;
  ALIGNED int32_t merged[TILE];
  s->wide = t->form == IN_128;
  if (t->form == IN_32) {
    if (merge)
      merge_32(t->q32, merged, 0);
    sum_32(merge ? merged : t->q32, g, axes, most, s);
  } else if (t->form != IN_128) {
    if (merge)
      merge_64(t->q64, s->sum, 0);
    else
      memcpy(s->sum, t->q64, sizeof s->sum);
    sum_64(g, axes, s);
  } else {
    memcpy(s->wide_sum, t->q128, sizeof s->wide_sum);
  }
  if (s->wide)
    sum_columns_128(s->wide_sum, g, axes);
}

static ghz_status sum_axes(const ghz_lattice *l, tile_source src, const tile_extent *e, unsigned axes,
                           tile_sums *s) {
  tile_header h;
  encoded_tile room;
  tile_integers t;
  const column_grid g = columns_of(e->dims);
  const ghz_status status = parse(l, padded_copy(src, &room), e, &h);
  if (status != GHZ_OK)
    return status;
  axes &= (g.z > 1 ? AXIS_Z : 0) | (g.y > 1 ? AXIS_Y : 0) | AXIS_X; /* it has no others */
  if (sum_whole(l, &h, e, src.terms, axes, s))
    return GHZ_OK;
  tile_integers_of(l, &h, e, src.terms, &t);
  s->shift = t.shift;
  sum_missing(&t, g, axes, s);
  sum_integers(&t, g, axes, (double)src.terms * (double)(UINT64_C(1) << integer_bits(l, h.lattice.mode)), s);
  return GHZ_OK;
}
