/* choices.c: makes bricks at the edges of rules. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "choices.h"
#include "reference_parts.h"
#include <math.h>

ghz_lattice choice_lattice(ghz_type type) {
  ghz_lattice l = lattice_abs(type, 0.51);
  l.step = 1;
  return l;
}

/* Of 1.6 and -1.6 in turn along every axis, or along x by twos, where second differences are not
 * above first ones. Coefficients say that in half of the bytes. */
static void set_turns(choice_brick *b, int by_twos) {
  ref_brick whole = ref_brick_of(b->shape.dims);
  for (int i = 0; i < 1024; i++)
    b->x[i] = ((i % whole.x >> by_twos) + i / whole.x + i / whole.x / whole.y) & 1 ? -1.6 : 1.6;
}

/* Blocks from one on get integers that are smaller by 1: those that are negative, or all. */
static void make_smaller(choice_brick *b, int block, int all) {
  for (int i = 8 * block; i < 1024; i++)
    b->x[i] = b->x[i] < 0 ? -1.45 : all ? 1.45 : 1.6;
}

static void set_values(choice_brick *b, const int64_t c[1024]) {
  ref_wide k[1024];
  ref_inverse(b->shape.dims, c, k);
  for (int i = 0; i < 1024; i++)
    b->x[i] = ldexp((double)k[i], -ref_transform_shift(b->shape.dims));
}

/* Many coefficients that leave nothing. A search found what their bytes are beside the others. */
static void set_many(choice_brick *b, uint64_t seed) {
  int64_t c[1024] = {0};
  for (int k = 0; k < 100; k++) {
    int64_t v = (k < 2 ? 4 : 2) + (int64_t)input_below(&seed, 2);
    c[input_below(&seed, 1024)] = v;
  }
  set_values(b, c);
}

/* Where column i is mirrored along z, of planes along y. */
static int mirrored(int dims, int i) {
  int row = dims == 3 ? 128 : 32;
  return (1024 / row - 1 - i / row) * row + i % row;
}

/* A wave of one line, odd along that axis: even frequencies of the axis are exactly 0. Values
 * have so many bits behind the point. */
static void set_odd_wave(choice_brick *b, int line, int64_t height, int bits) {
  int64_t c[1024] = {0};
  c[line * ref_brick_of(b->shape.dims).x + 3] = height;
  set_values(b, c);
  for (int i = 0; i < 512; i++) {
    b->x[i] = ldexp(rint(ldexp(b->x[i], bits)), -bits);
    b->x[mirrored(b->shape.dims, i)] = -b->x[i];
  }
}

/* Beside it a mean, by which the lines of frequency 0 are just 1/8; with `less` one value of
 * each of them is smaller, so that they are the float before. */
static void set_mean(choice_brick *b, double mean, int less) {
  ref_brick whole = ref_brick_of(b->shape.dims);
  set_odd_wave(b, whole.z * whole.y - 1, 2560, 10);
  for (int i = 0; i < 1024; i++)
    b->x[i] += mean;
  for (int i = 0; less && i < whole.x; i++)
    b->x[i] -= mean < 0 ? -0x1p-22 : 0x1p-22;
}

/* Lines of values in 2^-20 by which, with the mirrored one, the largest even line of a group is
 * just 1/8, or the float before: of cubes' groups 1 to 3, and planes' 1. The largest is even
 * along x, and its first coefficient is this. A search found them. */
static const struct group_edge {
  int line, value, column, first;
} group_edges[4][2] = {{{26, 1500448, 264, 2}, {8, 967396, 262, 0}},
                       {{17, 1685446, 526, -2}, {8, 1181206, 517, 0}},
                       {{1, 2709190, 771, -2}, {0, 12132992, 771, 0}},
                       {{0, 11037199, 512, 4}, {0, 11037197, 512, 0}}};

static void set_line(choice_brick *b, const struct group_edge *e, int sign) {
  int dims = b->shape.dims, row = ref_brick_of(dims).x;
  set_odd_wave(b, dims == 3 ? 8 : 1, dims == 3 ? 160 : 64, 3);
  for (int i = e->line * row; i < e->line * row + row; i++) {
    b->x[i] += ldexp(sign * e->value, -20);
    b->x[mirrored(dims, i)] += ldexp(sign * e->value, -20);
  }
  b->column = e->column;
  b->first = sign * e->first;
}

/* Pairs: on this side of an edge, and on that. */
void choice_brick_make(int i, choice_brick *b) {
  static const uint64_t seeds[2][2] = {{326, 404}, {341, 253}};
  static const char *const names[] = {"rough blocks", "384 bytes",    "second differences",
                                      "bytes of C",   "lines of 1/8", "lines of -1/8",
                                      "group 1",      "group 2",      "group 3",
                                      "group 1, < 0", "group 2, < 0", "group 3, < 0"};
  int beyond = i & 1, dims = 2 + (i >> 1 & 1), kind = i / 4, first = dims == 3 ? 2 : 4;
  *b = (choice_brick){.shape = {dims, {1, 32, 32}}, .coefficients = kind >= 4 || !beyond};
  b->name = say("%s, %s", names[kind], beyond ? "beyond" : "at the edge");
  if (dims == 3)
    b->shape = (ghz_shape){3, {8, 8, 16}};
  if (kind < 3)
    set_turns(b, kind == 2 && !beyond);
  else if (kind == 3)
    set_many(b, seeds[dims - 2][beyond]);
  else if (kind < 6)
    set_mean(b, (kind == 4 ? 1 : -1) * first / 32., beyond);
  else
    set_line(b, &group_edges[dims == 3 ? kind % 3 : 3][beyond], kind < 9 ? 1 : -1);
  if (kind == 0)
    make_smaller(b, beyond ? 64 : 63, 0);
  if (kind == 1)
    make_smaller(b, 128 - (beyond ? 33 : 34), 1);
  b->small_lines = kind >= 4;
  if (kind < 6)
    b->first = beyond ? 0 : kind == 4 ? first : -first;
}
