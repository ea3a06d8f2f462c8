/* support.c: owns the end after an error, touched memory, the clock, statistics, CSV. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *program_name = "bench";
static void (*before_exit)(void);

void program_begin(const char *name, void (*last)(void)) {
  program_name = name;
  before_exit = last;
}

_Noreturn void die(const char *what, const char *detail) {
  fflush(stdout);
  fprintf(stderr, "%s: %s%s%s\n", program_name, what, detail[0] ? ": " : "", detail);
  if (before_exit)
    before_exit();
  exit(EXIT_FAILURE);
}

void *touched(size_t bytes) {
  size_t whole = bytes ? (bytes + 4095) / 4096 * 4096 : 4096;
  void *memory = whole < bytes ? NULL : aligned_alloc(4096, whole);
  if (!memory)
    die("out of memory", "");
  memset(memory, 1, whole);
  return memory;
}

double clock_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Statistics ------------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void sort_values(double *x, int n) {
  qsort(x, (size_t)n, sizeof *x, ascending);
}

double quantile(const double *sorted, int n, double fraction) {
  double position = fraction * (n - 1);
  int below = (int)floor(position), above = below + 1 < n ? below + 1 : below;
  return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}

double median(double *x, int n) {
  sort_values(x, n);
  return quantile(x, n, 0.5);
}

/* ---- Text ------------------------------------------------------------------------------------ */

const char *size_text(size_t bytes, char text[24]) {
  if (bytes >= 1024 * MIB && bytes % (1024 * MIB) == 0)
    snprintf(text, 24, "%zu GB", bytes / (1024 * MIB));
  else if (bytes >= MIB && bytes % MIB == 0)
    snprintf(text, 24, "%zu MB", bytes / MIB);
  else
    snprintf(text, 24, "%zu KB", bytes / 1024);
  return text;
}

void print_number(double x, int width, int digits) {
  if (isfinite(x))
    printf("%*.*f", width, digits, x);
  else
    printf("%*s", width, "-");
}

FILE *csv_open(const char *path, const char *columns) {
  FILE *f = fopen(path, "w");
  if (!f)
    die("cannot write", path);
  fprintf(f, "%s\n", columns);
  return f;
}

void csv_number(FILE *f, double x) {
  if (isfinite(x))
    fprintf(f, ",%.6g", x);
  else
    fputc(',', f);
}

void csv_close(FILE *f, const char *path) {
  int failed = ferror(f);
  if (fclose(f) != 0 || failed)
    die("cannot write", path);
}
