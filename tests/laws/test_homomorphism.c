/* test_homomorphism.c: law L2: computing on streams is exact. Every operation on operands of every
 * kind has the bytes of the reference, from every instruction set and number of threads, in any
 * order and grouping; and what it makes is what the arrays say, within the bound that it states. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "crafted.h"
#include "fields.h"
#include "quad.h"
#include "reference_parts.h"
#include "support.h"
#include <math.h>
#include <stdio.h>

enum { MOST = 33, DIFFERENT = 4 };

typedef enum operation {
  ADD,
  SUM,
  ACCUMULATE,
  MINIMUM,
  MAXIMUM,
  SUBTRACT,
  NEGATE,
  SCALE,
  MEAN,
  COMBINE,
  LINEAR
} operation;

typedef struct operand {
  ref_bytes s, loose; /* loose: of a crafted one, the same values in other bytes */
  const void *x;      /* of a fresh one: what it was compressed from, in which order */
  int order;
  quad *given; /* what it stands for, NaN where that is missing; NULL: nothing but itself */
} operand;

/* One case. Of many operands every fourth is the same. */
typedef struct round_of {
  const context_pool *pool;
  uint64_t *state;
  operation kind;
  ghz_lattice l;
  ghz_shape shape;
  size_t n, k;
  operand o[DIFFERENT];
  ref_bytes s[MOST];
  int64_t c[MOST];
  uint64_t finer; /* some operands are on the lattice divided by this */
  uint64_t divisor;
  double factor;
  char what[32];
} round_of;

static ghz_context *any(const round_of *r) { return context_any(r->pool, r->state); }
static int extreme(const round_of *r) { return r->kind == MINIMUM || r->kind == MAXIMUM; }

/* ---- Operands ---- */
/* Tiles, or rows of bricks, of one value, which may be 0 or outside the lattice, and others. */
static void *medley(const round_of *r, uint64_t seed) {
  void *x = scratch(r->n * ghz_type_size(r->l.type));
  uint64_t kind = 0;
  for (size_t i = 0; i < r->n; i++) {
    if (i % (r->shape.dims == 1 ? GHZ_TILE : 8) == 0)
      kind = input_below(&seed, 6);
    const double v[] = {273.15, 0, input_uniform(&seed) / 3, 1e30, (double)(i % 50), -273.15};
    put_value(r->l.type, x, i, (input_below(&seed, 200) ? v[kind] : NAN) * (r->l.step > 0 ? r->l.step : 1));
  }
  plant_fill(&r->l, x, r->n, seed);
  return x;
}

/* With raw tiles, on the lattice (rule 2) and outside of it (rule 3). */
static operand fresh(const round_of *r) {
  operand o = {.order = order_any(&r->shape, r->state), .given = scratch(r->n * sizeof(quad))};
  if (extreme(r) && o.order == GHZ_ORDER_BEST && input_below(r->state, 8))
    o.order = GHZ_ORDER_LORENZO;
  o.x = input_below(r->state, 5) ? values_any(&r->l, &r->shape, r->state) : medley(r, input_random(r->state));
  o.s = o.loose = compress_shape(any(r), &r->l, o.order, o.x, &r->shape);
  for (size_t i = 0; i < r->n; i++) {
    const double v = value_at(r->l.type, o.x, i);
    o.given[i] = (quad)(r->l.has_fill && v == r->l.fill ? NAN : v);
  }
  return o;
}

/* So often a value; what does not count may be anything. */
static quad times(int64_t c, quad v) { return c ? (quad)c * v : 0; }

/* Two fresh ones combined and divided. */
static operand combined(const round_of *r, int64_t a, int64_t b, uint64_t divisor) {
  const operand two[2] = {fresh(r), fresh(r)};
  operand o = {.given = two[0].given};
  o.s = o.loose = linear(any(r), 2, (ref_bytes[]){two[0].s, two[1].s}, (int64_t[]){a, b}, divisor);
  for (size_t i = 0; i < r->n; i++)
    o.given[i] = (times(a, two[0].given[i]) + times(b, two[1].given[i])) / (quad)divisor;
  return o;
}

static operand negated(const round_of *r, const operand *of) {
  operand o = {.given = of->given ? scratch(r->n * sizeof(quad)) : NULL};
  o.s = o.loose = negate(any(r), of->s);
  for (size_t i = 0; i < r->n && o.given; i++)
    o.given[i] = -of->given[i];
  return o;
}

