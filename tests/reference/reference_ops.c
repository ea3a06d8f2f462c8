/* reference_ops.c: sums, combinations and extrema of the reference codec, integer by integer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"
#include "quad.h"
#include <math.h>
#include <string.h>

/* ---- Headers ---- */
/* a * b, or a / b, rounded up; below 2^-900 always: a remainder could underflow there. */
static double magnitude_up(double a, double b, int divide) {
  double result = divide ? a / b : a * b;
  int below = divide ? (quad)result * b < a : (quad)result < (quad)a * b;
  return below || result < 0x1p-900 ? nextafter(result, INFINITY) : result;
}

/* Scales step and bound. If the step is rounded, values near 2^44 steps move by up to 2^-9 step. */
static void scale_header(ref_header *h, double r, int divide) {
  double step = divide ? h->step / r : h->step * r;
  int exact = divide ? (quad)step * r == h->step : (quad)step == (quad)h->step * r;
  int exponent, whole = floor(step) == step && step < 0x1p53, power = frexp(step, &exponent) == 0.5;
  double eb = h->said_eb == 0 ? 0 : magnitude_up(h->said_eb, r, divide);
  h->step = step;
  if (h->integers && !(exact && (whole || power)))
    eb = nextafter(eb + step * (h->cap == 44 ? 0x1p-8 : 0x1p-17), INFINITY);
  if (!h->integers && h->cap == 44 && !exact)
    eb = nextafter(eb + step * 0x1p-9, INFINITY);
  ref_set_type(h, h->integers ? h->integers : h->type, eb);
}

static ref_header combined_header(ref_header h, size_t k, const ref_bytes *streams, const int64_t *c,
                                  ref_after after, double factor) {
  uint64_t terms = 0;
  h.inexact = h.transform = 0;
  for (size_t i = 0; i < k; i++) {
    ref_header one = ref_header_read(streams[i].data);
    terms += (uint64_t)(c[i] < 0 ? -c[i] : c[i]) * one.terms;
    h.inexact |= c[i] != 0 && one.inexact;
    h.transform |= c[i] != 0 && one.transform;
  }
  h.terms = (uint32_t)terms;
  if (after == REF_SCALE)
    scale_header(&h, fabs(factor), 0);
  else if (after == REF_MEAN)
    scale_header(&h, factor, 1);
  return h;
}

/* ---- Tiles ---- */
/* An operand of one tile: where its bytes are, what they say, how often its integers and values
 * count. */
typedef struct operand {
  ref_header header;
  const uint8_t *data;
  size_t size;
  int64_t coefficient, weight;
  int outside; /* raw, and not on the lattice */
  ref_tile tile;
} operand;

/* An empty tile of that shape. */
static void shape_like(ref_tile *t, const ref_tile *other) {
  memset(t, 0, sizeof *t);
  t->dims = other->dims;
  t->z = other->z;
  t->y = other->y;
  t->x = other->x;
  t->n = other->n;
}

static int shift_to(const ref_header *h, int from, int to) {
  return h->type == REF_F32 && from == REF_COARSE && to != REF_COARSE;
}

/* A raw operand goes to its lattice first, if there is one. */
static void settle(operand *o) {
  const ref_header *h = &o->header;
  if (!o->tile.raw)
    return;
  ref_tile on = o->tile;
  o->outside = h->step == 0 || !ref_tile_quantise(h, &on);
  if (o->outside)
    return;
  ref_tile_choose_order(h, &on, REF_LORENZO);
  o->tile = on;
}

/* In the stream's type, NaN where it is missing. */
static double rounded_value(const ref_header *h, const ref_tile *t, int i) {
  return ref_value(h->type, ref_bits(h->type, ref_tile_value(h, t, i)));
}

