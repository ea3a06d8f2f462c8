/* axis_sums.h: the integers of a tile, summed along some of its axes. Part of codec.h.
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

/* ---- Integers that stand in memory ----------------------------------------------------------- */

/* Integers of 32 bits, none larger than `most` but in damaged tiles. */
static void sums_of_32(int32_t *q, column_grid g, unsigned axes, double most, tile_sums *s) {
  const int summed = summed_columns(g, axes), outputs = TILE / summed;
  s->most = most * summed;
  if (s->most < 0x1p31) {
    sum_columns_32(q, g, axes);
    for (int i = 0; i < outputs; i++)
      s->sum[i] = q[i];
    return;
  }
  for (int i = 0; i < TILE; i++)
    s->sum[i] = q[i];
  sum_columns_64(s->sum, g, axes);
}

static void widen_sums(const int64_t *q, int128 *k) {
  for (int i = 0; i < TILE; i++)
    k[i] = q[i];
}

/* Of 64 bits, in the sums' place, or with `wide` of 128. */
static void sums_of_64(column_grid g, unsigned axes, double most, tile_sums *s) {
  ALIGNED int64_t q[TILE];
  s->most = most * summed_columns(g, axes);
  if (s->most < 0x1p62) {
    sum_columns_64(s->sum, g, axes);
    return;
  }
  memcpy(q, s->sum, sizeof q);
  s->wide = 1;
  widen_sums(q, s->wide_sum);
  sum_columns_128(s->wide_sum, g, axes);
}

/* ---- What is hidden -------------------------------------------------------------------------- */

/* Columns outside and specials of a tile; `any` says whether some may join sums that count. */
typedef struct hidden_columns {
  int any;
  ALIGNED bit_plane at;
} hidden_columns;

/* Sets the columns of a plane to `v`. */
#define DEFINE_SET_COLUMNS(name, INT)                                                                          \
  static void name(INT *q, const bit_plane plane, INT v) {                                                     \
    for (unsigned b = 0; b < BLOCKS; b++)                                                                      \
      for (unsigned t = 0; plane[b] && t < BLOCK; t++)                                                         \
        q[b * BLOCK + t] = plane[b] >> t & 1 ? v : q[b * BLOCK + t];                                           \
  }

DEFINE_SET_COLUMNS(set_columns_16, int16_t)
DEFINE_SET_COLUMNS(set_columns_32, int32_t)
DEFINE_SET_COLUMNS(set_columns_64, int64_t)
DEFINE_SET_COLUMNS(set_columns_128, int128)
#undef DEFINE_SET_COLUMNS

/* Whether the border cuts a tile along an axis that is summed. Else what lies outside joins sums
 * that lie outside, too. */
static int cut_along(const tile_extent *e, unsigned axes) {
  const column_grid g = columns_of(e->dims);
  return (axes & AXIS_Z && (int)e->z < g.z) || (axes & AXIS_Y && (int)e->y < g.y) ||
         (axes & AXIS_X && (int)e->x < g.x);
}

/* Specials are counted, too. */
static void find_hidden(const layer_header *h, const tile_extent *e, unsigned axes, hidden_columns *hidden,
                        tile_sums *s) {
  specials of;
  s->specials = h->specials != NULL;
  hidden->any = s->specials || cut_along(e, axes);
  if (!hidden->any)
    return;
  columns_inside(e, hidden->at);
  for (int b = 0; b < PLANE_BYTES; b++)
    hidden->at[b] = (uint8_t)~hidden->at[b];
  if (!s->specials)
    return;
  parse_specials(h, &of);
  for (int b = 0; b < PLANE_BYTES; b++) {
    of.plus[b] |= of.minus[b];
    hidden->at[b] |= of.plus[b];
  }
  memset(s->missing, 0, sizeof s->missing);
  set_columns_16(s->missing, of.plus, 1);
  sum_columns_16(s->missing, columns_of(e->dims), axes);
}

/* ---- Tiles without coefficients -------------------------------------------------------------- */

/* Beyond damaged tiles no integer of the lattice is larger. */
static double most_of_lattice(const ghz_lattice *l, const layer_header *h, uint32_t terms) {
  return (double)terms * (double)(UINT64_C(1) << integer_bits(l, h->mode));
}

