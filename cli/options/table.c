/* table.c: owns the one table of options: which verbs take them, how their arguments are read and
 * what is wrong with these, and the help that is made from it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include <errno.h>
#include <ghz/file.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/header.h"
#include "report/report.h"
#include "verbs/verbs.h"

/* ---- Arguments ------------------------------------------------------------------------------- */

bool parse_double(const char *text, double *value) {
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
  if (rest)
    *rest = end;
  return errno == 0 && *end == stop;
}

/* --lossless has no argument. */
static int set_bound(options *o, const char *name, const char *text) {
  static const char *const kinds[] = {
      [GHZ_ABS] = "abs", [GHZ_REL] = "rel", [GHZ_PSNR] = "psnr", [GHZ_STEP] = "step"};
  ghz_bound_kind kind = GHZ_ABS;
  double value = 1;
  while (kind < GHZ_STEP && strcmp(name, kinds[kind]) != 0)
    kind++;
  if (text && strchr(text, '=') && strcmp(o->verb, "h5args") == 0)
    return (o->named[kind] = text, o->lists_given = true, -1);
  if (o->bound_given)
    return fail_usage(o->verb, "give one bound only: --abs, --rel, --psnr or --step");
  if ((text && !parse_double(text, &value)) || !isfinite(value) || !(value > 0))
    return fail_usage(o->verb, "--%s %s: the bound must be a positive, finite number", name, text);
  o->bound_given = true;
  o->bound = (ghz_bound){kind, value};
  return -1;
}

static int set_type(options *o, const char *name, const char *text) {
  o->type.given = type_parse(text, &o->type.type);
  return o->type.given
             ? -1
             : fail_usage(o->verb, "--%s %s: unknown type; must be f32, f64, or int8 to int64, uint8 to uint32",
                          name, text);
}

static int set_order(options *o, const char *name, const char *text) {
  if (strcmp(text, "best") == 0)
    o->order = GHZ_ORDER_BEST;
  else if (strcmp(text, "lorenzo") == 0)
    o->order = GHZ_ORDER_LORENZO;
  else if (text[0] >= '0' && text[0] <= '3' && text[1] == '\0')
    o->order = text[0] - '0';
  else
    return fail_usage(o->verb, "--%s %s: must be 0, 1, 2, 3, lorenzo or best", name, text);
  return -1;
}

static int set_range(options *o, const char *name, const char *text) {
  const char *rest;
  o->range_given = true;
  if (parse_u64(text, &o->range_first, ':', &rest) && parse_u64(rest + 1, &o->range_count, '\0', NULL) &&
      o->range_count > 0)
    return -1;
  return fail_usage(o->verb, "--%s %s: must be FIRST:COUNT, with a COUNT above 0", name, text);
}

static int set_dims(options *o, const char *name, const char *text) {
  const char *wrong = *text == '?' ? "give one order; " GHZ_COMMAND_NAME
                                     " tune shows the largest ratio for the true one"
                                   : shape_parse(text, &o->dims);
  return wrong ? fail_usage(o->verb, "--%s %s: %s", name, text, wrong) : -1;
}

static int set_box(options *o, const char *name, const char *text) {
  const char *wrong = box_parse(text, &o->box);
  return wrong ? fail_usage(o->verb, "--%s %s: must be A:B,C,...; %s", name, text, wrong) : -1;
}

static int set_slice(options *o, const char *name, const char *text) {
  const char *wrong = box_parse(text, &o->slice);
  for (unsigned i = 0; !wrong && i < o->slice.ndim; i++)
    wrong = o->slice.index[i] ? NULL : "not a range";
  return wrong ? fail_usage(o->verb, "--%s %s: must be I,J,...; %s", name, text, wrong) : -1;
}

static int set_frame_values(options *o, const char *name, const char *text) {
  if (parse_u64(text, &o->frame_values, '\0', NULL) && o->frame_values > 0 &&
      o->frame_values % GHZ_CHUNK == 0 && o->frame_values <= FRAME_VALUES_MAX)
    return -1;
  return fail_usage(o->verb, "--%s %s: must be a multiple of %d, at most %llu", name, text, GHZ_CHUNK,
                    (unsigned long long)FRAME_VALUES_MAX);
}

static int set_sum_of(options *o, const char *name, const char *text) {
  if (parse_u64(text, &o->sum_of, '\0', NULL) && o->sum_of > 0 && o->sum_of <= ghz_terms_limit(35))
    return -1;
  return fail_usage(o->verb, "--%s %s: the number of files must be 1 to %u", name, text, ghz_terms_limit(35));
}