static size_t combine_outside(const ref_header *h, operand *ops, size_t k, ref_after after, double factor,
                              uint8_t *out) {
  SCOPE;
  ref_tile *sum = scratch(sizeof *sum);
  shape_like(sum, &ops[0].tile);
  sum->raw = 1;
  double s[REF_TILE] = {0};
  for (size_t j = 0; j < k; j++)
    for (int i = 0; i < REF_TILE; i++) /* in this order, as ref_tile_value remembers a transform */
      s[i] += (double)ops[j].weight * rounded_value(&ops[j].header, &ops[j].tile, i);
  for (int i = 0; i < REF_TILE; i++)
    sum->bits[i] = ref_bits(h->type, after == REF_SCALE  ? s[i] * factor
                                     : after == REF_MEAN ? s[i] / factor
                                                         : s[i]);
  return ref_tile_encode(h->type, sum, out);
}

static void add_specials(ref_tile *sum, const operand *o, int i) {
  int swap = o->coefficient < 0;
  sum->plus[i] |= swap ? o->tile.minus[i] : o->tile.plus[i];
  sum->minus[i] |= swap ? o->tile.plus[i] : o->tile.minus[i];
}

/* Modulo 2^64. */
static void add_times(int64_t *sum, int64_t c, int64_t v) {
  *sum = (int64_t)((uint64_t)*sum + (uint64_t)c * (uint64_t)v);
}

static size_t combine_inside(const ref_header *h, operand *ops, size_t k, uint8_t *out) {
  SCOPE;
  ref_tile *sum = scratch(sizeof *sum);
  shape_like(sum, &ops[0].tile);
  for (size_t j = 0; j < k; j++) {
    sum->mode = ops[j].tile.mode > sum->mode ? ops[j].tile.mode : sum->mode;
    sum->order = ops[j].tile.order > sum->order ? ops[j].tile.order : sum->order;
    sum->turned |= ops[j].tile.turned;
  }
  for (size_t j = 0; j < k; j++)
    for (int i = 0; i < REF_TILE; i++) {
      int lift = shift_to(h, ops[j].tile.mode, sum->mode) ? 2 : 1;
      add_times(&sum->q[i], ops[j].coefficient * lift, ops[j].tile.q[i]);
      add_times(&sum->c[i], ops[j].coefficient, ops[j].tile.c[i]);
      sum->coefficients |= ops[j].tile.coefficients;
      add_specials(sum, &ops[j], i);
    }
  return ref_tile_encode(h->type, sum, out);
}

/* A lone operand passes, but for a raw one that the lattice holds: R + (R - R) is (R + R) - R. */
static int copies(const operand *ops, const operand *settled, size_t k, ref_after after) {
  if (k != 1 || ops[0].coefficient != 1)
    return 0;
  return !ops[0].tile.raw || (settled[0].outside && after == REF_PLAIN);
}

/* The bytes of one tile of the result; *inexact if floating point went in, or would have in another
 * order. For a scale, a negative factor has already become a coefficient -1. `counting` operands
 * have a coefficient. */
static size_t combine_tile(const ref_header *h, operand *ops, size_t k, size_t counting, ref_after after,
                           double factor, uint8_t *out, int *inexact) {
  SCOPE;
  if (k == 0)
    return 0;
  int outside = 0;
  operand *settled = scratch(k * sizeof *settled);
  memcpy(settled, ops, k * sizeof *settled);
  for (size_t j = 0; j < k; j++) {
    settle(&settled[j]);
    outside |= settled[j].outside;
  }
  size_t size = ops[0].size;
  if (copies(ops, settled, k, after)) {
    memcpy(out, ops[0].data, size);
    *inexact |= outside && counting > 1;
  } else {
    *inexact |= outside;
    size = outside ? combine_outside(h, ops, k, after, factor, out) : combine_inside(h, settled, k, out);
  }
  return size;
}

/* An operation takes the tile behind the value of a tile of one. */
static void drop_value(const ref_header *h, operand *o) {
  size_t head = 1 + ref_value_size(h->type);
  if (!o->tile.one)
    return;
  o->tile.one = 0;
  o->data += head;
  o->size -= head;
}

/* Reads tile t of those operands that count; returns how many. */
static size_t gather(size_t k, const ref_bytes *streams, const int64_t *c, const int64_t *weights, uint64_t t,
                     operand *ops) {
  size_t used = 0;
  for (size_t i = 0; i < k; i++) {
    operand *o = &ops[used];
    o->data = ref_tile_at(streams[i].data, t, &o->size);
    o->coefficient = c[i];
    o->weight = weights[i];
    o->outside = 0;
    if (c[i] == 0 || o->size == 0)
      continue;
    o->header = ref_header_read(streams[i].data);
    ref_tile_parse(&o->header, t, o->data, o->size, &o->tile);
    drop_value(&o->header, o);
    used += o->size != 0;
  }
  return used;
}

