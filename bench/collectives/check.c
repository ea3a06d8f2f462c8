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
static void compare_bits(const job *j, const void *result, verdict *v) {
  uint64_t own = hash(result, job_result_count(j) * type_bytes(j->options)), extremes[2];
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

typedef struct comparison {
  const job *job;
  const reference *reference;
  double limit;
  bool wide; /* a float cannot always keep the limit: ghz/FORMAT.md, "Bound of a sum" */
  verdict *verdict;
} comparison;

/* |y - exact|; infinite if only one of them is a NaN or an infinity. */
static double error_of(double y, double high, double low) {
  if (isfinite(y) && isfinite(high))
    return fabs((y - high) - low);
  return (isnan(y) && isnan(high)) || y == high ? 0 : INFINITY;
}

static double half_ulp(double y) {
  float x = fabsf((float)y);
  return isfinite(x) ? (double)(nextafterf(x, INFINITY) - x) / 2 : 0;
}

static void compare(void *user, size_t first, const void *values, size_t count) {
  comparison *c = user;
  const reference *r = c->reference;
  for (size_t i = 0; i < count; i++) {
    double y = value_at(c->job->options, values, i);
    double error = error_of(y, r->high[first + i], r->low[first + i]);
    if (error > c->verdict->error)
      c->verdict->error = error;
    if (error > c->limit && !(c->wide && error <= c->limit / 2 + half_ulp(y)))
      c->verdict->wrong++;
  }
}

/* The largest rounding error of an uncompressed reduction. */
static double rounding(const options *o, const reference *r) {
  double n = world_size(), largest = fmax(fabs(r->least), fabs(r->most));
  double unit = type_bytes(o) == sizeof(float) ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
  return reduces(tested.what) && isfinite(largest) ? n * n * unit * largest : 0;
}

/* The limit for this result: mpi.h, "bound". Infinite where no bound is promised. */
static comparison limits(const job *j, const reference *r, double bound) {
  const options *o = j->options;
  comparison c = {.job = j, .reference = r, .limit = r->promise};
  c.wide = type_bytes(o) == sizeof(float) && reduces(tested.what);
  if (bound == 0) {
    c.limit = rounding(o, r);
    c.wide = false;
  } else if (isinf(bound)) {
    c.limit = bound;
  }
  return c;
}

/* Every rank compares its share of the result. A result that all ranks have is compared once if its
 * bits are the same, else once for each rank. */
static void compare_values(const job *j, const void *result, comparison *c) {
  size_t bytes = type_bytes(j->options), mine = share_count(j->total, world_rank());
  const char *values = result;
  if (tested.result == BLOCK_EACH)
    compare(c, 0, values, mine);
  else if (tested.result == WHOLE_AT_ROOT)
    deliver_shares(j, result, j->options->root, compare, c);
  else if (c->verdict->same == SAME)
    compare(c, 0, values + share_first(j->total, world_rank()) * bytes, mine);
  else
    for (int from = 0; from < world_size(); from++)
      deliver_shares(j, result, from, compare, c);
}

verdict check_result(const job *j, const reference *r, const ghz_mpi_report *report) {
  verdict found = {.done = true};
  double own[2] = {report ? report->bound : 0, report ? report->inexact : 0}, bound[2];
  MPI_Allreduce(own, bound, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  found.compressed = bound[0] != 0;
  found.inexact = bound[1] != 0;
  const void *result = j->receive;
  compare_bits(j, result, &found);
  comparison c = limits(j, r, bound[0]);
  c.verdict = &found;
  compare_values(j, result, &c);
  double error = found.error;
  uint64_t wrong = found.wrong;
  MPI_Allreduce(&error, &found.error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&wrong, &found.wrong, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return found;
}
