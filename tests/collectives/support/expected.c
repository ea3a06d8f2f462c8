/* expected.c: holds results against exact sums of whole numbers of units; nothing of the library
 * under test is used.
 *
 * With y a value of the result, z the exact result in units u, and k contributions to an average (1
 * else), the error is |k y / u - z| in units. Scaling by powers of two is exact, and binary128
 * holds the difference of a double and a 63-bit integer, so that comparing it with a bound is a
 * matter of the numbers alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "expected.h"
#include "quad.h"
#include "shapes.h"
#include "suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a value should be, in units. */
typedef struct expected {
  int64_t exact;     /* the sum, for averages too */
  int64_t magnitude; /* the sum of the contributions' magnitudes */
  int missing;       /* a contribution is: then all of it is */
} expected;

/* What holds for a whole result. */
typedef struct claim {
  const call *s;
  const call_result *l;
  int64_t terms;   /* contributions to a value */
  int64_t divisor; /* of an average; else 1 */
  int exact;       /* values that are not allowed any error */
  int rounded;     /* sums in floating point, in any order, before `error` comes on top */
  double error;    /* in units, before division */
  int64_t tight;   /* a float tile with values up to this stays within `error` with no rounding of the result */
} claim;

int compressed(const call_result *l) { return l->report.algorithm != GHZ_MPI_NATIVE; }

static int is_sum(const call *s) { return reduces(s->what) && (s->op == SUM || s->op == AVERAGE); }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- What a value should be ---- */
static expected expect(const claim *c, uint64_t j) {
  const call *s = c->s;
  uint64_t first, i = call_source(s, c->l->rank, j, &first);
  expected e = {0, 0, 0};
  for (uint64_t g = first; g < first + (uint64_t)c->terms; g++) {
    int64_t v = field_at(&s->data, g, i);
    e.missing |= is_missing(s, g, i);
    if (is_sum(s))
      e.exact += v;
    else if (g == first || (s->op == MINIMUM ? v < e.exact : v > e.exact))
      e.exact = v;
    e.magnitude += v < 0 ? -v : v;
  }
  return e;
}

/* ---- What it may be ---- */
static double in_units(const call *s, double value) { return ldexp(value, -s->data.exponent); }

static double result_at(const call *s, const call_result *l, uint64_t j) {
  return real_at(l->result, s->type == GHZ_F64, j);
}

static double half_ulp(const call *s, double y) {
  int exponent;
  frexp(y, &exponent);
  return ldexp(1, exponent - (s->type == GHZ_F64 ? 54 : 25));
}

/* The error that one value is allowed, in units before division. */
static quad allowed(const claim *c, const expected *e, double y, int64_t peak) {
  quad error = c->error;
  double epsilon = c->s->type == GHZ_F64 ? 0x1p-53 : 0x1p-24;
  if (c->exact)
    return 0;
  if (c->rounded) /* each addition, and the division */
    error += (quad)2 * (double)(c->terms + 2) * epsilon * ((double)e->magnitude + c->error);
  else if (is_sum(c->s) && c->terms > 1 && c->s->type == GHZ_F32 && peak > c->tight)
    error += (quad)half_ulp(c->s, y) * (double)c->divisor;
  return error;
}

/* Whether the error is within the bound by so much that doubles are enough to see it. */
static int clearly_within(const claim *c, const expected *e, double y) {
  double product = y * (double)c->divisor, exact = (double)e->exact;
  return fabs(product - exact) + 0x1p-50 * (fabs(product) + fabs(exact)) < c->error;
}

static int check_value(const claim *c, const expected *e, uint64_t j, int64_t peak) {
  double y = in_units(c->s, result_at(c->s, c->l, j));
  if (e->missing) { /* NaN stays in a block that stays */
    const double x = result_at(c->s, c->l, j);
    return check(x == call_fill(c->s) || (isnan(x) && c->s->what == GATHER && c->s->in_place),
                 "value %llu is %g, and should be missing", (unsigned long long)j, x);
  }
  if (clearly_within(c, e, y))
    return 1;
  quad error = (quad)y * c->divisor - e->exact, most_allowed = allowed(c, e, y, peak);
  error = error < 0 ? -error : error;
  return check(error <= most_allowed,
               "value %llu is %.17g units, should be %lld / %lld within %.17g: off by %.17g (eb %.17g)",
               (unsigned long long)j, y, (long long)e->exact, (long long)c->divisor,
               (double)(most_allowed / c->divisor), (double)(error / c->divisor),
               in_units(c->s, c->l->report.eb));
}

/* A block's values: the largest one of a tile decides how finely the tile is quantised. One failure
 * is enough. */
static int check_block(const claim *c, uint64_t b, expected *values, int64_t *peaks) {
  const call *s = c->s;
  const uint64_t first = b * s->count, n = has_blocks(s->what) && !scatters_sums(s->what)
                                               ? own_values(s, s->what == SCATTER ? c->l->rank : (int)b)
                                               : c->l->values;
  const ghz_shape flat = ghz_flat(n), *shape = s->shape.dims ? &s->shape : &flat;
  memset(peaks, 0, ghz_shape_tiles(shape) * sizeof *peaks);
  for (uint64_t i = 0; i < n; i++) {
    int64_t *peak = &peaks[shape_tile(shape, i)];
    values[i] = expect(c, first + i);
    *peak = values[i].missing ? *peak : most(*peak, values[i].magnitude);
  }
  for (uint64_t i = 0; i < n; i++)
    if (!check_value(c, &values[i], first + i, peaks[shape_tile(shape, i)]))
      return 0;
  return 1;
}

