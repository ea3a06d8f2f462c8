/* test_ratio.c: what a shape may cost: with the best order a stream of bricks is hardly larger than
 * one of the same values as a flat array. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "../../data/fields.h"
#include "support.h"
#include <math.h>

/* The most that the stream of an array with a shape has of the bytes of the flat one. */
static const double most = 1.01;

static const double bounds[] = {1e-2, 1e-3, 1e-4, 1e-5};

static size_t size_of(ghz_context *ctx, const ghz_lattice *l, const void *x, const ghz_shape *s) {
  return compress_shape(ctx, l, GHZ_ORDER_BEST, x, s).size;
}

static void check_type(ghz_context *ctx, ghz_type type, const void *x, const ghz_shape *s, const char *name) {
  const size_t n = (size_t)ghz_shape_count(s);
  const ghz_shape flat = ghz_flat(n);
  for (size_t b = 0; b < COUNT(bounds); b++) {
    SCOPE;
    ghz_lattice l;
    succeeded(ghz_lattice_for(ctx, type, (ghz_bound){GHZ_REL, bounds[b]}, NULL, 1, &x, n, &l), ctx, "lattice");
    const size_t shaped = size_of(ctx, &l, x, s), without = size_of(ctx, &l, x, &flat);
    cr_expect((double)shaped <= most * (double)without, "%s, %d dimensions, type %d, bound %g: %.4f times flat",
              name, s->dims, (int)type, bounds[b], (double)shaped / (double)without);
  }
}

static void check_field(ghz_context *ctx, const float *x, const ghz_shape *s, const char *name) {
  SCOPE;
  const size_t n = (size_t)ghz_shape_count(s);
  double *wide = scratch(n * sizeof *wide);
  for (size_t i = 0; i < n; i++)
    wide[i] = (double)x[i];
  check_type(ctx, GHZ_F32, x, s, name);
  check_type(ctx, GHZ_F64, wide, s, name);
}

/* ---- Fields of data/ ---- */
typedef struct taker {
  ghz_context *ctx;
  int fields;
} taker;

static bool take_field(void *user, const char *name, shape dims, const float *values) {
  taker *t = user;
  const size_t *n = dims.size;
  t->fields++;
  if (n[1] > 1)
    check_field(t->ctx, values, &(ghz_shape){n[0] > 1 ? 3 : 2, {n[0], n[1], n[2]}}, name);
  return true;
}

Test(ratio, fields_as_flat, .timeout = 300) {
  CONTEXT(ctx, NULL, 2);
  taker t = {ctx, 0};
  const run r = {.n = 64, .quiet = true, .take = take_field, .taker = &t};
  cr_assert(make_waves(&r));
#ifdef GHZ_DATA_FFTW
  cr_assert(make_density(&r) && make_turbulence(&r) && make_climate(&r));
  cr_assert_eq(t.fields, 6);
#endif
}

/* ---- Noisy waves ---- */

/* Of a period in values, plus noise of so much of the range. */
static float *noisy_wave(const ghz_shape *s, double period, double noise) {
  const uint64_t *n = s->extent;
  uint64_t state = 1;
  float *x = scratch((size_t)ghz_shape_count(s) * sizeof *x);
  size_t i = 0;
  for (uint64_t z = 0; z < n[0]; z++)
    for (uint64_t y = 0; y < n[1]; y++)
      for (uint64_t k = 0; k < n[2]; k++) {
        const double w = 6.28 / period,
                     wave = sin(w * (double)k) * cos(w * (double)y + 0.3) * cos(w * (double)z + 0.1);
        x[i++] = (float)(wave + 2 * noise * input_uniform(&state));
      }
  return x;
}

Test(ratio, noisy_waves_as_flat, .timeout = 300) {
  static const ghz_shape shapes[] = {{2, {1, 320, 320}}, {3, {64, 64, 64}}};
  static const double noises[] = {1e-3, 3e-3, 1e-2, 1e-1}, periods[] = {50, 100, 200, 400};
  CONTEXT(ctx, NULL, 2);
  for (size_t s = 0; s < COUNT(shapes); s++)
    for (size_t noise = 0; noise < COUNT(noises); noise++)
      for (size_t p = 0; p < COUNT(periods); p++) {
        SCOPE;
        check_field(ctx, noisy_wave(&shapes[s], periods[p], noises[noise]), &shapes[s],
                    say("noise %g, period %g", noises[noise], periods[p]));
      }
}
