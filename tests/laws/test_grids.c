/* test_grids.c: law L1 on grids (GHZ_STEP): what lies on one comes back as it was, nothing else is
 * changed, sums are exact; and every machine decides alike what lies on it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"
#include <ghz/numbers.h>
#include <math.h>

static ghz_lattice grid_of(ghz_type type, double step) {
  ghz_lattice l;
  need(ghz_lattice_make(type, (ghz_bound){GHZ_STEP, step}, 0, 0, &l), "the grid of %g", step);
  return l;
}

/* Integers up to a magnitude that walk, times the step, as a program has them that unpacks data. */
static void *multiples(const ghz_lattice *l, size_t n, double most, uint64_t seed, double *integers) {
  void *x = scratch(n * ghz_type_size(l->type));
  double q = floor(most * input_uniform(&seed));
  for (size_t i = 0; i < n; i++) {
    q += floor(4 * input_uniform(&seed)) +
         (input_below(&seed, 100) ? 0 : floor(most / 7 * input_uniform(&seed)));
    q = fabs(q) > most ? copysign(most, q) : q;
    put_value(l->type, x, i, q * l->step + 0.0); /* no -0 */
    if (integers)
      integers[i] = q;
  }
  return x;
}

static const double steps[] = {0.01, (double)0.01f, 0.1, 0x1p-7, 1, 7, 1e-30, 0x1p-120, 3e20};
static const ghz_shape shapes[] = {{1, {1, 1, 2500}}, {2, {2, 40, 33}}, {3, {9, 10, 20}}};

/* Up to the largest multiples that every grid reaches, in coarse tiles and beyond. */
Test(grids, multiples_come_back, .timeout = 300) {
  static const double most[2][6] = {{0, 90, 16000, 65537, 1 << 20, 2000000},
                                    {0, 90, 16000, 65537, 0x1p30, 0x1p44}};
  POOL(pool);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t s = 0; s < COUNT(steps); s++)
      for (size_t m = 0; m < COUNT(most[0]); m++) {
        SCOPE;
        const ghz_lattice l = filled(grid_of((ghz_type)type, steps[s]), m);
        const ghz_shape *shape = &shapes[(s + m) % COUNT(shapes)];
        const size_t n = (size_t)ghz_shape_count(shape);
        void *x = multiples(&l, n, most[type][m], s + 1, NULL);
        const char *what = say("step %g, up to %g", steps[s], most[type][m]);
        ref_bytes stream = same_codec(&pool, &l, shape, GHZ_ORDER_BEST, x, what);
        cr_assert(shape->dims > 1 || scanned(stream).raw == 0, "%s: raw tiles", what);
        same_values(decompress(pool.ctx[0], stream, l.type), x, n, l.type, what);
      }
}

/* One value beside the grid: its tile is stored as it is, and no other. */
Test(grids, other_values_are_not_changed) {
  enum { N = 4 * GHZ_TILE };
  POOL(pool);
  const ghz_shape shape = ghz_flat(N);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t s = 0; s < COUNT(steps); s++)
      for (int other = 0; other < 4; other++) {
        SCOPE;
        const ghz_lattice l = grid_of((ghz_type)type, steps[s]);
        void *x = multiples(&l, N, 30000, s + 1, NULL);
        const double at = value_at(l.type, x, 2000),
                     up = type == GHZ_F32 ? (double)nextafterf((float)at, INFINITY) : nextafter(at, INFINITY);
        put_value(l.type, x, 2000,
                  other == 0   ? up
                  : other == 1 ? at + l.step / 2
                  : other == 2 ? at + l.step * 0x1p46
                               : l.step * 0.3);
        ref_bytes stream =
            same_codec(&pool, &l, &shape, GHZ_ORDER_BEST, x, say("step %g, other %d", steps[s], other));
        cr_assert_eq(scanned(stream).raw, 1, "step %g, other %d", steps[s], other);
        same_values(decompress(pool.ctx[0], stream, l.type), x, N, l.type, "another value");
      }
}