static void check_values(const claim *c) {
  __atomic_fetch_add(&here.checks, (long)c->l->values, __ATOMIC_RELAXED);
  uint64_t n = c->s->count, blocks = n ? (c->l->values + n - 1) / n : 0;
  expected *values = malloc((n + 1) * sizeof *values);
  int64_t *peaks = malloc((n + 1) * sizeof *peaks); /* no tile is without values */
  for (uint64_t b = 0; b < blocks && check_block(c, b, values, peaks); b++)
    continue;
  free(values);
  free(peaks);
}

/* ---- The bound ---- */
/* Values of all ranks' contributions: largest magnitude, and range. */
typedef struct extent {
  int64_t magnitude, min, max;
} extent;

/* This rank's part of it. */
static extent own_extent(const call *s, const call_result *l) {
  extent e = {0, INT64_MAX, INT64_MIN};
  uint64_t n = scatters_sums(s->what) || s->what == SCATTER
                   ? block_place(s->what, s->count, l->ranks, s->shape.dims)
                   : own_values(s, l->rank);
  uint64_t first = dealt_before(s, l->rank, l->ranks), end = first + dealt(s, l->rank, l->ranks);
  if ((s->what == SCATTER || s->what == BCAST) && l->rank != s->root)
    return e;
  for (uint64_t g = first; g < end; g++)
    for (uint64_t i = 0; i < n; i++) {
      int64_t v = field_at(&s->data, g, i);
      if (is_missing(s, g, i))
        continue;
      e.magnitude = most(e.magnitude, v < 0 ? -v : v);
      e.min = v < e.min ? v : e.min;
      e.max = most(e.max, v);
    }
  return e;
}

static extent extent_of(const call *s, const call_result *l, MPI_Comm comm) {
  extent mine = own_extent(s, l), all;
  int64_t tops[2] = {mine.magnitude, mine.max}, both[2];
  MPI_Allreduce(tops, both, 2, MPI_INT64_T, MPI_MAX, comm);
  MPI_Allreduce(&mine.min, &all.min, 1, MPI_INT64_T, MPI_MIN, comm);
  all.magnitude = both[0];
  all.max = both[1];
  return all;
}

/* The eb per contribution that was asked for; 0 if the range is 0: the constant must be exact. */
static double asked(const call *s, const extent *e, int64_t terms) {
  double range = e->max > e->min ? ldexp((double)(e->max - e->min), s->data.exponent) : 0, eb = s->bound.value;
  if (s->bound.kind == GHZ_REL)
    eb *= range;
  if (s->bound.kind == GHZ_PSNR)
    eb = range * pow(10, -s->bound.value / 20);
  return s->of_result && is_sum(s) && s->op == SUM ? eb / (double)terms : eb;
}

static void check_eb(const call *s, const call_result *l, const extent *e, int64_t terms) {
  double want = asked(s, e, terms), eb = l->report.eb;
  if (s->count == 0 || want == 0)
    return;
  check(eb <= want * (1 + 0x1p-48) && eb >= want * (1 - 0x1p-40), "eb is %.17g, asked for %.17g", eb, want);
}

/* The error that compression may make, in units before division. */
static double promised(const claim *c) {
  double eb = in_units(c->s, c->l->report.eb), n = (double)(reduces(c->s->what) ? c->terms : 1);
  return (is_sum(c->s) ? n : 1) * eb;
}

static claim claim_of(const call *s, const call_result *l) {
  claim c = {.s = s, .l = l, .divisor = 1};
  c.terms = reduces(s->what) ? (int64_t)dealt_in_all(s, l->ranks) : 1;
  if (reduces(s->what) && s->op == AVERAGE)
    c.divisor = c.terms;
  c.rounded = is_sum(s) && (!compressed(l) || l->report.inexact);
  c.exact = !c.rounded && !compressed(l);
  c.error = compressed(l) ? promised(&c) : 0;
  double step = 2 * in_units(s, l->report.eb) * (1 - 0x1p-6);
  c.tight = step * 0x1p22 > 0x1p62 ? INT64_MAX : (int64_t)(step * 0x1p22);
  return c;
}

/* ---- The report ---- */
static void check_choice(const call *s, const call_result *l) {
  const ghz_mpi_report *r = &l->report;
  check(!compressed(l) || has_algorithm(s->what, r->algorithm), "algorithm %d", (int)r->algorithm);
  if (s->algorithm != GHZ_MPI_ALGORITHM_AUTO)
    check(r->algorithm == s->algorithm, "algorithm %s", ghz_mpi_algorithm_name(r->algorithm));
  else if (s->mode == GHZ_MPI_HOMOMORPHIC || l->ranks > 1)
    check(compressed(l), "what was to be compressed was not");
  if (compressed(l) && s->mode == GHZ_MPI_HOMOMORPHIC)
    check(r->dims == (s->shape.dims ? s->shape.dims : 1), "%d dimensions of %d", r->dims, s->shape.dims);
}

