/* tool.c: what the cases need and the shell lacks: files of values, flipped bits, exact checks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "tool make KIND N f32|f64 [SEED]   values to standard output; KIND: wave, noise, constant,\n"
    "                                  zero, special (NaN and infinities), huge,\n"
    "                                  steps (noise in multiples of the step of --abs 0.5)\n"
    "tool npy SHAPE f32|f64             an .npy header, SHAPE as in '(2, 3)'\n"
    "tool flip FILE BIT                 flips a bit, counted from 0\n"
    "tool check A B f32|f64 BOUND       exit code 1 if some |a - b| > BOUND\n"
    "tool sum f32|f64 FILE...           the sum of up to 16 files, as doubles, to standard output\n";

static double value_of(const char *kind, uint64_t i, unsigned seed) {
  double t = (double)i + 17.0 * seed;
  uint64_t h = (i + 1) * 0x9e3779b97f4a7c15u + seed;
  h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9u;
  double noise = (double)(h >> 11) * 0x1p-53 - 0.5;
  if (strcmp(kind, "wave") == 0)
    return sin(t * 0.001) * cos(t * 0.00013) + 0.25 * sin(t * 0.05);
  if (strcmp(kind, "noise") == 0)
    return noise;
  if (strcmp(kind, "constant") == 0)
    return 3.25;
  if (strcmp(kind, "huge") == 0)
    return noise * 1e30;
  if (strcmp(kind, "steps") == 0)
    return i == 0 ? 50 : floor((noise + 0.5) * 50) * 63 / 64;
  if (strcmp(kind, "special") == 0 && i % 7 == 3)
    return i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY;
  return strcmp(kind, "zero") == 0 ? 0 : sin(t * 0.01);
}

static int make(const char *kind, uint64_t n, int wide, unsigned seed) {
  for (uint64_t i = 0; i < n; i++) {
    double x = value_of(kind, i, seed);
    float narrow = (float)x;
    fwrite(wide ? (void *)&x : (void *)&narrow, wide ? 8 : 4, 1, stdout);
  }
  return 0;
}

static int npy(const char *shape, int wide) {
  char header[128];
  memset(header, ' ', sizeof header);
  int n = snprintf(header + 10, sizeof header - 10, "{'descr': '<f%d', 'fortran_order': False, 'shape': %s, }",
                   wide ? 8 : 4, shape);
  header[10 + n] = ' ';
  header[127] = '\n';
  memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
  fwrite(header, 1, sizeof header, stdout);
  return 0;
}

static int flip(const char *path, long bit) {
  FILE *f = fopen(path, "r+b");
  if (!f || fseek(f, bit / 8, SEEK_SET) != 0)
    return 2;
  int c = fgetc(f);
  if (c == EOF || fseek(f, bit / 8, SEEK_SET) != 0)
    return 2;
  fputc(c ^ 1 << bit % 8, f);
  return fclose(f) == 0 ? 0 : 2;
}

static int next(FILE *f, int wide, double *x) {
  float narrow;
  if (wide)
    return fread(x, 8, 1, f) == 1;
  int got = fread(&narrow, 4, 1, f) == 1;
  *x = (double)narrow;
  return got;
}

/* Whether |x - y| <= bound in exact arithmetic: high + rest is the difference. */
static int within(double x, double y, double bound) {
  if (!isfinite(x))
    return (isnan(x) && isnan(y)) || x == y;
  double high = x - y, v = high - x, rest = (x - (high - v)) - (y + v);
  double error = fabs(high);
  return error < bound || (error == bound && (high < 0 ? -rest : rest) <= 0);
}

static int check(const char *a, const char *b, int wide, double bound) {
  FILE *fa = fopen(a, "rb"), *fb = fopen(b, "rb"); /* closed by the end of the process */
  if (!fa || !fb)
    return 2;
  double x, y;
  unsigned long long i = 0;
  for (; next(fa, wide, &x); i++) {
    if (!next(fb, wide, &y) || !within(x, y, bound)) {
      fprintf(stderr, "value %llu: %.17g in %s, %.17g in %s\n", i, x, a, y, b);
      return 1;
    }
  }
  if (fgetc(fb) != EOF)
    fprintf(stderr, "%s is longer than %s\n", b, a);
  return !feof(fb);
}

/* Adds the next value of each file; 0 at the end of one of them. */
static int sum_next(FILE **files, int n, int wide, double *total) {
  double x;
  *total = 0;
  for (int i = 0; i < n; i++) {
    if (!next(files[i], wide, &x))
      return 0;
    *total += x;
  }
  return 1;
}

static int sum(int wide, int n, char **paths) {
  FILE *files[16];
  double total;
  if (n > 16)
    return 2;
  for (int i = 0; i < n; i++)
    if (!(files[i] = fopen(paths[i], "rb")))
      return 2;
  while (sum_next(files, n, wide, &total))
    fwrite(&total, 8, 1, stdout);
  for (int i = 0; i < n; i++)
    fclose(files[i]);
  return 0;
}

int main(int argc, char **argv) {
  const char *verb = argc > 1 ? argv[1] : "";
  if (strcmp(verb, "make") == 0 && argc >= 5)
    return make(argv[2], strtoull(argv[3], NULL, 10), argv[4][1] == '6',
                argc > 5 ? (unsigned)atoi(argv[5]) : 0);
  if (strcmp(verb, "npy") == 0 && argc == 4)
    return npy(argv[2], argv[3][1] == '6');
  if (strcmp(verb, "flip") == 0 && argc == 4)
    return flip(argv[2], atol(argv[3]));
  if (strcmp(verb, "check") == 0 && argc == 6)
    return check(argv[2], argv[3], argv[4][1] == '6', strtod(argv[5], NULL));
  if (strcmp(verb, "sum") == 0 && argc > 3)
    return sum(argv[2][1] == '6', argc - 3, argv + 3);
  fputs(usage, stderr);
  return 2;
}
