/* test_update.c: arrays that are compressed again after changes: the bytes of the reference on
 * every instruction set, and values that do not drift. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "support.h"
#include <float.h>
#include <math.h>

static ref_bytes update(ghz_context *ctx, ref_bytes old, const ghz_lattice *l, const void *x) {
  const ghz_info i = info_of(old);
  ref_bytes out = bytes_new(ghz_shape_bound(&i.shape, i.lattice.type, 1));
  succeeded(ghz_update(ctx, view(old), l, x, out.data, out.size, &out.size), ctx, "update");
  return bytes_copy(out.data, out.size);
}

/* Gives a box of the array other values; *box is then 1 there. */
static void change_box(const ghz_shape *s, ghz_type type, void *x, const void *from, double scale,
                       uint64_t *state, uint8_t *box) {
  uint64_t begin[3], end[3], at = 0;
  for (int i = 0; i < 3; i++) {
    begin[i] = input_below(state, s->extent[i]);
    end[i] = begin[i] + 1 + input_below(state, (s->extent[i] - begin[i] + 2) / 3 + 1);
  }
  for (uint64_t z = 0; z < s->extent[0]; z++)
    for (uint64_t y = 0; y < s->extent[1]; y++)
      for (uint64_t w = 0; w < s->extent[2]; w++, at++) {
        box[at] = z >= begin[0] && z < end[0] && y >= begin[1] && y < end[1] && w >= begin[2] && w < end[2];
        if (box[at])
          put_value(type, x, at, scale * value_at(type, from, at));
      }
}

/* ---- The bytes of the reference ---- */
static void same_update(const context_pool *pool, ref_bytes old, const ghz_lattice *l, const void *x,
                        const char *what) {
  SCOPE;
  const ghz_info info = info_of(old);
  ref_header asked = header_shaped(l, &info.shape);
  ref_bytes want = ref_update(old, &asked, x);
  cr_assert_eq(ref_check(want.data, want.size), REF_GOOD, "%s", what);
  for (size_t c = 0; c < pool->count; c++) {
    SCOPE;
    same_bytes(
        update(pool->ctx[c], old, l, x), want,
        say("%s, %s, %d threads", what, ghz_context_isa(pool->ctx[c]), ghz_context_threads(pool->ctx[c])));
  }
}

/* Steps of the old lattice, of multiples of it by powers of two, and others. */
static ghz_lattice asked_lattice(const ghz_lattice *l, uint64_t turn) {
  static const double factors[] = {1, 1, 1.9, 2, 0.99, 0.01, 300};
  ghz_lattice asked = lattice_abs(l->type, l->eb * factors[turn % COUNT(factors)]);
  if (turn % COUNT(factors) < 2)
    asked = *l;
  asked.has_fill = l->has_fill;
  asked.fill = l->fill;
  return asked;
}

Test(update, bytes_of_the_reference, .timeout = 300) {
  POOL(pool);
  uint64_t state = 1, turn = 0;
  for (size_t s = 0; s < field_shape_count; s++)
    for (int kind = WAVES; kind < FIELD_KINDS; kind++, turn++) {
      SCOPE;
      if (turn % one_in() || ghz_shape_count(&field_shapes[s]) == 0)
        continue;
      const ghz_shape *shape = &field_shapes[s];
      const ghz_type type = turn % 3 ? GHZ_F32 : GHZ_F64;
      const ghz_lattice l = turn % 4 ? lattice_abs(type, 0.01) : lattice_filled(type, 0.01, turn);
      const double amount = turn % 5 ? 60 : 40000;
      void *x = field_make((field_kind)kind, &l, shape, amount, turn),
           *other = field_make((field_kind)((kind + 1) % FIELD_KINDS), &l, shape, amount, turn + 1);
      uint8_t *box = scratch((size_t)ghz_shape_count(shape));
      ref_bytes stream =
          compress_shape(pool.ctx[0], &l, turn % 7 ? GHZ_ORDER_BEST : GHZ_ORDER_LORENZO, x, shape);
      for (int round = 0; round < 4; round++) {
        SCOPE;
        void *y = decompress(pool.ctx[0], stream, type);
        change_box(shape, type, y, other, round == 2 ? 3000 : 1, &state, box);
        const ghz_lattice asked = asked_lattice(&l, turn + (uint64_t)round);
        same_update(&pool, stream, &asked, y,
                    say("%s, kind %d, round %d, turn %d", shape_text(shape), kind, round, (int)turn));
      }
      for (int round = 0; round < 3; round++) {
        void *y = decompress(pool.ctx[0], stream, type);
        const ghz_lattice asked = asked_lattice(&l, turn + (uint64_t)round);
        change_box(shape, type, y, other, 1, &state, box);
        same_update(&pool, stream, &asked, y, say("%s, kind %d, chain %d", shape_text(shape), kind, round));
        stream = update(pool.ctx[0], stream, &asked, y);
      }
    }
}

