/* test_ratio.c: what a shape may cost: with the best order a stream of bricks is hardly larger than
 * one of the same values as a flat array, nor than one for which all was tried. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "../../data/fields.h"
#include "fields.h"
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

/* ---- Noise ---- */
/* Noise, which no neighbour says anything about, and which may lie around a value far off or on a
 * slope; of float32 noise with few bits. */
static void *noise_on(const ghz_lattice *l, const ghz_shape *s, double amount, double offset, double slope,
                      uint64_t seed) {
  size_t n = (size_t)ghz_shape_count(s), line = (size_t)s->extent[2];
  void *x = scratch(n * ghz_type_size(l->type));
  for (size_t i = 0; i < n; i++)
    put_value(l->type, x, i, (offset + slope * (double)(i % line) + amount * input_uniform(&seed)) * l->step);
  return x;
}

/* Whole bricks of noise take at most 1 % more bytes than flat tiles of it, headers apart. */
Test(ratio, noise_as_flat, .timeout = 600) {
  static const ghz_shape of[] = {{3, {32, 32, 64}}, {2, {1, 256, 256}}, {3, {8, 64, 128}}};
  static const double noises[] = {0.6, 1, 3, 30, 1000, 20000}, offsets[] = {0, 50, 3000, 30000},
                      slopes[] = {0, 0.02, 1, -20};
  CONTEXT(ctx, NULL, 2);
  for (size_t s = 0; s < COUNT(of); s++)
    for (size_t k = 0; k < COUNT(noises) * COUNT(offsets) * COUNT(slopes); k++) {
      if (k % one_in())
        continue;
      SCOPE;
      double noise = noises[k % COUNT(noises)], offset = offsets[k / COUNT(noises) % COUNT(offsets)],
             slope = slopes[k / COUNT(noises) / COUNT(offsets)];
      ghz_lattice l = lattice_abs((ghz_type)(k % 2), 0.37);
      ghz_shape flat = ghz_flat(ghz_shape_count(&of[s]));
      void *x = noise_on(&l, &of[s], noise, offset, slope, k);
      size_t with = size_of(ctx, &l, x, &of[s]), without = size_of(ctx, &l, x, &flat);
      cr_assert_leq((double)with, most * (double)without, "%s, noise of %g at %g, slope %g: %zu and %zu bytes",
                    shape_text(&of[s]), noise, offset, slope, with, without);
    }
}

/* ---- Smooth along one axis alone ---- */
enum { EDGE = 64, CUBE = EDGE * EDGE * EDGE };

/* A smooth wave of period 1: parabolas, up and down. Only exact or correctly rounded operations. */
static double arches(double t) {
  double u = t - floor(t);
  return u < 0.5 ? u * (0.5 - u) : (u - 0.5) * (u - 1);
}

/* Traces along an axis, 2 x, 1 y or 0 z, unlike their neighbours: waves of 40 to 120 places. */
static void traces(int axis, float *x) {
  const int along[3] = {EDGE * EDGE, EDGE, 1};
  uint64_t state = 7;
  for (int trace = 0; trace < EDGE * EDGE; trace++) {
    const int first[3] = {trace, trace / EDGE * EDGE * EDGE + trace % EDGE, trace * EDGE};
    double amount[4], waves[4], phase[4];
    for (int k = 0; k < 4; k++) {
      amount[k] = input_uniform(&state);
      waves[k] = 1 / (80 + 40 * input_uniform(&state));
      phase[k] = input_uniform(&state);
    }
    for (int i = 0; i < EDGE; i++) {
      double v = 0;
      for (int k = 0; k < 4; k++)
        v += amount[k] * arches(waves[k] * i + phase[k]);
      x[first[axis] + i * along[axis]] = (float)v;
    }
  }
}

/* Bytes without the rules by which coefficients are not tried: these may cost a fortieth. */
static const struct {
  double bound;
  size_t bytes[3];
} untold[] = {{1e-2, {106064, 103821, 42725}}, {1e-3, {208994, 201585, 93234}}};

Test(ratio, along_one_axis, .timeout = 120) {
  static const ghz_shape cube = {3, {EDGE, EDGE, EDGE}};
  POOL(pool);
  float *x = scratch(CUBE * sizeof *x);
  for (int axis = 0; axis < 3; axis++) {
    traces(axis, x);
    for (size_t b = 0; b < COUNT(untold); b++) {
      SCOPE;
      ghz_lattice l;
      const ghz_bound bound = {GHZ_REL, untold[b].bound};
      succeeded(ghz_lattice_for(pool.ctx[0], GHZ_F32, bound, NULL, 1, (const void *[]){x}, CUBE, &l),
                pool.ctx[0], "lattice");
      const char *what = say("axis %d, relative bound %g", axis, untold[b].bound);
      const size_t size = same_codec(&pool, &l, &cube, GHZ_ORDER_BEST, x, what).size;
      cr_expect(40 * size <= 41 * untold[b].bytes[axis], "%s: %zu bytes for %zu", what, size,
                untold[b].bytes[axis]);
    }
  }
}
