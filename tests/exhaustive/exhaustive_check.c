/* exhaustive_check.c: one tile against FORMAT.md, in exact arithmetic of its own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"
#include "exhaustive.h"
#include "quad.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const class_names[CLASSES] = {"coarse to 2^15", "coarse beyond", "fine", "wide", "outside"};

void tally_add(tally *to, const tally *from) {
  to->values += from->values;
  to->specials += from->specials;
  for (int c = 0; c < CLASSES; c++) {
    to->tiles[c] += from->tiles[c];
    for (int out = 0; out < 2; out++)
      if (from->worst[c][out] > to->worst[c][out])
        to->worst[c][out] = from->worst[c][out];
  }
}

/* ---- Values ---- */
static uint64_t bits_at(ghz_type type, const void *x, int i) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)x + (size_t)i * ghz_type_size(type), ghz_type_size(type));
  return bits;
}

static uint64_t bits_of(ghz_type type, double v) {
  float f = (float)v;
  return bits_at(type, type == GHZ_F32 ? (const void *)&f : &v, 0);
}

static uint64_t canonical_nan(ghz_type type) { return type == GHZ_F32 ? 0x7fc00000u : 0x7ff8000000000000u; }

/* ---- Classes ---- */
static double largest_finite(ghz_type type, const round_trip *t) {
  double largest = 0;
  for (int i = 0; i < t->n; i++) {
    double x = fabs(value_at(type, t->x, (size_t)i));
    if (x <= DBL_MAX && x > largest)
      largest = x;
  }
  return largest;
}

/* On the lattice of a constant only what is a multiple of it, rounded, has a place. */
static int all_on_grid(const ghz_lattice *l, const round_trip *t) {
  for (int i = 0; i < t->n; i++) {
    double x = value_at(l->type, t->x, (size_t)i);
    if (isfinite(x) && (fabs(x) > 0x1p15 * l->step || rint(x / l->step) * l->step != x))
      return 0;
  }
  return 1;
}

double coarse_end(const ghz_lattice *l) {
  double covered = l->type == GHZ_F32 ? (l->eb - l->step / 2) * 16252928 : 0;
  return fmin(4194304 * l->step, fmax(65536 * l->step, covered));
}

static int class_of(const ghz_lattice *l, const round_trip *t) {
  double largest = largest_finite(l->type, t);
  if (l->step == 0 || largest >= (l->type == GHZ_F32 ? 0x1p127 : 0x1p1023))
    return OUTSIDE;
  if (l->step > 2 * l->eb && !all_on_grid(l, t))
    return OUTSIDE;
  const double ends[3] = {ldexp(l->step, 15), coarse_end(l), ldexp(l->step, 22)};
  for (int c = 0; c < 3; c++)
    if (largest <= ends[c])
      return c;
  return largest <= ldexp(l->step, l->cap) ? WIDE : OUTSIDE;
}

/* ---- One value ---- */
/* What is compared: the exact result, what came back, and how far from it that may be. */
typedef struct comparison {
  long double exact, back, bound;
} comparison;

/* |exact - back|, rounded; and whether it is above the bound exactly. A rounded difference decides
 * unless it equals the bound, and then the error of that rounding does (Knuth's two-sum gives
 * it). */
static long double distance(const comparison *c, int *beyond) {
  long double high = c->exact > c->back ? c->exact : c->back, low = c->exact > c->back ? c->back : c->exact;
  long double d = high - low;
  *beyond = !(d <= c->bound);
  if (d == c->bound) {
    long double back = d - high, rest = (high - (d - back)) + (-low - back);
    *beyond = rest > 0;
  }
  return d;
}

static int special_kept(ghz_type out, const void *y, int i, double want) {
  if (isnan(want))
    return bits_at(out, y, i) == canonical_nan(out);
  return value_at(out, y, (size_t)i) == want;
}

