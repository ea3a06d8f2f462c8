/* parse.c: owns the parsing of a command line, by getopt_long. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "guess.h"
#include "options.h"
#include "report/report.h"
#include "table.h"

/* An option that nobody knows; the verb may have one that is spelt alike. */
static int fail_unknown(const verb *v, const char *word) {
  const size_t length = strcspn(word + 2, "=");
  guess g = guess_begin(word + 2, length);
  if (strncmp(word, "--", 2) != 0)
    return fail_usage(v->name, "unknown option %s", word);
  for (int i = 0; i < option_rows; i++)
    if (option_applies(v, &option_table[i]))
      guess_offer(&g, option_table[i].name);
  if (!g.best)
    return fail_usage(v->name, "unknown option %s", word);
  return fail_usage(v->name, "unknown option --%.*s; did you mean --%s?", (int)length, word + 2, g.best);
}

/* A digit that is no option is a level that there is not. */
static int fail_letter(const verb *v, options *o) {
  const char text[] = {(char)optopt, '\0'};
  if (v->options & OPTION_LEVEL && strspn(text, "0123456789"))
    return option_apply(o, LEVEL, text);
  return fail_usage(v->name, "unknown option -%s", text);
}

/* Handles one option that getopt_long found. */
static int take_option(const verb *v, options *o, int key, char **argv) {
  const option_row *row = option_find(key == ':' || key == '?' ? optopt : key);
  if (key == ':' && row)
    return fail_usage(v->name, "--%s needs a value: %s", row->name, row->argument);
  if (key == '?' && optopt && !row)
    return fail_letter(v, o);
  if (key == '?' && row)
    return fail_usage(v->name, "--%s takes no value", row->name);
  if (key == '?' || !row)
    return fail_unknown(v, argv[optind - 1]);
  if (!option_applies(v, row))
    return fail_usage(v->name, "--%s does not apply here", row->name);
  if (key == 'h')
    return (options_help(v), EXIT_OK);
  return option_apply(o, key, optarg);
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
                               NULL, row->key};
    if (row->key < 256) {
      *letters++ = (char)row->key;
      if (row->argument)
        *letters++ = ':';
    }
  }
  *letters = '\0';
}

/* An option that went: getopt_long would take it for the beginning of another. */
static bool is_gone(const char *word) {
  return strncmp(word, "--differing", 11) == 0 && (word[11] == '\0' || word[11] == '=');
}

static int scan(const verb *v, int argc, char **argv, options *o) {
  char letters[2 * OPTION_ROWS_MAX + 3];
  struct option names[OPTION_ROWS_MAX + 1] = {0};
  getopt_tables(letters, names);
  opterr = 0;
  optind = 1;
  while (optind < argc) {
    double ignored;
    if (is_gone(argv[optind]))
      return fail_usage(v->name, "--differing went: all but the variables is that of the first file, and "
                                 "--differing-places combines values of other places");
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
  if (o->file_count > v->most)
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
  if (code < 0 && v->factor)
    code = take_factor(o);
  if (code < 0)
    code = check_operands(v, o);
  return code;
}

void options_free(options *o) {
  free(o->files);
}
