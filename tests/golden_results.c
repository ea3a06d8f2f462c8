/* golden_results.c: golden streams that are more than one compression: what operations make, lattices of other kinds, the ends
 * of what there is, and messages. */
#include "golden.h"
#include "inputs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ref_bytes room_for(size_t n, ghz_type type, uint32_t terms) {
  ref_bytes bytes = {NULL, ghz_size_bound(n, type, terms)};
  bytes.data = malloc(bytes.size);
  if (!bytes.data)
    abort();
  return bytes;
}

static void must(ghz_status status) {
  if (status != GHZ_OK)
    abort();
}

static ghz_bytes whole(ref_bytes stream) {
  return (ghz_bytes){stream.data, stream.size};
}

static ghz_lattice lattice_of(ghz_type type, double eb, int cap) {
  ghz_lattice l;
  must(ghz_lattice_make(type, (ghz_bound){GHZ_ABS, eb}, 0, 0, &l));
  l.cap = cap;
  return l;
}

static ref_bytes compressed(ghz_context *ctx, const ghz_lattice *l, int order, const void *x, size_t n) {
  ref_bytes s = room_for(n, l->type, 1);
  must(ghz_compress(ctx, l, order, x, n, s.data, s.size, &s.size));
  return s;
}

static ref_bytes of_input(ghz_context *ctx, const ghz_lattice *l, int order, const char *maker, size_t n,
                          uint64_t seed) {
  void *x = input_make(input_named(maker), l->type, n, l->step, seed);
  ref_bytes s = compressed(ctx, l, order, x, n);
  free(x);
  return s;
}

/* Sums streams with coefficients, and frees them. */
static ref_bytes combined(ghz_context *ctx, size_t n, size_t k, ref_bytes *s, const int64_t *c) {
  ghz_bytes operands[4];
  ghz_info info = {0};
  uint64_t terms = 0;
  for (size_t i = 0; i < k; i++) {
    operands[i] = whole(s[i]);
    must(ghz_info_read(operands[i], &info));
    terms += (uint64_t)llabs(c[i]) * info.terms;
  }
  ref_bytes sum = room_for(n, info.lattice.type, terms ? (uint32_t)terms : 1);
  must(ghz_combine(ctx, k, operands, c, sum.data, sum.size, &sum.size));
  for (size_t i = 0; i < k; i++)
    ref_free(&s[i]);
  return sum;
}

static ref_bytes scaled(ghz_context *ctx, size_t n, ref_bytes s, double factor) {
  ghz_info info;
  must(ghz_info_read(whole(s), &info));
  ref_bytes out = room_for(n, info.lattice.type, info.terms);
  must(ghz_scale(ctx, whole(s), factor, out.data, out.size, &out.size));
  ref_free(&s);
  return out;
}

/* ---- Other lattices ---- */

/* A constant, with a NaN in its second tile; multiples of it; and, in the last tile, another value. */
static ref_bytes constant(ghz_context *ctx, ghz_type type, double c) {
  enum { N = 3 * GHZ_TILE + 100 };
  static double x[N];
  static float f[N];
  ghz_lattice l;
  must(ghz_lattice_make(type, (ghz_bound){GHZ_REL, 1e-3}, c, c, &l));
  for (int i = 0; i < N; i++)
    x[i] = i / GHZ_TILE == 2 ? c * (i % 7 - 3) : c;
  x[GHZ_TILE + 5] = NAN;
  x[3 * GHZ_TILE + 5] = 1.5 * c;
  for (int i = 0; i < N; i++)
    f[i] = (float)x[i];
  return compressed(ctx, &l, GHZ_ORDER_BEST, type == GHZ_F32 ? (void *)f : (void *)x, N);
}

static ref_bytes f32_constant(ghz_context *ctx) {
  return constant(ctx, GHZ_F32, -2.5);
}

static ref_bytes f64_constant(ghz_context *ctx) {
  return constant(ctx, GHZ_F64, 0.1);
}

