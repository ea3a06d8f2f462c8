/* test_alloc.c: calls that allocate their result: it is what the others give, in memory that the
 * caller frees; nothing is left after a failure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator.h"
#include "support.h"
#include <limits.h>
#include <math.h>

enum { N = 20000 };

/* Of an array: with a lattice that the caller makes. */
static ref_bytes compressed(ghz_context *ctx, ghz_type type, ghz_bound bound, const void *x,
                            const ghz_shape *shape) {
  double min, max;
  ghz_lattice l;
  const size_t n = (size_t)ghz_shape_count(shape);
  succeeded(ghz_range(ctx, type, x, n, &min, &max), ctx, "range");
  if (min == 0 && max == 0)
    max = -(min = INFINITY);
  succeeded(ghz_lattice_make(type, bound, min, max, &l), NULL, "lattice");
  ref_bytes stream = bytes_new(ghz_shape_bound(shape, type, 1));
  succeeded(ghz_compress_shape(ctx, &l, GHZ_ORDER_BEST, x, shape, stream.data, stream.size, &stream.size), ctx,
            "compress");
  return stream;
}

static void round_trip(ghz_context *ctx, ghz_type type, ghz_bound bound, const void *x, const ghz_shape *shape,
                       const char *what) {
  SCOPE;
  void *stream, *values;
  size_t size, count;
  succeeded(ghz_compress_alloc(ctx, type, bound, x, shape, &stream, &size), ctx, what);
  same_bytes((ref_bytes){stream, size}, compressed(ctx, type, bound, x, shape), what);
  for (int out = (int)type; out <= GHZ_F64; out++) {
    SCOPE;
    void *wanted = scratch((size_t)ghz_shape_count(shape) * 8 + 1);
    succeeded(ghz_decompress_alloc(ctx, (ghz_bytes){stream, size}, (ghz_type)out, &values, &count), ctx, what);
    succeeded(ghz_decompress(ctx, (ghz_bytes){stream, size}, (ghz_type)out, wanted, count), ctx, what);
    cr_assert_eq(count, ghz_shape_count(shape));
    same_values(values, wanted, count, (ghz_type)out, what);
    free(values);
  }
  free(stream);
}

Test(alloc, round_trips, .timeout = 120) {
  CONTEXT(ctx, NULL, 2);
  static const ghz_bound bounds[] = {{GHZ_ABS, 0.01}, {GHZ_REL, 1e-4}, {GHZ_PSNR, 60}};
  static const ghz_shape shapes[] = {
      {1, {1, 1, N}}, {1, {1, 1, 0}}, {1, {1, 1, 1}}, {2, {2, 100, 100}}, {3, {20, 20, 50}}};
  for (size_t in = 0; in < input_count; in++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++)
      for (size_t s = 0; s < COUNT(shapes); s++) {
        SCOPE;
        void *x = input_make(&inputs[in], (ghz_type)type, N, 0.01, in);
        round_trip(ctx, (ghz_type)type, bounds[(in + s) % COUNT(bounds)], x, &shapes[s], inputs[in].name);
      }
}

Test(alloc, sums) {
  CONTEXT(ctx, NULL, 2);
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  const ref_bytes s = stream_of(ctx, &l, GHZ_ORDER_BEST, "mixture", N, 1), three[3] = {s, s, s};
  void *made;
  size_t size;
  succeeded(ghz_sum_alloc(ctx, 3, (ghz_bytes[]){view(s), view(s), view(s)}, &made, &size), ctx, "sum");
  same_bytes((ref_bytes){made, size}, sum(ctx, 3, three), "three streams");
  free(made);
}

/* ---- Failures leave nothing ---- */
static void *const stale = (void *)1;

Test(alloc, errors) {
  CONTEXT(ctx, NULL, 1);
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01), m = lattice_abs(GHZ_F32, 0.02);
  const ghz_shape shape = ghz_flat(100), none = {0, {1, 1, 1}};
  const ghz_bound good = {GHZ_REL, 0.1}, zero = {GHZ_REL, 0}, absolute = {GHZ_ABS, 1};
  float x[100] = {1};
  ref_bytes a = stream_of(ctx, &l, GHZ_ORDER_BEST, "walk", N, 1),
            b = stream_of(ctx, &m, GHZ_ORDER_BEST, "walk", N, 1);
  const ghz_bytes both[] = {view(a), view(b)}, cut = {a.data, a.size - 1};
  void *p;
  size_t size;
  long live = allocator_live();
