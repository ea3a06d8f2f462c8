/* decode_impl.h: tiles to values. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* y[i] = (REAL)((ARITH)q[i] * unit) */
#define DEFINE_DEQUANTISE(name, INT, ARITH, REAL)                                                              \
  static void name(const INT *q, ARITH unit, REAL *y) {                                                        \
    for (int i = 0; i < TILE; i++)                                                                             \
      y[i] = (REAL)((ARITH)q[i] * unit);                                                                       \
  }

DEFINE_DEQUANTISE(dequantise_32_f32_exact, int32_t, float, float)
DEFINE_DEQUANTISE(dequantise_32_f32, int32_t, double, float)
DEFINE_DEQUANTISE(dequantise_64_f32, int64_t, double, float)
DEFINE_DEQUANTISE(dequantise_32_f64, int32_t, double, double)
DEFINE_DEQUANTISE(dequantise_64_f64, int64_t, double, double)
#undef DEFINE_DEQUANTISE

/* Integers of the lattice to values: of 32 bits, or with wide = 1 of 64. Inlined, so that compilers
 * see where the values are (5 % of a brick's decompression in plain C). */
GHZ_INLINE void dequantise(const ghz_lattice *l, int mode, uint32_t terms, ghz_type out, int wide,
                           const int64_t *q, void *y) {
  const double unit = mode_unit(l->type, l->step, mode);
  if (out == GHZ_F64 && wide)
    dequantise_64_f64(q, unit, y);
  else if (out == GHZ_F64)
    dequantise_32_f64((const int32_t *)q, unit, y);
  else if (wide)
    dequantise_64_f32(q, unit, y);
  else if (decodes_in_float(l, mode, terms))
    dequantise_32_f32_exact((const int32_t *)q, (float)unit, y);
  else
    dequantise_32_f32((const int32_t *)q, unit, y);
}

static int is_raw(tile_source src) {
  return src.size > 0 && first_says_raw(src.data[0]);
}

static int raw_valid(const ghz_lattice *l, tile_source src, unsigned n) {
  return raw_tile_valid(l->type, src.terms, src.data[0], src.size, n);
}

/* Planes of a layer to residuals by position, of 32 bits, or with wide = 1 of 64. */
static void layer_by_position(const layer_header *h, int wide, int64_t *r) {
  ALIGNED bit_plane planes[PLANES_MAX];
  expand_planes(h, planes);
  if (h->turned)
    turn_planes(planes, h->height);
  if (wide)
    from_planes_64(planes, h->height, r);
  else
    from_planes_32(planes, h->height, (int32_t *)r);
}

/* The integers of a flat tile, position-major, as int32_t or, with wide = 1, int64_t. */
static void decode_integers(const layer_header *h, int wide, int64_t *q) {
  layer_by_position(h, wide, q);
  /* The anchors stand for the first residuals. */
  for (int t = 0; t < h->order; t++)
    if (wide)
      q[t * BLOCKS] = 0;
    else
      ((int32_t *)q)[t * BLOCKS] = 0;
  if (wide)
    integrate_64(q, h->order, h->anchor, h->slope);
  else
    integrate_32((int32_t *)q, h->order, h->anchor, h->slope);
}

/* Raw values as they are, but what is missing in one form. One loop for each pair of types, without
 * branches, so that compilers make vectors of it. */
#define DECODE_RAW(name, bits, real, load, store, is_nan, convert)                                             \
  static void name(const fill_test fill, bits missing, const uint8_t *restrict values, unsigned n,             \
                   uint8_t *restrict dst) {                                                                    \
    const bits mask = (bits)fill.mask, key = (bits)fill.key;                                                   \
    for (unsigned i = 0; i < n; i++) {                                                                         \
      const bits b = load(values + sizeof(bits) * i);                                                          \
      store(dst + sizeof(real) * i, convert((is_nan(b) | ((b & mask) == key)) ? missing : b));                 \
    }                                                                                                          \
  }
#define SAME_BITS(bits) (bits)
#define WIDER_BITS(bits) bits_f64((double)from_bits_f32(bits))
DECODE_RAW(decode_raw_f32, uint32_t, float, load_u32, store_u32, is_nan_f32, SAME_BITS)
DECODE_RAW(decode_raw_f32_f64, uint32_t, double, load_u32, store_u64, is_nan_f32, WIDER_BITS)
DECODE_RAW(decode_raw_f64, uint64_t, double, load_u64, store_u64, is_nan_f64, SAME_BITS)

static void decode_raw(const ghz_lattice *l, const uint8_t *values, ghz_type out, unsigned n, void *dst) {
  const fill_test fill = fill_test_of(l);
  const uint64_t missing = missing_bits(l, l->type);
  if (l->type == GHZ_F64)
    decode_raw_f64(fill, missing, values, n, dst);
  else if (out == GHZ_F32)
    decode_raw_f32(fill, (uint32_t)missing, values, n, dst);
  else
    decode_raw_f32_f64(fill, (uint32_t)missing, values, n, dst);
}

/* By position to their places; streaming = 1: past the caches. */
GHZ_INLINE void merge_values(const void *y, ghz_type type, int streaming, void *dst) {
  if (type == GHZ_F32 && streaming)
    merge_32(y, dst, 1);
  else if (type == GHZ_F32)
    merge_32(y, dst, 0);
  else if (streaming)
    merge_64(y, dst, 1);
  else
    merge_64(y, dst, 0);
}

static void decode_flat(const ghz_lattice *l, const layer_header *h, uint32_t terms, ghz_type out, unsigned n,
                        int streaming, void *dst) {
  ALIGNED int64_t q[TILE];
  ALIGNED double y[TILE], full[TILE];
  const int wide = !fits_32_bits(l, h->mode, terms);
  decode_integers(h, wide, q);
  dequantise(l, h->mode, terms, out, wide, q, y);
  merge_values(y, out, streaming && n == TILE && (uintptr_t)dst % VEC == 0, n < TILE ? (void *)full : dst);
  if (n < TILE)
    memcpy(dst, full, n * ghz_type_size(out));
}

/* ---- Of bricks, in memory -------------------------------------------------------------------- */

/* The integers of the lattice, in brick order. */
static void brick_integers(const layer_header *h, const brick_layout *g, int wide, int64_t *q) {
  ALIGNED int64_t r[TILE];
  layer_by_position(h, wide, r);
  if (wide) {
    r[0] = h->order ? h->anchor : r[0];
    if (h->order)
      integrate_x_64(r, g, h->order);
    merge_64(r, q, 0);
    integrate_yz_64(q, g, h->order);
  } else {
    int32_t *narrow = (int32_t *)r;
    narrow[0] = h->order ? (int32_t)h->anchor : narrow[0];
    if (h->order)
      integrate_x_32(narrow, g, h->order);
    merge_32(r, q, 0);
    integrate_yz_32((int32_t *)q, g, h->order);
  }
}

/* The coefficients, in the order in which they are coded, of 32 bits. */
static void narrow_coefficients(const layer_header *h, const live_coefficients *live, int32_t *c) {
  ALIGNED bit_plane planes[PLANES_MAX];
  expand_planes(h, planes);
  coefficients_of_planes(planes, h->height, h->anchor, live->blocks, c);
}