/* What no encoder writes. */
static operand crafted(const round_of *r) {
  ref_header h = header_shaped(&r->l, &r->shape);
  h.transform = r->shape.dims > 1 && input_below(r->state, 3) > 0;
  h.terms = 1 + (uint32_t)(input_below(r->state, ghz_terms_limit(h.cap) / 1000) >> input_below(r->state, 14));
  const crafted_pair pair = crafted_streams(&h, r->state);
  cr_assert(ref_check(pair.least.data, pair.least.size) == REF_GOOD &&
                ref_check(pair.loose.data, pair.loose.size) != REF_BAD,
            "%s", r->what);
  return (operand){.s = pair.least, .loose = pair.loose};
}

static operand operand_any(const round_of *r, size_t number) {
  switch (input_below(r->state, 9)) {
  case 0: return combined(r, 1 + (int64_t)input_below(r->state, 5), (int64_t)input_below(r->state, 9) - 4, 1);
  case 1: return number ? negated(r, &r->o[0]) : fresh(r);
  case 2:
  case 3: return r->l.step > 0 ? crafted(r) : fresh(r);
  case 4:
    if (r->finer > 1)
      return combined(r, (int64_t)r->finer - 1, 1, r->finer);
    /* fall through */
  default: return fresh(r);
  }
}

/* ---- Cases ---- */
/* Weights up to what the terms allow, none above `most`; those of 0 drop an operand (rule 1). */
static void choose_weights(round_of *r, uint64_t most) {
  for (size_t i = 0; i < r->k; i++) {
    const uint64_t some = input_below(r->state, 2) ? 5 : 1 + (most >> input_below(r->state, 23));
    r->c[i] = (int64_t)(input_below(r->state, 8) ? input_below(r->state, some < most ? some : most + 1) : most);
    r->c[i] *= input_below(r->state, 2) ? 1 : -1;
  }
}

static void choose_operands(round_of *r) {
  uint64_t terms = 1;
  r->finer = r->kind == LINEAR ? 1 + input_below(r->state, 13) : 1;
  for (size_t i = 0; i < r->k && i < DIFFERENT; i++) {
    r->o[i] = operand_any(r, i);
    const uint64_t own = info_of(r->o[i].s).terms;
    terms = own > terms ? own : terms;
  }
  for (size_t i = 0; i < r->k; i++) {
    r->s[i] = r->o[i % DIFFERENT].s;
    r->c[i] = r->kind == NEGATE || (r->kind == SUBTRACT && i) ? -1 : 1;
  }
  if (r->kind == COMBINE || r->kind == LINEAR)
    choose_weights(r, ghz_terms_limit(r->l.cap) / (r->k * terms * r->finer));
}

static void choose_round(round_of *r) {
  static const size_t counts[] = {2, 2, 3, 3, 4, 9, MOST};
  static const double factors[] = {1, -1, 2, 0.5, -0.1, 3.14159, -7, 1e3, 1.0 / 3};
  uint64_t *state = r->state;
  snprintf(r->what, sizeof r->what, "state %llx", (unsigned long long)*state);
  r->l = input_below(state, 12) ? lattice_with_fill(state)
                                : filled(input_below(state, 2) ? lattice_abs(GHZ_F32, 1e-60) /* no step */
                                                               : lattice_abs(GHZ_F64, 1e-305),
                                         input_below(state, 4));
  r->shape = shape_any(state);
  r->n = (size_t)ghz_shape_count(&r->shape);
  r->k = counts[input_below(state, r->n < 6000 ? COUNT(counts) : 4)];
  if (r->kind == SUBTRACT)
    r->k = 2;
  else if (r->kind == NEGATE || r->kind == SCALE || (r->kind > MAXIMUM && input_below(state, 6) == 0))
    r->k = 1;
  r->factor = r->kind == SCALE ? factors[input_below(state, COUNT(factors))] : 1;
  r->divisor = r->kind == MEAN                              ? r->k
               : r->kind == LINEAR && input_below(state, 2) ? 1 + input_below(state, 400)
                                                            : 1;
  choose_operands(r);
}

/* ---- What is done ---- */
static ref_bytes of_two(ghz_context *ctx, const round_of *r, ref_bytes a, ref_bytes b) {
  return extreme(r) ? extremum(ctx, a, b, r->kind == MAXIMUM) : add(ctx, a, b);
}

