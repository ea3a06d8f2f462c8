/* test_integers.c: integer types: they come back as they were, sums are exact however large they
 * become, and what does not fit a type is refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"
#include <ghz/numbers.h>
#include <math.h>

static const double least[] = {[GHZ_I8] = -128, [GHZ_I16] = -32768, [GHZ_I32] = -0x1p31, [GHZ_I64] = -0x1p44,
                               [GHZ_U8] = 0,    [GHZ_U16] = 0,      [GHZ_U32] = 0};
static const double most[] = {[GHZ_I8] = 127, [GHZ_I16] = 32767, [GHZ_I32] = 0x1p31 - 1, [GHZ_I64] = 0x1p44,
                              [GHZ_U8] = 255, [GHZ_U16] = 65535, [GHZ_U32] = 0x1p32 - 1};
static const ghz_shape shapes[] = {{1, {1, 1, 2500}}, {2, {2, 40, 33}}, {3, {9, 10, 20}}, {3, {5, 0, 7}}};

static ghz_lattice lattice_of(ghz_type type) {
  ghz_lattice l;
  need(ghz_lattice_make(type, (ghz_bound){GHZ_STEP, 1}, 0, 0, &l), "lattice of type %d", (int)type);
  return l;
}

/* Numbers of a type: walks, noise of the whole range, its ends. */
static void *numbers_of(ghz_type type, size_t n, int kind, uint64_t seed) {
  void *x = scratch(n * ghz_type_size(type));
  double q = 0;
  for (size_t i = 0; i < n; i++) {
    const double all = least[type] + floor((most[type] - least[type]) * (0.5 + input_uniform(&seed) / 2));
    q += floor(3 * input_uniform(&seed));
    q = q < least[type] ? least[type] : q > most[type] ? most[type] : q;
    put_value(type, x, i, kind == 0 ? q : kind == 1 ? all : i % 3 ? most[type] : least[type]);
  }
  return x;
}

Test(integers, come_back, .timeout = 300) {
  POOL(pool);
  for (int type = GHZ_I8; type <= GHZ_U32; type++)
    for (int kind = 0; kind < 3; kind++)
      for (size_t s = 0; s < COUNT(shapes); s++)
        for (int filled = 0; filled < 2; filled++) {
          SCOPE;
          ghz_lattice l = lattice_of((ghz_type)type);
          const size_t n = (size_t)ghz_shape_count(&shapes[s]);
          void *x = numbers_of((ghz_type)type, n, kind, s + 1);
          if (filled) {
            need(ghz_lattice_set_fill(&l, type == GHZ_I64 ? -0x1p63 : least[type]), "fill");
            plant_fill(&l, x, n, s + 3);
          }
          ref_bytes stream =
              same_codec(&pool, &l, &shapes[s], GHZ_ORDER_BEST, x, say("kind %d, filled %d", kind, filled));
          cr_assert(info_of(stream).bound == 0 && info_of(stream).lattice.type == (ghz_type)type);
        }
}

/* Sums hold more than the type does: to it they are refused, to wider ones and doubles they go. */
Test(integers, sums) {
  enum { N = 1500, K = 5 };
  POOL(pool);
  for (int type = GHZ_I8; type <= GHZ_U32; type++)
    for (int kind = 0; kind < 2; kind++) {
      SCOPE;
      const ghz_lattice l = lattice_of((ghz_type)type);
      const int64_t c[K] = {1, -2, 3, 1, 7};
      static double total[N];
      ref_bytes streams[K];
      memset(total, 0, sizeof total);
      int fits = 1;
      for (uint64_t k = 0; k < K; k++) {
        void *x = numbers_of((ghz_type)type, N, kind, k + 9);
        streams[k] = compress(pool.ctx[0], &l, GHZ_ORDER_BEST, x, N);
        for (size_t i = 0; i < N; i++)
          total[i] += (double)c[k] * value_at((ghz_type)type, x, i);
      }
      ref_bytes want = ref_combine(K, streams, c, REF_PLAIN, 1), got = {0};
      for (size_t p = 0; p < pool.count; p++)
        same_bytes(got = combine(pool.ctx[p], K, streams, c), want, say("type %d", type));
      same_values(decompress(pool.ctx[0], got, GHZ_F64), total, N, GHZ_F64, say("type %d", type));
      const int64_t *wide = decompress(pool.ctx[0], got, GHZ_I64);
      size_t first = N;
      for (size_t i = N; i-- > 0;) {
        cr_assert_eq((double)wide[i], total[i]);
        first = ref_is_integer(type, total[i] + 0.0) ? first : i;
      }
      fits = first == N;
      for (size_t p = 0; p < pool.count; p++) {
        const ghz_status status = ghz_decompress(pool.ctx[p], view(got), (ghz_type)type, scratch(N * 8), N);
        const char *message = ghz_context_message(pool.ctx[p]);
        cr_assert_eq(status, fits ? GHZ_OK : GHZ_ERANGE, "type %d, kind %d", type, kind);
        cr_assert(fits || strstr(message, say("value %zu is %.17g", first, total[first])), "%s", message);
      }
    }
}

