/* test_messages.c: what the library says of calls that fail: what, and why; with a context in it,
 * without one in the thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/numbers.h>
#include <ghz/quality.h>

#include "damage.h"
#include "support.h"
#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

static ghz_lattice lattice;
static ghz_info info;
static ghz_slice slice;
static ghz_shape shape;
static ref_bytes stream;

static void start(void) {
  CONTEXT(ctx, NULL, 1);
  lattice = lattice_abs(GHZ_F32, 0.01);
  stream = stream_of(ctx, &lattice, GHZ_ORDER_BEST, "walk", 5000, 1);
  slice = slice_of(stream, 1, 3);
}

TestSuite(messages, .init = start, .timeout = 60);

#define SAYS(status, words, call) says(call, status, NULL, words, #call)

/* ---- Without a context ---- */
static ghz_status make(ghz_bound_kind kind, double value, double min, double max) {
  return ghz_lattice_make(GHZ_F32, (ghz_bound){kind, value}, min, max, &lattice);
}

Test(messages, lattices) {
  SAYS(GHZ_EINVAL, "bound 0: must be above 0", make(GHZ_ABS, 0, 0, 1));
  SAYS(GHZ_EINVAL, "bound -1.5: must be above 0", make(GHZ_REL, -1.5, 0, 1));
  SAYS(GHZ_EINVAL, "bound nan|finite", make(GHZ_PSNR, NAN, 0, 1));
  SAYS(GHZ_EINVAL, "bound inf|finite", make(GHZ_ABS, INFINITY, 0, 1));
  SAYS(GHZ_EINVAL, "kind 7|unknown", make((ghz_bound_kind)7, 1, 0, 1));
  SAYS(GHZ_EINVAL, "range 2 .. 1|ghz_range", make(GHZ_REL, 0.1, 2, 1));
  SAYS(GHZ_EINVAL, "range nan", make(GHZ_REL, 0.1, NAN, 1));
  SAYS(GHZ_EINVAL, "type 9 is unknown", ghz_lattice_make((ghz_type)9, (ghz_bound){GHZ_ABS, 1}, 0, 0, &lattice));
  SAYS(GHZ_EINVAL, "lattice is NULL", ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 1}, 0, 0, NULL));
}

Test(messages, meters) {
  const uint64_t extents[33] = {3, UINT64_MAX / 2};
  const double x[3] = {1, 2, NAN};
  ghz_meter *m;
  ghz_quality q;
  SAYS(GHZ_EINVAL, "meter is NULL", ghz_meter_create(1, extents, NULL));
  SAYS(GHZ_EINVAL, "extent is NULL", ghz_meter_create(1, NULL, &m));
  SAYS(GHZ_EINVAL, "-1 dimensions: must be 0 to 32", ghz_meter_create(-1, NULL, &m));
  SAYS(GHZ_EINVAL, "33 dimensions: must be 0 to 32", ghz_meter_create(33, extents, &m));
  SAYS(GHZ_EINVAL, "too many values", ghz_meter_create(2, extents, &m));
  SAYS(GHZ_ENOMEM, "out of memory", ghz_meter_create(2, (const uint64_t[]){2, (uint64_t)1 << 61}, &m));
  cr_expect_null(m);
  cr_assert_eq(ghz_meter_create(1, extents, &m), GHZ_OK);
  ghz_meter_add(m, x, x, 2);
  SAYS(GHZ_EINVAL, "the array is not complete", ghz_meter_read(m, &q));
  SAYS(GHZ_EINVAL, "meter or quality is NULL", ghz_meter_read(m, NULL));
  ghz_meter_add(m, x + 2, x + 2, 1);
  ghz_meter_add(m, x, x, 3); /* more than the array has */
  cr_expect_eq(ghz_meter_read(m, &q), GHZ_OK);
  cr_expect(q.count == 3 && q.finite == 2 && q.mismatches == 0 && q.error == 0 && q.correlation == 1);
  ghz_meter_free(m);
  ghz_meter_free(NULL);
}

