/* lanes_impl.h: integers of a tile to residuals, widths and bit planes, and back. A part of
 * codec.h, and a template: included once per size of integers.
 *
 * Parameter: BITS   16 (encoding alone), 32 or 64; undefined at the end
 *
 * Integers of a tile stand position-major: value t of block b at [t * BLOCKS + b]. Every loop
 * below runs over neighbouring blocks, and so compiles to full vector registers on any machine. */
/* SPDX-License-Identifier: BSD-3-Clause */

#define INT PASTE(PASTE(int, BITS), _t)
#define UINT PASTE(PASTE(uint, BITS), _t)
#define FN(name) PASTE(PASTE(name, _), BITS)

/* Where bits differ from those below them; the topmost of these places is that of the sign. So the
 * bit length of this is the width of r, and the OR of several has that of the widest. */
static inline UINT FN(fold)(INT r) {
  return (UINT)((UINT)r ^ (UINT)((UINT)r << 1));
}

/* Residuals of q at an order (FORMAT.md, "Residuals"), to r or, where `low` is given instead, their
 * low bytes to it. Columns from n on are 0. q is not overwritten. Inlined, so that the order and
 * the destination are constants and the loop over blocks has no branch. */
GHZ_INLINE void FN(residuals_to)(const INT *q, unsigned n, int order, INT *r, uint8_t *low) {
  const UINT *u = (const UINT *)q;
  UINT before[BLOCKS + 1], slopes[BLOCKS + 1]; /* last value, last difference of the block before */
  memcpy(before + 1, u + 7 * BLOCKS, sizeof(INT) * BLOCKS);
  before[0] = u[0];
  for (int b = 0; b < BLOCKS; b++)
    slopes[b + 1] = (UINT)(u[7 * BLOCKS + b] - u[6 * BLOCKS + b]);
  slopes[0] = 0;
  for (int b = 0; b < BLOCKS; b++) {
    UINT last = before[b], slope = slopes[b];
    GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) {
      UINT v = u[t * BLOCKS + b], d = (UINT)(v - last);
      UINT x = order == 0 ? v : order == 1 ? d : (UINT)(d - slope);
      if (low)
        low[t * BLOCKS + b] = (uint8_t)x;
      else
        r[t * BLOCKS + b] = (INT)x;
      last = v;
      slope = d;
    }
  }
  /* The anchors stand for the first residuals; the loop has left them at column 1 alone, at order
   * 2. */
  if (order == 2 && low)
    low[BLOCKS] = 0;
  else if (order == 2)
    r[BLOCKS] = 0;
  if (n < TILE)
    clear_behind(low ? (void *)low : r, low ? 1 : sizeof(INT), n);
}

static void FN(residuals)(const INT *q, unsigned n, int order, INT *r) {
  if (order == 0)
    FN(residuals_to)(q, n, 0, r, NULL);
  else if (order == 1)
    FN(residuals_to)(q, n, 1, r, NULL);
  else
    FN(residuals_to)(q, n, 2, r, NULL);
}

static void FN(low_residuals)(const INT *q, unsigned n, int order, uint8_t *low) {
  if (order == 0)
    FN(residuals_to)(q, n, 0, NULL, low);
  else if (order == 1)
    FN(residuals_to)(q, n, 1, NULL, low);
  else
    FN(residuals_to)(q, n, 2, NULL, low);
}

/* The magnitudes of block b alone, of its columns before n: of the first block, for which anchors
 * stand, or of one that the end cuts. */
GHZ_INLINE void FN(magnitudes_of_block)(const UINT *u, unsigned n, unsigned b, UINT m[3][BLOCKS]) {
  UINT last = 0, slope = 0, m0 = 0, m1 = 0, m2 = 0;
  if (b) {
    last = u[7 * BLOCKS + b - 1];
    slope = (UINT)(last - u[6 * BLOCKS + b - 1]);
  }
  for (unsigned t = 0; t < BLOCK && BLOCK * b + t < n; t++) {
    const UINT v = u[t * BLOCKS + b], d = (UINT)(v - last), e = (UINT)(d - slope);
    m0 |= FN(fold)((INT)v);
    m1 |= b + t > 0 ? FN(fold)((INT)d) : 0;
    m2 |= b > 0 || t > 1 ? FN(fold)((INT)e) : 0;
    last = v;
    slope = d;
  }
  m[0][b] = m0;
  m[1][b] = m1;
  m[2][b] = m2;
}

