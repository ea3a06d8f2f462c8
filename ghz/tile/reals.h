/* reals.h: floating-point values as bits: largest magnitudes, NaN and infinities, ranges. A part of
 * codec.h, and a template: included once per type.
 *
 * Parameters, undefined at the end:
 *   REAL            float or double
 *   BITS_TYPE       the unsigned integer of its size, SIGNED_TYPE the signed one
 *   SIGNED_VEC      the vector of signed integers of its size, and SIGNED_MAX the larger of two,
 *                   lane by lane
 *   LANE_BITS       lane_bits_32 or lane_bits_64
 *   EXPONENT        the mask of its exponent, which is the bit pattern of +Inf
 *   CANONICAL_NAN   the bit pattern of the NaN that is decoded
 *   SUFFIX          f32 or f64: ends the names of the functions */
/* SPDX-License-Identifier: BSD-3-Clause */

#define FN(name) PASTE(PASTE(name, _), SUFFIX)
#define MAGNITUDE_MASK ((BITS_TYPE) ~((BITS_TYPE)1 << (8 * sizeof(REAL) - 1)))
#define LANES_HERE (VEC / (int)sizeof(REAL))

static inline BITS_TYPE FN(bits)(REAL x) {
  BITS_TYPE b;
  memcpy(&b, &x, sizeof b);
  return b;
}

static inline REAL FN(from_bits)(BITS_TYPE b) {
  REAL x;
  memcpy(&x, &b, sizeof x);
  return x;
}

static inline int FN(is_nan)(BITS_TYPE b) {
  return (b & MAGNITUDE_MASK) > EXPONENT;
}

static inline BITS_TYPE FN(canonical)(BITS_TYPE b) {
  return FN(is_nan)(b) ? CANONICAL_NAN : b;
}

/* The bit pattern of the largest magnitude, NaN and infinities included; the fill counts as NaN.
 * Four chains of comparisons run at once. */
GHZ_INLINE BITS_TYPE FN(largest_of)(const REAL *x, fill_test fill) {
  const SIGNED_VEC low = (SIGNED_VEC){0} + (SIGNED_TYPE)MAGNITUDE_MASK,
                   mask = (SIGNED_VEC){0} + (SIGNED_TYPE)fill.mask,
                   key = (SIGNED_VEC){0} + (SIGNED_TYPE)fill.key;
  SIGNED_VEC largest[4];
  memset(largest, 0, sizeof largest);
  for (int i = 0; i < TILE; i += 4 * LANES_HERE)
    for (int k = 0; k < 4; k++) {
      SIGNED_VEC v;
      memcpy(&v, x + i + k * LANES_HERE, VEC);
      largest[k] = SIGNED_MAX((v | ((v & mask) == key)) & low, largest[k]);
    }
  SIGNED_TYPE all = 0;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < LANES_HERE; i++)
      all = largest[k][i] > all ? largest[k][i] : all;
  return (BITS_TYPE)all;
}

/* A call without a fill is compiled without the test for it. */
static BITS_TYPE FN(largest)(const REAL *x) {
  return FN(largest_of)(x, (fill_test){0, 1});
}

static BITS_TYPE FN(largest_or_fill)(const REAL *x, fill_test fill) {
  return FN(largest_of)(x, fill);
}

/* Replaces the fill by NaN. */
static void FN(take_out_fill)(REAL *x, unsigned n, fill_test fill) {
  for (unsigned i = 0; i < n; i++)
    x[i] = is_fill(fill, FN(bits)(x[i])) ? FN(from_bits)(CANONICAL_NAN) : x[i];
}

/* ---- Specials -------------------------------------------------------------------------------- */

/* Adds to a plane the columns of those values that are equal to one, bit by bit. */
static void FN(find_equal)(const REAL *x, BITS_TYPE value, bit_plane plane) {
  const SIGNED_VEC wanted = (SIGNED_VEC){0} + (SIGNED_TYPE)value;
  for (int w = 0; w < TILE / 64; w++) {
    uint64_t found = 0;
    for (int k = 0; k < 64; k += LANES_HERE) {
      SIGNED_VEC v;
      memcpy(&v, x + 64 * w + k, VEC);
      found |= (uint64_t)LANE_BITS(v == wanted) << k;
    }
    store_u64(plane + 8 * w, load_u64(plane + 8 * w) | found);
  }
}

