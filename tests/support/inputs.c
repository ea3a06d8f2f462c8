/* inputs.c: makers of test arrays. Only exact or correctly rounded operations: no sin. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t input_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint64_t input_below(uint64_t *state, uint64_t below) { return input_random(state) % below; }
double input_uniform(uint64_t *state) { return (double)(int64_t)input_random(state) * 0x1p-63; }

/* ---- Placing values ---- */
static void put(const input_target *to, size_t i, double value) { put_value(to->type, to->x, i, value); }

static void put_bits(const input_target *to, size_t i, uint32_t f32, uint64_t f64) {
  if (to->type == GHZ_F32)
    memcpy((char *)to->x + 4 * i, &f32, 4);
  else
    memcpy((char *)to->x + 8 * i, &f64, 8);
}

/* The neighbour of a value in the array's type: by > 0 up, by < 0 down. */
static double nudge(const input_target *to, double value, int by) {
  double end = by < 0 ? -INFINITY : INFINITY;
  for (; by != 0; by += by < 0 ? 1 : -1)
    value = to->type == GHZ_F32 ? (double)nextafterf((float)value, (float)end) : nextafter(value, end);
  return value;
}

static double uniform(input_target *to) { return input_uniform(&to->state); }
static uint64_t below(input_target *to, uint64_t n) { return input_below(&to->state, n); }

/* Defines a maker of which value i is `value`. */
#define EACH(maker, value)                                                                                     \
  static void maker(input_target *to) {                                                                        \
    for (size_t i = 0; i < to->n; i++)                                                                         \
      put(to, i, value);                                                                                       \
  }

/* ---- Constants and smooth fields ---- */
EACH(constant, to->amount * to->step)
EACH(ramp, (5 + 3 * (double)(i % 4096)) * to->step)

static void parabola(input_target *to) {
  for (size_t i = 0; i < to->n; i++) {
    double t = (double)(i % 2048) - 1024;
    put(to, i, t * t * 0.03 * to->step);
  }
}

static void walk(input_target *to) {
  double value = 0;
  for (size_t i = 0; i < to->n; i++) {
    value += uniform(to) * 4;
    put(to, i, value * to->step);
  }
}

static void plateaus(input_target *to) {
  double value = 0;
  for (size_t i = 0; i < to->n; i++) {
    if (below(to, 50) == 0)
      value = rint(uniform(to) * 300);
    put(to, i, value * to->step);
  }
}

/* ---- Rough fields ---- */
EACH(noise, uniform(to) * to->amount * to->step)
EACH(alternating, (i % 2 ? -to->amount : to->amount) * to->step)
EACH(random_signs, (below(to, 2) ? -0x1p35 : 0x1p35) * to->step)
EACH(sparse, below(to, 100) == 0 ? uniform(to) * 500 * to->step : 0)

/* Mostly small, with a few values of the widest mode, so that the tile still compresses. */
EACH(rare_giants, uniform(to) * (below(to, 300) == 0 ? 0x1p35 : 50) * to->step)
EACH(first_block_only, i % GHZ_TILE < 8 ? 1000 * to->step : 0)
EACH(one_outlier, i % GHZ_TILE == 1010 ? 5e5 * to->step : 100.27 * to->step)

/* ---- Edges of the lattice ---- */
EACH(ties, ((double)below(to, 2000) - 999.5) * to->step)

/* Just beside the middle between two lattice points, in every mode. */
static void near_ties(input_target *to) {
  static const int power[6] = {4, 14, 15, 17, 22, 34};
  for (size_t i = 0; i < to->n; i++) {
    double k = rint(uniform(to) * ldexp(1, power[i / GHZ_TILE % 6]) * 0.98) + 0.5;
    put(to, i, nudge(to, k * to->step, (int)below(to, 5) - 2));
  }
}

/* The largest magnitude of each tile lies at a threshold, or beside it. */
static void thresholds(input_target *to) {
  static const int power[8] = {14, 15, 16, 17, 21, 22, 35, 44};
  size_t start = (size_t)below(to, 8);
  for (size_t i = 0; i < to->n; i++) {
    size_t tile = i / GHZ_TILE;
    double edge = ldexp(to->step, power[(tile / 3 + start) % 8]);
    double value = nudge(to, edge, (int)(tile % 3) - 1);
    put(to, i, i % 7 == 0 ? (i % 2 ? -value : value) : edge * uniform(to));
  }
}

/* Magnitudes from far below a step to far above the lattice. */
static void magnitudes(input_target *to) {
  for (size_t i = 0; i < to->n; i++) {
    int power = (int)below(to, 24) - 6 + 4 * (int)(i / GHZ_TILE % 10);
    put(to, i, ldexp(uniform(to), power) * to->step);
  }
}

EACH(powers_of_two, ldexp(below(to, 2) ? 1 : -1, (int)(i % 40)) * to->step)

/* ---- Special values and extremes ---- */
static void special_at(input_target *to, size_t i) {
  static const uint32_t f32[8] = {0x7fc00000, 0x7f800000, 0xff800000, 0xffc00000,
                                  0x7f800001, 0x7fc00123, 0xffffffff, 0x7fbfffff};
  static const uint64_t f64[8] = {0x7ff8000000000000, 0x7ff0000000000000, 0xfff0000000000000,
                                  0xfff8000000000000, 0x7ff0000000000001, 0x7ff8000000000123,
                                  0xffffffffffffffff, 0x7ff7ffffffffffff};
  size_t which = (size_t)below(to, 8);
  put_bits(to, i, f32[which], f64[which]);
}

