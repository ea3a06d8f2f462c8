/* test_api.c: the contract of every call: arguments, capacities, ranges, what streams say. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"
#include "quad.h"
#include "support.h"
#include <float.h>
#include <math.h>
#include <stdio.h>

static ghz_context *ctx;

static void start(void) { ctx = context_on(NULL, 2); }
static void stop(void) { ghz_context_free(ctx); }

TestSuite(api, .init = start, .fini = stop, .timeout = 120);

static ref_bytes stream_by(const char *maker, ghz_type type, size_t n, uint64_t seed) {
  ghz_lattice l = lattice_abs(type, 0.01);
  return stream_of(ctx, &l, GHZ_ORDER_BEST, maker, n, seed);
}

/* The least and largest finite value. */
static void range_of(ghz_type type, const void *x, size_t n, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (size_t i = 0; i < n; i++) {
    double v = value_at(type, x, i);
    *low = isfinite(v) && v < *low ? v : *low;
    *high = isfinite(v) && v > *high ? v : *high;
  }
}

/* ---- Version, status, context ---- */
Test(api, version) {
  char expected[32];
  snprintf(expected, sizeof expected, "%d.%d.%d", GHZ_VERSION_MAJOR, GHZ_VERSION_MINOR, GHZ_VERSION_PATCH);
  cr_assert_str_eq(ghz_version(), expected);
}

Test(api, status_texts) {
  for (int status = -20; status < 5; status++) {
    cr_assert_not_null(ghz_status_text((ghz_status)status));
    cr_assert_gt(strlen(ghz_status_text((ghz_status)status)), 0);
  }
}

Test(api, contexts) {
  ghz_context *other = (ghz_context *)&ctx;
  cr_assert_eq(ghz_context_create(&other, -1), GHZ_EINVAL);
  cr_assert_null(other);
  cr_assert_eq(ghz_context_create(NULL, 1), GHZ_EINVAL);
  cr_assert_eq(ghz_context_create(&other, 0), GHZ_OK);
  cr_assert_geq(ghz_context_threads(other), 1);
  cr_assert_eq(ghz_context_set_threads(other, -5), GHZ_EINVAL);
  cr_assert_eq(ghz_context_set_threads(other, 5), GHZ_OK);
  cr_assert_eq(ghz_context_threads(other), 5);
  cr_assert_eq(ghz_context_set_threads(NULL, 1), GHZ_EINVAL);
  cr_assert_str_eq(ghz_context_message(other) ? "text" : "", "text");
  ghz_context_free(other);
  ghz_context_free(NULL);
}

Test(api, message_before_any_error_is_empty) {
  CONTEXT(fresh, NULL, 1);
  cr_assert_str_eq(ghz_context_message(fresh), "");
}

Test(api, instruction_sets) {
  cr_assert_geq(isa_count(), 1);
  cr_assert_str_eq(isa_name(0), "scalar");
  for (size_t i = 0; i < isa_count(); i++) {
    CONTEXT(one, isa_name(i), 1);
    cr_assert_str_eq(ghz_context_isa(one), isa_name(i));
  }
  cr_assert_str_eq(ghz_context_isa(ctx), isa_name(isa_count() - 1), "the best is the default");
  ghz_context *none;
  setenv("GHZ_ISA", "mmx", 1);
  cr_assert_eq(ghz_context_create(&none, 1), GHZ_EISA);
  cr_assert_null(none);
  unsetenv("GHZ_ISA");
}

Test(api, type_sizes) {
  cr_assert_eq(ghz_type_size(GHZ_F32), 4);
  cr_assert_eq(ghz_type_size(GHZ_F64), 8);
  cr_assert_eq(ghz_type_size((ghz_type)2), 0);
  cr_assert_eq(ghz_type_size((ghz_type)-1), 0);
}

Test(api, terms_limits) {
  cr_assert_eq(ghz_terms_limit(35), 8388607);
  cr_assert_eq(ghz_terms_limit(44), 16383);
  for (int cap = -1; cap < 70; cap++)
    cr_assert(cap == 35 || cap == 44 || ghz_terms_limit(cap) == 0, "cap %d", cap);
  cr_assert_neq(ghz_size_bound(1, GHZ_F64, ghz_terms_limit(35)), 0);
  cr_assert_eq(ghz_size_bound(1, GHZ_F64, ghz_terms_limit(35) + 1), 0);
}

/* ---- Bounds and lattices ---- */
Test(api, bounds_that_are_no_bounds) {
  static const double bad[] = {0, -0.0, -1, -1e-300, -5e-324, INFINITY, -INFINITY, NAN};
  ghz_lattice l;
  for (int kind = GHZ_ABS; kind <= GHZ_PSNR; kind++)
    for (size_t i = 0; i < COUNT(bad); i++) {
      ghz_bound bound = {(ghz_bound_kind)kind, bad[i]};
      cr_assert_eq(ghz_lattice_make(GHZ_F32, bound, 0, 1, &l), GHZ_EINVAL, "kind %d, bound %g", kind, bad[i]);
    }
  ghz_bound good = {GHZ_ABS, 1}, unknown = {(ghz_bound_kind)3, 1};
  cr_assert_eq(ghz_lattice_make((ghz_type)2, good, 0, 1, &l), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_make(GHZ_F32, unknown, 0, 1, &l), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_make(GHZ_F32, good, 0, 1, NULL), GHZ_EINVAL);
}