/* From nothing on; of streams, and of values on their way. */
static ref_bytes accumulated(ghz_context *ctx, const round_of *r) {
  uint32_t terms = 0;
  for (size_t i = 0; i < r->k; i++)
    terms += info_of(r->s[i]).terms;
  ref_bytes acc = bytes_new(ghz_shape_bound(&r->shape, r->l.type, terms));
  size_t size = 0;
  for (size_t i = 0; i < r->k; i++) {
    const operand *o = &r->o[i % DIFFERENT];
    succeeded(o->x ? ghz_accumulate_values(ctx, &r->l, o->order, o->x, &r->shape, acc.data, acc.size, &size)
                   : ghz_accumulate(ctx, acc.data, acc.size, &size, view(r->s[i])),
              ctx, "accumulate");
  }
  return (ref_bytes){acc.data, size};
}

static ref_bytes run(ghz_context *ctx, const round_of *r, const ref_bytes *s) {
  ref_bytes total = s[0];
  switch (r->kind) {
  case SUM: return sum(ctx, r->k, s);
  case ACCUMULATE: return accumulated(ctx, r);
  case SUBTRACT: return subtract(ctx, s[0], s[1]);
  case NEGATE: return negate(ctx, s[0]);
  case SCALE: return scale(ctx, s[0], r->factor);
  case MEAN: return mean(ctx, r->k, s);
  case COMBINE: return combine(ctx, r->k, s, r->c);
  case LINEAR: return linear(ctx, r->k, s, r->c, r->divisor);
  default:
    for (size_t i = 1; i < r->k; i++)
      total = of_two(ctx, r, total, s[i]);
    return total;
  }
}

static ref_bytes reference(const round_of *r) {
  ref_bytes total = r->s[0];
  if (r->kind == SCALE)
    return ref_scale(total, r->factor);
  if (r->kind != ADD && r->kind != ACCUMULATE && !extreme(r))
    return ref_linear(r->k, r->s, r->c, r->divisor);
  if (r->kind == ACCUMULATE)
    total = ref_sum(1, &total);
  for (size_t i = 1; i < r->k; i++)
    total = extreme(r) ? ref_extremum(total, r->s[i], r->kind == MAXIMUM)
                       : ref_sum(2, (ref_bytes[]){total, r->s[i]});
  return total;
}

/* ---- What is checked ---- */
static int exempt(ref_bytes stream) { return info_of(stream).inexact; }

static ref_bytes tree(const round_of *r, const ref_bytes *s, size_t k) {
  if (k == 1)
    return s[0];
  const size_t cut = 1 + (size_t)input_below(r->state, k - 1);
  const ref_bytes left = tree(r, s, cut), right = tree(r, s + cut, k - cut);
  return of_two(any(r), r, right, left);
}

/* Operands from any on, around and in reverse; those that are alike in any grouping, too. */
static void check_orders(const round_of *r, ref_bytes want) {
  round_of other = *r;
  const size_t first = (size_t)input_below(r->state, r->k);
  for (size_t i = 0; i < r->k; i++) {
    other.s[i] = r->s[(first + r->k - i) % r->k];
    other.c[i] = r->c[(first + r->k - i) % r->k];
  }
  if (r->kind == SUBTRACT)
    return;
  const ref_bytes got = r->kind <= MAXIMUM ? tree(r, other.s, r->k) : run(any(r), &other, other.s);
  if (!exempt(want) && !exempt(got))
    same_bytes(got, want, say("%s, in another order", r->what));
}

/* Widths that are too large and bits in ignored columns change no value. */
static void check_loose(const round_of *r, ghz_context *ctx, ref_bytes want) {
  ref_bytes loose[MOST];
  void *values = scratch(r->n * 8);
  for (size_t i = 0; i < r->k; i++)
    loose[i] = r->o[i % DIFFERENT].loose;
  const ref_bytes got = run(ctx, r, loose);
  cr_assert_neq(ref_check(got.data, got.size), REF_BAD, "%s, loose", r->what);
  for (ghz_type out = r->l.type; out <= GHZ_F64; out++) {
    ref_decode(want.data, (int)out, values);
    same_values(decompress(ctx, got, out), values, r->n, out, say("%s, loose", r->what));
  }
}

static quad meant(const round_of *r, size_t i) {
  quad v = extreme(r) ? r->o[0].given[i] : 0;
  for (size_t j = 0; j < r->k; j++) {
    const quad one = r->o[j % DIFFERENT].given[i];
    if (!extreme(r))
      v += times(r->c[j], one);
    else if (isnan((double)one) || (r->kind == MAXIMUM ? one > v : one < v))
      v = one;
  }
  return v * (quad)r->factor / (quad)r->divisor;
}

