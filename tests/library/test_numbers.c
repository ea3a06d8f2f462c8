/* test_numbers.c: sums, norms and distances of streams: exact, rounded once, the same from every
 * instruction set and any number of threads, in intervals that hold what the originals have. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/numbers.h>

#include "crafted.h"
#include "damage.h"
#include "fields.h"
#include "reference_numbers.h"
#include "support.h"
#include <float.h>
#include <math.h>

TestSuite(numbers, .timeout = 300);

static int holds(const ghz_estimate *v, const exact_number *e) {
  return number_to_double(e, v->low) >= 0 && number_to_double(e, v->high) <= 0;
}

/* ---- One case ---- */
/* Streams, and what they stand for: exact numbers, one per value. */
typedef struct original {
  ref_bytes stream;
  ref_number *held, *meant;
  uint64_t n;
  big error; /* terms * eb */
} original;

static big positive(uint64_t v) { return big_of_integer((__int128)v); }

static void *held_by_scope(void *p) { return scratch_held(p, free); }

/* Fill values are missing, as NaN is. */
static ref_number *meant_by(const ghz_lattice *l, const void *x, uint64_t n) {
  ref_number *v = scratch((size_t)n * sizeof *v);
  for (uint64_t i = 0; i < n; i++) {
    double value = value_at(l->type, x, (size_t)i);
    value = l->has_fill && value == l->fill ? NAN : value;
    v[i] = (ref_number){.special = isnan(value) ? 3 : isinf(value) ? (value > 0 ? 1 : 2) : 0};
    if (!v[i].special)
      v[i].value = big_of_double(value, BIG_UNIT);
  }
  return v;
}

static void describe(original *o, ref_bytes stream) {
  ghz_info info = info_of(stream);
  big eb = big_of_double(info.lattice.eb, BIG_UNIT), terms = positive(info.terms);
  o->stream = stream;
  o->held = held_by_scope(ref_numbers(stream.data));
  o->n = info.count;
  o->error = big_product(&eb, &terms);
}

static original fresh(ghz_context *ctx, const ghz_lattice *l, int order, const void *x,
                      const ghz_shape *shape) {
  original o;
  describe(&o, compress_shape(ctx, l, order, x, shape));
  o.meant = meant_by(l, x, o.n);
  return o;
}

/* a * ca + b * cb, with neither 0. */
static original combined(ghz_context *ctx, const original *a, const original *b, int64_t ca, int64_t cb) {
  original o;
  describe(&o, combine(ctx, 2, (ref_bytes[]){a->stream, b->stream}, (int64_t[]){ca, cb}));
  o.meant = scratch((size_t)o.n * sizeof *o.meant);
  big fa = big_of_integer(ca), fb = big_of_integer(cb);
  for (uint64_t i = 0; i < o.n; i++) {
    big x = big_product(&fa, &a->meant[i].value), y = big_product(&fb, &b->meant[i].value);
    o.meant[i] = (ref_number){.special = a->meant[i].special | b->meant[i].special, .value = big_sum(&x, &y)};
  }
  return o;
}

static void check(const char *what, const char *name, const ghz_estimate *v, const exact_number *held,
                  const exact_number *meant) {
  cr_assert(is_nearest(held, v->value), "%s: %s %a is not the nearest", what, name, v->value);
  cr_assert(v->low <= v->value && v->value <= v->high, "%s: %s %a outside %a, %a", what, name, v->value, v->low,
            v->high);
  if (meant)
    cr_assert(holds(v, meant), "%s: the originals' %s is not in %a, %a", what, name, v->low, v->high);
}

static exact_number plain(const big *x, uint64_t divisor) {
  return (exact_number){.x = *x, .divisor = positive(divisor)};
}

static exact_number second(const big *x, uint64_t divisor, int root) {
  return (exact_number){.x = *x, .divisor = positive(divisor), .second = 1, .root = root};
}

static exact_number variance_of(const ref_totals *t, int root) {
  big n = positive(t->count), a = big_product(&n, &t->squares), b = big_product(&t->sum, &t->sum);
  return (exact_number){.x = big_difference(&a, &b), .divisor = big_product(&n, &n), .second = 1, .root = root};
}

/* With `tight` the interval is the sum less and plus the bounds, rounded outwards. */
static void check_tight(const char *what, const ghz_estimate *v, const big *sum, const big *error,
                        int is_second) {
  exact_number low = {.x = big_difference(sum, error), .divisor = positive(1), .second = is_second}, high = low;
  high.x = big_sum(sum, error);
  cr_assert(number_to_double(&low, v->low) >= 0 && number_to_double(&low, nextafter(v->low, INFINITY)) < 0,
            "%s: %a is not the sum less the bounds", what, v->low);
  cr_assert(number_to_double(&high, v->high) <= 0 && number_to_double(&high, nextafter(v->high, -INFINITY)) > 0,
            "%s: %a is not the sum and the bounds", what, v->high);
}

