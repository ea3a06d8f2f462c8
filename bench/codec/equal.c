/* equal.c: owns the ratio of zfp where it is as good as ghz, by PSNR or by the largest error. */
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

/* Bits are linear in dB between the two tolerances on either side, which are some 6 dB apart. */
static double ratio_at(workspace *w, peer_curve *c, double eb, double level, goodness *good) {
  int e = ilogb(eb);
  for (int i = 0; i < 30 && good(point(w, c, e)) < level; i++)
    e--;
  for (int i = 0; i < 30 && good(point(w, c, e + 1)) >= level; i++)
    e++;
  const quality *fine = point(w, c, e), *coarse = point(w, c, e + 1);
  double above = good(fine) - level, below = level - good(coarse);
  if (!isfinite(above) || !(below > 0))
    return fine->ratio;
  return (above + below) / (below / fine->ratio + above / coarse->ratio);
}

double peer_at_psnr(workspace *w, peer_curve *c, double eb, double psnr) {
  return ratio_at(w, c, eb, psnr, by_psnr);
}

double peer_at_error(workspace *w, peer_curve *c, double eb, double error) {
  return ratio_at(w, c, eb, -20 * log10(error * eb), by_error);
}
