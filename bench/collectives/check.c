/* check.c: owns the check of a result: errors of its values, equality of its bits on all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Bits ------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
  return x ^ (x >> 29);
}

/* A hash that only has to differ for different results. Arrays are whole floats or doubles. */
static uint64_t hash(const void *data, size_t size) {
  const unsigned char *bytes = data;
  uint64_t h = size;
  uint32_t word;
  for (size_t i = 0; i < size; i += sizeof word) {
    memcpy(&word, bytes + i, sizeof word);
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 32);
  }
  return mix(h);
}

/* Sets `bits`, and `same` where every rank should have the same result. */
static void compare_bits(const job *j, verdict *v) {
  uint64_t own = hash(j->receive, job_result_count(j) * type_bytes(j->options)), extremes[2];
  uint64_t pair[2] = {own, ~own}, placed = mix(own + (uint64_t)world_rank());
  MPI_Allreduce(&placed, &v->bits, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(pair, extremes, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (tested.result == WHOLE_ON_ALL)
    v->same = extremes[0] == ~extremes[1] ? SAME : SAME_NOT;
}

void check_across(const options *o, verdict *verdicts) {
  verdict *first = NULL;
  for (int i = 0; i < o->n_variants; i++) {
    verdict *v = &verdicts[i];
    v->promised = v->done && v->compressed && !v->inexact;
    if (!v->promised)
      continue;
    if (!first) {
      first = v;
    } else if (v->same != SAME_NOT) {
      v->same = v->bits == first->bits ? SAME : SAME_OTHER;
      if (first->same == SAME_UNKNOWN && v->same == SAME)
        first->same = SAME;
    }
  }
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* |y - x|; infinite if only one of them is a NaN or an infinity. */
static double error_of(double y, double x) {
  if (isfinite(y) && isfinite(x))
    return fabs(y - x);
  return (isnan(y) && isnan(x)) || y == x ? 0 : INFINITY;
}

static double half_ulp(double y) {
  float x = fabsf((float)y);
  return isfinite(x) ? (double)(nextafterf(x, INFINITY) - x) / 2 : 0;
}

/* The largest rounding error of a reduction in a type of this unit. */
static double rounding(const reference *r, double unit) {
  double n = world_size(), largest = fmax(fabs(r->least), fabs(r->most));
  return reduces(tested.what) && isfinite(largest) ? n * n * unit / 2 * largest : 0;
}

/* Compares this rank's result with what it should be. Where no bound is promised, no error is
 * wrong; a float cannot always keep a promised one: ghz/FORMAT.md, "Bound of a sum". */
static void compare(const job *j, const reference *r, double bound, verdict *v) {
  const options *o = j->options;
  const bool is_float = type_bytes(o) == sizeof(float), wide = is_float && reduces(tested.what) && bound != 0;
  const double unsure = rounding(r, DBL_EPSILON);
  double limit = bound == 0 ? rounding(r, is_float ? FLT_EPSILON : DBL_EPSILON) : r->promise;
  limit = isinf(bound) ? bound : limit + unsure;
  for (size_t i = 0; i < job_result_count(j); i++) {
    double y = value_at(o, j->receive, i), error = error_of(y, r->result[i]);
    if (error > v->error)
      v->error = error;
    if (error > limit && !(wide && error <= limit / 2 + half_ulp(y) + unsure))
      v->wrong++;
  }
}

verdict check_result(const job *j, const reference *r, const ghz_mpi_report *report) {
  verdict found = {.done = true};
  double own[2] = {report ? report->bound : 0, report ? report->inexact : 0}, bound[2];
  MPI_Allreduce(own, bound, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  found.compressed = bound[0] != 0;
  found.inexact = bound[1] != 0;
  compare_bits(j, &found);
  compare(j, r, bound[0], &found);
  MPI_Allreduce(MPI_IN_PLACE, &found.error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &found.wrong, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return found;
}
