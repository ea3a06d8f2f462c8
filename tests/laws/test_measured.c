/* test_measured.c: law L1: bound and bytes on measured fields, where they are present: the bounds
 * at which public codecs broke theirs. Skipped, audibly, where they are not. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"
#include <math.h>
#include <stdio.h>

static float *field(const char *name, size_t *n) {
  FILE *f = fopen(say("%s/%s", GHZ_DATA_DIR, name), "rb");
  if (!f)
    return NULL;
  float *x = scratch(1 << 23);
  *n = fread(x, 4, 1 << 21, f);
  fclose(f);
  return x;
}

static void check_values(ghz_context *ctx, ref_bytes s, const float *x, size_t n, double eb, const char *what) {
  SCOPE;
  float *y = decompress(ctx, s, GHZ_F32);
  for (size_t i = 0; i < n; i++)
    cr_assert(within((double)x[i], (double)y[i], eb), "%s: value %zu: %a came back as %a", what, i,
              (double)x[i], (double)y[i]);
}

static void check_field(ghz_context *ctx, const float *x, size_t n, double rel, const char *what) {
  SCOPE;
  ghz_lattice l;
  ghz_bound bound = {GHZ_REL, rel};
  succeeded(ghz_lattice_for(ctx, GHZ_F32, bound, NULL, 1, (const void *[]){x}, n, &l), ctx, "lattice");
  ref_bytes s = compress(ctx, &l, GHZ_ORDER_BEST, x, n);
  ref_header h = header_for(&l, n);
  ref_bytes want = ref_compress(&h, GHZ_ORDER_BEST, x);
  same_bytes(s, want, what);
  check_values(ctx, s, x, n, l.eb, what);
}

Test(measured, fields, .timeout = 120) {
  static const char *const names[] = {"marmousi_vp.f32", "ostia.f32"};
  static const double bounds[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
  CONTEXT(ctx, NULL, 2);
  for (int i = 0; i < 2; i++) {
    SCOPE;
    size_t n;
    float *x = field(names[i], &n);
    if (!x)
      cr_skip_test("%s is not here", names[i]);
    for (int b = 0; b < 5; b++)
      check_field(ctx, x, n, bounds[b], say("%s, relative bound %g", names[i], bounds[b]));
  }
}
