/* test_scratch.c: law L6: a context's scratch memory stays below what ghz.h promises: after every
 * call, after sums of thousands of small streams, with 64 threads. Its allocations are counted by
 * allocator.c. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator.h"
#include "calls.h"
#include "support.h"

/* What ghz_context_create promises; `bytes` are those of the largest result. */
static size_t promised(size_t bytes, int results, int threads, size_t summands, size_t n) {
  return (size_t)results * (bytes + bytes / 100) + (size_t)threads * 65536 +
         summands * (384 + 96 * (n / 65536));
}

/* In whole tiles. */
static size_t largest(const ghz_shape *shape, ghz_type type, uint32_t terms) {
  return ghz_slice_bound(shape, ghz_shape_tiles(shape), type, terms);
}

/* The context holds `held` bytes more than before it was made. */
static void check(int64_t before, size_t limit, const char *what) {
  const int64_t held = allocator_bytes() - before;
  cr_assert_leq(held, (int64_t)limit, "%s: %lld bytes, %zu are promised", what, (long long)held, limit);
}

/* ---- Every call ---- */
static void after_every_call(ghz_type type, size_t n, int threads) {
  SCOPE;
  ghz_lattice l = lattice_abs(type, 0.01);
  operands o = operands_make(&l, n, 3, "mixture", "walk", 0);
  answer r = answer_make(&o, 0);
  const ghz_shape flat = ghz_flat(n);
  for (size_t i = 0; i < call_count; i++) {
    SCOPE;
    const int64_t before = allocator_bytes();
    CONTEXT(ctx, NULL, threads);
    r.size = 0;
    succeeded(calls[i].run(ctx, &o, &r), ctx, calls[i].name);
    const size_t one = largest(&flat, type, 3), other = largest(&o.shape, type, 8);
    const int results = strncmp(calls[i].name, "accumulate", 10) == 0 ? 2 : 1;
    const size_t sums = strncmp(calls[i].name, "sum_axes", 8) == 0 ? (size_t)threads * 4096 * 400 : 0;
    check(before, promised(one > other ? one : other, results, threads, MANY, n) + sums,
          say("%s, %zu values, %d threads", calls[i].name, n, threads));
  }
}

Test(scratch, every_call, .timeout = 240) {
  static const size_t lengths[] = {3000, 70000, 300000};
  static const int threads[] = {1, 2, 64};
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t i = 0; i < COUNT(lengths); i++)
      for (size_t t = 0; t < COUNT(threads); t++)
        after_every_call((ghz_type)type, lengths[i], threads[t]);
}

/* ---- Many operands ---- */
static void after_sums(size_t n, size_t most, int threads) {
  SCOPE;
  CONTEXT(maker, NULL, 1);
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  const ghz_shape flat = ghz_flat(n);
  ref_bytes x = stream_of(maker, &l, GHZ_ORDER_BEST, "walk", n, 1);
  ghz_bytes *many = scratch(most * sizeof *many);
  int64_t *coefficients = scratch(most * sizeof *coefficients);
  for (size_t i = 0; i < most; i++) {
    many[i] = view(x);
    coefficients[i] = (int64_t)(i % 5) - 2;
  }
  ref_bytes sum = bytes_new(ghz_shape_bound(&flat, GHZ_F32, 2 * (uint32_t)most));
  const int64_t before = allocator_bytes();
  CONTEXT(ctx, NULL, threads);
  for (size_t k = 1; k <= most; k = k * 3 + 1) {
    size_t size;
    succeeded(ghz_sum(ctx, k, many, sum.data, sum.size, &size), ctx, "sum");
    check(before, promised(largest(&flat, GHZ_F32, (uint32_t)k), 1, threads, k, n), say("a sum of %zu", k));
    succeeded(ghz_mean(ctx, k, many, sum.data, sum.size, &size), ctx, "mean");
    succeeded(ghz_linear(ctx, k, many, coefficients, 1, sum.data, sum.size, &size), ctx, "combine");
    succeeded(ghz_linear(ctx, k, many, coefficients, 3, sum.data, sum.size, &size), ctx, "linear");
    check(before, promised(largest(&flat, GHZ_F32, 2 * (uint32_t)k), 1, threads, k, n),
          say("a combination of %zu", k));
  }
}

Test(scratch, thousands_of_small_streams, .timeout = 240) {
  static const int threads[] = {1, 3, 64};
  for (size_t t = 0; t < COUNT(threads); t++) {
    after_sums(8, 10000, threads[t]);
    after_sums(1000, 5000, threads[t]);
    after_sums(20000, 500, threads[t]);
  }
  after_sums(5 * GHZ_CHUNK, 500, 64); /* two groups, of which two threads take one each */
}

/* Thousands of sums in place: nothing grows. */
Test(scratch, an_accumulator_of_thousands) {
  enum { N = 3000, TERMS = 5000 };
  CONTEXT(maker, NULL, 1);
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  const ghz_shape flat = ghz_flat(N);
  ref_bytes x = stream_of(maker, &l, GHZ_ORDER_BEST, "walk", N, 1);
  ref_bytes acc = bytes_new(ghz_shape_bound(&flat, GHZ_F32, TERMS));
  size_t size = 0;
  const int64_t before = allocator_bytes();
  CONTEXT(ctx, NULL, 64);
  for (int i = 0; i < TERMS; i++)
    succeeded(ghz_accumulate(ctx, acc.data, acc.size, &size, view(x)), ctx, "accumulate");
  check(before, promised(largest(&flat, GHZ_F32, TERMS), 2, 64, 2, N), "an accumulator");
}

/* ---- Many threads ---- */
/* As many groups as slots of the reorder buffer, and more; 64 threads share them. */
Test(scratch, sixty_four_threads, .timeout = 240) {
  static const size_t groups[] = {2, 9, 63, 64, 65, 80};
  const ghz_lattice l = lattice_abs(GHZ_F32, 1e-30); /* raw tiles: the largest there are */
  CONTEXT(ctx, NULL, 64);
  for (size_t g = 0; g < COUNT(groups); g++) {
    SCOPE;
    const size_t n = groups[g] * 4 * GHZ_CHUNK - 5000;
    const ghz_shape flat = ghz_flat(n);
    const size_t one = ghz_shape_bound(&flat, GHZ_F32, 1), two = ghz_shape_bound(&flat, GHZ_F32, 2);
    float *x = input_make(input_named("random_bits"), GHZ_F32, n, 1, g);
    ref_bytes a = bytes_new(one), sum = bytes_new(two);
    const int64_t before = allocator_bytes();
    CONTEXT(fresh, NULL, 64);
    succeeded(ghz_compress(fresh, &l, GHZ_ORDER_BEST, x, n, a.data, a.size, &a.size), fresh, "compress");
    check(before, promised(largest(&flat, GHZ_F32, 1), 1, 64, 0, n), say("compression, %zu groups", groups[g]));
    size_t size = 0;
    succeeded(ghz_add(fresh, view(a), view(a), sum.data, sum.size, &size), fresh, "add");
    check(before, promised(largest(&flat, GHZ_F32, 2), 1, 64, 2, n), say("addition, %zu groups", groups[g]));
    memcpy(sum.data, a.data, size = a.size);
    succeeded(ghz_accumulate(fresh, sum.data, sum.size, &size, view(a)), fresh, "accumulate");
    check(before, promised(largest(&flat, GHZ_F32, 2), 2, 64, 2, n),
          say("a sum in place, %zu groups", groups[g]));
  }
}
