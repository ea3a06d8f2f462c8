/* test_api.c: the contract of every call: arguments, capacities, operands, parts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/numbers.h>

#include "calls.h"
#include "support.h"
#include <math.h>
#include <stdio.h>

SUITE_WITH_CONTEXT(api);

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
  cr_assert_eq(ghz_context_create(&other, 0), GHZ_OK);
  cr_assert_geq(ghz_context_threads(other), 1);
  cr_assert_eq(ghz_context_set_threads(other, -5), GHZ_EINVAL);
  cr_assert_eq(ghz_context_set_threads(other, 5), GHZ_OK);
  cr_assert_eq(ghz_context_threads(other), 5);
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
}

Test(api, type_sizes) {
  cr_assert_eq(ghz_type_size(GHZ_F32), 4);
  cr_assert_eq(ghz_type_size(GHZ_F64), 8);
  static const size_t bytes[] = {1, 2, 4, 8, 1, 2, 4};
  for (int type = GHZ_I8; type <= GHZ_U32; type++)
    cr_assert_eq(ghz_type_size((ghz_type)type), bytes[type - GHZ_I8]);
  cr_assert_eq(ghz_type_size((ghz_type)9), 0);
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

/* ---- Compress and decompress: arguments ---- */
Test(api, compress_arguments) {
  float x[10] = {1};
  uint8_t dst[4096];
  size_t size = 0;
  ghz_lattice l = lattice_abs(GHZ_F32, 0.1), bad;
  cr_assert_eq(ghz_compress(ctx, &l, -3, x, 10, dst, sizeof dst, &size), GHZ_EINVAL);
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
  bad.type = (ghz_type)9;
  cr_assert_eq(ghz_compress(ctx, &bad, 0, x, 10, dst, sizeof dst, &size), GHZ_EINVAL);
  bad = l;
  bad.eb = NAN;
  cr_assert_eq(ghz_compress(ctx, &bad, 0, x, 10, dst, sizeof dst, &size), GHZ_EINVAL);
}