static void check_open(const char *what, const ghz_estimate *v) {
  cr_assert(v->low <= 0 && v->high == INFINITY, "%s: inexact, but %a to %a", what, v->low, v->high);
}

static void check_no_number(const char *what, const ghz_estimate *v) {
  cr_assert(isnan(v->value) && isnan(v->low) && isnan(v->high), "%s: %a of nothing", what, v->value);
}

static void check_summary(const char *what, const original *o, const ghz_summary *s) {
  static const big none;
  int inexact = info_of(o->stream).inexact;
  ref_totals held = ref_total(o->held, NULL, o->n, &o->error, &none),
             meant = ref_total(o->meant, NULL, o->n, &none, &none);
  cr_assert(s->count == held.count && s->specials == held.specials, "%s: counts", what);
  cr_assert(inexact || (meant.count == held.count && meant.specials == held.specials), "%s: the test's", what);
  exact_number sum = plain(&held.sum, 1), meant_sum = plain(&meant.sum, 1), norm = second(&held.squares, 1, 1),
               meant_norm = second(&meant.squares, 1, 1);
  check(what, "sum", &s->sum, &sum, inexact ? NULL : &meant_sum);
  check(what, "norm", &s->norm, &norm, inexact ? NULL : &meant_norm);
  if (inexact)
    check_open(what, &s->sum), check_open(what, &s->norm);
  else
    check_tight(what, &s->sum, &held.sum, &held.error, 0);
  if (s->count == 0) {
    check_no_number(what, &s->mean), check_no_number(what, &s->variance), check_no_number(what, &s->deviation);
    return;
  }
  sum = plain(&held.sum, held.count);
  meant_sum = plain(&meant.sum, held.count);
  check(what, "mean", &s->mean, &sum, inexact ? NULL : &meant_sum);
  for (int root = 0; root < 2; root++) {
    exact_number spread = variance_of(&held, root), meant_spread = variance_of(&meant, root);
    check(what, root ? "deviation" : "variance", root ? &s->deviation : &s->variance, &spread,
          inexact ? NULL : &meant_spread);
  }
}

static void check_comparison(const char *what, const original *a, const original *b, const ghz_comparison *c) {
  static const big none;
  int inexact = info_of(a->stream).inexact || info_of(b->stream).inexact;
  ref_totals held = ref_total(a->held, b->held, a->n, &a->error, &b->error),
             meant = ref_total(a->meant, b->meant, a->n, &none, &none);
  cr_assert(c->count == held.count && c->specials == held.specials && c->mismatches == held.mismatches,
            "%s: counts", what);
  cr_assert_eq(c->index, held.index, "%s: the largest difference at %llu, not %llu", what,
               (unsigned long long)c->index, (unsigned long long)held.index);
  exact_number product = second(&held.product, 1, 0), meant_product = second(&meant.product, 1, 0);
  check(what, "product", &c->product, &product, inexact ? NULL : &meant_product);
  if (inexact)
    check_open(what, &c->product);
  else
    check_tight(what, &c->product, &held.product, &held.product_error, 1);
  if (c->count == 0) {
    check_no_number(what, &c->mean), check_no_number(what, &c->rms), check_no_number(what, &c->largest);
    return;
  }
  ghz_shape shape = info_of(a->stream).shape;
  cr_assert_eq((c->place[0] * shape.extent[1] + c->place[1]) * shape.extent[2] + c->place[2], c->index, "%s",
               what);
  cr_assert(c->place[1] < shape.extent[1] && c->place[2] < shape.extent[2], "%s: coordinates", what);
  exact_number mean = plain(&held.sum, held.count), meant_mean = plain(&meant.sum, held.count);
  exact_number rms = second(&held.squares, held.count, 1), meant_rms = second(&meant.squares, held.count, 1);
  exact_number largest = plain(&held.largest, 1), meant_largest = plain(&meant.largest, 1);
  check(what, "mean difference", &c->mean, &mean, inexact ? NULL : &meant_mean);
  check(what, "rms", &c->rms, &rms, inexact ? NULL : &meant_rms);
  check(what, "largest difference", &c->largest, &largest, inexact ? NULL : &meant_largest);
}