/* ---- Drift ---- */
/* How far values are from what was last written there, in the largest bounds since: at most; from
 * what was given, in this bound; how many of the others moved though the lattice stayed. */
typedef struct drift {
  double worst, given;
  uint64_t moved, kept;
} drift;

typedef struct rewriting {
  const ghz_lattice *first;
  const ghz_shape *shape;
  double amount;
  int ranges; /* bounds and values grow and shrink by 1000 */
} rewriting;

static drift rewrite(ghz_context *ctx, const rewriting *w, int rounds, uint64_t seed) {
  SCOPE;
  const size_t n = (size_t)ghz_shape_count(w->shape);
  const ghz_type type = w->first->type;
  drift d = {0};
  uint64_t state = seed;
  void *want = field_make(WAVES, w->first, w->shape, w->amount, seed),
       *other = field_make(ROUGH, w->first, w->shape, w->amount, seed + 1);
  double *bound = scratch(n * sizeof *bound);
  uint8_t *box = scratch(n);
  ref_bytes stream = compress_shape(ctx, w->first, GHZ_ORDER_BEST, want, w->shape);
  for (size_t i = 0; i < n; i++)
    bound[i] = w->first->eb;
  for (int round = 0; round < rounds; round++) {
    void *x = decompress(ctx, stream, type), *before = decompress(ctx, stream, type);
    const double scale = w->ranges ? pow(1000, input_uniform(&state)) : 1 + input_uniform(&state) / 100;
    const ghz_lattice was = info_of(stream).lattice,
                      asked =
                          w->ranges ? lattice_abs(type, w->first->eb * pow(1000, input_uniform(&state))) : was;
    change_box(w->shape, type, x, other, scale, &state, box);
    stream = update(ctx, stream, &asked, x);
    const ghz_lattice l = info_of(stream).lattice;
    cr_assert(l.eb <= asked.eb && 2 * l.eb > asked.eb, "asked for %a, got %a", asked.eb, l.eb);
    cr_assert(w->ranges || ghz_lattice_equal(&l, w->first));
    const void *y = decompress(ctx, stream, type);
    for (size_t i = 0; i < n; i++) {
      if (box[i])
        put_value(type, want, i, value_at(type, x, i));
      bound[i] = box[i] ? l.eb : fmax(bound[i], l.eb);
      const double e = fabs(value_at(type, y, i) - value_at(type, want, i)) / bound[i];
      const int other_bits = value_at(type, y, i) != value_at(type, before, i);
      d.worst = fmax(d.worst, e);
      d.given = fmax(d.given, fabs(value_at(type, y, i) - value_at(type, x, i)) / l.eb);
      d.moved += !box[i] && other_bits && ghz_lattice_equal(&l, &was);
      d.kept += !box[i] && !other_bits;
    }
  }
  return d;
}

Test(update, at_most_two_bounds, .timeout = 300) {
  static const ghz_shape shapes[] = {{3, {20, 20, 40}}, {2, {2, 70, 64}}, {1, {1, 1, 9000}}};
  SINGLE_POOL(pool);
  uint64_t turn = 0;
  for (size_t s = 0; s < COUNT(shapes); s++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++)
      for (int ranges = 0; ranges < 2; ranges++)
        for (int far = 0; far < 3; far++, turn++) {
          if (turn % one_in())
            continue;
          const ghz_lattice l =
              far == 2 && type == GHZ_F32 ? lattice_offset(0.01, 0x1p20) : lattice_abs((ghz_type)type, 0.01);
          const rewriting w = {&l, &shapes[s], far ? 9e4 : 300, ranges};
          const drift d = rewrite(context_any(&pool, &turn), &w, effort(100), turn);
          const char *what = say("%s, type %d, ranges %d, far %d", shape_text(w.shape), type, ranges, far);
          cr_assert_leq(d.given, 1, "%s: what was given is %g bounds away", what, d.given);
          cr_assert_leq(d.worst, ranges ? 2.5 : 2, "%s: %g bounds away", what, d.worst);
          cr_assert_leq(20 * d.moved, d.kept, "%s: %llu values moved", what, (unsigned long long)d.moved);
          cr_assert(d.moved == 0 || shapes[s].dims != 1, "%s: %llu values moved", what,
                    (unsigned long long)d.moved);
        }
}

