/* loss.c: owns what a bound takes from values: those that come back as 0, and usual fill values
 * that nobody named. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/call.h"
#include "context/floating.h"
#include "numerals.h"
#include "range.h"
#include "rules/lattice_rules.h"

/* A glance is at FEW values. If it shows something a sample follows, of PARTS tiles. */
enum { FEW = 256, PARTS = 64, SAMPLE = 1024 };

/* Of NetCDF, GRIB and CMIP, of models, instruments and GIS, of either sign; as float, and as the
 * double of that name. */
static const double usual[] = {1e20,    0x1.ep122,    1e15,         1e30,     1e31,    1e34,   1e35,
                               1e36,    1e37,         9e36,         9.999e20, 9999,    99999,  999999,
                               9999999, 999,          999.9,        99.9,     999.25,  32768,  32767,
                               3.4e38,  2147483648.0, 2147483647.0, FLT_MAX,  DBL_MAX, 0x1p100};

static int is_usual(double x) {
  const double v = fabs(x);
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (v == usual[i] || (usual[i] <= (double)FLT_MAX && v == (double)(float)usual[i]))
      return 1;
  return 0;
}

/* ---- Looking --------------------------------------------------------------------------------- */

/* What was seen: the range of all but fill values, and magnitudes other than 0. */
typedef struct view {
  const tile_codec *tiles;
  ghz_lattice lattice;
  ghz_loss *loss;
  int suspected; /* loss->fill is a usual one, and was an extreme */
  thread_range range;
  double value[SAMPLE];
  size_t count;
} view;

/* At most a tile of them. */
static void to_doubles(ghz_type type, const void *x, size_t n, double *to) {
  _Alignas(64) double stored[TILE];
  const tile_place line = packed_place((tile_extent){1, (unsigned)n, 1, 1, (unsigned)n});
  if (is_integer(type)) {
    ghz_integers_in(type, &line, x, stored);
    x = stored;
  }
  if (storage_type(type) == GHZ_F64)
    memcpy(to, x, n * sizeof *to);
  else
    for (size_t i = 0; i < n; i++)
      to[i] = (double)((const float *)x)[i];
}

/* Of the usual ones, the largest. */
static void suspect(view *v, double extreme) {
  if (!is_usual(extreme) || (v->suspected && fabs(extreme) <= fabs(v->loss->fill)))
    return;
  if (v->loss->fills)
    widen_range(&v->range, v->loss->fill, v->loss->fill);
  v->suspected = 1;
  v->loss->fill = extreme;
  v->loss->fills = 0;
}

static int is_missing(const view *v, double x) {
  return !isfinite(x) || (v->lattice.has_fill && x == v->lattice.fill);
}

/* A tile, of which some values are taken. Where it is of one value, which comes back exactly, these
 * are infinite. Of others only fill values matter, and those that are named are only counted. */
static void look_at(view *v, const void *x, size_t n, size_t take, int is_tile) {
  const ghz_lattice *l = &v->lattice;
  double min = INFINITY, max = -INFINITY, values[TILE];
  if (take == 0 && !v->suspected && !l->has_fill && !is_integer(l->type))
    v->tiles->range(l, x, n, &min, &max);
  if (min <= max && !is_usual(min) && !is_usual(max)) {
    widen_range(&v->range, min, max);
    v->loss->seen += n;
    return;
  }
  to_doubles(l->type, x, n, values);
  for (size_t i = 0; l->has_fill && i < n; i++)
    v->loss->missing += values[i] == l->fill;
  if (take == 0 && l->has_fill)
    return;
  v->loss->seen += n;
  for (size_t i = 0; i < n; i++)
    if (!is_missing(v, values[i])) {
      min = values[i] < min ? values[i] : min;
      max = values[i] > max ? values[i] : max;
    }
  suspect(v, min);
  suspect(v, max);
  if (!v->suspected)
    widen_range(&v->range, min, max);
  for (size_t i = 0; v->suspected && i < n; i++)
    if (values[i] == v->loss->fill)
      v->loss->fills++;
    else if (!is_missing(v, values[i]))
      widen_range(&v->range, values[i], values[i]);
  for (size_t i = 0; i < take && i < n; i++) {
    const double y = values[(unsigned)i * 389 % (unsigned)n]; /* scattered, as data have periods */
    if (y != 0 && !is_missing(v, y) && !(v->suspected && y == v->loss->fill))
      v->value[v->count++] = is_tile && min == max ? INFINITY : fabs(y);
  }
}

static void glance(view *v, const void *x, size_t n) {
  _Alignas(64) uint8_t few[FEW * sizeof(double)];
  const size_t size = type_bytes(v->lattice.type), part = n / FEW;
  const uint64_t span = part < UINT32_MAX ? part : UINT32_MAX;
  for (size_t i = 0; i < FEW; i++) {
    const uint64_t scattered = (uint32_t)i * UINT32_C(0x9e3779b1) * span >> 32;
    memcpy(few + i * size, (const uint8_t *)x + (i * part + (size_t)scattered) * size, size);
  }
  look_at(v, few, FEW, FEW, 0);
}

