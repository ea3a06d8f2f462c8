/* quality.c: owns the measures of how well a result resembles its original. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/quality.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "context/floating.h"

enum { WINDOW = 11, HALF = WINDOW / 2, FIELDS = 6 };
#define PLANE_MOST ((uint64_t)1 << 26)
#define SIGMA 1.5
#define STABLE 1e-8 /* C1 and C2 */

struct ghz_meter {
  ghz_quality q;
  int ndim;
  uint64_t extent[GHZ_QUALITY_NDIM], stride[GHZ_QUALITY_NDIM], place[GHZ_QUALITY_NDIM], total;
  double *memory; /* of all that is below */
  double *ring;   /* the errors of the last `reach` values, and where the next one goes */
  uint64_t reach, at;
  size_t nx, ny, have; /* of a plane, 0 without SSIM, and its values so far: */
  uint64_t plane;      /* its number */
  double *x, *y;
  double *line, *rows, weight[WINDOW]; /* of a row; of sums over windows in rows */
  double shift[2], ssim_sum;           /* the sums that follow are of x - shift[0] and y - shift[1] */
  long double squares, sum, sx, sy, sxx, syy, sxy;
};

/* ---- One value ------------------------------------------------------------------------------- */

static int same_special(double x, double y) {
  return (isnan(x) && isnan(y)) || x == y;
}

/* |x - y| = high + rest exactly, by the two-sum of Knuth; high is |x - y| rounded to nearest. */
static void exact_distance(double x, double y, double *high, double *rest) {
  const double s = x - y, v = s - x, e = (x - (s - v)) - (y + v);
  *high = fabs(s);
  *rest = isinf(s) ? 0 : s < 0 ? -e : e;
}

static void add_finite(ghz_meter *m, double x, double y) {
  ghz_quality *q = &m->q;
  double high, rest;
  exact_distance(x, y, &high, &rest);
  if (q->finite == 0) {
    m->shift[0] = x;
    m->shift[1] = y;
  }
  if (q->finite++ == 0 || high > q->error || (high == q->error && rest > q->error_rest)) {
    q->error = high;
    q->error_rest = rest;
    q->error_at = q->count;
  }
  q->min = x < q->min ? x : q->min;
  q->max = x > q->max ? x : q->max;
  m->squares += (long double)high * high;
  m->sum += (long double)y - x;
  const long double dx = (long double)x - m->shift[0], dy = (long double)y - m->shift[1];
  m->sx += dx;
  m->sy += dy;
  m->sxx += dx * dx;
  m->syy += dy * dy;
  m->sxy += dx * dy;
}

/* Compares the error with those of the neighbours that came before: NaN compares with none. */
static void add_to_ring(ghz_meter *m, double error) {
  for (int k = 0; k < m->ndim; k++)
    if (m->place[k] > 0) {
      const uint64_t back = m->stride[k];
      const double d = fabs(error - m->ring[m->at >= back ? m->at - back : m->at + m->reach - back]);
      m->q.neighbours[k] = d > m->q.neighbours[k] ? d : m->q.neighbours[k];
    }
  m->ring[m->at] = error;
  m->at = m->at + 1 < m->reach ? m->at + 1 : 0;
  for (int k = m->ndim - 1; k >= 0 && ++m->place[k] == m->extent[k] && k > 0; k--)
    m->place[k] = 0;
}

/* ---- SSIM of a plane ------------------------------------------------------------------------- */

/* One value of 256, of two that are brought to [0, 1] together. Halves do not overflow. */
static double level(double v, double low, double half_range) {
  return ((v / 2 - low / 2) / half_range * 255 + 0x1.8p52 - 0x1.8p52) /
         255; /* rint() is a call on many machines */
}

/* to[i] becomes the sum over the window that begins at from[i * step]; both have n of them. */
static void sum_windows(const double *restrict weight, const double *restrict from, size_t step, size_t n,
                        double *restrict to) {
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t k = 0; k < WINDOW; k++)
      sum += weight[k] * from[i + k * step];
    to[i] = sum;
  }
}

/* The sums over a row's windows of weights and values: of each field nx - 10, in the place that the
 * row has among WINDOW rows of the field. */