static int set_ratio(options *o, const char *name, const char *text) {
  const bool ok = parse_double(text, &o->ratio) && isfinite(o->ratio) && o->ratio > 0;
  return ok ? -1 : fail_usage(o->verb, "--%s %s: must be a positive, finite number", name, text);
}

static int set_fill(options *o, const char *name, const char *text) {
  o->has_fill = parse_double(text, &o->fill) && isfinite(o->fill);
  return o->has_fill
             ? -1
             : fail_usage(o->verb, "--%s %s: must be a finite number; NaN and infinities are always kept", name,
                          text);
}

static int set_threads(options *o, const char *name, const char *text) {
  uint64_t n;
  (void)name;
  if (!parse_u64(text, &n, '\0', NULL) || n > 4096)
    return fail_usage(o->verb, "-T %s: the number of threads must be 0 to 4096", text);
  o->threads = (int)n;
  return -1;
}

static int set_pack(options *o, const char *name, const char *text) {
  uint64_t level = strcmp(name, "fast") == 0 ? 1 : strcmp(name, "best") == 0 ? 2 : GHZ_FILE_PACK;
  if (text && (!parse_u64(text, &level, '\0', NULL) || level < 1 || level > 2))
    return fail_usage(o->verb, "--%s %s: the level must be 1 (by zstd) or 2 (smaller)", name, text);
  o->pack = (int)level;
  return -1;
}

static int set_stdout(options *o, const char *name, const char *none) {
  (void)name, (void)none;
  return (o->output = "-", -1);
}

static int set_loudness(options *o, const char *name, const char *none) {
  (void)o, (void)none;
  report_set_level(strcmp(name, "quiet") == 0 ? LEVEL_QUIET : LEVEL_VERBOSE);
  return -1;
}

/* ---- The table ------------------------------------------------------------------------------- */

#define TEXT_OF(number) #number
#define NUMBER_TEXT(number) TEXT_OF(number)
#define LEVELS "1, by zstd, or 2, smaller (default: " NUMBER_TEXT(GHZ_FILE_PACK) ")"
#define FLAG(field) .flag = offsetof(options, field)
#define TEXT(field) .text = offsetof(options, field)

#define COMBINING " add sub mean scale minmax "
#define WRITING " compress decompress pack unpack" COMBINING
#define HDF5 " add sub mean diff "
#define RAW " compress decompress compare info tune minmax "