/* Nothing is kept for an axis of extent 1, nor for an array without values. */
Test(messages, meters_of_long_and_of_empty_axes) {
  const uint64_t extents[2][3] = {{1, 1, (uint64_t)1 << 61}, {0, (uint64_t)1 << 33, (uint64_t)1 << 33}};
  for (int i = 0; i < 2; i++) {
    ghz_meter *m;
    cr_expect_eq(ghz_meter_create(3, extents[i], &m), GHZ_OK);
    ghz_meter_free(m);
  }
}

/* In a program whose locale has a comma for a point, which it keeps. */
Test(messages, numbers_are_those_of_C) {
  if (!setlocale(LC_ALL, "de_DE.UTF-8"))
    cr_skip("no locale with a comma");
  CONTEXT(ctx, NULL, 1);
  ghz_lattice filled = lattice;
  SAYS(GHZ_EINVAL, "bound -1.5: must be above 0", make(GHZ_REL, -1.5, 0, 1));
  succeeded(ghz_lattice_set_fill(&filled, -99.5), NULL, "fill");
  const ref_bytes other = stream_of(ctx, &filled, GHZ_ORDER_BEST, "walk", 5000, 1);
  const ghz_bytes both[] = {view(stream), view(other)};
  void *sum;
  size_t size;
  says(ghz_sum_alloc(ctx, 2, both, &sum, &size), GHZ_EMISMATCH, ctx, "fill value -99.5 in operand 1", "sum");
  cr_expect_str_eq(localeconv()->decimal_point, ",");
}

Test(messages, shapes) {
  const uint64_t huge[2] = {UINT64_MAX, 2};
  SAYS(GHZ_EINVAL, "rank 0", ghz_shape_make(0, huge, &shape));
  SAYS(GHZ_EINVAL, "extents|is NULL", ghz_shape_make(2, NULL, &shape));
  SAYS(GHZ_EINVAL, "shape is NULL", ghz_shape_make(2, huge, NULL));
  SAYS(GHZ_EINVAL, "2 extents|2^64", ghz_shape_make(2, huge, &shape));
}

Test(messages, streams) {
  const uint8_t old[64] = {'G', 'H', 'Z', '1'}, less_old[64] = {'G', 'H', 'Z', '2'};
  SAYS(GHZ_EINVAL, "info is NULL", ghz_info_read(view(stream), NULL));
  SAYS(GHZ_EINVAL, "no data", ghz_info_read((ghz_bytes){NULL, 10}, &info));
  SAYS(GHZ_ECORRUPT, "no ghz header",
       ghz_info_read((ghz_bytes){"no stream, but more than 64 bytes of plain text: a header has 64.", 66},
                     &info));
  SAYS(GHZ_EVERSION, "format 1|version 0.1 ", ghz_info_read((ghz_bytes){old, 64}, &info));
  SAYS(GHZ_EVERSION, "format 2|version 0.2 of ghz before its release|not read",
       ghz_info_read((ghz_bytes){less_old, 64}, &info));
  SAYS(GHZ_ECORRUPT, "do not fit its header", ghz_info_read((ghz_bytes){stream.data, stream.size - 1}, &info));
  SAYS(GHZ_EINVAL, "slice is NULL", ghz_slice_view(view(stream), 0, 1, NULL));
  SAYS(GHZ_EINVAL, "tiles 3 .. +9 of 5", ghz_slice_view(view(stream), 3, 9, &slice));
}

