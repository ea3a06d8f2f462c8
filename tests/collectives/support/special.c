/* special.c: makers of special data, and their checks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "special.h"
#include "quad.h"
#include "suite.h"
#include <float.h>
#include <math.h>
#include <string.h>

const char *const special_names[SPECIALS] = {"nan",   "infinite", "zeros", "denormal", "huge",
                                             "mixed", "bits",     "ties",  "constant", "cancelling",
                                             "edges", "raw",      "noise"};

static special kind_in_use;
static uint64_t seed_in_use, shift_in_use;

/* ---- Makers ---- */
static double uniform(uint64_t hash) { return (double)(int64_t)hash * 0x1p-63; }

static double any_bits(const call *s, uint64_t hash) {
  float f;
  double d;
  uint32_t half = (uint32_t)hash;
  memcpy(&f, &half, sizeof f);
  memcpy(&d, &hash, sizeof d);
  return s->type == GHZ_F64 ? d : (double)f;
}

/* Largest magnitudes of the modes, in steps, and a little beside them. */
static double edge(const call *s, uint64_t hash) {
  static const int bits[] = {15, 16, 22, 35, 44};
  double end = ldexp(SPECIAL_STEP, bits[hash % (s->type == GHZ_F64 ? 5 : 4)]);
  int by = (int)(hash >> 8 & 3) - 2; /* a quarter beyond the edge would make all tiles raw: rarely */
  by = hash >> 16 & 255 ? (by > 0 ? 0 : by) : by;
  double ulp = s->type == GHZ_F64 ? 0x1p-52 : 0x1p-23;
  return (hash >> 32 & 1 ? -end : end) * (1 + by * ulp);
}

static double rough(const call *s, uint64_t contribution, uint64_t i, uint64_t hash) {
  uint64_t which = (contribution + i / 1024) % 3;
  double amplitude = which == 0 ? ldexp(SPECIAL_STEP, s->type == GHZ_F64 ? 43 : 33) : which == 1 ? 10000 : 0;
  return amplitude * uniform(mix(hash, 3));
}

static double cancelling(uint64_t contribution, uint64_t i) {
  double value = 1000 * uniform(mix(mix(seed_in_use, contribution / 2), i));
  return contribution % 2 ? -value : value;
}

double special_at(const call *s, uint64_t contribution, uint64_t i) {
  i += shift_in_use;
  uint64_t hash = mix(mix(seed_in_use, contribution), i), rare = hash % 97;
  double noise = 10000 * uniform(mix(hash, 1)), tiny = s->type == GHZ_F64 ? 0x1p-1060 : 0x1p-140;
  switch (kind_in_use) {
  case SPECIAL_NAN: return rare == 0 ? (double)NAN : noise;
  case SPECIAL_INFINITE: return rare < 8 ? (rare % 2 ? (double)INFINITY : (double)-INFINITY) : noise;
  case SPECIAL_ZEROS: return rare % 2 ? 0.0 : -0.0;
  case SPECIAL_DENORMAL: return tiny * uniform(hash);
  case SPECIAL_HUGE: return (s->type == GHZ_F64 ? DBL_MAX : (double)FLT_MAX) * uniform(hash);
  case SPECIAL_MIXED: return ldexp(uniform(hash), (int)(mix(hash, 2) % 121) - 60);
  case SPECIAL_BITS: return any_bits(s, hash);
  case SPECIAL_TIES: return SPECIAL_STEP * ((double)(hash % 4001) - 2000) + SPECIAL_STEP / 2;
  case SPECIAL_CONSTANT: return contribution % 3 ? 1234.5 * (double)contribution : 0;
  case SPECIAL_CANCELLING: return cancelling(contribution, i);
  case SPECIAL_EDGES:
    return edge(s, mix(mix(seed_in_use, contribution), i / 700)) / (i % 700 ? 1 + (double)(hash % 7) : 1);
  case SPECIAL_RAW: return rough(s, contribution, i, hash);
  default: return noise;
  }
}

static void fill(const call *s, uint64_t contribution, uint64_t first, uint64_t count, void *x) {
  for (uint64_t i = 0; i < count; i++)
    set_real(x, s->type == GHZ_F64, i, special_at(s, contribution, first + i));
}