/* Bits that the widest residual of each block needs, folded, for the three orders at once. */
static void FN(magnitudes)(const INT *q, unsigned n, UINT m[3][BLOCKS]) {
  const UINT *u = (const UINT *)q;
  for (int b = 0; b < BLOCKS; b++) {
    UINT last = u[7 * BLOCKS - 1 + b], slope = (UINT)(last - u[6 * BLOCKS - 1 + b]);
    UINT m0 = 0, m1 = 0, m2 = 0;
    GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) {
      UINT v = u[t * BLOCKS + b], d = (UINT)(v - last), e = (UINT)(d - slope);
      m0 |= FN(fold)((INT)v);
      m1 |= FN(fold)((INT)d);
      m2 |= FN(fold)((INT)e);
      last = v;
      slope = d;
    }
    m[0][b] = m0;
    m[1][b] = m1;
    m[2][b] = m2;
  }
  FN(magnitudes_of_block)(u, BLOCK, 0, m);
  if (n < BLOCK)
    FN(magnitudes_of_block)(u, n, 0, m);
  if (n < TILE && n % BLOCK)
    FN(magnitudes_of_block)(u, n, n / BLOCK, m);
  for (int o = 0; n < TILE && o < 3; o++)
    memset(m[o] + (n + BLOCK - 1) / BLOCK, 0, (BLOCKS - (n + BLOCK - 1) / BLOCK) * sizeof(UINT));
}

/* Bit lengths of folded magnitudes, and the largest. */
GHZ_INLINE unsigned FN(widths)(const void *folded, uint8_t *width) {
  const UINT *m = folded;
  UINT any = 0;
  for (int b = 0; b < BLOCKS; b++)
    any |= m[b];
#if BITS == 64
  for (int b = 0; b < BLOCKS; b++)
    width[b] = (uint8_t)bit_length(m[b]);
#else
  FN(bit_lengths)(m, width);
#endif
  return bit_length(any);
}

/* Planes 0 .. 8 * octets - 1 of residuals. An octet of planes is one byte of every residual,
 * transposed. There are no more than the integers have. */
static void FN(planes_of)(const void *residuals, unsigned octets, bit_plane *planes) {
  const UINT *r = residuals;
  for (unsigned k = 0; k < octets && k < sizeof(INT); k++) {
    uint8_t *octet = (uint8_t *)(planes + 8 * k);
    for (int i = 0; i < TILE; i++)
      octet[i] = (uint8_t)(r[i] >> (8 * k));
    transpose_bits(planes + 8 * k);
  }
}

/* The same of the residuals of q at an order. Most tiles need one octet: the low bytes of their
 * residuals are enough. */
static void FN(to_planes)(const INT *q, unsigned n, int order, unsigned octets, bit_plane *planes) {
  INT r[TILE];
  if (octets == 1) {
    FN(low_residuals)(q, n, order, (uint8_t *)planes);
    transpose_bits(planes);
    return;
  }
  FN(residuals)(q, n, order, r);
  FN(planes_of)(r, octets, planes);
}

/* The widths of the residuals of q at the three orders, and the largest of each. */
static inline void FN(measure_orders)(const INT *q, unsigned n, uint8_t *const width[3], unsigned height[3]) {
  ALIGNED UINT m[3][BLOCKS];
  FN(magnitudes)(q, n, m);
  for (int o = 0; o < 3; o++)
    height[o] = FN(widths)(m[o], width[o]);
}

/* Widths of residuals. Returns the largest. */
static unsigned FN(widths_of)(const void *residuals, uint8_t width[BLOCKS]) {
  const INT *r = residuals;
  ALIGNED UINT m[BLOCKS];
  for (int b = 0; b < BLOCKS; b++) {
    UINT any = 0;
    GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) any |= FN(fold)(r[t * BLOCKS + b]);
    m[b] = any;
  }
  return FN(widths)(m, width);
}