Test(messages, slices) {
  uint8_t header[GHZ_SLICE_HEADER];
  size_t size;
  ref_bytes message = bytes_new(ghz_slice_size(&slice));
  succeeded(ghz_slice_pack(&slice, message.data, message.size, &size), NULL, "pack");
  SAYS(GHZ_EINVAL, "header is NULL", ghz_slice_header(&slice, NULL));
  SAYS(GHZ_EINVAL, "slice", ghz_slice_header(NULL, header));
  SAYS(GHZ_EINVAL, "size is NULL", ghz_slice_pack(&slice, header, sizeof header, NULL));
  SAYS(GHZ_ECAPACITY, "bytes are too few|3 tiles", ghz_slice_pack(&slice, header, sizeof header, &size));
  SAYS(GHZ_EINVAL, "slice is NULL", ghz_slice_parse(view(message), NULL));
  SAYS(GHZ_ECORRUPT, "no ghz header", ghz_slice_parse(view(stream), &slice));
  SAYS(GHZ_ECORRUPT, "its header says 3 tiles", ghz_slice_parse((ghz_bytes){message.data, size - 1}, &slice));
  put_little(message.data + GHZ_SLICE_HEADER - 16, 4, 8);
  SAYS(GHZ_ECORRUPT, "tiles 4 .. +3 of 5", ghz_slice_parse(view(message), &slice));
}

Test(messages, contexts) {
  ghz_context *none;
  SAYS(GHZ_EINVAL, "ctx is NULL", ghz_context_create(NULL, 1));
  SAYS(GHZ_EINVAL, "-3 threads", ghz_context_create(&none, -3));
  SAYS(GHZ_EINVAL, "ctx is NULL", ghz_context_set_threads(NULL, 3));
  setenv("GHZ_ISA", "mmx", 1);
  SAYS(GHZ_EISA, "'mmx'|scalar", ghz_context_create(&none, 1));
  unsetenv("GHZ_ISA");
}

/* ---- With one, or NULL for it ---- */
static void computing(ghz_context *ctx) {
  static uint8_t dst[64];
  static double min;
  size_t size = 65;
  const ghz_bytes s = view(stream);
  const ghz_shape flat = ghz_flat(10), wrong = {2, {1, UINT64_MAX, 2}};
  const uint64_t one[3] = {1, 1, 1};
#define HERE(status, words, call) says(call, status, ctx, words, #call)
  HERE(GHZ_EINVAL, "max is NULL", ghz_range(ctx, GHZ_F32, dst, 4, &min, NULL));
  HERE(GHZ_EINVAL, "x is NULL", ghz_range(ctx, GHZ_F32, NULL, 4, &min, &min));
  HERE(GHZ_EINVAL, "type 9", ghz_range(ctx, (ghz_type)9, dst, 4, &min, &min));
  HERE(GHZ_EINVAL, "lattice is NULL", ghz_compress(ctx, NULL, 0, dst, 10, dst, 64, &size));
  HERE(GHZ_EINVAL, "dst is NULL", ghz_compress(ctx, &lattice, 0, dst, 10, NULL, 64, &size));
  HERE(GHZ_EINVAL, "x is NULL", ghz_compress(ctx, &lattice, 0, NULL, 10, dst, 64, &size));
  HERE(GHZ_EINVAL, "size is NULL", ghz_compress(ctx, &lattice, 0, dst, 10, dst, 64, NULL));
  HERE(GHZ_EINVAL, "order 3: must be -2 to 2", ghz_compress(ctx, &lattice, 3, dst, 10, dst, 64, &size));
  HERE(GHZ_EINVAL, "dims 2, extents 1 x", ghz_compress_shape(ctx, &lattice, 0, dst, &wrong, dst, 64, &size));
  HERE(GHZ_EINVAL, "shape is NULL", ghz_compress_shape(ctx, &lattice, 0, dst, NULL, dst, 64, &size));
  HERE(GHZ_EINVAL, "tiles 1 .. +1 of 1",
       ghz_slice_compress_shape(ctx, &lattice, 0, dst, &flat, 1, 1, dst, 64, &slice));
  HERE(GHZ_EINVAL, "origin is NULL", ghz_decompress_box(ctx, s, GHZ_F32, NULL, one, dst));
  HERE(GHZ_EINVAL, "extent is NULL", ghz_decompress_box(ctx, s, GHZ_F32, one, NULL, dst));
  HERE(GHZ_EINVAL, "type 9 is unknown", ghz_decompress(ctx, s, (ghz_type)9, dst, 5000));
  HERE(GHZ_EINVAL, "no operands", ghz_sum(ctx, 0, &s, dst, 64, &size));
  HERE(GHZ_EINVAL, "operands are NULL", ghz_sum(ctx, 1, NULL, dst, 64, &size));
  HERE(GHZ_EINVAL, "factor 0", ghz_scale(ctx, s, 0, dst, 64, &size));
  HERE(GHZ_EINVAL, "acc is NULL", ghz_accumulate(ctx, NULL, 64, &size, s));
  HERE(GHZ_EINVAL, "size 65 exceeds capacity 64", ghz_accumulate(ctx, dst, 64, &size, s));
  HERE(GHZ_EINVAL, "the divisor is 0", ghz_slice_mean(ctx, &slice, 0, dst, 64, &slice));
  HERE(GHZ_EINVAL, "b is NULL", ghz_slice_extremum(ctx, &slice, NULL, 0, dst, 64, &slice));
  HERE(GHZ_EINVAL, "slice is NULL", ghz_slice_decompress(ctx, NULL, GHZ_F32, dst));
  HERE(GHZ_EINVAL, "no slices", ghz_slice_join(ctx, 0, &slice, dst, 64, &size));
  HERE(GHZ_EINVAL, "0 terms", ghz_slice_reserve(ctx, &flat, 1, GHZ_F32, 0));
}