static ref_bytes f64_cap35(ghz_context *ctx) {
  ghz_lattice l = lattice_of(GHZ_F64, 0.5, 35);
  return of_input(ctx, &l, GHZ_ORDER_BEST, "rare_giants", 2100, 30);
}

static ref_bytes no_lattice(ghz_context *ctx, ghz_type type, double eb) {
  ghz_lattice l = lattice_of(type, eb, type == GHZ_F32 ? 35 : 44);
  return of_input(ctx, &l, GHZ_ORDER_BEST, "zeros", 1500, 31);
}

static ref_bytes f32_no_lattice(ghz_context *ctx) {
  return no_lattice(ctx, GHZ_F32, 1e-45);
}

static ref_bytes f64_no_lattice(ghz_context *ctx) {
  return no_lattice(ctx, GHZ_F64, 1e-320);
}

static ref_bytes f32_largest_step(ghz_context *ctx) {
  ghz_lattice l = lattice_of(GHZ_F32, 1e38, 35);
  return of_input(ctx, &l, 0, "largest_finite", 1100, 32);
}

/* ---- What operations make ---- */

static ref_bytes f32_scaled(ghz_context *ctx) {
  ghz_lattice l = lattice_of(GHZ_F32, 1e-3, 35);
  return scaled(ctx, 2500, of_input(ctx, &l, 1, "specials", 2500, 33), -0.3);
}

static ref_bytes f64_scaled(ghz_context *ctx) {
  ghz_lattice l = lattice_of(GHZ_F64, 1e-3, 44);
  return scaled(ctx, 2500, of_input(ctx, &l, 2, "land_mask", 2500, 34), 1.0 / 3);
}

static ref_bytes f64_mean(ghz_context *ctx) {
  ghz_lattice l = lattice_of(GHZ_F64, 1e-3, 44);
  ref_bytes s[3], mean = room_for(2500, GHZ_F64, 3);
  ghz_bytes operands[3];
  for (int i = 0; i < 3; i++) {
    s[i] = of_input(ctx, &l, i, "walk", 2500, 35 + (uint64_t)i);
    operands[i] = whole(s[i]);
  }
  must(ghz_mean(ctx, 3, operands, mean.data, mean.size, &mean.size));
  for (int i = 0; i < 3; i++)
    ref_free(&s[i]);
  return mean;
}

static ref_bytes f32_maximum(ghz_context *ctx) {
  ghz_lattice l = lattice_of(GHZ_F32, 0.1, 35);
  ref_bytes a = of_input(ctx, &l, 1, "specials", 1100, 38), b = of_input(ctx, &l, 2, "fine_noise", 1100, 39);
  ref_bytes most = room_for(1100, GHZ_F32, 1);
  must(ghz_maximum(ctx, whole(a), whole(b), most.data, most.size, &most.size));
  ref_free(&a);
  ref_free(&b);
  return most;
}

/* Tiles that cancel keep their order. */
static ref_bytes f32_difference(ghz_context *ctx) {
  ghz_lattice l = lattice_of(GHZ_F32, 0.01, 35);
  ref_bytes s[2] = {of_input(ctx, &l, 2, "walk", 2100, 40), of_input(ctx, &l, 2, "walk", 2100, 40)};
  static const int64_t c[2] = {1, -1};
  return combined(ctx, 2100, 2, s, c);
}

static ref_bytes inexact(ghz_context *ctx, ghz_type type, size_t n) {
  ghz_lattice l = lattice_of(type, 0.1, type == GHZ_F32 ? 35 : 44);
  ref_bytes s[2] = {of_input(ctx, &l, -1, "specials_far_out", n, 41), of_input(ctx, &l, -1, "walk", n, 42)};
  static const int64_t c[2] = {3, -2};
  return combined(ctx, n, 2, s, c);
}

static ref_bytes f32_inexact(ghz_context *ctx) {
  return inexact(ctx, GHZ_F32, 1030);
}

static ref_bytes f64_inexact(ghz_context *ctx) {
  return inexact(ctx, GHZ_F64, 300);
}