/* A mean has parts of integers: it is for doubles. Products with whole numbers are integers. */
Test(integers, means_and_products) {
  CONTEXT(ctx, NULL, 1);
  for (int type = GHZ_I8; type <= GHZ_U32; type++) {
    SCOPE;
    const ghz_lattice l = lattice_of((ghz_type)type);
    void *x = numbers_of((ghz_type)type, 1500, 0, 3);
    ref_bytes one = compress(ctx, &l, GHZ_ORDER_BEST, x, 1500), three[3] = {one, one, scale(ctx, one, 1)};
    ref_bytes third = mean(ctx, 3, three), triple = scale(ctx, one, 3), half = scale(ctx, one, 0.5);
    same_bytes(third, ref_mean(3, three), "mean");
    same_bytes(half, ref_scale(one, 0.5), "half");
    same_bytes(triple, ref_scale(one, 3), "triple");
    cr_assert(info_of(half).bound == 0 && info_of(triple).bound == 0 && info_of(third).bound > 0);
    cr_assert_eq(ghz_decompress(ctx, view(third), (ghz_type)type, scratch(1500 * 8), 1500), GHZ_EINVAL);
    cr_assert(strstr(ghz_context_message(ctx), "means"));
    ref_bytes pair[2] = {one, third};
    ref_bytes anomaly = linear(ctx, 2, pair, (int64_t[]){1, -1}, 1);
    same_bytes(anomaly, ref_linear(2, pair, (int64_t[]){1, -1}, 1), "a stream and a mean");
    const double *y = decompress(ctx, third, GHZ_F64), *h = decompress(ctx, half, GHZ_F64);
    const int64_t *t = decompress(ctx, triple, GHZ_I64);
    for (size_t i = 0; i < 1500; i++) {
      const double v = value_at((ghz_type)type, x, i);
      cr_assert(within(v, y[i], info_of(third).bound) && h[i] == v / 2 && (double)t[i] == 3 * v);
    }
  }
}

/* A sum decompresses to int64 as far as doubles hold it: below 2^53. */
Test(integers, sums_beyond_doubles) {
  static int64_t x[2000], y[2000];
  CONTEXT(ctx, NULL, 1);
  const ghz_lattice l = lattice_of(GHZ_I64);
  for (size_t i = 0; i < 2000; i++)
    x[i] = ((int64_t)1 << 44) - 1 - (int64_t)(i % 3);
  const ref_bytes one = compress(ctx, &l, GHZ_ORDER_BEST, x, 2000),
                  held = combine(ctx, 1, &one, (int64_t[]){511}),
                  beyond = combine(ctx, 1, &one, (int64_t[]){1001});
  cr_assert_eq(ghz_decompress(ctx, view(held), GHZ_I64, y, 2000), GHZ_OK);
  for (size_t i = 0; i < 2000; i++)
    cr_assert_eq(y[i], 511 * x[i]);
  cr_assert_eq(ghz_decompress(ctx, view(beyond), GHZ_I64, y, 2000), GHZ_ERANGE);
}

/* int64 reaches as far as its lattice, and the fill. */
Test(integers, beyond_lattices) {
  static int64_t x[5000];
  CONTEXT(ctx, NULL, 1);
  ghz_lattice l = lattice_of(GHZ_I64);
  size_t size;
  ref_bytes room = bytes_new(ghz_size_bound(5000, GHZ_I64, 1));
  for (int round = 0; round < 4; round++) {
    x[4321] = (int64_t[]){((int64_t)1 << 44) + 1, -((int64_t)1 << 44) - 1, INT64_MAX, INT64_MIN}[round];
    cr_assert_eq(ghz_compress(ctx, &l, GHZ_ORDER_BEST, x, 5000, room.data, room.size, &size), GHZ_ERANGE);
    cr_assert(strstr(ghz_context_message(ctx), say("value 4321 is %lld", (long long)x[4321])));
  }
  need(ghz_lattice_set_fill(&l, -0x1p63), "fill");
  cr_assert_eq(ghz_compress(ctx, &l, GHZ_ORDER_BEST, x, 5000, room.data, room.size, &size), GHZ_OK);
}