/* Integers of 32 bits, in brick order; of a flat tile in any, if that does not matter. */
static void narrow_columns(const ghz_lattice *l, const tile_header *t, unsigned dims, uint32_t terms,
                           int any_order, int32_t *q) {
  ALIGNED int64_t by_position[TILE];
  if (dims == 1) {
    decode_integers(&t->lattice, 0, by_position);
    if (any_order)
      memcpy(q, by_position, TILE * sizeof *q);
    else
      merge_32(by_position, q, 0);
  } else if (has_quick_way(l, t, terms, dims)) {
    const tile_place whole = packed_place(whole_tile((int)dims));
    const brick_target to = target_of(&whole, sizeof *q, 0, 1, q);
    (dims == 3 ? put_lattice_3_AS_THEY_ARE : put_lattice_2_AS_THEY_ARE)(&to, &t->lattice);
  } else {
    brick_integers(&t->lattice, &brick_grids[dims], 0, (int64_t *)(void *)q);
  }
}

static void wide_columns(const layer_header *h, unsigned dims, int64_t *q) {
  ALIGNED int64_t by_position[TILE];
  if (dims == 1) {
    decode_integers(h, 1, by_position);
    merge_64(by_position, q, 0);
  } else {
    brick_integers(h, &brick_grids[dims], 1, q);
  }
}

static void sums_of_lattice(const ghz_lattice *l, const tile_header *t, unsigned dims, uint32_t terms,
                            unsigned axes, const hidden_columns *hidden, tile_sums *s) {
  ALIGNED int32_t q[TILE];
  const double most = most_of_lattice(l, &t->lattice, terms);
  if (!fits_32_bits(l, t->lattice.mode, terms)) {
    wide_columns(&t->lattice, dims, s->sum);
    if (hidden->any)
      set_columns_64(s->sum, hidden->at, 0);
    sums_of_64(columns_of(dims), axes, most, s);
    return;
  }
  narrow_columns(l, t, dims, terms, axes && !hidden->any, q);
  if (hidden->any)
    set_columns_32(q, hidden->at, 0);
  sums_of_32(q, columns_of(dims), axes, most, s);
}

/* ---- Tiles with coefficients ----------------------------------------------------------------- */

