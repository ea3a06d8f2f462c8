/* reals.h: floating-point values as bits: largest magnitudes, NaN and infinities, ranges. A part of
 * codec.h, and a template: included once per type.
 *
 * Parameters, undefined at the end:
 *   REAL            float or double
 *   BITS_TYPE       the unsigned integer of its size, SIGNED_TYPE the signed one
 *   SIGNED_VEC      the vector of signed integers of its size, and SIGNED_MAX the larger of two,
 *                   lane by lane
 *   EXPONENT        the mask of its exponent, which is the bit pattern of +Inf
 *   CANONICAL_NAN   the bit pattern of the NaN that is decoded
 *   SUFFIX          f32 or f64: ends the names of the functions */
/* SPDX-License-Identifier: BSD-3-Clause */

#define FN(name) PASTE(PASTE(name, _), SUFFIX)
#define MAGNITUDE_MASK ((BITS_TYPE) ~((BITS_TYPE)1 << (8 * sizeof(REAL) - 1)))

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

/* The bit pattern of the largest magnitude, NaN and infinities included. Four chains of comparisons
 * run at once. */
static BITS_TYPE FN(largest)(const REAL *x) {
  enum { LANES_HERE = VEC / (int)sizeof(REAL) };
  SIGNED_VEC largest[4], low = (SIGNED_VEC){0} + (SIGNED_TYPE)MAGNITUDE_MASK;
  memset(largest, 0, sizeof largest);
  for (int i = 0; i < TILE; i += 4 * LANES_HERE)
    for (int k = 0; k < 4; k++) {
      SIGNED_VEC v;
      memcpy(&v, x + i + k * LANES_HERE, VEC);
      largest[k] = SIGNED_MAX(v & low, largest[k]);
    }
  SIGNED_TYPE all = 0;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < LANES_HERE; i++)
      all = largest[k][i] > all ? largest[k][i] : all;
  return (BITS_TYPE)all;
}

/* Whether a full tile has a value that is the fill. */
static int FN(has_fill)(const REAL *x, fill_test fill) {
  const BITS_TYPE mask = (BITS_TYPE)fill.mask, key = (BITS_TYPE)fill.key;
  BITS_TYPE any = 0;
  for (int i = 0; i < TILE; i++)
    any |= (BITS_TYPE) - ((FN(bits)(x[i]) & mask) == key);
  return any != 0;
}

/* Replaces the fill by NaN, in columns that count. */
static void FN(take_out_fill)(REAL *x, unsigned n, const uint8_t *inside, fill_test fill) {
  for (unsigned i = 0; i < n; i++)
    if (column_in(inside, i) && is_fill(fill, FN(bits)(x[i])))
      x[i] = FN(from_bits)(CANONICAL_NAN);
}

/* The same in a copy of a full tile, which *x then is, where it has any. */
static void FN(hide_fill)(const void **x, unsigned n, const uint8_t *inside, fill_test fill, void *copy) {
  if (!FN(has_fill)(*x, fill))
    return;
  if (*x != copy)
    *x = memcpy(copy, *x, TILE * sizeof(REAL));
  FN(take_out_fill)(copy, n, inside, fill);
}

/* Notes where NaN and infinities stand and replaces each by the finite value before it (the first
 * finite one at the start, 0 if there is none), whose integer hides there. Only columns in the
 * plane `inside` count, or if that is NULL the first n. Returns the largest finite magnitude's
 * bits. */
static BITS_TYPE FN(hide_specials)(REAL *x, unsigned n, const uint8_t *inside, specials *s) {
  BITS_TYPE largest = 0;
  REAL last = 0;
  for (unsigned i = n; i-- > 0;)
    if (column_in(inside, i) && (FN(bits)(x[i]) & EXPONENT) != EXPONENT)
      last = x[i];
  for (unsigned i = 0; i < n; i++) {
    if (!column_in(inside, i))
      continue;
    BITS_TYPE b = FN(bits)(x[i]), magnitude = b & MAGNITUDE_MASK;
    if (magnitude >= EXPONENT) {
      int nan = magnitude > EXPONENT;
      uint8_t bit = (uint8_t)(1 << i % 8);
      if (nan || b == magnitude)
        s->plus[i / 8] |= bit;
      if (nan || b != magnitude)
        s->minus[i / 8] |= bit;
      x[i] = last;
    } else {
      largest = magnitude > largest ? magnitude : largest;
      last = x[i];
    }
  }
  return largest;
}

/* The largest finite magnitude of a full tile; where it holds NaN or infinities, *special is 1,
 * they are noted, and *x becomes a copy without them. */
static double FN(extract_specials)(const void **x, unsigned n, const uint8_t *inside, void *copy, specials *s,
                                   int *special) {
  BITS_TYPE largest = FN(largest)(*x);
  *special = largest >= EXPONENT;
  if (*special) {
    memset(s, 0, sizeof *s);
    if (*x != copy)
      *x = memcpy(copy, *x, TILE * sizeof(REAL));
    largest = FN(hide_specials)(copy, n, inside, s);
  }
  return FN(from_bits)(largest);
}

/* Puts NaN, as `missing`, and infinities back in n values, which begin at a column. */
static void FN(restore_specials)(const specials *s, unsigned column, unsigned n, BITS_TYPE missing, REAL *y) {
  for (unsigned i = column; i < column + n; i++) {
    const int plus = column_in(s->plus, i), minus = column_in(s->minus, i);
    if (plus | minus)
      y[i - column] = FN(from_bits)(plus & minus ? missing
                                    : plus       ? EXPONENT
                                                 : EXPONENT | (BITS_TYPE)~MAGNITUDE_MASK);
  }
}

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
#undef REAL
#undef BITS_TYPE
#undef SIGNED_TYPE
#undef SIGNED_VEC
#undef SIGNED_MAX
#undef EXPONENT
#undef CANONICAL_NAN
#undef SUFFIX
