/* options.h: the command line of every benchmark, read by a table of options. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { LIST_MAX = 32 };

typedef struct number_list {
  double x[LIST_MAX];
  int n;
} number_list;

typedef struct word_list {
  const char *word[LIST_MAX];
  int n;
} word_list;

struct option_row;

/* How the argument of an option is read. */
typedef struct option_kind {
  bool (*read)(const struct option_row *row, char *text);
  const char *expected; /* for the error message, which adds the row's range */
} option_kind;

typedef struct option_row {
  const char *name;
  int letter; /* short form; 0: none */
  const option_kind *kind;
  void *target;         /* what the kind writes to */
  const char *argument; /* its name in the help; NULL: the option takes none */
  const char *range;    /* "min:max"; of option_choice "word,word,..."; NULL: numbers above 0 */
  const char *help;     /* lines */
} option_row;

extern const option_kind option_flag;    /* bool */
extern const option_kind option_text;    /* const char * */
extern const option_kind option_whole;   /* int */
extern const option_kind option_number;  /* double */
extern const option_kind option_size;    /* double: bytes, with suffix k, M or G */
extern const option_kind option_numbers; /* number_list */
extern const option_kind option_wholes;  /* number_list of whole numbers */
extern const option_kind option_sizes;   /* number_list of bytes */
extern const option_kind option_words;   /* word_list */
extern const option_kind option_choice;  /* int: index of a word of row->range */

typedef struct command {
  const char *name, *usage; /* usage: text before the options in the help */
  const option_row *rows;
  int n_rows;
  bool silent; /* prints nothing: another process reads the same arguments and does */
} command;

enum { OPTIONS_OK = -1, OPTIONS_WRONG = 2 };

/* Reads argv[1..] and sets *operands to the index of the first operand, behind all options.
 * Returns OPTIONS_OK, or the exit status: 0 after --help, OPTIONS_WRONG after an error message. */
int options_read(const command *c, int argc, char **argv, int *operands);

/* Reads a number that may end in k, M or G; moves *text behind it. */
bool read_bytes(const char **text, double *bytes);

#endif