Test(messages, of_a_context) {
  CONTEXT(ctx, NULL, 1);
  SAYS(GHZ_EINVAL, "bound 0", make(GHZ_ABS, 0, 0, 1));
  computing(ctx);
  cr_assert(strstr(ghz_context_message(NULL), "bound 0"), "what fails with a context is its own");
}

Test(messages, of_a_thread) {
  CONTEXT(ctx, NULL, 1);
  computing(NULL);
  cr_assert_str_eq(ghz_context_message(ctx), "");
}

/* An accumulator is what it was after a call that failed. */
Test(messages, accumulators) {
  CONTEXT(ctx, NULL, 1);
  const ghz_lattice l = lattice, other = lattice_abs(GHZ_F32, 0.02);
  const ghz_shape same = ghz_flat(5000), shorter = ghz_flat(4999), none = {7, {1, 1, 5000}};
  const ref_bytes acc = bytes_new(ghz_shape_bound(&same, GHZ_F32, 5)),
                  bad = bytes_copy(stream.data, stream.size);
  const void *x = input_make(input_named("random_bits"), GHZ_F32, 5000, 1, 1);
  size_t size = stream.size, nothing = 0;
  memcpy(acc.data, stream.data, size);
#define REFUSED(status, words, lattice, order, x, shape, acc, room, size)                                      \
  HERE(status, words, ghz_accumulate_values(ctx, lattice, order, x, shape, acc, room, size))
  REFUSED(GHZ_EMISMATCH, "step", &other, -1, x, &same, acc.data, acc.size, &size);
  REFUSED(GHZ_EMISMATCH, "4999 values in operand 1", &l, -1, x, &shorter, acc.data, acc.size, &size);
  REFUSED(GHZ_EINVAL, "no shape", &l, -1, x, &none, acc.data, acc.size, &size);
  REFUSED(GHZ_EINVAL, "shape is NULL", &l, -1, x, NULL, acc.data, acc.size, &size);
  REFUSED(GHZ_EINVAL, "lattice is NULL", NULL, -1, x, &same, acc.data, acc.size, &size);
  REFUSED(GHZ_EINVAL, "x is NULL", &l, -1, NULL, &same, acc.data, acc.size, &size);
  REFUSED(GHZ_EINVAL, "order 3", &l, 3, x, &same, acc.data, acc.size, &size);
  REFUSED(GHZ_EINVAL, "acc is NULL", &l, -1, x, &same, NULL, acc.size, &size);
  REFUSED(GHZ_EINVAL, "size is NULL", &l, -1, x, &same, acc.data, acc.size, NULL);
  REFUSED(GHZ_EINVAL, "exceeds capacity", &l, -1, x, &same, acc.data, size - 1, &size);
  REFUSED(GHZ_ECAPACITY, "does not fit", &l, -1, x, &same, acc.data, size, &size);
  HERE(GHZ_ECORRUPT, "header",
       ghz_accumulate(ctx, acc.data, acc.size, &size, (ghz_bytes){bad.data, bad.size - 1}));
  HERE(GHZ_ECORRUPT, "",
       ghz_accumulate(ctx, bad.data, bad.size, &nothing, (ghz_bytes){stream.data, stream.size - 1}));
  damage_tile(bad, 1);
  HERE(GHZ_ECORRUPT, "tile 1 is damaged", ghz_accumulate(ctx, acc.data, acc.size, &size, view(bad)));
  cr_assert(nothing == 0 && !bytes_differ((ref_bytes){acc.data, size}, stream));
  acc.data[64 + 16] ^= 1; /* in the index */
  REFUSED(GHZ_ECORRUPT, "chunk 0", &l, -1, x, &same, acc.data, acc.size, &size);
}

