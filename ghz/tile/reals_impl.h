/* reals_impl.h: floating-point values as bits: largest magnitudes, NaN and infinities, ranges. A
 * part of codec.h, and a template: included once per type.
 *
 * Parameter: BITS   32 or 64; undefined at the end */
/* SPDX-License-Identifier: BSD-3-Clause */

#if BITS == 32
#define REAL float
#define EXPONENT UINT32_C(0x7f800000) /* its mask, which is the bit pattern of +Inf */
#define CANONICAL_NAN UINT32_C(0x7fc00000)
#else
#define REAL double
#define EXPONENT UINT64_C(0x7ff0000000000000)
#define CANONICAL_NAN UINT64_C(0x7ff8000000000000)
#endif
#define BITS_TYPE PASTE(PASTE(uint, BITS), _t)
#define SIGNED_TYPE PASTE(PASTE(int, BITS), _t)
#define SIGNED_VEC PASTE(vec_, BITS)
#define REAL_VEC PASTE(vec_f, BITS)
#define INTEGER_FN(name) PASTE(PASTE(name, _), BITS)
#define FN(name) PASTE(PASTE(name, _f), BITS)
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

/* The number that is missing, which no value is equal to where there is no fill. */
static inline REAL FN(missing_number)(fill_test fill) {
  return FN(from_bits)(fill.mask ? (BITS_TYPE)fill.key : CANONICAL_NAN);
}

/* The magnitudes of a register of values, as integers; what is equal to `missing` counts as NaN. */
GHZ_INLINE SIGNED_VEC FN(magnitudes)(const REAL *x, int has_fill, REAL missing) {
  REAL_VEC v;
  memcpy(&v, x, VEC);
  const SIGNED_VEC is_fill = has_fill ? (SIGNED_VEC)(v == missing) : (SIGNED_VEC){0};
  return ((SIGNED_VEC)v | is_fill) & ((SIGNED_VEC){0} + (SIGNED_TYPE)MAGNITUDE_MASK);
}

/* The bit pattern of the largest magnitude, NaN and infinities included; what is equal to `missing`
 * counts as NaN. Four chains of comparisons run at once, in registers. */
GHZ_INLINE BITS_TYPE FN(largest_of)(const REAL *x, int has_fill, REAL missing) {
  SIGNED_VEC a = {0}, b = {0}, c = {0}, d = {0};
  for (const REAL *end = x + TILE; x < end; x += 4 * LANES_HERE) {
    a = INTEGER_FN(max)(FN(magnitudes)(x, has_fill, missing), a);
    b = INTEGER_FN(max)(FN(magnitudes)(x + LANES_HERE, has_fill, missing), b);
    c = INTEGER_FN(max)(FN(magnitudes)(x + 2 * LANES_HERE, has_fill, missing), c);
    d = INTEGER_FN(max)(FN(magnitudes)(x + 3 * LANES_HERE, has_fill, missing), d);
  }
  return (BITS_TYPE)INTEGER_FN(largest_lane)(INTEGER_FN(max)(INTEGER_FN(max)(a, b), INTEGER_FN(max)(c, d)));
}

/* A call without a fill is compiled without the test for it. */
static BITS_TYPE FN(largest)(const REAL *x) {
  return FN(largest_of)(x, 0, 0);
}

static BITS_TYPE FN(largest_or_fill)(const REAL *x, fill_test fill) {
  return FN(largest_of)(x, 1, FN(missing_number)(fill));
}

/* Replaces the fill by NaN. */
static void FN(take_out_fill)(REAL *x, unsigned n, fill_test fill) {
  for (unsigned i = 0; i < n; i++)
    x[i] = is_fill(fill, FN(bits)(x[i])) ? FN(from_bits)(CANONICAL_NAN) : x[i];
}

/* ---- Specials -------------------------------------------------------------------------------- */

/* As many columns as a register has lanes, or a block, and their bytes of a plane. */
enum {
  FN(AT_ONCE) = LANES_HERE > (int)BLOCK ? LANES_HERE : (int)BLOCK,
  FN(BYTES_AT_ONCE) = FN(AT_ONCE) / (int)BLOCK
};