static int wrong(const subject *s, const round_trip *t, int i, int class, double bound, const char *what) {
  int digits = s->lattice.type == GHZ_F32 ? 8 : 16;
  fprintf(stderr,
          "%s: %s\n  value %d of %d, %s%s: x %a (bits %0*" PRIx64 ") came back as %a (%0*" PRIx64
          "), as float64 %a\n  step %a, bound %a, factor %a\n",
          s->name, what, i, t->n, class_names[class], t->raw ? ", raw" : "",
          value_at(s->lattice.type, t->x, (size_t)i), digits, bits_at(s->lattice.type, t->x, i),
          value_at(s->lattice.type, t->y, (size_t)i), digits, bits_at(s->lattice.type, t->y, i), t->z[i],
          s->lattice.step, bound, s->factor);
  return 0;
}

/* ---- Tiles outside the lattice: no error at all ---- */
/* Scaling multiplies in float64, as a sum of one with the factor's sign, and rounds to the type. */
static double scaled(ghz_type type, double factor, double x) {
  double y = (0.0 + (factor < 0 ? -x : x)) * fabs(factor);
  return type == GHZ_F32 ? (double)(float)y : y;
}

static int outside_kept(const subject *s, double bound, const round_trip *t, tally *seen) {
  ghz_type type = s->lattice.type;
  for (int i = 0; i < t->n; i++) {
    double x = value_at(type, t->x, (size_t)i), want = s->factor == 1 ? x : scaled(type, s->factor, x);
    uint64_t bits = isnan(x)         ? canonical_nan(type)
                    : s->factor != 1 ? bits_of(type, want)
                                     : bits_at(type, t->x, i);
    if (bits_at(type, t->y, i) != bits)
      return wrong(s, t, i, OUTSIDE, bound, "a value outside the lattice changed");
    if (!special_kept(GHZ_F64, t->z, i, want))
      return wrong(s, t, i, OUTSIDE, bound, "a value outside the lattice changed, decoded to float64");
    seen->specials += isfinite(x) ? 0 : 1;
  }
  return 1;
}

/* ---- Tiles on the lattice ---- */
/* Half a unit in the last place, which a scaled sum may lose where a float32 cannot hold it. */
static long double half_ulp(double y) {
  float a = fabsf((float)y);
  return ((long double)nextafterf(a, INFINITY) - (long double)a) / 2;
}

/* x * factor is exact in long double, because the factors for float32 have 40 bits. What a wide
 * tile may lose to the last rounding once it was scaled is no part of the error. */
static int check_f32(const subject *s, double bound, const round_trip *t, int class, long double *worst) {
  const float *x = t->x, *y = t->y;
  int rounds = s->factor != 1 && class == WIDE;
  for (int i = 0; i < t->n; i++) {
    comparison own = {(long double)x[i] * (long double)s->factor, (long double)y[i], (long double)bound};
    comparison wide = {own.exact, (long double)t->z[i], own.bound};
    int beyond, beyond_wide;
    if (!isfinite(x[i]))
      continue;
    long double allowed = rounds ? half_ulp((double)y[i]) : 0;
    own.bound += allowed;
    long double d = distance(&own, &beyond) - allowed, e = distance(&wide, &beyond_wide);
    if (beyond || beyond_wide)
      return wrong(s, t, i, class, bound,
                   beyond ? "the bound is violated" : "the bound is violated as float64");
    worst[0] = d > worst[0] ? d : worst[0];
    worst[1] = e > worst[1] ? e : worst[1];
  }
  return 1;
}

/* The same for float64, which decodes to itself alone. A product needs 106 bits, of quad's 113. */
static int check_f64(const subject *s, double bound, const round_trip *t, int class, long double *worst) {
  const double *x = t->x, *y = t->y;
  for (int i = 0; i < t->n; i++) {
    if (!isfinite(x[i]))
      continue;
    comparison own = {(long double)x[i], (long double)y[i], (long double)bound};
    int beyond;
    long double d;
    if (s->factor == 1) {
      d = distance(&own, &beyond);
    } else {
      quad error = (quad)x[i] * (quad)s->factor - (quad)y[i];
      error = error < 0 ? -error : error;
      d = (long double)error;
      beyond = !(error <= (quad)bound);
    }
    if (beyond)
      return wrong(s, t, i, class, bound, "the bound is violated");
    worst[0] = d > worst[0] ? d : worst[0];
  }
  return 1;
}