void special_use(call *s, special kind, uint64_t seed, uint64_t shift) {
  s->fill = fill;
  kind_in_use = kind;
  seed_in_use = seed;
  shift_in_use = shift;
}

/* ---- What must come out ---- */
/* The contributions to one value, put together. */
typedef struct total {
  int nan, plus, minus; /* contributions that are NaN, +Inf, -Inf */
  quad sum, magnitude;
  double least, most; /* of what is not NaN */
} total;

static double as_given(const call *s, double value) {
  return s->type == GHZ_F64 ? value : (double)(float)value;
}

static total total_at(const call *s, const call_result *l, uint64_t terms, uint64_t j) {
  total t = {.least = INFINITY, .most = -INFINITY};
  uint64_t first, i = call_source(s, l->rank, j, &first);
  for (uint64_t g = first; g < first + terms; g++) {
    double x = as_given(s, special_at(s, g, i));
    t.nan += isnan(x) != 0;
    t.plus += x > 0 && isinf(x);
    t.minus += x < 0 && isinf(x);
    t.least = x < t.least ? x : t.least;
    t.most = x > t.most ? x : t.most;
    if (isfinite(x)) {
      t.sum += x;
      t.magnitude += fabs(x);
    }
  }
  return t;
}

/* Whether a value is one of those that are given. */
static int is_one(const call *s) { return !reduces(s->what) || s->op >= MINIMUM; }

static double one_of(const call *s, const total *t) { return s->op == MAXIMUM ? t->most : t->least; }

/* NaN or an infinity, where that must come out; else 0. */
static double expected_special(const call *s, const total *t) {
  if (t->nan || (!is_one(s) && t->plus && t->minus))
    return NAN;
  if (is_one(s))
    return isinf(one_of(s, t)) ? one_of(s, t) : 0;
  return t->plus ? INFINITY : t->minus ? -INFINITY : 0;
}

static int close_enough(const call *s, const call_result *l, const total *t, uint64_t terms, double y,
                        int inexact) {
  quad exact = is_one(s) ? one_of(s, t) : t->sum;
  quad factor = !is_one(s) && s->op == AVERAGE ? (double)terms : 1, allowed = l->report.eb;
  double epsilon = s->type == GHZ_F64 ? 0x1p-53 : 0x1p-24,
         largest = s->type == GHZ_F64 ? DBL_MAX : (double)FLT_MAX;
  if (!is_one(s))
    allowed = allowed * (double)terms + t->magnitude * (quad)0x1p-100;
  if (!is_one(s) && inexact)
    allowed += t->magnitude * epsilon * (2 * (double)terms + 4);
  if (!is_one(s) && s->type == GHZ_F32) /* half an ulp, where a tile is finely quantised */
    allowed += fabs(y) * (double)factor * epsilon;
  if (isinf(y) && reduces(s->what)) /* an overflow, maybe of a partial sum */
    return (inexact ? t->magnitude : exact < 0 ? -exact : exact) * (1 + 2 * epsilon) + allowed >= largest;
  quad error = (quad)y * factor - exact;
  return (error < 0 ? -error : error) <= allowed + (inexact ? DBL_TRUE_MIN : 0);
}

void check_special(const call *s, const call_result *l, int inexact) {
  uint64_t terms = reduces(s->what) ? dealt_in_all(s, l->ranks) : 1;
  for (uint64_t i = 0; l->result && i < l->values; i++) {
    if (is_between(s, i))
      continue;
    double y = real_at(l->result, s->type == GHZ_F64, i);
    total t = total_at(s, l, terms, i);
    double want = expected_special(s, &t);
    int holds = isnan(want)   ? isnan(y)
                : isinf(want) ? y == want
                              : !isnan(y) && close_enough(s, l, &t, terms, y, inexact);
    /* partial sums in floating point may overflow, and meet an infinity of the other sign */
    holds |= inexact && isnan(y) && t.magnitude >= FLT_MAX && !isnan(want);
    if (!check(holds, "value %llu is %.17g, should be %.17g or %.17g, eb %.17g, inexact %d",
               (unsigned long long)i, y, want, is_one(s) ? one_of(s, &t) : (double)t.sum, l->report.eb,
               inexact))
      return;
  }
}
