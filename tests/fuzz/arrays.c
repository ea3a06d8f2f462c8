/* arrays.c: lattices and arrays made from choices, and their streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "arrays.h"
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

/* Half of the bounds are of usual size; the others have any bits. */
ghz_lattice choose_lattice(choices *c) {
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

/* At most some 40 bricks. */
ghz_shape choose_shape(choices *c) {
  ghz_shape s = {1 + (int)choose_below(c, 3), {1, 1, 0}};
  if (s.dims == 1)
    return ghz_flat(choose_count(c));
  s.extent[0] = choose_extent(c, s.dims == 2 ? 4 : 17);
  s.extent[1] = choose_extent(c, 40);
  s.extent[2] = choose_extent(c, 40);
  return s;
}

int choose_order(choices *c, const ghz_shape *shape) {
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

void *choose_values(choices *c, const ghz_lattice *l, const ghz_shape *shape) {
  size_t n = (size_t)ghz_shape_count(shape), in = (size_t)choose_below(c, input_count + 4 * FIELD_KINDS);
  uint64_t seed = choose(c, 2);
  void *x = in < input_count ? input_make(&inputs[in], l->type, n, l->step, seed)
                             : field_make((field_kind)((in - input_count) % FIELD_KINDS), l, shape,
                                          ldexp(1 + (double)(seed % 7), (int)(seed % 23)), seed);
  for (uint64_t k = choose_below(c, 16); k > 0 && n > 0; k--)
    choose_one(c, l, x, n);
  return x;
}

ref_bytes compress_everywhere(const ghz_lattice *l, int order, const void *x, const ghz_shape *shape) {
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