static void look(view *v, const void *x, size_t n, int all) {
  const size_t tiles = tiles_of(n), apart = tiles / PARTS + 1, take = SAMPLE / (tiles / apart + 1);
  for (size_t t = 0; t < tiles; t += all ? 1 : apart) {
    const size_t begin = t * TILE, count = n - begin < TILE ? n - begin : TILE;
    look_at(v, (const uint8_t *)x + begin * type_bytes(v->lattice.type), count, t % apart ? 0 : take, 1);
  }
}

/* ---- Judging --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Values that are lost, or kept. */
typedef struct kind_of_values {
  double n, least, most, sum, squares; /* sums of exponents */
} kind_of_values;

static void add_to(kind_of_values *k, double magnitude) {
  const double exponent = double_exponent(double_bits(magnitude));
  k->least = k->n++ > 0 && k->least < magnitude ? k->least : magnitude;
  k->most = magnitude > k->most ? magnitude : k->most;
  k->sum += exponent;
  k->squares += exponent * exponent;
}

/* More than half are lost; or an eighth that is of one size and far from all others. Two kinds do
 * not count beside values that are kept: those that fade away, as before a wave, whose exponents
 * have a standard deviation of 8 and more (4.3 at most in fields with a scale of their own); and
 * what rounding leaves where there should be 0, as in imaginary parts. */
static int wipes(ghz_type type, const kind_of_values *lost, const kind_of_values *kept) {
  const double all = lost->n + kept->n, mean = lost->sum / lost->n, apart = kept->sum / kept->n - mean;
  if (lost->n < 4 || 8 * lost->n < all || 64 * kept->n < all)
    return lost->n >= 4 && 64 * kept->n < all;
  if (lost->squares / lost->n - mean * mean > 36 || (type == GHZ_F64 && apart > 46 && apart < 62))
    return 0;
  return 2 * lost->n > all || (lost->least < lost->most && kept->least >= 64 * lost->most);
}

static void judge(view *v) {
  ghz_loss *loss = v->loss;
  const thread_range *r = &v->range;
  const double gap = loss->fill > r->max ? loss->fill - r->max : r->min - loss->fill,
               half = is_integer(v->lattice.type) || is_grid(&v->lattice) ? 0 : v->lattice.step / 2;
  kind_of_values lost = {0}, kept = {0};
  loss->has_fill = v->suspected && loss->fills > 1 && r->min <= r->max && gap > r->max - r->min;
  for (size_t i = 0; i < v->count; i++)
    add_to(v->value[i] < half ? &lost : &kept, v->value[i]);
  loss->values = v->count;
  loss->lost = (uint64_t)lost.n;
  loss->wipes = wipes(v->lattice.type, &lost, &kept);
  if (loss->wipes) {
    qsort(v->value, v->count, sizeof *v->value, compare);
    loss->median = v->value[loss->lost / 2];
  }
}

ghz_status ghz_lattice_loss(ghz_context *ctx, const ghz_lattice *lattice, const void *x, size_t n, int all,
                            ghz_loss *loss) {
  GHZ_CALL(ctx);
  floating_environment env;
  view v;
  if (!lattice || !loss || (!x && n))
    return ghz_fail(ctx, GHZ_EINVAL, "%s is NULL", !lattice ? "lattice" : loss ? "x" : "loss");
  if (!type_known(lattice->type))
    return ghz_fail(ctx, GHZ_EINVAL, "type %d is unknown", (int)lattice->type);
  floating_begin(&env);
  v.tiles = ctx->tiles;
  v.lattice = *lattice;
  v.loss = loss;
  for (int closer = all || n <= FEW; closer < 2; closer++) {
    *loss = (ghz_loss){.type = lattice->type, .bound = lattice->eb};
    v.suspected = 0;
    v.count = 0;
    v.range = no_values;
    if (closer)
      look(&v, x, n, all);
    else
      glance(&v, x, n);
    judge(&v);
    if (!v.suspected && !loss->wipes)
      break;
  }
  floating_end(&env);
  return GHZ_OK;
}

/* ---- In words -------------------------------------------------------------------------------- */

/* In as few digits as read back as the same value of the type. */
static void name_fill(const ghz_loss *l, char *text, size_t size) {
  double back = NAN;
  for (int digits = 1; digits <= 17 && back != l->fill; digits++) {
    snprintf(text, size, "%.*g", digits, l->fill);
    back = strtod(text, NULL);
    back = l->type == GHZ_F32 ? (double)(float)back : back;
  }
}

int ghz_loss_text(const ghz_loss *l, const char *option, char *text, size_t size) {
  const locale_t programs = numerals_begin();
  char fill[32], taken[160] = "", named[240] = "";
  name_fill(l, fill, sizeof fill);
  if (l->wipes)
    snprintf(taken, sizeof taken,
             "the bound %.3g is larger than %.3g %% of the values other than 0, which come back as 0: their "
             "median magnitude is %.3g",
             l->bound, 100 * (double)l->lost / (double)l->values, l->median);
  if (l->has_fill)
    snprintf(named, sizeof named,
             "%.3g %% of the values are %s, a usual fill value: they set the range, and are added, as numbers. "
             "Use %s%s",
             100 * (double)l->fills / (double)l->seen, fill, option, fill);
  snprintf(text, size, "%s%s%s", taken, l->wipes && l->has_fill ? "; " : "", named);
  numerals_end(programs);
  return l->wipes || l->has_fill;
}
