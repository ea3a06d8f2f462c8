/* decode.h: tiles to values. Part of codec.h. */
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

static int is_raw(tile_source src) {
  return src.size > 0 && first_says_raw(src.data[0]);
}

static int raw_valid(const ghz_lattice *l, tile_source src, unsigned n) {
  return raw_tile_valid(l->type, src.terms, src.data[0], src.size, n);
}

/* The integers of a lattice tile, position-major, as int32_t or, with wide = 1, int64_t. */
static void decode_integers(const tile_header *h, int wide, int64_t *q) {
  ALIGNED bit_plane planes[PLANES_MAX];
  expand_planes(h, planes);
  if (wide) {
    from_planes_64(planes, h->height, q);
  } else {
    from_planes_32(planes, h->height, (int32_t *)q);
  }
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

static void finish_f32(const ghz_lattice *l, const tile_header *h, uint32_t terms, const int64_t *q, int wide,
                       int streaming, float *dst) {
  ALIGNED float y[TILE];
  double unit = mode_unit(l->type, l->step, h->mode);
  if (wide)
    dequantise_64_f32(q, unit, y);
  else if (decodes_in_float(l, h->mode, terms))
    dequantise_32_f32_exact((const int32_t *)q, (float)unit, y);
  else
    dequantise_32_f32((const int32_t *)q, unit, y);
  if (streaming)
    merge_32(y, dst, 1);
  else
    merge_32(y, dst, 0);
}

static void finish_f64(const ghz_lattice *l, const tile_header *h, const int64_t *q, int wide, int streaming,
                       double *dst) {
  ALIGNED double y[TILE];
  double unit = mode_unit(l->type, l->step, h->mode);
  if (wide)
    dequantise_64_f64(q, unit, y);
  else
    dequantise_32_f64((const int32_t *)q, unit, y);
  if (streaming)
    merge_64(y, dst, 1);
  else
    merge_64(y, dst, 0);
}

/* Raw values as they are, but what is missing in one form. */
static void decode_raw(const ghz_lattice *l, const uint8_t *values, ghz_type out, unsigned n, void *dst) {
  const fill_test fill = fill_test_of(l);
  const uint64_t missing = missing_bits(l, l->type);
  for (unsigned i = 0; i < n; i++) {
    if (l->type == GHZ_F64) {
      const uint64_t b = load_u64(values + 8 * i);
      store_u64((uint8_t *)dst + 8 * i, is_nan_f64(b) | is_fill(fill, b) ? missing : b);
      continue;
    }
    const uint32_t b = load_u32(values + 4 * i);
    const uint32_t y = is_nan_f32(b) | is_fill(fill, b) ? (uint32_t)missing : b;
    if (out == GHZ_F32)
      store_u32((uint8_t *)dst + 4 * i, y);
    else
      ((double *)dst)[i] = (double)from_bits_f32(y);
  }
}

static void decode_lattice_tile(const ghz_lattice *l, const tile_header *h, uint32_t terms, ghz_type out,
                                unsigned n, int streaming, void *dst) {
  ALIGNED int64_t q[TILE];
  ALIGNED double whole[TILE];
  int wide = !fits_32_bits(l, h->mode, terms);
  void *y = n < TILE ? whole : dst;
  streaming = streaming && n == TILE && !h->specials && (uintptr_t)dst % VEC == 0;
  decode_integers(h, wide, q);
  if (out == GHZ_F32)
    finish_f32(l, h, terms, q, wide, streaming, y);
  else
    finish_f64(l, h, q, wide, streaming, y);
  if (h->specials) {
    specials s;
    parse_specials(h, &s);
    if (out == GHZ_F32)
      restore_specials_f32(&s, n, (uint32_t)missing_bits(l, out), y);
    else
      restore_specials_f64(&s, n, missing_bits(l, out), y);
  }
  if (n < TILE)
    memcpy(dst, whole, n * ghz_type_size(out));
}

static void zeros(void *dst, size_t size, int streaming) {
  static const ALIGNED uint8_t none[VEC];
  if (!streaming || (uintptr_t)dst % VEC || size % VEC) {
    memset(dst, 0, size);
    return;
  }
  for (size_t i = 0; i < size; i += VEC)
    vec_stream((char *)dst + i, none);
}

static ghz_status decode_flat(const ghz_lattice *l, tile_source src, ghz_type out, unsigned n, int streaming,
                              void *dst) {
  if (src.size == 0) {
    zeros(dst, n * ghz_type_size(out), streaming);
    return GHZ_OK;
  }
  if (is_raw(src)) {
    if (!raw_valid(l, src, n))
      return GHZ_ECORRUPT;
    decode_raw(l, src.data + 1, out, n, dst);
    return GHZ_OK;
  }
  tile_header h;
  encoded_tile room;
  src = padded_copy(src, &room);
  ghz_status status = parse(l, src, n, &h);
  if (status == GHZ_OK)
    decode_lattice_tile(l, &h, src.terms, out, n, streaming, dst);
  return status;
}