static void sum_row(const ghz_meter *m, size_t row, double low, double half_range) {
  const double *x = m->x + row * m->nx, *y = m->y + row * m->nx;
  const size_t n = m->nx - 2 * HALF;
  for (size_t i = 0; i < m->nx; i++) {
    const int there = isfinite(x[i]) && isfinite(y[i]);
    const double a = there ? level(x[i], low, half_range) : 0, b = there ? level(y[i], low, half_range) : 0;
    const double f[FIELDS] = {there, a, b, a * a, b * b, a * b};
    for (size_t j = 0; j < FIELDS; j++)
      m->line[j * m->nx + i] = f[j];
  }
  for (size_t j = 0; j < FIELDS; j++)
    sum_windows(m->weight, m->line + j * m->nx, 1, n, m->rows + (j * 2 * WINDOW + row % WINDOW) * n);
}

static double ssim_of(double w, double a, double b, double aa, double bb, double ab) {
  a /= w;
  b /= w;
  aa = aa / w - a * a;
  bb = bb / w - b * b;
  ab = ab / w - a * b;
  return (2 * a * b + STABLE) * (2 * ab + STABLE) / ((a * a + b * b + STABLE) * (aa + bb + STABLE));
}

/* The windows of WINDOW rows, of which the first is number `first`; adds up those whose middle is
 * there. A field has its rows twice, so that any WINDOW of them lie one after the other. */
static void add_windows(const ghz_meter *m, size_t first, double *sum, uint64_t *count) {
  const size_t n = m->nx - 2 * HALF, middle = (first + HALF) * m->nx + HALF;
  double *f = m->line;
  for (size_t j = 0; j < FIELDS; j++) {
    double *rows = m->rows + j * 2 * WINDOW * n, *newest = rows + (first + WINDOW - 1) % WINDOW * n;
    memcpy(newest + WINDOW * n, newest, n * sizeof *rows);
    sum_windows(m->weight, rows + first % WINDOW * n, n, n, f + j * n);
  }
  for (size_t i = 0; i < n; i++)
    if (isfinite(m->x[middle + i]) && isfinite(m->y[middle + i])) {
      *sum += ssim_of(f[i], f[n + i], f[2 * n + i], f[3 * n + i], f[4 * n + i], f[5 * n + i]);
      ++*count;
    }
}

/* The data SSIM of the plane that is complete; NaN without values. */
static double ssim_of_plane(const ghz_meter *m) {
  double low = INFINITY, high = -INFINITY, sum = 0;
  uint64_t count = 0;
  for (size_t i = 0; i < m->have; i++)
    if (isfinite(m->x[i]) && isfinite(m->y[i])) {
      const double least = m->x[i] < m->y[i] ? m->x[i] : m->y[i], most = m->x[i] < m->y[i] ? m->y[i] : m->x[i];
      low = least < low ? least : low;
      high = most > high ? most : high;
    }
  if (low == high) /* both are the same constant */
    return 1;
  for (size_t row = 0; low < high && row < m->ny; row++) {
    sum_row(m, row, low, high / 2 - low / 2);
    if (row + 1 >= WINDOW)
      add_windows(m, row + 1 - WINDOW, &sum, &count);
  }
  return count ? sum / (double)count : (double)NAN;
}

