/* operands.c: the headers of an operation's operands: that they agree, and what the result's is. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "linear.h"

#include "lattice.h"
#include "rules/lattice_rules.h"

/* Whether operand i, b, has the type, shape, cap, range of tiles and fill of operand 0, a. */
static ghz_status kinds_agree(ghz_context *ctx, const ghz_slice *a, const ghz_slice *b, size_t i) {
  const ghz_lattice *l = &a->lattice, *m = &b->lattice;
  if (l->type != m->type)
    return ghz_fail(ctx, GHZ_EMISMATCH, "type %s in operand %zu, %s in operand 0", ghz_describe_type(m->type),
                    i, ghz_describe_type(l->type));
  if (!shapes_equal(&a->shape, &b->shape))
    return ghz_fail(ctx, GHZ_EMISMATCH, "%s in operand %zu, %s in operand 0",
                    ghz_describe_shape(&b->shape).text, i, ghz_describe_shape(&a->shape).text);
  if (l->cap != m->cap)
    return ghz_fail(ctx, GHZ_EMISMATCH, "cap %d in operand %zu, %d in operand 0", m->cap, i, l->cap);
  if (a->first != b->first || a->tiles != b->tiles)
    return ghz_fail(ctx, GHZ_EINVAL, "operand %zu is another range of tiles than operand 0", i);
  if (fills_equal(l, m))
    return GHZ_OK;
  if (!m->has_fill)
    return ghz_fail(ctx, GHZ_EMISMATCH, "no fill value in operand %zu, fill value %.17g in operand 0", i,
                    l->fill);
  if (!l->has_fill)
    return ghz_fail(ctx, GHZ_EMISMATCH, "fill value %.17g in operand %zu, no fill value in operand 0", m->fill,
                    i);
  return ghz_fail(ctx, GHZ_EMISMATCH, "fill value %.17g in operand %zu, %.17g in operand 0", m->fill, i,
                  l->fill);
}

ghz_status ghz_operands_agree(ghz_context *ctx, const ghz_slice *a, const ghz_slice *b, size_t i) {
  const ghz_lattice *l = &a->lattice, *m = &b->lattice;
  ghz_status status = kinds_agree(ctx, a, b, i);
  const int steps = l->step != m->step;
  if (status == GHZ_OK && !ghz_lattice_equal(l, m))
    status = ghz_fail(ctx, GHZ_EMISMATCH, "%s %.17g in operand %zu, %.17g in operand 0",
                      steps ? "step" : "bound", steps ? m->step : m->eb, i, steps ? l->step : l->eb);
  return status;
}

/* Extrema compare the integers of the lattice, which values with coefficients lie between. */
static ghz_status comparable(ghz_context *ctx, const computation *w, const ghz_slice *s, size_t i) {
  if (w->operation == COMBINE || !s->transform)
    return GHZ_OK;
  return ghz_fail(ctx, GHZ_EINVAL,
                  "operand %zu may have coefficients, and values between lattice integers: compress it with "
                  "GHZ_ORDER_LORENZO",
                  i);
}

/* What comes from outside is checked here, once: streams, and slices, which may be made by hand. */
static ghz_status open_header(ghz_context *ctx, const computation *w, size_t i, ghz_slice *s) {
  const int compressed = !w->values || i < w->k - 1;
  if (compressed && w->streams)
    return ghz_stream_header(ctx, w->streams[i], i, s);
  *s = compressed ? w->slices[i] : ghz_compression_header(w->values);
  return !compressed || ghz_slice_valid(s) ? GHZ_OK : ghz_fail(ctx, GHZ_EINVAL, "operand %zu is no slice", i);
}

/* ---- Lattices that are multiples of each other ----------------------------------------------- */

/* Of a linear computation all operands are brought to the finest lattice: one that is f times as
 * coarse takes part as the mean of f copies of it does. */

static const ghz_lattice *lattice_of(const agreed_operands *of, size_t i) {
  return &of->operands[i].slice.lattice;
}

static size_t finest(const agreed_operands *of, size_t k) {
  size_t least = 0;
  for (size_t i = 1; i < k; i++) {
    const ghz_lattice *l = lattice_of(of, i), *m = lattice_of(of, least);
    if (l->step < m->step || (l->step == m->step && l->eb < m->eb))
      least = i;
  }
  return least;
}

/* Whether a lattice that is divided by d once or more, as a mean of d streams is, and then by what
 * is left of f, is the other one. */
static int divides(ghz_lattice coarse, uint64_t d, uint64_t f, const ghz_lattice *fine) {
  while (d > 1 && f % d == 0 && scale_lattice(&coarse, 1, (double)d)) {
    ghz_lattice last = coarse;
    f /= d;
    if ((f == 1 || scale_lattice(&last, 1, (double)f)) && ghz_lattice_equal(&last, fine))
      return 1;
  }
  return 0;
}

/* Whether it is divided by f, at once or in turn: so means of means, and running averages, add to
 * what they are of. */
static int divides_in_turn(const ghz_lattice *coarse, uint64_t f, const ghz_lattice *fine) {
  const uint64_t most = f <= terms_limit(fine->cap) ? f : 1;
  for (uint64_t d = 1; d * d <= most; d++)
    if (f % d == 0 && (divides(*coarse, f / d, f, fine) || divides(*coarse, d, f, fine)))
      return 1;
  return 0;
}

