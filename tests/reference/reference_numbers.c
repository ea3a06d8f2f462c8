/* reference_numbers.c: exact integers, how they round, and sums over the values of streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference_numbers.h"
#include "reference_parts.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Integers ---- */
static int compare_magnitudes(const big *a, const big *b) {
  for (int i = BIG_DIGITS - 1; i >= 0; i--)
    if (a->digit[i] != b->digit[i])
      return a->digit[i] > b->digit[i] ? 1 : -1;
  return 0;
}

static int is_zero(const big *a) {
  for (int i = 0; i < BIG_DIGITS; i++)
    if (a->digit[i])
      return 0;
  return 1;
}

/* The lowest n digits times 2^32 or so: digits that leave at the top must be 0. */
big big_shift(const big *a, unsigned up) {
  big r = {.negative = a->negative};
  for (int i = 0; i < BIG_DIGITS; i++) {
    uint64_t v = (uint64_t)a->digit[i] << up % 32;
    unsigned to = (unsigned)i + up / 32;
    if (v && to + 1 >= BIG_DIGITS)
      abort();
    if (v) {
      r.digit[to] |= (uint32_t)v;
      r.digit[to + 1] |= (uint32_t)(v >> 32);
    }
  }
  return r;
}

big big_of_integer(__int128 v) {
  big r = {.negative = v < 0};
  unsigned __int128 size = v < 0 ? 0 - (unsigned __int128)v : (unsigned __int128)v;
  for (int i = 0; i < 4; i++, size >>= 32)
    r.digit[i] = (uint32_t)size;
  return r;
}

big big_of_double(double v, int unit) {
  int exponent;
  double fraction = frexp(v, &exponent);
  big r = big_of_integer((int64_t)ldexp(fraction, 53));
  int up = exponent - 53 + unit;
  if (v == 0)
    return r;
  for (; up < 0; up++) { /* the mantissa's trailing zeros */
    if (r.digit[0] & 1)
      abort();
    for (int i = 0; i < BIG_DIGITS; i++)
      r.digit[i] = r.digit[i] >> 1 | (i + 1 < BIG_DIGITS ? r.digit[i + 1] << 31 : 0);
  }
  return big_shift(&r, (unsigned)up);
}

big big_negated(const big *a) {
  big r = *a;
  r.negative = !r.negative;
  return r;
}

big big_magnitude(const big *a) {
  big r = *a;
  r.negative = 0;
  return r;
}

