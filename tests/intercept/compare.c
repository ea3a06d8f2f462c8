/* compare.c: compares files of values with those of a plain run, part by part.
 *
 *   compare PLAIN OTHER float|double NAME:COUNT:LIMIT...
 *
 * Prints the largest difference of each part. Fails if one is above its limit or not a number, if a
 * part has no difference at all (nothing was compressed), or if the files do not have just these
 * parts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop(const char *name, const char *why) {
  fprintf(stderr, "compare: %s: %s\n", name, why);
  exit(2);
}

static double next(FILE *f, const char *name, int wide) {
  double x;
  float y;
  if (fread(wide ? (void *)&x : (void *)&y, wide ? sizeof x : sizeof y, 1, f) != 1)
    stop(name, "too short, or not readable");
  return wide ? x : (double)y;
}

static FILE *open_values(const char *name) {
  FILE *f = fopen(name, "rb");
  if (!f)
    stop(name, "cannot be opened");
  return f;
}

/* The largest difference of the next `count` values. */
static double difference(FILE *const f[2], char *const names[2], int wide, unsigned long long count) {
  double most = 0;
  for (unsigned long long i = 0; i < count; i++) {
    double error = fabs(next(f[0], names[0], wide) - next(f[1], names[1], wide));
    most = error > most || isnan(error) ? error : most; /* NaN stays: nothing is above it */
  }
  return most;
}

static void expect_end(FILE *f, const char *name) {
  if (fgetc(f) != EOF)
    stop(name, "too long");
  fclose(f);
}

int main(int argc, char **argv) {
  if (argc < 6 || (strcmp(argv[4], "float") != 0 && strcmp(argv[4], "double") != 0))
    stop("usage", "compare differ|may-differ PLAIN OTHER float|double NAME:COUNT:LIMIT...");
  int all_good = 1, wide = argv[4][0] == 'd', must_differ = strcmp(argv[1], "differ") == 0;
  FILE *f[2] = {open_values(argv[2]), open_values(argv[3])};
  for (int i = 5; i < argc; i++) {
    char name[32];
    unsigned long long count;
    double limit;
    if (sscanf(argv[i], "%31[a-z]:%llu:%lf", name, &count, &limit) != 3 || !(limit > 0))
      stop(argv[i], "not NAME:COUNT:LIMIT");
    double most = difference(f, argv + 2, wide, count);
    int good = most <= limit && (most > 0 || !must_differ);
    printf("%-8s %llu values, largest difference %.4g, limit %.4g%s\n", name, count, most, limit,
           good ? "" : "  WRONG");
    all_good &= good;
  }
  expect_end(f[0], argv[2]);
  expect_end(f[1], argv[3]);
  return all_good ? 0 : 1;
}
