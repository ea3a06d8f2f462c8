/* table.h: every option of every verb; what a mistyped word was meant to be; what completes a
 * command line. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_OPTIONS_TABLE_H
#define GHZ_CLI_OPTIONS_TABLE_H

#include <stddef.h>

#include "options.h"

/* What an option does is one of the last three. */
typedef struct option_row {
  char letter; /* '\0': none */
  const char *name;
  const char *argument; /* NULL: none; "[=LEVEL]": may be left out */
  const char *help;
  const char *verbs; /* that take it, between blanks; NULL: all; "": it went, `help` says for what */
  size_t flag, text; /* the field of options that becomes true, or the argument */
  /* Reads the argument. Returns -1 to go on, else the exit code. */
  int (*set)(options *o, const char *name, const char *argument);
} option_row;

extern const option_row option_table[];
extern const int option_rows;

#define OPTION_ROWS_MAX 64
enum { OPTION_KEY = 256 }; /* getopt_long's number of the first row, if it has no letter */

/* The row of a letter, or of such a number; or NULL. */
const option_row *option_find(int key);

/* Whether a verb takes the option. */
bool option_applies(const verb *v, const option_row *row);

/* Takes an option and its argument. Returns -1 to go on, else the exit code. */
int option_apply(options *o, const option_row *row, const char *argument);

/* Reads a number that ends with the text. */
bool parse_double(const char *text, double *value);

/* ---- Mistyped words -------------------------------------------------------------------------- */

typedef struct guess {
  const char *word;
  size_t length;
  const char *best; /* NULL: nothing is near */
  size_t distance;  /* of the best */
} guess;

guess guess_begin(const char *word, size_t length);

/* Takes the candidate if it is nearer than all before, and near enough. */
void guess_offer(guess *g, const char *candidate);

/* ---- Completion ------------------------------------------------------------------------------ */

/* Prints what may stand in the place of the last word of a command line of so many characters, one
 * a line: nothing where the shell offers names of files. `word` is what the shell replaces. */
void completion_print(const char *line, size_t size, const char *word);

#endif
