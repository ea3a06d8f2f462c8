/* round_trip.c: fuzzer: any values, any bound, any order: law L1. Every finite value comes back
 * within the bound, exactly computed; NaN and infinities come back; the bytes are those of the
 * reference, from every instruction set. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"
#include "fuzz.h"
#include "inputs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The same with a smaller step, as data with an offset have it: more values are coarse then. */
static void make_room(ghz_lattice *l, unsigned part) {
  double step = (double)(float)(l->step * (1 - part / 190.0));
  if (step >= 0x1p-120)
    l->step = step;
}

/* ---- Arrays ---- */
/* Half of the bounds are of usual size, the others have any bits; float64 sometimes has cap 35. */
static ghz_lattice choose_lattice(choices *c) {
  ghz_type type = (ghz_type)choose_below(c, 2);
  unsigned how = (unsigned)choose(c, 1);
  double any = fabs(choose_double(c)), eb = any;
  int exponent;
  if (how & 1)
    eb = ldexp(frexp(any, &exponent), (int)(how >> 1) - 64);
  if (!(eb > 0) || isinf(eb))
    eb = 1;
  ghz_lattice l;
  MUST(ghz_lattice_make(type, (ghz_bound){GHZ_ABS, eb}, 0, 0, &l) == GHZ_OK, "no lattice for %a", eb);
  MUST(l.step == ref_step((int)type, eb) && l.eb == eb, "step %a for %a", l.step, eb);
  if (type == GHZ_F64 && how >> 7)
    l.cap = 35;
  if (type == GHZ_F32 && how >> 7)
    make_room(&l, how >> 1 & 63);
  return l;
}

static size_t choose_count(choices *c) {
  static const uint16_t counts[] = {0,   1,   2,    3,    7,    8,    9,    100,  127, 128,
                                    129, 500, 1000, 1023, 1024, 1025, 2047, 2049, 3000};
  unsigned how = (unsigned)choose(c, 1);
  if (how < 128)
    return counts[how % (sizeof counts / sizeof *counts)];
  if (how < 250)
    return (size_t)choose_below(c, 1100);
  return 16384 - 3 + (size_t)choose_below(c, 1100);
}

static uint64_t choose_extent(choices *c, uint64_t most) {
  static const uint8_t extents[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40};
  uint64_t extent = extents[choose_below(c, sizeof extents)];
  return extent < most ? extent : most;
}

/* A flat array, mostly near the sizes of blocks and tiles, or at most some 40 bricks. */
static ghz_shape choose_shape(choices *c) {
  ghz_shape s = {1 + (int)choose_below(c, 3), {1, 1, 0}};
  if (s.dims == 1)
    return ghz_flat(choose_count(c));
  s.extent[0] = choose_extent(c, s.dims == 2 ? 4 : 17);
  s.extent[1] = choose_extent(c, 40);
  s.extent[2] = choose_extent(c, 40);
  return s;
}

static int choose_order(choices *c, const ghz_shape *shape) {
  return (int)choose_below(c, 3 + (uint64_t)order_most(shape)) - 2;
}

static void set(ghz_type type, void *x, size_t i, uint64_t bits) {
  memcpy((char *)x + i * ghz_type_size(type), &bits, ghz_type_size(type));
}

/* A value beside a multiple of a power of two of the step, or beside the middle of two. */
static double near_lattice(choices *c, const ghz_lattice *l) {
  int power = (int)choose_below(c, 50) - 3, by = (int)choose_below(c, 9) - 4;
  double k = (double)(int16_t)choose(c, 2) / (choose(c, 1) & 1 ? 2 : 1);
  double v = ldexp(k * (l->step > 0 ? l->step : 1), power), end = by < 0 ? -INFINITY : INFINITY;
  for (; by; by += by < 0 ? 1 : -1)
    v = l->type == GHZ_F32 ? (double)nextafterf((float)v, (float)end) : nextafter(v, end);
  return v;
}

static void choose_one(choices *c, const ghz_lattice *l, void *x, size_t n) {
  static const double special[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 0x1p127, -0x1p126, 0x1p-149};
  size_t at = (size_t)choose_below(c, n < 65536 ? n : 65535), count = 1;
  unsigned how = (unsigned)choose(c, 1);
  uint64_t bits = how & 1   ? ref_bits((int)l->type, near_lattice(c, l))
                  : how & 2 ? ref_bits((int)l->type, special[how >> 2 & 7])
                            : choose(c, ghz_type_size(l->type));
  if (how & 64)
    count = 1 + (size_t)choose(c, 1);
  for (size_t i = at; i < n && i < at + count; i++)
    set(l->type, x, i, bits);
}

/* A field or input of the tests, with some values in it chosen one by one. */
static void *choose_values(choices *c, const ghz_lattice *l, const ghz_shape *shape) {
  size_t n = (size_t)ghz_shape_count(shape), in = (size_t)choose_below(c, input_count + 4 * FIELD_KINDS);
  uint64_t seed = choose(c, 2);
  void *x = in < input_count ? input_make(&inputs[in], l->type, n, l->step, seed)
                             : field_make((field_kind)((in - input_count) % FIELD_KINDS), l, shape,
                                          ldexp(1 + (double)(seed % 7), (int)(seed % 23)), seed);
  for (uint64_t k = choose_below(c, 16); k > 0 && n > 0; k--)
    choose_one(c, l, x, n);
  return x;
}

