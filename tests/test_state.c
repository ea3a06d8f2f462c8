/* test_state.c: law L6: no hidden state: contexts are reusable, and stop allocating once warm. Their allocations are counted
 * by allocator.c; contexts side by side are in threads.c. */
#include "allocator.h"
#include "support.h"

/* ---- One round of every operation, into buffers made before ---- */

enum { N = 50000 };

typedef struct work {
  ghz_lattice lattice;
  void *x;
  uint8_t *a, *b, *acc, *message;
  void *y;
  size_t room, size_a, size_b;
} work;

static work work_make(ghz_type type, uint64_t seed) {
  work w = {.lattice = lattice_abs(type, 0.01)};
  w.room = ghz_size_bound(N, type, 64);
  w.x = input_make(&inputs[0], type, N, w.lattice.step, seed);
  w.a = bytes_new(w.room).data;
  w.b = bytes_new(w.room).data;
  w.acc = bytes_new(w.room).data;
  w.message = bytes_new(ghz_slice_bound(49, type, 64)).data;
  w.y = bytes_new(N * ghz_type_size(type)).data;
  return w;
}

static void work_free(work *w) {
  free(w->x);
  free(w->a);
  free(w->b);
  free(w->acc);
  free(w->message);
  free(w->y);
}

static int round_of_slices(ghz_context *ctx, work *w, ghz_bytes a) {
  ghz_slice part, two[2], result;
  int bad =
      ghz_slice_view(a, 2, 20, &part) | ghz_slice_compress(ctx, &w->lattice, -1, w->x, N, 2, 20, w->message,
                                                           ghz_slice_bound(49, w->lattice.type, 64), &result);
  two[0] = two[1] = part;
  bad |= ghz_slice_sum(ctx, 2, two, w->message, ghz_slice_bound(49, w->lattice.type, 64), &result);
  return bad | ghz_slice_decompress(ctx, &result, w->lattice.type, w->y);
}

/* 0 if every call succeeded. */
static int round_of_calls(ghz_context *ctx, work *w) {
  double low, high;
  ghz_statistics statistics;
  size_t size_acc;
  int bad = ghz_range(ctx, w->lattice.type, w->x, N, &low, &high) |
            ghz_compress(ctx, &w->lattice, GHZ_ORDER_BEST, w->x, N, w->a, w->room, &w->size_a);
  ghz_bytes a = {w->a, w->size_a}, many[3] = {a, a, a};
  static const int64_t c[3] = {2, -1, 3};
  bad |= ghz_combine(ctx, 3, many, c, w->b, w->room, &w->size_b) |
         ghz_sum(ctx, 3, many, w->b, w->room, &w->size_b);
  memcpy(w->acc, w->a, w->size_a);
  size_acc = w->size_a;
  bad |= ghz_accumulate(ctx, w->acc, w->room, &size_acc, a) | ghz_scan(ctx, a, &statistics);
  bad |= ghz_extrema(ctx, a, &low, &high) | ghz_decompress(ctx, a, w->lattice.type, w->y, N);
  bad |=
      ghz_minimum(ctx, a, many[1], w->b, w->room, &w->size_b) | ghz_add(ctx, a, a, w->b, w->room, &w->size_b);
  return bad | round_of_slices(ctx, w, a);
}

Test(state, no_allocation_once_warm, .timeout = 120) {
  for (int threads = 1; threads <= 3; threads += 2)
    for (int type = GHZ_F32; type <= GHZ_F64; type++) {
      ghz_context *ctx = context_on(NULL, threads);
      work w = work_make((ghz_type)type, 3);
      cr_assert_eq(round_of_calls(ctx, &w), 0, "%s", ghz_context_message(ctx));
      long before = allocator_count();
      for (int round = 0; round < 5; round++)
        cr_assert_eq(round_of_calls(ctx, &w), 0);
      long more = allocator_count() - before;
      cr_assert_eq(more, 0, "%ld allocations by a warm context, type %d, %d threads", more, type, threads);
      work_free(&w);
      ghz_context_free(ctx);
    }
}

/* Scratch stays below one worst-case compressed size, plus 1 % and 64 KiB a thread. */
Test(state, scratch_is_bounded) {
  ghz_context *ctx = context_on(NULL, 2);
  work w = work_make(GHZ_F64, 3);
  allocator_largest = 0;
  cr_assert_eq(round_of_calls(ctx, &w), 0);
  cr_assert_leq(allocator_largest, w.room + w.room / 100 + 2 * 65536, "an allocation of %zu bytes, room %zu",
                allocator_largest, w.room);
  work_free(&w);
  ghz_context_free(ctx);
}

/* The library counts itself by this test: a context is an allocation. */
Test(state, counter_counts) {
  long before = allocator_count();
  ghz_context *ctx = context_on(NULL, 1);
  cr_assert_gt(allocator_count(), before);
  ghz_context_free(ctx);
}

/* ---- One context, many uses ---- */

Test(state, reuse_after_errors_and_other_sizes, .timeout = 120) {
  ghz_context *ctx = context_on(NULL, 2);
  uint64_t state = 9;
  for (int round = 0; round < 100; round++) {
    ghz_type type = (ghz_type)input_below(&state, 2);
    size_t n = (size_t)input_below(&state, 40000);
    ghz_lattice l = lattice_abs(type, 0.3);
    void *x = input_make(&inputs[0], type, n, l.step, input_random(&state));
    ref_bytes used = compress(ctx, &l, GHZ_ORDER_BEST, x, n);
    ghz_context *fresh = context_on(NULL, 1);
    ref_bytes want = compress(fresh, &l, GHZ_ORDER_BEST, x, n);
    same_bytes(used, want, say("round %d", round));
    size_t size;
    uint8_t byte;
    cr_assert_eq(ghz_compress(ctx, &l, GHZ_ORDER_BEST, x, n, &byte, 1, &size), GHZ_ECAPACITY);
    ghz_bytes broken = {used.data, used.size - 1};
    cr_assert_eq(ghz_decompress(ctx, broken, type, x, n), GHZ_ECORRUPT);
    cr_assert_gt(strlen(ghz_context_message(ctx)), 0);
    cr_assert_eq(ghz_context_set_threads(ctx, 1 + round % 4), GHZ_OK);
    ghz_context_free(fresh);
    ref_free(&used);
    ref_free(&want);
    free(x);
  }
  ghz_context_free(ctx);
}

/* GHZ_ISA is read when a context is made, not later. */
Test(state, environment_is_read_once) {
  ghz_context *ctx = context_on("scalar", 1);
  setenv("GHZ_ISA", "nonsense", 1);
  float x[100] = {1, 2, 3};
  ghz_lattice l = lattice_abs(GHZ_F32, 0.1);
  ref_bytes s = compress(ctx, &l, GHZ_ORDER_BEST, x, 100);
  cr_assert_str_eq(ghz_context_isa(ctx), "scalar");
  ghz_context *other = (ghz_context *)&l;
  cr_assert_eq(ghz_context_create(&other, 1), GHZ_EISA);
  cr_assert_null(other);
  unsetenv("GHZ_ISA");
  ref_free(&s);
  ghz_context_free(ctx);
}