/* Checks a stream with one context, and that all contexts say the same. */
static void check_stream(const context_pool *pool, const char *what, const original *o) {
  ghz_summary first, other;
  for (size_t i = 0; i < pool->count; i++) {
    succeeded(ghz_moments(pool->ctx[i], view(o->stream), i ? &other : &first), pool->ctx[i], what);
    if (i)
      cr_assert_eq(memcmp(&other, &first, sizeof first), 0, "%s: context %zu", what, i);
  }
  check_summary(what, o, &first);
}

static void check_pair(const context_pool *pool, const char *what, const original *a, const original *b) {
  ghz_comparison first, other;
  for (size_t i = 0; i < pool->count; i++) {
    succeeded(ghz_difference(pool->ctx[i], view(a->stream), view(b->stream), i ? &other : &first), pool->ctx[i],
              what);
    if (i)
      cr_assert_eq(memcmp(&other, &first, sizeof first), 0, "%s: context %zu", what, i);
  }
  check_comparison(what, a, b, &first);
}

/* Two streams, sums of them, and pairs. */
static void check_family(const context_pool *pool, const char *what, const original *a, const original *b,
                         uint64_t *state) {
  static const int64_t factors[] = {1, 1, -1, 2, -3, 500};
  int64_t ca = factors[input_below(state, COUNT(factors))], cb = factors[input_below(state, COUNT(factors))];
  original c = combined(context_any(pool, state), a, b, ca, cb);
  check_stream(pool, what, a);
  check_stream(pool, say("%s: combined", what), &c);
  check_pair(pool, what, a, b);
  check_pair(pool, say("%s: with the combined", what), b, &c);
  check_pair(pool, say("%s: with itself", what), a, a);
}

/* ---- Many arrays ---- */
Test(numbers, many_arrays) {
  uint64_t state = 77;
  POOL(pool);
  for (int i = 0; i < effort(120); i++) {
    SCOPE;
    const ghz_shape shape = shape_any(&state);
    const ghz_lattice l = lattice_with_fill(&state);
    const char *what = say("round %d, %s, state %llx", i, shape_text(&shape), (unsigned long long)state);
    original o[2];
    if (ghz_shape_count(&shape) > 3000)
      continue;
    for (int k = 0; k < 2; k++) {
      const void *x = values_any(&l, &shape, &state);
      o[k] = fresh(context_any(&pool, &state), &l, order_any(&shape, &state), x, &shape);
    }
    check_family(&pool, what, &o[0], &o[1], &state);
  }
}

/* Values at the ends of their type, and steps that leave them raw, in part or all. */
Test(numbers, extreme_values) {
  static const double values[] = {0,         -0.0,   DBL_MAX,  -DBL_MAX, 0x1p-1074, -0x1p-1074,
                                  0x1p-1022, 1,      -1,       0x1p1000, NAN,       INFINITY,
                                  -INFINITY, 1e-300, 0x1p-500, 3.5e-310, 1e308};
  static const double bounds[] = {1e-320, 1e-300, 1e-3, 1e290, 1e307};
  uint64_t state = 79;
  POOL(pool);
  for (int i = 0; i < effort(40); i++) {
    SCOPE;
    ghz_lattice l = lattice_abs(GHZ_F64, bounds[input_below(&state, COUNT(bounds))]);
    size_t n = 1 + (size_t)input_below(&state, 2500);
    ghz_shape shape = ghz_flat(n);
    double *x[2];
    original o[2];
    for (int k = 0; k < 2; k++) {
      x[k] = scratch(n * sizeof *x[k]);
      uint64_t few = 1 + input_below(&state, COUNT(values));
      for (size_t v = 0; v < n; v++)
        x[k][v] = input_below(&state, 3) ? values[input_below(&state, few)] : 1 + input_uniform(&state);
      o[k] = fresh(pool.ctx[0], &l, GHZ_ORDER_BEST, x[k], &shape);
    }
    const char *what = say("round %d, state %llx", i, (unsigned long long)state);
    check_stream(&pool, what, &o[0]);
    check_pair(&pool, what, &o[0], &o[1]);
  }
}

