/* inputs.h: named makers of test arrays, from zeros to random bits, alike on every machine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <ghz/ghz.h>

/* What a maker fills: n values of a type at x; `step` is the unit of its magnitudes. */
typedef struct input_target {
  void *x;
  ghz_type type;
  size_t n;
  double step;
  double amount; /* of the maker: a magnitude, in steps */
  uint64_t state;
} input_target;

typedef struct test_input {
  const char *name;
  void (*make)(input_target *to);
  double amount;
  int plain; /* finite, and small enough that sums of a few are exact in binary128 */
} test_input;

extern const test_input inputs[];
extern const size_t input_count;

/* A fresh array of exactly n values, in scratch memory; step 0 stands for 1. */
void *input_make(const test_input *in, ghz_type type, size_t n, double step, uint64_t seed);
const test_input *input_named(const char *name);

/* The next number of a sequence that starts from any state. */
uint64_t input_random(uint64_t *state);
/* Uniform in [0, below). */
uint64_t input_below(uint64_t *state, uint64_t below);
/* Uniform in [-1, 1). */
double input_uniform(uint64_t *state);
