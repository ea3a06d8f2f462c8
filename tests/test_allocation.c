/* test_allocation.c: memory that is refused, at every allocation of every call: ENOMEM and a message, nothing lost, and the
 * context goes on as if nothing had been. */
#include "allocator.h"
#include "support.h"
#include <limits.h>

enum { N = 150000, SMALL = 3000, MANY = 20, GUARD = 64 };

/* What all calls work on; none of it is changed. */
typedef struct operands {
  ghz_lattice lattice;
  size_t n;
  void *x;
  ref_bytes a, b; /* streams */
  ghz_bytes many[MANY];
  int64_t coefficients[MANY];
  ghz_slice slice, two[2];
  uint64_t tiles;
} operands;

/* Where a call puts its result: `room` bytes and a guard behind them. */
typedef struct result {
  uint8_t *bytes;
  size_t room, size;
} result;

static operands operands_make(ghz_type type, size_t n) {
  operands o = {.lattice = lattice_abs(type, 0.01), .n = n};
  ghz_context *ctx = context_on(NULL, 1);
  void *y = input_make(&inputs[1], type, n, o.lattice.step, 5);
  o.x = input_make(&inputs[0], type, n, o.lattice.step, 3);
  o.a = compress(ctx, &o.lattice, GHZ_ORDER_BEST, o.x, n);
  o.b = compress(ctx, &o.lattice, GHZ_ORDER_BEST, y, n);
  free(y);
  for (int i = 0; i < MANY; i++) {
    o.many[i] = view(i % 2 ? o.b : o.a);
    o.coefficients[i] = i % 3 - 1;
  }
  o.tiles = (n + GHZ_TILE - 1) / GHZ_TILE - 2;
  cr_assert_eq(ghz_slice_view(view(o.a), 1, o.tiles, &o.slice), GHZ_OK);
  cr_assert_eq(ghz_slice_view(view(o.b), 1, o.tiles, &o.two[1]), GHZ_OK);
  o.two[0] = o.slice;
  ghz_context_free(ctx);
  return o;
}

static void operands_free(operands *o) {
  free(o->x);
  ref_free(&o->a);
  ref_free(&o->b);
}

static result result_make(const operands *o) {
  result r = {.room = ghz_size_bound(o->n, GHZ_F64, 2 * MANY)};
  r.bytes = malloc(r.room + GUARD);
  cr_assert_not_null(r.bytes);
  return r;
}

/* ---- The calls ---- */

typedef ghz_status (*call)(ghz_context *ctx, const operands *o, result *r);

static ghz_status do_range(ghz_context *ctx, const operands *o, result *r) {
  double *least = (double *)(void *)r->bytes;
  r->size = 2 * sizeof *least;
  return ghz_range(ctx, o->lattice.type, o->x, o->n, least, least + 1);
}

static ghz_status do_compress(ghz_context *ctx, const operands *o, result *r) {
  return ghz_compress(ctx, &o->lattice, GHZ_ORDER_BEST, o->x, o->n, r->bytes, r->room, &r->size);
}

static ghz_status do_decompress(ghz_context *ctx, const operands *o, result *r) {
  r->size = o->n * ghz_type_size(o->lattice.type);
  return ghz_decompress(ctx, view(o->a), o->lattice.type, r->bytes, o->n);
}

static ghz_status do_decompress_range(ghz_context *ctx, const operands *o, result *r) {
  r->size = (o->n - 700) * sizeof(double);
  return ghz_decompress_range(ctx, view(o->a), GHZ_F64, 500, o->n - 700, r->bytes);
}

static ghz_status do_add(ghz_context *ctx, const operands *o, result *r) {
  return ghz_add(ctx, view(o->a), view(o->b), r->bytes, r->room, &r->size);
}

static ghz_status do_subtract(ghz_context *ctx, const operands *o, result *r) {
  return ghz_subtract(ctx, view(o->a), view(o->b), r->bytes, r->room, &r->size);
}

static ghz_status do_negate(ghz_context *ctx, const operands *o, result *r) {
  return ghz_negate(ctx, view(o->a), r->bytes, r->room, &r->size);
}

static ghz_status do_scale(ghz_context *ctx, const operands *o, result *r) {
  return ghz_scale(ctx, view(o->a), -0.5, r->bytes, r->room, &r->size);
}