static inline void FN(put_columns)(unsigned bits, uint8_t *plane) {
  for (int i = 0; i < FN(BYTES_AT_ONCE); i++)
    plane[i] = (uint8_t)(bits >> 8 * i);
}

static inline unsigned FN(take_columns)(const uint8_t *plane) {
  unsigned bits = 0;
  for (int i = 0; i < FN(BYTES_AT_ONCE); i++)
    bits |= (unsigned)plane[i] << 8 * i;
  return bits;
}

/* Adds the columns of those values of a full tile to a plane that are equal to one. */
static void FN(find_equal)(const REAL *x, REAL value, bit_plane plane) {
  for (unsigned i = 0; i < TILE; i += FN(AT_ONCE)) {
    unsigned found = FN(take_columns)(plane + i / BLOCK);
    GHZ_UNROLL_8 for (int k = 0; k < FN(AT_ONCE); k += LANES_HERE) {
      REAL_VEC v;
      memcpy(&v, x + i + k, VEC);
      found |= INTEGER_FN(top_bits)((SIGNED_VEC)(v == value)) << k;
    }
    FN(put_columns)(found, plane + i / BLOCK);
  }
}

/* Where NaN, the fill and infinities stand among the values of a full tile. They are compared as
 * numbers: every machine has that, and no denormal one is 0 here (context/floating.h). */
static void FN(find_specials)(const REAL *x, fill_test fill, specials *s) {
  const SIGNED_VEC low = (SIGNED_VEC){0} + (SIGNED_TYPE)MAGNITUDE_MASK;
  const REAL infinity = FN(from_bits)(EXPONENT), missing = FN(missing_number)(fill);
  SIGNED_VEC infinite = {0};
  for (unsigned i = 0; i < TILE; i += FN(AT_ONCE)) {
    unsigned found = 0;
    GHZ_UNROLL_8 for (int k = 0; k < FN(AT_ONCE); k += LANES_HERE) {
      REAL_VEC v;
      memcpy(&v, x + i + k, VEC);
      found |= INTEGER_FN(top_bits)((SIGNED_VEC)((v != v) | (v == missing))) << k;
      infinite |= (SIGNED_VEC)((REAL_VEC)((SIGNED_VEC)v & low) == infinity);
    }
    FN(put_columns)(found, s->plus + i / BLOCK);
  }
  memcpy(s->minus, s->plus, sizeof s->minus);
  if (INTEGER_FN(top_bits)(infinite)) {
    FN(find_equal)(x, infinity, s->plus);
    FN(find_equal)(x, -infinity, s->minus);
  }
}

/* Copies eight blocks, each column of a plane as the last one before that is not in the plane, or
 * `before`; returns the last one. The whole of a sea or a continent is common. */
static inline BITS_TYPE FN(repeat_in_blocks)(const REAL *x, const uint8_t hidden[8], BITS_TYPE before,
                                             REAL *y) {
  if (load_u64(hidden) == 0) {
    memmove(y, x, 8 * BLOCK * sizeof(REAL));
    return FN(bits)(x[8 * BLOCK - 1]);
  }
  for (unsigned b = 0; b < 8; b++)
    before = INTEGER_FN(repeat)(x + b * BLOCK, hidden[b], before, y + b * BLOCK);
  return before;
}

/* Copies a full tile. Each column of a plane becomes the last one before that is not in the plane;
 * the first such one, if there is none before; 0, if there is none at all. */
static void FN(repeat_others)(const REAL *x, const bit_plane hidden, REAL *y) {
  const unsigned first = first_column_not_in(hidden);
  BITS_TYPE before = first < TILE ? FN(bits)(x[first]) : 0;
  if (first == TILE)
    memset(y, 0, TILE * sizeof(REAL));
  for (unsigned b = 0; first < TILE && b < BLOCKS; b += 8)
    before = FN(repeat_in_blocks)(x + b * BLOCK, hidden + b, before, y + b * BLOCK);
}

/* Notes where NaN, the fill and infinities stand in a full tile, and makes *x a copy where each is
 * the finite value before it (the first finite one at the start, 0 if there is none), whose integer
 * hides there. Only columns in the plane `inside` count, or if that is NULL the first n; the others
 * become such values, too. Returns 0 if there is no special. */