/* n frequencies, of which the first `live` count, an even number, to n values, of so many lanes. */
GHZ_INLINE void values_along(int n, int lanes, const double *c, int from, int live, double *y, int to) {
  for (int i = 0; i < n / 2; i++) {
    double even[16] = {0}, odd[16] = {0};
    for (int u = 0; u < live; u += 2) {
      const double h = inverse_row(n, u)[i], g = inverse_row(n, u + 1)[i];
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
  for (uint64_t left = q->places; left; left &= left - 1) {
    const int l = __builtin_ctzll(left), pair = frequency_pairs[l];
    const double *c = q->c + l / PLACES * 256 + l % PLACES;
    if ((axes & AXIS_Z && pair / 8) || (axes & AXIS_Y && pair % 8))
      continue;
    if (n == 1)
      lines[pair] = q->live.x ? c[0] * SUM_16 : 0;
    else
      inverse_line(16, c, PLACES, q->live.x, lines + 16 * pair);
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
    inverse_line(32, q->c, PLACES, q->places & 1 ? q->live.x : 0, line);
    for (int k = 0; k < 32; k++)
      y[k] = line[k] * SUM_32;
  } else if (axes & AXIS_Y) {
    y[0] = lines[0] * SUM_32;
  } else {
    inverse_line(32, lines, 1, 32, y);
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

/* Coefficients, what they leave, and the first one, whose share is the same everywhere. `others`
 * is below 2^53. */
static void sums_of_whole(const tile_header *t, unsigned dims, unsigned axes, double others, tile_sums *s) {
  const column_grid g = columns_of(dims);
  const int summed = summed_columns(g, axes), outputs = TILE / summed;
  const int64_t one = INT64_C(1) << transform_bits(dims);
  const int64_t first = t->coefficients.anchor * summed * (dims == 3 ? 1 << 24 : 1 << 16);
  quick_coefficients q;
  quick_left left;
  ALIGNED double y[TILE];
  quick_coefficients_of((int)dims, &t->coefficients, &q);
  quick_left_of(&t->lattice, &left);
  (dims == 3 ? sum_cube : sum_plane)(&q, axes, y);
  for (int i = 0; i < outputs; i++)
    s->sum[i] = (int64_t)(y[i] * (double)one) + first;
  s->most = others + fabs((double)first) + 0x1p15 * summed * (double)one;
  if (left.live == 0)
    return;
  for (int k = 0; k < 8; k++)
    if (!(left.live >> k & 1))
      memset(left.q + k * EIGHTH, 0, EIGHTH * sizeof *left.q);
  sum_columns_32(left.q, g, axes);
  for (int i = 0; i < outputs; i++)
    s->sum[i] += left.q[i] * one;
}

/* No integer of a brick with coefficients is larger, which are exact in float64. */
static double most_composed(const ghz_lattice *l, const tile_header *t, unsigned dims, uint32_t terms) {
  const layer_header *h = &t->lattice;
  const double left = h->order ? most_of_lattice(l, h, terms) : h->height ? ldexp(1, (int)h->height - 1) : 0;
  return most_of_others(&t->coefficients, dims, 0) + fabs((double)t->coefficients.anchor) * 0x1p24 +
         left * (double)(UINT64_C(1) << transform_bits(dims));
}

/* All values of a brick, in steps, without rounding. */
static void compose_exactly(const ghz_lattice *l, const tile_header *t, unsigned dims, uint32_t terms,
                            double *composed) {
  const tile_place whole = packed_place(whole_tile((int)dims));
  const brick_target to = target_of(&whole, sizeof *composed, 0, 1, composed);
  if (has_quick_way(l, t, terms, dims))
    put_transformed((int)dims, t, GHZ_F64, &to);
  else
    compose(l, t, &brick_grids[dims], composed);
}

static void sums_of_transformed(const ghz_lattice *l, const tile_header *t, unsigned dims, uint32_t terms,
                                unsigned axes, const hidden_columns *hidden, tile_sums *s) {
  const double one = (double)(UINT64_C(1) << transform_bits(dims)),
               others = most_of_others(&t->coefficients, dims, axes);
  if (!hidden->any && axes && others < 0x1p53 && has_quick_way(l, t, terms, dims)) {
    sums_of_whole(t, dims, axes, others, s);
  } else if (fits_32_bits(l, t->lattice.mode, terms) && inverse_is_exact(&t->coefficients)) {
    ALIGNED double composed[TILE];
    compose_exactly(l, t, dims, terms, composed);
    for (int i = 0; i < TILE; i++)
      s->sum[i] = (int64_t)(composed[i] * one);
    if (hidden->any)
      set_columns_64(s->sum, hidden->at, 0);
    sums_of_64(columns_of(dims), axes, most_composed(l, t, dims, terms), s);
  } else {
    s->wide = 1;
    compose_integers(l, t, &brick_grids[dims], s->wide_sum);
    if (hidden->any)
      set_columns_128(s->wide_sum, hidden->at, 0);
    sum_columns_128(s->wide_sum, columns_of(dims), axes);
  }
}

/* ---- Any tile -------------------------------------------------------------------------------- */

static ghz_status sum_axes(const ghz_lattice *l, tile_source src, const tile_extent *e, unsigned axes,
                           tile_sums *s) {
  tile_header t;
  encoded_tile room;
  hidden_columns hidden;
  const ghz_status status = parse(l, padded_copy(src, &room), e, &t);
  if (status != GHZ_OK)
    return status;
  axes &= e->dims == 3   ? AXIS_Z | AXIS_Y | AXIS_X
          : e->dims == 2 ? AXIS_Y | AXIS_X
                         : AXIS_X; /* it has no others */
  s->wide = 0;
  s->shift = t.transformed ? lattice_bits(l->type, (int)e->dims) - transform_bits(e->dims)
                           : unit_shift(l->type, (int)e->dims, t.lattice.mode);
  find_hidden(&t.lattice, e, axes, &hidden, s);
  if (t.transformed)
    sums_of_transformed(l, &t, e->dims, src.terms, axes, &hidden, s);
  else
    sums_of_lattice(l, &t, e->dims, src.terms, axes, &hidden, s);
  return GHZ_OK;
}