Test(api, decompress_arguments) {
  ref_bytes s32 = stream_by(ctx, "walk", GHZ_F32, 100, 1), s64 = stream_by(ctx, "walk", GHZ_F64, 100, 1);
  double y[100];
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
    ref_bytes s = stream_by(ctx, "walk", GHZ_F32, n, 1);
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
  const size_t needed = all.size > all.begin ? all.size : all.begin;
  for (size_t room = 0; room <= needed; room += needed < 600 || room > needed - 100 ? 1 : 7) {
    SCOPE;
    answer exact = {.bytes = scratch(room), .room = room};
    ghz_status status = c->run(ctx, o, &exact), wanted = room == needed ? GHZ_OK : GHZ_ECAPACITY;
    cr_assert_eq(status, wanted, "%s: capacity %zu of %zu: %s", c->name, room, needed, ghz_status_text(status));
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
/* Each differs from the first, and from all others, in one thing, which the message names. */
Test(api, operands_that_differ) {
  const ghz_lattice l = lattice_abs(GHZ_F64, 0.01), narrow = lattice_abs(GHZ_F32, 0.01);
  const ghz_shape flat = ghz_flat(1024);
  const struct {
    ghz_lattice l;
    ghz_shape shape;
    const char *words;
  } of[] = {{l, flat, ""},
            {l, ghz_flat(1025), "1024 values|1025 values"},
            {narrow, flat, "float32|float64"},
            {{GHZ_F64, 35, l.step, l.eb, 0, 0}, flat, "cap"},
            {{GHZ_F64, 44, 1.5 * l.step, l.eb, 0, 0}, flat, "step"},
            {{GHZ_F64, 44, l.step, nextafter(l.eb, 1), 0, 0}, flat, "bound"},
            {{GHZ_F64, 44, l.step, l.eb, 1, 0}, flat, "fill value 0 in operand 1, no fill value in operand 0"},
            {{GHZ_F64, 44, l.step, l.eb, 1, -0.0}, flat, "fill value -0 in operand 1"},
            {{GHZ_F64, 44, l.step, l.eb, 1, -999}, flat, "fill value -999 in operand 1"},
            {l, {3, {8, 8, 16}}, "1024 values|8 x 8 x 16"},
            {l, {3, {8, 16, 8}}, "8 x 16 x 8"},
            {l, {2, {8, 8, 16}}, "8 planes of 8 x 16"}};
  static const double zeros[1025];
  ref_bytes s[COUNT(of)], room = bytes_new(1 << 16);
  for (size_t i = 0; i < COUNT(of); i++)
    s[i] = compress_shape(ctx, &of[i].l, GHZ_ORDER_LORENZO, zeros, &of[i].shape);
  for (size_t i = 0; i < COUNT(of); i++)
    for (size_t j = 0; j < COUNT(of); j++) {
      const char *words = i == 0 ? of[j].words : "", *what = say("%zu and %zu", i, j);
      const ghz_status want = i == j ? GHZ_OK : GHZ_EMISMATCH;
      const ghz_bytes both[2] = {view(s[i]), view(s[j])};
      const ghz_slice parts[2] = {slice_of(s[i], 0, 1), slice_of(s[j], 0, 1)};
      ghz_slice part;
      ghz_comparison d;
      size_t size;
      says(ghz_add(ctx, both[0], both[1], room.data, room.size, &size), want, ctx, words, what);
      says(ghz_minimum(ctx, both[0], both[1], room.data, room.size, &size), want, ctx, words, what);
      says(ghz_linear(ctx, 2, both, (int64_t[]){1, 0}, 1, room.data, room.size, &size), want, ctx, words, what);
      says(ghz_difference(ctx, both[0], both[1], &d), want, ctx, words, what);
      says(ghz_slice_sum(ctx, 2, parts, room.data, room.size, &part), want, ctx, words, what);
    }
}

Test(api, operation_arguments) {
  ref_bytes s = stream_by(ctx, "walk", GHZ_F32, 100, 1);
  ghz_bytes a = view(s);
  uint8_t dst[4096];
  size_t size, room = sizeof dst;
  static const int64_t one = 1;
  cr_assert_eq(ghz_add(ctx, a, a, NULL, room, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_add(ctx, a, a, dst, room, NULL), GHZ_EINVAL);
  cr_assert_eq(ghz_mean(ctx, 0, &a, dst, room, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_linear(ctx, 0, &a, &one, 1, dst, room, &size), GHZ_EINVAL);
  cr_assert_eq(ghz_linear(ctx, 1, &a, &one, 0, dst, room, &size), GHZ_EINVAL);
  cr_assert_eq(
      ghz_linear(ctx, 2, (ghz_bytes[]){a, {a.data, a.size - 1}}, (int64_t[]){1, 0}, 1, dst, room, &size),
      GHZ_ECORRUPT, "what has no weight is checked, too");
  cr_assert_eq(ghz_accumulate(ctx, dst, room, NULL, a), GHZ_EINVAL);
  static const double factors[] = {0, -0.0, NAN, INFINITY, -INFINITY, 1e300, 1e-300, 5e-324};
  for (size_t i = 0; i < 8; i++)
    cr_assert_eq(ghz_scale(ctx, a, factors[i], dst, room, &size), GHZ_EINVAL, "factor %g", factors[i]);
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

Test(api, ranges_outside) {
  ref_bytes s = stream_by(ctx, "walk", GHZ_F32, 1000, 8), none = stream_by(ctx, "walk", GHZ_F32, 0, 8);
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
  ref_bytes s = stream_by(ctx, "specials", GHZ_F32, 40000, 8);
  float *all = decompress(ctx, s, GHZ_F32);
  size_t size;
  uint8_t *tile = (uint8_t *)ref_tile_at(s.data, 20, &size);
  memset(tile, 0xff, size);
  check_range(s, all, GHZ_F32, 0, 20 * 1024);
  check_range(s, all, GHZ_F32, 21 * 1024, 40000 - 21 * 1024);
  float y[1];
  cr_assert_eq(ghz_decompress_range(ctx, view(s), GHZ_F32, 20 * 1024, 1, y), GHZ_ECORRUPT);
}
