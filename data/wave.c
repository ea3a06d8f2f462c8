/* wave.c: owns the wave fields: the 3-D acoustic wave equation by finite differences, and when to
 * take snapshots.
 *
 * p_tt = v^2 laplace(p) + source, 8th order in space and 2nd in time, on an n^3 grid with a sponge
 * along all six faces. The domain is the same for every n; the source is higher-pitched on finer
 * grids. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "earth.h"
#include "fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALO = 4, SNAPSHOTS = 3 };

static const struct {
  const char *name;
  double fill; /* taken when this share of the cells exceeds `visible` times the maximum */
} snapshots[SNAPSHOTS] = {{"wave-early", 0.10}, {"wave-middle", 0.40}, {"wave-late", 0.90}};

static const float visible = 1e-4f;
static const float courant = 0.5f;      /* fastest v dt sqrt(3) / dx; the scheme is stable up to 0.78 */
static const double longest = 3.0;      /* simulated seconds after which the run stops, whatever the fill */
static const float negligible = 1e-30f; /* smaller values become 0: denormals are slow and mean nothing here */
static const float source_at[3] = {14, 128, 120}; /* depth, y, x, in units of the model */
static const float sponge_width = 24;             /* units of the model */
static const float sponge_strength = 0.012f;      /* per unit, on a grid of one cell per unit */

typedef struct wave {
  size_t n, row, plane; /* cells along an edge; distances of neighbours in y and z with the halo */
  size_t steps;
  double dt, pitch;    /* seconds; peak frequency of the source in Hz */
  double push;         /* what a source of strength 1 adds in a step */
  size_t source;       /* its index in `now` */
  float *now, *before; /* pressure with a halo of zeros; `before` becomes the next step */
  float *courant2;     /* (v dt / dx)^2, no halo */
  float *sponge;       /* damping by the distance of a coordinate from the faces, n of them */
  float *copy;         /* the pressure without halo, for saving */
} wave;

static size_t wave_at(const wave *w, size_t z, size_t y, size_t x) {
  return (z + HALO) * w->plane + (y + HALO) * w->row + x + HALO;
}

/* Fills courant2 with the speeds and returns the largest. */
static float fill_speeds(wave *w) {
  size_t n = w->n;
  float scale = EARTH_EDGE / (float)n, fastest = 0;
#pragma omp parallel for reduction(max : fastest)
  for (size_t z = 0; z < n; z++)
    for (size_t y = 0; y < n; y++)
      for (size_t x = 0; x < n; x++) {
        float speed = earth_speed(scale * (float)z, scale * (float)y, scale * (float)x);
        w->courant2[(z * n + y) * n + x] = speed;
        fastest = fmaxf(fastest, speed);
      }
  return fastest;
}

static void fill_sponge(wave *w) {
  float scale = EARTH_EDGE / (float)w->n;
  for (size_t i = 0; i < w->n; i++) {
    size_t inside = i < w->n - 1 - i ? i : w->n - 1 - i;
    float depth = sponge_width - scale * (float)inside;
    float strength = sponge_strength * (depth > 0 ? depth : 0);
    w->sponge[i] = expf(-strength * strength * scale);
  }
}

/* Sets everything that follows from n: speeds, time step, sponge, source. */
static void wave_prepare(wave *w) {
  size_t n = w->n, cells = n * n * n;
  float fastest = fill_speeds(w);
  double scale = (double)EARTH_EDGE / (double)n;
  double dx = scale * (double)EARTH_METRES_PER_UNIT;
  w->dt = (double)courant * dx / ((double)fastest * sqrt(3.0));
  float dt_dx = (float)(w->dt / dx);
#pragma omp parallel for
  for (size_t i = 0; i < cells; i++)
    w->courant2[i] = (w->courant2[i] * dt_dx) * (w->courant2[i] * dt_dx);
  fill_sponge(w);
  /* 12.5 cells for the shortest wavelength at the peak when n is 256, 6 when it is 64. */
  w->pitch = 12.0 / sqrt(scale);
  w->push = 1e7 * w->dt * w->dt / (scale * scale * scale);
  size_t at[3];
  for (int d = 0; d < 3; d++)
    at[d] = (size_t)(source_at[d] / (float)scale);
  w->source = wave_at(w, at[0], at[1], at[2]);
}

static void wave_free(wave *w) {
  free(w->now);
  free(w->before);
  free(w->courant2);
  free(w->sponge);
  free(w->copy);
}

static bool wave_create(wave *w, size_t n) {
  size_t row = n + 2 * HALO, plane = row * row, cells = n * n * n, total = plane * row;
  *w = (wave){.n = n, .row = row, .plane = plane};
  w->now = floats_new(total, "wave");
  w->before = w->now ? floats_new(total, "wave") : NULL;
  w->courant2 = w->before ? floats_new(cells, "wave") : NULL;
  w->copy = w->courant2 ? floats_new(cells, "wave") : NULL;
  w->sponge = w->copy ? floats_new(n, "wave") : NULL;
  if (!w->sponge) {
    wave_free(w);
    return false;
  }
  memset(w->now, 0, total * sizeof(float));
  memset(w->before, 0, total * sizeof(float));
  wave_prepare(w);
  return true;
}

/* Sum over the six neighbours at distance k. */
static inline float six(const float *p, ptrdiff_t row, ptrdiff_t plane, ptrdiff_t k) {
  return (p[-k] + p[k]) + (p[-k * row] + p[k * row]) + (p[-k * plane] + p[k * plane]);
}

