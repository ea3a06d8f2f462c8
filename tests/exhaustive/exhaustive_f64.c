/* exhaustive_f64.c: law L1 for float64: random lattices, factors and values, drawn around every
 * place where the rules change, for as long as asked. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "exhaustive.h"
#include "inputs.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 16 * GHZ_TILE + 100 };

/* A number in [1, 2) with all its bits drawn. */
static double fraction(uint64_t *state) { return 1 + (double)(input_random(state) >> 12) * 0x1p-52; }

static double signed_at(uint64_t *state, double magnitude) {
  return input_below(state, 2) ? -magnitude : magnitude;
}

/* ---- Values ---- */
/* Near the middle between two lattice points, which is where errors are largest. */
static double near_tie(uint64_t *state, double step, int power) {
  double k = floor(ldexp(fraction(state), power - 1)) + 0.5, v = k * step;
  for (int by = (int)input_below(state, 5) - 2; by != 0; by += by < 0 ? 1 : -1)
    v = nextafter(v, by < 0 ? 0 : INFINITY);
  return v;
}

static double special(uint64_t *state) {
  static const double specials[5] = {INFINITY, -INFINITY, NAN, -0.0, 0x1p-1074};
  return specials[input_below(state, 5)];
}

/* A tile whose largest magnitude is about 2^power steps; some tiles hold any bits at all. */
static void fill_tile(uint64_t *state, double *x, size_t n, double step) {
  static const int powers[] = {1, 8, 14, 15, 16, 17, 21, 22, 23, 30, 34, 35, 36, 43, 44, 45, 60};
  int power = powers[input_below(state, sizeof powers / sizeof *powers)], kind = (int)input_below(state, 6);
  for (size_t i = 0; i < n; i++) {
    int deeper = (int)input_below(state, 2) ? 0 : (int)input_below(state, 64);
    if (kind == 0)
      x[i] = signed_at(state, near_tie(state, step, power));
    else if (kind == 1)
      x[i] = signed_at(state, ldexp(step, power) * (1 + ((double)input_below(state, 5) - 2) * 0x1p-52));
    else
      x[i] = signed_at(state, ldexp(fraction(state), power - 1 - deeper) * step);
    if (kind == 2 && input_below(state, 50) == 0)
      x[i] = special(state);
    if (kind == 3 && power > 43) {
      uint64_t bits = input_random(state);
      memcpy(&x[i], &bits, sizeof bits);
    }
  }
}

/* ---- Subjects ---- */
static subject draw_subject(uint64_t *state) {
  subject s = {.name = "random float64", .factor = 1};
  int far = input_below(state, 8) == 0;
  int power = far ? (int)input_below(state, 2070) - 1045 : (int)input_below(state, 120) - 60;
  ghz_bound bound = {GHZ_ABS, ldexp(fraction(state), power < 1023 ? power : 1023)};
  double c = ldexp(fraction(state), power % 900);
  if (input_below(state, 20) == 0)
    bound = (ghz_bound){GHZ_REL, 1e-3};
  if (!(bound.value > 0) || ghz_lattice_make(GHZ_F64, bound, c, c, &s.lattice) != GHZ_OK)
    s = draw_subject(state);
  if (input_below(state, 2))
    s.lattice.cap = 35;
  /* Scaling, where the product stays far from the ends of the type. */
  if (!far && bound.kind == GHZ_ABS && input_below(state, 3) == 0)
    s.factor = signed_at(state, ldexp(fraction(state), (int)input_below(state, 8) - 4));
  return s;
}

/* ---- All of it ---- */
static int round_of(worker *w, unsigned round, uint64_t *state, double *x, tally seen[2]) {
  uint64_t before = *state;
  subject s = draw_subject(state);
  double step = s.lattice.step > 0 ? s.lattice.step : 1;
  tally one = {0};
  for (size_t i = 0; i < VALUES; i += GHZ_TILE)
    fill_tile(state, x + i, VALUES - i < GHZ_TILE ? VALUES - i : GHZ_TILE, step);
  int order = (int)(round % 4) - 1, with_reference = round % 16 == 0;
  int right = examine(w, &s, order, x, VALUES, with_reference, &one) && errors_as_derived(&s, &one);
  tally_add(&seen[s.factor == 1 ? 0 : 1], &one);
  if (!right)
    fprintf(stderr, "  state %#llx, order %d, cap %d\n", (unsigned long long)before, order, s.lattice.cap);
  return right;
}

int random_f64(double seconds, uint64_t seed, worker *const *workers, int threads) {
  double start = omp_get_wtime();
  tally seen[2] = {{0}};
  int violated = 0;
#pragma omp parallel num_threads(threads)
  {
    tally own[2] = {{0}};
    int thread = omp_get_thread_num(), stop = 0;
    double *x = malloc(VALUES * sizeof *x);
    uint64_t state = seed + 0x632be59bd9b4e019u * (uint64_t)thread;
    if (!x)
      abort();
    for (unsigned round = 0; !stop && (round == 0 || omp_get_wtime() - start < seconds); round++) {
      if (!round_of(workers[thread], round, &state, x, own)) {
#pragma omp atomic write
        violated = 1;
      }
#pragma omp atomic read
      stop = violated;
    }
    free(x);
#pragma omp critical
    for (int k = 0; k < 2; k++)
      tally_add(&seen[k], &own[k]);
  }
  print_tally("random float64", "fresh", &seen[0], omp_get_wtime() - start);
  print_tally("random float64", "scaled", &seen[1], omp_get_wtime() - start);
  return !violated;
}