/* ---- Damage ---- */
/* Operations on a damaged stream; the arrays that they write to have room. */
static ghz_status scan_it(ghz_context *ctx, ghz_bytes s, ref_bytes room) {
  (void)room;
  return ghz_scan(ctx, s, &(ghz_statistics){0});
}
static ghz_status compare_it(ghz_context *ctx, ghz_bytes s, ref_bytes room) {
  (void)room;
  return ghz_difference(ctx, s, s, &(ghz_comparison){0});
}
static ghz_status decompress_it(ghz_context *ctx, ghz_bytes s, ref_bytes room) {
  return ghz_decompress(ctx, s, GHZ_F32, room.data, room.size / 4);
}
static ghz_status add_it(ghz_context *ctx, ghz_bytes s, ref_bytes room) {
  size_t size;
  return ghz_add(ctx, s, s, room.data, room.size, &size);
}

/* Of two damaged tiles the first, in whatever order threads find them. */
Test(messages, name_the_first_damaged_tile_with_any_threads) {
  static ghz_status (*const operations[])(ghz_context *, ghz_bytes, ref_bytes) = {scan_it, compare_it,
                                                                                  decompress_it, add_it};
  const size_t n = 40 * GHZ_CHUNK;
  CONTEXT(one, NULL, 1);
  CONTEXT(four, NULL, 4);
  const ref_bytes broken = stream_of(one, &lattice, GHZ_ORDER_BEST, "walk", n, 1), room = bytes_new(8 * n);
  for (uint64_t second = 150; second <= 600; second += 225) {
    damage_tile(broken, 149);
    damage_tile(broken, second);
    for (size_t i = 0; i < COUNT(operations); i++) {
      says(operations[i](one, view(broken), room), GHZ_ECORRUPT, one, "tile 149 is damaged", "one thread");
      says(operations[i](four, view(broken), room), GHZ_ECORRUPT, four, "tile 149 is damaged", "four threads");
    }
  }
}

/* ---- Threads ---- */
static void *fail_elsewhere(void *message) {
  if (strcmp(ghz_context_message(NULL), "") == 0 && make(GHZ_ABS, -7, 0, 1) == GHZ_EINVAL)
    snprintf(message, 256, "%s", ghz_context_message(NULL));
  return NULL;
}

Test(messages, each_thread_has_its_own) {
  char message[256] = "";
  pthread_t thread;
  SAYS(GHZ_EINVAL, "bound 0", make(GHZ_ABS, 0, 0, 1));
  cr_assert_eq(pthread_create(&thread, NULL, fail_elsewhere, message), 0);
  pthread_join(thread, NULL);
  cr_assert(strstr(message, "bound -7"), "the other thread's is '%s'", message);
  cr_assert(strstr(ghz_context_message(NULL), "bound 0"), "a success elsewhere leaves it");
  succeeded(make(GHZ_ABS, 1, 0, 1), NULL, "a lattice");
  cr_assert(strstr(ghz_context_message(NULL), "bound 0"), "a success leaves it");
}