uint64_t ghz_factor_between(const ghz_lattice *coarse, const ghz_lattice *fine) {
  const double f = rint(coarse->step > 0 ? coarse->step / fine->step : coarse->eb / fine->eb);
  if (ghz_lattice_equal(coarse, fine))
    return 1;
  return f >= 2 && f <= 0x1p53 && divides_in_turn(coarse, (uint64_t)f, fine) ? (uint64_t)f : 0;
}

static ghz_status no_common_lattice(ghz_context *ctx, const agreed_operands *of, size_t i, size_t fine) {
  const ghz_lattice *l = lattice_of(of, i), *m = lattice_of(of, fine);
  const int steps = l->step != m->step;
  return ghz_fail(ctx, GHZ_EMISMATCH,
                  "%s %.17g in operand %zu, %.17g in operand %zu: neither is the other divided by a whole "
                  "number; add and subtract before scaling, or ghz_linear with the streams that the mean is of",
                  steps ? "step" : "bound", steps ? l->step : l->eb, i, steps ? m->step : m->eb, fine);
}

/* Coefficients on the finest lattice, which *common becomes, from weights and lattices. One that
 * wraps has too many terms, or no tiles. */
static ghz_status relabel(ghz_context *ctx, const computation *w, agreed_operands *of, ghz_lattice *common) {
  own_lattice *own = (own_lattice *)(void *)(of->operands + w->k);
  int64_t *coefficients = (int64_t *)(void *)(own + w->k);
  const size_t fine = finest(of, w->k);
  for (size_t i = 0; i < w->k; i++) {
    const uint64_t f = ghz_factor_between(lattice_of(of, i), lattice_of(of, fine));
    if (f == 0)
      return no_common_lattice(ctx, of, i, fine);
    own[i] = (own_lattice){storage_lattice(lattice_of(of, i)), w->weights[i], f};
    coefficients[i] = (int64_t)((uint64_t)w->weights[i] * f);
    of->own = f == 1 ? of->own : own;
  }
  of->coefficients = coefficients;
  *common = *lattice_of(of, fine);
  return GHZ_OK;
}

/* ---- The result's header --------------------------------------------------------------------- */

static inline int64_t weight(const computation *w, size_t i) {
  return w->weights ? w->weights[i] : 1;
}

/* a * b and a + b, or the largest number. */
static uint64_t multiply_most(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t add_most(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Those of the result: of a sum its operands' together, of an extremum the larger. */
static uint64_t count_terms(const computation *w, const agreed_operands *of) {
  uint64_t total = 0;
  for (size_t i = 0; i < w->k; i++) {
    const uint64_t terms = of->operands[i].slice.terms, f = of->own ? of->own[i].factor : 1;
    const int64_t c = weight(w, i);
    const uint64_t magnitude = c < 0 ? -(uint64_t)c : (uint64_t)c;
    if (w->operation == COMBINE)
      total = add_most(total, multiply_most(multiply_most(magnitude, f), terms));
    else
      total = terms > total ? terms : total;
  }
  return total;
}

static ghz_status check_terms(ghz_context *ctx, uint64_t terms, uint64_t limit) {
  if (terms <= limit)
    return GHZ_OK;
  return ghz_fail(ctx, GHZ_ERANGE,
                  "the result would have %llu terms%s, more than %llu: compress again what was added so far",
                  (ull)terms, terms == UINT64_MAX ? " or more" : "", (ull)limit);
}

/* Memory for operands, and of those with weights for what belongs to them. */
static ghz_status reserve(ghz_context *ctx, const computation *w, agreed_operands *of) {
  const size_t each = sizeof(stream_operand) + (w->weights ? sizeof(own_lattice) + sizeof(int64_t) : 0);
  *of = (agreed_operands){.operands =
                              w->k < SIZE_MAX / 512 ? ghz_arena_reserve(&ctx->operands, w->k * each) : NULL};
  return of->operands ? GHZ_OK : ghz_fail(ctx, GHZ_ENOMEM, "no scratch for %zu operands", w->k);
}

static ghz_status open_and_compare(ghz_context *ctx, const computation *w, agreed_operands *of) {
  stream_operand *o = of->operands;
  ghz_status status = GHZ_OK;
  for (size_t i = 0; i < w->k && status == GHZ_OK; i++) {
    status = open_header(ctx, w, i, &o[i].slice);
    if (status == GHZ_OK)
      status = (w->weights ? kinds_agree : ghz_operands_agree)(ctx, &o[0].slice, &o[i].slice, i);
    if (status == GHZ_OK)
      status = comparable(ctx, w, &o[i].slice, i);
  }
  return status;
}

/* Too many terms are reported only where all operands agree. */
ghz_status ghz_open_headers(ghz_context *ctx, const computation *w, agreed_operands *of, ghz_slice *result) {
  ghz_status status = reserve(ctx, w, of);
  if (status == GHZ_OK)
    status = open_and_compare(ctx, w, of);
  if (status != GHZ_OK)
    return status;
  *result = of->operands[0].slice;
  if (w->weights)
    status = relabel(ctx, w, of, &result->lattice);
  if (status != GHZ_OK)
    return status;
  result->inexact = result->transform = 0;
  for (size_t i = 0; i < w->k; i++)
    if (weight(w, i)) {
      result->inexact |= of->operands[i].slice.inexact;
      result->transform |= of->operands[i].slice.transform;
      of->counting++;
    }
  const uint64_t terms = count_terms(w, of);
  result->terms = (uint32_t)terms;
  return check_terms(ctx, terms, terms_limit(result->lattice.cap));
}