static void check_times(const ghz_mpi_report *r, int threads) {
  const double parts[] = {r->agree, r->compress, r->combine, r->decompress, r->wait};
  double all = 0;
  for (int i = 0; i < 5; i++) {
    check(parts[i] >= 0 && isfinite(parts[i]), "time %d is %g", i, parts[i]);
    all += parts[i];
  }
  check(r->seconds >= 0 && r->seconds < 60, "seconds are %g", r->seconds);
  check(all <= r->seconds * (threads > 1 ? threads : 1) + 1e-5, "times add up to %g of %g s", all, r->seconds);
}

/* What travelled, on all ranks together. */
static void check_volume(const call *s, const call_result *l, MPI_Comm comm) {
  const ghz_mpi_report *r = &l->report;
  uint64_t mine[3] = {r->raw_bytes, r->sent_bytes, r->messages}, all[3];
  check((r->messages > 0) == (r->sent_bytes > 0), "%llu messages of %llu bytes",
        (unsigned long long)r->messages, (unsigned long long)r->sent_bytes);
  MPI_Allreduce(mine, all, 3, MPI_UINT64_T, MPI_SUM, comm);
  if (r->algorithm == GHZ_MPI_NATIVE)
    check(all[0] == 0 && all[1] == 0, "a report of MPI's messages");
  else if (l->ranks > 1 && s->count > 0)
    check(all[0] > 0 && all[1] > 0, "nothing was sent");
  int easy = s->shape.dims < 2 && s->data.kind <= FIELD_STEPS && s->count >= 16384 &&
             s->bound.kind == GHZ_ABS && s->bound.value >= ldexp(64, s->data.exponent);
  if (compressed(l) && easy && !s->of_result)
    check(all[1] <= all[0] / 2, "%llu bytes were sent for %llu", (unsigned long long)all[1],
          (unsigned long long)all[0]);
}

static void check_bound(const call *s, const call_result *l, const extent *e, const claim *c) {
  const ghz_mpi_report *r = &l->report;
  if (!compressed(l)) {
    check(r->eb == 0 && r->bound == 0 && !r->inexact, "a bound of what is not compressed");
    return;
  }
  check_eb(s, l, e, c->terms);
  if (s->count == 0)
    return;
  /* Whatever is within 2^34 steps can be a whole number of them. */
  double step = 2 * r->eb * (1 - 0x1p-6), peak = ldexp((double)e->magnitude, s->data.exponent);
  int inside = peak <= step * 0x1p34;
  check(!r->inexact || (reduces(s->what) && !inside), "inexact, of values up to %g with eb %g", peak, r->eb);
  double want = (s->op == SUM && reduces(s->what) ? (double)c->terms : 1) * r->eb;
  if (r->inexact)
    check(r->bound == INFINITY, "the bound is %g, and inexact", r->bound);
  else
    check(r->bound >= want && r->bound <= want * (1 + 0x1p-48), "the bound is %.17g, should be %.17g", r->bound,
          want);
}

/* All ranks report the same way. */
static void check_report(const call *s, const call_result *l, const extent *e, const claim *c, MPI_Comm comm) {
  uint64_t eb;
  memcpy(&eb, &l->report.eb, sizeof eb);
  check_choice(s, l);
  check_times(&l->report, s->threads);
  check_bound(s, l, e, c);
  check_volume(s, l, comm);
  check(all_same((uint64_t)l->report.algorithm, comm), "ranks went different ways");
  check(all_same(eb, comm), "ranks have different bounds");
}

/* ---- All of it ---- */
/* Where a rank's own block stays as it was, it has no error at all. */
static void check_result(const claim *c) {
  const call *s = c->s;
  if (!c->l->result || s->count == 0)
    return;
  if (s->what == BCAST && s->keep_root == 1 && c->l->rank == s->root)
    return; /* checked by make_call */
  check_values(c);
}

void check_expected(const call *s, const call_result *l, MPI_Comm comm) {
  extent e = extent_of(s, l, comm);
  claim c = claim_of(s, l);
  if (!on_all(l->code == MPI_SUCCESS, comm))
    return;
  check_report(s, l, &e, &c, comm);
  check_result(&c);
}

/* Ranks whose result is that of others: all of them, but for a root that keeps what it has. */
static int shares(const call *s, const call_result *l) {
  return s->what == ALLREDUCE || s->what == ALLGATHER ||
         (s->what == BCAST && !(s->keep_root == 1 && l->rank == s->root));
}

void check_same_bits(const call *s, const call_result *l, MPI_Comm comm) {
  if (!on_all(l->code == MPI_SUCCESS && compressed(l), comm))
    return;
  uint64_t hash = shares(s, l) ? hash_bytes(l->result, l->values * value_size(s)) : 0;
  check(largest(hash, comm) == hash || !shares(s, l), "ranks have different bits");
}
