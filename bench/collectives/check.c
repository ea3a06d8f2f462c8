/* check.c: owns the check of a result: errors of its values, equality of its bits on all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <float.h>
#include <math.h>

/* Sets `bits`, and `same` where every rank should have the same result. */
static void compare_bits(const job *j, verdict *v) {
  const collective what = j->options->what;
  const uint64_t own = hash_bytes(j->receive, j->result_count * type_bytes(j->options));
  const uint64_t placed = mix(own, (uint64_t)here.rank);
  const bool all = what == ALLREDUCE || what == BCAST || gathers_all(what);
  MPI_Allreduce(&placed, &v->bits, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (all)
    v->same = all_same(own, MPI_COMM_WORLD) ? SAME : SAME_NOT;
}

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
static double rounding(const job *j, const reference *r, double unit) {
  double n = here.ranks, largest = fmax(fabs(r->least), fabs(r->most));
  return reduces(j->options->what) && isfinite(largest) ? n * n * unit / 2 * largest : 0;
}

/* Compares this rank's result with what it should be. Where no bound is promised, no error is
 * wrong; a float cannot always keep a promised one: ghz/FORMAT.md, "Bound of a sum". */
static void compare(const job *j, const reference *r, double bound, verdict *v) {
  const options *o = j->options;
  const bool is_float = type_bytes(o) == sizeof(float),
             wide = is_float && reduces(j->options->what) && bound != 0;
  const double unsure = rounding(j, r, DBL_EPSILON);
  double limit = bound == 0 ? rounding(j, r, is_float ? FLT_EPSILON : DBL_EPSILON) : r->promise;
  limit = isinf(bound) ? bound : limit + unsure;
  for (size_t i = 0; i < j->result_count; i++) {
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
