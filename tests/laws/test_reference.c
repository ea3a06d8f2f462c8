/* test_reference.c: the reference codec against the text of the format: its matrices, the bound of
 * what it writes, and that it reads what it writes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference_parts.h"
#include "support.h"
#include <math.h>
#include <string.h>

/* Shapes with whole and cut bricks. */
static const struct {
  int dims;
  uint64_t z, y, x;
} shapes[] = {{1, 1, 1, 2500}, {3, 8, 8, 16},  {3, 9, 17, 40},  {3, 16, 5, 33}, {3, 1, 1, 2000}, {3, 40, 9, 1},
              {2, 1, 32, 32},  {2, 3, 40, 70}, {2, 1, 17, 100}, {2, 2, 500, 1}, {3, 5, 0, 7},    {2, 0, 3, 3}};

/* A smooth field on the shape, with some noise. */
static void smooth(const ref_header *h, void *x, double amplitude, double noise, uint64_t seed) {
  for (uint64_t i = 0; i < h->n; i++) {
    double at[3] = {0, 0, (double)i};
    if (h->dims > 1) {
      at[2] = (double)(i % h->extent[2]);
      at[1] = (double)(i / h->extent[2] % h->extent[1]);
      at[0] = (double)(i / h->extent[2] / h->extent[1]);
    }
    double v = sin(0.03 * at[0] + 0.05 * at[1]) * cos(0.04 * at[2] - 0.3) + noise * input_uniform(&seed);
    put_value((ghz_type)h->type, x, (size_t)i, amplitude * v * h->step);
  }
}

static void sprinkle(const ref_header *h, void *x, uint64_t seed) {
  static const double specials[] = {NAN, INFINITY, -INFINITY};
  for (uint64_t i = 0; i < h->n / 50; i++)
    put_value((ghz_type)h->type, x, (size_t)input_below(&seed, h->n), specials[i % 3]);
}

/* Each frequency comes back from the values that it says, alone. */
Test(reference, inverse) {
  for (int dims = 2; dims <= 3; dims++)
    for (int u = 0; u < REF_TILE; u++) {
      int64_t c[REF_TILE] = {0}, back[REF_TILE];
      ref_wide k[REF_TILE];
      float e[REF_TILE];
      c[u] = 1000;
      ref_inverse(dims, c, k);
      for (int i = 0; i < REF_TILE; i++)
        e[i] = (float)ldexp((double)k[i], -5 - ref_transform_shift(dims));
      ref_forward(dims, e);
      ref_keep(dims, e, back);
      cr_assert_arr_eq(back, c, sizeof c, "%d dimensions, coefficient %d", dims, u);
    }
}

Test(reference, columns) {
  for (int dims = 2; dims <= 3; dims++) {
    uint8_t seen[REF_TILE] = {0};
    for (int u = 0; u < REF_TILE; u++)
      cr_assert_eq(seen[ref_column_of(dims, u)]++, 0);
  }
  cr_assert_eq(ref_column_of(3, 0), 0);
  cr_assert_eq(ref_column_of(3, 1), 16, "frequencies along x are 16 columns apart");
  cr_assert_eq(ref_column_of(3, 16), 1, "then (0, 1)");
  cr_assert_eq(ref_column_of(3, 128), 2, "and (1, 0)");
  cr_assert_eq(ref_column_of(2, 32 * 17 + 3), (32 + 3) * 16 + 1);
}

static void check_stream(const ref_header *h, ref_bytes s, const void *x, double eb, const char *what) {
  cr_assert_eq(ref_check(s.data, s.size), REF_GOOD, "%s", what);
  void *y = scratch((size_t)h->n * ref_value_size(h->type));
  ref_decode(s.data, h->type, y);
  for (size_t i = 0; i < h->n; i++)
    cr_assert(kept((ghz_type)h->type, x, (ghz_type)h->type, y, i, eb), "%s: value %zu", what, i);
}

/* How many tiles have coefficients. */
static size_t transformed(ref_bytes s) {
  ref_header h = ref_header_read(s.data);
  size_t count = 0, size;
  for (uint64_t t = 0; t < ref_tile_total(&h); t++) {
    const uint8_t *tile = ref_tile_at(s.data, t, &size);
    count += h.dims > 1 && size > 1 && (tile[0] & 4) && (tile[1] & 8);
  }
  return count;
}

Test(reference, bound) {
  static const double amplitudes[] = {40, 1000, 60000, 1e6, 1e10};
  size_t tiles = 0;
  for (size_t i = 0; i < COUNT(shapes); i++)
    for (int type = 0; type < 2; type++)
      for (int order = REF_LORENZO; order < 3; order++)
        for (size_t a = 0; a < COUNT(amplitudes); a++) {
          SCOPE;
          ghz_lattice l = lattice_abs((ghz_type)type, 0.37);
          ref_header h = ref_shaped(header_for(&l, 0), shapes[i].dims, shapes[i].z, shapes[i].y, shapes[i].x);
          void *x = scratch((size_t)h.n * sizeof(double));
          smooth(&h, x, amplitudes[a], 0.001, i);
          if (order % 2)
            sprinkle(&h, x, 7);
          ref_bytes s = ref_compress(&h, order, x);
          check_stream(&h, s, x, l.eb,
                       say("shape %zu, type %d, order %d, %g steps", i, type, order, amplitudes[a]));
          tiles += transformed(s);
          cr_assert(order == REF_BEST || transformed(s) == 0);
        }
  cr_assert_gt(tiles, 20, "%zu tiles with coefficients", tiles);
}
