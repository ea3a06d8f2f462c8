/* table.c: owns the one table of options, and the help that is made from it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include <ghz/file.h>
#include <stdio.h>

#include "report/name.h"

#define TEXT_OF(number) #number
#define NUMBER_TEXT(number) TEXT_OF(number)
#define LEVELS "1, by zstd, or 2, smaller (default: " NUMBER_TEXT(GHZ_FILE_PACK) ")"

const option_row option_table[] = {
    {'o', OPTION_OUTPUT, "output", "FILE", "write to FILE (- is standard output)"},
    {'c', OPTION_OUTPUT, "stdout", NULL, "write to standard output, like -o -"},
    {'f', OPTION_FORCE, "force", NULL, "overwrite existing files; allow binary data on a terminal"},
    {ABS, OPTION_ABS_REL, "abs", "E", "bound: no finite value changes by more than E"},
    {REL, OPTION_ABS_REL, "rel", "E", "bound: E times the range (max - min) of the input"},
    {PSNR, OPTION_PSNR | OPTION_TARGET, "psnr", "DB",
     "bound: for a peak signal-to-noise ratio of at least DB decibels"},
    {STEP, OPTION_STEP, "step", "Q", "the quantum of the data: its multiples are exact, the rest is kept"},
    {LOSSLESS, OPTION_STEP, "lossless", NULL, "nothing changes: for integers, like --step 1"},
    {GRID, OPTION_GRID, "grid", "auto", "find the quantum of the data, and take it as --step"},
    {RATIO, OPTION_TARGET, "ratio", "R", "the smallest bound that makes the file R times smaller"},
    {FILL, OPTION_FILL, "fill", "V", "V marks missing values: kept exactly, outside range and bound, like NaN"},
    {VAR, OPTION_VAR, "var", "NAME", "the data set (HDF5) or variable (netCDF)"},
    {PLACES, OPTION_PLACES, "differing-places", NULL, "combine HDF5 files whose coordinates differ, too"},
    {TOGETHER, OPTION_SUMS, "together", NULL,
     "use one range and one bound for all files, so that they can be added"},
    {LIKE, OPTION_SUMS, "like", "FILE.ghz",
     "take bound, type, shape and tiles from FILE, so that both can be added"},
    {SUM_OF, OPTION_SUMS, "sum-of", "K", "the bound is that of the sum of K files: each file gets 1/K of it"},
    {DIMS, OPTION_DIMS, "dims", "NZxNYxNX", "shape of raw values, slowest dimension first, as in NumPy"},
    {FLAT, OPTION_FLAT, "flat", NULL, "ignore the shape: faster, but compresses less"},
    {ORDER, OPTION_ORDER, "order", "N",
     "prediction order 0 to 3; lorenzo: best of these; best: or the transform"},
    {TYPE, OPTION_TYPE, "type", "f32|f64", "type of raw values; default: from the extension of the name"},
    {BIG_END, OPTION_TYPE, "big-endian", NULL, "raw values have their highest byte first"},
    {RANGE, OPTION_RANGE, "range", "FIRST:COUNT", "only COUNT values from number FIRST on (counted from 0)"},
    {BOX, OPTION_BOX, "box", "A:B,C,...", "only a box, as in NumPy: a range or an index per dimension"},
    {MIN, OPTION_EXTREME, "min", NULL, "write the least value at each position to -o FILE"},
    {MAX, OPTION_EXTREME, "max", NULL, "write the greatest value at each position to -o FILE"},
    {PACK, OPTION_PACK, "pack", "[=LEVEL]", "pack the output at level " LEVELS},
    {LEVEL, OPTION_LEVEL, "level", "1|2", "how to pack: " LEVELS},
    {'1', OPTION_LEVEL, "fast", NULL, "like --level 1"},
    {'2', OPTION_LEVEL, "best", NULL, "like --level 2"},
    {PNG, OPTION_PNG, "png", "FILE", "draw original, result and error, with scales"},
    {JSON, OPTION_JSON, "json", NULL, "print JSON"},
    {FRAME_VALUES, OPTION_FRAME, "frame-values", "N",
     "values per frame, a multiple of 16384 (for testing and tuning)"},
    {'T', OPTION_THREADS, "threads", "N", "use N threads (0, the default: all processors)"},
    {'q', 0, "quiet", NULL, "print errors only"},
    {'v', 0, "verbose", NULL, "print more"},
    {'h', 0, "help", NULL, "print this help"},
};
const int option_rows = sizeof option_table / sizeof *option_table;
_Static_assert(sizeof option_table / sizeof *option_table < OPTION_ROWS_MAX, "getopt's tables are too small");

const option_row *option_find(int key) {
  for (int i = 0; i < option_rows; i++)
    if (option_table[i].key == key)
      return &option_table[i];
  return NULL;
}

bool option_applies(const verb *v, const option_row *row) {
  return row->bit == 0 || (v->options & row->bit) != 0;
}

/* ---- Help ---- */

void options_help(const verb *v) {
  printf("Usage: " GHZ_COMMAND_NAME " %s [OPTION...]%s%s\n\n", v->name, *v->operands ? " " : "", v->operands);
  print_named(v->details);
  printf("\n\n");
  if (v->alias)
    printf("Another name: " GHZ_COMMAND_NAME " %s\n\n", v->alias);
  printf("Options:\n");
  for (int i = 0; i < option_rows; i++) {
    const option_row *row = &option_table[i];
    if (!option_applies(v, row))
      continue;
    char left[64];
    snprintf(left, sizeof left, "%c%c%c --%s%s%s", row->key < 256 ? '-' : ' ', row->key < 256 ? row->key : ' ',
             row->key < 256 ? ',' : ' ', row->name, row->argument && *row->argument != '[' ? " " : "",
             row->argument ? row->argument : "");
    printf("  %-26s %s\n", left, row->key == TYPE && v->type_help ? v->type_help : row->help);
  }
  printf("\nExamples:\n");
  print_named(v->examples);
}
