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