static int FN(hide_specials)(const void **x, unsigned n, const uint8_t *inside, fill_test fill, void *copy,
                             specials *s) {
  ALIGNED bit_plane hidden = {0};
  FN(find_specials)(*x, fill, s);
  if (inside || n < TILE) {
    columns_that_count(n, inside, hidden);
    keep_specials(s, hidden);
    for (int b = 0; b < PLANE_BYTES; b++)
      hidden[b] = (uint8_t)~hidden[b];
  }
  if (!has_specials(s))
    return 0;
  for (int b = 0; b < PLANE_BYTES; b++)
    hidden[b] |= (uint8_t)(s->plus[b] | s->minus[b]);
  FN(repeat_others)(*x, hidden, copy);
  *x = copy;
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

/* Puts NaN, as `missing`, back in values whose columns `bits` has. Halves of 64 bits are masked by
 * themselves: not every machine compares more than 32. */
static inline void FN(restore_missing)(unsigned bits, BITS_TYPE missing, REAL *y) {
  const SIGNED_VEC value = (SIGNED_VEC){0} + (SIGNED_TYPE)missing;
  vec_32 each = {0};
  for (int i = 0; i < VEC / 4; i++)
    each[i] = 1 << i * 4 / (int)sizeof(REAL);
  for (int k = 0; k < FN(AT_ONCE); k += LANES_HERE) {
    SIGNED_VEC v;
    memcpy(&v, y + k, VEC);
    const SIGNED_VEC there = (SIGNED_VEC)((((vec_32){0} + (int)(bits >> k)) & each) == each);
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
  const unsigned plus = FN(take_columns)(s->plus + column / BLOCK),
                 minus = FN(take_columns)(s->minus + column / BLOCK);
  if (!(plus | minus))
    return;
  FN(restore_missing)(plus & minus, missing, y);
  FN(restore_infinities)(plus & ~minus, 0, y);
  FN(restore_infinities)(minus & ~plus, (BITS_TYPE)~MAGNITUDE_MASK, y);
}

/* The same in n values. They begin at a column where a register of them may begin, and there is no
 * special behind them in the last one. */
static void FN(restore_specials)(const specials *s, unsigned column, unsigned n, BITS_TYPE missing, REAL *y) {
  ALIGNED REAL last[FN(AT_ONCE)] = {0};
  const unsigned whole = n / FN(AT_ONCE) * FN(AT_ONCE);
  for (unsigned i = 0; i < whole; i += FN(AT_ONCE))
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

/* A rank that takes floats for doubles finds their range before it hears of the others: they need
 * not be aligned. */
GHZ_INLINE void FN(finite_range)(const REAL *x, size_t n, fill_test fill, double *min, double *max) {
  const BITS_TYPE mask = (BITS_TYPE)fill.mask, fill_key = (BITS_TYPE)fill.key;
  const SIGNED_TYPE none_low = FN(order_key)(EXPONENT), none_high = FN(order_key)(EXPONENT | ~MAGNITUDE_MASK);
  SIGNED_TYPE lo = none_low, hi = none_high;
  for (size_t i = 0; i < n; i++) {
    BITS_TYPE b;
    memcpy(&b, x + i, sizeof b);
    SIGNED_TYPE key = FN(order_key)(b);
    int finite = (SIGNED_TYPE)(b & MAGNITUDE_MASK) < (SIGNED_TYPE)EXPONENT && (b & mask) != fill_key;
    SIGNED_TYPE low = finite ? key : none_low, high = finite ? key : none_high;
    lo = low < lo ? low : lo;
    hi = high > hi ? high : hi;
  }
  *min = (double)FN(from_bits)((BITS_TYPE)FN(order_key)((BITS_TYPE)lo));
  *max = (double)FN(from_bits)((BITS_TYPE)FN(order_key)((BITS_TYPE)hi));
}

#undef REAL
#undef EXPONENT
#undef CANONICAL_NAN
#undef BITS_TYPE
#undef SIGNED_TYPE
#undef SIGNED_VEC
#undef REAL_VEC
#undef INTEGER_FN
#undef FN
#undef MAGNITUDE_MASK
#undef LANES_HERE
#undef BITS