Test(api, steps_of_absolute_bounds) {
  uint64_t state = 3;
  for (int round = 0; round < 20000; round++) {
    ghz_type type = (ghz_type)(round % 2);
    double eb = ldexp(1.5 + input_uniform(&state) / 2, (int)input_below(&state, 2098) - 1074);
    if (round < 4200)
      eb = ldexp(1, round / 2 - 1074);
    if (!(eb > 0 && isfinite(eb)))
      continue;
    ghz_lattice l = lattice_abs(type, eb);
    cr_assert_eq(l.step, ref_step((int)type, eb), "type %d, eb %a: step %a", (int)type, eb, l.step);
    cr_assert_eq(l.eb, eb);
    cr_assert_eq(l.cap, type == GHZ_F32 ? 35 : 44);
    cr_assert_eq(l.type, type);
  }
}

Test(api, psnr_bounds) {
  for (int tenth = 1; tenth < 3000; tenth += 7)
    for (int type = GHZ_F32; type <= GHZ_F64; type++) {
      ghz_lattice l;
      ghz_bound bound = {GHZ_PSNR, tenth / 10.0};
      succeeded(ghz_lattice_make((ghz_type)type, bound, -1, 3, &l), NULL, "lattice");
      long double want = 4 * powl(10, -(long double)bound.value / 20);
      cr_assert_float_eq((double)((long double)l.eb / want), 1, 1e-14, "%g dB: eb %a", bound.value, l.eb);
    }
}

Test(api, extreme_ranges) {
  ghz_lattice l;
  ghz_bound rel = {GHZ_REL, 1e-3}, tiny = {GHZ_REL, 1e-300}, huge = {GHZ_REL, 1e300}, psnr = {GHZ_PSNR, 1e300};
  succeeded(ghz_lattice_make(GHZ_F64, rel, -DBL_MAX, DBL_MAX, &l), NULL, "widest range");
  cr_assert(isfinite(l.eb) && l.eb > 0 && l.step <= 0x1p1000);
  succeeded(ghz_lattice_make(GHZ_F64, tiny, 0, 5e-324, &l), NULL, "narrowest range");
  cr_assert(l.eb > 0 && l.step == 0);
  succeeded(ghz_lattice_make(GHZ_F64, huge, -DBL_MAX, DBL_MAX, &l), NULL, "overflow");
  cr_assert_eq(l.eb, DBL_MAX);
  succeeded(ghz_lattice_make(GHZ_F64, psnr, 0, 1, &l), NULL, "psnr of 1e300");
  cr_assert(l.eb > 0 && isfinite(l.eb) && l.step == 0);
}

Test(api, constant_ranges) {
  static const double inside[] = {1, -2.5, 0x1p120, 0x1p-120, -0x1.8p-119},
                      outside[] = {0x1.1p120, 0x1p-121, -3e38};
  ghz_bound rel = {GHZ_REL, 0.5}, psnr = {GHZ_PSNR, 60};
  ghz_lattice l;
  for (size_t i = 0; i < COUNT(inside); i++) {
    succeeded(ghz_lattice_make(GHZ_F32, i % 2 ? rel : psnr, inside[i], inside[i], &l), NULL, "constant");
    cr_assert_eq(l.step, fabs(inside[i]));
    cr_assert_eq(l.eb, fabs(inside[i]) * 0x1p-16);
  }
  for (size_t i = 0; i < COUNT(outside); i++) {
    succeeded(ghz_lattice_make(GHZ_F32, rel, outside[i], outside[i], &l), NULL, "constant");
    cr_assert_eq(l.step, 0);
    cr_assert_eq(l.eb, fabs(outside[i]) * 0x1p-16);
  }
  succeeded(ghz_lattice_make(GHZ_F64, rel, 5e-324, 5e-324, &l), NULL, "denormal constant");
  cr_assert(l.step == 0 && l.eb > 0);
  succeeded(ghz_lattice_make(GHZ_F32, rel, INFINITY, -INFINITY, &l), NULL, "nothing finite");
  cr_assert(l.step == 1 && l.eb == 0x1p-16);
}

Test(api, ranges) {
  float x[5000];
  double min, max;
  for (int i = 0; i < 5000; i++)
    x[i] = (float)(i - 2000);
  x[17] = NAN;
  x[18] = INFINITY;
  x[4999] = -INFINITY;
  cr_assert_eq(ghz_range(ctx, GHZ_F32, x, 5000, &min, &max), GHZ_OK);
  cr_assert(min == -2000 && max == 2998);
  cr_assert_eq(ghz_range(ctx, GHZ_F32, x, 0, &min, &max), GHZ_OK);
  cr_assert(min == INFINITY && max == -INFINITY);
  cr_assert_eq(ghz_range(ctx, GHZ_F32, x + 17, 2, &min, &max), GHZ_OK);
  cr_assert(min == INFINITY && max == -INFINITY);
  cr_assert_eq(ghz_range(ctx, GHZ_F32, NULL, 0, &min, &max), GHZ_OK);
  cr_assert_eq(ghz_range(ctx, GHZ_F32, NULL, 1, &min, &max), GHZ_EINVAL);
  cr_assert_eq(ghz_range(ctx, (ghz_type)3, x, 5, &min, &max), GHZ_EINVAL);
  cr_assert_eq(ghz_range(ctx, GHZ_F32, x, 5, NULL, &max), GHZ_EINVAL);
}