/* One row of one step; `edge` is the damping due to y and z. Without contraction and reassociation
 * the bits are the same for any vector length. Not inlined, because gcc 12 vectorises the function
 * alone but not inside the parallel loop. */
__attribute__((noinline)) static void step_row(const wave *w, const float *restrict now, float *restrict next,
                                               const float *restrict courant2, float edge) {
  const float c0 = 3.0f * -205.0f / 72.0f, c1 = 8.0f / 5.0f, c2 = -1.0f / 5.0f, c3 = 8.0f / 315.0f,
              c4 = -1.0f / 560.0f;
  const float *restrict sponge = w->sponge;
  ptrdiff_t row = (ptrdiff_t)w->row, plane = (ptrdiff_t)w->plane, n = (ptrdiff_t)w->n;
  for (ptrdiff_t x = 0; x < n; x++) {
    const float *p = now + x;
    float laplace = c0 * *p + c1 * six(p, row, plane, 1) + c2 * six(p, row, plane, 2) +
                    c3 * six(p, row, plane, 3) + c4 * six(p, row, plane, 4);
    float damping = edge * sponge[x];
    float value = damping * (2.0f * *p - damping * next[x] + courant2[x] * laplace);
    next[x] = fabsf(value) < negligible ? 0.0f : value;
  }
}

/* The second derivative of a Gaussian pulse, peaking at 1.2 periods (Ricker's wavelet). */
static double source_strength(const wave *w) {
  const double pi = 3.14159265358979323846;
  double phase = pi * (w->pitch * (double)w->steps * w->dt - 1.2);
  return (1.0 - 2.0 * phase * phase) * exp(-phase * phase);
}

static void wave_step(wave *w) {
  size_t n = w->n;
#pragma omp parallel for schedule(static)
  for (size_t z = 0; z < n; z++)
    for (size_t y = 0; y < n; y++)
      step_row(w, w->now + wave_at(w, z, y, 0), w->before + wave_at(w, z, y, 0), w->courant2 + (z * n + y) * n,
               w->sponge[z] * w->sponge[y]);
  w->before[w->source] += (float)(w->push * source_strength(w));
  float *next = w->before;
  w->before = w->now;
  w->now = next;
  w->steps++;
}

/* The share of the cells that the wave has visibly reached. Maxima and counts do not depend on the
 * threads. */
static double wave_fill(const wave *w) {
  size_t n = w->n, count = 0;
  float largest = 0;
#pragma omp parallel for reduction(max : largest)
  for (size_t line = 0; line < n * n; line++) {
    /* Where there is a line, n is not 0. NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
    const float *p = w->now + wave_at(w, line / n, line % n, 0);
    for (size_t x = 0; x < n; x++)
      largest = fabsf(p[x]) > largest ? fabsf(p[x]) : largest;
  }
  float threshold = visible * largest;
#pragma omp parallel for reduction(+ : count)
  for (size_t line = 0; line < n * n; line++) {
    const float *p = w->now + wave_at(w, line / n, line % n, 0);
    for (size_t x = 0; x < n; x++)
      count += fabsf(p[x]) > threshold;
  }
  return (double)count / (double)(n * n * n);
}

static bool save_snapshot(const run *r, const wave *w, const char *name, double fill) {
  size_t n = w->n;
  run_note(r, "%s: step %zu, %.4f s, %.1f %% of the cells\n", name, w->steps, (double)w->steps * w->dt,
           100 * fill);
  for (size_t line = 0; line < n * n; line++)
    memcpy(w->copy + line * n, w->now + wave_at(w, line / n, line % n, 0), n * sizeof(float));
  return run_save(r, name, (shape){{n, n, n}}, w->copy);
}

/* Steps until the wave fills the share, or to the last moment. Checks the share at fixed intervals
 * of time. */
static double advance(wave *w, double fill_wanted) {
  size_t interval = w->n * 10 / 256 > 0 ? w->n * 10 / 256 : 1;
  double silent = 1.6 / w->pitch; /* when the source is over */
  for (;;) {
    for (size_t i = 0; i < interval; i++)
      wave_step(w);
    double now = (double)w->steps * w->dt;
    if (now <= silent)
      continue;
    double fill = wave_fill(w);
    if (fill >= fill_wanted || now >= longest)
      return fill;
  }
}

/* The snapshots of a series, evenly spaced in what they fill. */
static bool make_series(const run *r) {
  double first = snapshots[1].fill, last = snapshots[2].fill;
  wave w;
  if (!wave_create(&w, r->n))
    return false;
  bool good = true;
  for (int i = 0; i < r->series && good; i++) {
    double share = r->series > 1 ? (double)i / (r->series - 1) : 1.0;
    good = save_snapshot(r, &w, "wave", advance(&w, first + share * (last - first)));
  }
  wave_free(&w);
  return good;
}

bool make_waves(const run *r) {
  if (r->series > 0)
    return make_series(r);
  int last = SNAPSHOTS - 1;
  while (last >= 0 && !run_wants(r, snapshots[last].name))
    last--;
  wave w;
  if (!wave_create(&w, r->n))
    return false;
  bool good = true;
  for (int i = 0; i <= last && good; i++) {
    double fill = advance(&w, snapshots[i].fill);
    if (run_wants(r, snapshots[i].name))
      good = save_snapshot(r, &w, snapshots[i].name, fill);
  }
  wave_free(&w);
  return good;
}