/* An array that did not change has the same bytes, whoever made the tiles. */
/* The step of such a bound goes beyond the largest float. */
Test(update, of_the_largest_floats) {
  SCOPE;
  SINGLE_POOL(pool);
  const ghz_lattice l = lattice_abs(GHZ_F32, 2.2054037476166295e33);
  const ghz_shape shape = {1, {1, 1, 32}};
  uint64_t turn = 0;
  float x[32];
  for (int i = 0; i < 32; i++)
    x[i] = i % 2 ? FLT_MAX : -FLT_MAX;
  ref_bytes old = compress_shape(context_any(&pool, &turn), &l, GHZ_ORDER_BEST, x, &shape);
  x[3] = 1;
  const float *y =
      decompress(context_any(&pool, &turn), update(context_any(&pool, &turn), old, &l, x), GHZ_F32);
  for (int i = 0; i < 32; i++)
    cr_assert(fabs((double)y[i] - (double)x[i]) <= l.eb, "%g comes back as %g", (double)x[i], (double)y[i]);
}

Test(update, nothing_changed) {
  static const ghz_shape shape = {3, {16, 20, 40}};
  CONTEXT(ctx, NULL, 1);
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  for (int kind = WAVES; kind < FIELD_KINDS; kind++) {
    SCOPE;
    void *x = field_make((field_kind)kind, &l, &shape, 300, 3);
    ref_bytes stream = compress_shape(ctx, &l, GHZ_ORDER_BEST, x, &shape);
    same_bytes(update(ctx, stream, &l, decompress(ctx, stream, GHZ_F32)), stream, "unchanged");
  }
}

/* ---- What is refused ---- */
static void refused(ghz_bytes old, const ghz_lattice *l, const void *x, ghz_status want, const char *words) {
  static uint8_t out[1 << 16];
  size_t size;
  says(ghz_update(NULL, old, l, x, out, sizeof out, &size), want, NULL, words, words);
}

Test(update, refusals) {
  CONTEXT(ctx, NULL, 1);
  const ghz_shape shape = {2, {1, 40, 50}};
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01), doubles = lattice_abs(GHZ_F64, 0.01);
  ghz_lattice with_fill = l, by_hand = l;
  void *x = field_make(WAVES, &l, &shape, 60, 1);
  ref_bytes a = compress_shape(ctx, &l, GHZ_ORDER_BEST, x, &shape);
  succeeded(ghz_lattice_set_fill(&with_fill, -999), NULL, "fill");
  by_hand.step = 1e-200;
  refused(view(a), &doubles, x, GHZ_EMISMATCH, "another type");
  refused(view(a), &with_fill, x, GHZ_EMISMATCH, "fill");
  refused(view(add(ctx, a, a)), &l, x, GHZ_EINVAL, "a sum of 2 terms");
  refused(view(a), NULL, x, GHZ_EINVAL, "lattice is NULL");
  refused(view(a), &by_hand, x, GHZ_EINVAL, "none to compress on");
  refused(view(a), &l, NULL, GHZ_EINVAL, "x is NULL");
  refused((ghz_bytes){a.data, a.size - 1}, &l, x, GHZ_ECORRUPT, "");
  a.data[72] ^= 1; /* of the index, which is told before the lattice */
  refused(view(a), &doubles, x, GHZ_ECORRUPT, "the end of chunk 0");
  a.data[72] ^= 1;
  ghz_lattice whole;
  static const int16_t integers[2000];
  succeeded(ghz_lattice_make(GHZ_I16, (ghz_bound){GHZ_STEP, 1}, 0, 0, &whole), NULL, "lattice of integers");
  refused(view(compress_shape(ctx, &whole, GHZ_ORDER_BEST, integers, &shape)), &whole, integers, GHZ_EINVAL,
          "does not drift");
  size_t size;
  cr_assert_eq(ghz_update(ctx, view(a), &l, x, NULL, 0, &size), GHZ_EINVAL);
  ref_bytes small = bytes_new(a.size - 1);
  cr_assert_eq(ghz_update(ctx, view(a), &l, decompress(ctx, a, GHZ_F32), small.data, small.size, &size),
               GHZ_ECAPACITY);
}