Test(api, ranges_of_every_input) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t in = 0; in < input_count; in++)
      for (size_t n = 1; n < 70000; n = 3 * n + 1) {
        SCOPE;
        void *x = input_make(&inputs[in], (ghz_type)type, n, 1, in);
        double low, high, min, max;
        range_of((ghz_type)type, x, n, &low, &high);
        succeeded(ghz_range(ctx, (ghz_type)type, x, n, &min, &max), ctx, "range");
        cr_assert(min == low && max == high, "%s, type %d, n %zu", inputs[in].name, type, n);
      }
}

/* ---- Compress and decompress: arguments ---- */
Test(api, compress_arguments) {
  float x[10] = {1};
  uint8_t dst[4096];
  size_t size = 0;
  ghz_lattice l = lattice_abs(GHZ_F32, 0.1), bad;
  cr_assert_eq(ghz_compress(ctx, NULL, 0, x, 10, dst, sizeof dst, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_compress(ctx, &l, 3, x, 10, dst, sizeof dst, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_compress(ctx, &l, -3, x, 10, dst, sizeof dst, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_compress(ctx, &l, 0, NULL, 10, dst, sizeof dst, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_compress(ctx, &l, 0, x, 10, NULL, sizeof dst, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_compress(ctx, &l, 0, x, 10, dst, sizeof dst, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_compress(ctx, &l, 0, NULL, 0, dst, sizeof dst, &size), GHZ_OK);
  static const double steps[] = {NAN, INFINITY, -1, 0x1p121, 0x1p-121};
  for (size_t i = 0; i < 5; i++) {
    bad = l;
    bad.step = steps[i];
    cr_assert_eq(ghz_compress(ctx, &bad, 0, x, 10, dst, sizeof dst, &size), GHZ_EINVAL, "step %g", steps[i]);
  }
  bad = l;
  bad.cap = 44;
  cr_assert_eq(ghz_compress(ctx, &bad, 0, x, 10, dst, sizeof dst, &size), GHZ_EINVAL);
  bad = l;
  bad.type = (ghz_type)5;
  cr_assert_eq(ghz_compress(ctx, &bad, 0, x, 10, dst, sizeof dst, &size), GHZ_EINVAL);
  bad = l;
  bad.eb = NAN;
  cr_assert_eq(ghz_compress(ctx, &bad, 0, x, 10, dst, sizeof dst, &size), GHZ_EINVAL);
}

Test(api, decompress_arguments) {
  ref_bytes s32 = stream_by("walk", GHZ_F32, 100, 1), s64 = stream_by("walk", GHZ_F64, 100, 1);
  double y[100];
  cr_assert_eq(ghz_decompress(ctx, view(s32), (ghz_type)2, y, 100), GHZ_EINVAL);
  cr_assert_eq(ghz_decompress(ctx, view(s32), GHZ_F32, NULL, 100), GHZ_EINVAL);
  cr_assert_eq(ghz_decompress(ctx, view(s32), GHZ_F32, y, 99), GHZ_ECAPACITY);
  cr_assert_eq(ghz_decompress(ctx, view(s32), GHZ_F32, y, 0), GHZ_ECAPACITY);
  cr_assert_eq(ghz_decompress(ctx, view(s64), GHZ_F32, y, 100), GHZ_EINVAL);
  cr_assert_eq(ghz_decompress(ctx, view(s64), GHZ_F64, y, 100), GHZ_OK);
  cr_assert_eq(ghz_decompress(ctx, view(s32), GHZ_F64, y, 100), GHZ_OK);
  ghz_bytes nothing = {NULL, 0}, null = {NULL, 100};
  ghz_status status = ghz_decompress(ctx, nothing, GHZ_F32, y, 100);
  cr_assert(status == GHZ_EINVAL || status == GHZ_ECORRUPT);
  status = ghz_decompress(ctx, null, GHZ_F32, y, 100);
  cr_assert(status == GHZ_EINVAL || status == GHZ_ECORRUPT);
}

/* No value beyond the stream's is written. */
Test(api, decompress_writes_count_values) {
  for (size_t n = 0; n < 3000; n += n < 40 ? 1 : 491) {
    SCOPE;
    ref_bytes s = stream_by("walk", GHZ_F32, n, 1);
    float *y = scratch((n + 40) * sizeof *y);
    memset(y, 0x5a, (n + 40) * sizeof *y);
    cr_assert_eq(ghz_decompress(ctx, view(s), GHZ_F32, y, n + 40), GHZ_OK);
    for (size_t i = 4 * n; i < 4 * (n + 40); i++)
      cr_assert_eq(((uint8_t *)y)[i], 0x5a, "n %zu: byte %zu beyond the values was written", n, i - 4 * n);
  }
}

/* Buffers lie anywhere: values at the alignment of their type, streams at odd bytes. */
Test(api, unaligned_buffers) {
  static const size_t lengths[] = {100, 3000, 70000, 9000000};
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (int k = 0; k < 4; k++)
      for (size_t shift = 1; shift < 16; shift += k == 3 ? 13 : 3) {
        SCOPE;
        size_t n = type == GHZ_F64 ? lengths[k] / 2 : lengths[k], each = ghz_type_size((ghz_type)type);
        ghz_lattice l = lattice_abs((ghz_type)type, 0.01);
        char *x = input_make(input_named("walk"), (ghz_type)type, n + 16, l.step, 1);
        ref_bytes aligned = compress(ctx, &l, GHZ_ORDER_BEST, x + shift * each, n);
        ref_bytes odd = bytes_new(ghz_size_bound(n, (ghz_type)type, 1) + shift);
        size_t size;
        succeeded(ghz_compress(ctx, &l, -1, x + shift * each, n, odd.data + shift, odd.size - shift, &size),
                  ctx, "odd");
        cr_assert(size == aligned.size && memcmp(odd.data + shift, aligned.data, size) == 0);
        char *y = scratch((n + 16) * each), *z = decompress(ctx, aligned, (ghz_type)type);
        ghz_bytes s = {odd.data + shift, size};
        succeeded(ghz_decompress(ctx, s, (ghz_type)type, y + shift * each, n), ctx, "odd");
        same_values(y + shift * each, z, n, (ghz_type)type, say("shift %zu, n %zu", shift, n));
      }
}

/* ---- Capacities ---- */
/* Every capacity from 0 to the size that it takes: ECAPACITY below it. Between the size and the
 * bound a call may succeed or not, but a capacity of exactly the size must do. */
static void check_capacities(const call *c, const operands *o) {
  SCOPE;
  answer all = answer_make(o, 0);
  succeeded(c->run(ctx, o, &all), ctx, c->name);
  for (size_t room = 0; room <= all.size; room += all.size < 600 || room > all.size - 100 ? 1 : 7) {
    SCOPE;
    answer exact = {.bytes = scratch(room), .room = room};
    ghz_status status = c->run(ctx, o, &exact), wanted = room == all.size ? GHZ_OK : GHZ_ECAPACITY;
    cr_assert_eq(status, wanted, "%s: capacity %zu of %zu: %s", c->name, room, all.size,
                 ghz_status_text(status));
    if (status == GHZ_OK)
      same_bytes(answered(&exact), answered(&all), c->name);
  }
}

Test(api, capacities_at_every_size) {
  static const char *const makers[] = {"walk", "random_bits", "specials", "zeros"};
  static const size_t lengths[] = {0, 1, 40, 1030, 2500};
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (int m = 0; m < 4; m++)
      for (size_t k = 0; k < 5; k++) {
        SCOPE;
        ghz_lattice l = lattice_abs((ghz_type)type, 0.01);
        operands o = operands_make(&l, lengths[k], 3, makers[m], "mixture", 0);
        for (size_t c = 0; c < call_count; c++)
          if (calls[c].makes_stream)
            check_capacities(&calls[c], &o);
      }
}

/* ---- Operands that do not fit together ---- */
static ghz_status try_add(ref_bytes a, ref_bytes b) {
  static uint8_t dst[1 << 16];
  size_t size;
  ghz_status one = ghz_add(ctx, view(a), view(b), dst, sizeof dst, &size);
  ghz_status other = ghz_minimum(ctx, view(b), view(a), dst, sizeof dst, &size);
  cr_assert_eq(one, other);
  return one;
}

Test(api, mismatches) {
  double x[200] = {1, 2, 3};
  ghz_lattice l = lattice_abs(GHZ_F64, 0.01), cap = l, step = l, eb = l;
  cap.cap = 35;
  step.step *= 1.5;
  eb.eb *= 1.5;
  ghz_lattice l32 = lattice_abs(GHZ_F32, 0.01);
  ref_bytes base = compress(ctx, &l, -1, x, 100);
  ref_bytes others[5] = {compress(ctx, &l, -1, x, 101), compress(ctx, &cap, -1, x, 100),
                         compress(ctx, &step, -1, x, 100), compress(ctx, &eb, -1, x, 100),
                         compress(ctx, &l32, -1, x, 100)};
  for (int i = 0; i < 5; i++) {
    cr_assert_eq(try_add(base, others[i]), GHZ_EMISMATCH, "other %d", i);
    cr_assert_gt(strlen(ghz_context_message(ctx)), 0, "other %d: no message", i);
  }
  cr_assert_eq(try_add(base, base), GHZ_OK);
}

Test(api, operation_arguments) {
  ref_bytes s = stream_by("walk", GHZ_F32, 100, 1);
  ghz_bytes a = view(s);
  uint8_t dst[4096];
  size_t size, room = sizeof dst;
  static const int64_t one = 1;
  cr_assert_eq(ghz_add(ctx, a, a, NULL, room, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_add(ctx, a, a, dst, room, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_sum(ctx, 0, &a, dst, room, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_sum(ctx, 1, NULL, dst, room, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_mean(ctx, 0, &a, dst, room, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_combine(ctx, 0, &a, &one, dst, room, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_combine(ctx, 1, &a, NULL, dst, room, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_accumulate(ctx, NULL, room, &size, a), GHZ_EINVAL);
  cr_assert_eq(ghz_accumulate(ctx, dst, room, NULL, a), GHZ_EINVAL);
  size = room + 1;
  cr_assert_neq(ghz_accumulate(ctx, dst, room, &size, a), GHZ_OK);
  static const double factors[] = {0, -0.0, NAN, INFINITY, -INFINITY, 1e300, 1e-300, 5e-324};
  for (size_t i = 0; i < 8; i++)
    cr_assert_eq(ghz_scale(ctx, a, factors[i], dst, room, &size), GHZ_EINVAL, "factor %g", factors[i]);
}

/* A coefficient of 0 drops the operand, after checking it. */
Test(api, dropped_operands_are_checked) {
  ref_bytes s = stream_by("walk", GHZ_F32, 100, 1), shorter = stream_by("walk", GHZ_F32, 99, 1);
  ref_bytes broken = bytes_copy(s.data, s.size - 1);
  static const int64_t c[2] = {1, 0};
  uint8_t dst[4096];
  size_t size;
  ghz_bytes good[2] = {view(s), view(s)}, bad[2] = {view(s), view(broken)}, other[2] = {view(s), view(shorter)};
  cr_assert_eq(ghz_combine(ctx, 2, good, c, dst, sizeof dst, &size), GHZ_OK);
  cr_assert(size == s.size && memcmp(dst, s.data, size) == 0);
  cr_assert_eq(ghz_combine(ctx, 2, bad, c, dst, sizeof dst, &size), GHZ_ECORRUPT);
  cr_assert_eq(ghz_combine(ctx, 2, other, c, dst, sizeof dst, &size), GHZ_EMISMATCH);
}

Test(api, accumulate_keeps_the_accumulator_on_error) {
  ref_bytes s = stream_by("walk", GHZ_F32, 3000, 1), other = stream_by("coarse_noise", GHZ_F32, 3000, 2);
  ref_bytes acc = bytes_copy(s.data, s.size);
  size_t size = acc.size;
  cr_assert_eq(ghz_accumulate(ctx, acc.data, acc.size, &size, view(other)), GHZ_ECAPACITY);
  cr_assert(size == s.size && memcmp(acc.data, s.data, size) == 0, "after ECAPACITY");
  other.data[other.size / 2] ^= 0xff;
  other.data[64 + 16] ^= 1;
  cr_assert_neq(ghz_accumulate(ctx, acc.data, acc.size, &size, view(other)), GHZ_OK);
  cr_assert(size == s.size && memcmp(acc.data, s.data, size) == 0, "after damage");
}

/* ---- Ranges ---- */
static void check_range(ref_bytes s, const void *all, ghz_type out, uint64_t first, size_t count) {
  SCOPE;
  size_t each = ghz_type_size(out);
  ref_bytes y = bytes_new(count * each);
  succeeded(ghz_decompress_range(ctx, view(s), out, first, count, y.data), ctx, "range");
  same_values(y.data, (const char *)all + first * each, count, out,
              say("values %llu + %zu", (unsigned long long)first, count));
}

Test(api, decompress_range) {
  enum { N = 40000 };
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (int out = type; out <= GHZ_F64; out++) {
      SCOPE;
      ref_bytes s = stream_by("mixture", (ghz_type)type, N, 8);
      void *all = decompress(ctx, s, (ghz_type)out);
      uint64_t state = 4;
      for (int round = 0; round < 300; round++) {
        uint64_t first = input_below(&state, N + 1);
        check_range(s, all, (ghz_type)out, first,
                    (size_t)input_below(&state, (round % 2 ? 50 : N) % (N - first + 1) + 1));
      }
      static const uint64_t edges[] = {0, 1, 1023, 1024, 1025, 16383, 16384, 32768, N - 1, N};
      for (size_t i = 0; i < 10; i++)
        for (size_t j = i; j < 10; j++)
          check_range(s, all, (ghz_type)out, edges[i], (size_t)(edges[j] - edges[i]));
    }
}

Test(api, ranges_outside) {
  ref_bytes s = stream_by("walk", GHZ_F32, 1000, 8), none = stream_by("walk", GHZ_F32, 0, 8);
  float y[10];
  cr_assert_eq(ghz_decompress_range(ctx, view(s), GHZ_F32, 1000, 1, y), GHZ_EINVAL);
  cr_assert_eq(ghz_decompress_range(ctx, view(s), GHZ_F32, 1001, 0, y), GHZ_EINVAL);
  cr_assert_eq(ghz_decompress_range(ctx, view(s), GHZ_F32, 995, 6, y), GHZ_EINVAL);
  cr_assert_eq(ghz_decompress_range(ctx, view(s), GHZ_F32, UINT64_MAX, 2, y), GHZ_EINVAL);
  cr_assert_eq(ghz_decompress_range(ctx, view(s), GHZ_F32, 2, SIZE_MAX, y), GHZ_EINVAL);
  cr_assert_eq(ghz_decompress_range(ctx, view(s), GHZ_F32, 1000, 0, y), GHZ_OK);
  cr_assert_eq(ghz_decompress_range(ctx, view(none), GHZ_F32, 0, 0, y), GHZ_OK);
}

/* Tiles outside the range are not looked at. */
Test(api, range_reads_its_tiles_alone) {
  ref_bytes s = stream_by("specials", GHZ_F32, 40000, 8);
  float *all = decompress(ctx, s, GHZ_F32);
  size_t size;
  uint8_t *tile = (uint8_t *)ref_tile_at(s.data, 20, &size);
  memset(tile, 0xff, size);
  check_range(s, all, GHZ_F32, 0, 20 * 1024);
  check_range(s, all, GHZ_F32, 21 * 1024, 40000 - 21 * 1024);
  float y[1];
  cr_assert_eq(ghz_decompress_range(ctx, view(s), GHZ_F32, 20 * 1024, 1, y), GHZ_ECORRUPT);
}

/* ---- What a stream says ---- */
Test(api, info) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    ref_bytes s = stream_by("mixture", (ghz_type)type, 5000, 1), three[3] = {s, s, s},
              total = sum(ctx, 3, three);
    ghz_info info = info_of(total);
    ghz_lattice l = lattice_abs((ghz_type)type, 0.01);
    cr_assert(info.lattice.type == l.type && info.lattice.cap == l.cap && info.lattice.step == l.step &&
              info.lattice.eb == l.eb);
    cr_assert(info.count == 5000 && info.tiles == 5 && info.terms == 3 && info.bytes == total.size);
    cr_assert_eq(info.inexact, ref_header_read(total.data).inexact);
    if (!info.inexact)
      cr_assert((quad)info.bound >= (quad)3 * l.eb && info.bound <= nextafter(3 * l.eb, 1));
    else
      cr_assert_eq(info.bound, INFINITY);
  }
  ghz_info info;
  ghz_bytes nothing = {NULL, 0};
  cr_assert_neq(ghz_info_read(nothing, &info), GHZ_OK);
  ref_bytes s = stream_by("walk", GHZ_F32, 10, 1);
  cr_assert_eq(ghz_info_read(view(s), NULL), GHZ_EINVAL);
}

/* Sums with values outside the lattice set the flag, whatever the order: what is zero beside them
 * may have cancelled. Compression and a sum of one stream do not. */
Test(api, inexact) {
  ref_bytes far = stream_by("beyond_lattice", GHZ_F32, 2000, 1), near = stream_by("walk", GHZ_F32, 2000, 1);
  ref_bytes zero = stream_by("zeros", GHZ_F32, 2000, 1);
  ref_bytes copied = add(ctx, far, zero), both = add(ctx, far, near), after = add(ctx, both, zero),
            minus = negate(ctx, far);
  cr_assert_not(info_of(far).inexact);
  cr_assert(info_of(copied).inexact);
  cr_assert(info_of(both).inexact);
  cr_assert(info_of(after).inexact);
  cr_assert(info_of(minus).inexact);
  cr_assert_eq(info_of(both).bound, INFINITY);
}

static void count_tile(const uint8_t *data, size_t size, ghz_statistics *want) {
  if (size == 0) {
    want->empty++;
    return;
  }
  if (data[0] == 0x18) {
    want->raw++;
    return;
  }
  want->order[data[0] & 3]++;
  want->mode[(data[0] >> 3) & 3]++;
  want->specials += (data[0] & 4) && (data[1] & 0x40);
}

Test(api, scan) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    SCOPE;
    ref_bytes s = stream_by("mixture", (ghz_type)type, 200500, 5);
    ref_header h = ref_header_read(s.data);
    ghz_statistics got, want = {0};
    for (uint64_t t = 0; t < ref_tiles(h.n); t++) {
      size_t size;
      const uint8_t *data = ref_tile_at(s.data, t, &size);
      count_tile(data, size, &want);
    }
    succeeded(ghz_scan(ctx, view(s), &got), ctx, "scan");
    cr_assert(got.raw == want.raw && got.specials == want.specials);
    for (int i = 0; i < 3; i++)
      cr_assert(got.mode[i] == want.mode[i] || got.mode[i] == want.mode[i] + want.empty, "mode %d", i);
    for (int i = 0; i < 3; i++)
      cr_assert(got.order[i] == want.order[i] || got.order[i] == want.order[i] + want.empty, "order %d", i);
    cr_assert_eq(got.empty, want.empty);
  }
}

Test(api, extrema) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t in = 0; in < input_count; in++) {
      SCOPE;
      ref_bytes s = stream_by(inputs[in].name, (ghz_type)type, 20000, 5), twice = add(ctx, s, s);
      for (int which = 0; which < 2; which++) {
        void *y = decompress(ctx, which ? twice : s, (ghz_type)type);
        double low, high, min, max;
        range_of((ghz_type)type, y, 20000, &low, &high);
        succeeded(ghz_extrema(ctx, view(which ? twice : s), &min, &max), ctx, "extrema");
        cr_assert(min == low && max == high, "%s, type %d: %a %a, should be %a %a", inputs[in].name, type, min,
                  max, low, high);
      }
    }
}

/* Nothing is larger than promised, on the data that is worst. */
Test(api, size_bounds_hold) {
  for (int type = GHZ_F32; type <= GHZ_F64; type++)
    for (size_t in = 0; in < input_count; in++)
      for (size_t n = 0; n < 5000; n = 2 * n + 1) {
        SCOPE;
        ref_bytes s = stream_by(inputs[in].name, (ghz_type)type, n, n);
        size_t tiles = (n + 1023) / 1024, chunks = (tiles + 15) / 16;
        cr_assert_leq(s.size, 64 + 8 * (chunks + 1) + 3 * tiles + n * ghz_type_size((ghz_type)type));
      }
}

/* (a - a) + far and a + (far - a) are both inexact: the flag does not depend on the order. */
Test(api, inexact_in_any_order) {
  ref_bytes far = stream_by("beyond_lattice", GHZ_F64, 5000, 1), a = stream_by("walk", GHZ_F64, 5000, 1);
  ref_bytes minus = negate(ctx, a), zero = add(ctx, a, minus), rest = add(ctx, far, minus);
  ref_bytes one = add(ctx, zero, far), other = add(ctx, a, rest);
  cr_assert(info_of(one).inexact);
  cr_assert(info_of(other).inexact);
}

/* The lattice of a constant, given other values, keeps its bound by storing them. */
Test(api, lattice_of_a_constant) {
  static const double ranges[][2] = {{2.5, 2.5}, {-7, -7}, {INFINITY, -INFINITY}};
  for (size_t r = 0; r < COUNT(ranges); r++)
    for (int kind = GHZ_REL; kind <= GHZ_PSNR; kind++) {
      enum { N = 3000 };
      static float x[N], y[N];
      static unsigned char stream[8 * N + 4096];
      ghz_lattice l;
      size_t size;
      cr_assert_eq(ghz_lattice_make(GHZ_F32, (ghz_bound){(ghz_bound_kind)kind, kind == GHZ_REL ? 1e-3 : 60},
                                    ranges[r][0], ranges[r][1], &l),
                   GHZ_OK);
      for (int i = 0; i < N; i++)
        x[i] = i < 1024 ? (float)l.step : 2.5f + (float)i * 0.0013f;
      cr_assert_eq(ghz_compress(ctx, &l, GHZ_ORDER_BEST, x, N, stream, sizeof stream, &size), GHZ_OK);
      cr_assert_eq(ghz_decompress(ctx, (ghz_bytes){stream, size}, GHZ_F32, y, N), GHZ_OK);
      for (int i = 0; i < N; i++)
        cr_assert(fabs((double)x[i] - (double)y[i]) <= l.eb, "range %zu: %g came back as %g", r, (double)x[i],
                  (double)y[i]);
    }
}

/* A range that is the wrong way round is no range; one that nothing finite gave is. */
Test(api, ranges_that_are_none) {
  ghz_lattice l;
  static const double bad[][2] = {{10, -10}, {0, INFINITY}, {-INFINITY, 0}, {NAN, 1}, {-INFINITY, INFINITY}};
  for (size_t i = 0; i < COUNT(bad); i++)
    cr_assert_eq(ghz_lattice_make(GHZ_F64, (ghz_bound){GHZ_REL, 1e-3}, bad[i][0], bad[i][1], &l), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_make(GHZ_F64, (ghz_bound){GHZ_REL, 1e-3}, INFINITY, -INFINITY, &l), GHZ_OK);
}

/* A range that nobody measured, and one that zeros gave. */
Test(api, range_of_zeros) {
  static const ghz_bound relative[] = {{GHZ_REL, 1e-3}, {GHZ_PSNR, 60}};
  ghz_lattice l;
  const float zeros[3] = {0, -0.0f, NAN};
  for (size_t i = 0; i < COUNT(relative); i++) {
    cr_assert_eq(ghz_lattice_make(GHZ_F32, relative[i], 0, 0, &l), GHZ_EINVAL);
    cr_assert_eq(ghz_lattice_make(GHZ_F64, relative[i], -0.0, 0, &l), GHZ_EINVAL);
    succeeded(ghz_lattice_for(ctx, GHZ_F32, relative[i], NULL, 1, (const void *[]){zeros}, 3, &l), ctx,
              "zeros");
    cr_assert(l.step == 1 && l.eb == 0x1p-16 && !l.has_fill);
  }
  succeeded(ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 1e-3}, 0, 0, &l), NULL, "absolute");
}

/* ---- Fill values ---- */
Test(api, fill_values) {
  static const double of_both[] = {0, -0.0, -999, (double)1e20f, (double)9.96921e36f, FLT_MAX, FLT_TRUE_MIN},
                      of_doubles[] = {1e20, 0.1, 1e39, DBL_MAX, DBL_TRUE_MIN},
                      of_none[] = {NAN, INFINITY, -INFINITY};
  ghz_lattice narrow = lattice_abs(GHZ_F32, 1e-3), wide = lattice_abs(GHZ_F64, 1e-3);
  for (size_t i = 0; i < COUNT(of_both); i++) {
    succeeded(ghz_lattice_set_fill(&narrow, of_both[i]), NULL, "fill of floats");
    succeeded(ghz_lattice_set_fill(&wide, of_both[i]), NULL, "fill of doubles");
    cr_assert(narrow.has_fill == 1 && narrow.fill == of_both[i] && signbit(narrow.fill) == signbit(of_both[i]));
  }
  const ghz_lattice before = narrow;
  for (size_t i = 0; i < COUNT(of_doubles); i++) {
    cr_assert_eq(ghz_lattice_set_fill(&narrow, of_doubles[i]), GHZ_EINVAL, "%g", of_doubles[i]);
    succeeded(ghz_lattice_set_fill(&wide, of_doubles[i]), NULL, "fill of doubles");
  }
  for (size_t i = 0; i < COUNT(of_none); i++) {
    cr_assert_eq(ghz_lattice_set_fill(&narrow, of_none[i]), GHZ_EINVAL);
    cr_assert_eq(ghz_lattice_set_fill(&wide, of_none[i]), GHZ_EINVAL);
  }
  cr_assert(narrow.fill == before.fill && narrow.has_fill, "a fill that is refused changes nothing");
  cr_assert_eq(ghz_lattice_set_fill(NULL, 0), GHZ_EINVAL);
}

Test(api, range_without_fill) {
  float x[5000];
  double d[5000], low, high;
  for (int i = 0; i < 5000; i++) {
    x[i] = i % 3 ? (float)(250 + i % 40) : 1e20f;
    d[i] = i % 3 ? 250 + i % 40 : i % 2 ? 0.0 : -0.0;
  }
  succeeded(ghz_range_without(ctx, GHZ_F32, x, 5000, (double)1e20f, &low, &high), ctx, "range of floats");
  cr_assert(low == 250 && high == 289, "%g to %g", low, high);
  succeeded(ghz_range_without(ctx, GHZ_F64, d, 5000, -0.0, &low, &high), ctx, "range of doubles");
  cr_assert(low == 250 && high == 289, "%g to %g", low, high);
  succeeded(ghz_range_without(ctx, GHZ_F32, x, 1, (double)1e20f, &low, &high), ctx, "nothing but fill");
  cr_assert(low == INFINITY && high == -INFINITY);
  cr_assert_eq(ghz_range_without(ctx, GHZ_F32, x, 5000, 1e20, &low, &high), GHZ_EINVAL);
  cr_assert_eq(ghz_range_without(ctx, GHZ_F32, x, 5000, NAN, &low, &high), GHZ_EINVAL);
  cr_assert_eq(ghz_range_without(ctx, GHZ_F32, NULL, 5000, 0, &low, &high), GHZ_EINVAL);
}

/* One array, or several that are to be added. */
Test(api, lattice_for_arrays) {
  const float a[4] = {1, 2, 1e20f, 3}, b[4] = {-7, 1e20f, 1e20f, 0}, c[2] = {4, 4};
  const double fill = (double)1e20f, none = 1e20;
  const void *const both[2] = {a, b}, *const constant[1] = {c};
  const ghz_bound rel = {GHZ_REL, 1e-3}, abs = {GHZ_ABS, 1e-3}, bad = {GHZ_REL, 0};
  ghz_lattice got, want;
  succeeded(ghz_lattice_for(ctx, GHZ_F32, rel, &fill, 2, both, 4, &got), ctx, "two arrays");
  succeeded(ghz_lattice_make(GHZ_F32, rel, -7, 3, &want), NULL, "their range");
  cr_assert(got.step == want.step && got.eb == want.eb && got.has_fill && got.fill == fill);
  succeeded(ghz_lattice_for(ctx, GHZ_F32, rel, NULL, 1, constant, 2, &got), ctx, "a constant");
  cr_assert(got.step == 4 && !got.has_fill);
  succeeded(ghz_lattice_for(ctx, GHZ_F32, abs, &fill, 2, both, 4, &got), ctx, "absolute");
  cr_assert(got.eb == 1e-3 && got.has_fill);
  succeeded(ghz_lattice_for(ctx, GHZ_F32, rel, NULL, 2, both, 0, &got), ctx, "no values");
  cr_assert_eq(ghz_lattice_for(ctx, GHZ_F32, rel, &none, 2, both, 4, &got), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_for(ctx, GHZ_F32, abs, &none, 2, both, 4, &got), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_for(ctx, GHZ_F32, bad, NULL, 2, both, 4, &got), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_for(ctx, GHZ_F32, rel, NULL, 0, both, 4, &got), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_for(ctx, GHZ_F32, rel, NULL, 2, NULL, 4, &got), GHZ_EINVAL);
  cr_assert_eq(ghz_lattice_for(ctx, GHZ_F32, rel, NULL, 2, both, 4, NULL), GHZ_EINVAL);
}

/* Other fills are another lattice; the message names both. */
Test(api, fills_that_differ) {
  enum { N = 1500 };
  static const double fills[] = {NAN, 0, -0.0, -999};
  const float *x = input_make(input_named("walk"), GHZ_F32, N, 0.01, 1);
  ref_bytes s[COUNT(fills)];
  for (size_t i = 0; i < COUNT(fills); i++) {
    ghz_lattice l = lattice_abs(GHZ_F32, 0.01);
    if (i)
      succeeded(ghz_lattice_set_fill(&l, fills[i]), NULL, "fill");
    s[i] = compress(ctx, &l, GHZ_ORDER_BEST, x, N);
  }
  for (size_t i = 0; i < COUNT(fills); i++)
    for (size_t j = 0; j < COUNT(fills); j++) {
      ref_bytes room = bytes_new(ghz_size_bound(N, GHZ_F32, 2));
      size_t size;
      ghz_status status = ghz_add(ctx, view(s[i]), view(s[j]), room.data, room.size, &size);
      cr_assert_eq(status, i == j ? GHZ_OK : GHZ_EMISMATCH, "fills %g and %g", fills[i], fills[j]);
      if (i == 0 && j == 3)
        cr_assert_str_eq(ghz_context_message(ctx), "fill value -999 in operand 1, no fill value in operand 0");
      const ghz_slice parts[2] = {slice_of(s[i], 0, 1), slice_of(s[j], 1, 1)};
      cr_assert_eq(ghz_slice_join(ctx, 2, parts, room.data, room.size, &size), i == j ? GHZ_OK : GHZ_EMISMATCH);
    }
}