/* Around the ends of what lies on a grid, machines decide alike; what comes back is what was
 * given. */
Test(grids, ends, .timeout = 300) {
  enum { N = 1200 };
  static const int ends[2][8] = {{15, 16, 20, 21, 22, 24, 25, 26}, {15, 16, 22, 30, 35, 40, 43, 44}};
  POOL(pool);
  const ghz_shape shape = ghz_flat(N);
  uint64_t state = 5;
  for (int round = 0; round < effort(400); round++) {
    SCOPE;
    const ghz_type type = (ghz_type)(round % 2);
    const ghz_lattice l =
        grid_of(type, ldexp(1.5 + input_uniform(&state) / 2, (int)input_below(&state, 60) - 30));
    const double end = ldexp(1, ends[type][input_below(&state, 8)]);
    void *x = scratch(N * ghz_type_size(type));
    for (size_t i = 0; i < N; i++)
      put_value(type, x, i,
                (end - (double)input_below(&state, 3) * floor(end * 0x1p-5) + (double)(i % 2)) * l.step);
    const char *what = say("round %d, step %a, end %g", round, l.step, end);
    const ref_bytes stream = same_codec(&pool, &l, &shape, GHZ_ORDER_BEST, x, what);
    same_values(decompress(pool.ctx[0], stream, type), x, N, type, what);
  }
}

/* In doubles a sum is the sum of the multiples; in float it is within the bound of the exact sum of
 * what was given. */
Test(grids, sums_are_exact) {
  enum { N = 2100, K = 40 };
  CONTEXT(ctx, NULL, 1);
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t s = 0; s < COUNT(steps); s++) {
      SCOPE;
      const ghz_lattice l = grid_of((ghz_type)type, steps[s]);
      static double q[K][N];
      void *x[K];
      ref_bytes streams[K];
      for (uint64_t i = 0; i < K; i++) {
        x[i] = multiples(&l, N, i % 3 ? 20000 : 1900000, i + 1, q[i]);
        streams[i] = compress(ctx, &l, GHZ_ORDER_BEST, x[i], N);
      }
      ref_bytes total = sum(ctx, K, streams);
      const ghz_info info = info_of(total);
      cr_assert(!info.inexact && info.terms == K);
      ghz_summary m; /* multiples of powers of two are what was given */
      int exponent;
      succeeded(ghz_moments(ctx, view(total), &m), ctx, "moments");
      cr_assert_eq(m.sum.low == m.sum.high, frexp(steps[s], &exponent) == 0.5, "step %g", steps[s]);
      const double *wide = decompress(ctx, total, GHZ_F64);
      void *own = decompress(ctx, total, l.type);
      for (size_t i = 0; i < N; i++) {
        double whole = 0;
        __float128 given = 0;
        for (int k = 0; k < K; k++) {
          whole += q[k][i];
          given += (__float128)value_at(l.type, x[k], i);
        }
        cr_assert_eq(wide[i], whole * l.step, "step %g, value %zu: %a, not %a", steps[s], i, wide[i],
                     whole * l.step);
        const __float128 off = (__float128)value_at(l.type, own, i) - given;
        cr_assert(off <= info.bound && -off <= info.bound, "step %g, value %zu is beyond the bound", steps[s],
                  i);
      }
    }
}

/* The mean of a grid is a grid of a smaller step, to which other arrays of it can be added. */
Test(grids, means_stay_grids) {
  CONTEXT(ctx, NULL, 1);
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    const ghz_lattice l = grid_of((ghz_type)type, 0.01);
    void *x = multiples(&l, 3000, 20000, 3, NULL);
    ref_bytes one = compress(ctx, &l, GHZ_ORDER_BEST, x, 3000), three[3] = {one, one, one};
    const ghz_info info = info_of(mean(ctx, 3, three));
    cr_assert(info.lattice.step == l.step / 3 && info.lattice.step > 2 * info.lattice.eb);
  }
}
