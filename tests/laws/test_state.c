/* test_state.c: law L6: no hidden state: contexts are reusable, and stop allocating once warm.
 * Their allocations are counted by allocator.c; contexts side by side are in contexts.c. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator.h"
#include "calls.h"
#include "support.h"

/* Every call, into one buffer. */
static void round_of_calls(ghz_context *ctx, const operands *o, answer *r) {
  for (size_t i = 0; i < call_count; i++)
    succeeded(calls[i].run(ctx, o, r), ctx, calls[i].name);
}

static operands operands_of(ghz_type type) {
  ghz_lattice l = lattice_abs(type, 0.01);
  return operands_make(&l, 50000, 3, "mixture", "walk", 0);
}

Test(state, no_allocation_once_warm, .timeout = 120) {
  for (int threads = 1; threads <= 3; threads += 2)
    for (int type = GHZ_F32; type <= GHZ_F64; type++) {
      CONTEXT(ctx, NULL, threads);
      operands o = operands_of((ghz_type)type);
      answer r = answer_make(&o, 0);
      round_of_calls(ctx, &o, &r);
      long before = allocator_count();
      for (int round = 0; round < 5; round++)
        round_of_calls(ctx, &o, &r);
      long more = allocator_count() - before;
      cr_assert_eq(more, 0, "%ld allocations by a warm context, type %d, %d threads", more, type, threads);
    }
}

/* The library counts itself by this test: a context is an allocation. */
Test(state, counter_counts) {
  long before = allocator_count();
  CONTEXT(ctx, NULL, 1);
  cr_assert_gt(allocator_count(), before);
}

/* ---- One context, many uses ---- */
Test(state, reuse_after_errors_and_other_sizes, .timeout = 120) {
  CONTEXT(ctx, NULL, 2);
  uint64_t state = 9;
  for (int round = 0; round < 100; round++) {
    SCOPE;
    ghz_type type = (ghz_type)input_below(&state, 2);
    size_t n = (size_t)input_below(&state, 40000);
    ghz_lattice l = lattice_abs(type, 0.3);
    void *x = input_make(&inputs[0], type, n, l.step, input_random(&state));
    ref_bytes used = compress(ctx, &l, GHZ_ORDER_BEST, x, n);
    CONTEXT(fresh, NULL, 1);
    ref_bytes want = compress(fresh, &l, GHZ_ORDER_BEST, x, n);
    same_bytes(used, want, say("round %d", round));
    size_t size;
    uint8_t byte;
    cr_assert_eq(ghz_compress(ctx, &l, GHZ_ORDER_BEST, x, n, &byte, 1, &size), GHZ_ECAPACITY);
    ghz_bytes broken = {used.data, used.size - 1};
    cr_assert_eq(ghz_decompress(ctx, broken, type, x, n), GHZ_ECORRUPT);
    cr_assert_gt(strlen(ghz_context_message(ctx)), 0);
    cr_assert_eq(ghz_context_set_threads(ctx, 1 + round % 4), GHZ_OK);
  }
}

/* GHZ_ISA is read when a context is made, not later. */
Test(state, environment_is_read_once) {
  CONTEXT(ctx, "scalar", 1);
  setenv("GHZ_ISA", "nonsense", 1);
  float x[100] = {1, 2, 3};
  ghz_lattice l = lattice_abs(GHZ_F32, 0.1);
  compress(ctx, &l, GHZ_ORDER_BEST, x, 100);
  cr_assert_str_eq(ghz_context_isa(ctx), "scalar");
  ghz_context *other = (ghz_context *)&l;
  cr_assert_eq(ghz_context_create(&other, 1), GHZ_EISA);
  cr_assert_null(other);
  unsetenv("GHZ_ISA");
}
