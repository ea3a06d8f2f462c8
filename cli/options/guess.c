/* guess.c: owns the distance between words: letters that are missing, added, wrong or swapped. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "guess.h"

#include <string.h>

enum { WORD_MAX = 24 };

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* The fewest changes that turn a into b; each is one letter, or two neighbours that change
 * places. Source: optimal string alignment, Damerau (1964). */
static size_t distance(const char *a, size_t n, const char *b, size_t m) {
  size_t row[WORD_MAX + 1][WORD_MAX + 1];
  for (size_t i = 0; i <= n; i++)
    for (size_t j = 0; j <= m; j++) {
      if (i == 0 || j == 0) {
        row[i][j] = i + j;
        continue;
      }
      const size_t replaced = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      row[i][j] = least(replaced, 1 + least(row[i - 1][j], row[i][j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[i][j] = least(row[i][j], row[i - 2][j - 2] + 1);
    }
  return row[n][m];
}

guess guess_begin(const char *word, size_t length) {
  return (guess){word, length, NULL, 2 + 2 * least(2, length / 3 + (length > 1))};
}

void guess_offer(guess *g, const char *candidate) {
  const size_t m = strlen(candidate);
  if (g->length > WORD_MAX || m > WORD_MAX)
    return;
  /* Of two that are equally near, the one with the same first letter. */
  const size_t d = 2 * distance(g->word, g->length, candidate, m) + (g->word[0] != candidate[0]);
  if (d >= g->distance)
    return;
  g->best = candidate;
  g->distance = d;
}
