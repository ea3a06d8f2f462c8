/* parse.c: owns the parsing of a command line, by getopt_long, and the distance between words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "report/report.h"
#include "table.h"
#include "verbs/verbs.h"

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
  /* What the word begins; of two that are equally near, the one with the same first letter. */
  const bool begun = g->length > 0 && strncmp(candidate, g->word, g->length) == 0;
  const size_t d = begun ? 0 : 2 * distance(g->word, g->length, candidate, m) + (g->word[0] != candidate[0]);
  if (d >= g->distance)
    return;
  g->best = candidate;
  g->distance = d;
}

/* ---- A command line -------------------------------------------------------------------------- */

/* An option that nobody knows; the verb may have one that is spelt alike. */
static int fail_unknown(const verb *v, const char *word) {
  const size_t length = strcspn(word + 2, "=");
  guess g = guess_begin(word + 2, length);
  for (int i = 0; strncmp(word, "--", 2) == 0 && i < option_rows; i++)
    if (option_applies(v, &option_table[i]))
      guess_offer(&g, option_table[i].name);
  if (!g.best)
    return fail_usage(v->name, "unknown option %s", word);
  return fail_usage(v->name, "unknown option --%.*s; did you mean --%s?", (int)length, word + 2, g.best);
}

/* Whether the verb packs what it writes, so that it has levels. */
static bool packs(const verb *v) {
  bool any = false;
  for (const option_row *row = option_table; row < option_table + option_rows; row++)
    any |= (strcmp(row->name, "pack") == 0 || strcmp(row->name, "level") == 0) && option_applies(v, row);
  return any;
}

/* Handles one option that getopt_long found. */
static int take_option(const verb *v, options *o, int key, char **argv) {
  const option_row *row = option_find(key == ':' || key == '?' ? optopt : key);
  if (row && row->verbs && !*row->verbs)
    return fail_usage(v->name, "--%s went: %s", row->name, row->help);
  if (key == ':' && row)
    return fail_usage(v->name, "--%s needs a value: %s", row->name, row->argument);
  if (key == '?' && optopt && !row)
    return fail_usage(v->name, "unknown option -%c%s", optopt,
                      isdigit(optopt) && packs(v) ? ": levels are 1 and 2, as in pack -2, or --pack=2" : "");
  if (key == '?' && row)
    return fail_usage(v->name, "--%s takes no value", row->name);
  if (key == '?' || !row)
    return fail_unknown(v, argv[optind - 1]);
  if (!option_applies(v, row))
    return fail_usage(v->name, "--%s does not apply here", row->name);
  const char *next = argv[optind];
  if (row->argument && *row->argument == '[' && !optarg && next &&
      (strcmp(next, "1") == 0 || strcmp(next, "2") == 0) && access(next, F_OK) != 0)
    return fail_usage(v->name, "a level is a part of the option: --%s=%s", row->name, next);
  if (row->letter == 'h')
    return (options_help(v), EXIT_OK);
  return option_apply(o, row, optarg);
}

/* Fills the tables of getopt_long. They hold all options of all verbs, for better messages about
 * wrong ones. */
static void getopt_tables(char *letters, struct option *names) {
  *letters++ = '+'; /* stop at operands: a negative factor is one of them */
  *letters++ = ':';
  for (int i = 0; i < option_rows; i++) {
    const option_row *row = &option_table[i];
    names[i] = (struct option){row->name,
                               !row->argument          ? no_argument
                               : *row->argument == '[' ? optional_argument
                                                       : required_argument,
                               NULL, OPTION_KEY + i};
    if (row->letter) {
      *letters++ = row->letter;
      if (row->argument)
        *letters++ = ':';
    }
  }
  *letters = '\0';
}

static int scan(const verb *v, int argc, char **argv, options *o) {
  char letters[2 * OPTION_ROWS_MAX + 3];
  struct option names[OPTION_ROWS_MAX + 1] = {0};
  getopt_tables(letters, names);
  opterr = 0;
  optind = 1;
  while (optind < argc) {
    double ignored;
    bool number = v->factor && argv[optind][0] == '-' && parse_double(argv[optind], &ignored);
    int before = optind, key = number ? -1 : getopt_long(argc, argv, letters, names, NULL);
    if (key != -1) {
      int code = take_option(v, o, key, argv);
      if (code >= 0)
        return code;
    } else if (optind > before) { /* "--": the rest are operands */
      while (optind < argc)
        o->files[o->file_count++] = argv[optind++];
    } else {
      o->files[o->file_count++] = argv[optind++];
    }
  }
  return -1;
}

static int take_factor(options *o) {
  if (!o->files[0])
    return fail_usage(o->verb, "no factor given");
  if (!parse_double(o->files[0], &o->factor) || !isfinite(o->factor) || o->factor == 0)
    return fail_usage(o->verb, "%s: the factor must be a finite number other than 0", o->files[0]);
  memmove(o->files, o->files + 1, (size_t)o->file_count-- * sizeof *o->files); /* and the NULL at the end */
  return -1;
}

static int check_operands(const verb *v, options *o) {
  int standard = 0;
  if (o->file_count == 0 && v->least == 1) {
    if (isatty(STDIN_FILENO))
      return fail_usage(v->name, "no input file");
    o->files[o->file_count++] = "-";
  }
  if (o->file_count < v->least)
    return fail_usage(v->name, "%d input file%s needed", v->least, v->least > 1 ? "s are" : " is");
  if (v->most && o->file_count > v->most)
    return fail_usage(v->name, "%s: one operand too many", o->files[v->most]);
  for (int i = 0; o->files[i]; i++)
    standard += strcmp(o->files[i], "-") == 0;
  return standard > 1 ? fail_usage(v->name, "standard input (-) can be read once only") : -1;
}

int options_parse(const verb *v, int argc, char **argv, options *o) {
  *o = (options){.verb = v->name, .order = GHZ_ORDER_BEST};
  o->files = calloc((size_t)argc + 1, sizeof *o->files);
  if (!o->files)
    return fail(v->name, "out of memory") ? EXIT_OK : EXIT_DATA;
  int code = scan(v, argc, argv, o);
  o->type.forced = o->force;
  if (code < 0 && v->factor)
    code = take_factor(o);
  if (code < 0)
    code = check_operands(v, o);
  return code;
}