static ghz_status do_sum(ghz_context *ctx, const operands *o, result *r) {
  return ghz_sum(ctx, MANY, o->many, r->bytes, r->room, &r->size);
}

static ghz_status do_mean(ghz_context *ctx, const operands *o, result *r) {
  return ghz_mean(ctx, MANY, o->many, r->bytes, r->room, &r->size);
}

static ghz_status do_combine(ghz_context *ctx, const operands *o, result *r) {
  return ghz_combine(ctx, MANY, o->many, o->coefficients, r->bytes, r->room, &r->size);
}

static ghz_status do_minimum(ghz_context *ctx, const operands *o, result *r) {
  return ghz_minimum(ctx, view(o->a), view(o->b), r->bytes, r->room, &r->size);
}

static ghz_status do_maximum(ghz_context *ctx, const operands *o, result *r) {
  return ghz_maximum(ctx, view(o->a), view(o->b), r->bytes, r->room, &r->size);
}

/* The accumulator survives a failure, to the byte. */
static ghz_status do_accumulate(ghz_context *ctx, const operands *o, result *r) {
  memcpy(r->bytes, o->a.data, o->a.size);
  r->size = o->a.size;
  ghz_status status = ghz_accumulate(ctx, r->bytes, r->room, &r->size, view(o->b));
  if (status != GHZ_OK)
    same_bytes((ref_bytes){r->bytes, r->size}, o->a, "the accumulator after a failure");
  return status;
}

static ghz_status do_scan(ghz_context *ctx, const operands *o, result *r) {
  r->size = sizeof(ghz_statistics);
  return ghz_scan(ctx, view(o->a), (ghz_statistics *)(void *)r->bytes);
}

static ghz_status do_extrema(ghz_context *ctx, const operands *o, result *r) {
  double *least = (double *)(void *)r->bytes;
  r->size = 2 * sizeof *least;
  return ghz_extrema(ctx, view(o->a), least, least + 1);
}

static ghz_status message(ghz_status status, const ghz_slice *made, result *r) {
  r->size = status == GHZ_OK ? ghz_slice_size(made) : 0;
  return status;
}

static ghz_status do_slice_compress(ghz_context *ctx, const operands *o, result *r) {
  ghz_slice made;
  return message(
      ghz_slice_compress(ctx, &o->lattice, GHZ_ORDER_BEST, o->x, o->n, 1, o->tiles, r->bytes, r->room, &made),
      &made, r);
}

static ghz_status do_slice_sum(ghz_context *ctx, const operands *o, result *r) {
  ghz_slice made;
  return message(ghz_slice_sum(ctx, 2, o->two, r->bytes, r->room, &made), &made, r);
}

static ghz_status do_slice_mean(ghz_context *ctx, const operands *o, result *r) {
  ghz_slice made;
  return message(ghz_slice_mean(ctx, &o->slice, 3, r->bytes, r->room, &made), &made, r);
}

static ghz_status do_slice_extremum(ghz_context *ctx, const operands *o, result *r) {
  ghz_slice made;
  return message(ghz_slice_extremum(ctx, &o->two[0], &o->two[1], 1, r->bytes, r->room, &made), &made, r);
}

static ghz_status do_slice_decompress(ghz_context *ctx, const operands *o, result *r) {
  r->size = ghz_slice_count(&o->slice) * ghz_type_size(o->lattice.type);
  return ghz_slice_decompress(ctx, &o->slice, o->lattice.type, r->bytes);
}

static const struct {
  const char *name;
  call call;
} calls[] = {{"range", do_range},
             {"compress", do_compress},
             {"decompress", do_decompress},
             {"decompress_range", do_decompress_range},
             {"add", do_add},
             {"subtract", do_subtract},
             {"negate", do_negate},
             {"scale", do_scale},
             {"sum", do_sum},
             {"mean", do_mean},
             {"combine", do_combine},
             {"minimum", do_minimum},
             {"maximum", do_maximum},
             {"accumulate", do_accumulate},
             {"scan", do_scan},
             {"extrema", do_extrema},
             {"slice_compress", do_slice_compress},
             {"slice_sum", do_slice_sum},
             {"slice_mean", do_slice_mean},
             {"slice_extremum", do_slice_extremum},
             {"slice_decompress", do_slice_decompress}};
enum { CALLS = sizeof calls / sizeof *calls };

