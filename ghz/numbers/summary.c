/* summary.c: what tallies say: numbers that are rounded once, and the intervals that the bounds
 * imply. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include <string.h>

#include "context/context.h"
#include "context/floating.h"
#include "numbers/tally.h"
#include "rules/shape.h"

static const ghz_estimate no_number = {NAN, NAN, NAN};

/* ---- Intervals ------------------------------------------------------------------------------- */

/* a - b and a + b, of numbers from 0 on, towards 0 and up. */
static double minus_down(double a, double b) {
  return b == 0 ? a : a > b ? nextafter(a - b, 0) : 0;
}

static double plus_up(double a, double b) {
  return b == 0 ? a : nextafter(a + b, INFINITY);
}

/* A sum divided by n, which the originals are within `error` of. Intervals of an inexact tally are
 * unbounded. */
static ghz_estimate linear(const tally *t, fixed sum, fixed error, uint64_t n) {
  const query q = {.divisor = n, .divisions = n != 1};
  uint64_t word[SECOND_LIMBS];
  const fixed moved = {word, sum.words, sum.exponent};
  exact x, off;
  ghz_estimate v;
  ghz_exact_words(sum.word, sum.words, sum.exponent, &x);
  ghz_exact_words(error.word, error.words, error.exponent, &off);
  v.value = ghz_exact_answer(&x, &q, ROUND_NEAREST);
  memcpy(word, sum.word, sum.words * sizeof *word);
  ghz_fixed_subtract(moved, &off);
  ghz_exact_words(word, sum.words, sum.exponent, &x);
  v.low = t->inexact ? -INFINITY : ghz_exact_answer(&x, &q, ROUND_DOWN);
  memcpy(word, sum.word, sum.words * sizeof *word);
  ghz_fixed_add(moved, &off);
  ghz_exact_words(word, sum.words, sum.exponent, &x);
  v.high = t->inexact ? INFINITY : ghz_exact_answer(&x, &q, ROUND_UP);
  return v;
}

/* Roots are of numbers from 0 on; only a tally that was damaged has others. */
static void no_less_than_zero(exact *x) {
  if (x->negative)
    x->n = 0;
}

/* A root that the originals' is within `off` of: by the triangle inequality. */
static ghz_estimate rooted(const tally *t, const exact *square, const query *q, double off) {
  ghz_estimate v = {.value = ghz_exact_answer(square, q, ROUND_NEAREST), .low = 0, .high = INFINITY};
  if (t->inexact)
    return v;
  v.low = minus_down(ghz_exact_answer(square, q, ROUND_DOWN), off);
  v.high = plus_up(ghz_exact_answer(square, q, ROUND_UP), off);
  return v;
}

/* The root of the mean of the squared errors, or of their sum: rounded up. */
static double root_of_errors(const tally *t, uint64_t n) {
  const query q = {.divisor = n, .divisions = n != 1, .root = 1};
  exact x;
  ghz_exact_words(t->second[SQUARES_ERROR], SECOND_LIMBS, SECOND_EXPONENT, &x);
  no_less_than_zero(&x);
  return ghz_exact_answer(&x, &q, ROUND_UP);
}

/* The root of the sum of squares, or of their mean. */
static ghz_estimate root_of_squares(const tally *t, uint64_t n) {
  const query q = {.divisor = n, .divisions = n != 1, .root = 1};
  exact x;
  ghz_exact_words(t->second[SQUARES], SECOND_LIMBS, SECOND_EXPONENT, &x);
  no_less_than_zero(&x);
  return rooted(t, &x, &q, root_of_errors(t, n));
}

/* n^2 times the variance: n * sum of squares - sum^2. */
static void spread(const tally *t, exact *x) {
  enum { LIMBS = SECOND_LIMBS + 4 };
  uint64_t word[LIMBS] = {0};
  const fixed all = {word, LIMBS, SECOND_EXPONENT};
  exact a, b, product;
  ghz_exact_integer(t->count, 0, &a);
  ghz_exact_words(t->second[SQUARES], SECOND_LIMBS, SECOND_EXPONENT, &b);
  ghz_exact_multiply(&a, &b, &product);
  ghz_fixed_add(all, &product);
  ghz_exact_words(t->first[SUM], FIRST_LIMBS, FIRST_EXPONENT, &a);
  ghz_exact_multiply(&a, &a, &product);
  ghz_fixed_subtract(all, &product);
  ghz_exact_words(word, LIMBS, SECOND_EXPONENT, x);
  no_less_than_zero(x);
}