/* Missing values stay missing, also where values are outside the lattice; infinities stay, all
 * others are within the bound. */
static int kept_as_meant(const round_of *r, const ghz_info *info, quad v, const double *y) {
  const quad off = v > (quad)*y ? v - (quad)*y : (quad)*y - v;
  if (isnan((double)v))
    return get_little((const uint8_t *)y, 8) == ref_bits(REF_F64, r->l.has_fill ? r->l.fill : NAN);
  return info->inexact || (isinf((double)v) ? *y == (double)v : off <= (quad)info->bound);
}

static void check_given(const round_of *r, ref_bytes got) {
  const ghz_info info = info_of(got);
  const double *y = decompress(any(r), got, GHZ_F64);
  for (size_t j = 0; j < r->k && j < DIFFERENT; j++)
    if (!r->o[j].given)
      return;
  for (size_t i = 0; i < r->n; i++)
    if (!kept_as_meant(r, &info, meant(r, i), &y[i]))
      cr_assert_fail("%s: value %zu is %a for %a, bound %a", r->what, i, y[i], (double)meant(r, i), info.bound);
}

/* Values between those of the lattice, as coefficients say them, cannot be compared on it. */
static void check_refused(const round_of *r, ref_bytes a, ref_bytes b) {
  ref_bytes room = bytes_new(ghz_shape_bound(&r->shape, r->l.type, ghz_terms_limit(r->l.cap)));
  for (size_t c = 0; c < r->pool->count; c++) {
    cr_assert_eq(ghz_maximum(r->pool->ctx[c], view(a), view(b), room.data, room.size, &room.size), GHZ_EINVAL,
                 "%s", r->what);
    cr_assert(strstr(ghz_context_message(r->pool->ctx[c]), "GHZ_ORDER_LORENZO"));
  }
}

static void check_round(round_of *r) {
  SCOPE;
  int loose = 0;
  choose_round(r);
  for (size_t i = 0; i < r->k; i++) {
    loose |= r->o[i % DIFFERENT].loose.data != r->s[i].data;
    if (extreme(r) && ref_header_read(r->s[i].data).transform) {
      check_refused(r, r->s[i], r->s[(i + 1) % r->k]);
      return;
    }
  }
  const ref_bytes want = reference(r);
  cr_assert_neq(ref_check(want.data, want.size), REF_BAD, "%s", r->what);
  for (size_t c = 0; c < r->pool->count; c++) {
    SCOPE;
    ghz_context *ctx = r->pool->ctx[c];
    same_bytes(run(ctx, r, r->s), want,
               say("%s, %s, %d threads", r->what, ghz_context_isa(ctx), ghz_context_threads(ctx)));
    if (loose && r->kind != ACCUMULATE)
      check_loose(r, ctx, want);
  }
  same_decoded(r->pool, want, r->what);
  check_orders(r, want);
  check_given(r, want);
}

static void check_operation(operation kind, int rounds) {
  POOL(pool);
  uint64_t state = 101 * ((uint64_t)kind + 1);
  round_of *r = scratch(sizeof *r);
  for (int i = 0; i < effort(rounds); i++) {
    *r = (round_of){.pool = &pool, .state = &state, .kind = kind};
    check_round(r);
  }
}

#define OPERATION(name, kind, rounds)                                                                          \
  Test(homomorphism, name, .timeout = 300) { check_operation(kind, rounds); }

OPERATION(additions, ADD, 400)
OPERATION(sums, SUM, 400)
OPERATION(accumulators, ACCUMULATE, 300)
OPERATION(minima, MINIMUM, 300)
OPERATION(maxima, MAXIMUM, 300)
OPERATION(differences, SUBTRACT, 300)
OPERATION(negatives, NEGATE, 200)
OPERATION(products, SCALE, 300)
OPERATION(means, MEAN, 300)
OPERATION(combinations, COMBINE, 500)
OPERATION(linear_combinations, LINEAR, 500)

/* ---- Counterexamples that shaped the rules ---- */
/* Tiles that cancel keep their order and mode and are one byte: rule 6. Adding a tile of zeros
 * copies. */
