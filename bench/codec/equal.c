/* equal.c: owns the comparison with zfp where both are equally good: by PSNR, by the largest error.
 *
 * zfp rounds tolerances to powers of two, so it is taken at one of those, and the bound of ghz,
 * which may be any, is changed until it is as good. Nothing is interpolated. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu.h"

#include <math.h>

/* The error is measured with a bound of 1, so it is absolute. */
static const quality *point(workspace *w, peer_curve *c, int exponent) {
  quality *q = &c->at[exponent + PEER_CURVE / 2];
  if (q->ratio == 0)
    *q = peer_quality(w, exp2(exponent), 1);
  return q;
}

/* How good, in dB, apart from a constant. */
typedef double goodness(const quality *q);

static double by_psnr(const quality *q) {
  return q->psnr;
}

static double by_error(const quality *q) {
  return -20 * log10(q->error);
}

/* What zfp reaches at the tolerance at which it is nearest to so good. */
static const quality *nearest(workspace *w, peer_curve *c, double eb, double level, goodness *good) {
  int e = ilogb(eb);
  for (int i = 0; i < 30 && good(point(w, c, e)) < level; i++)
    e--;
  for (int i = 0; i < 30 && good(point(w, c, e + 1)) >= level; i++)
    e++;
  const quality *fine = point(w, c, e), *loose = point(w, c, e + 1);
  return good(fine) - level < level - good(loose) ? fine : loose;
}

/* ghz, as good. It gains 6 dB for half the bound, or somewhat less. */
static quality match(workspace *w, const config *c, double eb, double level, goodness *good) {
  quality q = own_quality(w, c, eb);
  for (int i = 0; i < 16 && fabs(good(&q) - level) > 0.01; i++) {
    eb *= pow(10, (good(&q) - level) / 20);
    q = own_quality(w, c, eb);
  }
  return q;
}

static equality equal(workspace *w, const config *c, peer_curve *curve, double eb, goodness *good) {
  quality own = own_quality(w, c, eb);
  const quality *peer = nearest(w, curve, eb, good(&own), good);
  if (!isfinite(good(peer)))
    return (equality){*peer, {NAN, NAN, NAN}};
  return (equality){*peer, match(w, c, eb, good(peer), good)};
}

equality equal_psnr(workspace *w, const config *c, peer_curve *curve, double eb) {
  return equal(w, c, curve, eb, by_psnr);
}

equality equal_error(workspace *w, const config *c, peer_curve *curve, double eb) {
  return equal(w, c, curve, eb, by_error);
}