/* With every context; the bytes are those of the reference. */
static ref_bytes compress_everywhere(const ghz_lattice *l, int order, const void *x, const ghz_shape *shape) {
  ref_header header = header_shaped(l, shape);
  ref_bytes want = ref_compress(&header, order, x);
  size_t room = ghz_shape_bound(shape, l->type, 1), size = 0;
  for (size_t i = 0; i < fuzz_contexts(); i++) {
    uint8_t *got = scratch(room);
    ghz_status status = ghz_compress_shape(fuzz_context(i), l, order, x, shape, got, room, &size);
    MUST(status == GHZ_OK, "compress: %d", (int)status);
    must_equal(got, size, want.data, want.size, ghz_context_isa(fuzz_context(i)));
    uint8_t *tight = scratch(size);
    status = ghz_compress_shape(fuzz_context(i), l, order, x, shape, tight, size, &size);
    MUST(status == GHZ_OK, "its size is not enough");
  }
  return want;
}

/* ---- What comes back ---- */
static void check_decoded(ghz_bytes s, const ghz_lattice *l, const void *x, size_t n, ghz_type out) {
  for (size_t i = 0; i < fuzz_contexts(); i++) {
    ghz_status status;
    void *y = fuzz_decode(fuzz_context(i), s, out, n, &status);
    MUST(status == GHZ_OK, "decompress: %d", (int)status);
    for (size_t k = 0; k < n; k++)
      MUST(kept(l->type, x, out, y, k, l->eb), "value %zu: %a comes back as %a, bound %a", k,
           value_at(l->type, x, k), value_at(out, y, k), l->eb);
  }
}

/* Bounds that are relative or in dB need the range of the finite values; width 0 is a constant. */
static void use_range(choices *c, ghz_lattice *l, const void *x, size_t n) {
  double min = 0, max = 0, value = fabs(choose_double(c));
  ghz_bound_kind kind = choose_below(c, 2) ? GHZ_REL : GHZ_PSNR;
  for (size_t i = 0; i < fuzz_contexts(); i++) {
    double own_min, own_max;
    MUST(ghz_range(fuzz_context(i), l->type, x, n, &own_min, &own_max) == GHZ_OK, "range");
    MUST(i == 0 || (own_min == min && own_max == max), "another range");
    min = own_min;
    max = own_max;
  }
  for (size_t i = 0; i < n; i++) {
    double v = value_at(l->type, x, i);
    MUST(!isfinite(v) || (v >= min && v <= max), "value %zu, %a, is not in %a .. %a", i, v, min, max);
  }
  int cap = l->cap;
  int zeros = min == 0 && max == 0;
  if (ghz_lattice_make(l->type, (ghz_bound){kind, value}, zeros ? INFINITY : min, zeros ? -INFINITY : max, l) !=
      GHZ_OK)
    MUST(!(value > 0) || isinf(value), "no lattice for %a of %a .. %a", value, min, max);
  l->cap = cap;
}

/* A message of any tiles is the same part of the stream. */
static void check_slice(choices *c, const ghz_lattice *l, int order, const void *x, const ghz_shape *shape,
                        ghz_bytes s) {
  uint64_t all = ghz_shape_tiles(shape), first = choose_below(c, all + 1),
           tiles = choose_below(c, all - first + 1);
  ghz_slice part, cut;
  MUST(ghz_slice_view(s, first, tiles, &cut) == GHZ_OK, "view");
  size_t room = ghz_slice_bound(shape, tiles, l->type, 1), size = ghz_slice_size(&cut), packed;
  uint8_t *got = scratch(room), *want = scratch(size);
  ghz_context *ctx = fuzz_context(fuzz_contexts() - 1);
  ghz_status status = ghz_slice_compress_shape(ctx, l, order, x, shape, first, tiles, got, room, &part);
  MUST(status == GHZ_OK, "slice_compress: %d", (int)status);
  MUST(ghz_slice_pack(&cut, want, size, &packed) == GHZ_OK, "pack");
  must_equal(got, ghz_slice_size(&part), want, packed, "a message");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SCOPE;
  choices c = {data, size};
  ghz_lattice l = choose_lattice(&c);
  ghz_shape shape = choose_shape(&c);
  size_t n = (size_t)ghz_shape_count(&shape);
  int order = choose_order(&c, &shape);
  unsigned how = (unsigned)choose(&c, 1);
  void *x = choose_values(&c, &l, &shape);
  if (how & 1)
    use_range(&c, &l, x, n);
  ref_bytes stream = compress_everywhere(&l, order, x, &shape);
  ghz_bytes s = {stream.data, stream.size};
  MUST(honest(s), "the stream is not what an encoder makes");
  check_decoded(s, &l, x, n, l.type);
  if (l.type == GHZ_F32)
    check_decoded(s, &l, x, n, GHZ_F64);
  check_slice(&c, &l, order, x, &shape, s);
  return 0;
}