/* ---- The ends ---- */

static ref_bytes at_limit(ghz_context *ctx, ghz_type type, int cap, int order) {
  ghz_lattice l = lattice_of(type, 0.01, cap);
  ref_bytes s = of_input(ctx, &l, order, cap == 44 ? "widest_noise" : "alternating_wide", 300, 43);
  int64_t limit = ((int64_t)1 << (58 - cap)) - 1;
  return combined(ctx, 300, 1, &s, &limit);
}

static ref_bytes f32_limit(ghz_context *ctx) {
  return at_limit(ctx, GHZ_F32, 35, 0);
}

static ref_bytes f64_limit(ghz_context *ctx) {
  return at_limit(ctx, GHZ_F64, 44, 2);
}

static ref_bytes f64_cap35_limit(ghz_context *ctx) {
  return at_limit(ctx, GHZ_F64, 35, 1);
}

static ref_bytes f64_no_terms(ghz_context *ctx) {
  ghz_lattice l = lattice_of(GHZ_F64, 0.01, 44);
  ref_bytes s = of_input(ctx, &l, 1, "walk", 2000, 44);
  static const int64_t none = 0;
  return combined(ctx, 2000, 1, &s, &none);
}

static ref_bytes f32_nothing(ghz_context *ctx) {
  ghz_lattice l = lattice_of(GHZ_F32, 0.01, 35);
  return of_input(ctx, &l, 1, "walk", 0, 45);
}

static ref_bytes f64_one(ghz_context *ctx) {
  ghz_lattice l = lattice_of(GHZ_F64, 0.01, 44);
  return of_input(ctx, &l, 2, "walk", 1, 46);
}

/* More chunks than one, all tiles but a few empty. */
static ref_bytes f32_chunks(ghz_context *ctx) {
  ghz_lattice l = lattice_of(GHZ_F32, 0.01, 35);
  float *x = calloc(50000, sizeof *x);
  if (!x)
    abort();
  for (int i = 0; i < 50000; i += 9001)
    x[i] = (float)i;
  ref_bytes s = compressed(ctx, &l, GHZ_ORDER_BEST, x, 50000);
  free(x);
  return s;
}

/* ---- Messages ---- */

static ref_bytes message(ref_bytes stream, uint64_t first, uint64_t tiles) {
  ghz_slice slice;
  must(ghz_slice_view(whole(stream), first, tiles, &slice));
  ref_bytes out = {malloc(ghz_slice_size(&slice)), ghz_slice_size(&slice)};
  if (!out.data)
    abort();
  must(ghz_slice_pack(&slice, out.data, out.size, &out.size));
  ref_free(&stream);
  return out;
}

/* The middle, with raw tiles and others, and the short end. */
static ref_bytes f32_message(ghz_context *ctx) {
  ghz_lattice l = lattice_of(GHZ_F32, 0.5, 35);
  return message(of_input(ctx, &l, -1, "specials", 3 * GHZ_TILE + 100, 47), 1, 2);
}

static ref_bytes f64_message_of_sum(ghz_context *ctx) {
  ghz_lattice l = lattice_of(GHZ_F64, 0.5, 44);
  ref_bytes s = of_input(ctx, &l, 2, "parabola", 2 * GHZ_TILE + 100, 48);
  static const int64_t five = 5;
  return message(combined(ctx, 2 * GHZ_TILE + 100, 1, &s, &five), 1, 2);
}

static ref_bytes f32_message_of_nothing(ghz_context *ctx) {
  ghz_lattice l = lattice_of(GHZ_F32, 0.5, 35);
  return message(of_input(ctx, &l, -1, "walk", 3000, 49), 2, 0);
}

static ref_bytes f32_message_inexact(ghz_context *ctx) {
  return message(inexact(ctx, GHZ_F32, 1030), 1, 1);
}

/* ---- The table ---- */

const golden_result golden_results[] = {
#include "golden_results.inc"
};
const size_t golden_result_count = sizeof golden_results / sizeof *golden_results;
