/* options.c: owns the command line: the one table of options, their parsing and their help. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/frame.h"
#include "report/report.h"

/* Values of long options without a letter. */
enum { ABS = 256, REL, PSNR, ORDER, TYPE, RANGE, JSON, CSV, PNG, DIMS, FLAT, BOX, MIN, MAX, FRAME_VALUES };

typedef struct option_row {
  int key;      /* letter, or one of the values above */
  unsigned bit; /* 0: every verb takes it */
  const char *name, *argument, *help;
} option_row;

static const option_row table[] = {
    {'o', OPTION_OUTPUT, "output", "FILE", "write to FILE (- is standard output)"},
    {'c', OPTION_OUTPUT, "stdout", NULL, "write to standard output: as -o -"},
    {'f', OPTION_FORCE, "force", NULL, "overwrite existing files; allow binary data on a terminal"},
    {ABS, OPTION_BOUND, "abs", "E", "bound: no finite value changes by more than E"},
    {REL, OPTION_BOUND, "rel", "E", "bound: E times the range (max - min) of the whole input"},
    {PSNR, OPTION_BOUND, "psnr", "DB", "bound: for a peak signal-to-noise ratio of at least DB decibels"},
    {DIMS, OPTION_DIMS, "dims", "NZxNYxNX", "shape of raw values, slowest dimension first, as in NumPy"},
    {FLAT, OPTION_FLAT, "flat", NULL, "compress as one row of values, whatever the shape: faster, and less"},
    {ORDER, OPTION_ORDER, "order", "N",
     "prediction order 0 to 3, lorenzo (best of these), or best (also the transform)"},
    {TYPE, OPTION_TYPE, "type", "T", "type of raw values, f32 or f64; default: by the ending of the name"},
    {RANGE, OPTION_RANGE, "range", "FIRST:COUNT",
     "only COUNT values, beginning with number FIRST (counted from 0)"},
    {BOX, OPTION_BOX, "box", "A:B,C:D,...", "only a box: a range along each dimension, slowest first"},
    {MIN, OPTION_EXTREME, "min", NULL, "write the least value at each position to -o FILE"},
    {MAX, OPTION_EXTREME, "max", NULL, "write the greatest value at each position to -o FILE"},
    {PNG, OPTION_PNG, "png", "FILE", "draw original, result and error, with scales"},
    {JSON, OPTION_JSON, "json", NULL, "print JSON"},
    {CSV, OPTION_CSV, "csv", NULL, "print comma-separated values"},
    {FRAME_VALUES, OPTION_FRAME, "frame-values", "N",
     "values per frame, a multiple of 16384 (for testing and tuning)"},
    {'T', OPTION_THREADS, "threads", "N", "use N threads (0, the default: all processors)"},
    {'q', 0, "quiet", NULL, "print errors only"},
    {'v', 0, "verbose", NULL, "print more"},
    {'h', 0, "help", NULL, "print this help"},
};
enum { ROWS = sizeof table / sizeof *table };

/* ---- Help ---- */

void options_help(const verb *v) {
  printf("Usage: ghz %s [OPTION...] %s\n\n%s\n\nOptions:\n", v->name, v->operands, v->details);
  for (int i = 0; i < ROWS; i++) {
    const option_row *row = &table[i];
    if (row->bit && !(v->options & row->bit))
      continue;
    char left[64];
    snprintf(left, sizeof left, "%c%c%c --%s%s%s", row->key < 256 ? '-' : ' ', row->key < 256 ? row->key : ' ',
             row->key < 256 ? ',' : ' ', row->name, row->argument ? " " : "",
             row->argument ? row->argument : "");
    printf("  %-26s %s\n", left, row->key == TYPE && v->type_help ? v->type_help : row->help);
  }
  printf("\nExamples:\n%s", v->examples);
}

/* ---- Arguments ---- */

static bool parse_double(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return end != text && *end == '\0';
}

static bool parse_u64(const char *text, uint64_t *value, char stop, const char **rest) {
  char *end;
  errno = 0;
  if (*text < '0' || *text > '9')
    return false;
  *value = strtoull(text, &end, 10);
  *rest = end;
  return errno == 0 && *end == stop;
}

static int set_bound(options *o, ghz_bound_kind kind, const char *name, const char *text) {
  double value;
  if (o->bound_given)
    return fail_usage(o->verb, "give one bound only: --abs, --rel or --psnr");
  if (!parse_double(text, &value))
    return fail_usage(o->verb, "--%s %s: not a number", name, text);
  if (!isfinite(value) || !(value > 0))
    return fail_usage(o->verb, "--%s %s: the bound must be a positive, finite number", name, text);
  o->bound_given = true;
  o->bound = (ghz_bound){kind, value};
  return -1;
}

static int set_type(options *o, const char *text) {
  if (strcmp(text, "f32") != 0 && strcmp(text, "f64") != 0)
    return fail_usage(o->verb, "--type %s: unknown type; it is f32 or f64", text);
  o->type = (type_choice){true, text[1] == '3' ? GHZ_F32 : GHZ_F64};
  return -1;
}

static int set_order(options *o, const char *text) {
  if (strcmp(text, "best") == 0)
    o->order = GHZ_ORDER_BEST;
  else if (strcmp(text, "lorenzo") == 0)
    o->order = GHZ_ORDER_LORENZO;
  else if (text[0] >= '0' && text[0] <= '3' && text[1] == '\0')
    o->order = text[0] - '0';
  else
    return fail_usage(o->verb, "--order %s: it is 0, 1, 2, 3, lorenzo or best", text);
  return -1;
}

