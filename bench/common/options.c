/* options.c: owns the parsing of command lines: the kinds of options, the errors, the help. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 40, LONG_ONLY = 256 /* getopt's keys of rows without a letter begin here */ };

/* ---- Numbers --------------------------------------------------------------------------------- */

static bool within(const option_row *row, double value) {
  double min, max;
  if (!row->range || sscanf(row->range, "%lf:%lf", &min, &max) != 2)
    return value > 0 && isfinite(value);
  return value >= min && value <= max;
}

static bool number_at(const char **text, double *value) {
  char *end;
  *value = strtod(*text, &end);
  bool found = end != *text;
  *text = end;
  return found;
}

static bool whole_at(const char **text, double *value) {
  return number_at(text, value) && *value == floor(*value);
}

bool read_bytes(const char **text, double *bytes) {
  static const char suffixes[] = "kKmMgG";
  if (!number_at(text, bytes))
    return false;
  const char *suffix = **text ? strchr(suffixes, **text) : NULL;
  if (suffix) {
    *bytes = ldexp(*bytes, 10 * (int)((suffix - suffixes) / 2 + 1));
    ++*text;
  }
  return *bytes == floor(*bytes);
}

typedef bool number_reader(const char **text, double *value);

static bool single(const option_row *row, const char *text, number_reader *read, double *value) {
  return read(&text, value) && !*text && within(row, *value);
}

static bool list(const option_row *row, const char *text, number_reader *read) {
  number_list *l = row->target;
  for (l->n = 0; l->n < LIST_MAX; text++) {
    double *value = &l->x[l->n++];
    if (!read(&text, value) || !within(row, *value) || (*text && *text != ','))
      return false;
    if (!*text)
      return true;
  }
  return false;
}

static bool read_whole(const option_row *row, char *text) {
  double value;
  bool good = single(row, text, whole_at, &value);
  if (good)
    *(int *)row->target = (int)value;
  return good;
}

static bool read_number(const option_row *row, char *text) {
  return single(row, text, number_at, row->target);
}

static bool read_size(const option_row *row, char *text) {
  return single(row, text, read_bytes, row->target);
}

static bool read_numbers(const option_row *row, char *text) {
  return list(row, text, number_at);
}

static bool read_wholes(const option_row *row, char *text) {
  return list(row, text, whole_at);
}

static bool read_sizes(const option_row *row, char *text) {
  return list(row, text, read_bytes);
}

/* ---- Words ----------------------------------------------------------------------------------- */

static bool read_flag(const option_row *row, char *text) {
  (void)text;
  *(bool *)row->target = true;
  return true;
}

static bool read_text(const option_row *row, char *text) {
  *(const char **)row->target = text;
  return true;
}

/* Cuts the argument at its commas, in place. */
static bool read_words(const option_row *row, char *text) {
  word_list *l = row->target;
  l->n = 0;
  for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
    if (l->n == LIST_MAX)
      return false;
    l->word[l->n++] = word;
  }
  return l->n > 0;
}

static bool read_choice(const option_row *row, char *text) {
  int index = 0;
  size_t length = strlen(text);
  for (const char *choice = row->range; length > 0; index++) {
    size_t here = strcspn(choice, ",");
    if (here == length && !memcmp(choice, text, length)) {
      *(int *)row->target = index;
      return true;
    }
    if (!choice[here])
      return false;
    choice += here + 1;
  }
  return false;
}

const option_kind option_flag = {read_flag, ""};
const option_kind option_text = {read_text, ""};
const option_kind option_whole = {read_whole, "a whole number"};
const option_kind option_number = {read_number, "a number"};
const option_kind option_size = {read_size, "a number of bytes such as 65536, 64k or 1M"};
const option_kind option_numbers = {read_numbers, "numbers with commas between them"};
const option_kind option_wholes = {read_wholes, "whole numbers with commas between them"};
const option_kind option_sizes = {read_sizes, "numbers of bytes such as 64k,1M,512M"};
const option_kind option_words = {read_words, "words with commas between them"};
const option_kind option_choice = {read_choice, "one of"};

/* ---- Messages -------------------------------------------------------------------------------- */

static int wrong_value(const command *c, const option_row *row, const char *text) {
  if (c->silent)
    return OPTIONS_WRONG;
  fprintf(stderr, "%s: --%s %s: expected %s", c->name, row->name, text, row->kind->expected);
  if (row->range)
    fprintf(stderr, row->kind == &option_choice ? " %s" : ", in %s", row->range);
  fputs("; see --help\n", stderr);
  return OPTIONS_WRONG;
}

static int help(const command *c) {
  if (c->silent)
    return EXIT_SUCCESS;
  fputs(c->usage, stdout);
  for (int i = 0; i < c->n_rows; i++) {
    const option_row *row = &c->rows[i];
    char left[64];
    snprintf(left, sizeof left, "%c%c --%s %s", row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
             row->name, row->argument ? row->argument : "");
    printf("  %-24s ", left);
    for (const char *line = row->help; *line; line++)
      *line == '\n' ? printf("\n%27s", "") : putchar(*line);
    putchar('\n');
  }
  puts("  -h --help                prints this");
  return EXIT_SUCCESS;
}

/* ---- Parsing --------------------------------------------------------------------------------- */

static void getopt_tables(const command *c, char *letters, struct option *names) {
  int i = 0;
  for (; i < c->n_rows; i++) {
    const option_row *row = &c->rows[i];
    names[i] = (struct option){row->name, row->argument ? required_argument : no_argument, NULL, LONG_ONLY + i};
    if (row->letter)
      letters += sprintf(letters, row->argument ? "%c:" : "%c", row->letter);
  }
  names[i] = (struct option){"help", no_argument, NULL, 'h'};
  names[i + 1] = (struct option){NULL, 0, NULL, 0};
  strcpy(letters, "h");
}

static const option_row *row_of(const command *c, int key) {
  if (key >= LONG_ONLY)
    return &c->rows[key - LONG_ONLY];
  for (int i = 0; i < c->n_rows; i++)
    if (c->rows[i].letter == key)
      return &c->rows[i];
  return NULL;
}

int options_read(const command *c, int argc, char **argv, int *operands) {
  char letters[2 * ROWS_MAX + 2];
  struct option names[ROWS_MAX + 2];
  getopt_tables(c, letters, names);
  opterr = !c->silent;
  for (int key; (key = getopt_long(argc, argv, letters, names, NULL)) != -1;) {
    const option_row *row = row_of(c, key);
    if (key == 'h')
      return help(c);
    if (!row) /* getopt_long has reported the error */
      return OPTIONS_WRONG;
    if (!row->kind->read(row, optarg))
      return wrong_value(c, row, optarg);
  }
  *operands = optind;
  return OPTIONS_OK;
}