/* Streams that were scaled, that have no step, or are of a constant, have no lattice to go on. */
Test(update, lattices_to_leave) {
  CONTEXT(ctx, NULL, 1);
  const ghz_shape shape = {3, {8, 9, 20}};
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  void *x = field_make(WAVES, &l, &shape, 60, 1);
  ghz_lattice none = lattice_abs(GHZ_F32, 1e-44), constant;
  succeeded(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_REL, 1e-3}, 5, 5, &constant), NULL, "lattice");
  ref_bytes a = compress_shape(ctx, &l, GHZ_ORDER_BEST, x, &shape);
  const ref_bytes from[] = {scale(ctx, a, 1. / 3), compress_shape(ctx, &none, GHZ_ORDER_BEST, x, &shape),
                            compress_shape(ctx, &constant, GHZ_ORDER_BEST, x, &shape)};
  for (size_t i = 0; i < COUNT(from); i++) {
    SCOPE;
    const ghz_lattice got = info_of(update(ctx, from[i], &l, x)).lattice;
    cr_assert(ghz_lattice_equal(&got, &l), "%zu", i);
  }
}

/* Fine and wide tiles whose far values go: what stays on halves of steps stays there, near 0, too,
 * and however often others change. */
Test(update, halves_of_steps_stay) {
  static const ghz_shape shapes[] = {{1, {1, 1, 1024}}, {2, {1, 32, 32}}, {3, {9, 8, 16}}, {1, {1, 1, 200}}};
  POOL(pool);
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.5);
  for (size_t turn = 0; turn < 36; turn++) {
    SCOPE;
    const ghz_shape *shape = &shapes[turn % 4];
    const size_t n = (size_t)ghz_shape_count(shape), far = turn % 2 ? 0 : n - 1;
    const float about = turn % 3 == 0 ? 1000.3F : turn % 3 == 1 ? 0.5F : -0.25F;
    const char *what = say("turn %zu", turn);
    float *x = scratch(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
      x[i] = turn >= 24 && i % 5 == 3 ? NAN : i % 2 ? about : about + 0.5F;
    x[far] = turn < 12 ? 3e5F : 1e8F;
    ref_bytes stream = compress_shape(pool.ctx[0], &l, GHZ_ORDER_BEST, x, shape);
    for (int round = 0; round < 3; round++) {
      float *was = decompress(pool.ctx[0], stream, GHZ_F32), *y = decompress(pool.ctx[0], stream, GHZ_F32);
      y[far] = (float)round / 3;
      same_update(&pool, stream, &l, y, what);
      stream = update(pool.ctx[0], stream, &l, y);
      y = decompress(pool.ctx[0], stream, GHZ_F32);
      for (size_t i = 0; i < n; i++)
        cr_assert(i == far || memcmp(&was[i], &y[i], sizeof *y) == 0, "%s, %zu: %g was %g", what, i,
                  (double)y[i], (double)was[i]);
    }
  }
}

/* Tiles of one value, which no lattice has, that change in places. */
Test(update, tiles_of_one_value) {
  SINGLE_POOL(pool);
  static const ghz_shape shape = {3, {8, 16, 32}};
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  float *x = field_make(WAVES, &l, &shape, 60, 1);
  for (uint64_t i = 0; i < ghz_shape_count(&shape); i++)
    x[i] = 273.15F;
  ref_bytes old = compress_shape(pool.ctx[0], &l, GHZ_ORDER_BEST, x, &shape);
  same_update(&pool, old, &l, x, "unchanged");
  for (uint64_t i = 0; i < ghz_shape_count(&shape); i += 5)
    x[i] = 270 + (float)(i % 7);
  for (uint64_t turn = 1; turn < 7; turn++) {
    const ghz_lattice asked = asked_lattice(&l, turn);
    same_update(&pool, old, &asked, x, say("turn %d", (int)turn));
  }
}
