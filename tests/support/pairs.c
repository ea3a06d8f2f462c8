/* pairs.c: rows by trial: of random rows around a missing pair, the one of most new pairs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pairs.h"
#include <string.h>

void pairs_start(pairs *p, const int *levels, uint64_t (*below)(uint64_t *, uint64_t), uint64_t seed) {
  memset(p, 0, sizeof *p);
  p->below = below;
  p->state = seed;
  while (p->factors < PAIR_FACTORS && levels[p->factors] > 0) {
    p->levels[p->factors] = levels[p->factors];
    p->factors++;
  }
}

static int have_met(const pairs *p, int f, int a, int g, int b) { return (int)(p->met[f][a][g] >> b & 1); }

/* The next pair that has not met, from a random place on. */
static int missing(pairs *p, int *f, int *a, int *g, int *b) {
  uint64_t all = (uint64_t)p->factors * PAIR_LEVELS * (uint64_t)p->factors * PAIR_LEVELS,
           from = p->below(&p->state, all);
  for (uint64_t i = 0; i < all; i++) {
    uint64_t at = (from + i) % all;
    *b = (int)(at % PAIR_LEVELS);
    *g = (int)(at / PAIR_LEVELS % (uint64_t)p->factors);
    *a = (int)(at / PAIR_LEVELS / (uint64_t)p->factors % PAIR_LEVELS);
    *f = (int)(at / PAIR_LEVELS / (uint64_t)p->factors / PAIR_LEVELS);
    if (*f < *g && *a < p->levels[*f] && *b < p->levels[*g] && !have_met(p, *f, *a, *g, *b))
      return 1;
  }
  return 0;
}

static int news(const pairs *p, const int *row) {
  int n = 0;
  for (int f = 0; f < p->factors; f++)
    for (int g = f + 1; g < p->factors; g++)
      n += !have_met(p, f, row[f], g, row[g]);
  return n;
}

int pairs_next(pairs *p, int *row) {
  enum { TRIALS = 30 };
  int f, a, g, b, best = 0, trial[PAIR_FACTORS];
  if (!missing(p, &f, &a, &g, &b))
    return 0;
  for (int t = 0; t < TRIALS; t++) {
    for (int i = 0; i < p->factors; i++)
      trial[i] = (int)p->below(&p->state, (uint64_t)p->levels[i]);
    trial[f] = a;
    trial[g] = b;
    if (news(p, trial) > best) {
      best = news(p, trial);
      memcpy(row, trial, sizeof trial);
    }
  }
  for (f = 0; f < p->factors; f++)
    for (g = 0; g < p->factors; g++)
      p->met[f][row[f]][g] |= UINT64_C(1) << row[g];
  return 1;
}