static int set_range(options *o, const char *text) {
  const char *rest;
  o->range_given = true;
  if (parse_u64(text, &o->range_first, ':', &rest) && parse_u64(rest + 1, &o->range_count, '\0', &rest) &&
      o->range_count > 0)
    return -1;
  return fail_usage(o->verb, "--range %s: it is FIRST:COUNT, with a COUNT above 0", text);
}

static int set_dims(options *o, const char *text) {
  const char *wrong = shape_parse(text, &o->dims);
  return wrong ? fail_usage(o->verb, "--dims %s: %s", text, wrong) : -1;
}

static int set_box(options *o, const char *text) {
  return box_parse(text, &o->box)
             ? -1
             : fail_usage(o->verb, "--box %s: it is A:B,C:D,..., each from A to before B", text);
}

static int set_frame_values(options *o, const char *text) {
  const char *rest;
  if (parse_u64(text, &o->frame_values, '\0', &rest) && o->frame_values > 0 &&
      o->frame_values % GHZ_CHUNK == 0 && o->frame_values <= FRAME_VALUES_MAX)
    return -1;
  return fail_usage(o->verb, "--frame-values %s: it is a multiple of %d, at most %llu", text, GHZ_CHUNK,
                    (unsigned long long)FRAME_VALUES_MAX);
}

static int set_threads(options *o, const char *text) {
  const char *rest;
  uint64_t n;
  if (!parse_u64(text, &n, '\0', &rest) || n > 4096)
    return fail_usage(o->verb, "-T %s: the number of threads is 0 to 4096", text);
  o->threads = (int)n;
  return -1;
}

static int set_extreme(options *o, enum extreme extreme) {
  if (o->extreme != EXTREME_NONE && o->extreme != extreme)
    return fail_usage(o->verb, "give --min or --max, not both");
  o->extreme = extreme;
  return -1;
}

static int apply(options *o, int key, const char *argument) {
  switch (key) {
  case 'o':
    return (o->output = argument, -1);
  case 'c':
    return (o->output = "-", -1);
  case 'f':
    return (o->force = true, -1);
  case 'q':
    return (report_set_level(LEVEL_QUIET), -1);
  case 'v':
    return (report_set_level(LEVEL_VERBOSE), -1);
  case 'T':
    return set_threads(o, argument);
  case ABS:
    return set_bound(o, GHZ_ABS, "abs", argument);
  case REL:
    return set_bound(o, GHZ_REL, "rel", argument);
  case PSNR:
    return set_bound(o, GHZ_PSNR, "psnr", argument);
  case ORDER:
    return set_order(o, argument);
  case TYPE:
    return set_type(o, argument);
  case RANGE:
    return set_range(o, argument);
  case JSON:
    return (o->json = true, -1);
  case CSV:
    return (o->csv = true, -1);
  case PNG:
    return (o->png = argument, -1);
  case DIMS:
    return set_dims(o, argument);
  case FLAT:
    return (o->flat = true, -1);
  case BOX:
    return set_box(o, argument);
  case MIN:
    return set_extreme(o, EXTREME_MIN);
  case MAX:
    return set_extreme(o, EXTREME_MAX);
  case FRAME_VALUES:
    return set_frame_values(o, argument);
  default:
    return -1;
  }
}

/* ---- Parsing ---- */

static const option_row *find_row(int key) {
  for (int i = 0; i < ROWS; i++)
    if (table[i].key == key)
      return &table[i];
  return NULL;
}

/* Handles one option that getopt_long found. */
static int take_option(const verb *v, options *o, int key, char **argv) {
  const option_row *row = find_row(key == ':' || key == '?' ? optopt : key);
  if (key == ':' && row)
    return fail_usage(v->name, "--%s needs a value: %s", row->name, row->argument);
  if (key == '?' && optopt && !row)
    return fail_usage(v->name, "unknown option -%c", optopt);
  if (key == '?' && row)
    return fail_usage(v->name, "--%s takes no value", row->name);
  if (key == '?' || !row)
    return fail_usage(v->name, "unknown option %s", argv[optind - 1]);
  if (row->bit && !(v->options & row->bit))
    return fail_usage(v->name, "--%s does not apply here", row->name);
  if (key == 'h')
    return (options_help(v), EXIT_OK);
  return apply(o, key, optarg);
}

/* Fills the tables of getopt_long. They hold all options of all verbs, for better messages about
 * wrong ones. */
static void getopt_tables(char *letters, struct option *names) {
  *letters++ = '+'; /* stop at operands: a negative factor is one of them */
  *letters++ = ':';
  for (int i = 0; i < ROWS; i++) {
    const option_row *row = &table[i];
    names[i] = (struct option){row->name, row->argument ? required_argument : no_argument, NULL, row->key};
    if (row->key < 256) {
      *letters++ = (char)row->key;
      if (row->argument)
        *letters++ = ':';
    }
  }
  *letters = '\0';
}

static int scan(const verb *v, int argc, char **argv, options *o) {
  char letters[2 * ROWS + 3];
  struct option names[ROWS + 1] = {0};
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
  if (o->file_count == 0 && v->least <= 1) {
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