#define FAILS(status, words, call)                                                                             \
  p = stale;                                                                                                   \
  size = 1;                                                                                                    \
  says(call, status, ctx, words, #call);                                                                       \
  cr_expect(p == NULL && size == 0, "outputs of " #call)
  FAILS(GHZ_EINVAL, "bound 0", ghz_compress_alloc(ctx, GHZ_F32, zero, x, &shape, &p, &size));
  FAILS(GHZ_EINVAL, "type 9", ghz_compress_alloc(ctx, (ghz_type)9, good, x, &shape, &p, &size));
  FAILS(GHZ_EINVAL, "type 9", ghz_compress_alloc(ctx, (ghz_type)9, absolute, x, &shape, &p, &size));
  FAILS(GHZ_EINVAL, "x is NULL", ghz_compress_alloc(ctx, GHZ_F32, good, NULL, &shape, &p, &size));
  FAILS(GHZ_EINVAL, "x is NULL", ghz_compress_alloc(ctx, GHZ_F32, absolute, NULL, &shape, &p, &size));
  FAILS(GHZ_EINVAL, "shape is NULL", ghz_compress_alloc(ctx, GHZ_F32, good, x, NULL, &p, &size));
  FAILS(GHZ_EINVAL, "no shape", ghz_compress_alloc(ctx, GHZ_F32, good, x, &none, &p, &size));
  FAILS(GHZ_EINVAL, "no operands", ghz_sum_alloc(ctx, 0, both, &p, &size));
  FAILS(GHZ_EINVAL, "operands are NULL", ghz_sum_alloc(ctx, 1, NULL, &p, &size));
  FAILS(GHZ_EMISMATCH, "step", ghz_sum_alloc(ctx, 2, both, &p, &size));
  FAILS(GHZ_ECORRUPT, "header", ghz_sum_alloc(ctx, 1, &cut, &p, &size));
  FAILS(GHZ_ECORRUPT, "header", ghz_decompress_alloc(ctx, cut, GHZ_F32, &p, &size));
  FAILS(GHZ_EINVAL, "type 10", ghz_decompress_alloc(ctx, view(a), (ghz_type)10, &p, &size));
  a.data[ghz_shape_tiles(&(ghz_shape){1, {1, 1, N}}) * 2 + 64 + 8 * 3] = 0xff; /* the head of a tile */
  FAILS(GHZ_ECORRUPT, "damaged", ghz_decompress_alloc(ctx, view(a), GHZ_F32, &p, &size));
  FAILS(GHZ_ECORRUPT, "damaged", ghz_sum_alloc(ctx, 1, both, &p, &size));
  cr_assert_eq(ghz_compress_alloc(ctx, GHZ_F32, good, x, &shape, NULL, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_compress_alloc(ctx, GHZ_F32, good, x, &shape, &p, NULL), GHZ_EINVAL);
  cr_assert_leq(allocator_live(), live + 3, "what is live is the context's scratch");
}

/* Each allocation refused in turn. */
Test(alloc, memory_refused) {
  const ghz_shape shape = ghz_flat(N);
  const ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
  CONTEXT(maker, NULL, 1);
  float *x = input_make(input_named("walk"), GHZ_F32, N, 0.01, 1);
  const ghz_bytes s = view(compress(maker, &l, GHZ_ORDER_BEST, x, N));
  for (int which = 0; which < 3; which++)
    for (long nth = 1;; nth++) {
      CONTEXT(ctx, NULL, 1);
      void *p = stale;
      size_t size;
      long live = allocator_live();
      allocator_refuse(nth, nth);
      ghz_status status =
          which == 0   ? ghz_compress_alloc(ctx, GHZ_F32, (ghz_bound){GHZ_REL, 1e-3}, x, &shape, &p, &size)
          : which == 1 ? ghz_decompress_alloc(ctx, s, GHZ_F32, &p, &size)
                       : ghz_sum_alloc(ctx, 1, &s, &p, &size);
      int reached = allocator_refused() > 0;
      allocator_refuse(0, 0);
      cr_assert(status == GHZ_OK || (reached && status == GHZ_ENOMEM && !p), "call %d, allocation %ld", which,
                nth);
      cr_assert(status == GHZ_OK || strstr(ghz_context_message(ctx), "no "), "call %d: '%s'", which,
                ghz_context_message(ctx));
      free(status == GHZ_OK ? p : NULL);
      cr_assert_leq(allocator_live(), live + 3, "call %d, allocation %ld: memory is lost", which, nth);
      if (!reached)
        break;
    }
}

/* ---- The version for #if ---- */
#if GHZ_VERSION < 200 || GHZ_VERSION != GHZ_VERSION_MAJOR * 10000 + GHZ_VERSION_MINOR * 100 + GHZ_VERSION_PATCH
#error "GHZ_VERSION is no number, or another one"
#endif

Test(alloc, without_a_context) {
  float x[10] = {1, 2, 3};
  void *p;
  size_t size;
  succeeded(
      ghz_compress_alloc(NULL, GHZ_F32, (ghz_bound){GHZ_ABS, 0.1}, x, &(ghz_shape){1, {1, 1, 10}}, &p, &size),
      NULL, "alloc");
  free(p);
}
