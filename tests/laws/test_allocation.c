/* test_allocation.c: law L6: memory that is refused, at every allocation of every call: ENOMEM and
 * a message, nothing lost, and the context goes on as if nothing had been. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator.h"
#include "calls.h"
#include "support.h"
#include <limits.h>

enum { N = 150000, SMALL = 3000, GUARD = 64 };

/* ---- Refusals ---- */
/* Runs a call; its result must be the wanted one where it succeeds, and keep to its room always. */
static ghz_status run(const call *c, ghz_context *ctx, const operands *o, answer *r, const answer *want,
                      const char *what) {
  memset(r->bytes + r->room, 0xa5, GUARD);
  ghz_status status = c->run(ctx, o, r);
  for (int i = 0; i < GUARD; i++)
    cr_assert_eq(r->bytes[r->room + (size_t)i], 0xa5, "%s: wrote beyond its room", what);
  if (status == GHZ_OK)
    same_bytes(answered(r), answered(want), what);
  return status;
}

/* What a test is about. */
typedef struct scene {
  const operands *small, *large;
  answer *used, *small_want, *want;
  int threads, warm; /* warm: the context has worked on small arrays, and has to grow */
} scene;

static void must_work(const scene *s, const call *c, ghz_context *ctx, int small, const char *what) {
  ghz_status status = run(c, ctx, small ? s->small : s->large, s->used, small ? s->small_want : s->want, what);
  succeeded(status, ctx, what);
}

/* One context; the call's allocations first to last are refused. Returns whether it got so far. */
static int refuse(const scene *s, const call *c, long first, long last) {
  const char *what = say("%s, %s, %d threads, %s context, allocations from %ld to %ld refused", c->name,
                         s->large->lattice.type == GHZ_F32 ? "f32" : "f64", s->threads,
                         s->warm ? "warm" : "fresh", first, last);
  long live = allocator_live();
  ghz_context *ctx = context_on(NULL, s->threads);
  if (s->warm)
    must_work(s, c, ctx, 1, what);
  allocator_refuse(first, last);
  ghz_status status = run(c, ctx, s->large, s->used, s->want, what);
  int reached = allocator_refused() > 0;
  allocator_refuse(0, 0);
  cr_assert_eq(status, reached ? GHZ_ENOMEM : GHZ_OK, "%s: %s", what, ghz_status_text(status));
  cr_assert(!reached || strstr(ghz_context_message(ctx), "scratch"), "%s: the message is '%s'", what,
            ghz_context_message(ctx));
  long before = allocator_count();
  if (s->warm) /* what the context had, it still has */
    must_work(s, c, ctx, 1, what);
  cr_assert(!s->warm || allocator_count() == before, "%s: %ld allocations for a size seen before", what,
            allocator_count() - before);
  must_work(s, c, ctx, 0, what);
  ghz_context_free(ctx);
  cr_assert_eq(allocator_live(), live, "%s: %ld allocations are lost", what, allocator_live() - live);
  return reached;
}

static void refuse_each(scene *s, const call *c) {
  ghz_context *ctx = context_on(NULL, 1);
  succeeded(c->run(ctx, s->small, s->small_want), ctx, c->name);
  succeeded(c->run(ctx, s->large, s->want), ctx, c->name);
  ghz_context_free(ctx);
  for (s->threads = 1; s->threads <= 3; s->threads += 2)
    for (s->warm = 0; s->warm <= 1; s->warm++) {
      long k = 1;
      while (refuse(s, c, k, k) && refuse(s, c, k, LONG_MAX))
        k++;
      cr_assert(k > 1 || s->warm, "%s allocates nothing", c->name);
    }
}

static void refuse_all(ghz_type type) {
  ghz_lattice l = lattice_abs(type, 0.01);
  operands small = operands_make(&l, SMALL, MANY, "mixture", "zeros", 0);
  operands large = operands_make(&l, N, MANY, "mixture", "zeros", 0);
  answer used = answer_make(&large, GUARD), small_want = answer_make(&large, 0), want = answer_make(&large, 0);
  scene s = {&small, &large, &used, &small_want, &want, 0, 0};
  for (size_t i = 0; i < call_count; i++)
    refuse_each(&s, &calls[i]);
}

Test(allocation, refused_f32, .timeout = 120) { refuse_all(GHZ_F32); }
Test(allocation, refused_f64, .timeout = 120) { refuse_all(GHZ_F64); }

/* What was reserved for suffices. */
static void use_reserved(ghz_type type, int threads) {
  ghz_lattice l = lattice_abs(type, 0.01);
  operands o = operands_make(&l, N, MANY, "mixture", "zeros", 0);
  size_t tiles = GHZ_TILE_COUNT(N), room = ghz_slice_bound(&(ghz_shape){.dims = 1}, tiles, type, 2);
  uint8_t *memory = malloc(3 * room), *values = malloc(N * ghz_type_size(type));
  cr_assert(memory && values);
  ghz_slice a, b, sum, other;
  ghz_context *ctx = context_on(NULL, threads);
  succeeded(ghz_slice_reserve(ctx, &(ghz_shape){.dims = 1}, tiles, type, 2), ctx, "reserve");
  allocator_refuse(1, LONG_MAX);
  succeeded(ghz_slice_compress(ctx, &l, GHZ_ORDER_BEST, o.x, N, 0, tiles, memory, room, &a), ctx, "compress");
  succeeded(ghz_slice_compress(ctx, &l, 2, o.x, N, 0, tiles - 1, memory + room, room, &b), ctx, "fewer tiles");
  succeeded(ghz_slice_sum(ctx, 2, (ghz_slice[]){a, a}, memory + room, room, &sum), ctx, "sum");
  succeeded(ghz_slice_extremum(ctx, &a, &a, 1, memory + 2 * room, room, &other), ctx, "maximum");
  succeeded(ghz_slice_mean(ctx, &sum, 2, memory + 2 * room, room, &other), ctx, "mean");
  succeeded(ghz_slice_decompress(ctx, &other, type, values), ctx, "decompress");
  cr_assert_eq(allocator_refused(), 0, "%ld allocations", allocator_refused());
  allocator_refuse(0, 0);
  ghz_context_free(ctx);
  free(memory);
  free(values);
}

Test(allocation, reserved) {
  for (int threads = 1; threads <= 3; threads++) {
    use_reserved(GHZ_F32, threads);
    use_reserved(GHZ_F64, threads);
  }
}

Test(allocation, refused_to_a_new_context) {
  long live = allocator_live();
  ghz_context *ctx = (ghz_context *)&live;
  allocator_refuse(1, LONG_MAX);
  ghz_status status = ghz_context_create(&ctx, 2);
  cr_assert_eq(allocator_refused(), 1);
  allocator_refuse(0, 0);
  cr_assert_eq(status, GHZ_ENOMEM);
  cr_assert_null(ctx);
  cr_assert(strstr(ghz_context_message(NULL), "context"), "the message is '%s'", ghz_context_message(NULL));
  cr_assert_eq(allocator_live(), live);
}
