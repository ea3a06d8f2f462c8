/* test_measured.c: law L1: bound and bytes on values as measurements have them, far from 0 and in
 * decimals, at the bounds at which public codecs broke theirs on such fields. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "../../data/earth.h"
#include "support.h"
#include <math.h>

enum { SIDE = 512, VALUES = SIDE * SIDE };

/* Speeds of sound in layers, in metres per second, as Marmousi's. */
static void speeds(float *x) {
  for (int i = 0; i < VALUES; i++)
    x[i] = earth_speed((float)(i / SIDE) / 2, 100, (float)(i % SIDE) / 2);
}

/* Sea-surface temperatures: kelvins in hundredths, NaN on land. */
static void temperatures(float *x) {
  for (int i = 0; i < VALUES; i++) {
    const double y = (double)(i / SIDE) / SIDE, z = (double)(i % SIDE) / SIDE;
    const double kelvin = 271.35 + 32 * sin(3 * y) * (1 + 0.05 * sin(40 * z + 9 * y) + 0.02 * sin(170 * z * y));
    x[i] = sin(7 * z) * sin(5 * y) > 0.8 ? NAN : (float)(round(100 * kelvin) / 100);
  }
}

static void check_values(ghz_context *ctx, ref_bytes s, const float *x, double eb, const char *what) {
  SCOPE;
  float *y = decompress(ctx, s, GHZ_F32);
  for (size_t i = 0; i < VALUES; i++)
    cr_assert(kept(GHZ_F32, x, GHZ_F32, y, i, eb), "%s: value %zu: %a came back as %a", what, i, (double)x[i],
              (double)y[i]);
}

static void check_field(ghz_context *ctx, const float *x, double rel, const char *what) {
  SCOPE;
  ghz_lattice l;
  ghz_bound bound = {GHZ_REL, rel};
  succeeded(ghz_lattice_for(ctx, GHZ_F32, bound, NULL, 1, (const void *[]){x}, VALUES, &l), ctx, "lattice");
  ref_bytes s = compress(ctx, &l, GHZ_ORDER_BEST, x, VALUES);
  ref_header h = header_for(&l, VALUES);
  ref_bytes want = ref_compress(&h, GHZ_ORDER_BEST, x);
  same_bytes(s, want, what);
  check_values(ctx, s, x, l.eb, what);
}

Test(measured, fields, .timeout = 120) {
  static void (*const makers[])(float *) = {speeds, temperatures};
  static const double bounds[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
  CONTEXT(ctx, NULL, 2);
  float *x = scratch(VALUES * sizeof *x);
  for (size_t i = 0; i < COUNT(makers); i++) {
    makers[i](x);
    for (size_t b = 0; b < COUNT(bounds); b++)
      check_field(ctx, x, bounds[b], say("field %zu, relative bound %g", i, bounds[b]));
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

Test(measured, along_one_axis, .timeout = 120) {
  static const ghz_shape shape = {3, {EDGE, EDGE, EDGE}};
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
      same_codec(&pool, &l, &shape, GHZ_ORDER_BEST, x, what);
      const size_t size = compress_shape(pool.ctx[0], &l, GHZ_ORDER_BEST, x, &shape).size;
      cr_expect(40 * size <= 41 * untold[b].bytes[axis], "%s: %zu bytes for %zu", what, size,
                untold[b].bytes[axis]);
    }
  }
}