/* ---- Refusals ---- */

/* Runs a call; its result must be the wanted one where it succeeds, and keep to its room always. */
static ghz_status run(call f, ghz_context *ctx, const operands *o, result *r, const result *want,
                      const char *what) {
  memset(r->bytes + r->room, 0xa5, GUARD);
  ghz_status status = f(ctx, o, r);
  for (int i = 0; i < GUARD; i++)
    cr_assert_eq(r->bytes[r->room + (size_t)i], 0xa5, "%s: wrote beyond its room", what);
  if (status == GHZ_OK)
    same_bytes((ref_bytes){r->bytes, r->size}, (ref_bytes){want->bytes, want->size}, what);
  return status;
}

/* What a test is about. */
typedef struct scene {
  const operands *small, *large;
  result *used, *small_want, *want;
  int threads, warm; /* warm: the context has worked on small arrays, and has to grow */
} scene;

static void must_work(const scene *s, call f, ghz_context *ctx, int small, const char *what) {
  ghz_status status = run(f, ctx, small ? s->small : s->large, s->used, small ? s->small_want : s->want, what);
  succeeded(status, ctx, what);
}

/* One context, allocations first to last of the call refused. Returns whether the call went as far as that. */
static int refuse(const scene *s, int i, long first, long last) {
  const char *what = say("%s, %s, %d threads, %s context, allocations from %ld to %ld refused", calls[i].name,
                         s->large->lattice.type == GHZ_F32 ? "f32" : "f64", s->threads,
                         s->warm ? "warm" : "fresh", first, last);
  long live = allocator_live();
  ghz_context *ctx = context_on(NULL, s->threads);
  if (s->warm)
    must_work(s, calls[i].call, ctx, 1, what);
  allocator_refuse(first, last);
  ghz_status status = run(calls[i].call, ctx, s->large, s->used, s->want, what);
  int reached = allocator_refused() > 0;
  allocator_refuse(0, 0);
  cr_assert_eq(status, reached ? GHZ_ENOMEM : GHZ_OK, "%s: %s", what, ghz_status_text(status));
  cr_assert(!reached || strstr(ghz_context_message(ctx), "scratch"), "%s: the message is '%s'", what,
            ghz_context_message(ctx));
  long before = allocator_count();
  if (s->warm) /* what the context had, it still has */
    must_work(s, calls[i].call, ctx, 1, what);
  cr_assert(!s->warm || allocator_count() == before, "%s: %ld allocations for a size seen before", what,
            allocator_count() - before);
  must_work(s, calls[i].call, ctx, 0, what);
  ghz_context_free(ctx);
  cr_assert_eq(allocator_live(), live, "%s: %ld allocations are lost", what, allocator_live() - live);
  return reached;
}

static void refuse_each(scene *s, int i) {
  ghz_context *ctx = context_on(NULL, 1);
  succeeded(calls[i].call(ctx, s->small, s->small_want), ctx, calls[i].name);
  succeeded(calls[i].call(ctx, s->large, s->want), ctx, calls[i].name);
  ghz_context_free(ctx);
  for (s->threads = 1; s->threads <= 3; s->threads += 2)
    for (s->warm = 0; s->warm <= 1; s->warm++) {
      long k = 1;
      while (refuse(s, i, k, k) && refuse(s, i, k, LONG_MAX))
        k++;
      cr_assert(k > 1 || s->warm, "%s allocates nothing", calls[i].name);
    }
}

static void refuse_all(ghz_type type) {
  operands small = operands_make(type, SMALL), large = operands_make(type, N);
  result used = result_make(&large), small_want = result_make(&large), want = result_make(&large);
  scene s = {&small, &large, &used, &small_want, &want, 0, 0};
  for (int i = 0; i < CALLS; i++)
    refuse_each(&s, i);
  free(used.bytes);
  free(small_want.bytes);
  free(want.bytes);
  operands_free(&small);
  operands_free(&large);
}

Test(allocation, refused_f32, .timeout = 120) {
  refuse_all(GHZ_F32);
}

Test(allocation, refused_f64, .timeout = 120) {
  refuse_all(GHZ_F64);
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
  cr_assert_str_eq(ghz_context_message(ctx), "");
  ghz_context_free(ctx);
  cr_assert_eq(allocator_live(), live);
}
