/* quantum.c: owns the search for the quantum of values: the least distance in a sample, refined by
 * ever larger ones; then the simplest number among those that give every value of a batch; which
 * then has to give every value there is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "quantum.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/buffer.h"
#include "io/values.h"
#include "report/report.h"
#include "rules/quantise.h"

enum { BATCH = 1 << 18, SAMPLE = 1 << 14, TRIES = 1000, SHORT = 7 };

static const char constant[] = "all of its values are 0, or missing";
static const char none[] = "its values are not multiples of one number (an offset would have to be subtracted)";

/* ---- The sample ------------------------------------------------------------------------------ */

typedef struct sample {
  double *x;
  size_t n;
} sample;

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool counts(double v, const double *fill) {
  return isfinite(v) && !(fill && v == *fill);
}

/* Different magnitudes, ascending, 0 before them. */
static void take_sample(ghz_type type, const void *x, size_t n, const double *fill, sample *s) {
  const size_t step = n / SAMPLE + 1;
  size_t kept = 0;
  s->n = 0;
  s->x[s->n++] = 0;
  for (size_t i = 0; i < n && s->n < SAMPLE; i += step)
    if (counts(value_at(type, x, i), fill))
      s->x[s->n++] = fabs(value_at(type, x, i));
  qsort(s->x, s->n, sizeof *s->x, ascending);
  for (size_t i = 1; i < s->n; i++)
    if (s->x[i] > s->x[kept])
      s->x[++kept] = s->x[i];
  s->n = kept + 1;
}

/* ---- The numbers that give the sample -------------------------------------------------------- */

/* A quantum, refined by the distances of all larger magnitudes from one; 0 if they are no multiples
 * of it. */
static double refine(const sample *s, size_t start, double q) {
  for (size_t i = start; i < s->n; i++) {
    const double d = s->x[i] - s->x[start - 1], k = rint(d / q);
    if (fabs(d / q - k) > 0.3)
      return 0;
    q = d / k;
  }
  return q;
}

/* The least distance of two magnitudes, refined: a distance of many quanta says the quantum to as
 * many times its precision. 0 if distances are no multiples of it. */
static double estimate(const sample *s) {
  double q = INFINITY;
  for (size_t i = 1; i < s->n; i++)
    q = fmin(q, s->x[i] - s->x[i - 1]);
  double refined = 0;
  for (size_t start = 1, tries = 0; start < s->n && tries < TRIES && refined == 0; start++)
    if (s->x[start] - s->x[start - 1] < 1.5 * q) { /* neighbours: others follow at small distances */
      refined = refine(s, start, q);
      tries++;
    }
  return refined;
}

/* The numbers q, from low to high, of which every value is the multiple that its type rounds to. */
typedef struct interval {
  double low, high;
} interval;

/* Half of the distance to the next number of the type. */
static double half_unit(ghz_type type, double x) {
  return type == GHZ_F32 ? (double)(nextafterf((float)x, INFINITY) - (float)x) / 2
                         : (nextafter(x, INFINITY) - x) / 2;
}

/* Of an array, near a quantum that a sample gives. */
static interval steps_of(ghz_type type, const void *x, size_t n, const double *fill, double q) {
  interval all = {0, INFINITY};
  for (size_t i = 0; i < n && all.low <= all.high; i++) {
    const double v = value_at(type, x, i), m = fabs(v), half = half_unit(type, m), k = fmax(rint(m / q), 1);
    if (!counts(v, fill) || m == 0)
      continue;
    all.low = fmax(all.low, (m - half) / k);
    all.high = fmin(all.high, (m + half) / k);
    q = all.low > 0 && all.high < INFINITY ? fmin(fmax(q, all.low), all.high) : q;
  }
  return all;
}

static bool is_in(interval of, double v) {
  return v >= of.low && v <= of.high;
}

/* The simplest one: a power of two, else a decimal number of few digits, else a float, as a
 * scale_factor mostly is, else any. */
static double simplest(interval of) {
  const double middle = of.low + (of.high - of.low) / 2, power = exp2(rint(log2(middle)));
  if (is_in(of, power))
    return power;
  for (int digits = 1; digits <= SHORT; digits++) {
    char text[32];
    snprintf(text, sizeof text, "%.*e", digits - 1, middle);
    if (is_in(of, strtod(text, NULL)))
      return strtod(text, NULL);
  }
  return is_in(of, (double)(float)middle) ? (double)(float)middle : middle;
}

/* ---- All values ------------------------------------------------------------------------------ */

/* As the library has it (FORMAT.md, "Grids"). */
void quantum_count(const ghz_lattice *l, const void *x, size_t n, const double *fill, uint64_t on[2]) {
  const grid_test near = grid_test_of(l, 0), far = grid_test_of(l, DBL_MAX);
  for (size_t i = 0; i < n; i++) {
    const double v = value_at(l->type, x, i), m = fabs(v);
    const grid_test test = m <= 0x1p22 * l->step ? near : far;
    if (counts(v, fill))
      on[mode_for(l, m) != RAW && (l->type == GHZ_F32 ? on_grid_f32(test, (float)v) : on_grid_f64(test, v))]++;
  }
}

static bool all_on_grid(ghz_type type, const void *x, size_t n, const double *fill, double step) {
  ghz_lattice l;
  uint64_t on[2] = {0, 0};
  if (ghz_lattice_make(type, (ghz_bound){GHZ_STEP, step}, 0, 0, &l) != GHZ_OK)
    return false;
  quantum_count(&l, x, n, fill, on);
  return on[0] == 0;
}

static quantum search(ghz_type type, const void *x, size_t n, const double *fill, sample *s) {
  take_sample(type, x, n, fill, s);
  if (s->n == 1)
    return (quantum){0, constant};
  const double q = estimate(s);
  const interval of = q > 0 ? steps_of(type, x, n, fill, q) : (interval){1, 0};
  return of.low > 0 && of.low <= of.high ? (quantum){simplest(of), NULL} : (quantum){0, none};
}

quantum quantum_of_values(ghz_type type, const void *x, size_t n, const double *fill) {
  sample s = {malloc(SAMPLE * sizeof *s.x), 0};
  quantum q = {0, "out of memory"};
  if (s.x)
    q = search(type, x, n, fill, &s);
  if (q.step > 0 && !all_on_grid(type, x, n, fill, q.step))
    q = (quantum){0, none};
  free(s.x);
  return q;
}

/* The first batch that has values says what it could be. */
static bool search_batches(input *in, const double *fill, void *batch, quantum *q) {
  *q = (quantum){0, constant};
  for (size_t got = 1; got && in->taken < in->count && q->why != none;) {
    if (!input_read(in, batch, BATCH, &got))
      return false;
    if (q->step == 0)
      *q = quantum_of_values(in->type, batch, got, fill);
    else if (!all_on_grid(in->type, batch, got, fill, q->step))
      *q = (quantum){0, none};
  }
  input_rewind(in);
  return true;
}

bool quantum_of_input(input *in, const double *fill, quantum *q) {
  buffer batch = {0};
  const bool ok = buffer_reserve(&batch, BATCH * ghz_type_size(in->type), in->file.name) &&
                  search_batches(in, fill, batch.data, q);
  buffer_free(&batch);
  return ok;
}
