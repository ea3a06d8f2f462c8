/* quality.c: owns the exact stack and what a compressed one is worth against it. */
#include "stacking.h"

#include "../../cli/picture.h"

#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

enum { PIECE = 1 << 20 }; /* values that are summed at a time */

/* Sums values first .. first + n - 1 of this rank's snapshots. */
static void sum_piece(const snapshots *s, size_t first, size_t n, double *sum) {
  for (size_t i = 0; i < n; i++)
    sum[i] = 0;
  for (int k = 0; k < s->count; k++) {
    const float *x = s->values + (size_t)k * s->n + first;
    for (size_t i = 0; i < n; i++)
      sum[i] += (double)x[i];
  }
}

static void sum_all(exact_stack *e, const snapshots *s, double *piece, double divisor) {
  for (size_t first = 0; first < s->n; first += PIECE) {
    size_t n = s->n - first < PIECE ? s->n - first : PIECE;
    sum_piece(s, first, n, piece);
    MPI_Reduce(piece, e->values ? e->values + first : NULL, (int)n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    for (size_t i = 0; e->values && i < n; i++)
      e->values[first + i] /= divisor;
  }
}

bool exact_make(exact_stack *e, const snapshots *s, const options *o) {
  *e = (exact_stack){.n = s->n, .min = INFINITY, .max = -INFINITY};
  double *piece = malloc(PIECE * sizeof *piece);
  if (my_rank() == 0)
    e->values = malloc(s->n * sizeof *e->values);
  bool good = all_true(piece && (my_rank() != 0 || e->values));
  double divisor = o->average ? s->total : 1;
  if (good)
    sum_all(e, s, piece, divisor);
  else if (my_rank() == 0)
    complain("out of memory for the exact stack");
  free(piece);
  if (!good)
    free(e->values);
  for (size_t i = 0; good && e->values && i < e->n; i++)
    if (isfinite(e->values[i])) {
      e->min = fmin(e->min, e->values[i]);
      e->max = fmax(e->max, e->values[i]);
    }
  /* k - 1 additions and a division, each off by half a unit in the last place of at most k times the largest.
   */
  double largest = fmax(fabs(s->min), fabs(s->max)), total = s->total;
  e->slack = s->total > 1 && isfinite(largest) ? total * 0x1p-53 * total * largest / divisor : 0;
  return good;
}

quality quality_of(const exact_stack *e, const float *y, double bound, bool rounded) {
  quality q = {.hash = hash_of(y, e->n)};
  double squares = 0, range = e->max - e->min;
  uint64_t finite = 0;
  for (size_t i = 0; i < e->n; i++) {
    double x = e->values[i], v = (double)y[i];
    if (!isfinite(x)) {
      if (isnan(x) ? !isnan(v) : v != x)
        q.wrong++;
      continue;
    }
    double error = fabs(v - x);
    double ulp = rounded ? (double)(nextafterf(fabsf(y[i]), INFINITY) - fabsf(y[i])) : 0;
    if (!(error <= bound + ulp / 2 + e->slack)) /* NaN is wrong too */
      q.wrong++;
    q.max_error = error > q.max_error ? error : q.max_error;
    squares += error * error;
    finite++;
  }
  q.rmse = finite > 0 ? sqrt(squares / (double)finite) : 0;
  q.nrmse = range > 0 ? q.rmse / range : NAN;
  q.psnr = -20 * log10(q.nrmse);
  return q;
}

uint64_t hash_of(const float *y, size_t n) {
  return XXH3_64bits(y, n * sizeof *y);
}

/* The section lies across the slowest and the fastest dimension: for ghz-fields' waves, depth and x. */
bool quality_draw(const exact_stack *e, const float *y, size_t size, const char *path, double scale) {
  picture p;
  double *row = malloc(size * sizeof *row);
  if (!row)
    return complain("%s: out of memory", path);
  bool good = picture_begin(&p, path, (uint64_t[3]){size, size, 1});
  if (!good) {
    free(row);
    return false;
  }
  for (size_t z = 0; z < size; z++) {
    size_t at = (z * size + size / 2) * size;
    for (size_t x = 0; x < size; x++)
      row[x] = (double)y[at + x];
    picture_add(&p, z * size, e->values + at, row, size);
  }
  good = picture_write(&p, path, true, scale);
  picture_free(&p);
  free(row);
  return good;
}