/* Where NaN, the fill and infinities stand among the values of a full tile. */
static void FN(find_specials)(const REAL *x, fill_test fill, specials *s) {
  const SIGNED_VEC low = (SIGNED_VEC){0} + (SIGNED_TYPE)MAGNITUDE_MASK,
                   infinity = (SIGNED_VEC){0} + (SIGNED_TYPE)EXPONENT,
                   mask = (SIGNED_VEC){0} + (SIGNED_TYPE)fill.mask,
                   key = (SIGNED_VEC){0} + (SIGNED_TYPE)fill.key;
  SIGNED_VEC infinite = {0};
  for (int w = 0; w < TILE / 64; w++) {
    uint64_t missing = 0;
    for (int k = 0; k < 64; k += LANES_HERE) {
      SIGNED_VEC v;
      memcpy(&v, x + 64 * w + k, VEC);
      missing |= (uint64_t)LANE_BITS(((v & low) > infinity) | ((v & mask) == key)) << k;
      infinite |= (v & low) == infinity;
    }
    store_u64(s->plus + 8 * w, missing);
    store_u64(s->minus + 8 * w, missing);
  }
  if (LANE_BITS(infinite)) {
    FN(find_equal)(x, EXPONENT, s->plus);
    FN(find_equal)(x, EXPONENT | (BITS_TYPE)~MAGNITUDE_MASK, s->minus);
  }
}

/* Of four values, from the last one on: those in their place are read before they are written. */
static inline void FN(repeat_in_four)(REAL *x, unsigned hidden) {
  const int8_t *from = last_not_in[hidden];
  for (int i = 3; i >= 0; i--)
    x[i] = x[from[i]];
}

/* Each column of a plane takes the value of the last one before that is not in the plane; of the
 * first such one, if there is none before; 0, if there is none at all. */
static void FN(repeat_others)(REAL *x, const bit_plane hidden) {
  const unsigned first = first_column_not_in(hidden);
  for (unsigned i = 0; i < first; i++)
    x[i] = first < TILE ? x[first] : 0;
  for (unsigned b = first / BLOCK; b < BLOCKS; b++) {
    const unsigned columns = hidden[b] & (b == first / BLOCK ? 0xffU << first % BLOCK : 0xffU);
    REAL *block = x + b * BLOCK;
    if (columns == 0xff) {
      const REAL before = block[-1];
      for (int i = 0; i < BLOCK; i++)
        block[i] = before;
    } else if (columns) {
      FN(repeat_in_four)(block, columns & 15);
      FN(repeat_in_four)(block + 4, columns >> 4);
    }
  }
}

/* Sets the columns of a tile that are not in a plane to 0. */
static void FN(clear_others)(REAL *x, const bit_plane plane) {
  for (unsigned b = 0; b < BLOCKS; b++)
    for (unsigned left = ~plane[b] & 0xffU; left; left &= left - 1)
      x[b * BLOCK + (unsigned)__builtin_ctz(left)] = 0;
}

/* Notes where NaN, the fill and infinities stand in a full tile, and makes *x a copy where each is
 * the finite value before it (the first finite one at the start, 0 if there is none), whose integer
 * hides there. Only columns in the plane `inside` count, or if that is NULL the first n; the others
 * are 0, before and after. Returns 0 if there is no special. */
static int FN(hide_specials)(const void **x, unsigned n, const uint8_t *inside, fill_test fill, void *copy,
                             specials *s) {
  ALIGNED bit_plane counts, hidden;
  columns_that_count(n, inside, counts);
  FN(find_specials)(*x, fill, s);
  if (!keep_specials(s, counts))
    return 0;
  if (*x != copy)
    *x = memcpy(copy, *x, TILE * sizeof(REAL));
  columns_to_hide(s, counts, hidden);
  FN(repeat_others)(copy, hidden);
  FN(clear_others)(copy, counts);
  return 1;
}

/* The largest finite magnitude of a full tile; where it holds specials, *special is 1, they are
 * noted, and *x becomes a copy without them. */
static double FN(extract_specials)(const void **x, unsigned n, const uint8_t *inside, fill_test fill,
                                   void *copy, specials *s, int *special) {
  BITS_TYPE largest = fill.mask ? FN(largest_or_fill)(*x, fill) : FN(largest)(*x);
  *special = 0;
  if (largest >= EXPONENT) {
    *special = FN(hide_specials)(x, n, inside, fill, copy, s);
    largest = FN(largest)(*x);
  }
  return FN(from_bits)(largest);
}

/* As many columns as a register has lanes, or a block. */
enum { FN(RESTORED) = LANES_HERE > (int)BLOCK ? LANES_HERE : (int)BLOCK };