/* What lies far below the last bit decides still whether an interval has to be wider. */
Test(numbers, roots_that_are_nearly_exact) {
  POOL(pool);
  static const double arrays[][3] = {
      {0x1p40, 0x1p-20, 0}, {0x1p40, 0x1p-24, 0x1p-24}, {0x1p60, 0x1p7, 0x1p-80}};
  ghz_lattice l = lattice_abs(GHZ_F64, 1e-310);
  ghz_shape shape = ghz_flat(3);
  for (size_t i = 0; i < COUNT(arrays); i++) {
    ghz_summary s;
    original o = fresh(pool.ctx[0], &l, GHZ_ORDER_BEST, arrays[i], &shape);
    check_stream(&pool, "nearly exact", &o);
    succeeded(ghz_moments(pool.ctx[0], view(o.stream), &s), pool.ctx[0], "nearly exact");
    cr_assert(s.norm.low == arrays[i][0] && s.norm.high == nextafter(arrays[i][0], INFINITY), "%a to %a",
              s.norm.low, s.norm.high);
  }
}

/* Integers that grow to 62 bits, and coefficients with them. */
Test(numbers, sums_of_very_many_terms) {
  static const ghz_shape shapes[] = {{1, {1, 1, 1500}}, {3, {9, 9, 20}}, {2, {1, 40, 33}}};
  uint64_t state = 80;
  POOL(pool);
  for (int i = 0; i < effort(9); i++) {
    SCOPE;
    const ghz_shape *shape = &shapes[i % 3];
    ghz_lattice l = lattice_abs(i % 2 ? GHZ_F64 : GHZ_F32, 0.01);
    int64_t most = (int64_t)ghz_terms_limit(l.cap) / 2;
    original o[2];
    for (int k = 0; k < 2; k++) {
      void *x = field_make(k ? SHOCK : PATCHES, &l, shape, i > 4 ? 1e9 : 2000, input_random(&state));
      o[k] = fresh(pool.ctx[0], &l, GHZ_ORDER_BEST, x, shape);
    }
    original sum = combined(pool.ctx[0], &o[0], &o[1], most, -most + 1),
             other = combined(pool.ctx[0], &o[0], &o[1], -most, most);
    const char *what = say("%s, type %d", shape_text(shape), (int)l.type);
    check_stream(&pool, what, &sum);
    check_pair(&pool, what, &sum, &o[1]);
    check_pair(&pool, what, &sum, &other);
  }
}

/* Integers of any size, in tiles that no encoder writes. */
Test(numbers, crafted_streams) {
  static const ghz_shape shapes[] = {{1, {1, 1, 1024}}, {3, {8, 8, 16}}, {2, {1, 32, 32}}, {3, {9, 5, 14}}};
  uint64_t state = 81;
  POOL(pool);
  for (int i = 0; i < effort(40); i++) {
    SCOPE;
    const ghz_shape *shape = &shapes[i % 4];
    ghz_lattice l = lattice_any(&state);
    ref_header h = header_shaped(&l, shape);
    original o[2];
    const char *what = say("round %d, state %llx", i, (unsigned long long)state);
    for (int k = 0; k < 2; k++) {
      h.transform = shape->dims > 1 && input_below(&state, 2);
      h.terms = (uint32_t)1 << input_below(&state, 14);
      describe(&o[k], crafted_streams(&h, &state).least);
      o[k].meant = o[k].held;
    }
    check_stream(&pool, what, &o[0]);
    check_pair(&pool, what, &o[0], &o[1]);
  }
}

/* All integers of one magnitude: their squares grow as far as they can. Or the first coefficients
 * of a brick, which reach beyond what float64 holds; mixed with smaller ones behind the first. */
static ref_bytes equal_integers(const ref_header *h, int bits, int mixed) {
  ref_tile *t = ref_tile_new(h);
  const int64_t most = ((int64_t)7 << (bits - 3)) - 1;
  t->mode = bits > 28 ? REF_WIDE : REF_COARSE;
  t->coefficients = h->transform;
  for (int i = 0; !h->transform && i < REF_TILE; i++)
    t->q[i] = most * (mixed && i % 2 ? -1 : 1);
  t->c[0] = most * (mixed ? -1 : 1);
  for (int i = 1; h->transform && mixed && i < 8; i++)
    t->c[i] = most >> 4 & (((int64_t)1 << 40) - 1);
  return ref_stream_of(h, t);
}

Test(numbers, integers_of_every_size) {
  static const ghz_shape shapes[] = {{1, {1, 1, 1024}}, {3, {8, 8, 16}}, {2, {1, 32, 32}}};
  POOL(pool);
  for (int i = 40; i < 2 * 58; i++) {
    SCOPE;
    const int bits = i / 2, transform = i % 2;
    ghz_lattice l = lattice_abs(bits % 4 < 2 ? GHZ_F32 : GHZ_F64, 0.01);
    ref_header h = header_shaped(&l, &shapes[transform ? 1 + bits / 2 % 2 : bits % 2]);
    original o[2];
    h.cap = 35;
    h.terms = bits > 28 ? 8388607 : 8191;
    h.transform = transform;
    for (int k = 0; k < 2; k++) {
      describe(&o[k], equal_integers(&h, bits, k));
      o[k].meant = o[k].held;
    }
    check_stream(&pool, say("%d bits", bits), &o[0]);
    check_pair(&pool, say("%d bits", bits), &o[0], &o[1]);
  }
}