static void add_to_plane(ghz_meter *m, double x, double y) {
  m->x[m->have] = x;
  m->y[m->have] = y;
  if (++m->have < m->nx * m->ny)
    return;
  const double ssim = ssim_of_plane(m);
  const uint64_t plane = m->plane++;
  m->have = 0;
  if (isnan(ssim))
    return;
  if (m->q.planes == 0 || ssim < m->q.ssim) {
    m->q.ssim = ssim;
    m->q.ssim_plane = plane;
  }
  m->ssim_sum += ssim;
  m->q.planes++;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Strides of the axes, the largest that neighbours have, and how many values there are; false if
 * that is no number. */
static int measure(ghz_meter *m) {
  m->total = m->reach = 1;
  for (int k = 0; k < m->ndim; k++)
    m->total = m->extent[k] ? m->total : 0;
  for (int k = m->ndim - 1; k >= 0 && m->total; k--) {
    m->stride[k] = m->total;
    m->reach = m->extent[k] > 1 ? m->stride[k] : m->reach;
    if (__builtin_mul_overflow(m->total, m->extent[k], &m->total))
      return 0;
  }
  return 1;
}

static ghz_status reserve(ghz_meter *m) {
  const uint64_t nx = m->extent[m->ndim - 1], ny = m->ndim > 1 ? m->extent[m->ndim - 2] : 0;
  if (nx >= WINDOW && ny >= WINDOW && nx <= PLANE_MOST / ny) {
    m->nx = (size_t)nx;
    m->ny = (size_t)ny;
  }
  const size_t plane = m->nx * m->ny, line = FIELDS * m->nx, rows = 2 * WINDOW * line,
               others = 2 * plane + line + rows;
  if (m->reach <= SIZE_MAX / sizeof(double) - others)
    m->memory = malloc((others + (size_t)m->reach) * sizeof(double));
  if (!m->memory)
    return ghz_fail(NULL, GHZ_ENOMEM, "out of memory for errors");
  m->x = m->memory;
  m->y = m->x + plane;
  m->line = m->y + plane;
  m->rows = m->line + line;
  m->ring = m->rows + rows;
  return GHZ_OK;
}

ghz_status ghz_meter_create(int ndim, const uint64_t *extent, ghz_meter **meter) {
  double all = 0;
  floating_environment caller;
  if (meter)
    *meter = NULL;
  if (!meter || (ndim > 0 && !extent))
    return ghz_fail(NULL, GHZ_EINVAL, "%s", meter ? "extent is NULL" : "meter is NULL");
  if (ndim < 0 || ndim > GHZ_QUALITY_NDIM)
    return ghz_fail(NULL, GHZ_EINVAL, "%d dimensions: must be 0 to %d", ndim, GHZ_QUALITY_NDIM);
  ghz_meter *m = *meter = calloc(1, sizeof *m);
  if (!m)
    return ghz_fail(NULL, GHZ_ENOMEM, "out of memory");
  m->q.min = INFINITY;
  m->q.max = -INFINITY;
  m->ndim = ndim ? ndim : 1;
  m->extent[0] = UINT64_MAX;
  for (int k = 0; k < ndim; k++)
    m->extent[k] = extent[k];
  floating_begin(&caller);
  for (int k = 0; k < WINDOW; k++)
    all += m->weight[k] = exp(-(k - HALF) * (k - HALF) / (2 * SIGMA * SIGMA));
  for (int k = 0; k < WINDOW; k++)
    m->weight[k] /= all;
  floating_end(&caller);
  const ghz_status status = measure(m) ? reserve(m) : ghz_fail(NULL, GHZ_EINVAL, "too many values");
  if (status != GHZ_OK) {
    ghz_meter_free(m);
    *meter = NULL;
  }
  return status;
}

void ghz_meter_add(ghz_meter *m, const double *x, const double *y, size_t n) {
  floating_environment caller;
  floating_begin(&caller);
  for (size_t i = 0; i < n && m->q.count < m->total; i++, m->q.count++) {
    const int finite = isfinite(x[i]) && isfinite(y[i]);
    if (finite)
      add_finite(m, x[i], y[i]);
    else if (!same_special(x[i], y[i]) && m->q.mismatches++ == 0)
      m->q.first_mismatch = m->q.count;
    add_to_ring(m, finite ? y[i] - x[i] : (double)NAN);
    if (m->nx)
      add_to_plane(m, x[i], y[i]);
  }
  floating_end(&caller);
}

ghz_status ghz_meter_read(const ghz_meter *m, ghz_quality *q) {
  if (!m || !q || (m->total != UINT64_MAX && m->q.count != m->total))
    return ghz_fail(NULL, GHZ_EINVAL, "%s", m && q ? "the array is not complete" : "meter or quality is NULL");
  floating_environment caller;
  floating_begin(&caller);
  *q = m->q;
  const long double n = (long double)q->finite, range = (long double)q->max - q->min;
  const long double xx = m->sxx - m->sx * m->sx / n, yy = m->syy - m->sy * m->sy / n,
                    xy = m->sxy - m->sx * m->sy / n;
  const long double rms = sqrtl(m->squares / n);
  q->rms = (double)rms;
  q->bias = (double)(m->sum / n);
  q->nrmse = range > 0 ? (double)(rms / range) : (double)NAN;
  q->psnr = -20 * log10(q->nrmse);
  q->correlation = xx > 0 && yy > 0 ? (double)fminl(1, fmaxl(-1, xy / sqrtl(xx * yy))) : (double)NAN;
  q->ssim = q->planes ? q->ssim : (double)NAN;
  q->ssim_mean = q->planes ? m->ssim_sum / (double)q->planes : (double)NAN;
  floating_end(&caller);
  return GHZ_OK;
}

void ghz_meter_free(ghz_meter *m) {
  if (m)
    free(m->memory);
  free(m);
}