static double square_down(double v) {
  return nextafter(v * v, 0);
}

static double square_up(double v) {
  return v == 0 ? 0 : nextafter(v * v, INFINITY);
}

static void variance_and_deviation(const tally *t, ghz_summary *s) {
  const query variance = {.divisor = s->count, .divisions = 2},
              deviation = {.divisor = s->count, .divisions = 2, .root = 1};
  const double off = root_of_errors(t, s->count);
  exact x;
  spread(t, &x);
  s->deviation = rooted(t, &x, &deviation, off);
  s->variance.value = ghz_exact_answer(&x, &variance, ROUND_NEAREST);
  s->variance.low =
      off > 0 || t->inexact ? square_down(s->deviation.low) : ghz_exact_answer(&x, &variance, ROUND_DOWN);
  s->variance.high =
      off > 0 || t->inexact ? square_up(s->deviation.high) : ghz_exact_answer(&x, &variance, ROUND_UP);
}

/* ---- What is asked of tallies ---------------------------------------------------------------- */

void ghz_summarise(tally *t, ghz_summary *summary) {
  floating_environment env;
  floating_begin(&env);
  *summary = (ghz_summary){.count = t->count,
                           .specials = t->specials,
                           .mean = no_number,
                           .variance = no_number,
                           .deviation = no_number};
  summary->sum = linear(t, first_sum(t, SUM), first_sum(t, SUM_ERROR), 1);
  summary->norm = root_of_squares(t, 1);
  if (t->count > 0) {
    summary->mean = linear(t, first_sum(t, SUM), first_sum(t, SUM_ERROR), t->count);
    variance_and_deviation(t, summary);
  }
  floating_end(&env);
}

static void largest_difference(const tally *t, const ghz_shape *shape, ghz_comparison *c) {
  exact x;
  ghz_exact_words(t->largest, FIRST_LIMBS, FIRST_EXPONENT, &x);
  no_less_than_zero(&x);
  c->largest = rooted(t, &x, &(query){.divisor = 1}, t->error);
  c->index = t->index - 1;
  const uint64_t lines = c->index / shape->extent[2];
  c->place[0] = lines / shape->extent[1];
  c->place[1] = lines % shape->extent[1];
  c->place[2] = c->index % shape->extent[2];
}

void ghz_compare_pairs(tally *t, const ghz_shape *shape, ghz_comparison *comparison) {
  const ghz_shape flat = {1, {1, 1, UINT64_MAX}};
  shape = shape && shape->dims != 1 && shape->extent[1] && shape->extent[2] ? shape : &flat;
  floating_environment env;
  floating_begin(&env);
  *comparison = (ghz_comparison){.count = t->count,
                                 .specials = t->specials,
                                 .mismatches = t->mismatches,
                                 .mean = no_number,
                                 .rms = no_number,
                                 .largest = no_number,
                                 .index = UINT64_MAX};
  comparison->product = linear(t, second_sum(t, PRODUCT), second_sum(t, PRODUCT_ERROR), 1);
  if (t->count > 0) {
    comparison->mean = linear(t, first_sum(t, SUM), first_sum(t, SUM_ERROR), t->count);
    comparison->rms = root_of_squares(t, t->count);
    largest_difference(t, shape, comparison);
  }
  floating_end(&env);
}

static ghz_status open_tally(const ghz_tally *from, const void *result, uint64_t kind, tally *t) {
  if (!from || !result) {
    ghz_fail(NULL, GHZ_EINVAL, "%s is NULL", from ? "result" : "tally");
    return GHZ_EINVAL;
  }
  *t = tally_inside(from);
  if (t->kind == TALLY_OF_NONE || t->kind == kind)
    return GHZ_OK;
  return ghz_fail(NULL, GHZ_EINVAL, "the tally is not of %s",
                  kind == TALLY_OF_ONE ? "streams" : "pairs of streams");
}

ghz_status ghz_tally_summary(const ghz_tally *of, ghz_summary *summary) {
  tally t;
  const ghz_status status = open_tally(of, summary, TALLY_OF_ONE, &t);
  if (status != GHZ_OK)
    return status;
  ghz_summarise(&t, summary);
  return GHZ_OK;
}

ghz_status ghz_tally_comparison(const ghz_tally *of, const ghz_shape *shape, ghz_comparison *comparison) {
  tally t;
  const ghz_status status = open_tally(of, comparison, TALLY_OF_PAIRS, &t);
  if (status != GHZ_OK)
    return status;
  ghz_compare_pairs(&t, shape, comparison);
  return GHZ_OK;
}
