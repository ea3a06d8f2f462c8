/* reference_numbers.c: sums over the values of streams, exactly. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference_numbers.h"
#include "reference_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
  add_product_to(&t->error_squares, &both, &both);
  add_product_to(&t->product_error, &size_a, &error[1]);
  add_product_to(&t->product_error, &size_b, &error[0]);
  add_product_to(&t->product_error, &error[0], &error[1]);
  if (big_compare(&both, &t->largest_error) > 0)
    t->largest_error = both;
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