/* On the lattice of `before`: coefficients of integers, weights of values. */
static ref_bytes combine_on(ref_header before, size_t k, const ref_bytes *streams, const int64_t *c,
                            const int64_t *weights, ref_after after, double factor) {
  ref_header h = combined_header(before, k, streams, c, after, factor);
  uint64_t tiles = ref_tile_total(&h);
  uint16_t *sizes = scratch((size_t)tiles * 2);
  uint8_t *payload = scratch((size_t)tiles * REF_TILE_ROOM + REF_TILE_ROOM);
  operand *ops = scratch((k + 1) * sizeof *ops);
  size_t used = 0, counting = 0;
  for (size_t i = 0; i < k; i++)
    counting += c[i] != 0;
  for (uint64_t t = 0; t < tiles; t++) {
    size_t count = gather(k, streams, c, weights, t, ops);
    sizes[t] = (uint16_t)combine_tile(&before, ops, count, counting, after, factor, payload + used, &h.inexact);
    used += sizes[t];
  }
  return ref_assemble(&h, sizes, payload);
}

ref_bytes ref_combine(size_t k, const ref_bytes *streams, const int64_t *c, ref_after after, double factor) {
  return combine_on(ref_header_read(streams[0].data), k, streams, c, c, after, factor);
}

/* By any d, as often as one likes, and then by the rest of f. */
static int divided_to(const ref_header *a, const ref_header *b, int64_t f) {
  int found = f == 1 && a->step == b->step && a->eb == b->eb;
  for (int64_t by = 2; by <= f; by++) {
    ref_header part = *a;
    for (int64_t rest = f; rest % by == 0;) {
      rest /= by;
      scale_header(&part, (double)by, 1);
      ref_header last = part;
      if (rest > 1)
        scale_header(&last, (double)rest, 1);
      found |= last.step == b->step && last.eb == b->eb;
    }
  }
  return found;
}

int64_t ref_multiple(const ref_header *a, const ref_header *b) {
  double f = rint(a->step > 0 ? a->step / b->step : a->eb / b->eb);
  return f >= 1 && f < 20000 && divided_to(a, b, (int64_t)f) ? (int64_t)f : 0;
}

ref_bytes ref_linear(size_t k, const ref_bytes *streams, const int64_t *weights, uint64_t divisor) {
  int64_t *c = scratch(k * sizeof *c);
  ref_header finest = ref_header_read(streams[0].data);
  for (size_t i = 1; i < k; i++) {
    const ref_header one = ref_header_read(streams[i].data);
    if (ref_multiple(&finest, &one))
      finest = one;
  }
  for (size_t i = 0; i < k; i++) {
    const ref_header one = ref_header_read(streams[i].data);
    c[i] = weights[i] * ref_multiple(&one, &finest);
  }
  return combine_on(finest, k, streams, c, weights, divisor == 1 ? REF_PLAIN : REF_MEAN, (double)divisor);
}

/* Each operand once. */
static ref_bytes combine_equally(size_t k, const ref_bytes *streams, ref_after after, double factor) {
  int64_t *ones = scratch(k * sizeof *ones);
  for (size_t i = 0; i < k; i++)
    ones[i] = 1;
  return ref_combine(k, streams, ones, after, factor);
}

ref_bytes ref_sum(size_t k, const ref_bytes *streams) { return combine_equally(k, streams, REF_PLAIN, 1); }

ref_bytes ref_mean(size_t k, const ref_bytes *streams) {
  return combine_equally(k, streams, k > 1 ? REF_MEAN : REF_PLAIN, (double)k);
}

ref_bytes ref_scale(ref_bytes stream, double factor) {
  int64_t sign = factor < 0 ? -1 : 1;
  return ref_combine(1, &stream, &sign, REF_SCALE, fabs(factor));
}