/* Whether no transform along x makes them small (may_be_noise). Cut blocks do not count. */
static inline int FN(is_rough)(const INT *q, const uint8_t *outside) {
  uint8_t rough[BLOCKS];
  int all = 0;
  for (int b = 0; b < BLOCKS; b++) {
    INT before = 0, first = 0, second = 0;
    GHZ_UNROLL_8 for (int t = 1; t < BLOCK; t++) {
      const INT d = (INT)(q[t * BLOCKS + b] - q[(t - 1) * BLOCKS + b]), e = (INT)(t > 1 ? d - before : 0),
                far = (INT)(d < 0 ? -d : d), bend = (INT)(e < 0 ? -e : e);
      first = (INT)(far > first ? far : first);
      second = (INT)(bend > second ? bend : second);
      before = d;
    }
    rough[b] = (second > first) & (first > ROUGH_DIFFERENCE);
  }
  for (int b = 0; b < BLOCKS; b++)
    all += outside ? rough[b] & !outside[7 * BLOCKS + b] : rough[b];
  return all >= ROUGH_BLOCKS;
}

#if BITS != 16
/* Residuals from `height` planes, the topmost of which is the sign. Overwrites planes up to the
 * next multiple of 8. */
static void FN(from_planes)(bit_plane planes[], unsigned height, INT *r) {
  unsigned octets = (height + 7) / 8;
  if (octets > sizeof(INT))
    octets = sizeof(INT);
  if (octets == 0) {
    memset(r, 0, sizeof(INT) * TILE);
    return;
  }
  for (unsigned p = height; p < 8 * octets; p++)
    memcpy(planes[p], planes[height - 1], PLANE_BYTES);
  for (unsigned k = 0; k < octets; k++)
    transpose_bits(planes + 8 * k);
  const uint8_t *bytes = (const uint8_t *)planes, *top = bytes + (octets - 1) * TILE;
  if (octets == 1) {
    for (int i = 0; i < TILE; i++)
      r[i] = (int8_t)top[i];
    return;
  }
  const uint8_t *next = top - TILE;
  for (int i = 0; i < TILE; i++)
    r[i] = (INT)((UINT)(INT)(int8_t)top[i] << 8 | next[i]);
  for (unsigned k = octets - 2; k-- > 0;)
    for (int i = 0; i < TILE; i++)
      r[i] = (INT)((UINT)r[i] << 8 | bytes[k * TILE + (unsigned)i]);
}

/* Integers from residuals, in place: the inverse of FN(residuals) with its anchors. Sums wrap, by
 * design. First inside each block, then over the blocks, then both together. */
static void FN(integrate_once)(UINT *u, UINT anchor) {
  UINT value[BLOCKS];
  for (int b = 0; b < BLOCKS; b++) {
    UINT s = 0;
    GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) {
      s = (UINT)(s + u[t * BLOCKS + b]);
      u[t * BLOCKS + b] = s;
    }
    value[b] = s;
  }
  FN(scan)(value, anchor);
  for (int b = 0; b < BLOCKS; b++)
    GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) u[t * BLOCKS + b] = (UINT)(u[t * BLOCKS + b] + value[b]);
}

static void FN(integrate_twice)(UINT *u, UINT anchor, UINT slope) {
  UINT value[BLOCKS], delta[BLOCKS];
  for (int b = 0; b < BLOCKS; b++) {
    UINT d = 0, s = 0;
    GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) {
      d = (UINT)(d + u[t * BLOCKS + b]);
      s = (UINT)(s + d);
      u[t * BLOCKS + b] = s;
    }
    delta[b] = d;
    value[b] = s;
  }
  FN(scan)(delta, slope);
  for (int b = 0; b < BLOCKS; b++)
    value[b] = (UINT)(value[b] + BLOCK * delta[b]);
  FN(scan)(value, (UINT)(anchor - slope));
  for (int b = 0; b < BLOCKS; b++) {
    UINT base = value[b], d = delta[b];
    GHZ_UNROLL_8 for (int t = 0; t < BLOCK; t++) {
      base = (UINT)(base + d);
      u[t * BLOCKS + b] = (UINT)(u[t * BLOCKS + b] + base);
    }
  }
}

static void FN(integrate)(INT *r, int order, int64_t anchor, int64_t slope) {
  if (order == 1)
    FN(integrate_once)((UINT *)r, (UINT)anchor);
  else if (order == 2)
    FN(integrate_twice)((UINT *)r, (UINT)anchor, (UINT)slope);
}
#endif

#undef INT
#undef UINT
#undef FN
#undef BITS