/* Parts, ranges, extrema and numbers. */
Test(integers, other_calls) {
  CONTEXT(ctx, NULL, 1);
  const ghz_shape *shape = &shapes[2];
  for (int type = GHZ_I8; type <= GHZ_U32; type++) {
    SCOPE;
    const ghz_lattice l = lattice_of((ghz_type)type);
    void *x = numbers_of((ghz_type)type, 1800, 1, 3);
    ref_bytes s = compress_shape(ctx, &l, GHZ_ORDER_LORENZO, x, shape);
    double min, max, low, high, sum = 0;
    succeeded(ghz_range(ctx, (ghz_type)type, x, 1800, &min, &max), ctx, "range");
    succeeded(ghz_extrema(ctx, view(s), &low, &high), ctx, "extrema");
    cr_assert(min == low && max == high && min >= least[type] && max <= most[type]);
    ghz_summary numbers;
    succeeded(ghz_moments(ctx, view(s), &numbers), ctx, "moments");
    for (size_t i = 0; i < 1800; i++)
      sum += value_at((ghz_type)type, x, i);
    cr_assert(numbers.sum.value == sum && numbers.sum.low == sum && numbers.sum.high == sum);
    void *box = scratch(2 * 3 * 7 * ghz_type_size((ghz_type)type));
    succeeded(
        ghz_decompress_box(ctx, view(s), (ghz_type)type, (uint64_t[]){7, 4, 11}, (uint64_t[]){2, 3, 7}, box),
        ctx, "box");
    for (size_t i = 0; i < 42; i++) {
      const size_t at = (7 + i / 21) * 200 + (4 + i / 7 % 3) * 20 + 11 + i % 7;
      cr_assert_eq(value_at((ghz_type)type, box, i), value_at((ghz_type)type, x, at));
    }
    same_bytes(extremum(ctx, s, negate(ctx, s), 1), ref_extremum(s, negate(ctx, s), 1), "maximum");
  }
}

/* What is no lattice, bound, fill or output of integers. */
Test(integers, refused) {
  CONTEXT(ctx, NULL, 1);
  ghz_lattice l = lattice_of(GHZ_I16), made;
  static int16_t x[100];
  size_t size;
  ref_bytes room = bytes_new(ghz_size_bound(100, GHZ_I16, 1));
  for (int kind = GHZ_ABS; kind <= GHZ_STEP; kind++)
    cr_assert_eq(ghz_lattice_make(GHZ_I16, (ghz_bound){(ghz_bound_kind)kind, 0.5}, 0, 1, &made), GHZ_EINVAL);
  static const double fills[] = {0.5, -32769, 32768, NAN, INFINITY, -0.0, 5e-324};
  for (size_t i = 0; i < COUNT(fills); i++)
    cr_assert_eq(ghz_lattice_set_fill(&l, fills[i]), GHZ_EINVAL, "%g", fills[i]);
  for (int wrong = 0; wrong < 3; wrong++) {
    made = l;
    *(wrong == 0 ? &made.step : &made.eb) = 0.25;
    made.cap = wrong == 2 ? 44 : 35;
    made.eb = wrong == 2 ? 0 : made.eb;
    cr_assert_eq(ghz_compress(ctx, &made, GHZ_ORDER_BEST, x, 100, room.data, room.size, &size), GHZ_EINVAL);
  }
  const ghz_lattice real = lattice_abs(GHZ_F32, 0.1), i32 = lattice_of(GHZ_I32);
  static float f[100];
  static int32_t w[100];
  ref_bytes s = compress(ctx, &real, GHZ_ORDER_BEST, f, 100), t = compress(ctx, &i32, GHZ_ORDER_BEST, w, 100);
  cr_assert_eq(ghz_decompress(ctx, view(s), GHZ_I16, x, 100), GHZ_EINVAL);
  cr_assert_eq(ghz_decompress(ctx, view(t), GHZ_F32, f, 100), GHZ_EINVAL);
  cr_assert_eq(ghz_decompress(ctx, view(t), (ghz_type)9, f, 100), GHZ_EINVAL);
  cr_assert_eq(ghz_add(ctx, view(s), view(t), room.data, room.size, &size), GHZ_EMISMATCH);
  cr_assert(strstr(ghz_context_message(ctx), "int32"));
}