static void specials(input_target *to) {
  walk(to);
  for (size_t i = 0; i < to->n; i++)
    if (below(to, 40) == 0)
      special_at(to, i);
}

static void land_mask(input_target *to) {
  walk(to);
  for (size_t i = 0; i < to->n; i++)
    if (i / 100 % 3 == 1 || i < 30)
      put_bits(to, i, 0x7fc00000, 0x7ff8000000000000);
}

static void all_nan(input_target *to) {
  for (size_t i = 0; i < to->n; i++)
    put_bits(to, i, 0xffc00001, 0xfff8000000000001);
}

EACH(all_infinite, i % 2 ? -INFINITY : INFINITY)

static void zeros_and_specials(input_target *to) {
  constant(to);
  for (size_t i = 0; i < to->n; i += 1 + (size_t)below(to, 300))
    special_at(to, i);
}

static void specials_far_out(input_target *to) {
  noise(to);
  for (size_t i = 0; i < to->n; i += 1 + (size_t)below(to, 100))
    special_at(to, i);
}

static void denormals(input_target *to) {
  for (size_t i = 0; i < to->n; i++)
    put_bits(to, i, (uint32_t)(input_random(&to->state) & 0x807fffff),
             input_random(&to->state) & 0x800fffffffffffff);
}

static void largest_finite(input_target *to) {
  double top = to->type == GHZ_F32 ? (double)FLT_MAX : DBL_MAX;
  for (size_t i = 0; i < to->n; i++)
    put(to, i, (below(to, 2) ? -1 : 1) * ldexp(top, -(int)below(to, 4)));
}

static void random_bits(input_target *to) {
  for (size_t i = 0; i < to->n; i++) {
    uint64_t bits = input_random(&to->state);
    put_bits(to, i, (uint32_t)bits, bits);
  }
}

static void mixture(input_target *to);

const test_input inputs[] = {
    {"mixture", mixture, 0, 0},
    {"zeros", constant, 0, 1},
    {"negative_zeros", constant, -0.0, 1},
    {"below_half_step", constant, 0.49, 1},
    {"some_constant", constant, -12345.678, 1},
    {"large_constant", constant, 100000, 1},
    {"ramp", ramp, 0, 1},
    {"parabola", parabola, 0, 1},
    {"walk", walk, 0, 1},
    {"plateaus", plateaus, 0, 1},
    {"small_noise", noise, 20, 1},
    {"coarse_noise", noise, 0x1p15, 1},
    {"double_coarse_noise", noise, 0x1.fp16, 1},
    {"fine_noise", noise, 0x1p22, 1},
    {"wide_noise", noise, 0x1p35, 1},
    {"widest_noise", noise, 0x1p44, 0},
    {"alternating_coarse", alternating, 0x1.fp16, 1},
    {"alternating_fine", alternating, 0x1p22, 1},
    {"alternating_wide", alternating, 0x1p35, 1},
    {"random_signs", random_signs, 0, 1},
    {"sparse", sparse, 0, 1},
    {"rare_giants", rare_giants, 0, 1},
    {"first_block_only", first_block_only, 0, 1},
    {"one_outlier", one_outlier, 0, 1},
    {"ties", ties, 0, 1},
    {"near_ties", near_ties, 0, 1},
    {"thresholds", thresholds, 0, 0},
    {"magnitudes", magnitudes, 0, 0},
    {"beyond_lattice", noise, 0x1p46, 0},
    {"powers_of_two", powers_of_two, 0, 0},
    {"specials", specials, 0, 0},
    {"land_mask", land_mask, 0, 0},
    {"all_nan", all_nan, 0, 0},
    {"all_infinite", all_infinite, 0, 0},
    {"zeros_and_specials", zeros_and_specials, 0, 0},
    {"specials_far_out", specials_far_out, 0x1p46, 0},
    {"denormals", denormals, 0, 0},
    {"largest_finite", largest_finite, 0, 0},
    {"random_bits", random_bits, 0, 0},
};
const size_t input_count = sizeof inputs / sizeof *inputs;

/* Every tile from a maker of its own: all modes side by side. */
static void mixture(input_target *to) {
  size_t each = ghz_type_size(to->type);
  for (size_t i = 0; i < to->n; i += GHZ_TILE) {
    input_target part = *to;
    part.x = (char *)to->x + each * i;
    part.n = to->n - i < GHZ_TILE ? to->n - i : GHZ_TILE;
    part.state = input_random(&to->state);
    const test_input *in = &inputs[1 + below(to, input_count - 1)];
    part.amount = in->amount;
    in->make(&part);
  }
}

void *input_make(const test_input *in, ghz_type type, size_t n, double step, uint64_t seed) {
  input_target to = {scratch(n * ghz_type_size(type)), type, n, step > 0 ? step : 1, in->amount, seed};
  in->make(&to);
  return to.x;
}

const test_input *input_named(const char *name) {
  for (size_t i = 0; i < input_count; i++)
    if (strcmp(inputs[i].name, name) == 0)
      return &inputs[i];
  abort();
}