/* |a| + |b|, or |a| - |b| where |a| >= |b|. */
static big magnitudes(const big *a, const big *b, int minus) {
  big r = {0};
  int64_t carry = 0;
  for (int i = 0; i < BIG_DIGITS; i++) {
    carry += (int64_t)a->digit[i] + (minus ? -(int64_t)b->digit[i] : (int64_t)b->digit[i]);
    r.digit[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry)
    abort();
  return r;
}

big big_sum(const big *a, const big *b) {
  if (a->negative == b->negative) {
    big r = magnitudes(a, b, 0);
    r.negative = a->negative;
    return r;
  }
  int larger = compare_magnitudes(a, b);
  big r = larger >= 0 ? magnitudes(a, b, 1) : magnitudes(b, a, 1);
  r.negative = larger >= 0 ? a->negative : b->negative;
  return r;
}

big big_difference(const big *a, const big *b) {
  big minus = big_negated(b);
  return big_sum(a, &minus);
}

big big_product(const big *a, const big *b) {
  big r = {.negative = a->negative != b->negative};
  for (int i = 0; i < BIG_DIGITS; i++) {
    uint64_t carry = 0;
    if (a->digit[i] == 0)
      continue;
    for (int k = 0; k < BIG_DIGITS; k++) {
      uint64_t v = (uint64_t)a->digit[i] * b->digit[k] + carry;
      if (i + k >= BIG_DIGITS) {
        if (v)
          abort();
        continue;
      }
      v += r.digit[i + k];
      r.digit[i + k] = (uint32_t)v;
      carry = v >> 32;
    }
  }
  return r;
}

int big_compare(const big *a, const big *b) {
  int zero_a = is_zero(a), zero_b = is_zero(b);
  if (zero_a || zero_b || a->negative != b->negative) {
    int sign_a = zero_a ? 0 : a->negative ? -1 : 1, sign_b = zero_b ? 0 : b->negative ? -1 : 1;
    return sign_a - sign_b;
  }
  int larger = compare_magnitudes(a, b);
  return a->negative ? -larger : larger;
}

/* ---- Rounding, checked by comparisons ---- */
/* Whether the number is below, at or above v, which is in units of 2^-BIG_UNIT. */
static int number_to(const exact_number *e, const big *v) {
  static const big zero;
  big side = *v;
  if (e->root && big_compare(v, &zero) < 0)
    return 1;
  if (e->root)
    side = big_product(v, v);
  else if (e->second)
    side = big_shift(v, BIG_UNIT);
  side = big_product(&side, &e->divisor);
  return big_compare(&e->x, &side);
}

int number_to_double(const exact_number *e, double v) {
  if (isinf(v))
    return v > 0 ? -1 : 1;
  big exact = big_of_double(v, BIG_UNIT);
  return number_to(e, &exact);
}

/* As number_to_double, of the middle between v and the next number towards `end`. */
static int number_to_middle(const exact_number *e, double v, double end) {
  double next = nextafter(v, end), far = isinf(next) ? (next > 0 ? 0x1p1023 : -0x1p1023) : next;
  big a = big_of_double(v, BIG_UNIT - 1), b = big_of_double(far, BIG_UNIT - 1);
  if (isinf(next)) /* beyond the largest: 2^1024 */
    b = big_shift(&b, 1);
  big middle = big_sum(&a, &b);
  return number_to(e, &middle);
}

static int is_even(double v) {
  uint64_t bits;
  memcpy(&bits, &v, 8);
  return !(bits & 1);
}

int is_nearest(const exact_number *e, double v) {
  if (isinf(v))
    return v > 0 ? number_to_middle(e, DBL_MAX, INFINITY) >= 0 : number_to_middle(e, -DBL_MAX, -INFINITY) <= 0;
  int below = number_to_middle(e, v, -INFINITY), above = number_to_middle(e, v, INFINITY);
  return (below > 0 || (below == 0 && is_even(v))) && (above < 0 || (above == 0 && is_even(v)));
}

/* ---- Streams ---- */
/* A column of a lattice tile: an integer in units of step * 2^-s. */
static big lattice_value(const ref_header *h, const ref_tile *t, const ref_wide *k, int i) {
  int s = t->coefficients ? ref_transform_shift(t->dims) : 1;
  int half = h->type == REF_F32 && t->mode != REF_COARSE;
  ref_wide integer = (ref_wide)t->q[i] * ((ref_wide)1 << (s - half));
  big value = big_of_integer(t->coefficients ? k[i] + integer : integer),
      step = big_of_double(h->step, BIG_UNIT - s);
  return big_product(&value, &step);
}

static ref_number number_of(const ref_header *h, const ref_tile *t, const ref_wide *k, int i) {
  ref_number v = {.off = !t->raw || h->terms != 1};
  if (t->raw) {
    double x = ref_tile_value(h, t, i);
    v.special = ref_missing(h, t->bits[i]) ? 3 : isinf(x) ? (x > 0 ? 1 : 2) : 0;
    if (!v.special)
      v.value = big_of_double(x, BIG_UNIT);
  } else if (t->one && !t->plus[i] && !t->minus[i]) {
    v.value = big_of_double(ref_tile_value(h, t, i), BIG_UNIT);
    v.off = 0;
  } else {
    v.special = t->plus[i] | t->minus[i] << 1;
    if (!v.special && h->step > 0)
      v.value = lattice_value(h, t, k, i);
    v.off = h->step > 0;
  }
  return v;
}

ref_number *ref_numbers(const uint8_t *stream) {
  ref_header h = ref_header_read(stream);
  ref_number *v = malloc((size_t)h.n * sizeof *v + 1);
  ref_tile *t = calloc(1, sizeof *t);
  ref_wide k[REF_TILE];
  if (!v || !t)
    abort();
  for (uint64_t number = 0; number < ref_tile_total(&h); number++) {
    size_t size;
    const uint8_t *data = ref_tile_at(stream, number, &size);
    if (ref_tile_parse(&h, number, data, size, t) == REF_BAD)
      abort();
    if (!t->raw && t->coefficients)
      ref_inverse(t->dims, t->c, k);
    for (int i = 0; i < REF_TILE; i++)
      if (ref_inside(t, i))
        v[ref_place(&h, number, i)] = number_of(&h, t, k, i);
  }
  free(t);
  return v;
}

static void add_to(big *sum, const big *v) { *sum = big_sum(sum, v); }

static void add_product_to(big *sum, const big *a, const big *b) {
  big p = big_product(a, b);
  add_to(sum, &p);
}

static void add_pair(ref_totals *t, const ref_number *a, const ref_number *b, const big error[2], uint64_t i) {
  big d = big_difference(&a->value, &b->value), size = big_magnitude(&d), both = big_sum(&error[0], &error[1]);
  big size_a = big_magnitude(&a->value), size_b = big_magnitude(&b->value);
  add_to(&t->sum, &d);
  add_product_to(&t->squares, &d, &d);
  add_product_to(&t->product, &a->value, &b->value);
  add_to(&t->error, &both);
  add_product_to(&t->product_error, &size_a, &error[1]);
  add_product_to(&t->product_error, &size_b, &error[0]);
  add_product_to(&t->product_error, &error[0], &error[1]);
  if (t->count++ == 0 || big_compare(&size, &t->largest) > 0) {
    t->largest = size;
    t->index = i;
  }
}

ref_totals ref_total(const ref_number *a, const ref_number *b, uint64_t n, const big *error_a,
                     const big *error_b) {
  static const ref_number zero;
  ref_totals t = {.index = UINT64_MAX};
  for (uint64_t i = 0; i < n; i++) {
    const ref_number *other = b ? &b[i] : &zero;
    big error[2] = {{0}, {0}};
    if (a[i].off)
      error[0] = *error_a;
    if (other->off)
      error[1] = *error_b;
    if (a[i].special || other->special) {
      t.specials++;
      t.mismatches += a[i].special != other->special;
      continue;
    }
    add_pair(&t, &a[i], other, error, i);
  }
  return t;
}