const option_row option_table[] = {
    {'o', "output", "FILE", "write to FILE (- is standard output)", WRITING, TEXT(output)},
    {'c', "stdout", NULL, "write to standard output, like -o -", WRITING, .set = set_stdout},
    {'f', "force", NULL, "overwrite existing files; allow binary data on a terminal", WRITING "compare ",
     FLAG(force)},
    {0, "abs", "E", "bound: no finite value changes by more than E", " compress compare h5args ",
     .set = set_bound},
    {0, "rel", "E", "bound: E times the range (max - min) of the input", " compress compare h5args ",
     .set = set_bound},
    {0, "psnr", "DB", "bound: for a peak signal-to-noise ratio of at least DB decibels",
     " compress compare tune ", .set = set_bound},
    {0, "step", "Q", "the quantum of the data: its multiples are exact, the rest is kept", " compress h5args ",
     .set = set_bound},
    {0, "lossless", NULL, "nothing changes: for integers, like --step 1", " compress h5args ",
     .set = set_bound},
    {0, "ratio", "R", "the smallest bound that makes the file R times smaller", " tune ", .set = set_ratio},
    {0, "fill", "V", "V marks missing values: kept exactly, outside range and bound, like NaN",
     " compress compare tune minmax h5args ", .set = set_fill},
    {0, "var", "NAME", "the data set (HDF5) or variable (netCDF)", HDF5 "info stats h5args tune compare ",
     TEXT(var)},
    {0, "differing-places", NULL, "combine HDF5 files whose coordinates differ, too", HDF5,
     FLAG(differing_places)},
    {0, "together", NULL, "use one range and one bound for all files, so that they can be added", " compress ",
     FLAG(together)},
    {0, "like", "FILE.ghz", "take bound, type, shape and tiles from FILE, so that both can be added",
     " compress ", TEXT(like)},
    {0, "sum-of", "K", "the bound is that of the sum of K files: each file gets 1/K of it", " compress ",
     .set = set_sum_of},
    {0, "dims", "NZxNYxNX", "shape of raw values, slowest dimension first, as in NumPy",
     " compress compare tune ", .set = set_dims},
    {0, "flat", NULL, "ignore the shape: faster, but compresses less", " compress tune ", FLAG(flat)},
    {0, "order", "N", "prediction order 0 to 3; lorenzo: best of these; best: or the transform",
     " compress tune ", .set = set_order},
    {0, "type", "f32|f64", "type of raw values; default: from the extension of the name", RAW, .set = set_type},
    {0, "big-endian", NULL, "raw values have their highest byte first", RAW, FLAG(type.big_endian)},
    {0, "range", "FIRST:COUNT", "only COUNT values from number FIRST on (counted from 0)", " decompress ",
     .set = set_range},
    {0, "box", "A:B,C,...", "only a box, as in NumPy: a range or an index per dimension", " decompress ",
     .set = set_box},
    {0, "min", NULL, "write the least value at each position to -o FILE", " minmax ", FLAG(min)},
    {0, "max", NULL, "write the greatest value at each position to -o FILE", " minmax ", FLAG(max)},
    {0, "pack", "[=LEVEL]", "pack the output at level " LEVELS, COMBINING "compress tune ", .set = set_pack},
    {0, "level", "1|2", "how to pack: " LEVELS, " pack ", .set = set_pack},
    {'1', "fast", NULL, "like --level 1", " pack ", .set = set_pack},
    {'2', "best", NULL, "like --level 2", " pack ", .set = set_pack},
    {0, "png", "FILE", "draw original, result and error, with scales", " compare ", TEXT(png)},
    {0, "slice", "I,...", "the plane to draw: an index of each dimension before the last two", " compare ",
     .set = set_slice},
    {0, "json", NULL, "print JSON", " compress compare info stats diff tune minmax ", FLAG(json)},
    {0, "frame-values", "N", "values per frame, a multiple of 16384 (for testing and tuning)",
     " compress tune ", .set = set_frame_values},
    {'T', "threads", "N", "use N threads (0, the default: all processors)",
     WRITING "info stats diff test compare tune ", .set = set_threads},
    {'q', "quiet", NULL, "print errors only", NULL, .set = set_loudness},
    {'v', "verbose", NULL, "print more", NULL, .set = set_loudness},
    {'h', "help", NULL, "print this help", NULL, .set = NULL},
    {0, "differing", "[=]",
     "all but the variables is that of the first file, and --differing-places combines values of other places",
     "", .set = NULL},
    {0, "grid", "[=]", "docs/CHOOSING_A_BOUND.md finds a quantum by NumPy, and --step takes it", "",
     .set = NULL},
};
const int option_rows = sizeof option_table / sizeof *option_table;
_Static_assert(sizeof option_table / sizeof *option_table < OPTION_ROWS_MAX, "getopt's tables are too small");

const option_row *option_find(int key) {
  for (int i = 0; key != 0 && i < option_rows; i++)
    if (key == OPTION_KEY + i || key == option_table[i].letter)
      return &option_table[i];
  return NULL;
}

bool option_applies(const verb *v, const option_row *row) {
  char word[32];
  snprintf(word, sizeof word, " %s ", v->name);
  return !row->verbs || strstr(row->verbs, word);
}

int option_apply(options *o, const option_row *row, const char *argument) {
  if (row->flag)
    *(bool *)((char *)o + row->flag) = true;
  if (row->text)
    memcpy((char *)o + row->text, &argument, sizeof argument);
  return row->set ? row->set(o, row->name, argument) : -1;
}

/* ---- Help ------------------------------------------------------------------------------------ */

void options_help(const verb *v) {
  printf("Usage: " GHZ_COMMAND_NAME " %s [OPTION...]%s%s\n\n", v->name, *v->operands ? " " : "", v->operands);
  print_named(v->details);
  printf("\n\n");
  if (v->alias)
    printf("Another name: " GHZ_COMMAND_NAME " %s\n\n", v->alias);
  printf("Options:\n");
  for (const option_row *row = option_table; row < option_table + option_rows; row++) {
    char names[64], letter[] = {'-', row->letter, ',', '\0'};
    if (!option_applies(v, row))
      continue;
    snprintf(names, sizeof names, "%s --%s%s%s", row->letter ? letter : "   ", row->name,
             row->argument && *row->argument != '[' ? " " : "", row->argument ? row->argument : "");
    printf("  %-26s %s\n", names, v->type_help && strcmp(row->name, "type") == 0 ? v->type_help : row->help);
  }
  printf("\nExamples:\n");
  print_named(v->examples);
}