static int specials_kept(const subject *s, double bound, const round_trip *t, int class, tally *seen) {
  ghz_type type = s->lattice.type;
  for (int i = 0; i < t->n; i++) {
    double x = value_at(type, t->x, (size_t)i), want = s->factor < 0 ? -x : x;
    if (isfinite(x))
      continue;
    seen->specials++;
    if (!special_kept(type, t->y, i, want) || !special_kept(GHZ_F64, t->z, i, want))
      return wrong(s, t, i, class, bound, "a special value changed");
  }
  return 1;
}

static int raw_kept(const subject *s, double bound, const round_trip *t, int class) {
  for (int i = 0; i < t->n; i++) {
    double x = value_at(s->lattice.type, t->x, (size_t)i);
    if (isfinite(x) && bits_at(s->lattice.type, t->y, i) != bits_at(s->lattice.type, t->x, i))
      return wrong(s, t, i, class, bound, "a value of a raw tile changed");
  }
  return 1;
}

int tile_kept(const subject *s, double bound, const round_trip *t, tally *seen) {
  int class = class_of(&s->lattice, t);
  seen->values += (uint64_t)t->n;
  seen->tiles[class]++;
  if (class == OUTSIDE)
    return outside_kept(s, bound, t, seen);
  if (!specials_kept(s, bound, t, class, seen) || (t->raw && !raw_kept(s, bound, t, class)))
    return 0;
  /* On the lattice of a constant, as far as it is used, values are exact. */
  double within = s->lattice.step > 2 * s->lattice.eb ? 0 : bound;
  long double worst[2] = {0, 0};
  if (!(s->lattice.type == GHZ_F32 ? check_f32 : check_f64)(s, within, t, class, worst))
    return 0;
  for (int out = 0; out < 2; out++) {
    long double relative = worst[out] / (long double)bound;
    if (relative > seen->worst[class][out])
      seen->worst[class][out] = relative;
  }
  return 1;
}

/* ---- The derivation ---- */
/* FORMAT.md, "Why |x - y| <= eb": the last column; as float64 without the last rounding. It is for
 * the ordinary step, and errors are multiples of the step; but to the end of coarse tiles. */
static double derived_f32(const ghz_lattice *l, int class, int out) {
  static const double ordinary[CLASSES][2] = {
      {0.995911, 0.992066}, {0, 0.984376}, {0.984376, 0.492188}, {0.984436, 0.492218}, {0, 0}};
  if (class == COARSE && out == 0)
    return (l->step / 2 + (coarse_end(l) + l->step) * 0x1.00001p-24) / l->eb;
  return ordinary[class][out] * (l->step / l->eb / 1.96875);
}

int errors_as_derived(const subject *s, const tally *seen) {
  if (s->factor != 1)
    return 1;
  int right = 1;
  for (int c = 0; c < CLASSES; c++)
    for (int out = 0; out < (s->lattice.type == GHZ_F32 ? 2 : 1); out++) {
      double most = s->lattice.type == GHZ_F32 ? derived_f32(&s->lattice, c, out)
                    : s->lattice.cap == 35     ? 0.984398
                                               : 0.995911;
      if (!(seen->worst[c][out] <= (long double)most)) {
        fprintf(stderr, "%s: %s tiles have errors of %.8Lf bounds, %s; FORMAT.md derives at most %.8f\n",
                s->name, class_names[c], seen->worst[c][out], out ? "as float64" : "in its own type", most);
        right = 0;
      }
    }
  return right;
}
