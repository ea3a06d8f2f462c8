/* pairs.h: rows of levels of factors, drawn until every two levels of two factors have met. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stdint.h>

enum { PAIR_FACTORS = 16, PAIR_LEVELS = 64 };

typedef struct pairs {
  int factors;
  int levels[PAIR_FACTORS];
  uint64_t state; /* of the random numbers */
  uint64_t (*below)(uint64_t *state, uint64_t count);
  uint64_t met[PAIR_FACTORS][PAIR_LEVELS]
              [PAIR_FACTORS]; /* bit b: level b of the last index, with the first two */
} pairs;

/* Starts, with so many levels each (0 ends the list), drawn by `below` from a seed. */
void pairs_start(pairs *p, const int *levels, uint64_t (*below)(uint64_t *, uint64_t), uint64_t seed);

/* The next row. Returns 0 when all pairs have met. */
int pairs_next(pairs *p, int *row);
