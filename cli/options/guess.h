/* guess.h: which word a mistyped one was meant to be. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_OPTIONS_GUESS_H
#define GHZ_CLI_OPTIONS_GUESS_H

#include <stddef.h>

typedef struct guess {
  const char *word;
  size_t length;
  const char *best; /* NULL: nothing is near */
  size_t distance;  /* of the best */
} guess;

guess guess_begin(const char *word, size_t length);

/* Takes the candidate if it is nearer than all before, and near enough. */
void guess_offer(guess *g, const char *candidate);

#endif
