/* agree.c: the headers of an operation's operands: that they agree, and what the result's is. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "agree.h"

#include <stdio.h>

#include "describe.h"
#include "rules/fill.h"

/* "fill value -999" or "no fill value". */
typedef struct fill_text {
  char text[48];
} fill_text;

static fill_text describe_fill(const ghz_lattice *l) {
  fill_text t = {"no fill value"};
  if (l->has_fill)
    snprintf(t.text, sizeof t.text, "fill value %.17g", l->fill);
  return t;
}

static const char *type_name(ghz_type type) {
  return type == GHZ_F32 ? "float32" : "float64";
}

ghz_status ghz_operands_agree(ghz_context *ctx, const ghz_slice *a, const ghz_slice *b, size_t i) {
  const ghz_lattice *l = &a->lattice, *m = &b->lattice;
  if (l->type != m->type)
    return ghz_fail(ctx, GHZ_EMISMATCH, "type %s in operand %zu, %s in operand 0", type_name(m->type), i,
                    type_name(l->type));
  if (!shapes_equal(&a->shape, &b->shape))
    return ghz_fail(ctx, GHZ_EMISMATCH, "%s in operand %zu, %s in operand 0", describe_shape(&b->shape).text, i,
                    describe_shape(&a->shape).text);
  if (l->cap != m->cap)
    return ghz_fail(ctx, GHZ_EMISMATCH, "cap %d in operand %zu, %d in operand 0", m->cap, i, l->cap);
  if (l->step != m->step)
    return ghz_fail(ctx, GHZ_EMISMATCH, "step %.17g in operand %zu, %.17g in operand 0", m->step, i, l->step);
  if (!fills_equal(l, m))
    return ghz_fail(ctx, GHZ_EMISMATCH, "%s in operand %zu, %s in operand 0", describe_fill(m).text, i,
                    describe_fill(l).text);
  if (!ghz_lattice_equal(l, m))
    return ghz_fail(ctx, GHZ_EMISMATCH, "bound %.17g in operand %zu, %.17g in operand 0", m->eb, i, l->eb);
  if (a->first != b->first || a->tiles != b->tiles)
    return ghz_fail(ctx, GHZ_EINVAL, "operand %zu is another range of tiles than operand 0", i);
  return GHZ_OK;
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

static ghz_status open_header(ghz_context *ctx, const computation *w, size_t i, ghz_slice *s) {
  if (w->values && i == w->k - 1)
    *s = ghz_compression_header(w->values);
  else if (w->streams)
    return ghz_stream_header(ctx, w->streams[i], i, s);
  else
    *s = w->slices[i];
  return ghz_slice_valid(s) ? GHZ_OK : ghz_fail(ctx, GHZ_EINVAL, "operand %zu is no slice", i);
}

static inline int64_t coefficient(const computation *w, size_t i) {
  return w->coefficients ? w->coefficients[i] : 1;
}

/* Adds an operand's terms to those of the result: sums add up, extrema keep the larger. */
static ghz_status count_terms(ghz_context *ctx, const computation *w, size_t i, const ghz_slice *s,
                              uint64_t *total) {
  uint64_t product, limit = terms_limit(s->lattice.cap), terms = s->terms;
  int64_t c = coefficient(w, i);
  uint64_t magnitude = c < 0 ? -(uint64_t)c : (uint64_t)c;
  if (w->operation != COMBINE)
    *total = terms > *total ? terms : *total;
  else if (__builtin_mul_overflow(magnitude, terms, &product) ||
           __builtin_add_overflow(*total, product, total) || *total > limit)
    return ghz_fail(ctx, GHZ_ERANGE, "more than %llu terms", (ull)limit);
  return GHZ_OK;
}

ghz_status ghz_open_headers(ghz_context *ctx, const computation *w, operand *operands, ghz_slice *result,
                            size_t *counting) {
  uint64_t terms = 0;
  ghz_status counted = GHZ_OK;
  int inexact = 0, transform = 0;
  *counting = 0;
  for (size_t i = 0; i < w->k; i++) {
    ghz_slice *s = &operands[i].slice;
    ghz_status status = open_header(ctx, w, i, s);
    if (status == GHZ_OK)
      status = ghz_operands_agree(ctx, &operands[0].slice, s, i);
    if (status == GHZ_OK)
      status = comparable(ctx, w, s, i);
    if (status != GHZ_OK)
      return status;
    if (counted == GHZ_OK) /* too many terms are reported only where all operands agree */
      counted = count_terms(ctx, w, i, s, &terms);
    if (coefficient(w, i)) {
      inexact |= s->inexact;
      transform |= s->transform;
      ++*counting;
    }
  }
  *result = operands[0].slice;
  result->terms = (uint32_t)terms;
  result->inexact = inexact;
  result->transform = transform;
  return counted;
}