/* Puts NaN, as `missing`, back in values whose columns `bits` has. */
static inline void FN(restore_missing)(unsigned bits, BITS_TYPE missing, REAL *y) {
  const SIGNED_VEC value = (SIGNED_VEC){0} + (SIGNED_TYPE)missing;
  SIGNED_VEC each = {0};
  for (int i = 0; i < LANES_HERE; i++)
    each[i] = (SIGNED_TYPE)1 << i;
  for (int k = 0; k < FN(RESTORED); k += LANES_HERE) {
    SIGNED_VEC v;
    memcpy(&v, y + k, VEC);
    const SIGNED_VEC there = (((SIGNED_VEC){0} + (SIGNED_TYPE)(bits >> k)) & each) == each;
    v = (v & ~there) | (value & there);
    memcpy(y + k, &v, VEC);
  }
}

static inline void FN(restore_infinities)(unsigned bits, BITS_TYPE sign, REAL *y) {
  for (; bits; bits &= bits - 1)
    y[__builtin_ctz(bits)] = FN(from_bits)(EXPONENT | sign);
}

/* Puts NaN and infinities back in values from a column on. */
static inline void FN(restore_at)(const specials *s, unsigned column, BITS_TYPE missing, REAL *y) {
  const int two = LANES_HERE > (int)BLOCK;
  const uint8_t *p = s->plus + column / BLOCK, *m = s->minus + column / BLOCK;
  const unsigned plus = two ? load_u16(p) : *p, minus = two ? load_u16(m) : *m;
  if (!(plus | minus))
    return;
  FN(restore_missing)(plus & minus, missing, y);
  FN(restore_infinities)(plus & ~minus, 0, y);
  FN(restore_infinities)(minus & ~plus, (BITS_TYPE)~MAGNITUDE_MASK, y);
}

/* The same in n values. They begin at a column where a register of them may begin, and there is no
 * special behind them in the last one. */
static void FN(restore_specials)(const specials *s, unsigned column, unsigned n, BITS_TYPE missing, REAL *y) {
  ALIGNED REAL last[FN(RESTORED)] = {0};
  const unsigned whole = n / FN(RESTORED) * FN(RESTORED);
  for (unsigned i = 0; i < whole; i += FN(RESTORED))
    FN(restore_at)(s, column + i, missing, y + i);
  if (whole == n)
    return;
  memcpy(last, y + whole, (n - whole) * sizeof(REAL));
  FN(restore_at)(s, column + whole, missing, last);
  memcpy(y + whole, last, (n - whole) * sizeof(REAL));
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

/* Floating-point numbers of either sign in the order of integers. */
static inline SIGNED_TYPE FN(order_key)(BITS_TYPE b) {
  SIGNED_TYPE s = (SIGNED_TYPE)b;
  return s ^ (SIGNED_TYPE)((BITS_TYPE)(s >> (8 * sizeof(REAL) - 1)) & MAGNITUDE_MASK);
}

GHZ_INLINE void FN(finite_range)(const REAL *x, size_t n, fill_test fill, double *min, double *max) {
  const BITS_TYPE mask = (BITS_TYPE)fill.mask, fill_key = (BITS_TYPE)fill.key;
  const SIGNED_TYPE none_low = FN(order_key)(EXPONENT), none_high = FN(order_key)(EXPONENT | ~MAGNITUDE_MASK);
  SIGNED_TYPE lo = none_low, hi = none_high;
  for (size_t i = 0; i < n; i++) {
    BITS_TYPE b = FN(bits)(x[i]);
    SIGNED_TYPE key = FN(order_key)(b);
    int finite = (SIGNED_TYPE)(b & MAGNITUDE_MASK) < (SIGNED_TYPE)EXPONENT && (b & mask) != fill_key;
    SIGNED_TYPE low = finite ? key : none_low, high = finite ? key : none_high;
    lo = low < lo ? low : lo;
    hi = high > hi ? high : hi;
  }
  *min = (double)FN(from_bits)((BITS_TYPE)FN(order_key)((BITS_TYPE)lo));
  *max = (double)FN(from_bits)((BITS_TYPE)FN(order_key)((BITS_TYPE)hi));
}

#undef FN
#undef MAGNITUDE_MASK
#undef LANES_HERE
#undef REAL
#undef BITS_TYPE
#undef SIGNED_TYPE
#undef SIGNED_VEC
#undef SIGNED_MAX
#undef LANE_BITS
#undef EXPONENT
#undef CANONICAL_NAN
#undef SUFFIX