Test(homomorphism, cancelling) {
  CONTEXT(ctx, NULL, 1);
  static const char *const names[3] = {"coarse_noise", "fine_noise", "wide_noise"};
  for (int mode = 0; mode < 3; mode++)
    for (int order = 0; order < 3; order++) {
      SCOPE;
      ghz_lattice l = lattice_abs(GHZ_F64, 1);
      void *x = input_make(input_named(names[mode]), GHZ_F64, 1024, l.step, 3);
      ref_bytes a = compress(ctx, &l, order, x, 1024), d = subtract(ctx, a, a), back = add(ctx, d, a);
      size_t size;
      const uint8_t *tile = ref_tile_at(d.data, 0, &size);
      cr_assert_eq(size, (size_t)(mode || order), "mode %d, order %d: %zu bytes", mode, order, size);
      if (size)
        cr_assert_eq(tile[0], order | mode << 3);
      size_t size_a, size_b;
      const uint8_t *pa = ref_tile_at(a.data, 0, &size_a), *pb = ref_tile_at(back.data, 0, &size_b);
      cr_assert(size_a == size_b && memcmp(pa, pb, size_a) == 0, "mode %d, order %d", mode, order);
    }
}

/* ---- Textures ---- */
/* Integers that are small beside their differences: nothing but an anchor at one of the orders (the
 * first three), an anchor that takes a bit more when it is raised, a bit more at every order, one
 * step, one value. Of flat tiles also what shows where raising the order goes wrong (rule 5):
 * column 0 must be cleared, the slope must not come from padding, padding must stay zero, and a
 * block of width 0 after a jump gets a width. */
static int64_t texture(size_t kind, int z, int y, int x) {
  switch (kind) {
  case 0: return z == 0 && y == 0 ? 7 : 0;
  case 1: return z == 0 ? -8 : 0;
  case 2: return 1;
  case 3: return z ? 0 : (int64_t[]){7, -4, 0}[y < 2 ? y : 2];
  case 4: return (x + y + z) % 2 - 1;
  case 5: return x >= 5;
  case 6: return z + y + x == 0;
  case 7: return 5 + 3 * x;
  case 8: return 30000;
  case 9: return x < 8 ? 1000 : 0;
  case 10: return x % 2 ? 3 : -3;
  default: return 0;
  }
}

enum { TEXTURES = 7, FLAT_TEXTURES = 12 };

static ref_bytes textured(const ref_header *h, size_t kind, int order) {
  ref_tile *t = ref_tile_new(h);
  const ref_brick b = ref_brick_of(h->dims);
  t->order = order;
  for (int i = 0; i < REF_TILE; i++)
    t->q[i] = ref_inside(t, i) ? texture(kind, i / b.x / b.y, i / b.x % b.y, i % b.x) : 0;
  return ref_stream_of(h, t);
}

/* All of them at all orders, two and three at a time. */
Test(homomorphism, sums_of_textures, .timeout = 600) {
  static const ghz_shape of[] = {{3, {8, 8, 16}},   {3, {3, 7, 13}},  {2, {1, 32, 32}}, {2, {1, 5, 30}},
                                 {1, {1, 1, 1}},    {1, {1, 1, 2}},   {1, {1, 1, 7}},   {1, {1, 1, 9}},
                                 {1, {1, 1, 1000}}, {1, {1, 1, 1024}}};
  POOL(pool);
  for (size_t i = 0; i < COUNT(of); i++) {
    ghz_lattice l = lattice_abs((ghz_type)(i % 2), 0.37);
    ref_header h = header_shaped(&l, &of[i]);
    ref_bytes s[3 * FLAT_TEXTURES];
    size_t orders = (size_t)order_most(&of[i]) + 1,
           count = (of[i].dims == 1 ? FLAT_TEXTURES : TEXTURES) * orders;
    for (size_t k = 0; k < count; k++)
      s[k] = textured(&h, k / orders, (int)(k % orders));
    for (size_t k = 0; k < count * count; k++) {
      SCOPE;
      size_t a = k / count, b = k % count, c = (a + 3 * b) % count;
      ref_bytes of_two = ref_sum(2, (ref_bytes[]){s[a], s[b]}),
                of_three = ref_sum(3, (ref_bytes[]){s[a], s[b], s[c]});
      const char *what = say("%s, textures %zu, %zu and %zu", shape_text(&of[i]), a, b, c);
      for (size_t p = 0; p < pool.count; p += 2) {
        same_bytes(add(pool.ctx[p], s[a], s[b]), of_two, what);
        same_bytes(sum(pool.ctx[p], 3, (ref_bytes[]){s[a], s[b], s[c]}), of_three, what);
      }
    }
  }
}