/* ---- Extrema ---- */
/* -Inf below finite below +Inf; NaN wins on either side. */
static int rank_of(const ref_tile *t, int i, int larger) {
  if (t->plus[i] && t->minus[i])
    return larger ? 2 : -2;
  return t->plus[i] ? 1 : t->minus[i] ? -1 : 0;
}

static int second_wins(int rank_a, int64_t a, int rank_b, int64_t b, int larger) {
  if (rank_a != rank_b)
    return larger ? rank_b > rank_a : rank_b < rank_a;
  return larger ? b > a : b < a;
}

static size_t extremum_inside(const ref_header *h, const ref_tile *a, const ref_tile *b, int larger,
                              uint8_t *out) {
  SCOPE;
  ref_tile *best = scratch(sizeof *best);
  shape_like(best, a);
  best->mode = a->mode > b->mode ? a->mode : b->mode;
  best->order = a->order > b->order ? a->order : b->order;
  best->turned = a->turned | b->turned;
  for (int i = 0; i < REF_TILE; i++) {
    int64_t qa = a->q[i] * (shift_to(h, a->mode, best->mode) ? 2 : 1);
    int64_t qb = b->q[i] * (shift_to(h, b->mode, best->mode) ? 2 : 1);
    int second = second_wins(rank_of(a, i, larger), qa, rank_of(b, i, larger), qb, larger);
    best->q[i] = second ? qb : qa;
    best->plus[i] = second ? b->plus[i] : a->plus[i];
    best->minus[i] = second ? b->minus[i] : a->minus[i];
  }
  return ref_tile_encode(h->type, best, out);
}

static size_t extremum_outside(const ref_header *h, const ref_tile *a, const ref_tile *b, int larger,
                               uint8_t *out) {
  SCOPE;
  ref_tile *best = scratch(sizeof *best);
  shape_like(best, a);
  best->raw = 1;
  for (int i = 0; i < REF_TILE; i++) {
    double x = rounded_value(h, a, i), y = rounded_value(h, b, i);
    int second = larger ? !(x > y) : !(x < y);
    best->bits[i] = ref_bits(h->type, isnan(x) || isnan(y) ? NAN : second ? y : x);
  }
  return ref_tile_encode(h->type, best, out);
}

static size_t extremum_tile(const ref_header *h, operand *a, operand *b, int larger, uint8_t *out,
                            int *inexact) {
  SCOPE;
  operand *on = scratch(2 * sizeof *on);
  on[0] = *a;
  on[1] = *b;
  settle(&on[0]);
  settle(&on[1]);
  int outside = on[0].outside || on[1].outside;
  *inexact |= outside;
  return outside ? extremum_outside(h, &a->tile, &b->tile, larger, out)
                 : extremum_inside(h, &on[0].tile, &on[1].tile, larger, out);
}

ref_bytes ref_extremum(ref_bytes a, ref_bytes b, int larger) {
  ref_header h = ref_header_read(a.data), hb = ref_header_read(b.data);
  ref_header result = h;
  result.terms = h.terms > hb.terms ? h.terms : hb.terms;
  result.inexact |= hb.inexact;
  result.transform |= hb.transform;
  uint64_t tiles = ref_tile_total(&h);
  uint16_t *sizes = scratch((size_t)tiles * 2);
  uint8_t *payload = scratch((size_t)tiles * REF_TILE_ROOM + REF_TILE_ROOM);
  operand *ops = scratch(2 * sizeof *ops);
  size_t used = 0;
  for (uint64_t t = 0; t < tiles; t++) {
    for (int j = 0; j < 2; j++) {
      ref_header own = j ? hb : h;
      ops[j].outside = 0;
      ops[j].coefficient = ops[j].weight = 1;
      ops[j].header = own;
      ops[j].data = ref_tile_at(j ? b.data : a.data, t, &ops[j].size);
      ref_tile_parse(&own, t, ops[j].data, ops[j].size, &ops[j].tile);
      drop_value(&own, &ops[j]);
    }
    sizes[t] = (uint16_t)extremum_tile(&h, &ops[0], &ops[1], larger, payload + used, &result.inexact);
    used += sizes[t];
  }
  return ref_assemble(&result, sizes, payload);
}
