/* field.c: the kinds of test data. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "field.h"
#include "suite.h"
#include <math.h>

const char *const field_names[FIELD_KINDS] = {"zeros",  "constant", "smooth", "steps", "noise", "rough",
                                              "sparse", "ties",     "wide",   "mixed", "huge",  "curved"};

static int64_t square(int64_t x) { return x * x; }

/* Uniform, below 2^bits in magnitude. */
static int64_t noise(uint64_t hash, int bits) { return (int64_t)hash >> (63 - bits); }

static int64_t triangle(uint64_t i, uint64_t period, int64_t slope) {
  uint64_t t = i % (2 * period);
  return slope * (int64_t)(t < period ? t : 2 * period - t);
}

int64_t field_at(const field *f, uint64_t contribution, uint64_t i) {
  uint64_t hash = mix(mix(f->seed, contribution), i);
  switch (f->kind) {
  case FIELD_CONSTANT: return 1000 + 7 * (int64_t)(contribution % 100);
  case FIELD_SMOOTH: return triangle(i + 97 * contribution, 2500, 150) - 5000 * (int64_t)(contribution % 20);
  case FIELD_STEPS: return noise(mix(mix(f->seed, contribution), i / 300), 16);
  case FIELD_NOISE: return noise(hash, 12);
  case FIELD_ROUGH: return noise(hash, 23);
  case FIELD_SPARSE: return i / 3000 % 3 && hash % 16 == 0 ? noise(hash, 14) : 0;
  case FIELD_TIES: return 63 + 126 * noise(hash, 12);
  case FIELD_WIDE: return noise(hash, 23) * (1 << 12);
  case FIELD_MIXED: return noise(hash, 23) * ((int64_t)1 << (i / 1024 + contribution) % 17);
  case FIELD_CURVED:
    return 13 * square((int64_t)(i % 64) - 32) + 29 * square((int64_t)(i / 64 % 40) - 20) +
           500 * (int64_t)(contribution % 20) + noise(hash, 3);
  case FIELD_HUGE: return noise(hash, 23) * (1 << 28);
  default: return 0;
  }
}

void field_fill(const field *f, uint64_t contribution, uint64_t first, uint64_t count, int is_double, void *x) {
  for (uint64_t i = 0; i < count; i++)
    set_real(x, is_double, i, ldexp((double)field_at(f, contribution, first + i), f->exponent));
}