/* ---- Nothing to sum up ---- */
Test(numbers, nothing) {
  POOL(pool);
  for (int type = 0; type < 2; type++)
    for (size_t n = 0; n < 2000; n += 999) {
      SCOPE;
      ghz_lattice l = lattice_abs((ghz_type)type, 0.1);
      ghz_shape shape = ghz_flat(n);
      void *x = scratch(n * 8);
      for (size_t i = 0; i < n; i++)
        put_value(l.type, x, i, i % 3 ? NAN : INFINITY);
      original o = fresh(pool.ctx[0], &l, GHZ_ORDER_BEST, x, &shape);
      check_stream(&pool, "nothing finite", &o);
      check_pair(&pool, "nothing finite", &o, &o);
    }
}

/* Lattices without a step keep values as they are, so intervals have nothing to allow for. */
Test(numbers, values_that_are_kept_are_exact) {
  POOL(pool);
  for (int i = 0; i < 4; i++) {
    SCOPE;
    const ghz_shape shape = i % 2 ? (ghz_shape){3, {16, 16, 32}} : ghz_flat(5000);
    const ghz_lattice l = lattice_abs((ghz_type)(i / 2), i / 2 ? 1e-310 : 1e-44);
    const size_t n = (size_t)ghz_shape_count(&shape), first = (size_t)i * 100; /* others are empty tiles */
    double *x = scratch(n * sizeof *x), *zeros = scratch(n * sizeof *zeros);
    memset(zeros, 0, n * sizeof *zeros);
    memset(x, 0, n * sizeof *x);
    put_value(l.type, x, first, 3);
    cr_assert_eq(l.step, 0);
    const original o[2] = {fresh(pool.ctx[0], &l, GHZ_ORDER_BEST, x, &shape),
                           fresh(pool.ctx[0], &l, GHZ_ORDER_BEST, zeros, &shape)};
    ghz_comparison c;
    ghz_summary s;
    succeeded(ghz_difference(pool.ctx[0], view(o[1].stream), view(o[1].stream), &c), pool.ctx[0], "of zeros");
    cr_assert(c.mean.low == 0 && c.mean.high == 0 && c.largest.high == 0 && c.product.high == 0, "of zeros");
    succeeded(ghz_difference(pool.ctx[0], view(o[0].stream), view(o[1].stream), &c), pool.ctx[0], "of a 3");
    cr_assert(c.largest.low == 3 && c.largest.high == 3 && c.rms.low <= c.rms.high, "%a to %a", c.largest.low,
              c.largest.high);
    succeeded(ghz_moments(pool.ctx[0], view(o[0].stream), &s), pool.ctx[0], "the moments");
    cr_assert(s.sum.low == 3 && s.sum.high == 3 && s.norm.low == 3 && s.norm.high == 3, "%a to %a", s.sum.low,
              s.sum.high);
  }
}

/* The interval of the largest difference is that difference less and plus the bounds, rounded
 * outwards: a rounding to the nearest would cut off what the originals may have. */
Test(numbers, the_largest_difference_is_rounded_outwards) {
  POOL(pool);
  const ghz_lattice l = lattice_abs(GHZ_F64, 0.1);
  const ghz_shape shape = ghz_flat(2);
  const original zero = fresh(pool.ctx[0], &l, GHZ_ORDER_BEST, (double[]){0, 0}, &shape);
  for (int i = 1; i < 200; i++) {
    SCOPE;
    const double x[2] = {0, i}; /* a value alone would come back as it is */
    const original o = fresh(pool.ctx[0], &l, GHZ_ORDER_BEST, x, &shape);
    const big error = big_sum(&o.error, &zero.error), held = o.held[1].value;
    exact_number low = {.x = big_difference(&held, &error), .divisor = positive(1)}, high = low;
    ghz_comparison c;
    high.x = big_sum(&held, &error);
    succeeded(ghz_difference(pool.ctx[0], view(o.stream), view(zero.stream), &c), pool.ctx[0], "of one value");
    cr_assert(number_to_double(&low, c.largest.low) >= 0 && number_to_double(&high, c.largest.high) <= 0,
              "%d: %a to %a", i, c.largest.low, c.largest.high);
  }
}
