/* fills.c: owns the usual fill values, and recognising them in data. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fills.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/values.h"
#include "report/library.h"
#include "report/report.h"

/* Of NetCDF, GRIB and CMIP, of models, instruments and GIS; as float, and as the double of that
 * name. */
static const double usual[] = {
    1e20,   0x1.ep122,     -0x1.ep122,   1e30,          -1e30,   1e31,     -1e31,    1e34,     -1e34,  1e35,
    -1e35,  1e36,          -1e36,        1e37,          -1e37,   9e36,     9.999e20, 9999,     -9999,  99999,
    -99999, -999,          -999.9,       -99.9,         -999.25, 999999,   -999999,  -9999999, -32768, 32767,
    -32767, -2147483648.0, 2147483647.0, -2147483647.0, FLT_MAX, -FLT_MAX, DBL_MAX,  -DBL_MAX};

static bool is_usual(double x) {
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (x == usual[i] || (fabs(usual[i]) <= (double)FLT_MAX && x == (double)(float)usual[i]))
      return true;
  return false;
}

number_text fill_text(ghz_type type, double fill) {
  number_text t;
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(t.text, sizeof t.text, "%.*g", digits, fill);
    const double back = strtod(t.text, NULL);
    if (type == GHZ_F32 ? (double)(float)back == fill : back == fill)
      break;
  }
  return t;
}

bool fill_choose(const char *name, ghz_type type, double given, double *fill) {
  *fill = given;
  if (type != GHZ_F32)
    return true;
  if (fabs(given) > (double)FLT_MAX)
    return fail(name, "--fill %g is too large for f32", given);
  *fill = (double)(float)given;
  return true;
}

/* ---- Watching -------------------------------------------------------------------------------- */

fill_watch fill_watch_begin(ghz_type type, const double *fill) {
  return (fill_watch){.type = type, .given = fill != NULL, .fill = fill ? *fill : 0, .range = range_nothing()};
}

void fill_watch_end(fill_watch *w) {
  free(w->sample);
  w->sample = NULL;
}

static uint64_t count_equal(ghz_type type, const void *x, size_t n, double value) {
  uint64_t count = 0;
  const float narrow = (float)value;
  if (type == GHZ_F32)
    for (size_t i = 0; i < n; i++)
      count += ((const float *)x)[i] == narrow;
  else
    for (size_t i = 0; i < n; i++)
      count += value_at(type, x, i) == value;
  return count;
}

/* Whether an extreme of a batch is a usual fill, and further from the other values, if there are
 * any, than these are from each other. */
static bool suspect(fill_watch *w, ghz_context *ctx, const char *name, const void *x, size_t n, double extreme,
                    bool *ok) {
  double min, max;
  if (!*ok || !is_usual(extreme))
    return false;
  *ok = library_ok(name, ctx, ghz_range_without(ctx, w->type, x, n, extreme, &min, &max));
  const double gap = extreme > max ? extreme - max : min - extreme;
  if (!*ok || (min <= max && !(gap > max - min)))
    return false;
  w->suspected = true;
  w->fill = extreme;
  return true;
}

/* Without a suspicion, the range of the batch; with one, that of its other values. */
static bool add_range(fill_watch *w, ghz_context *ctx, const char *name, const void *x, size_t n) {
  double min = INFINITY, max = -INFINITY;
  bool ok = true;
  if (!w->suspected) {
    ok = library_ok(name, ctx, ghz_range(ctx, w->type, x, n, &min, &max));
    if (ok && min <= max && !suspect(w, ctx, name, x, n, max, &ok))
      suspect(w, ctx, name, x, n, min, &ok);
  }
  if (ok && w->suspected)
    ok = library_ok(name, ctx, ghz_range_without(ctx, w->type, x, n, w->fill, &min, &max));
  range_widen(&w->range, min, max);
  return ok;
}

bool fill_watch_add(fill_watch *w, ghz_context *ctx, const char *name, const void *x, size_t n) {
  if (!w->given && !add_range(w, ctx, name, x, n))
    return false;
  w->count += w->given || w->suspected ? count_equal(w->type, x, n, w->fill) : 0;
  w->total += n;
  return true;
}

/* Takes values that are evenly spread over the batch, from the middle of each part. */
bool fill_watch_sample(fill_watch *w, const char *name, const void *x, size_t n) {
  const size_t wanted = n < SAMPLE_PER_BATCH ? n : SAMPLE_PER_BATCH;
  if (!w->sample && !(w->sample = malloc(SAMPLE_MAX * sizeof *w->sample)))
    return fail(name, "out of memory");
  for (size_t i = 0; i < wanted && w->samples < SAMPLE_MAX; i++) {
    const double value = fabs(value_at(w->type, x, (size_t)(((double)i + 0.5) * (double)n / (double)wanted)));
    const bool missing = (w->given || w->suspected) && value == fabs(w->fill);
    if (isfinite(value) && value > 0 && !missing)
      w->sample[w->samples++] = value;
  }
  return true;
}

bool fill_watch_found(const fill_watch *w) {
  const value_range *r = &w->range;
  const double gap = w->fill > r->max ? w->fill - r->max : r->min - w->fill;
  return w->suspected && w->count > 1 && r->min <= r->max && gap > r->max - r->min;
}

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double fill_watch_median(fill_watch *w) {
  if (w->samples == 0)
    return 0;
  qsort(w->sample, w->samples, sizeof *w->sample, compare_doubles);
  return w->sample[w->samples / 2];
}
